//! How a kernel is launched, and what the launch did.

use crate::cost::{Mix, Swaps};
use crate::critical_path::{Answers, HandOffs, Timeline};
use crate::launch::blocks::Blocks;
use crate::launch::follow::Follow;
use crate::machine::{AccessKind, Counters, Dim3, InstructionCount, Progress, Touched, Trap};

/// How a kernel is launched.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// Blocks.
    pub grid: Dim3,
    /// Threads per block.
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// One value per parameter, as its bits.
    pub args: &'a [u64],
    /// Addresses of allocations that are not initialised, for [`check`](crate::check).
    pub unwritten: &'a [u64],
}

/// How a launch is run.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Host threads; 0 means all.
    pub threads: usize,
    /// Most warp instructions per block. A block that issues more is a runaway loop.
    pub budget: u64,
    /// Most warp instructions of all blocks together.
    pub launch_budget: u64,
    /// Which blocks run.
    pub blocks: Blocks,
    /// Blocks of a cluster along each axis, where the kernel does not fix them. Blocks of a
    /// cluster run together.
    pub cluster: Option<Dim3>,
    /// What the blocks run on, if the timelines of four of them are recorded.
    pub timelines: Option<Follow>,
    /// Where the launch says how far it has come.
    pub progress: Option<&'a Progress>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        // Per block about a minute, a hundred times more than any kernel here needs;
        // per launch hours.
        Self {
            threads: 0,
            budget: 10_000_000_000,
            launch_budget: 1_000_000_000_000,
            blocks: Blocks::All,
            cluster: None,
            timelines: None,
            progress: None,
        }
    }
}

/// What a launch did.
#[derive(Debug, Clone, Default, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "each says something of its own")]
pub struct Outcome {
    /// Hardware events.
    pub counters: Counters,
    /// Passes of atomics at L2 per allocation and chunk of 256 bytes, for the first
    /// 16 MiB. Trailing zeros are left out.
    pub atomic_chunks: Vec<Vec<u64>>,
    /// Passes of atomics at the busiest slice of L2 in each stretch of the launch, all together,
    /// over those at the busiest slice of the whole launch; below 1 where nobody knows.
    pub bunching: f64,
    /// Counts per PTX instruction, in the order of the text.
    /// [`Kernel::instruction`](crate::Kernel::instruction) gives its text and line.
    pub instructions: Vec<InstructionCount>,
    /// Whether results or counters may depend on the order of threads.
    pub schedule_dependent: bool,
    /// Whether blocks use what atomics in global memory give back, as where they take their work from
    /// a counter; not where the last to be done has most to do, which then is what is left at the end.
    pub takes_turns: bool,
    /// What the kernel printed, block after block, up to 1 MiB.
    pub printed: Vec<u8>,
    /// Machine instructions by class, estimated.
    pub mix: Mix,
    /// Machine instructions by [`Kernel::with_machine_code`](crate::Kernel::with_machine_code): all, and
    /// those of the units for integers, for products of integers, for special functions, for
    /// floats and for doubles; and how often warps jumped.
    pub issued: [f64; 7],
    /// Passes of loads from shared memory that machine code saves: `ptxas` joins loads of
    /// neighbouring words.
    pub joined_passes: u64,
    /// Timelines of some blocks, by index, if [`Options::timelines`] asks for them.
    pub timelines: Vec<Timeline>,
    /// Whether blocks wait in loops for what other blocks write.
    pub awaits_others: bool,
    /// How they do, if [`Options::timelines`] asks for timelines.
    pub hand_offs: HandOffs,
    /// Whether a loop waits for what some other warp of the block writes to shared memory.
    pub awaits_warps: bool,
    /// Whether a function may call itself.
    pub recurses: bool,
    /// Warp instructions of each block of a sample, in the order of the blocks.
    pub block_work: Vec<u64>,
    /// Warp instructions of the block that issued most; 0 where nobody knows.
    pub heaviest: u64,
    /// Standard deviation of the warp instructions of blocks, as a part of their mean.
    pub uneven: f64,
    /// What a sample leaves open: half the width of the 95 % confidence interval of the
    /// work of the grid, as a part of it. Zero where all blocks ran.
    pub left_open: f64,
    /// Whether only the first blocks ran, and the others were taken to be like them.
    pub first_only: bool,
    /// Compare-and-swaps on global memory.
    pub swaps: Swaps,
    /// Passes of global sums of floats: all, and those in which a request adds to a word that it
    /// added to before.
    pub float_sums: (u64, u64),
    /// Sectors that accesses touched, per allocation. A sector that several requests
    /// touch counts each time.
    pub touched: Vec<Touched>,
    /// What blocks of one multiprocessor found in L1 alone and together, if they ran.
    pub company: Option<[Answers; 2]>,
}

/// What a launch did, with or without a trap.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ran {
    /// Counts. After a trap they are exact only if [`Self::counted`] is true.
    pub outcome: Outcome,
    /// The trap in the block with the lowest index, if there is one.
    pub trap: Option<Trap>,
    /// Whether the counters are exactly those of the blocks up to the trap. With
    /// several host threads, some blocks were already ahead.
    pub counted: bool,
}

