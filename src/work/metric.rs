//! Metrics as types: what the emulator counts ([`Counter`]), what bounds a kernel in the
//! timing model ([`Resource`]), and why a case failed ([`FailureKind`]). Stored names,
//! labels, units and glossary texts stand here and nowhere else.

use std::cmp::Ordering;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::by_metric::ByMetric;

/// An item of a closed list that files and screens name.
pub trait Metric: Copy + Eq + 'static {
    /// The whole list.
    const ALL: &'static [Self];

    /// The metric with a stored name.
    fn named(name: &str) -> Option<Self>;

    /// Its place in the list.
    fn index(self) -> usize;

    /// Its name in files.
    fn name(self) -> &'static str;

    /// Its name on screens.
    fn label(self) -> &'static str;

    /// The unit of its values; empty where it has no values.
    fn unit(self) -> &'static str;

    /// What it means, in a sentence.
    fn glossary(self) -> &'static str;
}

/// Declares a list: for each metric its variant, stored name, label, unit and glossary text.
macro_rules! metrics {
    ($(#[$about:meta])* $list:ident:
     $($metric:ident $name:literal $label:literal $([$unit:literal])? $glossary:literal;)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $list {
            $(#[doc = $glossary] $metric,)*
        }

        impl $crate::work::metric::Metric for $list {
            const ALL: &'static [Self] = &[$(Self::$metric),*];

            fn named(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$metric),)* _ => None }
            }

            fn index(self) -> usize {
                self as usize
            }

            fn name(self) -> &'static str {
                match self { $(Self::$metric => $name,)* }
            }

            fn label(self) -> &'static str {
                match self { $(Self::$metric => $label,)* }
            }

            fn unit(self) -> &'static str {
                match self { $(Self::$metric => concat!($($unit)?),)* }
            }

            fn glossary(self) -> &'static str {
                match self { $(Self::$metric => $glossary,)* }
            }
        }

        impl std::fmt::Display for $list {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::work::metric::Metric::label(*self))
            }
        }

        impl serde::Serialize for $list {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::work::metric::Metric::name(*self))
            }
        }

        impl<'de> serde::Deserialize<'de> for $list {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Named;
                impl serde::de::Visitor<'_> for Named {
                    type Value = $list;

                    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                        f.write_str("a string")
                    }

                    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<$list, E> {
                        $crate::work::metric::Metric::named(name)
                            .ok_or_else(|| E::unknown_variant(name, &[$($name),*]))
                    }
                }
                deserializer.deserialize_str(Named)
            }
        }
    };
}
pub(crate) use metrics;

metrics! {
    /// A hardware event that the emulator counts. PTX instructions are not machine
    /// instructions: `ptxas` merges and splits them.
    Counter:
    WarpInstructions "warp_instructions" "warp instructions" ["instructions"]
        "PTX instructions, counted once per warp.";
    ThreadInstructions "thread_instructions" "thread instructions" ["instructions"]
        "PTX instructions, counted once per active lane.";
    Divisions "divisions" "integer divisions" ["instructions"]
        "Warp instructions that divide 32-bit integers, which takes many machine instructions.";
    GlobalLoadRequests "global_load_requests" "load requests" ["requests"]
        "Loads from global memory, counted once per warp.";
    GlobalLoadSectors "global_load_sectors" "load sectors" ["sectors"]
        "32-byte sectors of global memory that loads touch.";
    GlobalStoreRequests "global_store_requests" "store requests" ["requests"]
        "Stores to global memory, counted once per warp.";
    GlobalStoreSectors "global_store_sectors" "store sectors" ["sectors"]
        "32-byte sectors of global memory that stores touch.";
    GlobalAtomicRequests "global_atomic_requests" "atomic requests" ["requests"]
        "Atomics on global memory, counted once per warp.";
    GlobalAtomicSectors "global_atomic_sectors" "atomic sectors" ["sectors"]
        "32-byte sectors of global memory that atomics touch.";
    GlobalAtomicLanes "global_atomic_lanes" "atomic lanes" ["lanes"]
        "Atomics on global memory, counted once per active lane.";
    GlobalAtomicAddresses "global_atomic_addresses" "atomic addresses" ["addresses"]
        "Distinct addresses of each warp's atomic, summed.";
    GlobalAtomicDepth "global_atomic_depth" "atomic depth" ["lanes"]
        "Lanes on the most popular address of each warp's atomic, summed.";
    GlobalAtomicPasses "global_atomic_passes" "atomic passes at L2" ["passes"]
        "Passes of atomics at L2: per sector, the most lanes on one word.";
    BusiestSlicePasses "hottest_chunk_passes" "passes at the busiest L2 slice" ["passes"]
        "Passes of atomics on the 256 bytes with the most, all at one slice of L2.";
    SharedLoadRequests "shared_load_requests" "shared load requests" ["requests"]
        "Loads from shared memory, counted once per warp.";
    SharedLoadWavefronts "shared_load_wavefronts" "shared load wavefronts" ["wavefronts"]
        "Passes of loads through the 32 banks of shared memory.";
    SharedStoreRequests "shared_store_requests" "shared store requests" ["requests"]
        "Stores to shared memory, counted once per warp.";
    SharedStoreWavefronts "shared_store_wavefronts" "shared store wavefronts" ["wavefronts"]
        "Passes of stores through the 32 banks of shared memory.";
    SharedBankConflicts "shared_bank_conflicts" "bank conflicts" ["wavefronts"]
        "Passes beyond the fewest possible: lanes access different words of one bank.";
    SharedAtomicRequests "shared_atomic_requests" "shared atomics" ["requests"]
        "Atomics on shared memory, counted once per warp.";
    SharedAtomicWavefronts "shared_atomic_wavefronts" "shared atomic wavefronts" ["wavefronts"]
        "Passes of atomics through the banks: one lane per bank and pass.";
    LocalLoadRequests "local_load_requests" "local load requests" ["requests"]
        "Loads from local memory (spilled registers and arrays), counted once per warp.";
    LocalLoadSectors "local_load_sectors" "local load sectors" ["sectors"]
        "32-byte sectors of local memory that loads touch.";
    LocalStoreRequests "local_store_requests" "local store requests" ["requests"]
        "Stores to local memory (spilled registers and arrays), counted once per warp.";
    LocalStoreSectors "local_store_sectors" "local store sectors" ["sectors"]
        "32-byte sectors of local memory that stores touch.";
    DivergentBranches "divergent_branches" "divergent branches" ["branches"]
        "Branches at which lanes of a warp diverge: the warp takes both ways in turn.";
    Barriers "barriers" "barriers" ["waits"]
        "Waits of warps for the other warps of their block.";
}

