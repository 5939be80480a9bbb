//! What single blocks of the pipeline read, so that a few of them can stand for all.
//!
//! Where a block puts its keys depends on how many all others have of each part, and to
//! count those would take as long as to run them. But what a block costs depends on
//! places only by how they lie in sectors and beside each other. So the blocks that run
//! are partitioned as if there were only they and some more, spread over the input: a
//! real partition of a subset of the keys, in which no key is placed outside the
//! output. A small input is that subset as a whole.

use std::cell::RefCell;

use super::{BEGINS, CURSORS, Field, KEYS, OFFSETS, RadixPartition, Stages, chunk, columns};
use crate::algorithms::Algorithm;
use crate::algorithms::inputs::Generator;
use crate::experiment::Case;
use crate::launch::{HostBuffer, Part, Prepare};

/// Keys that are counted whether their blocks run or not, about: enough to keep parts
/// apart from each other.
const COUNTED: u64 = 1 << 16;

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
        let mut blocks = Self {
            generator: Generator::new(case.dist, case.seed, case.n),
            n: case.n,
            chunk: chunk(case).into(),
            field: Field::of(case),
            columns: stages.reorder.keeps_order().then_some(columns),
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
        let mut parts = Vec::new();
        let keys = self.keys(block);
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
            for of in self.held(&keys) {
                if !std::mem::replace(&mut placed[of], true) {
                    let offset = vec![run.before[of]];
                    parts.push(part(OFFSETS, of as u64 * columns + block, offset));
                }
            }
        }
        for of in self.held(&keys) {
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
        parts.push(part(KEYS, block * self.chunk, keys));
        parts
    }
}

fn part(buffer: usize, first: u64, values: Vec<u32>) -> Part {
    Part::new(buffer, first, HostBuffer::U32(values))
}
