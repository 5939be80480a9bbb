//! What single blocks of the pipeline read, so that a few of them can stand for all.
//!
//! Where a block puts its keys depends on how many all others have of each part, and to
//! count those would take as long as to run them. But what a block costs depends on
//! places only by how they lie in sectors and beside each other. So the blocks that run
//! are partitioned as if there were only they and some more, spread over the input: a
//! real partition of a subset of the keys, in which no key is placed outside the
//! output. A small input is that subset as a whole. Keys that rise or fall keep their
//! true places, but for multiples of [`NEAR`]: how those of a part lie is no chance.

use std::cell::RefCell;

use super::ramp::Ramp;
use super::{BEGINS, CURSORS, Field, Histogram, KEYS, OFFSETS, RadixPartition, Stages};
use super::{chunk, columns, scans};
use crate::algorithms::Algorithm;
use crate::algorithms::inputs::Generator;
use crate::experiment::Case;
use crate::work::{HostBuffer, Part, Places, Prepare, Sampling};

/// Keys that are counted whether their blocks run or not, about: enough to keep parts
/// apart from each other.
const COUNTED: u64 = 1 << 16;

/// Keys that those blocks read that run, and counts in the columns of their own that
/// they touch, at most: each count lies in another page of memory.
const MOST_KEYS: u64 = 1 << 22;
const MOST_COUNTS: u64 = 1 << 17;

/// Keys by which places may be off and lie as the true ones do, in sectors and in the sets
/// of an L1: 256 KiB of each part in place of all of it, and more than there is of parts
/// of which a warp meets several.
const NEAR: u64 = 1 << 16;

/// How a case is sampled.
pub(super) fn sampling(case: &Case) -> Sampling {
    let blocks = Sampling::Few(prepare(case), most_blocks(case));
    let case = case.clone();
    Sampling::Smaller(Box::new(move |step| scans::stand_ins(&case, step)), Box::new(blocks))
}

/// Blocks between the first and the last that tell enough.
fn most_blocks(case: &Case) -> u64 {
    let stages = Stages::of(&case.variant);
    let parts = u64::from(Field::of(case).parts());
    let counts = if stages.reorder.keeps_order() { parts } else { 1 };
    // How atomics spread over the slices of L2 takes more of them to tell.
    let most_counts = match stages.histogram {
        Histogram::Global => 2 * MOST_COUNTS,
        Histogram::Shared => MOST_COUNTS,
    };
    (MOST_KEYS / u64::from(chunk(case))).min(most_counts / counts)
}

/// Keys and places of the blocks of a case.
pub(super) fn prepare(case: &Case) -> Prepare {
    let blocks = Blocks::of(case);
    let reorder = RadixPartition.work(case).steps.len().saturating_sub(1);
    let run = RefCell::new(Run::default());
    Box::new(move |step, block| {
        if step == reorder {
            blocks.places(&mut run.borrow_mut(), block)
        } else if step == 0 {
            vec![part(KEYS, block * blocks.chunk, blocks.keys(block))]
        } else {
            // What a scan does depends on no count.
            Vec::new()
        }
    })
}

/// The keys of each block, and where they go.
struct Blocks {
    generator: Generator,
    n: u64,
    chunk: u64,
    field: Field,
    /// Counts per part, where order is kept.
    columns: Option<u64>,
    /// Where the keys of larger inputs truly go and each part begins, where that is
    /// known.
    ramp: Option<(Ramp, Vec<u32>)>,
    /// Every so manieth block is counted in any case.
    every: u64,
    /// How many keys of each part those have.
    totals: Vec<u32>,
}

/// The blocks so far of those that run together; they come in order.
#[derive(Default)]
struct Run {
    /// The lowest that may come next.
    next: u64,
    /// How many keys of each part those have that count and come before that.
    before: Vec<u32>,
    /// Likewise of all that count.
    totals: Vec<u32>,
}

