//! One block of a launch of some work, recorded step by step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Emulated, ReadyLaunch, ReadyStep, Running};
use crate::backend::Failure;
use crate::emulator::trace::{RecordError, Setup, record};
use crate::emulator::{self, Blocks, Memory, Module, Options};
use crate::work::trace::Trace;
use crate::work::{Inputs, Progress, Work};

/// Blocks of an earlier launch that run before it looks whether to stop.
const AT_ONCE: u64 = 1 << 12;

impl Emulated {
    /// The same, telling `progress` how far its launches have come.
    #[must_use]
    pub fn reporting(self, progress: Arc<Progress>) -> Self {
        Self { progress, ..self }
    }

    /// Takes the steps of `work` before launch number `launch` (from 0, host stages not
    /// counted) and records `block` of it. `None` once `stop` is set.
    ///
    /// # Errors
    /// The work cannot be loaded or has no such launch or block, or something before the
    /// block trapped. A trap of the block itself is part of the trace.
    pub fn trace(
        &mut self,
        work: &Work,
        inputs: &Inputs,
        launch: usize,
        block: u64,
        stop: &Arc<AtomicBool>,
    ) -> Result<Option<Trace>, Failure> {
        self.progress.reset();
        let running = self.load(work, inputs, false)?;
        let mut left = launch;
        let mut found = None;
        for (index, step) in running.steps.iter().enumerate() {
            let ready = match step {
                ReadyStep::Host(stage) => {
                    running.stage(stage).map_err(Failure::Load)?;
                    continue;
                }
                ReadyStep::Launch(ready) => ready,
            };
            ready.check(&self.spec)?;
            if left == 0 {
                found = Some(index);
                break;
            }
            left -= 1;
            if !ready.all_blocks(&running.memory, stop)? {
                return Ok(None);
            }
        }
        let Running { memory, steps, .. } = running;
        if let Some(ReadyStep::Launch(ready)) = found.and_then(|index| steps.get(index)) {
            return ready.record(work, memory, block, Arc::clone(stop));
        }
        let launches = work.launches().count();
        Err(Failure::Load(format!(
            "there is no launch {launch}: the case has {launches}, numbered from 0"
        )))
    }
}

impl ReadyLaunch {
    /// Runs all of its blocks; false if it was stopped before the last.
    fn all_blocks(&self, memory: &Memory, stop: &AtomicBool) -> Result<bool, Failure> {
        let count = self.launch.grid.count();
        for first in (0..count).step_by(AT_ONCE as usize) {
            if stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            self.blocks(memory, Blocks::From { first, count: AT_ONCE }, false)?;
        }
        Ok(true)
    }

    /// Records one of its blocks.
    fn record(
        &self,
        work: &Work,
        memory: Memory,
        block: u64,
        stop: Arc<AtomicBool>,
    ) -> Result<Option<Trace>, Failure> {
        let load = |error: emulator::LoadError| Failure::Load(error.to_string());
        let module = Module::load_file(work.module.ptx, work.module.path).map_err(load)?;
        let setup = Setup {
            grid: self.launch.grid,
            block: self.launch.block,
            shared_bytes: self.launch.shared_bytes,
            args: self.args.clone(),
            cluster: None,
            budget: Options::default().budget,
            threads: 0,
            progress: Some(Arc::clone(&self.progress)),
            stop: Some(stop),
        };
        match record(&module, &self.launch.kernel, setup, memory, block) {
            Ok(trace) => Ok(Some(trace)),
            Err(RecordError::Stopped) => Ok(None),
            Err(RecordError::Before(trap)) => Err(Failure::Trap(*trap)),
            Err(error) => Err(Failure::Load(error.to_string())),
        }
    }
}
