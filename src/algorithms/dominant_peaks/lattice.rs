//! From dominant peaks to the lattice that they are points of.

/// A lattice read off the peaks of an autocorrelation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The highest peak: no shift at all.
    pub origin: (f64, f64),
    /// The two shortest vectors between points that do not lie on one line, in
    /// pixels.
    pub vectors: [(f64, f64); 2],
}

/// Sine of the least angle between two vectors that count as two directions.
const LEAST_SINE: f64 = 0.34;

/// Fewest peaks, from the highest down, that are searched for vectors: more than
/// the neighbours of the origin in any lattice.
const LEAST_SEARCHED: usize = 12;

/// The lattice of the peaks at `(x, y)`, highest first, with these least squared
/// distances to a higher one.
///
/// The points of the lattice are the peaks about as far from a higher one as the
/// `dominant` ones are; ripples on their flanks are far closer. What noise raises
/// between them may be as far, but it is low. The points around the origin are
/// the highest of all, since a shift of an image by less leaves more of it
/// overlapping. So the upper quarter is searched: the shortest vector from the
/// origin to one of them and the shortest in another direction span a cell.
/// `None` where there are too few.
pub fn find(x: &[u32], y: &[u32], least: &[u32], dominant: &[u32]) -> Option<Found> {
    let origin = (f64::from(*x.first()?), f64::from(*y.first()?));
    // Half the distance of the last of the dominant: a quarter of its square.
    let typical = dominant.iter().filter_map(|&index| least.get(index as usize)).min()?;
    let cutoff = (typical / 4).max(4);
    let far: Vec<(f64, f64)> = x
        .iter()
        .zip(y)
        .zip(least)
        .skip(1)
        .filter(|(_, distance)| **distance >= cutoff)
        .map(|((&x, &y), _)| (f64::from(x) - origin.0, f64::from(y) - origin.1))
        .collect();
    let searched = (far.len() / 4).max(LEAST_SEARCHED).min(far.len());
    let mut points = far[..searched].to_vec();
    let square = |(x, y): (f64, f64)| x * x + y * y;
    points.sort_by(|a, b| square(*a).total_cmp(&square(*b)));
    let first = *points.first()?;
    let second = points.into_iter().find(|point| {
        let cross = (first.0 * point.1 - first.1 * point.0).abs();
        cross >= LEAST_SINE * (square(first) * square(*point)).sqrt()
    })?;
    Some(Found { origin, vectors: [first, second] })
}
