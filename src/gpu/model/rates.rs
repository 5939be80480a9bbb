//! What the model takes for what: numbers of the profile, each times a factor.
//!
//! A [`Factors`] entry says how much longer something takes in a kernel than in the
//! microbenchmark that measured it, or is a number that no microbenchmark gives.
//! The fit decided them (`benches/timing`, on one half of the recorded cases of an
//! H200), and they carry over to every GPU. What a GPU takes by itself is its
//! profile's; a profile that lacks a number has it from the H200's by the rule of
//! its [`Key`].

use crate::emulator::{CLASSES, WAITS};
use crate::gpu::{GpuSpec, Key};

macro_rules! factors {
    ($($name:ident $fitted:literal $prior:literal $spread:literal $about:literal;)*) => {
        /// What a fit decides.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Factors {
            $(#[doc = $about] pub $name: f64,)*
        }

        impl Factors {
            /// As fitted.
            pub const FITTED: Self = Self { $($name: $fitted,)* };

            /// What a fit starts from.
            pub const PRIOR: Self = Self { $($name: $prior,)* };

            /// Names, and how far each may easily move: the standard deviation of its
            /// logarithm.
            pub const NAMES: &'static [(&'static str, f64)] =
                &[$((stringify!($name), $spread)),*];

            /// The values in the order of the names.
            pub fn values(&self) -> Vec<f64> {
                vec![$(self.$name),*]
            }

            /// The same with other values; those that `values` lacks stay.
            #[must_use]
            pub fn with(mut self, values: &[f64]) -> Self {
                let mut values = values.iter();
                $(if let Some(&value) = values.next() { self.$name = value; })*
                self
            }
        }
    };
}

factors! {
    launch 1.1165 1.1 0.1 "Of the launch time of an empty kernel, what a launch takes beside its blocks.";
    next_launch 0.8997 0.95 0.1 "The same of each further launch of a pipeline.";
    code 0.1823 0.5 0.7 "Cycles for each PTX instruction that a launch runs for the first time.";
    arithmetic 1.0578 0.95 0.03 "Of the latency of a float multiply-add, a dependent instruction.";
    slow 1.2331 1.22 0.03 "Of the latency of a special function, a slow instruction.";
    exchange 0.9487 0.94 0.03 "Of the latency of a shuffle, an exchange among lanes.";
    shared 0.9489 0.9 0.1 "Of the latency of shared memory, a load from there.";
    shared_atomic 1.4620 1.2 0.1 "Of the latency of an atomic there, one whose result is used.";
    near 0.8978 1.0 0.1 "Of the latency of L1, a load that it answers.";
    middle 0.6226 0.8 0.1 "Of the latency of L2, a load of what came with its neighbour.";
    far 1.0855 0.92 0.1 "Of the latency of DRAM, a load from there.";
    warm 1.2534 1.2 0.1 "Of the latency of L2, a load of what an earlier launch left there.";
    atomic 1.1426 1.7 0.2 "Of the latency of an atomic on global memory, one whose result is used.";
    barrier 0.7508 1.0 0.3 "Of what a measured barrier takes longer with more warps, one in a kernel.";
    branch 0.7350 0.76 0.03 "Of a round of the shortest loop, a branch.";
    issue 1.3611 1.36 0.03 "Cycles for each instruction in a chain.";
    block_start 0.9976 1.0 0.1 "Of the time between the starts of two empty blocks.";
    turnover 1.3765 0.5 0.5 "Of the time from a block's end to its successor's start.";
    integer 0.6989 0.7 0.2 "Machine instructions for each that the emulator's rules expect: integers.";
    product 0.9458 0.9 0.15 "The same, products.";
    float 1.1206 1.0 0.1 "The same, floats.";
    double 0.9777 1.0 0.1 "The same, 64-bit floats.";
    special 1.0627 1.0 0.15 "The same, special functions.";
    memory 1.0584 1.0 0.1 "The same, memory and exchanges.";
    control 1.1675 1.3 0.2 "The same, branches and barriers.";
    logic 0.7274 0.8 0.2 "The same, logic, comparisons and selections.";
    issued 1.0883 1.0 0.1 "Of the machine instructions that the machine code says, those issued.";
    lsu 0.8320 1.0 0.2 "Cycles of the load and store unit for each instruction, of those of a shuffle.";
    wavefront 1.0031 1.0 0.03 "Of a load of one wavefront from shared memory, each wavefront.";
    atomic_wavefront 1.2195 1.5 0.2 "Of an atomic addition there, each wavefront of an atomic.";
    l1 1.1097 1.0 0.1 "Of a wavefront of shared memory, a pass through L1.";
    constant 1.0690 1.0 0.1 "Of a measured address of constant memory, each further one of a load.";
    l2 1.5604 1.1 0.1 "Of a multiprocessor's share of the rate of L2, what it gets when alone.";
    l2_all 0.9208 1.1 0.1 "Of the rate of L2, what all get together.";
    local 2.3928 1.8 0.15 "Of a sector loaded, what one stored to local memory costs L2.";
    partial 3.9148 2.8 0.1 "Of what a sector stored as a whole costs L2, one stored in part.";
    dram 1.1162 0.97 0.05 "Of the measured rates of DRAM, what kernels reach.";
    mixed 1.2077 1.06 0.03 "The same where it reads and writes at the same time.";
    random 1.0721 0.84 0.1 "Of sectors read from DRAM 512 bytes apart, those read in no order.";
    dirty 0.4978 0.8 0.2 "Of L2, what holds written data when a pipeline starts.";
    pushes 1.0201 0.45 0.2 "Of what comes into L2 at first, the part that pushes written data out.";
    slice 1.0068 1.0 0.1 "Of the rate of atomics on one address, what a slice of L2 does.";
    slices 0.8680 1.0 0.1 "Of the rate of atomics on random words, what all slices do.";
    pass 1.3865 1.0 0.2 "Cycles of a multiprocessor for each pass of an atomic that it sends to L2.";
    look_back 76.2876 72.0 0.2 "Cycles for each 32 blocks there that a later round of blocks looks back over.";
    look_again 2655.2887 2700.0 0.2 "Cycles of each later round of blocks that looks back.";
    look_far 2022.4026 2000.0 0.3 "Cycles for each doubling of the 32 blocks that look back at the same time.";
    fill 8.1146 3.0 0.3 "Loads from DRAM in a row until all of the GPU is at work, at most.";
    overlap 0.2769 0.2 0.7 "How fast waiting and working come to overlap, with the length of the wait.";
    queue 1.7062 1.75 0.1 "Exponent of the norm that joins a busy DRAM and the chains that wait for it.";
    single 0.3918 0.7 0.5 "Of a sector loaded, what one that comes alone from its line costs L2 more.";
    shared_first 0.1714 0.1 0.3 "Of what several blocks read, what those of the first round find in L2.";
    random_l2 1.2717 1.5 0.15 "Of sectors in the order of their lanes, what those in no order cost L2.";
}

