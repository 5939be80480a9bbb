//! Issue rates and latencies of instructions, and loops.

use super::bench::{cycles, cycles_per_round};
use super::{Facts, Found, Lab, Shot};
use crate::backend::Failure;
use crate::gpu::Key;

/// A kind of instruction: its kernel, how many one round holds, its keys, and the
/// least compute capability that has it.
pub(super) struct Kind {
    pub(super) kernel: &'static str,
    pub(super) per_round: u32,
    issue: Key,
    latency: Key,
    least: u32,
}

const fn kind(kernel: &'static str, per_round: u32, issue: Key, latency: Key) -> Kind {
    Kind { kernel, per_round, issue, latency, least: 0 }
}

/// Every kind.
pub(super) const KINDS: &[Kind] = &[
    kind("probe_integer_add", 128, Key::IssueIntegerAdd, Key::LatencyIntegerAdd),
    kind("probe_integer_multiply", 128, Key::IssueIntegerMultiply, Key::LatencyIntegerMultiply),
    kind("probe_multiply_high", 128, Key::IssueMultiplyHigh, Key::LatencyMultiplyHigh),
    kind("probe_logic", 128, Key::IssueLogic, Key::LatencyLogic),
    kind("probe_shift", 128, Key::IssueShift, Key::LatencyShift),
    kind("probe_minimum", 128, Key::IssueMinimum, Key::LatencyMinimum),
    kind("probe_select", 128, Key::IssueSelect, Key::LatencySelect),
    kind("probe_population", 128, Key::IssuePopulation, Key::LatencyPopulation),
    kind("probe_to_float", 128, Key::IssueToFloat, Key::LatencyToFloat),
    kind("probe_to_integer", 128, Key::IssueToInteger, Key::LatencyToInteger),
    kind("probe_f32", 128, Key::IssueF32, Key::LatencyF32),
    kind("probe_f64", 128, Key::IssueF64, Key::LatencyF64),
    Kind { least: 53, ..kind("probe_f16x2", 128, Key::IssueF16x2, Key::LatencyF16x2) },
    kind("probe_special", 128, Key::IssueSpecial, Key::LatencySpecial),
    kind("probe_divide_integer", 16, Key::IssueDivideInteger, Key::LatencyDivideInteger),
    kind("probe_divide_float", 16, Key::IssueDivideFloat, Key::LatencyDivideFloat),
    kind("probe_shuffle", 128, Key::IssueShuffle, Key::LatencyShuffle),
    kind("probe_vote", 128, Key::IssueVote, Key::LatencyVote),
];

/// What is found here.
pub(super) const KEYS: &[Key] = &[
    Key::IssueIntegerAdd,
    Key::LatencyIntegerAdd,
    Key::IssueIntegerMultiply,
    Key::LatencyIntegerMultiply,
    Key::IssueMultiplyHigh,
    Key::LatencyMultiplyHigh,
    Key::IssueLogic,
    Key::LatencyLogic,
    Key::IssueShift,
    Key::LatencyShift,
    Key::IssueMinimum,
    Key::LatencyMinimum,
    Key::IssueSelect,
    Key::LatencySelect,
    Key::IssuePopulation,
    Key::LatencyPopulation,
    Key::IssueToFloat,
    Key::LatencyToFloat,
    Key::IssueToInteger,
    Key::LatencyToInteger,
    Key::IssueF32,
    Key::LatencyF32,
    Key::IssueF64,
    Key::LatencyF64,
    Key::IssueF16x2,
    Key::LatencyF16x2,
    Key::IssueSpecial,
    Key::LatencySpecial,
    Key::IssueDivideInteger,
    Key::LatencyDivideInteger,
    Key::IssueDivideFloat,
    Key::LatencyDivideFloat,
    Key::IssueShuffle,
    Key::LatencyShuffle,
    Key::IssueVote,
    Key::LatencyVote,
    Key::LoopRound,
];

/// Rounds of a run; their number matters little, the difference is taken.
const ROUNDS: u32 = 16;

/// A sum that no result is.
const NEVER: u32 = 0xdead_beef;

/// A kind's instructions on one block of so many threads.
pub(super) fn shot(kernel: &'static str, threads: u32, rounds: u32) -> Shot {
    Shot::new(kernel, (1, threads), [rounds, NEVER, 0])
}

pub(super) fn run(lab: &mut dyn Lab, facts: &Facts, found: &mut Found) -> Result<(), Failure> {
    for kind in KINDS.iter().filter(|kind| facts.compute_capability >= kind.least) {
        let per_round = f64::from(kind.per_round);
        let alone = cycles_per_round(lab, &shot(kind.kernel, 32, ROUNDS))?;
        found.put(kind.latency, alone.times(1.0 / per_round));
        let together = cycles_per_round(lab, &shot(kind.kernel, 1024, ROUNDS))?;
        found.put(kind.issue, together.rate_of(per_round * 32.0));
    }
    let rounds = |repeat| shot("probe_loop", 32, repeat);
    let once = cycles(&lab.shoot(&rounds(1000))?, 1);
    let twice = cycles(&lab.shoot(&rounds(2000))?, 1);
    found.put(Key::LoopRound, twice.less(once).times(1e-3));
    Ok(())
}
