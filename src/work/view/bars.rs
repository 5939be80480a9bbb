//! One value per block, such as partial sums.

use serde::{Deserialize, Serialize};

use super::columns::Columns;
use super::{Extremes, is_zero, label};

/// Most columns; more bars share columns.
const MOST_COLUMNS: u64 = 1024;

/// One value per bar, averaged over neighbours where there are many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bars {
    /// What a bar is: `partial sum of a block`.
    pub label: String,
    /// Number of bars of the case.
    pub bars: u64,
    /// Neighbouring bars averaged into each entry of `values`; the last entry
    /// may cover fewer.
    pub per_column: u64,
    /// The averages; `None` where no bar of the column is finite.
    pub values: Vec<Option<f64>>,
    /// Sum of all finite bars, if it fits a float.
    pub total: Option<f64>,
    /// The lowest and the highest bar.
    pub extremes: Option<Extremes>,
    /// Bars that are infinite or NaN.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_finite: u64,
    /// Exact result of all bars, as the algorithm writes it: `sum 1 234 567`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

impl Bars {
    /// A bar for every value, in order.
    pub fn of<I>(name: &str, values: I) -> Self
    where
        I: IntoIterator<Item = f64, IntoIter: ExactSizeIterator>,
    {
        let columns = Columns::of(values.into_iter(), MOST_COLUMNS);
        Self {
            label: label(name),
            bars: columns.count,
            per_column: columns.per_column,
            values: columns.means,
            total: columns.total,
            extremes: columns.extremes,
            not_finite: columns.not_finite,
            result: None,
        }
    }

    /// Adds the exact result of all bars.
    #[must_use]
    pub fn with_result(mut self, result: impl Into<String>) -> Self {
        self.result = Some(label(result));
        self
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::View;
    use super::super::tests::{fits, floats};
    use super::*;

    #[test]
    fn many_bars_share_columns() {
        let bars = Bars::of("partial sum of a block", (0..3000).map(f64::from));
        assert_eq!((bars.bars, bars.per_column, bars.values.len()), (3000, 3, 1000));
        assert_eq!((bars.values[0], bars.values[999]), (Some(1.0), Some(2998.0)));
        assert_eq!(bars.total, Some(2999.0 * 3000.0 / 2.0));
    }

    proptest! {
        #[test]
        fn any_values_fit_and_keep_their_extremes(values in floats(4000), name in "\\PC{0,300}") {
            let numbers = || values.iter().copied().filter(|value| value.is_finite());
            let bars = Bars::of(&name, values.iter().copied()).with_result(name.as_str());
            prop_assert_eq!(bars.bars, values.len() as u64);
            prop_assert_eq!(bars.not_finite, (values.len() - numbers().count()) as u64);
            let highest = bars.extremes.map(|extremes| extremes.highest.1);
            prop_assert_eq!(highest, numbers().reduce(f64::max));
            let lowest = bars.extremes.map(|extremes| extremes.lowest.1);
            prop_assert_eq!(lowest, numbers().reduce(f64::min));
            fits(&View::Bars(bars))?;
        }

        #[test]
        fn averages_keep_the_total(values in prop::collection::vec(-1e6f64..1e6, 1..4000)) {
            let bars = Bars::of("value", values.iter().copied());
            let covered = |index: usize| {
                (values.len() - index * bars.per_column as usize).min(bars.per_column as usize)
            };
            let columns = bars.values.iter().enumerate();
            let sum: f64 = columns.map(|(i, mean)| mean.unwrap_or(0.0) * covered(i) as f64).sum();
            let total: f64 = values.iter().sum();
            prop_assert!((sum - total).abs() < 1e-3, "{} {}", sum, total);
            prop_assert!((bars.total.unwrap_or(0.0) - total).abs() < 1e-3);
        }
    }
}
