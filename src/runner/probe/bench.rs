//! The lab that runs shots on a backend, by the program's method: warm-up, held
//! samples with a cold L2, and a stopping rule.

use std::sync::Arc;

use super::{Estimate, Lab, Reading, Shot};
use crate::backend::{Backend, Failure, Prepared, Sample};
use crate::experiment::Stopping;
use crate::runner::measure::stopping::Rule;
use crate::work::{Buffer, Element, HostBuffer, HostStage, Inputs, Work};

/// Enough samples for a median: there are hundreds of shots.
const STOPPING: Stopping = Stopping {
    least_samples: 9,
    most_samples: 200,
    relative_deviation: 0.005,
    gpu_seconds: 0.01,
    wall_seconds: 0.02,
    limit_seconds: 2.0,
};

/// How often a shot may repeat samples that were taken at a low clock.
const MOST_DISCARDS: u32 = 5;

/// Blocks whose clocks are read.
const MOST_CYCLES: u32 = 1 << 16;

/// Hears of each sample and says what of it the stopping rule is to watch.
type OnSample<'a> = dyn FnMut(&mut dyn Backend, Prepared, &Sample) -> Result<f64, Failure> + 'a;

/// A backend as a lab.
pub struct Bench<'a> {
    backend: &'a mut dyn Backend,
    /// Samples at a low clock that had to be used.
    throttled: u32,
}

impl<'a> Bench<'a> {
    /// A lab that runs on `backend`.
    pub fn new(backend: &'a mut dyn Backend) -> Self {
        Self { backend, throttled: 0 }
    }

    /// How many samples were taken at a low clock.
    pub fn throttled(&self) -> u32 {
        self.throttled
    }

    /// Runs work until it is enough.
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

impl Lab for Bench<'_> {
    fn shoot(&mut self, shot: &Shot) -> Result<Reading, Failure> {
        let (work, inputs) = shot
            .work()
            .ok_or_else(|| Failure::Load(format!("no probe has a kernel `{}`", shot.kernel)))?;
        let mut reading = Reading::default();
        self.samples(&work, &inputs, &mut |backend, prepared, sample| {
            let seconds = sample.phases.last().copied().unwrap_or_default();
            reading.seconds.push(seconds);
            if shot.grid <= MOST_CYCLES {
                reading.cycles.push(words(backend, prepared, 0)?);
            }
            if shot.keep > 0 {
                let mut data = words(backend, prepared, 1)?;
                data.truncate(shot.keep);
                reading.data.push(data);
            }
            Ok(seconds)
        })?;
        Ok(reading)
    }

    fn copy(&mut self, bytes: u64) -> Result<[Estimate; 2], Failure> {
        let module = *super::modules().first().ok_or_else(|| Failure::Load(String::new()))?;
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

/// Cycles of the blocks of each sample: its median block.
pub(super) fn cycles(reading: &Reading, blocks: u32) -> Estimate {
    let middle = |cycles: &Vec<u32>| {
        let blocks = cycles.iter().take(blocks as usize).map(|&cycles| f64::from(cycles));
        Estimate::of(&blocks.collect::<Vec<_>>()).value
    };
    Estimate::of(&reading.cycles.iter().map(middle).collect::<Vec<_>>())
}

/// Cycles of one more repetition: `shot` with twice its repetitions less `shot`.
pub(super) fn cycles_per_round(lab: &mut dyn Lab, shot: &Shot) -> Result<Estimate, Failure> {
    let rounds = shot.numbers[0];
    let once = cycles(&lab.shoot(shot)?, shot.grid);
    let twice = cycles(&lab.shoot(&shot.repeated(2 * rounds))?, shot.grid);
    Ok(twice.less(once).times(1.0 / f64::from(rounds)))
}

/// Seconds of one more repetition, likewise between events.
pub(super) fn seconds_per_round(lab: &mut dyn Lab, shot: &Shot) -> Result<Estimate, Failure> {
    let rounds = shot.numbers[0];
    let once = seconds(lab, shot)?;
    let twice = seconds(lab, &shot.repeated(2 * rounds))?;
    Ok(twice.less(once).times(1.0 / f64::from(rounds)))
}

/// Seconds of a shot between its events.
pub(super) fn seconds(lab: &mut dyn Lab, shot: &Shot) -> Result<Estimate, Failure> {
    Ok(Estimate::of(&lab.shoot(shot)?.seconds))
}
