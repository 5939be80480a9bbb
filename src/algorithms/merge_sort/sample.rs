//! What single blocks of a merge sort read, for samples of them.
//!
//! The first launch reads the input. Every later one reads sorted runs that the ones
//! before it would have left, and those come from [`Runs`]: of an ordered input the true
//! ones, of a drawn input others of the same distribution, in value no part of the sort.
//! A block gets the words that it merges and, around them, the words that its searches
//! compare. Of these only the order matters: what comes before the words that the block
//! merges is the least word there, what comes after them the greatest, which decides
//! every comparison as the runs themselves would.

use std::ops::Range;

use super::steps::{ARRAYS, Method, SPLITS, Shape, WORDS};
use super::{with_payload, words_from};
use crate::algorithms::inputs::Runs;
use crate::experiment::Case;
use crate::work::{HostBuffer, Part, Places, Prepare};

/// Words between two places that a search reads up to which they go in one part.
const GAP: u64 = 32;

/// Makes what one block of one step reads.
pub(super) fn prepare(case: &Case) -> Prepare {
    let state = State {
        runs: Runs::new(case.dist, case.seed, case.n),
        shape: Shape::of(case),
        method: Method::of(case),
        threads: u64::from(case.block),
        with_payload: with_payload(case),
    };
    Box::new(move |step, block| state.parts(step, block))
}

/// Makes `n` words in sorted runs of `width`, for what merges those that blocks leave.
pub(super) fn sorted_runs(case: &Case, n: u64, width: u64) -> Prepare {
    let runs = Runs::new(case.dist, case.seed, n);
    let shape = Shape::of(case);
    let from = ARRAYS[Shape::levels(shape.items, shape.tile) as usize % 2];
    let with_payload = with_payload(case);
    Box::new(move |_, _| {
        let mut keys = vec![0; n as usize];
        runs.fill(width, 0, &mut keys);
        vec![Part::new(from, 0, words_from(0, keys, with_payload))]
    })
}

struct State {
    runs: Runs,
    shape: Shape,
    method: Method,
    threads: u64,
    with_payload: bool,
}

/// A pair of runs that are merged, by places, and how many words the block takes from
/// each before its first and before its last word.
struct Pair {
    width: u64,
    left: Range<u64>,
    right: Range<u64>,
}

impl Pair {
    /// The pair of runs of `width` words that the output's `place` lies in.
    fn around(place: u64, width: u64, n: u64) -> Self {
        let first = place / (2 * width) * (2 * width);
        let middle = (first + width).min(n);
        Self { width, left: first..middle, right: middle..(middle + width).min(n) }
    }

    /// How many of the first `diagonal` merged words come from the left run, where
    /// `at` gives the key at a place: the kernel's own search.
    fn split(&self, diagonal: u64, mut at: impl FnMut(u64) -> u32) -> u64 {
        let mut search = Search::new(self, diagonal);
        while let Some((left, right)) = search.reads(self) {
            search.step(at(left) <= at(right));
        }
        search.low
    }
}

/// A search along a diagonal.
#[derive(Debug, Clone, Copy)]
struct Search {
    diagonal: u64,
    low: u64,
    high: u64,
}

impl Search {
    fn new(pair: &Pair, diagonal: u64) -> Self {
        let count = |run: &Range<u64>| run.end - run.start;
        let low = diagonal.saturating_sub(count(&pair.right));
        Self { diagonal, low, high: diagonal.min(count(&pair.left)) }
    }

    /// The places that it compares next, if any.
    fn reads(&self, pair: &Pair) -> Option<(u64, u64)> {
        let middle = self.middle();
        (self.low < self.high)
            .then(|| (pair.left.start + middle, pair.right.start + self.diagonal - 1 - middle))
    }

    fn middle(&self) -> u64 {
        u64::midpoint(self.low, self.high)
    }

    /// Goes on, where the left word comes first or not.
    fn step(&mut self, left_first: bool) {
        if left_first {
            self.low = self.middle() + 1;
        } else {
            self.high = self.middle();
        }
    }
}

impl State {
    fn parts(&self, step: usize, block: u64) -> Vec<Part> {
        let Shape { n, items, tile, .. } = self.shape;
        let first = block * tile;
        let tile = first..(first + tile).min(n);
        let Some(later) = step.checked_sub(1) else {
            let mut keys = vec![0; tile.end.saturating_sub(first) as usize];
            self.runs.input().fill(first, &mut keys);
            return vec![self.part(WORDS, first, keys)];
        };
        match self.method {
            Method::MergePath => self.path(ARRAYS[later % 2], items << later, tile),
            Method::BitonicBlock => {
                let (level, from) = (later / 2, ARRAYS[later / 2 % 2]);
                let width = self.shape.tile << level;
                if later % 2 == 0 {
                    self.searched(from, width, block)
                } else {
                    self.tile(from, width, block)
                }
            }
            Method::InsertionPerThread
                if later == 0 && Shape::levels(items, self.shape.tile) > 0 =>
            {
                vec![self.run(ARRAYS[0], items, tile)]
            }
            Method::InsertionPerThread => {
                let from = Shape::levels(items, self.shape.tile) as usize % 2;
                vec![self.run(ARRAYS[from], self.shape.tile, 0..n)]
            }
        }
    }

    /// Keys as words of a buffer, from word `first` on.
    fn part(&self, buffer: usize, first: u64, keys: Vec<u32>) -> Part {
        Part::new(buffer, first, words_from(first, keys, self.with_payload))
    }

    /// Words of the runs of `width` words.
    fn run(&self, buffer: usize, width: u64, places: Range<u64>) -> Part {
        let mut keys = vec![0; places.end.saturating_sub(places.start) as usize];
        self.runs.fill(width, places.start, &mut keys);
        self.part(buffer, places.start, keys)
    }

