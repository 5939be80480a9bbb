//! Quantities with their units: how they are read, bounded and written, so that the same
//! quantity looks the same in every option, table, screen and figure.

mod superscript;
pub mod text;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use superscript::superscript;

/// Most elements an input may have: kernels index with 32 bits and step by up
/// to one grid, so `n` stays below 2^31 and `i + stride` cannot wrap.
pub const MOST_ELEMENTS: u64 = (1 << 31) - 1;

/// Why a quantity could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The text is not a number in any of the accepted forms.
    #[error("`{0}` is not a number: write 1000, 2^20, 1M (10^6) or 1Mi (2^20)")]
    NotANumber(String),
    /// The number lies outside what the quantity allows.
    #[error("{what} must be {low} to {high}, not {value}")]
    OutOfRange {
        /// Which quantity.
        what: &'static str,
        /// The value as written.
        value: String,
        /// Lowest allowed value.
        low: u64,
        /// Highest allowed value.
        high: u64,
    },
}

/// Reads a count: `1000`, `1_000`, `2^20`, `1k`/`1M`/`1G` (powers of 1000) or
/// `1Ki`/`1Mi`/`1Gi` (powers of 1024).
pub fn parse_count(text: &str) -> Result<u64, ParseError> {
    let trimmed = text.trim();
    let bad = || ParseError::NotANumber(trimmed.to_owned());
    let digits = |part: &str| -> Result<u64, ParseError> {
        let plain: String = part.chars().filter(|c| *c != '_').collect();
        if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        plain.parse().map_err(|_| bad())
    };
    if let Some((base, exponent)) = trimmed.split_once('^') {
        let base = digits(base)?;
        let exponent = u32::try_from(digits(exponent)?).map_err(|_| bad())?;
        return base.checked_pow(exponent).ok_or_else(bad);
    }
    let split = trimmed.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(trimmed.len());
    let (number, suffix) = trimmed.split_at(split);
    let factor: u64 = match suffix {
        "" => 1,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        _ => return Err(bad()),
    };
    digits(number)?.checked_mul(factor).ok_or_else(bad)
}

/// A number of input elements, below 2^31.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Elements(pub u64);

impl FromStr for Elements {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let n = parse_count(text)?;
        if n > MOST_ELEMENTS {
            return Err(ParseError::OutOfRange {
                what: "n",
                value: text.trim().to_owned(),
                low: 0,
                high: MOST_ELEMENTS,
            });
        }
        Ok(Self(n))
    }
}

impl fmt::Display for Elements {
    /// Powers of two from 2^10 up as such, whole millions and thousands with a
    /// suffix, everything else in digits: each form reads back as the same number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n = self.0;
        let text = if n >= 1024 && n.is_power_of_two() {
            format!("2^{}", n.trailing_zeros())
        } else if n >= 1_000_000 && n.is_multiple_of(1_000_000) {
            format!("{}M", n / 1_000_000)
        } else if n >= 10_000 && n.is_multiple_of(1_000) {
            format!("{}k", n / 1_000)
        } else {
            n.to_string()
        };
        f.pad(&text)
    }
}

/// Threads per block, 1 to 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct BlockSize(u32);

impl BlockSize {
    /// The most threads any CUDA device runs in one block.
    pub const MOST: u32 = 1024;

    /// A block size, if it lies in 1..=1024.
    pub fn new(threads: u32) -> Result<Self, ParseError> {
        if (1..=Self::MOST).contains(&threads) {
            Ok(Self(threads))
        } else {
            Err(ParseError::OutOfRange {
                what: "block size",
                value: threads.to_string(),
                low: 1,
                high: u64::from(Self::MOST),
            })
        }
    }

    /// Threads per block.
    pub fn get(self) -> u32 {
        self.0
    }
}

impl TryFrom<u32> for BlockSize {
    type Error = ParseError;
    fn try_from(threads: u32) -> Result<Self, ParseError> {
        Self::new(threads)
    }
}

impl From<BlockSize> for u32 {
    fn from(block: BlockSize) -> u32 {
        block.0
    }
}

impl FromStr for BlockSize {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        let threads = parse_count(text)?;
        Self::new(u32::try_from(threads).unwrap_or(u32::MAX))
    }
}

impl fmt::Display for BlockSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A quantity that is written with the prefix that leaves 1 to 999 before the point.
macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident $($scale:literal $unit:literal)*) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
        pub struct $name(pub f64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&with_prefix(self.0, &[$(($scale, $unit)),*]))
            }
        }
    };
}

quantity!(
    /// A duration in seconds: `12.4 µs`.
    Seconds 1.0 "s" 1e-3 "ms" 1e-6 "µs" 1e-9 "ns"
);
quantity!(
    /// A rate in bytes per second, in decimal multiples as in data sheets: `338 GB/s`.
    BytesPerSecond 1e12 "TB/s" 1e9 "GB/s" 1e6 "MB/s" 1e3 "kB/s" 1.0 "B/s"
);
quantity!(
    /// A rate in elements per second: `84.5 G/s`.
    ElementsPerSecond 1e12 "T/s" 1e9 "G/s" 1e6 "M/s" 1e3 "k/s" 1.0 "/s"
);
quantity!(
    /// A rate in operations per second: `33.5 Tops/s`.
    OperationsPerSecond 1e12 "Tops/s" 1e9 "Gops/s" 1e6 "Mops/s" 1e3 "kops/s" 1.0 "ops/s"
);

