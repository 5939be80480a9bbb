//! The numbers of a profile: their meaning, their unit, and how each scales to a GPU
//! on which it was not measured.

/// How a number carries over from the reference GPU to one without its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carry {
    /// Every profile has to say it.
    Required,
    /// As it is: times of the driver, cycles, rates per cycle and multiprocessor.
    Same,
    /// By the clock.
    Clock,
    /// By multiprocessors and clock: rates of the whole chip.
    Chip,
    /// By multiprocessors: counts of the whole chip.
    Count,
    /// By the peak of DRAM; of a curve, both axes (Little's law: as much more
    /// has to be under way).
    Dram,
    /// A curve by the size of L2 along its axis, by multiprocessors and clock in
    /// its values.
    Cache,
}

/// What a [`Key`] stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity {
    /// Its name in a profile file.
    pub name: &'static str,
    /// Its unit; of a curve, that of the values.
    pub unit: &'static str,
    /// The unit of a curve's axis; `None` where there is one value.
    pub by: Option<&'static str>,
    /// How it carries over.
    pub carry: Carry,
    /// What it is, in a line.
    pub about: &'static str,
}

macro_rules! quantities {
    ($($key:ident $name:literal $unit:literal $([$by:literal])? $carry:ident $about:literal;)*) => {
        /// A number of a profile.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Key {
            $(#[doc = $about] $key,)*
        }

        impl Key {
            /// Every one, in the order in which files list them.
            pub const ALL: &[Self] = &[$(Self::$key),*];

            /// What it stands for.
            pub fn quantity(self) -> &'static Quantity {
                match self {
                    $(Self::$key => &Quantity {
                        name: $name,
                        unit: $unit,
                        by: quantities!(@by $($by)?),
                        carry: Carry::$carry,
                        about: $about,
                    },)*
                }
            }
        }
    };
    (@by) => { None };
    (@by $by:literal) => { Some($by) };
}