/// The rate at which DRAM writes parts of sectors in no order, as a share of the rate at which it reads sectors
/// 512 bytes apart (43.6 G/s on an H200). 4.3 million words stored all over 1 GB take 284 µs. L2 alone
/// takes 73 of them, as the same stores within 16 MB show; the rest is DRAM's time, joined to it as in
/// [`super::dram::waited_seconds`], which makes 19.0 G/s.
const RANDOM_WRITE: f64 = 0.435;

/// Cycles of the constant cache for each further address that the lanes of a load read (`crc32`
/// of `benches/data/h200/suite.jsonl`: 28.7 for 14 of them).
const CONSTANT: f64 = 2.05;

/// Of L2, what holds lines that blocks are still at: with 60 MB of them in use, half of the sectors
/// that are written go to DRAM before their line is whole, with 43 MB a seventh (`shell_rows` and
/// `adpcm` of `benches/data/h200/suite_blind_3_counters.csv`, on an H200 of 50 MiB).
pub(super) const USED_SHARE: f64 = 0.8;

/// Cycles of a multiprocessor for each sector that it stores in part: rows of one thread each, of
/// 1 to 16 bytes a store, on 33 multiprocessors of an H200.
pub(super) const STORED_PART: f64 = 2.45;

/// Cycles of a multiprocessor for each warp that comes to a barrier in a loop, at least, and for each block
/// whose warps do so (`benches/data/h200/barriers.csv`).
const BARRIER: f64 = 1.83;
const BARRIER_OF_BLOCK: f64 = 1.2;

/// Of the latency of an atomic on shared memory, a round of a loop that swaps a word there: 96 cycles
/// (`benches/data/h200/shared_sums.csv`).
const SWAP: f64 = 3.69;

