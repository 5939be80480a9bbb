//! The warp-level PTX emulator of warpscope, with the vocabulary it is told in.
//!
//! A crate of its own because it is half of the program's code and nearly all
//! of what a build costs: who changes a screen does not compile it again.
//! `warpscope` re-exports its four rooms, so that `crate::emulator` means the
//! same there as here:
//!
//! - [`units`]: quantities, how they are written, read and bounded;
//! - [`launch`]: what a backend is told and what it answers;
//! - [`ptx`]: text to syntax tree;
//! - [`emulator`]: syntax tree to results, counters and traps.

pub mod emulator;
pub mod launch;
pub mod ptx;
pub mod units;
