//! The warp-level PTX emulator of warpscope.
//!
//! - [`ptx`]: text to syntax tree;
//! - [`emulator`]: syntax tree to results, counters and traps.

pub mod emulator;
pub mod ptx;