/// Of the latency of L2, a fence behind stores: 640 to 730 cycles (measured on an H200).
const FENCE: f64 = 2.35;

/// Of the latency of L2, how long a word that a block stored takes until one sees it that waits for it:
/// 228 ns (`benches/data/h200/hand_offs.csv`).
const HANDED: f64 = 1.5;

/// Slices of L2 per multiprocessor (an H200 has 96 for 132; no benchmark tells how
/// many there are, only how many work at a time).
pub(super) const SLICES_PER_SM: f64 = 96.0 / 132.0;

/// Warp instructions per cycle and multiprocessor: one per sub-partition.
pub(super) const ISSUE_PER_CYCLE: f64 = 4.0;

/// What blocks of one size take on one GPU. Cycles are those of the
/// multiprocessor's clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    /// Seconds that the first launch of a pipeline takes beside its blocks.
    pub(super) launch: f64,
    /// The same of each further one.
    pub(super) next_launch: f64,
    /// Cycles for each PTX instruction that runs for the first time.
    pub(super) code: f64,
    /// Cycles of each kind of wait, in the order of [`crate::emulator::Wait`].
    pub(super) waits: [f64; WAITS],
    /// Cycles of a load from L2 of what an earlier launch left there.
    pub(super) warm: f64,
    /// Cycles between the starts of two blocks, anywhere on the GPU.
    pub(super) block_start: f64,
    /// Cycles from a block's end to its successor's first instruction.
    pub(super) turnover: f64,
    /// Machine instructions for each that the emulator expects, by class.
    pub(super) expansion: [f64; CLASSES],
    /// Cycles of a multiprocessor's units for each machine instruction, by class.
    pub(super) unit: [f64; CLASSES],
    /// Cycles of a multiprocessor for each warp that comes to a barrier.
    pub(super) barrier: f64,
    /// Of the machine instructions that the machine code says, those issued.
    pub(super) issued: f64,
    /// Cycles of shared memory per wavefront.
    pub(super) wavefront: f64,
    /// The same of an atomic.
    pub(super) atomic_wavefront: f64,
    /// Cycles of L1 per pass.
    pub(super) l1_pass: f64,
    /// Cycles of the constant cache for each further address of a load.
    pub(super) constant: f64,
    /// Bytes per cycle between a multiprocessor and L2.
    pub(super) l2: f64,
    /// Bytes per second that the whole L2 moves.
    pub(super) l2_all: f64,
    /// Of a sector loaded, what one stored to local memory costs L2.
    pub(super) local: f64,
    /// Of a whole sector, what one that is stored in part costs L2.
    pub(super) partial: f64,
    /// Bytes per second out of DRAM, into it, and both at a time.
    pub(super) dram: [f64; 3],
    /// Sectors per second out of DRAM and into it, at places in no order.
    pub(super) random: [f64; 2],
    /// Bytes of L2 that hold written data when a pipeline starts.
    pub(super) dirty: f64,
    /// Of the bytes that come into L2 at first, those that take the place of such.
    pub(super) pushes: f64,
    /// Passes of atomics per second at one slice of L2.
    pub(super) slice: f64,
    /// The same at all of them.
    pub(super) slices: f64,
    /// Cycles of a multiprocessor for each pass of an atomic that it sends to L2.
    pub(super) pass: f64,
    /// Cycles for each 32 blocks there that a later round of blocks looks back over.
    pub(super) look_back: f64,
    /// Cycles of each later round of blocks that looks back.
    pub(super) look_again: f64,
    /// Cycles for each doubling of the 32 blocks that look back at the same time.
    pub(super) look_far: f64,
    /// Cycles from storing a word until who waits for it sees it.
    pub(super) handed: f64,
    /// Cycles until all of the GPU is at work, at most.
    pub(super) fill: f64,
    /// How fast waiting and working come to overlap.
    pub(super) overlap: f64,
    /// Exponent of the norm that joins a busy DRAM and the chains that wait for it.
    pub(super) queue: f64,
    /// Of a sector loaded, what one that comes alone from its line costs L2 more.
    pub(super) single: f64,
    /// Of what several blocks read, what those of the first round find in L2.
    pub(super) shared_first: f64,
    /// Of sectors in order, what those in no order cost L2.
    pub(super) random_l2: f64,
}

