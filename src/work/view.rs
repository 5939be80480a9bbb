//! The output of a case, reduced to what its view draws.
//!
//! An output may hold 2^31 elements; a view never takes more than
//! [`MOST_BYTES`] as JSON. Each kind has its file and a constructor that reads
//! the whole output once and keeps of it: sums or means of neighbours in a
//! bounded number of columns, and, exactly, what a sentence about it needs
//! (totals, extremes and where they are). An output may be wrong, so no
//! constructor relies on it: a float that is no number is counted and leaves a
//! gap, a key without a partition is counted apart.

use serde::{Deserialize, Serialize};

use bands::Bands;
use bars::Bars;
use bins::Bins;
use curve::Curve;
use heat::Heat;
use scatter::Scatter;
use strips::Strips;

pub mod bands;
pub mod bars;
pub mod bins;
mod columns;
pub mod curve;
pub mod heat;
pub mod scatter;
pub mod strips;

/// Most bytes that a view takes as JSON.
pub const MOST_BYTES: usize = 64 << 10;

/// Most characters of a name or sentence that an algorithm gives a view.
const MOST_LABEL: usize = 120;

/// What the output view draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum View {
    /// Counts per bin: histograms.
    Bins(Bins),
    /// One value per block: partial sums.
    Bars(Bars),
    /// A value for every element, in order: prefix sums.
    Curve(Curve),
    /// A matrix.
    Heat(Heat),
    /// Partitions, one after the other.
    Bands(Bands),
    /// The elements before and after.
    Strips(Strips),
    /// Points on a surface, and the lattice that they show.
    Scatter(Scatter),
}

impl View {
    /// Its name, as on its panel.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bins(_) => "bins",
            Self::Bars(_) => "bars",
            Self::Curve(_) => "curve",
            Self::Heat(_) => "heat map",
            Self::Bands(_) => "bands",
            Self::Strips(_) => "strips",
            Self::Scatter(_) => "scatter",
        }
    }

    /// What it says, as pairs of a name and its value, most telling first.
    pub fn facts(&self) -> Facts {
        match self {
            Self::Bins(bins) => bins.facts(),
            Self::Bars(bars) => bars.facts(),
            Self::Curve(curve) => curve.facts(),
            Self::Heat(heat) => heat.facts(),
            Self::Bands(bands) => bands.facts(),
            Self::Strips(strips) => strips.facts(),
            Self::Scatter(scatter) => scatter.facts(),
        }
    }
}

/// Pairs of a name and its value, in words.
pub type Facts = Vec<(String, String)>;

/// Lowest and highest of the values that are numbers.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// Index and value of the lowest; the first of several.
    pub lowest: (u64, f64),
    /// Index and value of the highest; the first of several.
    pub highest: (u64, f64),
}

impl Extremes {
    /// Takes one more value into account, which is a number.
    fn take(extremes: &mut Option<Self>, index: u64, value: f64) {
        let known =
            extremes.get_or_insert(Self { lowest: (index, value), highest: (index, value) });
        if value < known.lowest.1 {
            known.lowest = (index, value);
        }
        if value > known.highest.1 {
            known.highest = (index, value);
        }
    }
}

/// A name, no longer than a view has room for.
fn label(text: impl Into<String>) -> String {
    let text = text.into();
    match text.char_indices().nth(MOST_LABEL) {
        None => text,
        Some((end, _)) => text[..end].to_owned(),
    }
}

/// A sum or mean, unless it left the range of floats.
fn number(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Whether a count need not be written.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// `3 values are no numbers`, if there are any.
fn gaps(facts: &mut Facts, not_finite: u64) {
    if not_finite > 0 {
        let count = crate::units::grouped(not_finite);
        facts.push(("no numbers".to_owned(), format!("{count} values are infinite or NaN")));
    }
}

/// A pair of words.
fn fact(name: &str, value: impl Into<String>) -> (String, String) {
    (name.to_owned(), value.into())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Floats of every kind, also the longest to write.
    pub(super) fn floats(most: usize) -> impl Strategy<Value = Vec<f64>> {
        let one = prop_oneof![
            4 => any::<f64>(),
            2 => -1e16f64..1e16,
            1 => Just(-f64::MIN_POSITIVE),
            1 => Just(f64::MAX),
            1 => Just(f64::NAN),
        ];
        prop::collection::vec(one, 0..most)
    }

    /// That a view is written within the bound, and read back as it was.
    pub(super) fn fits(view: &View) -> Result<(), TestCaseError> {
        let text = serde_json::to_string(view).unwrap();
        prop_assert!(text.len() <= MOST_BYTES, "{} bytes of {}", text.len(), view.name());
        prop_assert_eq!(&serde_json::from_str::<View>(&text).unwrap(), view);
        prop_assert!(!view.facts().is_empty());
        Ok(())
    }

    #[test]
    fn a_label_is_cut_between_characters() {
        let long = "µ".repeat(500);
        assert_eq!(label(long.as_str()).chars().count(), MOST_LABEL);
        assert_eq!(label("partial sums"), "partial sums");
    }

    #[test]
    fn extremes_are_the_first_of_their_kind() {
        let mut extremes = None;
        for (index, value) in [(0, 2.0), (1, -3.0), (2, 5.0), (3, 5.0), (4, -3.0)] {
            Extremes::take(&mut extremes, index, value);
        }
        let extremes = extremes.unwrap();
        assert_eq!((extremes.lowest, extremes.highest), ((1, -3.0), (2, 5.0)));
    }
}
