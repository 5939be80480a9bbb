//! Running a few blocks of every launch in place of all.

use std::time::Instant;

use super::profiler::Profiler;
use super::{Emulated, ReadyLaunch, ReadyStep, Running, Totals, fill};
use crate::backend::{Failure, Sample};
use crate::emulator::{self, Blocks, Memory, Outcome, SmallerRun, estimate};
use crate::gpu::History;
use crate::work::{
    Buffer, HostBuffer, Init, Inputs, Part, Places, Prepare, Sampling, StandIn, Work,
};

/// Most blocks run of those between the first and the last: several waves of the
/// largest GPUs.
const MOST_BLOCKS: u64 = 512;

/// Fewest, however long a block takes: they are spread evenly, so that work that
/// grows or shrinks along the grid is met as it is.
const LEAST_BLOCKS: u64 = 24;

/// Thread instructions that a launch's sample may take: some tenths of a second.
const BUDGET: u64 = 400_000_000;

/// Launches up to which each may take as much; more of them share that.
const MANY_LAUNCHES: u64 = 4;

/// Fewest blocks between the first and the last where there are many launches, of
/// which each is a small part.
const LEAST_OF_MANY: u64 = 6;

/// How much each launch may run.
#[derive(Debug, Clone, Copy)]
struct Share {
    least: u64,
    most: u64,
    instructions: u64,
}

impl Share {
    /// That of one among so many launches.
    fn of_one(launches: u64) -> Self {
        let of_all = |whole: u64| whole * MANY_LAUNCHES / launches.max(MANY_LAUNCHES);
        let least = of_all(2 * LEAST_BLOCKS).clamp(LEAST_OF_MANY, LEAST_BLOCKS);
        Self { least, most: of_all(MOST_BLOCKS).max(least), instructions: of_all(BUDGET) }
    }

    /// The same, and so many blocks at most where that is not too few.
    fn at_most(self, blocks: u64) -> Self {
        Self { most: blocks.clamp(self.least, self.most), ..self }
    }

    /// How many blocks that is, where `count` of them did so much.
    fn blocks(self, did: &Outcome, count: u64) -> u64 {
        let each = did.counters.thread_instructions / count.max(1);
        (self.instructions / each.max(1)).clamp(self.least, self.most)
    }
}

/// Puts into memory what a buffer starts from, but for inputs, and for a large one
/// that is filled: that is an output, which nothing reads before it is written.
fn start_of(memory: &mut Memory, buffer: &Buffer, address: u64) -> Result<(), String> {
    match buffer.init {
        Init::Input { .. } => Ok(()),
        Init::Filled { .. } if buffer.bytes() > 1 << 24 => Ok(()),
        _ => fill(memory, buffer, address, &Inputs::new()),
    }
}

/// Bytes of L1 for a smaller launch whose buffers have `less` bytes, in place of a larger
/// one that finds `cache` for `whole`: as much, but where the larger one's do not fit, the
/// same part of them, between a quarter and one in `most_parts`.
fn less_cache(cache: u64, whole: u64, less: u64, most_parts: u64) -> u64 {
    // The replayed cache has a power of two of sets, as many as hold at least this.
    if whole <= cache.next_power_of_two() {
        return cache;
    }
    let same_part = u128::from(cache) * u128::from(less) / u128::from(whole);
    (same_part as u64).max(less / most_parts.max(4)).min(less / 4).min(cache)
}

