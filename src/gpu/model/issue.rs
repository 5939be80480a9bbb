//! Issue: the schedulers of a multiprocessor, and its load and store unit.
//!
//! Formulas, in cycles over all multiprocessors: machine instructions / 4 per
//! cycle; instructions of memory and exchanges x the cycles of the unit. Machine
//! instructions are the emulator's estimate by class ([`Mix`]) times an
//! expansion per class.

use super::rates::{EXPANSION, ISSUE_PER_CYCLE, LSU_CYCLES};
use crate::emulator::{Class, Counters, Mix};

/// Cycles of all multiprocessors together to issue everything.
pub(super) fn cycles(mix: &Mix, counters: &Counters) -> f64 {
    let estimated: f64 = mix.iter().zip(EXPANSION).map(|(count, each)| count * each).sum();
    // Without an estimate, the PTX instructions stand for the machine's.
    let instructions = if estimated > 0.0 { estimated } else { counters.warp_instructions as f64 };
    instructions / ISSUE_PER_CYCLE
}

/// Cycles of all load and store units together.
pub(super) fn memory_cycles(mix: &Mix) -> f64 {
    mix[Class::Memory as usize] * LSU_CYCLES
}
