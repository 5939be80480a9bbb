//! Counts per bin.

use serde::{Deserialize, Serialize};

use super::columns::per_column;
use super::label;
use crate::units::decimal;

/// Most columns; more bins share columns.
const MOST_COLUMNS: u64 = 2048;

/// Counts per bin, summed over neighbouring bins where there are many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Bins {
    /// Number of bins of the case.
    pub bins: u64,
    /// Neighbouring bins summed into each entry of `counts`; the last entry
    /// may cover fewer.
    pub per_column: u64,
    /// The counts.
    pub counts: Vec<u64>,
    /// Values counted over all bins.
    pub total: u64,
    /// The fullest bin: index and count.
    pub fullest: (u64, u64),
    /// The emptiest bin: index and count.
    pub emptiest: (u64, u64),
    /// Expected number of lanes of a full warp that add to the warp's most
    /// frequent bin, if the counts determine it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes_per_address: Option<f64>,
    /// What is counted, in the plural, if not `values`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counted: Option<String>,
    /// Width of a bin, if bin `i` is the interval from `i` to `i + 1` widths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub width: Option<f64>,
}

impl Bins {
    /// The counts of all bins, in order.
    pub fn of<I>(counts: I) -> Self
    where
        I: IntoIterator<Item = u64, IntoIter: ExactSizeIterator>,
    {
        let counts = counts.into_iter();
        let bins = counts.len() as u64;
        let per_column = per_column(bins, MOST_COLUMNS);
        let mut columns = vec![0u64; bins.div_ceil(per_column) as usize];
        let (mut total, mut fullest, mut emptiest) = (0u64, (0, 0), (0, u64::MAX));
        for (bin, count) in (0u64..).zip(counts) {
            if let Some(column) = columns.get_mut((bin / per_column) as usize) {
                *column = column.saturating_add(count);
            }
            total = total.saturating_add(count);
            // Ties go to the lower bin.
            if count > fullest.1 {
                fullest = (bin, count);
            }
            if count < emptiest.1 {
                emptiest = (bin, count);
            }
        }
        if bins == 0 {
            emptiest = (0, 0);
        }
        Self {
            bins,
            per_column,
            counts: columns,
            total,
            fullest,
            emptiest,
            lanes_per_address: None,
            counted: None,
            width: None,
        }
    }

    /// Adds the expected number of lanes of a warp that add to one bin.
    #[must_use]
    pub fn with_lanes(mut self, lanes_per_address: f64) -> Self {
        self.lanes_per_address = super::number(lanes_per_address);
        self
    }

    /// Names what is counted, if not values: `pairs`.
    #[must_use]
    pub fn counting(mut self, counted: &str) -> Self {
        self.counted = Some(label(counted));
        self
    }

    /// Makes the bins intervals of this width, starting at 0.
    #[must_use]
    pub fn of_width(mut self, width: f64) -> Self {
        self.width = super::number(width);
        self
    }

    /// What is counted, in the plural.
    pub fn counted(&self) -> &str {
        self.counted.as_deref().unwrap_or("values")
    }

    /// `bin 3`, with its interval if known: `bin 3 (1.5 to 2)`.
    pub fn bin(&self, index: u64) -> String {
        match self.width {
            None => format!("bin {index}"),
            Some(width) => {
                let [from, to] = [index, index.saturating_add(1)].map(|i| i as f64 * width);
                format!("bin {index} ({} to {})", decimal(from), decimal(to))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::View;
    use super::super::tests::fits;
    use super::*;

    #[test]
    fn many_bins_share_columns_and_ties_go_to_the_lower_bin() {
        let bins = Bins::of((0..5000).map(|bin| if bin % 2500 == 7 { 9 } else { 1 }));
        assert_eq!((bins.per_column, bins.counts.len()), (3, 1667));
        assert_eq!((bins.counts[2], bins.counts[3], bins.counts[1666]), (11, 3, 2));
        assert_eq!((bins.total, bins.fullest, bins.emptiest), (5016, (7, 9), (0, 1)));
    }

    #[test]
    fn a_bin_of_known_width_is_named_by_its_interval() {
        let bins = Bins::of([4, 2]).counting("pairs").of_width(0.25);
        assert_eq!(bins.bin(1), "bin 1 (0.25 to 0.5)");
        assert_eq!(bins.counted(), "pairs");
    }

    proptest! {
        #[test]
        fn any_counts_fit_and_keep_total_and_extremes(
            counts in prop::collection::vec(any::<u64>(), 0..6000),
            lanes in any::<f64>(),
        ) {
            let bins = Bins::of(counts.iter().copied()).with_lanes(lanes).of_width(lanes);
            let sum = |counts: &[u64]| counts.iter().fold(0, |a: u64, b| a.saturating_add(*b));
            prop_assert_eq!(bins.total, sum(&counts));
            prop_assert_eq!(sum(&bins.counts), bins.total);
            prop_assert_eq!(bins.fullest.1, counts.iter().copied().max().unwrap_or(0));
            prop_assert_eq!(bins.emptiest.1, counts.iter().copied().min().unwrap_or(0));
            fits(&View::Bins(bins))?;
        }
    }
}