impl Rates {
    /// What blocks of so many threads take on a GPU whose multiprocessors have room for
    /// `full` warps of them.
    pub(super) fn new(factors: &Factors, spec: &GpuSpec, threads: u32, full: f64) -> Self {
        let warps = f64::from(threads.div_ceil(32).max(1));
        let threads = f64::from(threads);
        let barrier = |key| spec.at(key, threads);
        let (alone, busy) = (barrier(Key::Barrier), barrier(Key::BarrierBusy));
        // In a kernel, a barrier takes a block of one warp no time: the next instructions hide it.
        let alone = (alone - spec.at(Key::Barrier, 32.0)).max(0.0);
        let get = |key| spec.get(key);
        let clock = spec.boost_hz;
        let arithmetic = factors.arithmetic * get(Key::LatencyF32);
        Self {
            launch: factors.launch * get(Key::LaunchTime),
            next_launch: factors.next_launch * get(Key::NextLaunchTime),
            code: factors.code,
            waits: [
                arithmetic,
                factors.slow * get(Key::LatencySpecial),
                factors.exchange * get(Key::LatencyShuffle),
                factors.shared * get(Key::SharedLatency),
                factors.shared_atomic * get(Key::SharedAtomicLatency),
                SWAP * get(Key::SharedAtomicLatency),
                factors.near * get(Key::L1Latency),
                factors.middle * get(Key::L2Latency),
                factors.far * get(Key::DramLatency),
                factors.atomic * get(Key::AtomicLatency),
                factors.barrier * alone,
                factors.branch * get(Key::LoopRound),
                factors.issue,
                FENCE * get(Key::L2Latency),
                factors.l1,
                1.0,
            ],
            warm: factors.warm * get(Key::L2Latency),
            block_start: factors.block_start * spec.at(Key::BlockStart, threads),
            turnover: factors.turnover * get(Key::BlockTurnover),
            expansion: [
                factors.integer,
                factors.product,
                factors.float,
                factors.double,
                factors.special,
                factors.memory,
                factors.control,
                factors.logic,
                1.0,
            ],
            unit: [
                1.0 / get(Key::IssueIntegerAdd),
                1.0 / get(Key::IssueIntegerMultiply),
                1.0 / get(Key::IssueF32),
                1.0 / get(Key::IssueF64),
                1.0 / get(Key::IssueSpecial),
                factors.lsu / get(Key::IssueShuffle),
                // Branches have no measured rate: one a cycle.
                1.0 / ISSUE_PER_CYCLE,
                1.0 / get(Key::IssueLogic),
                // A tensor core for each scheduler.
                1.0 / ISSUE_PER_CYCLE,
            ],
            // All warps of a full multiprocessor come by in the time of a busy barrier.
            barrier: (busy / full.max(1.0)).max(BARRIER) + BARRIER_OF_BLOCK / warps,
            issued: factors.issued,
            wavefront: factors.wavefront * spec.at(Key::SharedLoadWavefront, 1.0),
            atomic_wavefront: factors.atomic_wavefront * spec.at(Key::SharedAtomicAdd, 1.0),
            l1_pass: factors.l1 * spec.at(Key::SharedLoadWavefront, 1.0),
            constant: factors.constant * CONSTANT,
            l2: factors.l2 * get(Key::L2Rate) / (clock * f64::from(spec.sms)),
            l2_all: factors.l2_all * get(Key::L2Rate),
            local: factors.local,
            partial: factors.partial,
            dram: [
                factors.dram * get(Key::DramRead4),
                factors.dram * get(Key::DramWrite),
                factors.mixed * get(Key::DramCopy),
            ],
            random: {
                let apart = spec.at(Key::DramReadByStride, 512.0) / 32.0;
                [factors.random * apart, RANDOM_WRITE * apart]
            },
            dirty: factors.dirty * spec.l2_bytes as f64,
            pushes: factors.pushes,
            slice: factors.slice * get(Key::AtomicSlice),
            slices: factors.slices * get(Key::AtomicAddU32),
            pass: factors.pass,
            look_back: factors.look_back,
            look_again: factors.look_again,
            look_far: factors.look_far,
            handed: HANDED * get(Key::L2Latency),
            fill: factors.fill * factors.far * get(Key::DramLatency),
            overlap: factors.overlap,
            queue: factors.queue,
            single: factors.single,
            shared_first: factors.shared_first,
            random_l2: factors.random_l2,
        }
    }
}
