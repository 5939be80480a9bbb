//! CUDA source and PTX line by line, with what each line of a kernel did. The
//! neutral model of the Source screen: no colours, no widths.

mod diff;
mod parts;

pub use diff::{Pair, pair};
pub use parts::functions;

use std::collections::BTreeMap;

use crate::results::record::{KernelAnatomy, LineWork};
use crate::units::{grouped, significant};

/// What of a line's work is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heat {
    /// Instructions of warps.
    #[default]
    Executed,
    /// Lanes that did nothing while their warp worked.
    Divergent,
    /// What memory did beyond the least.
    Conflicting,
}

impl Heat {
    /// Every kind, in the order in which they are switched through.
    pub const ALL: [Self; 3] = [Self::Executed, Self::Divergent, Self::Conflicting];

    /// The one after this, round and round.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Executed => Self::Divergent,
            Self::Divergent => Self::Conflicting,
            Self::Conflicting => Self::Executed,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Divergent => "divergent",
            Self::Conflicting => "conflicting",
        }
    }

    /// What its percentages are shares of.
    pub fn about(self) -> &'static str {
        match self {
            Self::Executed => "share of the instructions that warps issue",
            Self::Divergent => "share of the lanes' places that stay empty",
            Self::Conflicting => "share of what memory does beyond the least",
        }
    }

    /// How much of it there is in `work`.
    pub fn of(self, work: &LineWork) -> u64 {
        match self {
            Self::Executed => work.warps,
            Self::Divergent => work.idle_lanes(),
            Self::Conflicting => work.conflicts(),
        }
    }
}

/// A text with what its lines did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// The lines in order; some of the text may be left out.
    pub lines: Vec<Line>,
    /// What all lines did together, those left out too.
    pub total: LineWork,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: u32,
    /// Its text, tabs replaced.
    pub text: String,
    /// What it did.
    pub work: LineWork,
    /// Numbers of the lines of the other text that belong to it, ascending.
    pub partners: Vec<u32>,
}

impl Listing {
    /// The share that a line has of the whole heat, 0 to 1.
    pub fn share(&self, line: &Line, heat: Heat) -> f64 {
        match heat.of(&self.total) {
            0 => 0.0,
            all => heat.of(&line.work) as f64 / all as f64,
        }
    }

    /// Places of the lines that have any of the heat, the hottest first.
    pub fn hottest(&self, heat: Heat) -> Vec<usize> {
        let hot = |index: &usize| heat.of(&self.lines[*index].work);
        let mut places: Vec<usize> = (0..self.lines.len()).filter(|at| hot(at) > 0).collect();
        places.sort_by_key(|at| (std::cmp::Reverse(hot(at)), *at));
        places
    }

    /// The functions alone that did anything.
    pub fn of_functions(&self) -> Self {
        let text: Vec<&str> = self.lines.iter().map(|line| line.text.as_str()).collect();
        let worked = |range: &std::ops::Range<usize>| {
            self.lines[range.clone()].iter().any(|line| line.work.warps > 0)
        };
        let blank = || Line { number: 0, ..Line::default() };
        let mut lines: Vec<Line> = Vec::new();
        for range in functions(&text.join("\n")).into_iter().filter(worked) {
            if !lines.is_empty() {
                lines.push(blank());
            }
            lines.extend_from_slice(&self.lines[range]);
        }
        Self { lines, total: self.total }
    }

    /// Where the line with this number is, or else the next one that is listed.
    pub fn place(&self, number: u32) -> Option<usize> {
        let at = self.lines.partition_point(|line| line.number < number);
        (at < self.lines.len()).then_some(at)
    }

    /// Where the line of the other text that belongs to the line at `at` is; of
    /// several the hottest. Of a line without one, that of the nearest with one.
    pub fn partner_in(&self, at: usize, other: &Self, heat: Heat) -> Option<usize> {
        let near = (0..self.lines.len())
            .filter(|index| !self.lines[*index].partners.is_empty())
            .min_by_key(|index| (index.abs_diff(at), *index < at))?;
        let places = self.lines[near].partners.iter().filter_map(|number| other.place(*number));
        places.max_by_key(|place| {
            let work = &other.lines[*place].work;
            (heat.of(work), work.warps, std::cmp::Reverse(*place))
        })
    }
}

