//! What goes on inside a case: each of its kernels with its counters, and what
//! each PTX instruction of it did. Only a backend that counts can tell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A case taken apart.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Anatomy {
    /// The GPU that it is predicted for.
    pub gpu: Ceilings,
    /// Its kernels in the order of their first launches.
    pub kernels: Vec<KernelAnatomy>,
}

/// What a GPU reaches at most, by its profile.
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

/// One kernel: all launches of it that are of one phase, counted together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct KernelAnatomy {
    /// Its entry point.
    pub name: String,
    /// The phase that it is part of.
    pub phase: String,
    /// How often it is launched.
    pub launches: u32,
    /// Blocks of its largest launch along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block of that launch.
    pub block: [u32; 3],
    /// Registers per thread.
    pub registers: u32,
    /// Shared memory per block of that launch, static and dynamic, in bytes.
    pub shared: u32,
    /// How full that launch can make a multiprocessor.
    pub residency: Residency,
    /// Predicted seconds of all launches.
    pub seconds: f64,
    /// The resource that takes longest in its longest launch.
    pub bound_by: String,
    /// Seconds that each resource would take by itself, over all launches.
    pub parts: BTreeMap<String, f64>,
    /// Bytes that come out of DRAM or are written to it, by footprint.
    pub dram_bytes: f64,
    /// Float operations of all lanes, a multiply-add counted as two.
    pub float_operations: u64,
    /// Integer operations of all lanes, those for addresses among them.
    pub integer_operations: u64,
    /// Hardware events by name.
    pub counters: BTreeMap<String, u64>,
    /// Sectors of global loads if neighbouring lanes read neighbouring words.
    pub ideal_load_sectors: u64,
    /// The same of stores.
    pub ideal_store_sectors: u64,
    /// What each PTX instruction did, in the order of the text.
    pub instructions: Vec<InstructionAnatomy>,
}

/// How many blocks a multiprocessor holds at once, and why not more.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Residency {
    /// Blocks.
    pub blocks: u32,
    /// Warps of those.
    pub warps: u32,
    /// Most warps that a multiprocessor holds.
    pub most_warps: u32,
    /// What limits it: `warps`, `blocks`, `registers`, `shared memory`.
    pub limit: String,
    /// Blocks that each of these would let in by itself; the plainest first.
    pub room: Vec<(String, u32)>,
}

/// What a resource of the timing model, such as `l2_atomics`, is called in figures
/// and on screens.
pub fn resource(name: &str) -> &str {
    match name {
        "dram" => "DRAM",
        "l2" => "L2 cache",
        "l1" => "L1 cache",
        "l2_atomics" => "atomics in L2",
        "issue" => "issuing instructions",
        "shared" => "shared memory",
        "latency" => "latency",
        "block_start" => "starting blocks",
        "launch" => "launching",
        other => other,
    }
}

impl Residency {
    /// Resident warps over the most possible, 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.most_warps == 0 { 0.0 } else { f64::from(self.warps) / f64::from(self.most_warps) }
    }
}

/// What one PTX instruction did over all launches of its kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InstructionAnatomy {
    /// Line in the PTX, from 1.
    pub ptx: u32,
    /// Line in the CUDA source, from 1; 0 where it has none.
    #[serde(default, skip_serializing_if = "none")]
    pub source: u32,
    /// Everything counted there.
    #[serde(flatten)]
    pub work: LineWork,
}

/// Counts of an instruction, or of all instructions of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LineWork {
    /// Warps that issued it.
    #[serde(skip_serializing_if = "zero")]
    pub warps: u64,
    /// Active lanes of those.
    #[serde(skip_serializing_if = "zero")]
    pub lanes: u64,
    /// Branches where active lanes parted.
    #[serde(skip_serializing_if = "zero")]
    pub diverged: u64,
    /// Warps that waited at a barrier.
    #[serde(skip_serializing_if = "zero")]
    pub barriers: u64,
    /// Loads and stores of warps in global and local memory.
    #[serde(skip_serializing_if = "zero")]
    pub requests: u64,
    /// 32-byte sectors that they touched.
    #[serde(skip_serializing_if = "zero")]
    pub sectors: u64,
    /// Sectors that neighbouring lanes would touch for as many bytes.
    #[serde(skip_serializing_if = "zero")]
    pub ideal_sectors: u64,
    /// Atomics of warps in global memory.
    #[serde(skip_serializing_if = "zero")]
    pub atomics: u64,
    /// Lanes of those.
    #[serde(skip_serializing_if = "zero")]
    pub atomic_lanes: u64,
    /// Distinct addresses that each met on, summed.
    #[serde(skip_serializing_if = "zero")]
    pub atomic_addresses: u64,
    /// Accesses of warps to shared memory, atomics among them.
    #[serde(skip_serializing_if = "zero")]
    pub shared_requests: u64,
    /// Passes through the banks that they took.
    #[serde(skip_serializing_if = "zero")]
    pub wavefronts: u64,
    /// Of those the ones beyond the least.
    #[serde(skip_serializing_if = "zero")]
    pub excess_wavefronts: u64,
}

impl LineWork {
    /// Adds what another instruction did.
    pub fn add(&mut self, other: &Self) {
        macro_rules! each {
            // Without `..`: a new count has to be named here.
            ($($name:ident)*) => {{
                let Self { $($name),* } = other;
                $(self.$name += $name;)*
            }};
        }
        each! {
            warps lanes diverged barriers requests sectors ideal_sectors atomics atomic_lanes
            atomic_addresses shared_requests wavefronts excess_wavefronts
        }
    }

    /// Places of lanes in the warps that issued it that did nothing.
    pub fn idle_lanes(&self) -> u64 {
        (32 * self.warps).saturating_sub(self.lanes)
    }

    /// What memory did more than it would have had to: sectors and passes
    /// through the banks beyond the least, and lanes that waited for another
    /// one's atomic on the same address.
    pub fn conflicts(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal_sectors)
            + self.excess_wavefronts
            + self.atomic_lanes.saturating_sub(self.atomic_addresses)
    }

    /// Mean active lanes of a warp, where it was issued at all.
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
