//! One number of a profile: its value or curve, and where it comes from.

/// What a key has: one value, or values along an axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Values {
    /// One value.
    One(f64),
    /// Places on the axis, rising, each with its value; at least one.
    Curve(Vec<(f64, f64)>),
}

impl Values {
    /// The value at `x`: that of the curve linear between the two places next to
    /// `x` on a logarithmic axis, and beyond its ends as at them.
    pub fn at(&self, x: f64) -> f64 {
        let points = match self {
            Self::One(value) => return *value,
            Self::Curve(points) => points,
        };
        let after = points.partition_point(|(place, _)| *place < x);
        match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
            (None, Some(&(_, value))) | (Some((_, value)), None) => value,
            (None, None) => f64::NAN,
            (Some((left, low)), Some(&(right, high))) => {
                let share = if left > 0.0 {
                    (x / left).ln() / (right / left).ln()
                } else {
                    (x - left) / (right - left)
                };
                low + (high - low) * share
            }
        }
    }

    /// The one value, or the highest of the curve.
    pub fn most(&self) -> f64 {
        match self {
            Self::One(value) => *value,
            Self::Curve(points) => points.iter().map(|point| point.1).fold(f64::NAN, f64::max),
        }
    }

    /// The same with places and values times something.
    pub(super) fn scaled(&self, places: f64, values: f64) -> Self {
        match self {
            Self::One(value) => Self::One(value * values),
            Self::Curve(points) => {
                Self::Curve(points.iter().map(|(x, y)| (x * places, y * values)).collect())
            }
        }
    }
}

/// A number of a profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    /// The value or values, in the unit of its key.
    pub values: Values,
    /// Where it comes from: `measured by …`, `published: …`, `assumed: …` or
    /// `driver`.
    pub source: String,
    /// How far apart the middle half of its samples lie, over the median; the
    /// widest of a curve.
    pub spread: Option<f64>,
}

impl Number {
    /// One value without a spread.
    pub fn one(value: f64, source: &str) -> Self {
        Self { values: Values::One(value), source: source.to_owned(), spread: None }
    }

    /// Whether it was measured on the GPU that the profile is of.
    pub fn is_measured(&self) -> bool {
        self.source.starts_with("measured")
    }
}

/// How every source begins.
pub(super) const SOURCES: [&str; 4] = ["measured", "published", "assumed", "driver"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_read_between_its_points() {
        let curve = Values::Curve(vec![(1.0, 10.0), (4.0, 30.0), (16.0, 30.0)]);
        for (x, y) in
            [(0.5, 10.0), (1.0, 10.0), (2.0, 20.0), (4.0, 30.0), (8.0, 30.0), (99.0, 30.0)]
        {
            assert!((curve.at(x) - y).abs() < 1e-12, "{x}: {}", curve.at(x));
        }
        assert!((Values::One(3.0).at(7.0) - 3.0).abs() < 1e-12);
        assert!((curve.most() - 30.0).abs() < 1e-12);
    }
}
