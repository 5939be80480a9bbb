//! Many values reduced to few columns, for bars and curves.

use super::{Extremes, number};

/// Values of a sequence, neighbours taken together.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Values in the sequence.
    pub(super) count: u64,
    /// Neighbours per column; the last column may hold fewer.
    pub(super) per_column: u64,
    /// Mean of each column's numbers.
    pub(super) means: Vec<Option<f64>>,
    /// Lowest of each column's numbers.
    pub(super) lows: Vec<Option<f64>>,
    /// Highest of each column's numbers.
    pub(super) highs: Vec<Option<f64>>,
    /// Sum of all numbers.
    pub(super) total: Option<f64>,
    /// Lowest and highest of all numbers.
    pub(super) extremes: Option<Extremes>,
    /// Values that are infinite or NaN.
    pub(super) not_finite: u64,
}

impl Columns {
    /// Reads the values into at most `most` columns.
    pub(super) fn of(mut values: impl ExactSizeIterator<Item = f64>, most: u64) -> Self {
        let count = values.len() as u64;
        let per_column = per_column(count, most);
        let mut columns = Self { count, per_column, not_finite: count, ..Self::default() };
        let (mut total, mut index) = (0.0, 0);
        for _ in 0..count.div_ceil(per_column) {
            let (mut sum, mut numbers) = (0.0, 0u64);
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for value in values.by_ref().take(per_column as usize) {
                if value.is_finite() {
                    sum += value;
                    numbers += 1;
                    (low, high) = (low.min(value), high.max(value));
                    Extremes::take(&mut columns.extremes, index, value);
                }
                index += 1;
            }
            columns.means.push(number(sum / numbers as f64));
            columns.lows.push(number(low));
            columns.highs.push(number(high));
            columns.not_finite -= numbers;
            total += sum;
        }
        columns.total = number(total);
        columns
    }
}

/// How many of `count` neighbours share each of at most `most` columns.
pub(super) fn per_column(count: u64, most: u64) -> u64 {
    count.div_ceil(most).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_share_a_column_and_what_is_no_number_is_left_out() {
        let values = [1.0, 3.0, f64::NAN, 5.0, f64::INFINITY, f64::NAN, -2.0];
        let columns = Columns::of(values.into_iter(), 4);
        assert_eq!(columns.per_column, 2);
        assert_eq!(columns.means, [Some(2.0), Some(5.0), None, Some(-2.0)]);
        assert_eq!(columns.lows, [Some(1.0), Some(5.0), None, Some(-2.0)]);
        assert_eq!(columns.highs, [Some(3.0), Some(5.0), None, Some(-2.0)]);
        assert_eq!((columns.total, columns.not_finite), (Some(7.0), 3));
        let extremes = columns.extremes.map(|extremes| (extremes.lowest, extremes.highest));
        assert_eq!(extremes, Some(((6, -2.0), (3, 5.0))));
    }

    #[test]
    fn a_sum_beyond_the_range_of_floats_is_not_given() {
        let columns = Columns::of([f64::MAX; 3].into_iter(), 1);
        assert_eq!((columns.total, columns.means), (None, vec![None]));
        assert_eq!(columns.highs, [Some(f64::MAX)]);
    }
}