impl From<Trap> for Ran {
    fn from(trap: Trap) -> Self {
        Self { trap: Some(trap), ..Self::default() }
    }
}

impl Outcome {
    /// What a block does on average, as the followed ones tell: each counts for the blocks that it
    /// stands for.
    pub fn of_block(&self, of: impl Fn(&Timeline) -> f64) -> f64 {
        let all: f64 = self.timelines.iter().map(Timeline::blocks).sum();
        let sum: f64 = self.timelines.iter().map(|it| it.blocks() * of(it)).sum();
        if all > 0.0 { sum / all } else { 0.0 }
    }

    /// Puts outcomes of one kernel together. `count` makes every count and `mix` every
    /// number of machine instructions; their argument reads the same one of an outcome.
    /// `count` is told whether it is one of atomics in global memory. Text and timelines
    /// are left out.
    pub(crate) fn combine(
        outcomes: &[&Self],
        count: impl Fn(bool, &dyn Fn(&Self) -> u64) -> u64,
        mix: impl Fn(&dyn Fn(&Self) -> f64) -> f64,
    ) -> Self {
        let longest = |of: &dyn Fn(&Self) -> usize| {
            outcomes.iter().map(|it| of(it)).max().unwrap_or_default()
        };
        let counters = |atomic| Counters::each(|get| count(atomic, &|it| get(&it.counters)));
        let mut whole = Self {
            counters: counters(false).with_atomics_of(&counters(true)),
            mix: std::array::from_fn(|class| mix(&|it| it.mix[class])),
            issued: std::array::from_fn(|kind| mix(&|it| it.issued[kind])),
            joined_passes: count(false, &|it| it.joined_passes),
            schedule_dependent: outcomes.iter().any(|it| it.schedule_dependent),
            takes_turns: outcomes.iter().any(|it| it.takes_turns),
            recurses: outcomes.iter().any(|it| it.recurses),
            awaits_others: outcomes.iter().any(|it| it.awaits_others),
            hand_offs: HandOffs {
                longest: count(false, &|it| it.hand_offs.longest),
                waits: count(false, &|it| it.hand_offs.waits),
                at_a_word: count(false, &|it| it.hand_offs.at_a_word),
                at_a_time: outcomes
                    .iter()
                    .map(|it| it.hand_offs.at_a_time)
                    .max()
                    .unwrap_or_default(),
                looks_back: outcomes.iter().any(|it| it.hand_offs.looks_back),
                path: outcomes.last().map(|it| it.hand_offs.path).unwrap_or_default(),
            },
            awaits_warps: outcomes.iter().any(|it| it.awaits_warps),
            first_only: outcomes.iter().any(|it| it.first_only),
            bunching: outcomes.iter().map(|it| it.bunching).fold(0.0, f64::max),
            float_sums: (count(true, &|it| it.float_sums.0), count(true, &|it| it.float_sums.1)),
            heaviest: outcomes.iter().map(|it| it.heaviest).max().unwrap_or_default(),
            uneven: outcomes.iter().map(|it| it.uneven).fold(0.0, f64::max),
            swaps: Swaps {
                all: count(true, &|it| it.swaps.all),
                updates: count(true, &|it| it.swaps.updates),
                tries: count(true, &|it| it.swaps.tries),
                locks: count(true, &|it| it.swaps.locks),
                words: outcomes.iter().map(|it| it.swaps.words).max().unwrap_or_default(),
            },
            ..Self::default()
        };
        for index in 0..longest(&|it| it.instructions.len()) {
            let of = |it: &Self| it.instructions.get(index).copied().unwrap_or_default();
            let mut kinds = outcomes.iter().map(|it| of(it).access);
            let access = kinds.find(|kind| *kind != AccessKind::None).unwrap_or_default();
            let atomic = access == AccessKind::Atomic;
            let counts = InstructionCount::each(|get| count(atomic, &|it| get(&of(it))));
            whole.instructions.push(InstructionCount { access, ..counts });
        }
        for index in 0..longest(&|it| it.touched.len()) {
            let of = |it: &Self| it.touched.get(index).copied().unwrap_or_default();
            whole.touched.push(Touched {
                bytes: outcomes.iter().map(|it| of(it).bytes).max().unwrap_or_default(),
                loads: count(false, &|it| of(it).loads),
                stores: count(false, &|it| of(it).stores),
                atomics: count(true, &|it| of(it).atomics),
            });
        }
        for index in 0..longest(&|it| it.atomic_chunks.len()) {
            let of = |it: &Self, at: usize| -> u64 {
                it.atomic_chunks.get(index).and_then(|it| it.get(at)).copied().unwrap_or_default()
            };
            let chunks = longest(&|it| it.atomic_chunks.get(index).map_or(0, Vec::len));
            let chunks = (0..chunks).map(|at| count(true, &|it| of(it, at)));
            whole.atomic_chunks.push(chunks.collect());
        }
        whole.counters.hottest_chunk_passes =
            whole.atomic_chunks.iter().flatten().copied().max().unwrap_or_default();
        whole
    }
}
