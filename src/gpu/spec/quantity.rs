//! The numbers that a profile holds: what each is, in which unit, and how it
//! carries over to a GPU on which nobody measured it.

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
    Fp32Lanes "fp32_lanes" "count" Required "Lanes for 32-bit floats per multiprocessor.";
    BoostClock "boost_clock" "Hz" Required "Boost clock of the multiprocessors.";
    Clock "clock" "Hz" Clock "Clock of the multiprocessors when one block works.";
    DramPeak "dram_peak" "B/s" Required "Bandwidth of DRAM by its clock and width.";
    DramSize "dram_size" "B" Required "DRAM.";
    L2Size "l2_size" "B" Required "L2 cache.";
    BusRate "bus_rate" "B/s" Required "Copies between GPU and host.";
    BusLatency "bus_latency" "s" Required "What such a copy takes beside its bytes.";

    LaunchTime "launch_time" "s" Same "An empty kernel of one block between its two events.";
    NextLaunchTime "next_launch_time" "s" Same "Each further of many empty kernels in a row, with an event after each.";
    GridEdges "grid_edges" "s" Same "What lies between the events of a kernel before the first instruction of its only block and after its last.";
    StoreDrain "store_drain" "s" Same "What a store at the end of a kernel of one block adds to it.";
    BlockStart "block_start" "cycles" ["threads per block"] Same "Between the starts of two blocks of a grid of empty ones, anywhere on the GPU.";
    BlockTurnover "block_turnover" "cycles" Same "From the last instruction of a block to the first of the one that takes its place.";

    IssueIntegerAdd "issue_integer_add" "/cycle/SM" Same "Warps' 32-bit integer additions.";
    IssueIntegerMultiply "issue_integer_multiply" "/cycle/SM" Same "Warps' 32-bit integer multiply-adds.";
    IssueMultiplyHigh "issue_multiply_high" "/cycle/SM" Same "Warps' high halves of 32-bit products.";
    IssueLogic "issue_logic" "/cycle/SM" Same "Warps' 32-bit logic of three inputs.";
    IssueShift "issue_shift" "/cycle/SM" Same "Warps' 32-bit shifts.";
    IssueMinimum "issue_minimum" "/cycle/SM" Same "Warps' 32-bit minima and maxima.";
    IssueSelect "issue_select" "/cycle/SM" Same "Warps' comparisons, each with a selection by it.";
    IssuePopulation "issue_population" "/cycle/SM" Same "Warps' population counts.";
    IssueToFloat "issue_to_float" "/cycle/SM" Same "Warps' conversions of 32-bit integers to floats.";
    IssueToInteger "issue_to_integer" "/cycle/SM" Same "Warps' conversions of 32-bit floats to integers.";
    IssueF32 "issue_f32" "/cycle/SM" Same "Warps' 32-bit float multiply-adds.";
    IssueF64 "issue_f64" "/cycle/SM" Same "Warps' 64-bit float multiply-adds.";
    IssueF16x2 "issue_f16x2" "/cycle/SM" Same "Warps' multiply-adds of pairs of 16-bit floats.";
    IssueSpecial "issue_special" "/cycle/SM" Same "Warps' special functions (powers of two).";
    IssueDivideInteger "issue_divide_integer" "/cycle/SM" Same "Warps' 32-bit integer divisions by a variable.";
    IssueDivideFloat "issue_divide_float" "/cycle/SM" Same "Warps' rounded 32-bit float divisions.";
    IssueShuffle "issue_shuffle" "/cycle/SM" Same "Warps' shuffles.";
    IssueVote "issue_vote" "/cycle/SM" Same "Warps' ballots.";

    LatencyIntegerAdd "latency_integer_add" "cycles" Same "Until the next of dependent integer additions.";
    LatencyIntegerMultiply "latency_integer_multiply" "cycles" Same "The same, integer multiply-adds.";
    LatencyMultiplyHigh "latency_multiply_high" "cycles" Same "The same, high halves of products.";
    LatencyLogic "latency_logic" "cycles" Same "The same, logic.";
    LatencyShift "latency_shift" "cycles" Same "The same, shifts.";
    LatencyMinimum "latency_minimum" "cycles" Same "The same, minima and maxima.";
    LatencySelect "latency_select" "cycles" Same "The same, a comparison and the selection by it.";
    LatencyPopulation "latency_population" "cycles" Same "The same, population counts.";
    LatencyToFloat "latency_to_float" "cycles" Same "The same, conversions of integers.";
    LatencyToInteger "latency_to_integer" "cycles" Same "The same, conversions of floats.";
    LatencyF32 "latency_f32" "cycles" Same "The same, 32-bit float multiply-adds.";
    LatencyF64 "latency_f64" "cycles" Same "The same, 64-bit float multiply-adds.";
    LatencyF16x2 "latency_f16x2" "cycles" Same "The same, pairs of 16-bit floats.";
    LatencySpecial "latency_special" "cycles" Same "The same, special functions.";
    LatencyDivideInteger "latency_divide_integer" "cycles" Same "The same, integer divisions.";
    LatencyDivideFloat "latency_divide_float" "cycles" Same "The same, float divisions.";
    LatencyShuffle "latency_shuffle" "cycles" Same "The same, shuffles.";
    LatencyVote "latency_vote" "cycles" Same "The same, ballots.";

    LoopRound "loop_round" "cycles" Same "One warp's round of the shortest loop: an addition, a comparison and a branch back.";

    Barrier "barrier" "cycles" ["threads per block"] Same "A barrier of a block that has the multiprocessor to itself.";
    BarrierBusy "barrier_busy" "cycles" ["threads per block"] Same "The same per barrier of one block, where blocks of that size fill the multiprocessor.";

    SharedLatency "shared_latency" "cycles" Same "Dependent loads from shared memory.";
    SharedLoadWavefront "shared_load_wavefront" "cycles" ["wavefronts per access"] Same "A warp's 4-byte load from shared memory, the multiprocessor busy with such.";
    SharedStoreWavefront "shared_store_wavefront" "cycles" ["wavefronts per access"] Same "The same, stores.";
    SharedAtomicAdd "shared_atomic_add" "cycles" ["lanes per address"] Same "A warp's atomic addition to consecutive words of shared memory, result unused, the multiprocessor busy with such.";
    SharedAtomicIncrement "shared_atomic_increment" "cycles" ["lanes per address"] Same "The same, of the constant 1.";
    SharedAtomicFloat "shared_atomic_float" "cycles" ["lanes per address"] Same "The same, of 32-bit floats.";
    SharedAtomicLatency "shared_atomic_latency" "cycles" Same "Dependent atomic additions in shared memory by one lane.";

    L1Latency "l1_latency" "cycles" Same "Dependent loads that hit L1.";
    L1Rate "l1_rate" "B/cycle/SM" Same "Loads of 4 bytes a lane that hit L1.";
    L2Latency "l2_latency" "cycles" Same "Dependent loads that hit L2.";
    L2Rate "l2_rate" "B/s" Chip "Loads by all multiprocessors that hit L2.";
    L2ReadByFootprint "l2_read_by_footprint" "B/s" ["B"] Cache "Reading so many bytes again and again past L1.";
    L2ReadByFlight "l2_read_by_flight" "B/s" ["B under way"] Chip "Reading what lies in L2 with so many bytes of loads under way on the GPU.";
    DramLatency "dram_latency" "cycles" Same "Dependent loads out of DRAM.";
    DramRead "dram_read" "B/s" Dram "Reading DRAM, 16 bytes a lane.";
    DramRead4 "dram_read_4" "B/s" Dram "Reading DRAM, 4 bytes a lane.";
    DramWrite "dram_write" "B/s" Dram "Writing DRAM, 16 bytes a lane.";
    DramCopy "dram_copy" "B/s" Dram "Copying within DRAM, bytes read and written together, 16 bytes a lane.";
    DramReadByFlight "dram_read_by_flight" "B/s" ["B under way"] Dram "Reading DRAM with so many bytes of loads under way on the GPU.";
    DramReadByStride "dram_read_by_stride" "B/s" ["B between words"] Dram "Reading one word in so many bytes of DRAM: bytes of the 32-byte sectors touched.";

    AtomicSlice "atomic_slice" "/s" Clock "Atomics of lanes on one address.";
    AtomicByBytes "atomic_by_bytes" "/s" ["B in use"] Chip "Atomic additions of lanes on random words of so many bytes.";
    AtomicByLanes "atomic_by_lanes" "/s" ["lanes per address"] Chip "Atomic additions of lanes where so many neighbours share a word, every warp elsewhere.";
    AtomicAddU32 "atomic_add_u32" "/s" Chip "Atomic 32-bit additions on random words of 64 MiB or what fits L2, results unused.";
    AtomicAddU32Used "atomic_add_u32_used" "/s" Chip "The same, results used.";
    AtomicAddU64 "atomic_add_u64" "/s" Chip "The same, 64-bit additions.";
    AtomicAddF32 "atomic_add_f32" "/s" Chip "The same, 32-bit float additions.";
    AtomicAddF64 "atomic_add_f64" "/s" Chip "The same, 64-bit float additions.";
    AtomicMaxU32 "atomic_max_u32" "/s" Chip "The same, maxima.";
    AtomicExchange "atomic_exchange" "/s" Chip "The same, exchanges.";
    AtomicCompare "atomic_compare" "/s" Chip "The same, comparisons with exchange.";
    AtomicLatency "atomic_latency" "cycles" Same "Dependent atomic additions by one lane.";
    L2Interleave "l2_interleave" "B" Same "Consecutive bytes that one slice of L2 looks after.";
    L2Slices "l2_slices" "count" Count "Slices of L2 that serve atomics at the same time: all atomics over those of one address.";
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
