//! Takes a case apart while it runs: counters, time and instructions of each of
//! its kernels.

use super::{ReadyLaunch, words};
use crate::emulator::{AccessKind, InstructionCount, Kernel, Outcome};
use crate::gpu::{self, Key, Prediction, Profile};
use crate::work::{
    Anatomy, Ceilings, Dim3, InstructionAnatomy, KernelAnatomy, Launch, LineWork, Residency,
};

/// Lanes of a warp.
const LANES: f64 = 32.0;

/// Bytes of a sector.
const SECTOR: u64 = 32;

/// What a GPU reaches at most. Multiply-adds count as two operations.
fn ceilings(profile: &Profile) -> Ceilings {
    let chip = f64::from(profile.sms) * profile.boost_hz;
    let warps = profile.get(Key::IssueIntegerAdd).max(2.0 * profile.get(Key::IssueIntegerMultiply));
    Ceilings {
        name: profile.name.clone(),
        multiprocessors: profile.sms,
        dram: profile.dram_bytes_per_second,
        float: 2.0 * f64::from(profile.fp32_lanes) * chip,
        integer: warps * LANES * chip,
    }
}

/// An anatomy that grows launch by launch.
pub(super) struct Dissection {
    anatomy: Anatomy,
    /// For each kernel, seconds and blocks of its longest and its largest launch so far.
    most: Vec<(f64, u64)>,
}

impl Dissection {
    pub(super) fn new(profile: &Profile) -> Self {
        let anatomy = Anatomy { gpu: ceilings(profile), kernels: Vec::new() };
        Self { anatomy, most: Vec::new() }
    }

    /// Adds a launch.
    pub(super) fn add(
        &mut self,
        ready: &ReadyLaunch,
        outcome: &Outcome,
        prediction: &Prediction,
        profile: &Profile,
    ) {
        let launch = &ready.launch;
        let known = self
            .anatomy
            .kernels
            .iter()
            .position(|kernel| kernel.name == launch.kernel && kernel.phase == launch.phase);
        let index = known.unwrap_or_else(|| {
            self.anatomy.kernels.push(KernelAnatomy {
                name: launch.kernel.clone(),
                phase: launch.phase.to_owned(),
                registers: ready.resources.registers,
                ..KernelAnatomy::default()
            });
            self.most.push((0.0, 0));
            self.most.len() - 1
        });
        let (kernel, most) = (&mut self.anatomy.kernels[index], &mut self.most[index]);
        if launch.grid.count() > most.1 {
            most.1 = launch.grid.count();
            largest(kernel, ready, profile);
        }
        if prediction.seconds > most.0 {
            most.0 = prediction.seconds;
            kernel.bound_by.clone_from(&prediction.bound_by);
        }
        kernel.launches += 1;
        kernel.seconds += prediction.seconds;
        kernel.dram_bytes += prediction.dram_bytes;
        for (name, seconds) in &prediction.parts {
            *kernel.parts.entry(name.clone()).or_default() += seconds;
        }
        for (name, count) in outcome.counters.named() {
            *kernel.counters.entry(name).or_default() += count;
        }
        instructions(kernel, &ready.kernel, outcome);
    }

    /// What was found.
    pub(super) fn finish(self) -> Anatomy {
        self.anatomy
    }
}

/// Takes what depends on the shape of a launch from this one.
fn largest(kernel: &mut KernelAnatomy, ready: &ReadyLaunch, profile: &Profile) {
    let Launch { grid, block, shared_bytes, .. } = &ready.launch;
    let extents = |Dim3 { x, y, z }: Dim3| [x, y, z];
    (kernel.grid, kernel.block) = (extents(*grid), extents(*block));
    kernel.shared = ready.resources.static_shared + shared_bytes;
    let (capability, threads) = (profile.compute_capability, block.count() as u32);
    // What cannot launch has been refused.
    if let Ok(found) = gpu::occupancy(capability, threads, kernel.registers, kernel.shared) {
        kernel.residency = Residency {
            blocks: found.blocks,
            warps: found.warps,
            most_warps: found.most_warps,
            limit: found.limit.name().to_owned(),
            room: found
                .room
                .iter()
                .map(|(blocks, limit)| (limit.name().to_owned(), *blocks))
                .collect(),
        };
    }
}

/// Adds what each instruction of a launch did.
fn instructions(kernel: &mut KernelAnatomy, code: &Kernel, outcome: &Outcome) {
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
            kernel.instructions.push(InstructionAnatomy { ptx: place.ptx_line, source, work });
        } else if let Some(known) = kernel.instructions.get_mut(index) {
            known.work.add(&work);
        }
    }
}

/// What an instruction did, in the terms of a line.
fn work(count: &InstructionCount, word: &str) -> LineWork {
    let atomic = count.access == AccessKind::Atomic;
    let mut work = LineWork {
        warps: count.warps,
        lanes: count.lanes,
        diverged: count.divergent_branches,
        barriers: count.barriers,
        shared_requests: count.shared_requests,
        wavefronts: count.shared_wavefronts,
        excess_wavefronts: count.bank_conflicts,
        ..LineWork::default()
    };
    if atomic {
        work.atomics = count.global_requests;
        work.atomic_lanes = count.global_lanes;
        work.atomic_addresses = count.atomic_addresses;
        // One pass is the least that any of them takes.
        work.excess_wavefronts = count.shared_wavefronts.saturating_sub(count.shared_requests);
    } else {
        work.requests = count.global_requests + count.local_requests;
        work.sectors = count.global_sectors + count.local_sectors;
        // Local memory is laid out so that lanes side by side need the least.
        work.ideal_sectors = ideal(count, word) + count.local_sectors;
    }
    work
}

/// Sectors of global memory that the lanes would touch side by side.
fn ideal(count: &InstructionCount, word: &str) -> u64 {
    let bytes = count.global_lanes * words::access_bytes(word);
    bytes.div_ceil(SECTOR).max(count.global_requests)
}
