//! Axes: values, positions and ticks.

use super::{Axis, Scale, Unit};
use crate::units::{
    BytesPerSecond, Elements, ElementsPerSecond, FlopsPerSecond, OperationsPerSecond, Seconds,
    decimal, significant,
};

/// A labelled value of an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Tick {
    /// Its value, in the axis' unit.
    pub value: f64,
    /// Its text: `10 µs`.
    pub label: String,
}

/// A logarithmic axis spans at least this factor, so that noise does not fill the chart.
const LEAST_FACTOR: f64 = 2.0;

/// Space on either side of the values, as a share of their span.
const AIR: f64 = 0.04;

impl Scale {
    /// The coordinate of a value; not finite where the scale cannot show it.
    pub fn forward(self, value: f64) -> f64 {
        match self {
            Self::Linear => value,
            Self::Log2 if value > 0.0 => value.log2(),
            Self::Log10 if value > 0.0 => value.log10(),
            Self::Log2 | Self::Log10 => f64::NEG_INFINITY,
        }
    }

    /// The inverse of [`Scale::forward`].
    pub fn inverse(self, coordinate: f64) -> f64 {
        match self {
            Self::Linear => coordinate,
            Self::Log2 => coordinate.exp2(),
            Self::Log10 => 10f64.powf(coordinate),
        }
    }

    /// Whether the scale can show `value`.
    pub fn shows(self, value: f64) -> bool {
        self.forward(value).is_finite()
    }
}

impl Axis {
    /// A range that shows all of `values` with some space around them. A linear axis begins at
    /// 0; the range of no values is 1 to 1024.
    pub fn range(&self, values: impl IntoIterator<Item = f64>) -> (f64, f64) {
        let shown = values.into_iter().filter(|value| self.scale.shows(*value));
        let (low, high) = shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if low > high {
            return (1.0, 1024.0);
        }
        match self.scale {
            Scale::Linear => {
                let (low, high) = (low.min(0.0), high.max(0.0));
                let span = if high > low { high - low } else { 1.0 };
                (if low < 0.0 { low - AIR * span } else { 0.0 }, high + AIR * span)
            }
            Scale::Log2 | Scale::Log10 => {
                let (low, high) = (self.scale.forward(low), self.scale.forward(high));
                let missing = self.scale.forward(LEAST_FACTOR) - (high - low);
                let air = (AIR * (high - low)).max(missing / 2.0);
                (self.scale.inverse(low - air), self.scale.inverse(high + air))
            }
        }
    }

    /// The position of `value` in `range`: 0 at its low end, 1 at its high end. `None` where
    /// the scale cannot show it.
    pub fn position(&self, value: f64, range: (f64, f64)) -> Option<f64> {
        let low = self.scale.forward(range.0);
        let span = self.scale.forward(range.1) - low;
        let position = (self.scale.forward(value) - low) / span;
        position.is_finite().then_some(position)
    }

    /// The inverse of [`Axis::position`].
    pub fn value_at(&self, position: f64, range: (f64, f64)) -> f64 {
        let low = self.scale.forward(range.0);
        let high = self.scale.forward(range.1);
        self.scale.inverse(low + position * (high - low))
    }

