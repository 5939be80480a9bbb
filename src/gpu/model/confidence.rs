//! How far a prediction may be off: the time again, with what the model knows badly at the end
//! of its bounds.
//!
//! Each weak number moves the time by some factor. Their logarithms add up like independent
//! errors, and the sum is the estimated error of the prediction. Resources that are measured
//! well move it too. The bounds were set by the cases of `benches/timing/suite`, predicted by
//! fits without their kernels.

use super::time::Parts;
use crate::emulator::Outcome;

/// Estimated error from which on a prediction has low confidence.
pub(super) const LARGE: f64 = 0.17;

/// What moves a time by less than this is not named as a reason.
const NAMED: f64 = 0.12;

/// Of what any prediction may be off: chains of dependent instructions, units of a
/// multiprocessor, L2 and DRAM.
const CHAIN: f64 = 1.3;
const UNIT: f64 = 1.12;
const MEMORY: f64 = 1.26;

/// Something that the time hangs on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Weak {
    /// What, in a few words.
    pub(super) why: &'static str,
    /// Whether any time hangs on it.
    pub(super) usual: bool,
    /// How much longer or shorter the time may be: the logarithm of the factor.
    pub(super) by: f64,
}

/// Shares and factors of a launch that the model knows badly.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bounds {
    /// Cycles of the longest chain that wait for loads that L1 answers.
    pub(super) near: f64,
    /// Bytes of local memory over all bytes that pass between L1 and L2.
    pub(super) local: f64,
    /// Of what DRAM does, the part for loads and stores in no order.
    pub(super) random: f64,
    /// Of what the busiest unit does, the part for constants that differ by lane.
    pub(super) constant: f64,
    /// Of the longest chain, the part for further rounds of loops that swap words of shared memory.
    pub(super) swaps: f64,
    /// The work of the longest of the followed blocks over that of the heaviest, at most.
    pub(super) even: f64,
    /// How many times as long blocks may wait for others.
    pub(super) waiting: f64,
}

