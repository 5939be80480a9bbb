//! What the launches and host stages of one piece of work add up to.

use super::anatomy::Dissection;
use super::{ReadyLaunch, Running};
use crate::backend::Sample;
use crate::emulator::{Counters, Outcome};
use crate::gpu::{self, Prediction, Profile};
use crate::work::HostStage;

/// The sum so far of the steps of a piece of work.
pub(super) struct Totals {
    sample: Sample,
    whole: Option<Prediction>,
    dissection: Option<Dissection>,
}

impl Totals {
    /// Nothing yet, for work of `phases` phases.
    pub(super) fn new(phases: usize, dissection: Option<Dissection>) -> Self {
        let sample = Sample {
            phases: vec![0.0; phases],
            counters: Counters::default().named(),
            ..Sample::default()
        };
        Self { sample, whole: None, dissection }
    }

    /// Runs step `index`, a stage on the host, and adds its seconds and those of
    /// the copies there and back; an error where its buffers are not there.
    pub(super) fn stage(
        &mut self,
        running: &Running,
        index: usize,
        stage: &HostStage,
        profile: &Profile,
    ) -> Result<(), String> {
        let (there, back, seconds) = running.stage(stage)?;
        let [to_host, host, to_gpu] = running.phases.of_stage(index);
        self.sample.phases[to_host] += gpu::copy_seconds(there, profile);
        self.sample.phases[host] += seconds;
        self.sample.phases[to_gpu] += gpu::copy_seconds(back, profile);
        Ok(())
    }

    /// Adds what step `index`, a launch, did and how long it takes.
    pub(super) fn launch(
        &mut self,
        running: &Running,
        index: usize,
        (ready, outcome): (&ReadyLaunch, &Outcome),
        prediction: Prediction,
        profile: &Profile,
    ) {
        if let Some(dissection) = &mut self.dissection {
            dissection.add(ready, outcome, &prediction, profile);
        }
        let sample = &mut self.sample;
        sample.schedule_dependent |= outcome.schedule_dependent;
        sample.phases[running.phases.of_launch(index)] += prediction.seconds;
        sample.seconds += prediction.seconds;
        for (name, value) in outcome.counters.named() {
            *sample.counters.entry(name).or_default() += value;
        }
        self.whole = Some(match self.whole.take() {
            None => prediction,
            Some(whole) => together(whole, prediction),
        });
    }

    /// The sample, with `wall` seconds that emulating it took.
    pub(super) fn finish(self, wall: f64) -> Sample {
        let Self { sample, whole, dissection } = self;
        let anatomy = dissection.map(Dissection::finish);
        let prediction = whole.map(|whole| Prediction { seconds: sample.seconds, ..whole });
        Sample { wall: Some(wall), prediction, anatomy, ..sample }
    }
}

/// Two launches as one: the longer of them explains both, the parts are summed.
fn together(a: Prediction, b: Prediction) -> Prediction {
    let (mut longer, shorter) = if b.seconds > a.seconds { (b, a) } else { (a, b) };
    for (name, value) in shorter.parts {
        *longer.parts.entry(name).or_default() += value;
    }
    longer.dram_bytes += shorter.dram_bytes;
    longer.extrapolated.extend(shorter.extrapolated);
    longer.extrapolated.sort_unstable();
    longer.extrapolated.dedup();
    longer
}
