//! The Step screen: one block of the selected case, instruction by instruction, forwards and
//! backwards.

pub(crate) mod goto;
pub mod recorded;
pub mod state;
pub(crate) mod update;
pub(crate) mod view;
