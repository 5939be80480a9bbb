//! Causes that an explanation can name, and the amounts of work behind them.

use super::metric::{Counter, Metric, metrics};

metrics! {
    /// Why one case takes longer than another.
    Cause:
    GlobalAtomics "global_atomics" "atomics in L2"
        "L2 serialises atomics on one word, and one slice can get most of them.";
    SharedAtomics "shared_atomics" "atomics in shared memory"
        "Atomics on shared memory take one pass per lane on the same word or bank.";
    BankConflicts "bank_conflicts" "bank conflicts"
        "Lanes access different words of one bank, so the access takes more passes.";
    SharedPasses "shared_passes" "shared memory passes"
        "Loads and stores pass through the banks of shared memory one after the other.";
    Coalescing "coalescing" "uncoalesced access"
        "Lanes of a warp access scattered addresses, so more sectors move than needed.";
    MemoryTraffic "memory_traffic" "memory traffic"
        "Bytes move through L1, L2 and DRAM.";
    Instructions "instructions" "instructions"
        "The schedulers issue warp instructions at a limited rate.";
    Divergence "divergence" "divergence"
        "Few lanes of a warp are active, so the same work takes more instructions.";
    Barriers "barriers" "barriers"
        "Warps wait for the other warps of their block.";
    MemoryLatency "memory_latency" "memory latency"
        "Warps wait for chains of dependent loads from global memory.";
    DependentChain "dependent_chain" "dependent instructions"
        "Each instruction of a chain waits for the result of the one before it.";
    Parallelism "parallelism" "parallelism"
        "Too few blocks or warps are at work to fill the GPU.";
    Launches "launches" "kernel launches"
        "Each kernel launch takes time, whatever the kernel does.";
    Host "host" "host stages and copies"
        "The CPU computes a stage, and copies move its data.";
    BlockStart "block_start" "starting blocks"
        "Blocks start one after the other, and each does little work.";
    LookBack "look_back" "waiting for other blocks"
        "Blocks wait for what the blocks before them store.";
    NoDifference "no_difference" "no difference"
        "The times agree within 5 %.";
}

impl Cause {
    /// The counters that show it, the first one best; none where no counter does.
    pub fn counters(self) -> &'static [Counter] {
        use Counter as C;
        match self {
            Self::GlobalAtomics => &[
                C::GlobalAtomicPasses,
                C::BusiestSlicePasses,
                C::GlobalAtomicLanes,
                C::GlobalAtomicRequests,
            ],
            Self::SharedAtomics => &[C::SharedAtomicWavefronts, C::SharedAtomicRequests],
            Self::BankConflicts => {
                &[C::SharedBankConflicts, C::SharedLoadWavefronts, C::SharedStoreWavefronts]
            }
            Self::SharedPasses => {
                &[C::SharedLoadWavefronts, C::SharedStoreWavefronts, C::SharedLoadRequests]
            }
            Self::Coalescing => &[
                C::GlobalLoadSectors,
                C::GlobalLoadRequests,
                C::GlobalStoreSectors,
                C::GlobalStoreRequests,
            ],
            Self::MemoryTraffic => &[C::GlobalLoadSectors, C::GlobalStoreSectors],
            Self::Instructions => &[C::WarpInstructions, C::ThreadInstructions],
            Self::Divergence => &[C::DivergentBranches, C::WarpInstructions, C::ThreadInstructions],
            Self::Barriers => &[C::Barriers],
            Self::MemoryLatency | Self::LookBack => &[C::GlobalLoadRequests],
            Self::DependentChain => &[C::WarpInstructions, C::SharedLoadRequests],
            Self::Parallelism
            | Self::Launches
            | Self::BlockStart
            | Self::Host
            | Self::NoDifference => &[],
        }
    }
}

