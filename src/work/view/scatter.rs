//! Points on a surface, and the lattice that they show.

use serde::{Deserialize, Serialize};

use super::number;

/// Most points kept.
const MOST_POINTS: usize = 2048;

/// Most dominant points kept.
const MOST_DOMINANT: usize = 64;

/// Most lattice vectors kept; a planar lattice has two.
const MOST_VECTORS: usize = 4;

/// Peaks on a surface, the dominant among them, and the lattice of these.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// Columns of the surface.
    pub width: u64,
    /// Rows of the surface.
    pub height: u64,
    /// Peaks in all.
    pub peaks: u64,
    /// Column and row of the highest peaks: all of them, or 2048.
    pub points: Vec<(u32, u32)>,
    /// The most dominant peaks, most dominant first.
    pub dominant: Vec<Dominant>,
    /// Where the lattice is drawn from.
    pub origin: (f64, f64),
    /// Lattice vectors, in columns and rows.
    pub vectors: Vec<(f64, f64)>,
}

/// A peak far from every higher one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dominant {
    /// Its column.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// Square of the distance to the nearest higher peak; none for the highest.
    pub distance2: Option<u64>,
}

impl Scatter {
    /// Column and row of every peak, highest first, on a surface of `width`
    /// columns and `height` rows.
    pub fn of<I>(width: u64, height: u64, peaks: I) -> Self
    where
        I: IntoIterator<Item = (u32, u32), IntoIter: ExactSizeIterator>,
    {
        let peaks = peaks.into_iter();
        Self {
            width,
            height,
            peaks: peaks.len() as u64,
            points: peaks.take(MOST_POINTS).collect(),
            dominant: Vec::new(),
            origin: (0.0, 0.0),
            vectors: Vec::new(),
        }
    }

    /// Adds the dominant peaks, the most dominant first.
    #[must_use]
    pub fn with_dominant(mut self, dominant: impl IntoIterator<Item = Dominant>) -> Self {
        self.dominant = dominant.into_iter().take(MOST_DOMINANT).collect();
        self
    }

    /// Adds the lattice of these vectors; vectors that are not finite are left
    /// out.
    #[must_use]
    pub fn with_lattice(
        mut self,
        origin: (f64, f64),
        vectors: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let finite = |(x, y): (f64, f64)| Some((number(x)?, number(y)?));
        self.origin = finite(origin).unwrap_or_default();
        self.vectors = vectors.into_iter().filter_map(finite).take(MOST_VECTORS).collect();
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
    fn the_highest_peaks_stay() {
        let scatter = Scatter::of(100, 50, (0..5000).map(|i| (i, 2 * i)));
        assert_eq!((scatter.peaks, scatter.points.len()), (5000, MOST_POINTS));
        assert_eq!(scatter.points[2047], (2047, 4094));
    }

    proptest! {
        #[test]
        fn any_peaks_fit(
            (width, height) in any::<(u64, u64)>(),
            peaks in prop::collection::vec(any::<(u32, u32)>(), 0..3000),
            dominant in prop::collection::vec(any::<(u32, u32, Option<u64>)>(), 0..100),
            vectors in floats(20),
        ) {
            let dominant =
                dominant.into_iter().map(|(x, y, distance2)| Dominant { x, y, distance2 });
            let pairs: Vec<(f64, f64)> = vectors.chunks_exact(2).map(|v| (v[0], v[1])).collect();
            let scatter = Scatter::of(width, height, peaks.iter().copied())
                .with_dominant(dominant)
                .with_lattice(pairs.first().copied().unwrap_or_default(), pairs);
            prop_assert_eq!(scatter.peaks, peaks.len() as u64);
            fits(&View::Scatter(scatter))?;
        }
    }
}
