//! Issue: the schedulers of a multiprocessor, and its load and store unit.
//!
//! Formulas, in cycles over all multiprocessors: machine instructions / 4 per cycle;
//! those of each class x the cycles of its unit. Machine instructions are the
//! emulator's estimate by class ([`Mix`]) times an expansion per class; those of
//! memory are counted as they are.
//!
//! Two pipes share arithmetic: one takes logic, the other floats and products; each takes sums
//! of integers when the other is busier.

use super::rates::{ISSUE_PER_CYCLE, Rates};
use crate::emulator::{Class, Counters, Mix};

/// Cycles of all multiprocessors together to issue everything.
pub(super) fn cycles(mix: &Mix, counters: &Counters, rates: &Rates) -> f64 {
    let machine = mix.iter().zip(rates.expansion).map(|(count, each)| count * each);
    let estimated: f64 = machine.sum();
    // Without an estimate, the PTX instructions stand for the machine's.
    let instructions = if estimated > 0.0 { estimated } else { counters.warp_instructions as f64 };
    instructions / ISSUE_PER_CYCLE
}

/// Cycles of all multiprocessors together in their busiest unit: arithmetic, memory, barriers.
pub(super) fn unit_cycles(mix: &Mix, counters: &Counters, rates: &Rates) -> f64 {
    let of = |class: Class| {
        let class = class as usize;
        let expansion = if class == Class::Memory as usize { 1.0 } else { rates.expansion[class] };
        mix[class] * expansion * rates.unit[class]
    };
    let (logic, others) = (of(Class::Logic), of(Class::Float) + of(Class::Product));
    // Alone, sums keep both pipes busy.
    let both = 0.5 * (logic + others) + of(Class::Integer);
    let alone = [Class::Double, Class::Special, Class::Memory, Class::Control].map(of);
    let barriers = counters.barriers as f64 * rates.barrier;
    alone.into_iter().fold(logic.max(others).max(both).max(barriers), f64::max)
}