    /// What a block reads that merges straight from global memory: every thread of it
    /// searches where to begin.
    fn path(&self, buffer: usize, width: u64, out: Range<u64>) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut place = out.start;
        while place < out.end {
            let pair = Pair::around(place, width, self.shape.n);
            let end = out.end.min(pair.right.end);
            let start = pair.left.start;
            if 2 * width <= 2 * self.shape.tile {
                parts.push(self.run(buffer, width, start..pair.right.end));
            } else {
                self.searched_pair(buffer, &pair, place - start..end - start, &mut parts);
            }
            place = end;
        }
        parts
    }

    /// The words that a part of a pair's merged words comes from, and those that the
    /// searches for each thread's first word compare.
    fn searched_pair(
        &self,
        buffer: usize,
        pair: &Pair,
        diagonals: Range<u64>,
        parts: &mut Vec<Part>,
    ) {
        let key = |place| self.runs.at(pair.width, place);
        let (before, after) = (pair.split(diagonals.start, key), pair.split(diagonals.end, key));
        // One word more than is merged: threads read ahead.
        let stretch = |run: &Range<u64>, from: u64, to: u64| {
            let places = run.start + from..(run.start + to + 1).min(run.end);
            let mut keys = vec![0; (places.end - places.start) as usize];
            self.runs.fill(pair.width, places.start, &mut keys);
            Stretch { places, keys }
        };
        let left = stretch(&pair.left, before, after);
        let right = stretch(&pair.right, diagonals.start - before, diagonals.end - after);

        // Merges them, to know where each thread begins.
        let items = self.shape.items;
        let (mut i, mut j) = (0, 0);
        let mut searches = Vec::new();
        for diagonal in diagonals {
            if diagonal.is_multiple_of(items) {
                searches.push((Search::new(pair, diagonal), before + i as u64));
            }
            let left_first = match (left.keys.get(i), right.keys.get(j)) {
                (Some(left), Some(right)) => left <= right,
                (left, _) => left.is_some(),
            };
            if left_first { i += 1 } else { j += 1 }
        }
        // Threads search side by side, and read neighbouring places at each step.
        let mut sides = [Probed::new(&left), Probed::new(&right)];
        while !searches.is_empty() {
            searches.retain_mut(|(search, split)| {
                let Some((left, right)) = search.reads(pair) else { return false };
                sides[0].read(left);
                sides[1].read(right);
                search.step(search.middle() < *split);
                true
            });
        }
        for side in sides {
            let probed = side.ranges.into_iter().map(|range| {
                let keys = range.clone().map(|place| side.stretch.key(place)).collect();
                self.part(buffer, range.start, keys)
            });
            parts.extend(probed);
        }
        parts.extend([left, right].map(|it| self.part(buffer, it.places.start, it.keys)));
    }

    /// What a block reads that looks for the splits of tiles, one for each thread. It
    /// stays with the words that are expected where it looks.
    fn searched(&self, buffer: usize, width: u64, block: u64) -> Vec<Part> {
        let Shape { n, tile, grid, .. } = self.shape;
        let (mut places, mut keys) = (Vec::new(), Vec::new());
        let first = block * self.threads;
        for index in first..(first + self.threads).min(grid) {
            let out = index * tile;
            let pair = Pair::around(out, width, n);
            pair.split(out.saturating_sub(pair.left.start), |place| {
                let key = self.runs.about(width, place);
                places.push(place);
                keys.push(key);
                key
            });
        }
        let values = words_from(0, keys, self.with_payload);
        vec![Part { buffer, places: Places::Each(places), values }]
    }

    /// What a block reads that merges a tile: its splits, and the words between them.
    fn tile(&self, buffer: usize, width: u64, block: u64) -> Vec<Part> {
        let Shape { n, tile, .. } = self.shape;
        let out = block * tile..((block + 1) * tile).min(n);
        let pair = Pair::around(out.start, width, n);
        let start = pair.left.start;
        let key = |place| self.runs.at(width, place);
        let before = pair.split(out.start - start, key);
        let after = pair.split(out.end.max(out.start) - start, key);
        let mut splits = vec![before as u32];
        if out.end < pair.right.end {
            splits.push(after as u32);
        }
        let right = |diagonal: u64, left: u64| pair.right.start + (diagonal - start) - left;
        vec![
            Part::new(SPLITS, block, HostBuffer::U32(splits)),
            self.run(buffer, width, start + before..start + after),
            self.run(buffer, width, right(out.start, before)..right(out.end, after)),
        ]
    }
}

/// Consecutive words of a run that a block merges.
struct Stretch {
    places: Range<u64>,
    keys: Vec<u32>,
}

impl Stretch {
    /// The key at a place of the run, or one that compares as it does.
    fn key(&self, place: u64) -> u32 {
        if place < self.places.start {
            return 0;
        }
        self.keys.get((place - self.places.start) as usize).copied().unwrap_or(u32::MAX)
    }
}

/// Places that searches read of a run.
struct Probed<'a> {
    stretch: &'a Stretch,
    ranges: Vec<Range<u64>>,
}

impl<'a> Probed<'a> {
    fn new(stretch: &'a Stretch) -> Self {
        Self { stretch, ranges: Vec::new() }
    }

    fn read(&mut self, place: u64) {
        if self.stretch.places.contains(&place) {
            return;
        }
        match self.ranges.last_mut() {
            Some(last) if last.start <= place && place < last.end + GAP => {
                last.end = last.end.max(place + 1);
            }
            _ => self.ranges.push(place..place + 1),
        }
    }
}