/// What the time of a launch hangs on, as far as it is weakly known.
pub(super) fn weak(outcome: &Outcome, parts: &Parts, bounds: &Bounds) -> Vec<Weak> {
    let seconds = parts.seconds();
    let moved = |change: &dyn Fn(&mut Parts)| {
        let mut other = *parts;
        change(&mut other);
        (other.seconds() / seconds).ln().abs()
    };
    let usual = |why, by| Weak { why, usual: true, by };
    let mut all = vec![
        usual(
            "a chain of dependent instructions decides",
            moved(&|it| {
                it.alone *= CHAIN;
                it.longest *= CHAIN;
            }),
        ),
        usual("a busy unit of the multiprocessor decides", moved(&|it| it.busiest *= UNIT)),
        usual(
            "L2 or DRAM decides",
            moved(&|it| {
                it.dram *= MEMORY;
                it.l2 *= MEMORY;
            }),
        ),
    ];
    let mut add = |why: &'static str, by: f64| {
        if by > 0.0 && by.is_finite() {
            all.push(Weak { why, usual: false, by });
        }
    };
    // Lanes that read different constants: machine code may join such loads.
    if outcome.issued[0] == 0.0 {
        add("lanes read different constants", {
            moved(&|it| it.busiest *= 1.0 - CONSTANTS * bounds.constant.min(1.0))
        });
    }
    // Chains and units that take about as long: side by side, or one after the other.
    let apart = moved(&|it| {
        it.busiest += it.alone;
        it.alone = 0.0;
    });
    let abreast = moved(&|it| {
        it.busiest = it.alone.max(it.busiest);
        it.alone = 0.0;
    });
    add("waiting and working take about as long, and may overlap less or more", {
        OVERLAP * apart.max(abreast)
    });
    // L1 may lose what the replay finds there, and the other way round.
    if outcome.timelines.iter().any(|it| it.sectors.0 > 0) {
        let found = 1.0 - super::cache::missed(outcome);
        let missed = (1.0 - found).max(0.02);
        let lost = LOST * found.min(0.5);
        let times = (missed + lost) / missed;
        let waits = 1.0 + lost * bounds.near / parts.longest.max(1.0) * FARTHER;
        add("how much L1 answers is uncertain", {
            moved(&|it| {
                it.l2 *= times;
                it.alone *= waits;
                it.longest *= waits;
            })
        });
        // Lanes that read a line each, and come back to it: the lines of other warps may take
        // its place, and each line is looked up.
        let requests = outcome.counters.global_load_requests.max(1) as f64;
        let each = outcome.counters.global_load_sectors as f64 / requests;
        let apart = found * ((each - 4.0) / 28.0).clamp(0.0, 1.0);
        add("lanes read a line each, and L1 may not keep it", {
            moved(&|it| {
                it.alone *= 1.0 + 1.5 * apart;
                it.longest *= 1.0 + 1.5 * apart;
                it.busiest *= 1.0 + apart;
                it.l2 *= 1.0 + apart;
            })
        });
    }
    add("local memory beyond L1", {
        moved(&|it| {
            it.l2 *= 1.0 + bounds.local;
            it.busiest *= 1.0 + 0.5 * bounds.local;
        })
    });
    add("scattered accesses to more memory than L2 holds", {
        moved(&|it| it.dram *= 1.0 + bounds.random)
    });
    add("blocks differ in length, and few were followed", {
        let rest = parts.alone - parts.longest;
        UNEVEN
            * moved(&|it| {
                it.longest *= bounds.even.min(1.0);
                it.alone = rest + it.longest;
            })
    });
    let (contended, why) = if outcome.swaps.updates + outcome.swaps.locks > 0 {
        (1.6, "compare-and-swap: its retries depend on the order of warps")
    } else if outcome.swaps.all > 0 {
        (1.5, "compare-and-swap on places that depend on the data")
    } else if outcome.schedule_dependent {
        (1.25, "contended atomics whose results are used")
    } else {
        (1.1, "contended atomics")
    };
    add(why, moved(&|it| it.atomics *= contended));
    // Whoever comes too late goes on from what it found: the emulator, where nobody does, sees
    // the shortest way.
    if outcome.swaps.all > outcome.swaps.tries + outcome.swaps.locks {
        add("compare-and-swap: who comes too late goes further rounds", {
            moved(&|it| {
                it.alone *= ROUNDS;
                it.longest *= ROUNDS;
            })
        });
    }
    add("atomics in shared memory that retry: how often depends on the order of warps", {
        moved(&|it| {
            it.alone *= 1.0 + MEETING * bounds.swaps;
            it.longest *= 1.0 + MEETING * bounds.swaps;
            it.busiest *= 1.0 + MEETING * bounds.swaps;
        })
    });
    if outcome.awaits_warps {
        add("warps wait for what others write to shared memory", {
            moved(&|it| {
                it.alone *= WARPS;
                it.longest *= WARPS;
            })
        });
    }
    add("blocks wait for other blocks", {
        moved(&|it| {
            it.look_far *= bounds.waiting;
            it.look_back *= bounds.waiting;
        })
    });
    add("the sample leaves much open", (1.0 + outcome.left_open).ln());
    all
}

/// How much longer a chain may be whose threads swap a word that others swap as well.
const ROUNDS: f64 = 2.5;

/// Of the time of further tries, how far it may be off.
const MEETING: f64 = 0.5;

/// How much longer a chain may be whose warps wait for each other by a word: the emulator runs them one
/// after the other.
const WARPS: f64 = 4.0;

/// Of the time of constants that differ by lane, what machine code may save.
const CONSTANTS: f64 = 0.4;

/// Of the way from side by side to one after the other, how far waiting and working may be off.
const OVERLAP: f64 = 0.4;

/// Of the difference between the heaviest block and the others, how far its chain may be off.
const UNEVEN: f64 = 0.7;

/// Of the sectors that L1 answers in the replay, those that it may not have on a GPU.
const LOST: f64 = 0.3;

/// How many times longer a load takes that L1 does not answer.
const FARTHER: f64 = 6.0;

/// The estimated error, as a part of the time.
pub(super) fn error(weak: &[Weak]) -> f64 {
    weak.iter().map(|it| it.by * it.by).sum::<f64>().sqrt().exp() - 1.0
}

/// The reasons for low confidence: none if the estimated error is small.
pub(super) fn reasons(weak: &[Weak]) -> Vec<&'static str> {
    if error(weak) <= LARGE {
        return Vec::new();
    }
    let mut large: Vec<&Weak> = weak.iter().filter(|it| !it.usual && it.by > NAMED).collect();
    if large.is_empty() {
        large.extend(weak.iter().max_by(|a, b| a.by.total_cmp(&b.by)));
    }
    large.sort_by(|a, b| b.by.total_cmp(&a.by));
    large.into_iter().map(|it| it.why).collect()
}
