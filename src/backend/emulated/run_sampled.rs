//! Running some blocks of every launch, or smaller work, in place of all blocks.

use std::time::Instant;

use super::profiler::Profiler;
use super::{Emulated, ReadyLaunch, ReadyStep, Running, Totals};
use crate::backend::{Failure, Sample};
use crate::emulator::{self, Blocks, Follow, Outcome, SampleSize, SmallerRun};
use crate::gpu::History;
use crate::work::{Inputs, Sampling, Smaller, Work};

/// The L1 of each block of a smaller launch whose buffers have `less` bytes, in place of a
/// larger one that has `whole`: as much, but where the larger one's do not fit, the same part
/// of them, between a quarter and one in `most_parts`. Blocks are followed one by one, since
/// the smaller launch has others beside each other.
fn smaller_follow(larger: Follow, whole: u64, less: u64, most_parts: u64) -> Follow {
    let resident = u64::from(larger.resident.max(1));
    let share = larger.cache_bytes / resident;
    let cache_bytes = if whole <= share {
        share
    } else {
        let same_part = u128::from(share) * u128::from(less) / u128::from(whole);
        (same_part as u64).max(less / most_parts.max(4)).min(less / 4).min(share)
    };
    Follow { cache_bytes: cache_bytes * resident, multiprocessors: 0, ..larger }
}

impl Emulated {
    /// Counts and time from some blocks of each launch, or from smaller work.
    pub(super) fn sampled(&mut self, work: &Work, sampling: &Sampling) -> Result<Sample, Failure> {
        self.progress.reset();
        let start = Instant::now();
        let (inputs, smaller) = match sampling {
            Sampling::Refused(reason) => {
                return Err(Failure::Load(format!("it cannot be sampled: {reason}")));
            }
            Sampling::Blocks(inputs) | Sampling::Unknown(inputs) => (inputs.clone(), Vec::new()),
            Sampling::Extrapolate(smaller) => (Inputs::new(), smaller()),
        };
        let mut running = self.load(work, &inputs, true)?;
        let steps = std::mem::take(&mut running.steps);
        let mut terms: Vec<Vec<SmallerRun>> = steps.iter().map(|_| Vec::new()).collect();
        for smaller in &smaller {
            self.run_smaller(smaller, (work.bytes(), &steps), &mut terms)?;
        }
        let profiler = self.profiles_kernels.then(|| Profiler::new(&self.spec));
        let mut totals = Totals::new(running.phases.len(), profiler);
        let mut history = History::default();
        let mut seen = self.seen.is_some().then(Vec::new);
        let size = SampleSize::of_one(work.launches().count() as u64);
        for (index, (step, terms)) in steps.iter().zip(terms).enumerate() {
            match step {
                ReadyStep::Host(stage) => {
                    totals.stage(&running, index, stage, &self.spec).map_err(Failure::Load)?;
                }
                ReadyStep::Launch(ready) => {
                    ready.check(&self.spec)?;
                    let outcome = if terms.is_empty() {
                        running.some_blocks(ready, size)?
                    } else {
                        let mut outcome = emulator::extrapolate(&terms, ready.launch.grid.count());
                        for (touched, buffer) in outcome.touched.iter_mut().zip(&work.buffers) {
                            touched.bytes = buffer.bytes();
                        }
                        outcome
                    };
                    let prediction = ready.predict(&outcome, &self.spec, &mut history);
                    totals.launch(&running, index, (ready, &outcome), prediction, &self.spec);
                    if let Some(seen) = &mut seen {
                        seen.push(ready.seen(outcome));
                    }
                }
            }
        }
        self.seen = seen;
        Ok(totals.finish(start.elapsed().as_secs_f64()))
    }

    /// Runs all blocks of smaller work, and adds what its launches did to the terms of
    /// the steps of the larger work, of these many bytes.
    fn run_smaller(
        &mut self,
        smaller: &Smaller,
        (bytes, steps): (u64, &[ReadyStep]),
        terms: &mut [Vec<SmallerRun>],
    ) -> Result<(), Failure> {
        let Smaller { work, inputs, terms: wanted, cached } = smaller;
        let mut running = self.load(work, inputs, true)?;
        for (index, step) in std::mem::take(&mut running.steps).into_iter().enumerate() {
            let mut launch = match step {
                ReadyStep::Launch(launch) => launch,
                ReadyStep::Host(stage) => {
                    running.stage(&stage).map_err(Failure::Load)?;
                    continue;
                }
            };
            let wanted: Vec<_> = wanted.iter().filter(|term| term.from == index).collect();
            if let Some(ReadyStep::Launch(larger)) = wanted.first().map(|term| &steps[term.to]) {
                larger.check(&self.spec)?;
                launch.follow = smaller_follow(larger.follow, bytes, work.bytes(), *cached);
            }
            let outcome = launch.blocks(&running.memory, Blocks::All, !wanted.is_empty())?;
            let blocks = launch.launch.grid.count();
            for term in wanted {
                let (mean, longest, atomics) = (term.mean, term.longest, term.atomics);
                let outcome = outcome.clone();
                terms[term.to].push(SmallerRun { outcome, blocks, mean, longest, atomics });
            }
        }
        Ok(())
    }
}

impl Running {
    /// What all blocks of a launch do, from some of them.
    fn some_blocks(&self, ready: &ReadyLaunch, size: SampleSize) -> Result<Outcome, Failure> {
        let run = |blocks| ready.blocks(&self.memory, blocks, true);
        Ok(emulator::sample(ready.launch.grid.count(), size, run)?.0)
    }
}