metrics! {
    /// An amount of work that the time of a launch is computed from.
    Amount:
    Launch "launch" "launch overhead" ["s"] "Seconds of the launch, whatever the kernel does.";
    Code "code" "first execution" ["s"] "Seconds to fetch each instruction for the first time.";
    LoadWaits "load_waits" "waits for loads" ["warp cycles"]
        "Waits of the longest chain for loads from global memory.";
    ResultWaits "result_waits" "waits for results" ["warp cycles"]
        "Waits of the longest chain for arithmetic, shared memory and exchanges.";
    BarrierWaits "barrier_waits" "waits at barriers" ["warp cycles"]
        "Waits of the longest chain at barriers.";
    AtomicWaits "atomic_waits" "waits for atomics" ["warp cycles"]
        "Waits of the longest chain for results of atomics on global memory.";
    SharedAtomicWaits "shared_atomic_waits" "waits for shared atomics" ["warp cycles"]
        "Waits of the longest chain for results of atomics on shared memory.";
    Turnover "turnover" "block turnover" ["warp cycles"]
        "Waits for a new block where one has ended.";
    Warps "warps" "warps at work" ["warps"] "Warps that the whole GPU works on at a time.";
    Imbalance "imbalance" "imbalance" ["times"]
        "Work of the busiest multiprocessor over an equal share.";
    Crowd "crowd" "crowds behind barriers" ["times"]
        "Time over that of warps that overlap: behind barriers all want the same at once.";
    Issue "issue" "issue slots" ["cycles"]
        "Cycles to issue the instructions with all lanes active.";
    Unit "unit" "busiest unit" ["cycles"]
        "Cycles of the busiest arithmetic unit with all lanes active.";
    IdleLanes "idle_lanes" "idle lanes" ["times"]
        "Warp instructions over those needed if all 32 lanes were active.";
    SharedPasses "shared_passes" "shared passes" ["cycles"]
        "Cycles of shared memory for loads and stores without conflicts.";
    ConflictPasses "conflict_passes" "conflict passes" ["cycles"]
        "Cycles of shared memory for passes by bank conflicts.";
    SharedAtomicPasses "shared_atomic_passes" "shared atomic passes" ["cycles"]
        "Cycles of shared memory for atomics.";
    L1 "l1" "L1 traffic" ["cycles"] "Cycles of L1 for coalesced loads.";
    L2Way "l2_way" "traffic to L2" ["cycles"]
        "Cycles of a multiprocessor's connection to L2 for coalesced accesses.";
    L2 "l2" "L2 traffic" ["cycles"] "Cycles of the whole L2 for coalesced accesses.";
    Dram "dram" "DRAM traffic" ["cycles"] "Cycles of DRAM to read and write.";
    Excess "excess" "excess sectors" ["times"] "Sectors moved over those of coalesced accesses.";
    Partial "partial" "partial lines" ["times"]
        "Cost of a sector in L2 over that of a sector in a whole line.";
    AtomicSends "atomic_sends" "sending atomics" ["cycles"]
        "Cycles of a multiprocessor to send atomics to L2.";
    AtomicPasses "atomic_passes" "passes of atomics" ["cycles"]
        "Cycles of the busiest L2 slice for atomics.";
    Starts "starts" "starting blocks" ["cycles"] "Cycles to start all blocks.";
    LookFar "look_far" "first blocks waiting for others" ["cycles"]
        "Cycles in which the first blocks wait for sums of those before them.";
    LookBack "look_back" "blocks waiting for others" ["cycles"]
        "Cycles in which blocks wait in turn for what those before them store.";
}

impl Amount {
    /// The cause that it belongs to.
    pub fn cause(self) -> Cause {
        match self {
            Self::Launch => Cause::Launches,
            Self::LoadWaits => Cause::MemoryLatency,
            Self::ResultWaits => Cause::DependentChain,
            Self::BarrierWaits | Self::Crowd => Cause::Barriers,
            Self::AtomicWaits | Self::AtomicSends | Self::AtomicPasses => Cause::GlobalAtomics,
            Self::SharedAtomicWaits | Self::SharedAtomicPasses => Cause::SharedAtomics,
            Self::Turnover | Self::Starts => Cause::BlockStart,
            Self::Warps | Self::Imbalance => Cause::Parallelism,
            Self::Code | Self::Issue | Self::Unit => Cause::Instructions,
            Self::IdleLanes => Cause::Divergence,
            Self::SharedPasses => Cause::SharedPasses,
            Self::ConflictPasses => Cause::BankConflicts,
            Self::L1 | Self::L2Way | Self::L2 | Self::Dram => Cause::MemoryTraffic,
            Self::Excess | Self::Partial => Cause::Coalescing,
            Self::LookFar | Self::LookBack => Cause::LookBack,
        }
    }

    /// Whether it multiplies or divides others, and does not add up over launches.
    pub fn is_factor(self) -> bool {
        use Amount::{Crowd, Excess, IdleLanes, Imbalance, Partial, Warps};
        [Warps, Imbalance, Crowd, IdleLanes, Excess, Partial].contains(&self)
    }

    /// The amounts of a cause.
    pub fn of(cause: Cause) -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(move |amount| amount.cause() == cause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cause_of_kernel_time_has_amounts() {
        for cause in Cause::ALL {
            let has = Amount::of(*cause).next().is_some();
            let other = matches!(cause, Cause::Host | Cause::NoDifference);
            assert_eq!(has, !other, "{cause}");
            assert!(cause.glossary().ends_with('.') && cause.glossary().len() < 100, "{cause}");
        }
    }
}
