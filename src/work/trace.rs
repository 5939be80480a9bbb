//! One block of a launch, step by step: the emulator's traces, for every room that shows them.

pub use crate::emulator::ValueType;
pub use crate::emulator::trace::{
    Access, Bank, Ending, Gathering, Group, Level, Line, Marks, Moment, Parting, Place, Sector,
    Space, Step, StepCost, Trace, Value, WarpState, WarpView, Why, lanes_in_words,
};
pub use crate::emulator::{AccessKind, Counters};