metrics! {
    /// What can bound a kernel in the timing model; in the order of the stored names.
    Resource:
    BlockStart "block_start" "starting blocks" ["s"]
        "Time to start all blocks of the grid, one after the other.";
    Dram "dram" "DRAM" ["s"] "Time to read and write DRAM at its bandwidth.";
    Issue "issue" "issuing instructions" ["s"]
        "Time of the busiest multiprocessor to issue its instructions.";
    L1 "l1" "L1 cache" ["s"] "Time of the busiest multiprocessor's L1 cache to answer its loads.";
    L2 "l2" "L2 cache" ["s"] "Time to move all bytes between the multiprocessors and L2.";
    L2Atomics "l2_atomics" "atomics in L2" ["s"] "Time of the busiest L2 slice for its atomics.";
    Latency "latency" "latency" ["s"]
        "Time that the longest chain of dependent instructions waits.";
    Launch "launch" "launching" ["s"] "Time to launch the kernel, whatever it does.";
    LookBack "look_back" "waiting for other blocks" ["s"]
        "Time that blocks wait for what the blocks before them store.";
    Shared "shared" "shared memory" ["s"]
        "Time of the busiest multiprocessor's shared memory for its wavefronts.";
}

metrics! {
    /// Why a case failed.
    FailureKind:
    OutOfBounds "out-of-bounds" "access out of bounds"
        "The kernel accessed memory outside every allocation.";
    Misaligned "misaligned" "misaligned access"
        "The kernel accessed an address that is not a multiple of the access size.";
    DivergentBarrier "divergent-barrier" "divergent barrier"
        "Threads wait at a barrier that other threads of the block never reach.";
    RunawayLoop "runaway-loop" "runaway loop"
        "The kernel executed more instructions than its budget allows.";
    Livelock "livelock" "livelock"
        "All warps repeat their state while nothing changes memory, so the kernel never ends.";
    Trap "trap" "trap" "The kernel executed `trap`.";
    LaunchFailed "launch-failed" "launch failed"
        "The launch was refused: too many threads, registers or bytes of shared memory.";
    DeviceFault "device-fault" "device fault" "The GPU reported a fault after the launch.";
    WrongAnswer "wrong-answer" "wrong answer" "The output differs from the reference.";
    UnknownAlgorithm "unknown-algorithm" "unknown algorithm"
        "This version has no algorithm of that name.";
    LoadFailed "load-failed" "load failed" "The backend could not load the kernel's PTX.";
    WorkerDied "worker-died" "worker died" "The worker process ended while it ran the case.";
    TimedOut "timed-out" "timed out" "The case took longer than its time limit.";
    DeviceLost "device-lost" "device lost" "The GPU stopped answering.";
    GarbledReply "garbled-reply" "garbled reply" "The worker sent invalid output.";
    NoInput "no-input" "no input" "The input file is missing or has changed.";
    NoReference "no-reference" "no reference"
        "The kernel that computes the reference failed, so the output could not be checked.";
}

impl FailureKind {
    /// Whether another attempt may end differently, so that a continued sweep tries again.
    pub fn is_transient(self) -> bool {
        use FailureKind::{DeviceLost, GarbledReply, NoInput, NoReference, TimedOut, WorkerDied};
        matches!(self, WorkerDied | TimedOut | DeviceLost | GarbledReply | NoInput | NoReference)
    }
}

