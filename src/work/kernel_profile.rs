//! The profile of a case: counters and predicted time of each kernel, and what each of its
//! PTX instructions did. Only the emulator makes one.

use serde::{Deserialize, Serialize};

use super::launch_cost::LaunchCost;
use super::metric::{Counts, Parts, Resource, Stored};

/// The profile of a case.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct CaseProfile {
    /// The GPU that times are predicted for.
    pub gpu: Ceilings,
    /// Its kernels, in the order of their first launches.
    pub kernels: Vec<KernelProfile>,
}

/// Peak rates of a GPU.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Ceilings {
    /// Its name.
    pub name: String,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Bytes per second of DRAM.
    pub dram: f64,
    /// 32-bit float operations per second, a multiply-add counted as two.
    pub float: f64,
    /// 32-bit integer operations per second, a multiply-add counted as two.
    pub integer: f64,
}

/// One kernel: all its launches of one phase, summed.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KernelProfile {
    /// Its entry point.
    pub name: String,
    /// Its phase.
    pub phase: String,
    /// Number of launches.
    pub launches: u32,
    /// Blocks of its largest launch along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block of that launch.
    pub block: [u32; 3],
    /// Registers per thread.
    pub registers: u32,
    /// Shared memory per block of that launch, static and dynamic, in bytes.
    pub shared: u32,
    /// Occupancy of that launch.
    pub residency: Residency,
    /// Predicted seconds of all launches.
    pub seconds: f64,
    /// The resource that bounds its longest launch.
    pub bound_by: Stored<Resource>,
    /// Seconds that each resource would take by itself, over all launches.
    pub parts: Parts,
    /// The work of its launches, from which their time is computed.
    #[serde(default)]
    pub costs: Vec<LaunchCost>,
    /// Bytes read from and written to DRAM, by footprint.
    pub dram_bytes: f64,
    /// Float operations of all lanes, a multiply-add counted as two.
    pub float_operations: u64,
    /// Integer operations of all lanes, address arithmetic included.
    pub integer_operations: u64,
    /// Its counters.
    pub counters: Counts,
    /// Sectors of global loads if all were coalesced.
    pub ideal_load_sectors: u64,
    /// Sectors of global stores if all were coalesced.
    pub ideal_store_sectors: u64,
    /// What each PTX instruction did, in the order of the text.
    pub instructions: Vec<InstructionProfile>,
}

/// Resident blocks per multiprocessor, and what limits them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Residency {
    /// Resident blocks.
    pub blocks: u32,
    /// Their warps.
    pub warps: u32,
    /// Most warps that a multiprocessor holds.
    pub most_warps: u32,
    /// What limits it: `warps`, `blocks`, `registers`, `shared memory`.
    pub limit: String,
    /// Blocks that each limit alone would allow, in a fixed order.
    pub room: Vec<(String, u32)>,
}

impl Residency {
    /// Resident warps over the most possible, 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.most_warps == 0 { 0.0 } else { f64::from(self.warps) / f64::from(self.most_warps) }
    }
}

/// What one PTX instruction did in all launches of its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstructionProfile {
    /// Line in the PTX, from 1.
    pub ptx: u32,
    /// Line in the CUDA source, from 1; 0 where it has none.
    #[serde(default, skip_serializing_if = "none")]
    pub source: u32,
    /// Its counts.
    #[serde(flatten)]
    pub work: LineWork,
}

macro_rules! line_work {
    ($($(#[$about:meta])* $name:ident,)*) => {
        /// Counts of a PTX instruction, or of all instructions of a source line.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[serde(default)]
        pub struct LineWork {
            $($(#[$about])* #[serde(skip_serializing_if = "zero")] pub $name: u64,)*
        }

        impl LineWork {
            /// Adds the counts of another instruction.
            pub fn add(&mut self, other: &Self) {
                $(self.$name += other.$name;)*
            }
        }
    };
}

line_work! {
    /// Warps that issued it.
    warps,
    /// Their active lanes.
    lanes,
    /// Branches at which active lanes diverged.
    diverged,
    /// Waits of warps at a barrier.
    barriers,
    /// How often warps asked for what another block writes.
    waits,
    /// Loads and stores of warps in global and local memory.
    requests,
    /// 32-byte sectors that they touched.
    sectors,
    /// Sectors that coalesced accesses of the same size would touch.
    ideal_sectors,
    /// Atomics of warps in global memory.
    atomics,
    /// Their active lanes.
    atomic_lanes,
    /// Distinct addresses of each, summed.
    atomic_addresses,
    /// Accesses of warps to shared memory, atomics included.
    shared_requests,
    /// Those of them that are atomics.
    shared_atomics,
    /// Their passes through the banks.
    wavefronts,
    /// Passes beyond the fewest possible.
    excess_wavefronts,
}

impl LineWork {
    /// Inactive lanes of the warps that issued it.
    pub fn idle_lanes(&self) -> u64 {
        (32 * self.warps).saturating_sub(self.lanes)
    }

    /// Avoidable work of memory: sectors and passes beyond the fewest possible, and lanes
    /// whose atomic waits for another lane's on the same address.
    pub fn conflicts(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal_sectors)
            + self.excess_wavefronts
            + self.atomic_lanes.saturating_sub(self.atomic_addresses)
    }

    /// Mean active lanes of a warp; `None` where it never ran.
    pub fn mean_lanes(&self) -> Option<f64> {
        (self.warps > 0).then(|| self.lanes as f64 / self.warps as f64)
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn zero(count: &u64) -> bool {
    *count == 0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn none(line: &u32) -> bool {
    *line == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_cost_beyond_the_least() {
        let load = LineWork {
            warps: 10,
            lanes: 300,
            requests: 10,
            sectors: 320,
            ideal_sectors: 40,
            ..LineWork::default()
        };
        assert_eq!((load.idle_lanes(), load.conflicts()), (20, 280));
        let atomic =
            LineWork { atomics: 1, atomic_lanes: 32, atomic_addresses: 8, ..LineWork::default() };
        assert_eq!(atomic.conflicts(), 24);
        let mut both = load;
        both.add(&atomic);
        assert_eq!((both.conflicts(), both.mean_lanes()), (304, Some(30.0)));
        // A broadcast touches fewer sectors than neighbours would: no conflict.
        assert_eq!(LineWork { sectors: 10, ideal_sectors: 40, ..load }.conflicts(), 0);
    }
}
