//! Sums of the launches and host stages of one piece of work.

use super::profiler::{Profiler, excess};
use super::{ReadyLaunch, Running};
use crate::backend::Sample;
use crate::emulator::{Counters, Outcome};
use crate::gpu::{self, GpuSpec, Prediction};
use crate::work::{HostStage, LaunchCost};

/// The sum so far of the steps of a piece of work.
pub(super) struct Totals {
    sample: Sample,
    whole: Option<Prediction>,
    profiler: Option<Profiler>,
}

impl Totals {
    /// Nothing yet, for work of `phases` phases.
    pub(super) fn new(phases: usize, profiler: Option<Profiler>) -> Self {
        let sample = Sample {
            phases: vec![0.0; phases],
            counters: Counters::default().named().into_iter().collect(),
            ..Sample::default()
        };
        Self { sample, whole: None, profiler }
    }

    /// Runs step `index`, a stage on the host, and adds its seconds and those of
    /// the copies there and back; an error where its buffers are not there.
    pub(super) fn stage(
        &mut self,
        running: &Running,
        index: usize,
        stage: &HostStage,
        spec: &GpuSpec,
    ) -> Result<(), String> {
        let (there, back, seconds) = running.stage(stage)?;
        let [to_host, host, to_gpu] = running.phases.of_stage(index);
        self.sample.phases[to_host] += gpu::copy_seconds(there, spec);
        self.sample.phases[host] += seconds;
        self.sample.phases[to_gpu] += gpu::copy_seconds(back, spec);
        Ok(())
    }

    /// Adds what step `index`, a launch, did and how long it takes.
    pub(super) fn launch(
        &mut self,
        running: &Running,
        index: usize,
        (ready, outcome): (&ReadyLaunch, &Outcome),
        mut prediction: Prediction,
        spec: &GpuSpec,
    ) {
        let excess = excess(&ready.kernel, outcome);
        for cost in &mut prediction.launches {
            cost.kernel.clone_from(&ready.launch.kernel);
            gpu::counterfactual::coalesced(&mut cost.amounts, excess);
        }
        if let Some(profiler) = &mut self.profiler {
            profiler.add(ready, outcome, &prediction, spec);
        }
        let sample = &mut self.sample;
        sample.schedule_dependent |= outcome.schedule_dependent;
        sample.registers_estimated |= ready.resources.estimated;
        sample.phases[running.phases.of_launch(index)] += prediction.seconds;
        sample.seconds += prediction.seconds;
        sample.counters.add(outcome.counters.named());
        self.whole = Some(match self.whole.take() {
            None => prediction,
            Some(whole) => together(whole, prediction),
        });
    }

    /// The sample, with `wall` seconds that emulating it took.
    pub(super) fn finish(self, wall: f64) -> Sample {
        let Self { sample, whole, profiler } = self;
        let profile = profiler.map(Profiler::finish);
        let prediction = whole.map(|whole| Prediction { seconds: sample.seconds, ..whole });
        Sample { wall: Some(wall), prediction, profile, ..sample }
    }
}

/// Two launches as one: the longer one bounds both, parts are summed.
fn together(a: Prediction, b: Prediction) -> Prediction {
    let mut costs = a.launches.clone();
    b.launches.iter().cloned().for_each(|cost| LaunchCost::add(&mut costs, cost));
    let (mut longer, shorter) = if b.seconds > a.seconds { (b, a) } else { (a, b) };
    let long = longer.seconds / (longer.seconds + shorter.seconds).max(f64::MIN_POSITIVE);
    for (resource, seconds) in shorter.parts {
        *longer.parts.entry(resource).or_default() += seconds;
    }
    longer.dram_bytes += shorter.dram_bytes;
    let weighted = |longer: f64, shorter: f64| long * longer + (1.0 - long) * shorter;
    longer.left_open = weighted(longer.left_open, shorter.left_open);
    longer.error = weighted(longer.error, shorter.error);
    // In the order of the pipeline, whichever is longer.
    longer.launches = costs;
    longer.extrapolated.extend(shorter.extrapolated);
    longer.extrapolated.sort_unstable();
    longer.extrapolated.dedup();
    longer
}
