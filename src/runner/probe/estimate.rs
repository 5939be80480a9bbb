//! From samples to a number: medians, and how far the samples lie apart.

use crate::statistics;

/// A number with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The median, or what follows from medians.
    pub value: f64,
    /// The interquartile range over the value; of what follows from several
    /// medians, their ranges together.
    pub spread: f64,
}

impl Estimate {
    /// The median of samples, of which there is at least one.
    pub fn of(samples: &[f64]) -> Self {
        let at = |share| statistics::quantile(samples, share).unwrap_or(f64::NAN);
        let value = at(0.5);
        Self { value, spread: (at(0.75) - at(0.25)) / value.abs() }
    }

    /// Whether it is a number above 0 with a spread that is one.
    pub(super) fn is_positive(self) -> bool {
        self.value.is_finite() && self.value > 0.0 && self.spread.is_finite()
    }

    /// This less another.
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        let value = self.value - other.value;
        let range = self.spread * self.value + other.spread * other.value;
        Self { value, spread: range / value.abs() }
    }

    /// So many times this.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, ..self }
    }

    /// So much in the time that this is.
    #[must_use]
    pub fn rate_of(self, amount: f64) -> Self {
        Self { value: amount / self.value, ..self }
    }
}