impl From<super::TrapKind> for FailureKind {
    fn from(kind: super::TrapKind) -> Self {
        use super::TrapKind;
        match kind {
            TrapKind::OutOfBounds => Self::OutOfBounds,
            TrapKind::Misaligned => Self::Misaligned,
            TrapKind::DivergentBarrier => Self::DivergentBarrier,
            TrapKind::RunawayLoop => Self::RunawayLoop,
            TrapKind::Livelock => Self::Livelock,
            TrapKind::Trap => Self::Trap,
            TrapKind::LaunchFailed => Self::LaunchFailed,
            TrapKind::DeviceFault => Self::DeviceFault,
            TrapKind::WrongAnswer => Self::WrongAnswer,
        }
    }
}

/// A metric by the name that files store. Names that this version does not know survive
/// reading and writing. Ordered by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stored<M> {
    /// A metric of this version.
    Known(M),
    /// The name of another one.
    Other(Box<str>),
}

/// Counts by counter, as stored.
pub type Counts = ByMetric<Counter, u64>;

/// Seconds that each resource takes by itself, as stored.
pub type Parts = ByMetric<Resource, f64>;

impl<M: Metric> Stored<M> {
    /// The metric, if this version knows it.
    pub fn known(&self) -> Option<M> {
        match self {
            Self::Known(metric) => Some(*metric),
            Self::Other(_) => None,
        }
    }

    /// The name in files.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(metric) => metric.name(),
            Self::Other(name) => name,
        }
    }

    /// The name on screens.
    pub fn label(&self) -> &str {
        self.known().map_or(self.as_str(), |metric| metric.label())
    }
}

impl<M: Metric> From<M> for Stored<M> {
    fn from(metric: M) -> Self {
        Self::Known(metric)
    }
}

impl<M: Metric> From<String> for Stored<M> {
    fn from(name: String) -> Self {
        M::named(&name).map_or_else(|| Self::Other(name.into()), Self::Known)
    }
}

impl<M: Metric> From<&str> for Stored<M> {
    fn from(name: &str) -> Self {
        M::named(name).map_or_else(|| Self::Other(name.into()), Self::Known)
    }
}

impl<M: Metric> Default for Stored<M> {
    fn default() -> Self {
        Self::from("")
    }
}

impl<M: Metric> fmt::Display for Stored<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

impl<M: Metric> PartialEq<&str> for Stored<M> {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl<M: Metric> Ord for Stored<M> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl<M: Metric> PartialOrd for Stored<M> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M: Metric> Serialize for Stored<M> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de, M: Metric> Deserialize<'de> for Stored<M> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name<M>(std::marker::PhantomData<M>);
        impl<M: Metric> Visitor<'_> for Name<M> {
            type Value = Stored<M>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Stored<M>, E> {
                Ok(name.into())
            }
        }
        deserializer.deserialize_str(Name(std::marker::PhantomData))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::emulator::Counters;

    fn described<M: Metric>(has_unit: bool) {
        let names: BTreeSet<&str> = M::ALL.iter().map(|metric| metric.name()).collect();
        let labels: BTreeSet<&str> = M::ALL.iter().map(|metric| metric.label()).collect();
        assert_eq!((names.len(), labels.len()), (M::ALL.len(), M::ALL.len()), "names are unique");
        for metric in M::ALL {
            let (name, label, glossary) = (metric.name(), metric.label(), metric.glossary());
            assert!(!label.is_empty() && !label.contains('_'), "{name}: {label}");
            assert!(glossary.ends_with('.') && glossary.len() < 100, "{name}: {glossary}");
            assert_eq!(metric.unit().is_empty(), !has_unit, "{name}");
            assert_eq!(Stored::<M>::from(name).known().map(Metric::name), Some(name));
        }
    }

    #[test]
    fn every_metric_has_a_label_and_a_glossary_text() {
        described::<Counter>(true);
        described::<Resource>(true);
        described::<FailureKind>(false);
    }

    #[test]
    fn every_counter_of_the_emulator_is_known() {
        let emitted: BTreeSet<String> = Counters::default().named().into_keys().collect();
        let known = Counter::ALL.iter().map(|counter| counter.name().to_owned()).collect();
        assert_eq!(emitted, known);
    }

    #[test]
    fn names_of_other_versions_survive() {
        let text = r#"{"barriers":3,"tensor_requests":4,"warp_instructions":5}"#;
        let counts: Counts = serde_json::from_str(text).unwrap();
        assert_eq!(counts.get("barriers"), Some(3));
        assert_eq!(counts.known().count(), 2);
        assert_eq!(serde_json::to_string(&counts).unwrap(), text);
    }

    #[test]
    fn resources_stand_in_the_order_of_their_names() {
        assert!(Resource::ALL.is_sorted_by_key(|resource| resource.name()));
    }
}
