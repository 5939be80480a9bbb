//! The view of a user's output.

use super::Problem;
use super::header::Located;
use crate::experiment::UnknownName;
use crate::work::{Bars, Curve, Heat, HostBuffer, Scatter, View};

/// How an output is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A value for every element, as a curve.
    Line,
    /// A value for every element, as columns.
    Columns,
    /// A matrix, row by row.
    Grid,
    /// Points: two neighbouring elements are x and y.
    Points,
}

const NAMES: [(&str, Kind); 4] = [
    ("line", Kind::Line),
    ("columns", Kind::Columns),
    ("grid", Kind::Grid),
    ("points", Kind::Points),
];

/// Edge of the surface that points are drawn on.
const SURFACE: u32 = 1024;

/// Most points that are read.
const MOST_POINTS: usize = 1 << 16;

impl Kind {
    /// The kind that a file names; columns unless it names one.
    pub(super) fn read(name: Option<&Located<String>>) -> Result<Self, Problem> {
        let Some(Located { line, value }) = name else { return Ok(Self::Columns) };
        let found = NAMES.iter().find(|(name, _)| name == value);
        found.map(|(_, kind)| *kind).ok_or_else(|| {
            let error = UnknownName::new("view", value, &NAMES.map(|(name, _)| name));
            Problem::new(*line, error.to_string())
        })
    }

    /// The view of an output called `name`, of a case of size `n`.
    pub(super) fn of(self, name: &str, n: u64, output: &HostBuffer) -> Option<View> {
        if output.is_empty() {
            return None;
        }
        let values = output.to_f64();
        Some(match self {
            Self::Line => View::Curve(Curve::of(name, values)),
            Self::Columns => View::Bars(Bars::of(name, values)),
            Self::Grid => {
                let (rows, columns) = shape(values.len() as u64, n);
                View::Heat(Heat::of(name, rows, columns, values))
            }
            Self::Points => View::Scatter(points(&values)),
        })
    }
}

/// Rows and columns of a matrix with this number of elements: square, else `n` rows, else one row.
fn shape(elements: u64, n: u64) -> (u64, u64) {
    let root = elements.isqrt();
    if root * root == elements {
        (root, root)
    } else if n > 0 && elements.is_multiple_of(n) {
        (n, elements / n)
    } else {
        (1, elements)
    }
}

/// Pairs of x and y, scaled to the surface by the range of both.
fn points(values: &[f64]) -> Scatter {
    let pairs = values.as_chunks::<2>().0;
    let finite: Vec<[f64; 2]> =
        pairs.iter().filter(|pair| pair.iter().all(|it| it.is_finite())).copied().collect();
    let range = |axis: usize| {
        let each = finite.iter().map(|pair| pair[axis]);
        (each.clone().fold(f64::INFINITY, f64::min), each.fold(f64::NEG_INFINITY, f64::max))
    };
    let ranges = [range(0), range(1)];
    let place = |value: f64, (low, high): (f64, f64)| {
        let width = high - low;
        let part = if width > 0.0 && width.is_finite() { (value - low) / width } else { 0.5 };
        (part * f64::from(SURFACE - 1)) as u32
    };
    let every = finite.len().div_ceil(MOST_POINTS).max(1);
    let places: Vec<(u32, u32)> = finite
        .iter()
        .step_by(every)
        .map(|pair| (place(pair[0], ranges[0]), place(pair[1], ranges[1])))
        .collect();
    Scatter::of(SURFACE.into(), SURFACE.into(), places)
}
