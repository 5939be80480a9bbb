//! Profiles a case while it runs: counters, time and instructions of each kernel.

use super::{ReadyLaunch, words};
use crate::emulator::{AccessKind, InstructionCount, Kernel, Outcome};
use crate::gpu::{self, GpuSpec, Key, Prediction};
use crate::work::{
    CaseProfile, Ceilings, Dim3, InstructionProfile, KernelProfile, Launch, LaunchCost, LineWork,
    Residency,
};

/// Lanes of a warp.
const LANES: f64 = 32.0;

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// Peak rates of a GPU. Multiply-adds count as two operations.
fn ceilings(spec: &GpuSpec) -> Ceilings {
    let chip = f64::from(spec.sms) * spec.boost_hz;
    let warps = spec.get(Key::IssueIntegerAdd).max(2.0 * spec.get(Key::IssueIntegerMultiply));
    Ceilings {
        name: spec.name.clone(),
        multiprocessors: spec.sms,
        dram: spec.dram_bytes_per_second,
        float: 2.0 * f64::from(spec.fp32_lanes) * chip,
        integer: warps * LANES * chip,
    }
}

/// A profile that grows launch by launch.
pub(super) struct Profiler {
    found: CaseProfile,
    /// For each kernel, seconds of its longest and blocks of its largest launch so far.
    most: Vec<(f64, u64)>,
}

impl Profiler {
    pub(super) fn new(spec: &GpuSpec) -> Self {
        let found = CaseProfile { gpu: ceilings(spec), kernels: Vec::new() };
        Self { found, most: Vec::new() }
    }

    /// Adds a launch.
    pub(super) fn add(
        &mut self,
        ready: &ReadyLaunch,
        outcome: &Outcome,
        prediction: &Prediction,
        spec: &GpuSpec,
    ) {
        let launch = &ready.launch;
        let kernels = &mut self.found.kernels;
        let known = kernels
            .iter()
            .position(|kernel| kernel.name == launch.kernel && kernel.phase == launch.phase);
        let index = known.unwrap_or_else(|| {
            kernels.push(KernelProfile {
                name: launch.kernel.clone(),
                phase: launch.phase.to_owned(),
                registers: ready.resources.registers,
                ..KernelProfile::default()
            });
            self.most.push((0.0, 0));
            self.most.len() - 1
        });
        let (kernel, most) = (&mut kernels[index], &mut self.most[index]);
        if launch.grid.count() > most.1 {
            most.1 = launch.grid.count();
            largest(kernel, ready, spec);
        }
        if prediction.seconds > most.0 {
            most.0 = prediction.seconds;
            kernel.bound_by = prediction.bound_by.into();
        }
        kernel.launches += 1;
        kernel.seconds += prediction.seconds;
        kernel.dram_bytes += prediction.dram_bytes;
        for cost in &prediction.launches {
            LaunchCost::add(&mut kernel.costs, cost.clone());
        }
        kernel.parts.add(prediction.parts.iter().map(|(part, seconds)| (*part, *seconds)));
        kernel.counters.add(outcome.counters.named());
        instructions(kernel, &ready.kernel, outcome);
    }

    /// The profile.
    pub(super) fn finish(self) -> CaseProfile {
        self.found
    }
}

/// Sets what depends on the shape of the launch.
fn largest(kernel: &mut KernelProfile, ready: &ReadyLaunch, spec: &GpuSpec) {
    let Launch { grid, block, shared_bytes, .. } = &ready.launch;
    let extents = |Dim3 { x, y, z }: Dim3| [x, y, z];
    (kernel.grid, kernel.block) = (extents(*grid), extents(*block));
    kernel.shared = ready.resources.static_shared + shared_bytes;
    let (capability, threads) = (spec.compute_capability, block.count() as u32);
    // A launch that cannot run is refused earlier.
    if let Ok(found) = gpu::occupancy(capability, threads, kernel.registers, kernel.shared) {
        kernel.residency = Residency {
            blocks: found.blocks,
            warps: found.warps,
            most_warps: found.most_warps,
            limit: found.limit.to_string(),
            room: found.room.iter().map(|(blocks, limit)| (limit.to_string(), *blocks)).collect(),
        };
    }
}

