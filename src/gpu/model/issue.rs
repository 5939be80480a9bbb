//! Issue: the schedulers of a multiprocessor, and its load and store unit.
//!
//! Formulas, in cycles over all multiprocessors: machine instructions / 4 per cycle;
//! those of each unit x the cycles of one; both x what the busiest of four schedulers has
//! more than its quarter. Machine instructions are those of the
//! machine code where it is known ([`crate::emulator::Kernel::with_machine_code`]), else the
//! emulator's estimate by class ([`crate::emulator::Mix`]) times an expansion per class;
//! those of memory are counted as they are.
//!
//! Two pipes share arithmetic: one takes logic, the other floats and products; each takes sums
//! of integers when the other is busier. Machine code says which takes what.

use super::followed::{by_work, share};
use super::rates::{ISSUE_PER_CYCLE, Rates};
use crate::emulator::{Class, Outcome, Timeline};

/// Machine instructions of the way that quotients of 64-bit numbers beyond 32 bits take: all,
/// and those of five units, a product of high or wide words as two (`ptxas` for `sm_90`). The
/// tables of machine code leave it out, since the operands decide.
const WIDE_DIVISION: [f64; 7] = [66.0, 27.0, 50.0, 3.0, 0.0, 0.0, 0.0];

/// The same of each instruction of the slow way of a rounded quotient or root.
const SLOW_WAY: [f64; 7] = [1.0, 0.57, 0.19, 0.02, 0.15, 0.0, 0.0];

/// Cycles of a scheduler each time that a warp jumps: a way that all skip takes 8.2
/// where they meet again behind it, which is two such, and up to 4.3 where not
/// (`benches/data/h200/ways.csv`).
const JUMP: f64 = 4.1;

/// Of an instruction of the load and store unit, what a load takes less that machine code joins to
/// another one: four in one load take 2.1 cycles (`benches/data/h200/banks.csv`).
const JOINED: f64 = 0.6;

/// Machine instructions of a launch, where machine code is known, of all and of five units, and how
/// often warps jumped.
fn issued(outcome: &Outcome) -> [f64; 7] {
    let wide = scaled(outcome, |it| it.wide_divisions);
    let slow = scaled(outcome, |it| it.slow_ways);
    std::array::from_fn(|kind| {
        outcome.issued[kind] + wide * WIDE_DIVISION[kind] + slow * SLOW_WAY[kind]
    })
}

/// What the followed blocks did, as all blocks of the launch do it by their instructions.
pub(super) fn scaled(outcome: &Outcome, of: fn(&Timeline) -> u64) -> f64 {
    share(outcome, of, |it| it.instructions) * outcome.counters.warp_instructions as f64
}

/// How much more than a quarter of all the busiest scheduler of a multiprocessor has to do, 1 for as
/// much as the others.
fn lopsided(outcome: &Outcome) -> f64 {
    1.0 + by_work(outcome, |it| it.lopsided)
}

/// Cycles of all multiprocessors together to issue everything, were all as busy as the busiest
/// scheduler.
pub(super) fn cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let Outcome { mix, counters, .. } = outcome;
    let per_cycle = ISSUE_PER_CYCLE / lopsided(outcome);
    if outcome.issued[0] > 0.0 {
        return issued(outcome)[0] * rates.issued / per_cycle;
    }
    let machine = mix.iter().zip(rates.expansion).map(|(count, each)| count * each);
    // The tensor core is busy with a product long after it was issued.
    let estimated = machine.sum::<f64>() - mix[Class::Matrix as usize];
    // Without an estimate, the PTX instructions stand for the machine's.
    let instructions = if estimated > 0.0 { estimated } else { counters.warp_instructions as f64 };
    instructions / per_cycle
}

/// Cycles of all multiprocessors together in their busiest unit: arithmetic, tensor cores, memory,
/// barriers. Each scheduler has arithmetic and a tensor core of its own.
pub(super) fn unit_cycles(outcome: &Outcome, rates: &Rates) -> f64 {
    let Outcome { mix, counters, .. } = outcome;
    let of = |class: Class| {
        let class = class as usize;
        let expansion = if class == Class::Memory as usize { 1.0 } else { rates.expansion[class] };
        mix[class] * expansion * rates.unit[class]
    };
    let barriers = counters.barriers as f64 * rates.barrier;
    let joined = JOINED * outcome.joined_passes as f64;
    let share = 1.0 - joined / mix[Class::Memory as usize].max(joined).max(1.0);
    let exchanges = 0.5 * scaled(outcome, |it| it.exchanges) * rates.unit[Class::Memory as usize];
    let shared = barriers.max(of(Class::Memory) * share + exchanges);
    let lopsided = lopsided(outcome);
    let alone = of(Class::Control).max(of(Class::Matrix)).max(shared / lopsided);
    if outcome.issued[0] > 0.0 {
        let [_, integers, products, special, floats, doubles, jumps] = issued(outcome);
        let machine = |many: f64, class: Class| many * rates.issued * rates.unit[class as usize];
        let products = machine(products, Class::Product);
        let units = [
            machine(integers, Class::Logic),
            products,
            // One of two pipes takes products, both take floats.
            machine(floats, Class::Float) + 0.5 * products,
            machine(special, Class::Special),
            machine(doubles, Class::Double),
            jumps * JUMP / ISSUE_PER_CYCLE,
        ];
        return units.into_iter().fold(alone, f64::max) * lopsided;
    }
    let alone = alone.max(of(Class::Double));
    let (logic, others) = (of(Class::Logic), of(Class::Float) + of(Class::Product));
    // Alone, sums keep both pipes busy.
    let both = 0.5 * (logic + others) + of(Class::Integer);
    logic.max(others).max(both).max(of(Class::Special)).max(alone) * lopsided
}
