//! Runs probes on a backend like cases: warm-up, held samples with a cold L2, and a
//! stopping rule.

use std::sync::Arc;

use super::{Estimate, ProbeLaunch, ProbeRunner, ProbeSamples};
use crate::backend::{Backend, Failure, Prepared, Sample};
use crate::experiment::Stopping;
use crate::runner::measure::stopping::Rule;
use crate::work::{Buffer, Element, HostBuffer, HostStage, Inputs, Work};

/// Few samples, enough for a median: there are hundreds of probes.
const STOPPING: Stopping = Stopping {
    least_samples: 9,
    most_samples: 200,
    relative_deviation: 0.005,
    gpu_seconds: 0.01,
    wall_seconds: 0.02,
    limit_seconds: 2.0,
};

/// Maximum number of samples at a low clock that a probe repeats.
const MOST_DISCARDS: u32 = 5;

/// Blocks whose clocks are read.
const MOST_CYCLES: u32 = 1 << 16;

/// Takes each sample and returns the seconds for the stopping rule.
type OnSample<'a> = dyn FnMut(&mut dyn Backend, Prepared, &Sample) -> Result<f64, Failure> + 'a;

/// Runs probes on a backend.
pub struct BackendRunner<'a> {
    backend: &'a mut dyn Backend,
    /// Samples at a low clock that were used.
    throttled: u32,
}

impl<'a> BackendRunner<'a> {
    /// A runner on `backend`.
    pub fn new(backend: &'a mut dyn Backend) -> Self {
        Self { backend, throttled: 0 }
    }

    /// Number of samples at a low clock that were used.
    pub fn throttled(&self) -> u32 {
        self.throttled
    }

    /// Samples `work` until the stopping rule ends it.
    fn samples(
        &mut self,
        work: &Work,
        inputs: &Inputs,
        on_sample: &mut OnSample,
    ) -> Result<(), Failure> {
        let prepared = self.backend.prepare(work, inputs)?;
        let result = self.take(prepared, on_sample);
        self.backend.release(prepared);
        result
    }

    fn take(&mut self, prepared: Prepared, on_sample: &mut OnSample) -> Result<(), Failure> {
        self.backend.sample(prepared)?;
        let mut rule = Rule::new(STOPPING);
        let mut discards = 0;
        while rule.enough().is_none() {
            let before = self.backend.now();
            let sample = self.backend.sample(prepared)?;
            if sample.throttled && discards < MOST_DISCARDS {
                discards += 1;
                rule.discarded(self.backend.now() - before);
                continue;
            }
            self.throttled += u32::from(sample.throttled);
            let seconds = on_sample(self.backend, prepared, &sample)?;
            rule.sampled(seconds, self.backend.now() - before);
        }
        Ok(())
    }
}

/// The words of a buffer.
fn words(
    backend: &mut dyn Backend,
    prepared: Prepared,
    buffer: usize,
) -> Result<Vec<u32>, Failure> {
    Ok(backend.read(prepared, buffer)?.as_u32().unwrap_or_default().to_vec())
}

impl ProbeRunner for BackendRunner<'_> {
    fn launch(&mut self, probe: &ProbeLaunch) -> Result<ProbeSamples, Failure> {
        let (work, inputs) = probe
            .work()
            .ok_or_else(|| Failure::Load(format!("no probe has a kernel `{}`", probe.kernel)))?;
        let mut samples = ProbeSamples::default();
        self.samples(&work, &inputs, &mut |backend, prepared, sample| {
            let seconds = sample.phases.last().copied().unwrap_or_default();
            samples.seconds.push(seconds);
            if probe.grid <= MOST_CYCLES {
                samples.cycles.push(words(backend, prepared, 0)?);
            }
            if probe.keep > 0 {
                let mut data = words(backend, prepared, 1)?;
                data.truncate(probe.keep);
                samples.data.push(data);
            }
            Ok(seconds)
        })?;
        Ok(samples)
    }

    fn copy(&mut self, bytes: u64) -> Result<[Estimate; 2], Failure> {
        let module = *super::MODULES.first().ok_or_else(|| Failure::Load(String::new()))?;
        let stage = HostStage {
            phase: "copy",
            from: 0,
            to: 0,
            run: |values: &HostBuffer, _| values.clone(),
            args: Vec::new(),
        };
        let buffer = Buffer::input("data", 0, Element::U32, bytes / 4).written();
        let work = Work { module, buffers: vec![buffer], steps: vec![stage.into()] };
        let inputs = vec![Arc::new(HostBuffer::U32(vec![1; (bytes / 4) as usize]))];
        let mut ways = [Vec::new(), Vec::new()];
        self.samples(&work, &inputs, &mut |_, _, sample| {
            let [there, _, back] = sample.phases[..] else { return Ok(0.0) };
            ways[0].push(there);
            ways[1].push(back);
            Ok(there + back)
        })?;
        Ok(ways.map(|samples| Estimate::of(&samples)))
    }
}

/// Cycles of the median block of each sample.
pub(super) fn cycles(samples: &ProbeSamples, blocks: u32) -> Estimate {
    let middle = |cycles: &Vec<u32>| {
        let blocks = cycles.iter().take(blocks as usize).map(|&cycles| f64::from(cycles));
        Estimate::of(&blocks.collect::<Vec<_>>()).value
    };
    Estimate::of(&samples.cycles.iter().map(middle).collect::<Vec<_>>())
}

/// Cycles of one more repetition: `probe` with twice its repetitions less `probe`.
pub(super) fn cycles_per_round(
    runner: &mut dyn ProbeRunner,
    probe: &ProbeLaunch,
) -> Result<Estimate, Failure> {
    let rounds = probe.numbers[0];
    let once = cycles(&runner.launch(probe)?, probe.grid);
    let twice = cycles(&runner.launch(&probe.repeated(2 * rounds))?, probe.grid);
    Ok(twice.less(once).times(1.0 / f64::from(rounds)))
}

/// Seconds of one more repetition, between events.
pub(super) fn seconds_per_round(
    runner: &mut dyn ProbeRunner,
    probe: &ProbeLaunch,
) -> Result<Estimate, Failure> {
    let rounds = probe.numbers[0];
    let once = seconds(runner, probe)?;
    let twice = seconds(runner, &probe.repeated(2 * rounds))?;
    Ok(twice.less(once).times(1.0 / f64::from(rounds)))
}

/// Seconds of a probe between its events.
pub(super) fn seconds(
    runner: &mut dyn ProbeRunner,
    probe: &ProbeLaunch,
) -> Result<Estimate, Failure> {
    Ok(Estimate::of(&runner.launch(probe)?.seconds))
}