/// Adds the counts of each instruction of a launch.
fn instructions(kernel: &mut KernelProfile, code: &Kernel, outcome: &Outcome) {
    let first = kernel.instructions.is_empty();
    for (index, count) in outcome.instructions.iter().enumerate() {
        let Some(place) = code.instruction(index) else { continue };
        let done = words::operations(place.word);
        kernel.float_operations += done.float * count.lanes;
        kernel.integer_operations += done.integer * count.lanes;
        let work = work(count, place.word);
        match count.access {
            AccessKind::Load => kernel.ideal_load_sectors += ideal(count, place.word),
            AccessKind::Store => kernel.ideal_store_sectors += ideal(count, place.word),
            AccessKind::Atomic | AccessKind::None => {}
        }
        if first {
            let source = place.source.map_or(0, |(_, line)| line);
            kernel.instructions.push(InstructionProfile { ptx: place.ptx_line, source, work });
        } else if let Some(known) = kernel.instructions.get_mut(index) {
            known.work.add(&work);
        }
    }
}

/// The counts of an instruction, as those of a line.
fn work(count: &InstructionCount, word: &str) -> LineWork {
    let atomic = count.access == AccessKind::Atomic;
    let mut work = LineWork {
        warps: count.warps,
        lanes: count.lanes,
        diverged: count.divergent_branches,
        barriers: count.barriers,
        waits: count.waits,
        shared_requests: count.shared_requests,
        wavefronts: count.shared_wavefronts,
        excess_wavefronts: count.bank_conflicts,
        ..LineWork::default()
    };
    if atomic {
        work.atomics = count.global_requests;
        work.shared_atomics = count.shared_requests;
        work.atomic_lanes = count.global_lanes;
        work.atomic_addresses = count.atomic_addresses;
        // Each takes one pass at least.
        work.excess_wavefronts = count.shared_wavefronts.saturating_sub(count.shared_requests);
    } else {
        work.requests = count.global_requests + count.local_requests;
        work.sectors = count.global_sectors + count.local_sectors;
        // Local memory is always coalesced.
        work.ideal_sectors = ideal(count, word) + count.local_sectors;
    }
    work
}

/// Times by which a launch moves more sectors of global memory than if all its loads and
/// stores were coalesced.
pub(super) fn excess(code: &Kernel, outcome: &Outcome) -> f64 {
    let (mut moved, mut needless) = (0, 0);
    for (index, count) in outcome.instructions.iter().enumerate() {
        let counts = matches!(count.access, AccessKind::Load | AccessKind::Store);
        if !counts || count.global_sectors == 0 {
            continue;
        }
        let Some(place) = code.instruction(index) else { continue };
        moved += count.global_sectors;
        needless += count.global_sectors.saturating_sub(ideal(count, place.word));
    }
    if moved > needless { moved as f64 / (moved - needless) as f64 } else { 1.0 }
}

/// Sectors of global memory of a coalesced access of the same size. A bulk copy moves many for one
/// thread, and all of them are wanted. Of copies by lanes, the word gives the size only with `.cg`: 16
/// bytes; others take 8 at most in what compilers write.
fn ideal(count: &InstructionCount, word: &str) -> u64 {
    if word.contains(".bulk") {
        return count.global_sectors;
    }
    let copies = word.starts_with("cp.async");
    let each = match word.contains(".cg") {
        _ if !copies => words::access_bytes(word),
        true => 16,
        false => 8,
    };
    let least = (count.global_lanes * each).div_ceil(SECTOR).max(count.global_requests);
    if copies { least.min(count.global_sectors) } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_want_all_that_they_move() {
        let needed = |word: &str, lanes: u64, sectors: u64| {
            let count = InstructionCount {
                global_requests: 1,
                global_lanes: lanes,
                global_sectors: sectors,
                ..InstructionCount::default()
            };
            ideal(&count, word)
        };
        assert_eq!(needed("cp.async.cg.shared.global", 32, 16), 16);
        assert_eq!(needed("cp.async.ca.shared.global", 32, 4), 4);
        assert_eq!(needed("cp.async.cg.shared.global", 32, 32), 16, "scattered");
        assert_eq!(needed("cp.async.bulk.tensor.2d.shared::cluster.global.tile", 1, 256), 256);
        assert_eq!(needed("ld.global.f32", 32, 32), 4, "scattered");
    }
}
