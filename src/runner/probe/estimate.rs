//! From samples to a number: median and spread.

use crate::statistics;

/// A number with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The median, or what follows from medians.
    pub value: f64,
    /// The interquartile range over the value. A difference adds both ranges.
    pub spread: f64,
}

impl Estimate {
    /// The median of at least one sample.
    pub fn of(samples: &[f64]) -> Self {
        let at = |share| statistics::quantile(samples, share).unwrap_or(f64::NAN);
        let value = at(0.5);
        Self { value, spread: (at(0.75) - at(0.25)) / value.abs() }
    }

    /// Whether the value is above 0 and the spread is finite.
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

    /// This times `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { value: self.value * factor, ..self }
    }

    /// `amount` per this time.
    #[must_use]
    pub fn rate_of(self, amount: f64) -> Self {
        Self { value: amount / self.value, ..self }
    }
}
