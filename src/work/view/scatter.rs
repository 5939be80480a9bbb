//! Points on a surface, and the lattice that they show.

use serde::{Deserialize, Serialize};

use super::{Facts, fact, number};
use crate::units::{decimal, grouped};

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
    /// Column and row of every peak, highest first, on a surface of so many
    /// columns and rows.
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

    /// … of which these are dominant, the most dominant first.
    #[must_use]
    pub fn with_dominant(mut self, dominant: impl IntoIterator<Item = Dominant>) -> Self {
        self.dominant = dominant.into_iter().take(MOST_DOMINANT).collect();
        self
    }

    /// … and show the lattice of these vectors. A vector with a part that is
    /// no number is left out.
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

    pub(super) fn facts(&self) -> Facts {
        let (width, height) = (grouped(self.width), grouped(self.height));
        let mut facts = vec![fact(
            "peaks",
            format!("{} on a surface of {width} × {height}", grouped(self.peaks)),
        )];
        let shown = self.points.len() as u64;
        if shown < self.peaks {
            facts.push(fact("shown", format!("the {} highest", grouped(shown))));
        }
        if !self.dominant.is_empty() {
            // The highest has no higher one; the next is what tells.
            let farthest = self.dominant.iter().find_map(|dominant| dominant.distance2);
            let far = farthest.map(|square| {
                let distance = decimal((square as f64).sqrt());
                format!(", the farthest {distance} from any higher peak")
            });
            let count = grouped(self.dominant.len() as u64);
            facts.push(fact("dominant", format!("{count}{}", far.unwrap_or_default())));
        }
        if !self.vectors.is_empty() {
            let vectors: Vec<String> = self
                .vectors
                .iter()
                .map(|(x, y)| format!("({}, {})", decimal(*x), decimal(*y)))
                .collect();
            facts.push(fact("lattice", vectors.join(" and ")));
        }
        facts
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
        assert!(scatter.facts().contains(&fact("shown", "the 2 048 highest")));
    }

    #[test]
    fn the_lattice_is_told_in_words() {
        let dominant = [
            Dominant { x: 8, y: 8, distance2: None },
            Dominant { x: 4, y: 5, distance2: Some(25) },
        ];
        let scatter = Scatter::of(16, 16, [(8, 8), (4, 5)])
            .with_dominant(dominant)
            .with_lattice((8.0, 8.0), [(4.0, 0.0), (f64::NAN, 1.0), (2.0, 3.5)]);
        let facts = scatter.facts();
        assert!(facts.contains(&fact("lattice", "(4, 0) and (2, 3.5)")), "{facts:?}");
        assert!(
            facts.contains(&fact("dominant", "2, the farthest 5 from any higher peak")),
            "{facts:?}"
        );
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
