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

/// One column while it fills.
#[derive(Debug, Clone, Copy)]
struct Column {
    sum: f64,
    numbers: u64,
    low: f64,
    high: f64,
}

impl Column {
    const EMPTY: Self = Self { sum: 0.0, numbers: 0, low: f64::INFINITY, high: f64::NEG_INFINITY };
}

impl Columns {
    /// Reads the values into at most `most` columns.
    pub(super) fn of(values: impl ExactSizeIterator<Item = f64>, most: u64) -> Self {
        let count = values.len() as u64;
        let per_column = per_column(count, most);
        let mut columns = Self { count, per_column, total: Some(0.0), ..Self::default() };
        let (mut column, mut held, mut total) = (Column::EMPTY, 0, 0.0);
        for (index, value) in (0u64..).zip(values) {
            if value.is_finite() {
                column.sum += value;
                column.numbers += 1;
                column.low = column.low.min(value);
                column.high = column.high.max(value);
                Extremes::take(&mut columns.extremes, index, value);
            } else {
                columns.not_finite += 1;
            }
            held += 1;
            if held == per_column {
                total += columns.push(&column);
                (column, held) = (Column::EMPTY, 0);
            }
        }
        if held > 0 {
            total += columns.push(&column);
        }
        columns.total = number(total);
        columns
    }

    /// Adds a column that is full; returns its sum.
    fn push(&mut self, column: &Column) -> f64 {
        let some = column.numbers > 0;
        self.means.push(number(column.sum / column.numbers as f64));
        self.lows.push(some.then_some(column.low));
        self.highs.push(some.then_some(column.high));
        column.sum
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