/// The CUDA source `text` with what each line did in `kernel`.
pub fn source(kernel: &KernelAnatomy, text: &str) -> Listing {
    let mut found: BTreeMap<u32, (LineWork, Vec<u32>)> = BTreeMap::new();
    for instruction in &kernel.instructions {
        let (work, partners) = found.entry(instruction.source).or_default();
        work.add(&instruction.work);
        partners.push(instruction.ptx);
    }
    listing(kernel, (1..).zip(text.lines()), found)
}

/// The part of the PTX `text` that is `kernel`, without the lines that only say
/// where instructions come from.
pub fn ptx(kernel: &KernelAnatomy, text: &str) -> Listing {
    let mut found: BTreeMap<u32, (LineWork, Vec<u32>)> = BTreeMap::new();
    for instruction in &kernel.instructions {
        let (work, partners) = found.entry(instruction.ptx).or_default();
        work.add(&instruction.work);
        partners.extend((instruction.source > 0).then_some(instruction.source));
    }
    let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
    let body = parts::entry(&lines, &kernel.name);
    let mut blank = true;
    let shown = body.iter().copied().filter(move |(_, line)| {
        let word = line.trim();
        if word.starts_with(".loc") {
            return false;
        }
        // Of several empty lines one is enough.
        !std::mem::replace(&mut blank, word.is_empty()) || !word.is_empty()
    });
    listing(kernel, shown, found)
}

fn listing<'a>(
    kernel: &KernelAnatomy,
    lines: impl Iterator<Item = (u32, &'a str)>,
    mut found: BTreeMap<u32, (LineWork, Vec<u32>)>,
) -> Listing {
    let mut total = LineWork::default();
    for instruction in &kernel.instructions {
        total.add(&instruction.work);
    }
    let lines = lines
        .map(|(number, text)| {
            let (work, mut partners) = found.remove(&number).unwrap_or_default();
            partners.sort_unstable();
            partners.dedup();
            Line { number, text: plain(text), work, partners }
        })
        .collect();
    Listing { lines, total }
}

/// A line with spaces for its tabs: four at its start, one between words.
fn plain(text: &str) -> String {
    let code = text.trim_start_matches(['\t', ' ']);
    let start = text[..text.len() - code.len()].replace('\t', "    ");
    format!("{start}{}", code.replace(" \t", " ").replace('\t', " "))
}

/// What a line did, in words; nothing where it did nothing.
pub fn tells(work: &LineWork) -> Vec<String> {
    let mut told = Vec::new();
    let Some(lanes) = work.mean_lanes() else { return told };
    told.push(format!("{} warp instructions", grouped(work.warps)));
    told.push(format!("{} of 32 lanes active", mean(lanes)));
    if work.diverged > 0 {
        told.push(format!("lanes part {} times", grouped(work.diverged)));
    }
    let per = |count: u64, of: u64| mean(count as f64 / of as f64);
    if work.requests > 0 {
        told.push(format!(
            "{} sectors a request, {} would do",
            per(work.sectors, work.requests),
            per(work.ideal_sectors, work.requests)
        ));
    }
    if work.atomics > 0 {
        told.push(format!(
            "{} lanes of an atomic meet on {} addresses",
            per(work.atomic_lanes, work.atomics),
            per(work.atomic_addresses, work.atomics)
        ));
    }
    if work.shared_requests > 0 {
        let each = per(work.wavefronts, work.shared_requests);
        let word = if each == "1" { "pass" } else { "passes" };
        told.push(format!("{each} {word} through the banks each"));
        if work.excess_wavefronts > 0 {
            told.push(format!("{} passes are conflicts", grouped(work.excess_wavefronts)));
        }
    }
    if work.barriers > 0 {
        told.push(format!("{} warps wait at the barrier", grouped(work.barriers)));
    }
    told
}

/// A mean count: whole where it is nearly so.
fn mean(count: f64) -> String {
    if (count - count.round()).abs() < 0.005 { format!("{count:.0}") } else { significant(count) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
