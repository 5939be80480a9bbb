//! The line of source that a cause is about, and the time of each instruction.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::{Facts, effects};
use crate::algorithms;
use crate::results::record::{Cause, KernelProfile, LineWork};

/// Most characters of a line that are quoted.
const MOST_QUOTED: usize = 60;

/// A line of CUDA source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SourceLine {
    /// Path of the source, such as `kernels/histogram.cu`.
    pub path: String,
    /// Number of the line, from 1.
    pub number: u32,
    /// Its text without indentation, shortened.
    pub text: String,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} `{}`", self.number, self.text)
    }
}

/// The line that does most of the work behind a cause.
pub(super) fn find(cause: Cause, facts: &Facts) -> Option<SourceLine> {
    let case = facts.record.case();
    let built_in = || algorithms::find(&case.algorithm).map(|it| it.module(&case.variant));
    let module = facts.record.own_module().or_else(built_in)?;
    let source: Vec<&str> = module.source.lines().collect();
    let text = |number: u32| source.get(number.checked_sub(1)? as usize).map(|line| line.trim());
    let mut lines: BTreeMap<u32, f64> = BTreeMap::new();
    for kernel in facts.kernels() {
        let all: f64 = kernel.instructions.iter().map(|it| weight(cause, &it.work)).sum();
        // Of two kernels, the one that takes longer for the cause counts.
        let saved = effects::saved(&kernel.costs);
        let seconds = saved.iter().find(|(it, _)| *it == cause).map_or(0.0, |(_, saved)| *saved);
        if all <= 0.0 {
            continue;
        }
        for instruction in &kernel.instructions {
            let share = weight(cause, &instruction.work) / all;
            if share > 0.0 && instruction.source > 0 {
                *lines.entry(instruction.source).or_default() += share * seconds.max(1e-12);
            }
        }
    }
    let (number, _) = lines.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let text = text(number)?.trim_end_matches([';', '{']).trim_end();
    let short: String = text.chars().take(MOST_QUOTED).collect();
    let path = module.source_path();
    let text = if short.len() < text.len() { format!("{short}…") } else { short };
    Some(SourceLine { path, number, text })
}

/// The work of an instruction that belongs to a cause.
fn weight(cause: Cause, work: &LineWork) -> f64 {
    let atomic = work.shared_atomics > 0;
    let count = match cause {
        Cause::GlobalAtomics => work.atomic_lanes,
        Cause::SharedAtomics if atomic => work.wavefronts,
        Cause::BankConflicts if !atomic => work.excess_wavefronts,
        Cause::SharedPasses if !atomic => work.wavefronts,
        Cause::Coalescing => work.sectors.saturating_sub(work.ideal_sectors),
        Cause::MemoryTraffic => work.sectors,
        Cause::Instructions => work.warps,
        Cause::Divergence => work.idle_lanes(),
        Cause::Barriers => work.barriers,
        Cause::MemoryLatency => work.requests,
        Cause::LookBack => work.waits,
        Cause::DependentChain => {
            let memory = work.requests + work.atomics + work.barriers;
            if memory == 0 { work.warps } else { 0 }
        }
        _ => 0,
    };
    count as f64
}

/// Seconds of a kernel that each of its instructions accounts for, in the order of
/// [`KernelProfile::instructions`]: what each cause costs, shared out among the
/// instructions that do its work. Time of no instruction, such as
/// the launch, is left out. The sum is at most the kernel's time.
pub fn seconds_of_instructions(kernel: &KernelProfile) -> Vec<f64> {
    let mut seconds = vec![0.0; kernel.instructions.len()];
    let costs = effects::attributed(&kernel.costs);
    let all: f64 = costs.iter().map(|(_, cost)| cost).sum();
    if all <= 0.0 {
        return seconds;
    }
    for (cause, cost) in costs {
        let cause = match cause {
            Cause::Parallelism => Cause::MemoryLatency,
            other => other,
        };
        let weights: Vec<f64> =
            kernel.instructions.iter().map(|it| weight(cause, &it.work)).collect();
        let sum: f64 = weights.iter().sum();
        if sum <= 0.0 {
            continue;
        }
        for (seconds, weight) in seconds.iter_mut().zip(weights) {
            *seconds += kernel.seconds * cost / all * weight / sum;
        }
    }
    seconds
}