    /// At most `most` ticks at round values in `range`, ascending; at least two where there is
    /// room.
    pub fn ticks(&self, range: (f64, f64), most: usize) -> Vec<Tick> {
        let values = match self.scale {
            Scale::Linear => self.linear_ticks(range, most),
            Scale::Log2 => {
                first_fitting([1, 2, 4, 5, 10, 20].map(|step| powers(2.0, step, range)), most)
                    .unwrap_or_else(|| self.linear_ticks(range, most))
            }
            Scale::Log10 => {
                let decades = |mantissas: &[f64]| {
                    let of = |&m: &f64| {
                        let powers = powers(10.0, 1, (range.0 / m, range.1 / m)).into_iter();
                        powers.map(move |power| power * m)
                    };
                    let mut all: Vec<f64> = mantissas.iter().flat_map(of).collect();
                    all.sort_by(f64::total_cmp);
                    all
                };
                let candidates = [
                    decades(&[1.0, 2.0, 5.0]),
                    decades(&[1.0, 3.0]),
                    powers(10.0, 1, range),
                    powers(10.0, 2, range),
                    powers(10.0, 3, range),
                    powers(10.0, 6, range),
                ];
                first_fitting(candidates, most).unwrap_or_else(|| self.linear_ticks(range, most))
            }
        };
        values.into_iter().map(|value| Tick { value, label: self.tick_label(value) }).collect()
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn linear_ticks(&self, (low, high): (f64, f64), most: usize) -> Vec<f64> {
        let span = high - low;
        if !span.is_finite() || span <= 0.0 || most == 0 {
            return Vec::new();
        }
        let mut step = 10f64.powf((span / most as f64).log10().floor());
        if matches!(self.unit, Unit::Elements | Unit::Count) {
            step = step.max(1.0);
        }
        let multiples = |step: f64| {
            let (first, last) = ((low / step).ceil(), (high / step).floor());
            (first, (last - first + 1.0).max(0.0))
        };
        for factor in [2.0, 2.5, 2.0].into_iter().cycle() {
            let (first, count) = multiples(step);
            if count <= most as f64 {
                return (0..count as usize).map(|i| (first + i as f64) * step).collect();
            }
            step *= factor;
        }
        Vec::new()
    }

    /// `value` in the axis' unit to three significant digits: `12.4 µs`, `2^20`.
    pub fn format(&self, value: f64) -> String {
        match self.unit {
            Unit::Elements => Elements(value.round().max(0.0) as u64).to_string(),
            Unit::Seconds => Seconds(value).to_string(),
            Unit::ElementsPerSecond => ElementsPerSecond(value).to_string(),
            Unit::BytesPerSecond => BytesPerSecond(value).to_string(),
            Unit::OperationsPerSecond => OperationsPerSecond(value).to_string(),
            Unit::FlopsPerSecond => FlopsPerSecond(value).to_string(),
            Unit::Share => format!("{} %", significant(100.0 * value)),
            Unit::Ratio => format!("{}x", significant(value)),
            // Long numbers crowd an axis.
            Unit::Number if value.abs() >= 1e7 => short(value),
            Unit::Number => decimal(value),
            Unit::Count if value.fract() == 0.0 => format!("{value:.0}"),
            Unit::Count | Unit::OperationsPerByte => significant(value),
        }
    }

    /// [`Axis::format`] without trailing zeros.
    fn tick_label(&self, value: f64) -> String {
        let text = self.format(value);
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, unit) = text.split_at(end);
        if number.contains('.') {
            format!("{}{unit}", number.trim_end_matches('0').trim_end_matches('.'))
        } else {
            text
        }
    }
}

/// `3.5e13`
fn short(value: f64) -> String {
    let text = format!("{value:.2e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// The powers of `base` in `range` whose exponent is a multiple of `step`.
fn powers(base: f64, step: i32, (low, high): (f64, f64)) -> Vec<f64> {
    // Beyond it the powers are 0 or infinite, and there would be billions of them.
    let (low, high) = (low.max(f64::MIN_POSITIVE), high.min(f64::MAX));
    // Tolerates the rounding of the logarithm at the ends of the range.
    let first = ((low.ln() / base.ln()) / f64::from(step) - 1e-9).ceil() as i32;
    let last = ((high.ln() / base.ln()) / f64::from(step) + 1e-9).floor() as i32;
    (first..=last).map(|exponent| base.powi(exponent * step)).collect()
}

/// The first candidate with at most `most` values, unless it has fewer than two.
fn first_fitting<const N: usize>(candidates: [Vec<f64>; N], most: usize) -> Option<Vec<f64>> {
    candidates.into_iter().find(|values| values.len() <= most).filter(|values| values.len() >= 2)
}

#[cfg(test)]
mod tests;
