//! Running a few blocks of every launch in place of all.

use std::time::Instant;

use super::anatomy::Dissection;
use super::{Emulated, ReadyLaunch, ReadyStep, Running, Totals, fill};
use crate::backend::{Failure, Sample};
use crate::emulator::{self, Blocks, Memory, Outcome, estimate};
use crate::gpu::{History, Profile};
use crate::launch::{Buffer, HostBuffer, Init, Inputs, Part, Prepare, Sampling, Work};

/// Most blocks run of those between the first and the last: several waves of the
/// largest GPUs.
const MOST_BLOCKS: u64 = 512;

/// Fewest, however long a block takes: they are spread evenly, so that work that
/// grows or shrinks along the grid is met as it is.
const LEAST_BLOCKS: u64 = 24;

/// Thread instructions that a launch's sample may take: some tenths of a second.
const BUDGET: u64 = 400_000_000;

/// Puts into memory what a buffer starts from, but for inputs, and for a large one
/// that is filled: that is an output, which nothing reads before it is written.
fn start_of(memory: &mut Memory, buffer: &Buffer, address: u64) -> Result<(), String> {
    match buffer.init {
        Init::Input { .. } => Ok(()),
        Init::Filled { .. } if buffer.bytes() > 1 << 24 => Ok(()),
        _ => fill(memory, buffer, address, &Inputs::new()),
    }
}

impl Emulated {
    /// Counts and time from a few blocks of each launch.
    pub(super) fn sampled(&mut self, work: &Work, sampling: &Sampling) -> Result<Sample, Failure> {
        let (prepare, prefix) = match sampling {
            Sampling::Refused(reason) => {
                return Err(Failure::Load(format!("it cannot be sampled: {reason}")));
            }
            Sampling::Blocks(prepare) => (prepare, false),
            Sampling::Prefix(prepare) => (prepare, true),
        };
        let start = Instant::now();
        let mut running = self.empty(work)?;
        let steps = std::mem::take(&mut running.steps);
        let dissection = self.dissects.then(|| Dissection::new(&self.profile));
        let mut totals = Totals::new(running.phases.len(), dissection);
        let mut history = History::default();
        let mut seen = self.seen.is_some().then(Vec::new);
        for (index, step) in steps.iter().enumerate() {
            match step {
                ReadyStep::Host(stage) => {
                    totals.stage(&running, index, stage, &self.profile).map_err(Failure::Load)?;
                }
                ReadyStep::Launch(ready) => {
                    ready.check(&self.profile)?;
                    let outcome =
                        running.some_blocks(ready, &self.profile, index, prepare, prefix)?;
                    let prediction = ready.predict(&outcome, &self.profile, &mut history);
                    totals.launch(&running, index, (ready, &outcome), prediction, &self.profile);
                    if let Some(seen) = &mut seen {
                        seen.push(ready.seen(outcome));
                    }
                }
            }
        }
        self.seen = seen;
        Ok(totals.finish(start.elapsed().as_secs_f64()))
    }

    /// The work with buffers that hold what they start from, but for the inputs,
    /// which are zeros until a block needs them.
    fn empty(&mut self, work: &Work) -> Result<Running, Failure> {
        let mut memory = Memory::new();
        let mut buffers = Vec::new();
        for buffer in &work.buffers {
            let address = memory.allocate(buffer.bytes());
            start_of(&mut memory, buffer, address).map_err(Failure::Load)?;
            buffers.push((*buffer, address));
        }
        let steps = self.steps(work, &buffers)?;
        let (inputs, phases) = (Inputs::new(), work.phases());
        Ok(Running { memory, buffers, inputs, steps, phases, used: true })
    }
}

impl Running {
    /// What all blocks of a launch do, from a few of them.
    fn some_blocks(
        &mut self,
        ready: &ReadyLaunch,
        profile: &Profile,
        step: usize,
        prepare: &Prepare,
        prefix: bool,
    ) -> Result<Outcome, Failure> {
        let all = ready.launch.grid.count();
        let run = |running: &Self, blocks: Blocks| {
            for block in blocks.indices(all) {
                running.place(prepare(step, block));
            }
            ready.blocks(&running.memory, profile, blocks)
        };
        if all <= LEAST_BLOCKS + 2 {
            return run(self, Blocks::All);
        }
        let within_budget = |instructions: u64, blocks: u64| {
            let each = instructions / blocks.max(1);
            (BUDGET / each.max(1)).clamp(LEAST_BLOCKS, MOST_BLOCKS)
        };
        if prefix {
            // As many again count as all the others do: those that came first had
            // nothing to look back on.
            let first = all.min(LEAST_BLOCKS);
            let start = run(self, Blocks::First(first))?;
            let count = (first + within_budget(start.counters.thread_instructions, first)).min(all);
            self.restart().map_err(Failure::Load)?;
            let both = run(self, Blocks::First(count))?;
            return Ok(emulator::extend(start, &both, (first, count), all));
        }
        let ends = run(self, Blocks::Ends)?;
        let count = within_budget(ends.counters.thread_instructions, 2).min(all - 2);
        let between = run(self, Blocks::Between(count))?;
        Ok(estimate(ends, &between, count, all))
    }

    /// Puts back what buffers but the inputs held before the first launch.
    fn restart(&mut self) -> Result<(), String> {
        for (buffer, address) in &self.buffers {
            if buffer.written && !matches!(buffer.init, Init::Input { .. }) {
                start_of(&mut self.memory, buffer, *address)?;
            }
        }
        Ok(())
    }

    /// Puts parts of buffers into memory.
    fn place(&self, parts: Vec<Part>) {
        for part in parts {
            let Some((buffer, address)) = self.buffers.get(part.buffer) else { continue };
            let first = part.first * buffer.element.bytes() / 4;
            match &part.values {
                HostBuffer::U32(values) => self.memory.write_u32_at(*address, first, values),
                other => self.memory.write_u32_at(*address, first, &other.words()),
            }
        }
    }
}
