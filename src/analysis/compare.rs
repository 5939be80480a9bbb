//! Whether one time is shorter than another: FASTER, SLOWER, SAME or UNDECIDED.
//!
//! The one place that says so, for the command line and the screen alike.
//!
//! **The rule.** The ratio is the median of the other time over the median of
//! the baseline, and it has an interval. FASTER is an interval that lies wholly
//! below the band in which two runs of the same kernel differ anyway, SLOWER one
//! that lies wholly above it, SAME one that lies wholly inside it; anything else
//! is UNDECIDED. (Such a band is a region of practical equivalence; Kruschke
//! 2018, doi:10.1177/2515245918771304.) The band is what repeated measurements
//! keep to: 1 % where the shorter median is above 20 µs, 3 % below.
//!
//! **The interval.** With raw samples on both sides it is a bootstrap interval:
//! 10,000 resamples of each side from a fixed seed, the middle 95 % of their
//! ratios. Where only median, quartiles and the number of samples are stored it
//! follows from them: the standard error of a median is 1.2533 standard
//! deviations over the root of the number, and the interquartile range 1.349
//! standard deviations, if the samples are close to normal. With fewer than six
//! samples on a side there is none, since then not even the range of the samples
//! covers the median in 95 of 100 cases (1 − 2 · 2⁻⁶ is the first above it).
//! Samples of one run do not show how runs differ: that is what the band is for.

mod bootstrap;
pub mod pairs;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::results::record::{Provenance, Summary};
use crate::statistics::normal_quantile;

/// How sure an interval is.
pub const CONFIDENCE: f64 = 0.95;

/// Resamples of a bootstrap interval.
pub const RESAMPLES: usize = 10_000;

/// Seed of the resampling: the same samples give the same interval.
pub const SEED: u64 = 7;

/// Fewest samples on either side that an interval can rest on.
pub const LEAST_SAMPLES: u64 = 6;

/// Above this median, in seconds, [`MARGINS`]`.0` holds, else the other.
pub const LONG: f64 = 20e-6;

/// How far medians of the same kernel may lie apart, as shares: of long ones,
/// and of short ones.
pub const MARGINS: (f64, f64) = (0.01, 0.03);

/// What the interval of a ratio says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Shorter, by more than repeated measurements differ.
    Faster,
    /// Longer, by more than that.
    Slower,
    /// As long, within that.
    Same,
    /// The samples do not tell.
    Undecided,
}

impl Verdict {
    /// Every verdict, in the order in which they are counted.
    pub const ALL: [Self; 4] = [Self::Faster, Self::Slower, Self::Same, Self::Undecided];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Faster => "FASTER",
            Self::Slower => "SLOWER",
            Self::Same => "SAME",
            Self::Undecided => "UNDECIDED",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a comparison rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Raw samples: a bootstrap interval.
    Samples,
    /// Medians, quartiles and numbers of samples.
    Quartiles,
    /// Measured medians alone, or too few samples for an interval.
    Medians,
    /// A time that nobody here measured: modelled or published.
    Stated(Provenance),
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Samples => f.pad("samples"),
            Self::Quartiles => f.pad("quartiles"),
            Self::Medians => f.pad("medians"),
            Self::Stated(provenance) => provenance.fmt(f),
        }
    }
}

/// One side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Its time.
    pub seconds: &'a Summary,
    /// Where that comes from.
    pub provenance: Provenance,
}

/// Two times, held against each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Median of the baseline in seconds.
    pub baseline: f64,
    /// Median of the other in seconds.
    pub other: f64,
    /// The other over the baseline: below 1 is faster.
    pub ratio: f64,
    /// Where the ratio lies, as sure as [`CONFIDENCE`].
    pub interval: Option<(f64, f64)>,
    /// How far from 1 a ratio still counts as the same, as a share.
    pub margin: f64,
    /// What follows; `None` for times that nobody here measured, whose ratio is
    /// a plain one.
    pub verdict: Option<Verdict>,
    /// What it rests on.
    pub basis: Basis,
}

/// Holds `other` against `baseline`; `margin` replaces [`MARGINS`]. `None` where
/// a median is not above 0.
pub fn compare(baseline: Side, other: Side, margin: Option<f64>) -> Option<Comparison> {
    let (a, b) = (baseline.seconds.median, other.seconds.median);
    if !(a > 0.0 && b > 0.0) {
        return None;
    }
    let margin = margin.unwrap_or(if a.min(b) > LONG { MARGINS.0 } else { MARGINS.1 });
    let basis = basis(baseline, other);
    let interval = match basis {
        Basis::Samples => bootstrap::interval(&baseline.seconds.samples, &other.seconds.samples),
        Basis::Quartiles => from_quartiles(baseline.seconds, other.seconds),
        Basis::Medians | Basis::Stated(_) => None,
    };
    let verdict = match (basis, interval) {
        (Basis::Stated(_), _) => None,
        (_, None) => Some(Verdict::Undecided),
        (_, Some(interval)) => Some(judge(interval, margin)),
    };
    Some(Comparison { baseline: a, other: b, ratio: b / a, interval, margin, verdict, basis })
}

fn basis(baseline: Side, other: Side) -> Basis {
    let both = |holds: &dyn Fn(&Summary) -> bool| holds(baseline.seconds) && holds(other.seconds);
    let stated = |provenance| matches!(provenance, Provenance::Modelled | Provenance::Reported);
    for side in [baseline, other] {
        if stated(side.provenance) {
            return Basis::Stated(side.provenance);
        }
    }
    if both(&|it| it.samples.len() as u64 >= LEAST_SAMPLES) {
        Basis::Samples
    } else if both(&|it| it.q1.is_some() && it.q3.is_some() && it.count() >= LEAST_SAMPLES) {
        Basis::Quartiles
    } else {
        Basis::Medians
    }
}

fn judge((low, high): (f64, f64), margin: f64) -> Verdict {
    // The same band seen from either side: swapping the two swaps the verdict.
    let (least, most) = (1.0 / (1.0 + margin), 1.0 + margin);
    if high < least {
        Verdict::Faster
    } else if low > most {
        Verdict::Slower
    } else if low >= least && high <= most {
        Verdict::Same
    } else {
        Verdict::Undecided
    }
}

/// Interval of the ratio from medians and quartiles, on a logarithmic scale.
fn from_quartiles(baseline: &Summary, other: &Summary) -> Option<(f64, f64)> {
    /// Standard error of a normal sample's median, in standard deviations over
    /// the root of the number of samples: the root of half of pi.
    const OF_MEDIAN: f64 = 1.253_314_137_315_5;
    /// Interquartile range of a normal distribution, in standard deviations.
    const QUARTILES: f64 = 1.348_979_500_392_2;

    let error = |it: &Summary| {
        let deviation = (it.q3? - it.q1?).max(0.0) / QUARTILES;
        Some(OF_MEDIAN * deviation / (it.count() as f64).sqrt() / it.median)
    };
    let width = normal_quantile(0.5 + CONFIDENCE / 2.0) * error(baseline)?.hypot(error(other)?);
    let ratio = other.median / baseline.median;
    Some((ratio * (-width).exp(), ratio * width.exp()))
}
