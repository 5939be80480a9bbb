//! What a block did over time: its waits, and the longest chain of dependent ones.

/// What can be waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Arithmetic with a fixed latency.
    Arithmetic,
    /// Special functions, conversions, 64-bit floats.
    Slow,
    /// An exchange among lanes.
    Exchange,
    /// A load from shared memory.
    Shared,
    /// An atomic on shared memory whose result is used.
    SharedAtomic,
    /// A load that L1 answers.
    L1Hit,
    /// A load that L1 does not answer, and L2 does: DRAM gives two sectors at a
    /// time, and an earlier load wanted the other one.
    L2Hit,
    /// A load that goes to DRAM, unless another block's came first.
    Dram,
    /// An atomic on global memory whose result is used.
    Atomic,
    /// A barrier.
    Barrier,
    /// A branch.
    Branch,
    /// The issue of instructions, one a cycle.
    Issue,
}

/// How many kinds of waiting there are.
pub const WAITS: usize = 12;

/// Cycles that each wait takes, about, by which chains are compared.
pub(crate) const NOMINAL: [f32; WAITS] =
    [5.0, 25.0, 25.0, 30.0, 70.0, 40.0, 280.0, 600.0, 700.0, 25.0, 12.0, 1.0];

/// A chain of dependent instructions: how often it waits for what.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct CriticalPath {
    pub(crate) cycles: f32,
    /// Waits of each kind, in the order of [`Wait`].
    pub waits: [f32; WAITS],
}

impl CriticalPath {
    pub(crate) fn later(&mut self, other: &Self) {
        if other.cycles > self.cycles {
            *self = *other;
        }
    }
}

/// What one block did, alone on its multiprocessor.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// Index of the block in its grid.
    pub block: u64,
    /// Its longest chain.
    pub critical_path: CriticalPath,
    /// The mean over its warps of the longest chain of each.
    pub average: CriticalPath,
    /// PTX instructions that it ran at least once.
    pub code: u32,
    /// Sectors that its loads asked L1 for, and those that were there.
    pub sectors: (u64, u64),
    /// Distinct sectors of global memory that it touched, as far as L1 held them.
    pub distinct: u64,
    /// Of the sectors that its loads asked L2 for: the 128-byte lines that they lie
    /// in, request by request.
    pub lines: u64,
    /// Sectors that it stored, and the lines that they lie in, likewise.
    pub stored: (u64, u64),
    /// Of the sectors that it stored, those that a request did not write as a whole.
    pub partial: u64,
    /// Warp instructions.
    pub instructions: u64,
}

impl CriticalPath {
    /// The chain that waits so often.
    pub(crate) fn of(waits: [f32; WAITS]) -> Self {
        let cycles = waits.iter().zip(NOMINAL).map(|(times, cycles)| times * cycles).sum();
        Self { cycles, waits }
    }

    /// A weighted sum of chains.
    pub(crate) fn sum(chains: &[(&Self, f64)]) -> Self {
        let waits = |kind: usize| -> f64 {
            chains.iter().map(|(chain, weight)| f64::from(chain.waits[kind]) * weight).sum()
        };
        Self::of(std::array::from_fn(|kind| waits(kind).max(0.0) as f32))
    }
}

impl Timeline {
    /// A weighted sum of timelines, as that of a block.
    pub(crate) fn sum(block: u64, timelines: &[(&Self, f64)]) -> Self {
        let sum = |of: &dyn Fn(&Self) -> u64| {
            let sum: f64 =
                timelines.iter().map(|(timeline, weight)| of(timeline) as f64 * weight).sum();
            sum.round().max(0.0) as u64
        };
        let asked = sum(&|it| it.sectors.0);
        let chains = |of: fn(&Self) -> &CriticalPath| -> Vec<(&CriticalPath, f64)> {
            timelines.iter().map(|(timeline, weight)| (of(timeline), *weight)).collect()
        };
        Self {
            block,
            critical_path: CriticalPath::sum(&chains(|it| &it.critical_path)),
            average: CriticalPath::sum(&chains(|it| &it.average)),
            code: timelines.iter().map(|(timeline, _)| timeline.code).max().unwrap_or_default(),
            sectors: (asked, sum(&|it| it.sectors.1).min(asked)),
            distinct: sum(&|it| it.distinct),
            lines: sum(&|it| it.lines),
            stored: (sum(&|it| it.stored.0), sum(&|it| it.stored.1)),
            partial: sum(&|it| it.partial),
            instructions: sum(&|it| it.instructions),
        }
    }
}
