//! A value for every element, in order, such as prefix sums.

use serde::{Deserialize, Serialize};

use super::columns::{Columns, per_column};
use super::{Extremes, is_zero, label, number};

/// Most columns; more elements share columns.
const MOST_COLUMNS: u64 = 1024;

/// Most offsets of blocks that are kept.
const MOST_OFFSETS: u64 = 400;

/// A value per element. Many elements are reduced to the lowest and highest of
/// neighbours, so that no peak is lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// What a value is: `inclusive prefix sum`.
    pub label: String,
    /// Number of elements.
    pub n: u64,
    /// Neighbouring elements that each entry of `lows` and `highs` covers; the
    /// last entry may cover fewer.
    pub per_column: u64,
    /// Lowest value of each column; `None` where no value is finite.
    pub lows: Vec<Option<f64>>,
    /// Highest value of each column.
    pub highs: Vec<Option<f64>>,
    /// The lowest and the highest value.
    pub extremes: Option<Extremes>,
    /// The last value, if it is finite.
    pub last: Option<f64>,
    /// Values that are infinite or NaN.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_finite: u64,
    /// The blocks that computed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocks: Option<Blocks>,
}

/// Blocks of a scan and their offsets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Blocks {
    /// Number of blocks.
    pub count: u64,
    /// Elements per block; the last block may have fewer.
    pub elements: u64,
    /// Entry `i` of `offsets` belongs to block `i * every`.
    pub every: u64,
    /// The value that a block adds to each of its elements.
    pub offsets: Vec<Option<f64>>,
}

impl Curve {
    /// The values of all elements, in order.
    pub fn of<I>(name: &str, values: I) -> Self
    where
        I: IntoIterator<Item = f64, IntoIter: ExactSizeIterator>,
    {
        let mut last = None;
        let values = values.into_iter().inspect(|value| last = Some(*value));
        let columns = Columns::of(values, MOST_COLUMNS);
        Self {
            label: label(name),
            n: columns.count,
            per_column: columns.per_column,
            lows: columns.lows,
            highs: columns.highs,
            extremes: columns.extremes,
            last: last.and_then(number),
            not_finite: columns.not_finite,
            blocks: None,
        }
    }

    /// Adds blocks of `elements` elements, each with its offset.
    #[must_use]
    pub fn with_blocks<I>(mut self, elements: u64, offsets: I) -> Self
    where
        I: IntoIterator<Item = f64, IntoIter: ExactSizeIterator>,
    {
        let offsets = offsets.into_iter();
        let count = offsets.len() as u64;
        let every = per_column(count, MOST_OFFSETS);
        self.blocks = Some(Blocks {
            count,
            elements,
            every,
            offsets: offsets.step_by(every as usize).map(number).collect(),
        });
        self
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::super::View;
    use super::super::tests::{fits, floats};
    use super::*;

    #[test]
    fn few_elements_are_kept_one_by_one_and_a_peak_among_many_is_not_lost() {
        let short = Curve::of("sum", [1.0, 4.0, 9.0]);
        assert_eq!(short.lows, short.highs);
        assert_eq!((short.highs.len(), short.last), (3, Some(9.0)));
        let long = Curve::of("sum", (0..100_000).map(|i| if i == 777 { 50.0 } else { 1.0 }));
        let column = (777 / long.per_column) as usize;
        assert_eq!((long.lows[column], long.highs[column]), (Some(1.0), Some(50.0)));
        assert_eq!(long.extremes.unwrap().highest, (777, 50.0));
    }

    #[test]
    fn offsets_are_thinned_evenly() {
        let curve = Curve::of("sum", [0.0]).with_blocks(256, (0..1000).map(f64::from));
        let blocks = curve.blocks.unwrap();
        assert_eq!((blocks.count, blocks.every, blocks.offsets.len()), (1000, 3, 334));
        assert_eq!(blocks.offsets[333], Some(999.0));
    }

    proptest! {
        #[test]
        fn any_values_fit_and_keep_their_extremes(
            values in floats(5000), offsets in floats(2000), name in "\\PC{0,300}",
        ) {
            let numbers = || values.iter().copied().filter(|value| value.is_finite());
            let curve = Curve::of(&name, values.iter().copied()).with_blocks(u64::MAX, offsets);
            prop_assert_eq!(curve.n, values.len() as u64);
            prop_assert_eq!(curve.highs.iter().flatten().copied().reduce(f64::max),
                numbers().reduce(f64::max));
            prop_assert_eq!(curve.lows.iter().flatten().copied().reduce(f64::min),
                numbers().reduce(f64::min));
            prop_assert_eq!(curve.last, values.last().copied().and_then(number));
            fits(&View::Curve(curve))?;
        }
    }
}