impl Blocks {
    fn of(case: &Case) -> Self {
        let stages = Stages::of(&case.variant);
        let columns = u64::from(columns(case, stages));
        let begins =
            |ramp: &Ramp| (0..Field::of(case).parts()).map(|it| ramp.begin(it) as u32).collect();
        let ramp = Ramp::of(case).filter(|_| case.n > COUNTED).map(|it| {
            let begins = begins(&it);
            (it, begins)
        });
        let mut blocks = Self {
            generator: Generator::new(case.dist, case.seed, case.n),
            n: case.n,
            chunk: chunk(case).into(),
            field: Field::of(case),
            columns: stages.reorder.keeps_order().then_some(columns),
            ramp,
            every: case.n.div_ceil(COUNTED).max(1),
            totals: Vec::new(),
        };
        let mut totals = vec![0; blocks.field.parts() as usize];
        blocks.count(&mut totals, 0, case.n.div_ceil(blocks.chunk));
        blocks.totals = totals;
        blocks
    }

    fn keys(&self, block: u64) -> Vec<u32> {
        let first = (block * self.chunk).min(self.n);
        let mut keys = vec![0; self.chunk.min(self.n - first) as usize];
        self.generator.fill(first, &mut keys);
        keys
    }

    /// The part of each key of a block.
    fn held(&self, keys: &[u32]) -> impl Iterator<Item = usize> {
        keys.iter().map(|&key| self.field.part(key) as usize)
    }

    /// Adds the keys of blocks from `first` to before `end` that are counted in any
    /// case.
    fn count(&self, counts: &mut [u32], first: u64, end: u64) {
        for block in (first.next_multiple_of(self.every)..end).step_by(self.every as usize) {
            self.held(&self.keys(block)).for_each(|part| counts[part] += 1);
        }
    }

    /// What block `block` of the reorder reads, after those of `run`.
    fn places(&self, run: &mut Run, block: u64) -> Vec<Part> {
        let keys = self.keys(block);
        let mut parts = match (&self.ramp, self.columns) {
            (Some((ramp, begins)), Some(columns)) => {
                self.true_places(ramp, begins, columns, &keys, block)
            }
            _ => self.places_in(run, &keys, block),
        };
        parts.push(part(KEYS, block * self.chunk, keys));
        parts
    }

    /// Where the keys of a ramp go.
    fn true_places(
        &self,
        ramp: &Ramp,
        begins: &[u32],
        columns: u64,
        keys: &[u32],
        block: u64,
    ) -> Vec<Part> {
        let mut counts = vec![0_u32; begins.len()];
        self.held(keys).for_each(|of| counts[of] += 1);
        let held = (0..).zip(counts.into_iter().zip(begins)).filter(|(_, (count, _))| *count > 0);
        let offsets = held.map(|(of, (count, begin))| {
            let offset = ramp.before(of, block * self.chunk) % NEAR;
            // Where a part comes back many times its keys are known to a few.
            let room = self.n as i64 - i64::from(*begin) - i64::from(count);
            (u64::from(of) * columns + block, room.min(offset as i64) as u32)
        });
        vec![part(BEGINS, 0, begins.to_vec()), scattered(OFFSETS, offsets)]
    }

    /// Where keys go in the partition of those that count.
    fn places_in(&self, run: &mut Run, keys: &[u32], block: u64) -> Vec<Part> {
        let mut parts = Vec::new();
        if run.before.is_empty() || block < run.next {
            let none = vec![0; self.totals.len()];
            if self.columns.is_none() {
                parts.push(part(CURSORS, 0, none.clone()));
            }
            *run = Run { next: 0, before: none, totals: self.totals.clone() };
        }
        self.count(&mut run.before, run.next, block);
        run.next = block + 1;
        if let Some(columns) = self.columns {
            let mut placed = vec![false; run.before.len()];
            let held = self.held(keys).filter(|&of| !std::mem::replace(&mut placed[of], true));
            let offsets = held.map(|of| (of as u64 * columns + block, run.before[of]));
            parts.push(scattered(OFFSETS, offsets));
        }
        for of in self.held(keys) {
            run.before[of] += 1;
            run.totals[of] += u32::from(!block.is_multiple_of(self.every));
        }
        // Those of the last block stay, and count what all before it have.
        let begins = run.totals.iter().scan(0, |sum, count| {
            let begin = *sum;
            *sum += count;
            Some(begin)
        });
        parts.push(part(BEGINS, 0, begins.collect()));
        parts
    }
}

fn part(buffer: usize, first: u64, values: Vec<u32>) -> Part {
    Part::new(buffer, first, HostBuffer::U32(values))
}

fn scattered(buffer: usize, values: impl Iterator<Item = (u64, u32)>) -> Part {
    let (places, values) = values.unzip();
    Part { buffer, places: Places::Each(places), values: HostBuffer::U32(values) }
}
