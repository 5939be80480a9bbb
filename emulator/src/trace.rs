//! One block of a launch, step by step: recorded once, then shown at any step.
//!
//! A **step** is one PTX instruction of one warp. [`record`] runs the launch up to the block,
//! then the block itself, and keeps for each step its warp, instruction, active lanes and
//! [`Marks`] (twelve bytes), and now and then a checkpoint of the block. [`Trace::moment`]
//! goes back to the checkpoint before a step, undoes what the block has written to global
//! memory since, and runs it again up to the step: so all registers, addresses and values of
//! a step are there, backwards as fast as forwards, and 64 MiB hold some millions of steps.
//!
//! # What is shown
//!
//! The state before the block is what the blocks before it leave, in the order of their
//! index; what ran before the launch is up to the caller, who hands over the memory. The
//! warps of the block take turns after every basic block, or after 64 of them in kernels
//! that poll or use what atomics give back, exactly as in the ordinary run on one host
//! thread. Where blocks or warps race, that order is the one that is shown; a GPU may take
//! another. A block that waits for a later one ends with a trap that says so.
//!
//! # Numbers
//!
//! The cost of a step ([`StepCost`]) is the difference of the emulator's own counters before
//! and after it. [`Trace::counters`] are those of the whole block.
//!
//! # Use
//!
//! ```
//! use warpscope_emulator::trace::{Setup, record};
//! use warpscope_emulator::{Memory, Module};
//!
//! # let ptx = "
//! #     .version 7.8
//! #     .target sm_50
//! #     .address_size 64
//! #     .visible .entry twice(.param .u64 p) {
//! #         .reg .b32 %r<4>;
//! #         .reg .b64 %rd<6>;
//! #         ld.param.u64 %rd1, [p];
//! #         mov.u32 %r1, %tid.x;
//! #         mul.wide.u32 %rd3, %r1, 4;
//! #         add.s64 %rd4, %rd1, %rd3;
//! #         ld.global.u32 %r2, [%rd4];
//! #         shl.b32 %r3, %r2, 1;
//! #         st.global.u32 [%rd4], %r3;
//! #         ret;
//! #     }";
//! let module = Module::load(ptx)?;
//! let mut memory = Memory::new();
//! let buffer = memory.allocate(64 * 4);
//! memory.write_u32(buffer, &[21; 64]);
//! let setup = Setup { block: 64.into(), args: vec![buffer], ..Setup::default() };
//! let mut trace = record(&module, "twice", setup, memory, 0)?;
//!
//! assert_eq!(trace.warps(), 2);
//! let store = trace.find(0, |step, _| trace.place(step).word == "st.global.u32").unwrap();
//! let moment = trace.moment(store).unwrap();
//! assert_eq!(moment.access.as_ref().unwrap().values[0][5], 42);
//! assert_eq!(moment.cost.sectors, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod access;
mod capture;
mod describe;
mod labels;
mod meaning;
mod moment;
mod navigate;
mod record;
mod replay;
mod sentence;
mod step;
mod symbols;
mod tape;
#[cfg(test)]
mod tests;
mod values;
mod warps;
mod words;
mod writes;

pub use access::{Access, Bank, Line, Sector, Space};
pub use moment::{
    Gathering, Group, Level, Moment, Parting, Place, StepCost, Value, WarpState, WarpView, Why,
};
pub use record::{Ending, MOST_BYTES, RecordError, Setup, Trace, record};
pub use step::{Marks, Step};
pub use words::lanes_in_words;
