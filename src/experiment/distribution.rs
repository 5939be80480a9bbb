//! How input values are drawn: names and their parameters.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{ExperimentError, UnknownName};

/// How input values are drawn. Every distribution gives element `i` from the
/// seed and `i` alone, and the same values on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Distribution {
    /// Every 32-bit value equally likely.
    #[default]
    Uniform,
    /// A bell around the middle of the range.
    Normal,
    /// Rank `k` with probability proportional to `k^-s`.
    Zipf(f64),
    /// One value everywhere.
    Constant,
    /// 0, 1, 2, …
    Iota,
    /// The value 1 everywhere.
    Ones,
    /// Ascending, spread over the whole range.
    Sorted,
    /// Descending, spread over the whole range.
    Reversed,
    /// `k` different values, each equally likely.
    FewUnique(u32),
}

impl Distribution {
    /// One of each kind, with usual parameters, in the order lists show them.
    pub const ALL: [Self; 9] = [
        Self::Uniform,
        Self::Normal,
        Self::Zipf(1.2),
        Self::Constant,
        Self::Iota,
        Self::Ones,
        Self::Sorted,
        Self::Reversed,
        Self::FewUnique(16),
    ];

    /// How each is written.
    const NAMES: [&str; 9] = [
        "uniform",
        "normal",
        "zipf:S",
        "constant",
        "iota",
        "ones",
        "sorted",
        "reversed",
        "few-unique:K",
    ];

    /// Whether both are of one kind, whatever their parameters.
    pub fn is_like(self, other: Self) -> bool {
        std::mem::discriminant(&self) == std::mem::discriminant(&other)
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Uniform => "uniform".to_owned(),
            Self::Normal => "normal".to_owned(),
            Self::Zipf(s) => format!("zipf:{s}"),
            Self::Constant => "constant".to_owned(),
            Self::Iota => "iota".to_owned(),
            Self::Ones => "ones".to_owned(),
            Self::Sorted => "sorted".to_owned(),
            Self::Reversed => "reversed".to_owned(),
            Self::FewUnique(k) => format!("few-unique:{k}"),
        };
        f.pad(&text)
    }
}

impl FromStr for Distribution {
    type Err = ExperimentError;

    fn from_str(text: &str) -> Result<Self, ExperimentError> {
        let text = text.trim();
        let (name, argument) = match text.split_once(':') {
            Some((name, argument)) => (name, Some(argument)),
            None => (text, None),
        };
        let bad_argument = |reason: &str| ExperimentError::BadDistribution {
            text: text.to_owned(),
            reason: reason.to_owned(),
        };
        let kind = Self::NAMES.iter().position(|known| known.split(':').next() == Some(name));
        let Some(dist) = kind.and_then(|kind| Self::ALL.get(kind).copied()) else {
            return Err(UnknownName::new("distribution", name, &Self::NAMES).into());
        };
        let Some(argument) = argument else { return Ok(dist) };
        match dist {
            Self::Zipf(_) => match argument.parse::<f64>() {
                Ok(s) if (0.0..=10.0).contains(&s) => Ok(Self::Zipf(s)),
                _ => Err(bad_argument("the exponent is a number from 0 to 10, as in zipf:1.2")),
            },
            Self::FewUnique(_) => match argument.parse::<u32>() {
                Ok(k) if (1..=65_536).contains(&k) => Ok(Self::FewUnique(k)),
                _ => Err(bad_argument("the number of values is 1 to 65536, as in few-unique:16")),
            },
            _ => Err(bad_argument("it has no parameter")),
        }
    }
}

impl Serialize for Distribution {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Distribution {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_distribution_reads_back() {
        for dist in Distribution::ALL {
            assert_eq!(dist.to_string().parse(), Ok(dist));
        }
        assert_eq!("zipf".parse(), Ok(Distribution::Zipf(1.2)));
        for text in ["zipf:-1", "zipf:x", "few-unique:0", "uniform:3", "gauss"] {
            assert!(text.parse::<Distribution>().is_err(), "{text}");
        }
    }
}
