//! The timeline of a block: its waits and its critical path.

use crate::critical_path::trace::Answers;

/// What an instruction waits for.
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
    /// A round of a loop that swaps a word of shared memory until no other lane was faster.
    Swap,
    /// A load that hits L1.
    L1Hit,
    /// A load that misses L1 and hits L2: DRAM transfers two sectors at a time, and an
    /// earlier load wanted the other one.
    L2Hit,
    /// A load that goes to DRAM, unless another block loaded the sector first.
    Dram,
    /// An atomic on global memory whose result is used.
    Atomic,
    /// A barrier.
    Barrier,
    /// A branch.
    Branch,
    /// Issuing instructions, one per cycle.
    Issue,
    /// A fence for other blocks, behind stores.
    Fence,
    /// A further pass of an access through L1 or the constant cache.
    Pass,
    /// A cycle of machine code in a warp that runs alone. Where it is known, it stands for
    /// arithmetic, slow units, exchanges, branches and issuing.
    Cycle,
}

/// Number of kinds of [`Wait`].
pub const WAITS: usize = 16;

/// Approximate cycles of each wait, to compare chains.
pub(crate) const NOMINAL: [f32; WAITS] = [
    5.0, 25.0, 25.0, 30.0, 70.0, 96.0, 40.0, 280.0, 600.0, 700.0, 25.0, 12.0, 1.0, 600.0, 1.0, 1.0,
];

/// The longest chain of dependent instructions: how often it waits for what.
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
    /// How many blocks beside itself it stands for.
    pub others: f64,
    /// Its longest chain of dependent instructions.
    pub critical_path: CriticalPath,
    /// The mean of the critical paths of its warps.
    pub average: CriticalPath,
    /// PTX instructions that it ran at least once.
    pub code: u32,
    /// Sectors that its loads requested, and those that hit L1, beside the other blocks of
    /// its multiprocessor.
    pub sectors: (u64, u64),
    /// Distinct sectors of global memory that it touched, as far as L1 kept them.
    pub distinct: u64,
    /// 128-byte lines of the sectors that its loads requested from L2, per request.
    pub lines: u64,
    /// Sectors that it stored and that went to L2, and their lines.
    pub stored: (u64, u64),
    /// Of these, those that were written only in part.
    pub partial: u64,
    /// Sectors that it stored and that L1 joined to what the same warp had stored just before.
    pub joined: u64,
    /// Warp instructions.
    pub instructions: u64,
    /// Sectors that loads of local memory requested, and those that hit L1.
    pub local: (u64, u64),
    /// Accesses to global and local memory, and their passes through L1.
    pub passes: (u64, u64),
    /// Distinct addresses of loads from constant memory beyond the first of each load, and
    /// addresses that the cache of constants did not hold.
    pub constant_reads: (u64, u64),
    /// 64-bit divisions in which the number of some lane takes more than 32 bits. Machine code
    /// has a quick way for all others.
    pub wide_divisions: u64,
    /// Machine instructions of rounded quotients, roots and reciprocals of 32-bit floats in which
    /// the quick way of the machine code does not do for some lane.
    pub slow_ways: u64,
    /// Halves of a shuffle that exchanges among lanes take the multiprocessor beyond a shuffle each:
    /// `match.any` of different values, and used sums of a warp.
    pub exchanges: u64,
    /// Passes of further rounds of loops that swap a word of shared memory, since others were faster.
    pub swaps_again: u64,
    /// Passes of its loads from shared memory that machine code joined to others, and the passes that those
    /// others take beyond their own, as they are wider.
    pub widened: (u64, u64),
    /// Sectors that loads and stores requested from L2 where lanes of one request lie far
    /// apart without order.
    pub scattered: (u64, u64),
    /// Sectors of its atomics, and of those whose lanes lie far apart without order.
    pub updated: (u64, u64),
    /// Bytes between the farthest addresses of such a request.
    pub span: u64,
    /// Sectors that it stored and that L2, beside the other blocks, had to give up before the rest
    /// of their line was written.
    pub torn: u64,
    /// Distinct sectors that its loads fetched into L2, and those that came again because L2 had
    /// lost them to other accesses.
    pub fetched: (u64, u64),
    /// Of the distinct sectors that its loads fetched, how many it changes in place while it touches
    /// only one half of their line.
    pub pieces: u64,
    /// Of the sectors of local memory that loads request, those that L2 had lost, and as many
    /// that stores wrote there anew.
    pub local_again: (u64, u64),
    /// How much longer it takes, as a part, since its warps do the same at the same time behind
    /// barriers.
    pub crowded: f32,
    /// How much more than a quarter of the instructions the busiest of four schedulers issues, as a
    /// part of a quarter.
    pub lopsided: f32,
    /// Of its waits for loads, the part for what another block loaded a while before.
    pub before: f32,
}

impl CriticalPath {
    /// The chain with these waits.
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

/// How what a block finds in L1 changes beside the other blocks of its multiprocessor.
#[derive(Debug, Clone, Copy)]
struct Company {
    /// Of what it missed alone, what it still misses.
    missed: f64,
    /// Of what it found alone, what it still finds.
    found: f64,
}

impl Company {
    /// By the sectors that blocks asked for, those found alone and those found together.
    fn of(asked: u64, alone: u64, together: u64) -> Self {
        let (mut missed, mut found) = (1.0, 1.0);
        if together > alone && asked > alone {
            missed = asked.saturating_sub(together) as f64 / (asked - alone) as f64;
        } else if together < alone {
            found = together as f64 / alone as f64;
        }
        Self { missed, found }
    }