quantities! {
    Multiprocessors "multiprocessors" "count" Required "Streaming multiprocessors.";
    Fp32Lanes "fp32_lanes" "count" Required "32-bit float lanes per multiprocessor.";
    BoostClock "boost_clock" "Hz" Required "Boost clock of the multiprocessors.";
    Clock "clock" "Hz" Clock "Clock of the multiprocessors under a load of one block.";
    DramPeak "dram_peak" "B/s" Required "DRAM bandwidth from clock and bus width.";
    DramSize "dram_size" "B" Required "DRAM size.";
    L2Size "l2_size" "B" Required "L2 cache size.";
    BusRate "bus_rate" "B/s" Required "Throughput of copies between host and GPU.";
    BusLatency "bus_latency" "s" Required "Fixed time of such a copy.";

    LaunchTime "launch_time" "s" Same "Time of an empty kernel with one block, between two events.";
    NextLaunchTime "next_launch_time" "s" Same "Time of each further empty kernel in a queue, with an event after each.";
    GridEdges "grid_edges" "s" Same "Time between the events of a kernel with one block, outside of its instructions.";
    StoreDrain "store_drain" "s" Same "Extra time for a store at the end of a kernel with one block.";
    BlockStart "block_start" "cycles" ["threads per block"] Same "Interval between block starts in a grid of empty blocks, over the whole GPU.";
    BlockTurnover "block_turnover" "cycles" Same "Time from the last instruction of a block to the first of its successor.";

    IssueIntegerAdd "issue_integer_add" "/cycle/SM" Same "Throughput: 32-bit integer addition.";
    IssueIntegerMultiply "issue_integer_multiply" "/cycle/SM" Same "Throughput: 32-bit integer multiply-add.";
    IssueMultiplyHigh "issue_multiply_high" "/cycle/SM" Same "Throughput: high half of a 32-bit product.";
    IssueLogic "issue_logic" "/cycle/SM" Same "Throughput: 32-bit logic with three inputs.";
    IssueShift "issue_shift" "/cycle/SM" Same "Throughput: 32-bit shift.";
    IssueMinimum "issue_minimum" "/cycle/SM" Same "Throughput: 32-bit minimum or maximum.";
    IssueSelect "issue_select" "/cycle/SM" Same "Throughput: comparison and selection.";
    IssuePopulation "issue_population" "/cycle/SM" Same "Throughput: population count.";
    IssueToFloat "issue_to_float" "/cycle/SM" Same "Throughput: conversion of a 32-bit integer to float.";
    IssueToInteger "issue_to_integer" "/cycle/SM" Same "Throughput: conversion of a 32-bit float to integer.";
    IssueF32 "issue_f32" "/cycle/SM" Same "Throughput: 32-bit float multiply-add.";
    IssueF64 "issue_f64" "/cycle/SM" Same "Throughput: 64-bit float multiply-add.";
    IssueF16x2 "issue_f16x2" "/cycle/SM" Same "Throughput: multiply-add of a pair of 16-bit floats.";
    IssueSpecial "issue_special" "/cycle/SM" Same "Throughput: special function (power of two).";
    IssueDivideInteger "issue_divide_integer" "/cycle/SM" Same "Throughput: 32-bit integer division by a variable.";
    IssueDivideFloat "issue_divide_float" "/cycle/SM" Same "Throughput: rounded 32-bit float division.";
    IssueShuffle "issue_shuffle" "/cycle/SM" Same "Throughput: shuffle.";
    IssueVote "issue_vote" "/cycle/SM" Same "Throughput: ballot.";

    LatencyIntegerAdd "latency_integer_add" "cycles" Same "Latency: 32-bit integer addition.";
    LatencyIntegerMultiply "latency_integer_multiply" "cycles" Same "Latency: 32-bit integer multiply-add.";
    LatencyMultiplyHigh "latency_multiply_high" "cycles" Same "Latency: high half of a 32-bit product.";
    LatencyLogic "latency_logic" "cycles" Same "Latency: 32-bit logic with three inputs.";
    LatencyShift "latency_shift" "cycles" Same "Latency: 32-bit shift.";
    LatencyMinimum "latency_minimum" "cycles" Same "Latency: 32-bit minimum or maximum.";
    LatencySelect "latency_select" "cycles" Same "Latency: comparison and selection.";
    LatencyPopulation "latency_population" "cycles" Same "Latency: population count.";
    LatencyToFloat "latency_to_float" "cycles" Same "Latency: conversion of a 32-bit integer to float.";
    LatencyToInteger "latency_to_integer" "cycles" Same "Latency: conversion of a 32-bit float to integer.";
    LatencyF32 "latency_f32" "cycles" Same "Latency: 32-bit float multiply-add.";
    LatencyF64 "latency_f64" "cycles" Same "Latency: 64-bit float multiply-add.";
    LatencyF16x2 "latency_f16x2" "cycles" Same "Latency: multiply-add of a pair of 16-bit floats.";
    LatencySpecial "latency_special" "cycles" Same "Latency: special function (power of two).";
    LatencyDivideInteger "latency_divide_integer" "cycles" Same "Latency: 32-bit integer division by a variable.";
    LatencyDivideFloat "latency_divide_float" "cycles" Same "Latency: rounded 32-bit float division.";
    LatencyShuffle "latency_shuffle" "cycles" Same "Latency: shuffle.";
    LatencyVote "latency_vote" "cycles" Same "Latency: ballot.";

    LoopRound "loop_round" "cycles" Same "One iteration of the shortest loop in one warp: addition, comparison, branch.";

    Barrier "barrier" "cycles" ["threads per block"] Same "Barrier of a block that runs alone on its multiprocessor.";
    BarrierBusy "barrier_busy" "cycles" ["threads per block"] Same "Barrier per block, with the multiprocessor full of such blocks.";

    SharedLatency "shared_latency" "cycles" Same "Latency of a shared-memory load.";
    SharedLoadWavefront "shared_load_wavefront" "cycles" ["wavefronts per access"] Same "Shared 4-byte load of a warp, under full load.";
    SharedStoreWavefront "shared_store_wavefront" "cycles" ["wavefronts per access"] Same "Shared 4-byte store of a warp, under full load.";
    SharedAtomicAdd "shared_atomic_add" "cycles" ["lanes per address"] Same "Shared atomic addition of a warp to consecutive words, result unused, under full load.";
    SharedAtomicIncrement "shared_atomic_increment" "cycles" ["lanes per address"] Same "Shared atomic increment, under full load.";
    SharedAtomicFloat "shared_atomic_float" "cycles" ["lanes per address"] Same "Shared atomic addition of 32-bit floats, under full load.";
    SharedAtomicLatency "shared_atomic_latency" "cycles" Same "Latency of a shared atomic addition in one lane.";

    L1Latency "l1_latency" "cycles" Same "Latency of a load that hits L1.";
    L1Rate "l1_rate" "B/cycle/SM" Same "Throughput of 4-byte loads that hit L1.";
    L2Latency "l2_latency" "cycles" Same "Latency of a load that hits L2.";
    L2Rate "l2_rate" "B/s" Chip "Throughput of loads that hit L2, over all multiprocessors.";
    L2ReadByFootprint "l2_read_by_footprint" "B/s" ["B"] Cache "Throughput of repeated reads of a footprint, bypassing L1.";
    L2ReadByFlight "l2_read_by_flight" "B/s" ["B in flight"] Chip "Throughput of reads from L2 with this many bytes in flight on the GPU.";
    DramLatency "dram_latency" "cycles" Same "Latency of a load from DRAM.";
    DramRead "dram_read" "B/s" Dram "DRAM read throughput, 16 bytes per lane.";
    DramRead4 "dram_read_4" "B/s" Dram "DRAM read throughput, 4 bytes per lane.";
    DramWrite "dram_write" "B/s" Dram "DRAM write throughput, 16 bytes per lane.";
    DramCopy "dram_copy" "B/s" Dram "DRAM copy throughput, reads plus writes, 16 bytes per lane.";
    DramReadByFlight "dram_read_by_flight" "B/s" ["B in flight"] Dram "DRAM read throughput with this many bytes in flight on the GPU.";
    DramReadByStride "dram_read_by_stride" "B/s" ["B between words"] Dram "DRAM read throughput of strided words, in bytes of the 32-byte sectors touched.";

    AtomicSlice "atomic_slice" "/s" Clock "Atomics of lanes on one address.";
    AtomicByBytes "atomic_by_bytes" "/s" ["B in use"] Chip "Atomic additions of lanes to random words of a footprint.";
    AtomicByLanes "atomic_by_lanes" "/s" ["lanes per address"] Chip "Atomic additions of lanes where this many neighbours share a word and warps differ.";
    AtomicAddU32 "atomic_add_u32" "/s" Chip "Atomic 32-bit additions to random words within 64 MiB or L2, result unused.";
    AtomicAddU32Used "atomic_add_u32_used" "/s" Chip "Same access pattern, result used.";
    AtomicAddU64 "atomic_add_u64" "/s" Chip "Same access pattern, 64-bit additions.";
    AtomicAddF32 "atomic_add_f32" "/s" Chip "Same access pattern, 32-bit float additions.";
    AtomicAddF64 "atomic_add_f64" "/s" Chip "Same access pattern, 64-bit float additions.";
    AtomicMaxU32 "atomic_max_u32" "/s" Chip "Same access pattern, maxima.";
    AtomicExchange "atomic_exchange" "/s" Chip "Same access pattern, exchanges.";
    AtomicCompare "atomic_compare" "/s" Chip "Same access pattern, compare-and-swap.";
    AtomicLatency "atomic_latency" "cycles" Same "Latency of a global atomic addition in one lane.";
    L2Interleave "l2_interleave" "B" Same "Consecutive bytes in one L2 slice.";
    L2Slices "l2_slices" "count" Count "L2 slices that serve atomics in parallel: rate of all atomics over that of one address.";
}

impl Key {
    /// The key of this name in files.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.quantity().name == name)
    }

    /// Its place in [`Self::ALL`].
    pub(super) fn index(self) -> usize {
        self as usize
    }
}
