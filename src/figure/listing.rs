//! CUDA source and PTX by line, with the counts of each line: the neutral model of the Source
//! screen.

mod diff;
mod parts;

pub use diff::{Pair, pair};
pub use parts::functions;

use std::collections::BTreeMap;

use crate::analysis::explain::seconds_of_instructions;
use crate::analysis::mean;
use crate::results::record::{InstructionProfile, KernelProfile, LineWork};
use crate::units::grouped;

/// The metric that colours lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Heat {
    /// Time, from the amounts of work that the timing model uses.
    #[default]
    Time,
    /// Warp instructions.
    Executed,
    /// Inactive lanes of active warps.
    Divergent,
    /// Avoidable work of memory.
    Conflicting,
}

impl Heat {
    /// Every metric, in the order of switching.
    pub const ALL: [Self; 4] = [Self::Time, Self::Executed, Self::Divergent, Self::Conflicting];

    /// The next metric, in a cycle.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Time => Self::Executed,
            Self::Executed => Self::Divergent,
            Self::Divergent => Self::Conflicting,
            Self::Conflicting => Self::Time,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Executed => "executed",
            Self::Divergent => "divergent",
            Self::Conflicting => "conflicting",
        }
    }

    /// What its percentages mean.
    pub fn about(self) -> &'static str {
        match self {
            Self::Time => "share of the kernel's time (model)",
            Self::Executed => "share of the warp instructions",
            Self::Divergent => "share of the inactive lanes",
            Self::Conflicting => "share of the avoidable work of memory",
        }
    }

    /// Its value for `work` that takes `seconds`.
    fn of(self, work: &LineWork, seconds: f64) -> f64 {
        match self {
            Self::Time => seconds,
            Self::Executed => work.warps as f64,
            Self::Divergent => work.idle_lanes() as f64,
            Self::Conflicting => work.conflicts() as f64,
        }
    }
}

/// A text with the counts of its lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// The lines in order; some may be left out.
    pub lines: Vec<Line>,
    /// Counts of all lines, those left out included.
    pub total: LineWork,
    /// Predicted seconds of the kernel. Some, such as those of the launch, are of no line.
    pub seconds: f64,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: u32,
    /// Its text, tabs replaced.
    pub text: String,
    /// Its counts.
    pub work: LineWork,
    /// Predicted seconds that it accounts for.
    pub seconds: f64,
    /// Numbers of its lines in the other text, ascending.
    pub partners: Vec<u32>,
}

impl Listing {
    /// The share of a line in the total, 0 to 1.
    pub fn share(&self, line: &Line, heat: Heat) -> f64 {
        let all = heat.of(&self.total, self.seconds);
        if all > 0.0 { line.heat(heat) / all } else { 0.0 }
    }

    /// Indices of lines above 0, the hottest first.
    pub fn hottest(&self, heat: Heat) -> Vec<usize> {
        let hot = |index: &usize| self.lines[*index].heat(heat);
        let mut places: Vec<usize> = (0..self.lines.len()).filter(|at| hot(at) > 0.0).collect();
        places.sort_by(|a, b| hot(b).total_cmp(&hot(a)).then(a.cmp(b)));
        places
    }

    /// Only the functions that ran.
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
        Self { lines, total: self.total, seconds: self.seconds }
    }

    /// Index of the line with this number, or of the next listed line.
    pub fn place(&self, number: u32) -> Option<usize> {
        let at = self.lines.partition_point(|line| line.number < number);
        (at < self.lines.len()).then_some(at)
    }

    /// Index of the hottest line in the other text that belongs to the line at `at`, or to the
    /// nearest line that has one.
    pub fn partner_in(&self, at: usize, other: &Self, heat: Heat) -> Option<usize> {
        let near = (0..self.lines.len())
            .filter(|index| !self.lines[*index].partners.is_empty())
            .min_by_key(|index| (index.abs_diff(at), *index < at))?;
        let places = self.lines[near].partners.iter().filter_map(|number| other.place(*number));
        places.max_by(|a, b| {
            let line = |place: &usize| &other.lines[*place];
            let hotter = line(a).heat(heat).total_cmp(&line(b).heat(heat));
            hotter.then(line(a).work.warps.cmp(&line(b).work.warps)).then(b.cmp(a))
        })
    }
}

impl Line {
    /// Its value of a heat.
    pub fn heat(&self, heat: Heat) -> f64 {
        heat.of(&self.work, self.seconds)
    }
}

