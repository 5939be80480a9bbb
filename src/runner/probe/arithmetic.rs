//! Issue rates and latencies of instructions, and loops.

use super::runner::{cycles, cycles_per_round};
use super::{DeviceFacts, ProbeLaunch, ProbeResults, ProbeRunner};
use crate::backend::Failure;
use crate::gpu::Key;

/// A kind of instruction: its kernel, the instructions per round, its keys, and the
/// lowest compute capability that has it.
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

/// The keys that are measured here.
pub(super) const KEYS: &[Key] = &{
    let mut keys = [Key::LoopRound; 2 * KINDS.len() + 1];
    let mut index = 0;
    while index < KINDS.len() {
        keys[2 * index] = KINDS[index].issue;
        keys[2 * index + 1] = KINDS[index].latency;
        index += 1;
    }
    keys
};

/// Rounds of a launch. The result is the difference between this and twice as many.
const ROUNDS: u32 = 16;

/// A sum that never occurs.
const NEVER: u32 = 0xdead_beef;

/// The instructions of a kind on one block of `threads` threads.
pub(super) fn probe(kernel: &'static str, threads: u32, rounds: u32) -> ProbeLaunch {
    ProbeLaunch::new(kernel, (1, threads), [rounds, NEVER, 0])
}

pub(super) fn run(
    runner: &mut dyn ProbeRunner,
    facts: &DeviceFacts,
    found: &mut ProbeResults,
) -> Result<(), Failure> {
    for kind in KINDS.iter().filter(|kind| facts.compute_capability >= kind.least) {
        let per_round = f64::from(kind.per_round);
        let alone = cycles_per_round(runner, &probe(kind.kernel, 32, ROUNDS))?;
        found.put(kind.latency, alone.times(1.0 / per_round));
        let together = cycles_per_round(runner, &probe(kind.kernel, 1024, ROUNDS))?;
        found.put(kind.issue, together.rate_of(per_round * 32.0));
    }
    let rounds = |repeat| probe("probe_loop", 32, repeat);
    let once = cycles(&runner.launch(&rounds(1000))?, 1);
    let twice = cycles(&runner.launch(&rounds(2000))?, 1);
    found.put(Key::LoopRound, twice.less(once).times(1e-3));
    Ok(())
}
