//! The output of a case, reduced to what its view shows.
//!
//! An output may hold 2^31 elements; a view takes at most [`MOST_BYTES`] as
//! JSON. Each kind has a constructor that reads the output once. It keeps sums
//! or means of neighbours in a bounded number of columns, and exact totals and
//! extremes. An output may be wrong: floats that are not finite and keys
//! without a partition are counted separately. `figure::marks` says
//! what each view draws.

use serde::{Deserialize, Serialize};

use bars::Bars;
use before_after::BeforeAfter;
use bins::Bins;
use curve::Curve;
use heat::Heat;
use partitions::Partitions;
use scatter::Scatter;

pub mod bars;
pub mod before_after;
pub mod bins;
mod columns;
pub mod curve;
pub mod heat;
pub mod partitions;
pub mod scatter;

/// Most bytes that a view takes as JSON.
pub const MOST_BYTES: usize = 64 << 10;

/// Most characters of a text that an algorithm gives a view.
const MOST_LABEL: usize = 120;

/// The data of an output view. Stored files keep the older names `bands` and
/// `strips`.
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
    #[serde(rename = "bands")]
    Partitions(Partitions),
    /// The elements before and after a sort.
    #[serde(rename = "strips")]
    BeforeAfter(BeforeAfter),
    /// Points on a surface, and the lattice that they show.
    Scatter(Scatter),
}

impl View {
    /// Its name in titles.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bins(_) => "bins",
            Self::Bars(_) => "bars",
            Self::Curve(_) => "curve",
            Self::Heat(_) => "heat map",
            Self::Partitions(_) => "partitions",
            Self::BeforeAfter(_) => "before/after",
            Self::Scatter(_) => "scatter",
        }
    }
}

/// Lowest and highest of the finite values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Extremes {
    /// Index and value of the lowest; the first of several.
    pub lowest: (u64, f64),
    /// Index and value of the highest; the first of several.
    pub highest: (u64, f64),
}

impl Extremes {
    /// Takes one more finite value into account.
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

/// The first [`MOST_LABEL`] characters of a text.
fn label(text: impl Into<String>) -> String {
    let text = text.into();
    match text.char_indices().nth(MOST_LABEL) {
        None => text,
        Some((end, _)) => text[..end].to_owned(),
    }
}

/// The value, if it is finite.
fn number(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Whether a count is left out of the JSON.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde calls")]
fn is_zero(count: &u64) -> bool {
    *count == 0
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