/// What the instructions of a line did, and the lines of the other text.
#[derive(Default)]
struct Found {
    work: LineWork,
    seconds: f64,
    partners: Vec<u32>,
}

/// The instructions of a kernel by the line that `line` gives; `partner` gives the line of
/// the other text.
fn by_line(
    kernel: &KernelProfile,
    line: fn(&InstructionProfile) -> u32,
    partner: fn(&InstructionProfile) -> u32,
) -> BTreeMap<u32, Found> {
    let mut found: BTreeMap<u32, Found> = BTreeMap::new();
    let seconds = seconds_of_instructions(kernel);
    for (instruction, seconds) in kernel.instructions.iter().zip(seconds) {
        let line = found.entry(line(instruction)).or_default();
        line.work.add(&instruction.work);
        line.seconds += seconds;
        let partner = partner(instruction);
        line.partners.extend((partner > 0).then_some(partner));
    }
    found
}

/// The CUDA source `text` with the counts of each line in `kernel`.
pub fn source(kernel: &KernelProfile, text: &str) -> Listing {
    let found = by_line(kernel, |it| it.source, |it| it.ptx);
    listing(kernel, (1..).zip(text.lines()), found)
}

/// The PTX of `kernel` in `text`, without `.loc` lines.
pub fn ptx(kernel: &KernelProfile, text: &str) -> Listing {
    let found = by_line(kernel, |it| it.ptx, |it| it.source);
    let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
    let body = parts::entry(&lines, &kernel.name);
    let mut blank = true;
    let shown = body.iter().copied().filter(move |(_, line)| {
        let word = line.trim();
        if word.starts_with(".loc") {
            return false;
        }
        !std::mem::replace(&mut blank, word.is_empty()) || !word.is_empty()
    });
    listing(kernel, shown, found)
}

/// A text that nothing was counted of.
pub fn text(text: &str) -> Listing {
    let line = |(number, text): (u32, &str)| Line { number, text: plain(text), ..Line::default() };
    Listing { lines: (1..).zip(text.lines()).map(line).collect(), ..Listing::default() }
}

fn listing<'a>(
    kernel: &KernelProfile,
    lines: impl Iterator<Item = (u32, &'a str)>,
    mut found: BTreeMap<u32, Found>,
) -> Listing {
    let mut total = LineWork::default();
    for instruction in &kernel.instructions {
        total.add(&instruction.work);
    }
    let lines = lines
        .map(|(number, text)| {
            let Found { work, seconds, mut partners } = found.remove(&number).unwrap_or_default();
            partners.sort_unstable();
            partners.dedup();
            Line { number, text: plain(text), work, seconds, partners }
        })
        .collect();
    Listing { lines, total, seconds: kernel.seconds }
}

/// A line with spaces in place of tabs: four at its start, one between words.
fn plain(text: &str) -> String {
    let code = text.trim_start_matches(['\t', ' ']);
    let start = text[..text.len() - code.len()].replace('\t', "    ");
    format!("{start}{}", code.replace(" \t", " ").replace('\t', " "))
}

/// The counts of a line as text; empty where it never ran.
pub fn tells(work: &LineWork) -> Vec<String> {
    let mut told = Vec::new();
    let Some(lanes) = work.mean_lanes() else { return told };
    told.push(format!("{} warp instructions", grouped(work.warps)));
    told.push(format!("{} of 32 lanes active", mean(lanes)));
    if work.diverged > 0 {
        told.push(format!("lanes diverge {} times", grouped(work.diverged)));
    }
    let per = |count: u64, of: u64| mean(count as f64 / of as f64);
    if work.requests > 0 {
        told.push(format!(
            "{} sectors per request (ideal {})",
            per(work.sectors, work.requests),
            per(work.ideal_sectors, work.requests)
        ));
    }
    if work.atomics > 0 {
        told.push(format!(
            "{} lanes of an atomic hit {} addresses",
            per(work.atomic_lanes, work.atomics),
            per(work.atomic_addresses, work.atomics)
        ));
    }
    if work.shared_requests > 0 {
        let each = per(work.wavefronts, work.shared_requests);
        let word = if each == "1" { "pass" } else { "passes" };
        told.push(format!("{each} {word} through the banks per access"));
        if work.excess_wavefronts > 0 {
            told.push(format!("{} passes by bank conflicts", grouped(work.excess_wavefronts)));
        }
    }
    if work.barriers > 0 {
        told.push(format!("{} warps wait at the barrier", grouped(work.barriers)));
    }
    told
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
