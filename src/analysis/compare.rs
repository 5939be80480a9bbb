//! Whether one time is shorter than another: FASTER, SLOWER, SAME or UNDECIDED.
//!
//! **The rule.** The ratio is the median of the other time over the median of the baseline.
//! FASTER means that its interval lies wholly below a band around 1, SLOWER wholly above,
//! SAME wholly inside; anything else is UNDECIDED. Medians of repeated runs stay within the
//! band: 1 % where the shorter median is above 20 µs, 3 % below. (Such a band is a region of
//! practical equivalence; Kruschke 2018, doi:10.1177/2515245918771304.)
//!
//! **The interval.** From raw samples on both sides: a bootstrap interval of 10,000 resamples
//! of each side with a fixed seed, the middle 95 % of their ratios. From median, quartiles
//! and number of samples: the standard error of a median is 1.2533 standard deviations over
//! the root of the number, and the interquartile range 1.349 standard deviations, if the
//! samples are close to normal. With fewer than six samples on a side there is no interval,
//! since even their range misses the median in more than 5 of 100 cases (2 · 2⁻⁶ is the
//! first below). Samples of one run do not show how runs differ; the band does.

mod bootstrap;
pub mod pairs;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::algorithms;
use crate::results::record::{Provenance, Record, Summary, metrics};
use crate::statistics::normal_quantile;

/// Confidence level of an interval.
pub const CONFIDENCE: f64 = 0.95;

/// Resamples of a bootstrap interval.
pub const RESAMPLES: usize = 10_000;

/// Seed of the resampling.
pub const SEED: u64 = 7;

/// Minimum number of samples on each side of an interval.
pub const LEAST_SAMPLES: u64 = 6;

/// Medians above this many seconds count as long.
pub const LONG: f64 = 20e-6;

/// Half width of the band for long and for short medians, as shares.
pub const MARGINS: (f64, f64) = (0.01, 0.03);

metrics! {
    /// What the interval of a ratio says.
    Verdict:
    Faster "faster" "FASTER" "Shorter than the baseline, by more than repeated runs differ.";
    Slower "slower" "SLOWER" "Longer than the baseline, by more than repeated runs differ.";
    Same "same" "SAME" "As long as the baseline, within what repeated runs differ.";
    Undecided "undecided" "UNDECIDED" "The samples do not decide.";
}

/// The data behind a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Basis {
    /// Raw samples.
    Samples,
    /// Medians, quartiles and numbers of samples.
    Quartiles,
    /// Measured medians alone, or too few samples for an interval.
    Medians,
    /// A modelled or published time.
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
    /// Its provenance.
    pub provenance: Provenance,
}

/// Two times compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// Median of the baseline in seconds.
    pub baseline: f64,
    /// Median of the other in seconds.
    pub other: f64,
    /// The other over the baseline; below 1 is faster.
    pub ratio: f64,
    /// Interval of the ratio at [`CONFIDENCE`].
    pub interval: Option<(f64, f64)>,
    /// Half width of the band around 1, as a share.
    pub margin: f64,
    /// The verdict; `None` for modelled and published times.
    pub verdict: Option<Verdict>,
    /// The data behind it.
    pub basis: Basis,
}

/// The reference kernel of a case of a user's file. Variants with different reference kernels
/// compute different things and are not compared.
pub fn task(record: &Record) -> Option<String> {
    let reference = algorithms::find(&record.algorithm)?.reference_case(&record.case())?;
    Some(reference.variant)
}

/// Compares `other` with `baseline`; `margin` replaces [`MARGINS`]. `None` where a median is
/// not above 0.
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
    // Symmetric: swapping the two swaps the verdict.
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