quantity!(
    /// A rate in floating-point operations per second: `41.2 TFLOP/s`.
    FlopsPerSecond 1e12 "TFLOP/s" 1e9 "GFLOP/s" 1e6 "MFLOP/s" 1e3 "kFLOP/s" 1.0 "FLOP/s"
);

/// A number of bytes, written in binary multiples: `4.00 MiB`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0;
        if bytes < 1 << 10 {
            return f.pad(&format!("{bytes} B"));
        }
        let units = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        f.pad(&with_prefix(bytes as f64, &units.map(|(bits, name)| ((1_u64 << bits) as f64, name))))
    }
}

/// Writes `value` to three significant digits in the largest of `units` (scale
/// and name, largest first) that leaves at least 1 before the point, or in the
/// smallest one.
fn with_prefix(value: f64, units: &[(f64, &str)]) -> String {
    // 0.9995 of a unit already rounds to 1.00 of it.
    let fits = |&&(scale, _): &&(f64, &str)| value.abs() >= scale * 0.9995;
    let Some(&(scale, name)) = units.iter().find(fits).or(units.last()) else {
        return significant(value);
    };
    format!("{} {name}", significant(value / scale))
}

/// Three significant digits without an exponent: `1.24`, `12.4`, `124`, `1240`.
pub fn significant(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        "–".to_owned()
    } else if magnitude >= 99.95 || magnitude == 0.0 {
        format!("{value:.0}")
    } else if magnitude >= 9.995 {
        format!("{value:.1}")
    } else if magnitude >= 0.9995 {
        format!("{value:.2}")
    } else {
        format!("{value:.3}")
    }
}

/// A count with a space every three digits: `1 234 567`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A value as short as five digits allow, whole numbers below 10^15 in full:
/// `-1 234 567`, `0.25`, `3.1416`, `1.5e-9`.
pub fn decimal(value: f64) -> String {
    let magnitude = value.abs();
    if !value.is_finite() {
        return "–".to_owned();
    }
    if magnitude < 1e15 && value.fract() == 0.0 {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(magnitude as u64));
    }
    let exponent = magnitude.log10().floor() as i32;
    let text = if (4..6).contains(&exponent) {
        return decimal(value.round());
    } else if (-4..4).contains(&exponent) {
        format!("{value:.*}", (4 - exponent).max(0) as usize)
    } else {
        format!("{value:.4e}")
    };
    let (digits, power) =
        text.split_once('e').map_or((text.as_str(), None), |(digits, power)| (digits, Some(power)));
    let digits = if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    };
    power.map_or_else(|| digits.to_owned(), |power| format!("{digits}e{power}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn long_numbers_are_grouped() {
        for (count, text) in [(0, "0"), (999, "999"), (1000, "1 000"), (1_234_567, "1 234 567")] {
            assert_eq!(grouped(count), text);
        }
    }

    #[test]
    fn values_are_as_short_as_they_can_be() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (-1_234_567.0, "-1 234 567"),
            (0.25, "0.25"),
            (std::f64::consts::PI, "3.1416"),
            (1.5e-9, "1.5e-9"),
            (0.000_123_456_7, "0.00012346"),
            (123_456.789, "123 457"),
            (-2.5e20, "-2.5e20"),
            (1e15, "1e15"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(decimal(value), text);
        }
    }

    #[test]
    fn counts_are_read_in_every_form() {
        for (text, value) in [
            ("0", 0),
            ("1000", 1000),
            ("1_000", 1000),
            ("2^20", 1 << 20),
            ("10^6", 1_000_000),
            ("1k", 1000),
            ("1M", 1_000_000),
            ("1Mi", 1 << 20),
            ("3Ki", 3072),
            (" 2G ", 2_000_000_000),
        ] {
            assert_eq!(parse_count(text), Ok(value), "{text}");
        }
        for text in
            ["", "-1", "1.5", "2^", "^2", "2^64", "1Q", "M", "99999999999999999999", "1 000"]
        {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bounds_are_named_in_the_error() {
        let error = "2^31".parse::<Elements>().unwrap_err().to_string();
        assert_eq!(error, "n must be 0 to 2147483647, not 2^31");
        for block in ["0", "1025", "2^40"] {
            assert!(block.parse::<BlockSize>().is_err(), "{block}");
        }
    }

    #[test]
    fn quantities_read_like_a_data_sheet() {
        assert_eq!(Seconds(1.24e-5).to_string(), "12.4 µs");
        assert_eq!(Seconds(0.000_999_99).to_string(), "1.00 ms");
        assert_eq!(Seconds(2.0).to_string(), "2.00 s");
        assert_eq!(Seconds(3.2e-10).to_string(), "0.320 ns");
        assert_eq!(Seconds(0.0).to_string(), "0 ns");
        assert_eq!(Bytes(1000).to_string(), "1000 B");
        assert_eq!(Bytes(4 << 20).to_string(), "4.00 MiB");
        assert_eq!(BytesPerSecond(3.38e11).to_string(), "338 GB/s");
    }

    proptest! {
        #[test]
        fn a_written_size_reads_back(n in 0..=MOST_ELEMENTS) {
            prop_assert_eq!(Elements(n).to_string().parse::<Elements>(), Ok(Elements(n)));
        }

        #[test]
        fn reading_never_panics(text in "\\PC{0,12}") {
            let _ = parse_count(&text);
        }
    }
}