    /// Of `asked` sectors, those found where `alone` would be found alone.
    fn apply(self, (asked, alone): (u64, u64)) -> (u64, u64) {
        let found = if self.missed < 1.0 {
            asked - ((asked - alone.min(asked)) as f64 * self.missed) as u64
        } else {
            (alone as f64 * self.found) as u64
        };
        (asked, found)
    }
}

impl Timeline {
    /// How many blocks it stands for.
    pub fn blocks(&self) -> f64 {
        1.0 + self.others
    }

    /// Sectors that its loads requested and L1 did not have.
    pub fn missed(&self) -> u64 {
        self.sectors.0 - self.sectors.1
    }

    /// Corrects what it found in L1 alone to what blocks find together, where these blocks
    /// found so much alone and together.
    pub(crate) fn beside_others(&mut self, alone: Answers, together: Answers) {
        let company = Company::of(alone.asked, alone.found, together.found);
        let before = self.sectors;
        self.sectors = company.apply(before);
        let missed = |(asked, found): (u64, u64)| (asked - found.min(asked)) as f64;
        let lines = match missed(before) {
            0.0 => {
                missed(self.sectors) * together.lines as f64
                    / (together.asked - together.found).max(1) as f64
            }
            some => self.lines as f64 * missed(self.sectors) / some,
        };
        self.lines = lines as u64;
        self.local = Company::of(alone.local.0, alone.local.1, together.local.1).apply(self.local);
        let part =
            |whole: u64, part: u64, of: u64| (whole as f64 * part as f64 / of.max(1) as f64) as u64;
        // Each place had to be written before: the first time, L2 has none of it.
        self.local_again = (
            part(self.local.0, together.local_again.0, together.local.0),
            part(self.local.0, together.local_again.1, together.local.0),
        );
        self.before = together.before;
        self.torn = part(self.stored.0, together.torn, together.stored);
        self.fetched = (
            part(before.0, together.fetched, together.asked),
            part(before.0, together.again, together.asked),
        );
        self.pieces = part(self.fetched.0, together.pieces.1, together.pieces.0);
        // Whoever finds a sector that is still on its way waits for it all the same.
        let ready = together.found - together.on_their_way.min(together.found);
        let company =
            Company::of(alone.asked, alone.found, ready.max(alone.found.min(together.found)));
        let shift = |chain: &mut CriticalPath| {
            let here = Wait::L1Hit as usize;
            if company.missed < 1.0 {
                for wait in [Wait::L2Hit, Wait::Dram] {
                    let moved = chain.waits[wait as usize] * (1.0 - company.missed) as f32;
                    chain.waits[wait as usize] -= moved;
                    chain.waits[here] += moved;
                }
            } else {
                let moved = chain.waits[here] * (1.0 - company.found) as f32;
                chain.waits[here] -= moved;
                chain.waits[Wait::L2Hit as usize] += moved;
            }
        };
        shift(&mut self.critical_path);
        shift(&mut self.average);
    }

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
            others: 0.0,
            critical_path: CriticalPath::sum(&chains(|it| &it.critical_path)),
            average: CriticalPath::sum(&chains(|it| &it.average)),
            code: timelines.iter().map(|(timeline, _)| timeline.code).max().unwrap_or_default(),
            sectors: (asked, sum(&|it| it.sectors.1).min(asked)),
            distinct: sum(&|it| it.distinct),
            lines: sum(&|it| it.lines),
            stored: (sum(&|it| it.stored.0), sum(&|it| it.stored.1)),
            partial: sum(&|it| it.partial),
            joined: sum(&|it| it.joined),
            instructions: sum(&|it| it.instructions),
            local: (sum(&|it| it.local.0), sum(&|it| it.local.1)),
            passes: (sum(&|it| it.passes.0), sum(&|it| it.passes.1)),
            constant_reads: (sum(&|it| it.constant_reads.0), sum(&|it| it.constant_reads.1)),
            wide_divisions: sum(&|it| it.wide_divisions),
            slow_ways: sum(&|it| it.slow_ways),
            exchanges: sum(&|it| it.exchanges),
            swaps_again: sum(&|it| it.swaps_again),
            widened: (sum(&|it| it.widened.0), sum(&|it| it.widened.1)),
            scattered: (sum(&|it| it.scattered.0), sum(&|it| it.scattered.1)),
            updated: (sum(&|it| it.updated.0), sum(&|it| it.updated.1)),
            torn: sum(&|it| it.torn),
            local_again: (sum(&|it| it.local_again.0), sum(&|it| it.local_again.1)),
            fetched: (sum(&|it| it.fetched.0), sum(&|it| it.fetched.1)),
            pieces: sum(&|it| it.pieces),
            crowded: mean(timelines, |it| it.crowded),
            lopsided: mean(timelines, |it| it.lopsided),
            before: mean(timelines, |it| it.before),
            span: timelines.iter().map(|(timeline, _)| timeline.span).max().unwrap_or_default(),
        }
    }
}

/// What a weighted sum of blocks has of something that is a part of their time: each counts by how
/// long it takes.
fn mean(timelines: &[(&Timeline, f64)], of: fn(&Timeline) -> f32) -> f32 {
    let (mut all, mut part) = (0.0, 0.0);
    for (timeline, weight) in timelines {
        let cycles = weight * f64::from(timeline.critical_path.cycles);
        all += cycles;
        part += cycles * f64::from(of(timeline));
    }
    if all > 0.0 { (part / all).max(0.0) as f32 } else { 0.0 }
}
