//! A matrix.

use serde::{Deserialize, Serialize};

use super::{Extremes, MOST_BYTES, is_zero, label, number};

/// Most cells along either edge, tried in order: 64 by 64 numbers with many
/// digits exceed [`MOST_BYTES`].
const EDGES: [u64; 2] = [64, 48];

/// Significant digits that an average is kept to.
const DIGITS: usize = 6;

/// The elements of a matrix, averaged over neighbours where there are many.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// What the matrix is: `C = A B`.
    pub label: String,
    /// Rows of the matrix.
    pub rows: u64,
    /// Columns of the matrix.
    pub columns: u64,
    /// Rows of cells; row `r` of the matrix falls into `r * down / rows`.
    pub down: u64,
    /// Cells per row; column `c` of the matrix falls into `c * across / columns`.
    pub across: u64,
    /// Averages to six digits, row by row; `None` where no element is finite.
    pub values: Vec<Option<f64>>,
    /// The lowest and the highest element, by index `row * columns + column`.
    pub extremes: Option<Extremes>,
    /// Mean of all elements.
    pub mean: Option<f64>,
    /// Elements that are infinite or NaN.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_finite: u64,
}

impl Heat {
    /// A matrix, row by row. Missing elements count as not finite, surplus ones
    /// are ignored.
    pub fn of<I>(name: &str, rows: u64, columns: u64, elements: I) -> Self
    where
        I: IntoIterator<Item = f64, IntoIter: Clone>,
    {
        let elements = elements.into_iter();
        let mut heat = Self::with_edge(EDGES[0], name, rows, columns, elements.clone());
        for edge in &EDGES[1..] {
            if written(&heat) <= MOST_BYTES {
                break;
            }
            heat = Self::with_edge(*edge, name, rows, columns, elements.clone());
        }
        heat
    }

    fn with_edge(
        edge: u64,
        name: &str,
        rows: u64,
        columns: u64,
        elements: impl IntoIterator<Item = f64>,
    ) -> Self {
        let (down, across) = (rows.min(edge), columns.min(edge));
        let mut sums = vec![(0.0, 0u64); (down * across) as usize];
        let mut extremes = None;
        let mut elements = elements.into_iter();
        let mut numbers = 0;
        // First column of the matrix that falls into each cell, and the end.
        let starts: Vec<u64> = (0..=across).map(|cell| start(cell, columns, across)).collect();
        let rows_held = if columns == 0 { 0 } else { rows };
        'rows: for row in 0..rows_held {
            let first = (row_cell(row, rows, down) * across) as usize;
            let cells = &mut sums[first..first + across as usize];
            for (cell, bounds) in cells.iter_mut().zip(starts.windows(2)) {
                for column in bounds[0]..bounds[1] {
                    let Some(element) = elements.next() else { break 'rows };
                    if element.is_finite() {
                        cell.0 += element;
                        cell.1 += 1;
                        numbers += 1;
                        let index = row.saturating_mul(columns).saturating_add(column);
                        Extremes::take(&mut extremes, index, element);
                    }
                }
            }
        }
        let total: f64 = sums.iter().map(|cell| cell.0).sum();
        Self {
            label: label(name),
            rows,
            columns,
            down,
            across,
            values: sums.iter().map(|(sum, count)| rounded(sum / *count as f64)).collect(),
            extremes,
            mean: number(total / numbers as f64),
            not_finite: rows.saturating_mul(columns) - numbers,
        }
    }

    /// Row and column of an index of the extremes.
    pub fn place(&self, index: u64) -> (u64, u64) {
        (index / self.columns.max(1), index % self.columns.max(1))
    }
}

/// The cell that row or column `index` of `count` falls into, of `cells`.
fn row_cell(index: u64, count: u64, cells: u64) -> u64 {
    // The product may be wider than 64 bits.
    (u128::from(index) * u128::from(cells) / u128::from(count.max(1))) as u64
}

/// The first index of `count` that falls into `cell` of `cells`.
fn start(cell: u64, count: u64, cells: u64) -> u64 {
    (u128::from(cell) * u128::from(count)).div_ceil(u128::from(cells.max(1))) as u64
}

/// A number to [`DIGITS`] significant digits.
fn rounded(value: f64) -> Option<f64> {
    number(value)?;
    format!("{value:.*e}", DIGITS - 1).parse().ok()
}

/// Bytes of the view as JSON.
fn written(heat: &Heat) -> usize {
    serde_json::to_vec(&super::View::Heat(heat.clone())).map_or(usize::MAX, |text| text.len())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::super::View;
    use super::super::tests::{fits, floats};
    use super::*;

    #[test]
    fn a_small_matrix_is_kept_whole() {
        let heat = Heat::of("C", 2, 3, [1.0, 2.0, 3.0, 4.0, f64::NAN, 6.0]);
        assert_eq!((heat.down, heat.across), (2, 3));
        let values = [Some(1.0), Some(2.0), Some(3.0), Some(4.0), None, Some(6.0)];
        assert_eq!(heat.values, values);
        assert_eq!(heat.place(heat.extremes.unwrap().highest.0), (1, 2));
        assert_eq!((heat.not_finite, heat.mean), (1, Some(3.2)));
    }

    #[test]
    fn neighbours_share_a_cell() {
        // Row r, column c holds r; 100 rows fall into 64 cells by one or two.
        let heat = Heat::of("C", 100, 128, (0..100 * 128).map(|i| f64::from(i / 128)));
        assert_eq!((heat.down, heat.across), (64, 64));
        assert_eq!((heat.values[0], heat.values[63]), (Some(0.5), Some(0.5)));
        assert_eq!(heat.values[64], Some(2.5));
        assert_eq!(heat.values[63 * 64], Some(99.0));
        assert_eq!(heat.mean, Some(49.5));
    }

    #[test]
    fn every_index_falls_into_the_cell_whose_range_holds_it() {
        for (count, cells) in [(1, 1), (100, 64), (64, 64), (65, 64), (1000, 48), (7, 7)] {
            for index in 0..count {
                let cell = row_cell(index, count, cells);
                assert!(start(cell, count, cells) <= index, "{count} {cells} {index}");
                assert!(index < start(cell + 1, count, cells), "{count} {cells} {index}");
            }
        }
    }

    #[test]
    fn numbers_of_many_digits_get_fewer_cells() {
        let elements = (0..4096).map(|i| -1.234_567e15 - f64::from(i) * 1e9);
        let heat = Heat::of("C", 64, 64, elements);
        assert_eq!((heat.down, heat.across), (48, 48));
        assert!(written(&heat) <= MOST_BYTES);
    }

    proptest! {
        #[test]
        fn any_matrix_fits_and_keeps_its_extremes(
            (rows, columns) in (0u64..90, 0u64..90), elements in floats(6000),
            name in "\\PC{0,300}",
        ) {
            let held = elements.len().min((rows * columns) as usize);
            let numbers = || elements[..held].iter().copied().filter(|value| value.is_finite());
            let heat = Heat::of(&name, rows, columns, elements.iter().copied());
            let highest = heat.extremes.map(|extremes| extremes.highest.1);
            prop_assert_eq!(highest, numbers().reduce(f64::max));
            let lowest = heat.extremes.map(|extremes| extremes.lowest.1);
            prop_assert_eq!(lowest, numbers().reduce(f64::min));
            prop_assert_eq!(heat.not_finite, rows * columns - numbers().count() as u64);
            fits(&View::Heat(heat))?;
        }
    }
}