impl Emulated {
    /// Counts and time from a few blocks of each launch.
    pub(super) fn sampled(&mut self, work: &Work, sampling: &Sampling) -> Result<Sample, Failure> {
        let start = Instant::now();
        let mut running = self.empty(work)?;
        let steps = std::mem::take(&mut running.steps);
        let profiler = self.profiles_kernels.then(|| Profiler::new(&self.spec));
        let mut totals = Totals::new(running.phases.len(), profiler);
        let mut history = History::default();
        let mut seen = self.seen.is_some().then(Vec::new);
        let share = Share::of_one(work.launches().count() as u64);
        for (index, step) in steps.iter().enumerate() {
            match step {
                ReadyStep::Host(stage) => {
                    totals.stage(&running, index, stage, &self.spec).map_err(Failure::Load)?;
                }
                ReadyStep::Launch(ready) => {
                    ready.check(&self.spec)?;
                    let (smaller, sampling) = match sampling {
                        Sampling::Smaller(smaller, others) => (smaller(index), others.as_ref()),
                        _ => (Vec::new(), sampling),
                    };
                    let outcome = if smaller.is_empty() {
                        running.some_blocks(ready, index, sampling, share)?
                    } else {
                        self.smaller_runs(ready, work, smaller, share)?
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

    /// What all blocks of a launch of `work` do, from smaller launches.
    fn smaller_runs(
        &mut self,
        ready: &ReadyLaunch,
        work: &Work,
        smaller: Vec<StandIn>,
        share: Share,
    ) -> Result<Outcome, Failure> {
        let mut smaller_runs = Vec::new();
        for StandIn { work: less, sampling, mean, longest, atomics, cached } in smaller {
            let mut running = self.empty(&less)?;
            for (index, step) in std::mem::take(&mut running.steps).into_iter().enumerate() {
                let ReadyStep::Launch(mut step) = step else { continue };
                step.l1_bytes = less_cache(ready.l1_bytes, work.bytes(), less.bytes(), cached);
                let outcome = running.some_blocks(&step, index, &sampling, share)?;
                let blocks = step.launch.grid.count();
                smaller_runs.push(SmallerRun { outcome, blocks, mean, longest, atomics });
            }
        }
        let mut outcome = emulator::extrapolate(&smaller_runs, ready.launch.grid.count());
        for (touched, buffer) in outcome.touched.iter_mut().zip(&work.buffers) {
            touched.bytes = buffer.bytes();
        }
        Ok(outcome)
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
        step: usize,
        sampling: &Sampling,
        share: Share,
    ) -> Result<Outcome, Failure> {
        let share = match sampling {
            Sampling::Few(_, most) => share.at_most(*most),
            _ => share,
        };
        let all = ready.launch.grid.count();
        let together = |running: &Self, prepare: &Prepare, blocks: Blocks| {
            for block in blocks.indices(all) {
                running.place(prepare(step, block));
            }
            ready.blocks(&running.memory, blocks, true)
        };
        let one_by_one = |running: &Self, prepare: &Prepare, blocks: Blocks| {
            let count = blocks.count(all);
            // The first, the last and two in between, as of all blocks.
            let (third, two_thirds) = (count / 3, count * 2 / 3);
            let recorded = match blocks {
                Blocks::Between(_) => [third, two_thirds, third, two_thirds],
                _ => [0, third, two_thirds, count.saturating_sub(1)],
            };
            let mut outcome = Outcome::default();
            for (at, block) in (0..).zip(blocks.indices(all)) {
                running.place(prepare(step, block));
                let (one, recorded) = (Blocks::One(block), recorded.contains(&at));
                outcome = outcome.with(&ready.blocks(&running.memory, one, recorded)?, (1, 1));
            }
            Ok(outcome)
        };
        let run = |running: &Self, blocks: Blocks| match sampling {
            Sampling::Apart(prepare) => one_by_one(running, prepare, blocks),
            Sampling::Blocks(prepare) | Sampling::Few(prepare, _) | Sampling::Prefix(prepare) => {
                together(running, prepare, blocks)
            }
            Sampling::Refused(reason) => {
                Err(Failure::Load(format!("it cannot be sampled: {reason}")))
            }
            Sampling::Smaller(..) => Err(Failure::Load(
                "what stands for a launch has nothing that stands for it".to_owned(),
            )),
        };
        if all <= share.least + 2 {
            return run(self, Blocks::All);
        }
        if let Sampling::Prefix(_) = sampling {
            // As many again count as all the others do: those that came first had
            // nothing to look back on.
            let first = all.min(share.least);
            let start = run(self, Blocks::First(first))?;
            let count = (first + share.blocks(&start, first)).min(all);
            self.restart().map_err(Failure::Load)?;
            let both = run(self, Blocks::First(count))?;
            return Ok(emulator::extend(start, &both, (first, count), all));
        }
        let ends = run(self, Blocks::Ends)?;
        let count = share.blocks(&ends, 2).min(all - 2);
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
            let words = match part.values {
                HostBuffer::U32(values) => values,
                other => other.words(),
            };
            let each = buffer.element.bytes() / 4;
            match part.places {
                Places::From(first) => self.memory.write_u32_at(*address, first * each, &words),
                Places::Each(places) => {
                    for (place, words) in places.iter().zip(words.chunks(each as usize)) {
                        self.memory.write_u32_at(*address, place * each, words);
                    }
                }
            }
        }
    }
}
