//! Issue: the schedulers of a multiprocessor, and its load and store unit.
//!
//! Formulas, in cycles over all multiprocessors: machine instructions / 4 per cycle;
//! those of each unit x the cycles of one. Machine instructions are those of the
//! machine code where it is known ([`crate::emulator::Kernel::with_machine_code`]), else the
//! emulator's estimate by class ([`crate::emulator::Mix`]) times an expansion per class;
//! those of memory are counted as they are.
//!
//! Two pipes share arithmetic: one takes logic, the other floats and products; each takes sums
//! of integers when the other is busier. Machine code says which takes what.

use super::rates::{ISSUE_PER_CYCLE, Rates};
use crate::emulator::{Class, Outcome, Timeline};

/// Machine instructions of the way that quotients of 64-bit numbers beyond 32 bits take: all,
/// and those of five units, a product of high or wide words as two (`ptxas` for `sm_90`). The
/// tables of machine code leave it out, since the operands decide.
const WIDE_DIVISION: [f64; 6] = [66.0, 27.0, 50.0, 3.0, 0.0, 0.0];

/// The same of each instruction of the slow way of a rounded quotient or root.
const SLOW_WAY: [f64; 6] = [1.0, 0.57, 0.19, 0.02, 0.15, 0.0];

/// Machine instructions of a launch, where machine code is known, of all and of five units.
fn issued(outcome: &Outcome) -> [f64; 6] {
    let sum = |of: fn(&Timeline) -> u64| outcome.timelines.iter().map(of).sum::<u64>() as f64;
    let followed = sum(|it| it.instructions).max(1.0);
    let all = outcome.counters.warp_instructions as f64 / followed;
    let (wide, slow) = (all * sum(|it| it.wide_divisions), all * sum(|it| it.slow_ways));
    std::array::from_fn(|kind| {
        outcome.issued[kind] + wide * WIDE_DIVISION[kind] + slow * SLOW_WAY[kind]
    })
}

/// Cycles of all multiprocessors together to issue everything.
pub(super) fn cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let Outcome { mix, counters, .. } = outcome;
    if outcome.issued[0] > 0.0 {
        return issued(outcome)[0] * rates.issued / ISSUE_PER_CYCLE;
    }
    let machine = mix.iter().zip(rates.expansion).map(|(count, each)| count * each);
    // The tensor core is busy with a product long after it was issued.
    let estimated = machine.sum::<f64>() - mix[Class::Matrix as usize];
    // Without an estimate, the PTX instructions stand for the machine's.
    let instructions = if estimated > 0.0 { estimated } else { counters.warp_instructions as f64 };
    instructions / ISSUE_PER_CYCLE
}

/// Cycles of all multiprocessors together in their busiest unit: arithmetic, tensor cores, memory,
/// barriers.
pub(super) fn unit_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let Outcome { mix, counters, .. } = outcome;
    let of = |class: Class| {
        let class = class as usize;
        let expansion = if class == Class::Memory as usize { 1.0 } else { rates.expansion[class] };
        mix[class] * expansion * rates.unit[class]
    };
    let barriers = counters.barriers as f64 * rates.barrier;
    let alone = [Class::Memory, Class::Control, Class::Matrix];
    let alone = alone.map(of).into_iter().fold(barriers, f64::max);
    if outcome.issued[0] > 0.0 {
        let [_, integers, products, special, floats, doubles] = issued(outcome);
        let machine = |many: f64, class: Class| many * rates.issued * rates.unit[class as usize];
        let products = machine(products, Class::Product);
        let units = [
            machine(integers, Class::Logic),
            products,
            // One of two pipes takes products, both take floats.
            machine(floats, Class::Float) + 0.5 * products,
            machine(special, Class::Special),
            machine(doubles, Class::Double),
        ];
        return units.into_iter().fold(alone, f64::max);
    }
    let alone = alone.max(of(Class::Double));
    let (logic, others) = (of(Class::Logic), of(Class::Float) + of(Class::Product));
    // Alone, sums keep both pipes busy.
    let both = 0.5 * (logic + others) + of(Class::Integer);
    logic.max(others).max(both).max(of(Class::Special)).max(alone)
}
