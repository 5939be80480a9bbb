//! Everything that can be drawn as a picture, whichever view it is from.

use super::command::{self, command_for};
use super::ladder::Ladder;
use super::output::{self, Output};
use super::roofline::Roofline;
use super::step::picture::StepPicture;
use super::tune::Tune;
use super::{Figure, caption};
use crate::algorithms;
use crate::results::record::Record;
use crate::units::Elements;

/// One figure of a view.
#[derive(Debug, Clone, PartialEq)]
pub enum Picture {
    /// Curves: the Sweep view.
    Chart(Box<Figure>),
    /// The output of a case.
    Output(Box<Output>),
    /// Times by block size and coarsening.
    Tune(Box<Tune>),
    /// Variants from the slowest to the fastest.
    Ladder(Box<Ladder>),
    /// Kernels under the roofline of a GPU.
    Counters(Box<Kernels>),
    /// One step of a recorded block.
    Step(Box<StepPicture>),
}

/// The roofline of one case or two, with its words.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernels {
    /// What is drawn.
    pub roofline: Roofline,
    /// Size, launch, parameters and input of the cases.
    pub subtitle: String,
    /// The commands that run the cases and draw their roofline, one per line.
    pub command: String,
}

impl Kernels {
    /// The roofline of `records`, which were profiled.
    pub fn of(roofline: Roofline, records: &[&Record]) -> Self {
        let settings = |record: &Record| {
            let Record { block, coarsen, .. } = record;
            format!("n = {} · block {block} · coarsening {coarsen}", Elements(record.n))
        };
        let mut parts: Vec<String> =
            records.first().map(|first| vec![first.algorithm.to_string()]).unwrap_or_default();
        let alike = records.windows(2).all(|pair| settings(pair[0]) == settings(pair[1]));
        for record in records.iter().take(if alike { 1 } else { records.len() }) {
            let of = if alike { String::new() } else { format!("{} at ", record.variant) };
            parts.push(format!("{of}{}", settings(record)));
        }
        parts.extend(records.first().map(|first| shared(first)));
        let sweeps = command_for(records.iter().copied());
        // `plot` draws two variants with the same settings.
        let drawn = alike && records.iter().all(|record| output::can_recompute(record));
        let command = match records.first().filter(|_| drawn) {
            Some(first) => {
                command::drawing(&sweeps, &first.algorithm, command::View::Counters, None)
            }
            None => sweeps,
        };
        Self { roofline, subtitle: parts.join(" · "), command }
    }
}

/// The words that every picture carries.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    /// What is shown.
    pub title: &'a str,
    /// What everything shown has in common.
    pub subtitle: &'a str,
    /// Where the numbers come from, and what else has to be known.
    pub caption: &'a str,
    /// The commands that make the numbers and the picture again, one per line.
    pub command: &'a str,
}

impl Picture {
    /// Its words.
    pub fn words(&self) -> Words<'_> {
        let (title, subtitle, caption, command) = match self {
            Self::Chart(it) => (&it.title, &it.subtitle, &it.caption, &it.command),
            Self::Output(it) => (&it.title, &it.subtitle, &it.caption, &it.command),
            Self::Tune(it) => (&it.title, &it.subtitle, &it.caption, &it.command),
            Self::Ladder(it) => (&it.title, &it.subtitle, &it.caption, &it.command),
            Self::Counters(it) => {
                (&it.roofline.title, &it.subtitle, &it.roofline.caption, &it.command)
            }
            Self::Step(it) => (&it.title, &it.subtitle, &it.caption, &it.command),
        };
        Words { title, subtitle, caption, command }
    }

    /// What it shows, in words for those who do not see it.
    pub fn description(&self) -> String {
        let words = self.words();
        let shown = match self {
            Self::Chart(figure) => figure.in_words(),
            Self::Output(output) => output.in_words(),
            Self::Tune(tune) => tune.in_words(),
            Self::Ladder(ladder) => ladder.in_words(),
            Self::Step(step) => step.in_words(),
            Self::Counters(kernels) => {
                let points = kernels.roofline.points.iter();
                points.map(|point| format!("{}: {}. ", point.label, point.says())).collect()
            }
        };
        format!("{shown} {}. {}", words.subtitle, words.caption)
    }
}

impl From<Figure> for Picture {
    fn from(figure: Figure) -> Self {
        Self::Chart(Box::new(figure))
    }
}

impl From<Kernels> for Picture {
    fn from(kernels: Kernels) -> Self {
        Self::Counters(Box::new(kernels))
    }
}

impl From<Output> for Picture {
    fn from(output: Output) -> Self {
        Self::Output(Box::new(output))
    }
}

impl From<Ladder> for Picture {
    fn from(ladder: Ladder) -> Self {
        Self::Ladder(Box::new(ladder))
    }
}

impl From<StepPicture> for Picture {
    fn from(step: StepPicture) -> Self {
        Self::Step(Box::new(step))
    }
}

impl From<Tune> for Picture {
    fn from(tune: Tune) -> Self {
        Self::Tune(Box::new(tune))
    }
}

impl Figure {
    /// Axes, and every series with its ends.
    fn in_words(&self) -> String {
        let mut text = format!("{} by {}.", self.y.label, self.x.label);
        for series in &self.series {
            let (Some(first), Some(last)) = (series.points.first(), series.points.last()) else {
                continue;
            };
            let at = |x, y| format!("{} at {}", self.y.format(y), self.x.format(x));
            text.push_str(&format!(
                " {} ({}): {} to {}.",
                series.label,
                series.provenance_label,
                at(first.x, first.y),
                at(last.x, last.y)
            ));
        }
        text
    }
}

/// What the records share, in the words of a subtitle: parameters, input, seed.
pub(super) fn shared(record: &Record) -> String {
    let params = record.params.iter();
    let mut parts: Vec<String> = params
        .map(|(name, value)| algorithms::with_value(&record.algorithm, name, value))
        .collect();
    parts.push(format!("input {}", record.dist));
    parts.push(format!("seed {}", record.seed));
    parts.push(record.device.name.clone());
    parts.join(" · ")
}

/// Provenance and driver of all that has a time, and what has none.
pub(super) fn sources(records: &[&Record]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for record in records.iter().filter(|record| record.seconds.is_some()) {
        let driver = record.device.driver.as_deref();
        let driver = driver.map_or_else(String::new, |driver| format!(" · driver {driver}"));
        let source = format!("{}{driver}", record.provenance_label());
        if !parts.contains(&source) {
            parts.push(source);
        }
    }
    parts.extend(caption::without_time(records));
    parts.join("; ")
}
