//! Input sizes: lists and geometric ranges, as typed.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ExperimentError;
use crate::units::Elements;

/// Input sizes, as a list of single sizes and geometric ranges:
/// `2^10..2^24`, `2^10..2^24:x4`, `1000,5000,1M`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes(Vec<SizeRange>);

/// One part of [`Sizes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SizeRange {
    from: Elements,
    to: Elements,
    factor: u64,
}

/// Most sizes one experiment may name.
const MOST_SIZES: usize = 10_000;

impl Sizes {
    /// The geometric range `from`, `from * factor`, … up to and including `to`.
    pub fn range(from: u64, to: u64, factor: u64) -> Self {
        Self(vec![SizeRange { from: Elements(from), to: Elements(to), factor: factor.max(2) }])
    }

    /// Ascending sizes, with geometric runs as ranges: `2^10..2^22` or `2^10..2^22:x4`.
    pub fn of(sizes: &[u64]) -> Self {
        let mut ranges = Vec::new();
        let mut rest = sizes;
        while let [first, tail @ ..] = rest {
            let factor = tail.first().map_or(0, |next| if *first > 0 { next / first } else { 0 });
            let grows = |pair: &&[u64]| factor > 1 && pair[0].checked_mul(factor) == Some(pair[1]);
            let run = 1 + rest.windows(2).take_while(grows).count();
            let (to, factor, used) = match rest.get(run - 1) {
                Some(last) if run > 2 => (*last, factor, run),
                _ => (*first, 2, 1),
            };
            ranges.push(SizeRange { from: Elements(*first), to: Elements(to), factor });
            rest = rest.get(used..).unwrap_or_default();
        }
        Self(ranges)
    }

    /// Every size, ascending, each once.
    pub fn values(&self) -> Vec<u64> {
        let mut values = Vec::new();
        for range in &self.0 {
            let mut n = range.from.0;
            loop {
                values.push(n);
                match n.checked_mul(range.factor) {
                    Some(next) if n > 0 && next <= range.to.0 && values.len() < MOST_SIZES => {
                        n = next;
                    }
                    _ => break,
                }
            }
        }
        values.sort_unstable();
        values.dedup();
        values
    }
}

impl Default for Sizes {
    fn default() -> Self {
        Self::range(1 << 10, 1 << 22, 2)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for (index, range) in self.0.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(&range.from.to_string());
            if range.to != range.from {
                text.push_str(&format!("..{}", range.to));
                if range.factor != 2 {
                    text.push_str(&format!(":x{}", range.factor));
                }
            }
        }
        f.pad(&text)
    }
}

impl FromStr for Sizes {
    type Err = ExperimentError;

    fn from_str(text: &str) -> Result<Self, ExperimentError> {
        let bad = |reason: String| ExperimentError::BadSizes { text: text.to_owned(), reason };
        let size = |part: &str| part.parse::<Elements>().map_err(|error| bad(error.to_string()));
        let mut ranges = Vec::new();
        for part in text.split(',') {
            let Some((from, rest)) = part.split_once("..") else {
                let n = size(part)?;
                ranges.push(SizeRange { from: n, to: n, factor: 2 });
                continue;
            };
            let (to, factor) = match rest.split_once(":x") {
                None => (rest, 2),
                Some((to, factor)) => match factor.trim().parse::<u64>() {
                    Ok(factor) if factor >= 2 => (to, factor),
                    _ => return Err(bad(format!("`x{factor}` is not a factor of 2 or more"))),
                },
            };
            let (from, to) = (size(from)?, size(to)?);
            if from.0 == 0 {
                return Err(bad("a range cannot start at 0; list 0 by itself".to_owned()));
            }
            if from > to {
                return Err(bad(format!("the range runs from {from} down to {to}")));
            }
            ranges.push(SizeRange { from, to, factor });
        }
        Ok(Self(ranges))
    }
}

impl Serialize for Sizes {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_read_as_documented() {
        for (text, values) in [
            ("2^10..2^12", vec![1024, 2048, 4096]),
            ("2^10..2^14:x4", vec![1024, 4096, 16384]),
            ("1000,5000,1M", vec![1000, 5000, 1_000_000]),
            ("0,1,33", vec![0, 1, 33]),
            ("8..8", vec![8]),
            ("5,5,3", vec![3, 5]),
            ("10..45", vec![10, 20, 40]),
        ] {
            let sizes: Sizes = text.parse().unwrap();
            assert_eq!(sizes.values(), values, "{text}");
        }
    }

    #[test]
    fn bad_sizes_say_what_is_wrong() {
        for (text, part) in [
            ("", "not a number"),
            ("0..8", "cannot start at 0"),
            ("8..4", "down to"),
            ("1..8:x1", "factor"),
            ("1..8:4", "not a number"),
            ("2^31", "must be 0 to"),
            ("1,,2", "not a number"),
        ] {
            let error = text.parse::<Sizes>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn runs_of_sizes_are_written_as_ranges() {
        for (sizes, text) in [
            (vec![], ""),
            (vec![0, 1, 33], "0,1,33"),
            (vec![1024, 2048, 4096], "2^10..2^12"),
            (vec![1024, 4096, 16384, 17000], "2^10..2^14:x4,17k"),
            (vec![1000, 5000, 1_000_000], "1000,5000,1M"),
            (vec![3, 1024, 2048, 4096], "3,2^10..2^12"),
        ] {
            assert_eq!(Sizes::of(&sizes).to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn written_sizes_read_back(sizes in proptest::collection::btree_set(0u64..1 << 31, 1..12)) {
            let sizes: Vec<u64> = sizes.into_iter().collect();
            let read: Sizes = Sizes::of(&sizes).to_string().parse().unwrap();
            prop_assert_eq!(read.values(), sizes);
        }

        #[test]
        fn written_runs_read_back(from in 1u64..9, factor in 2u64..5, count in 1u32..8, odd in 0u64..40) {
            let mut sizes: std::collections::BTreeSet<u64> =
                (0..count).map(|i| from * factor.pow(i)).collect();
            sizes.insert(odd);
            let sizes: Vec<u64> = sizes.into_iter().collect();
            let read: Sizes = Sizes::of(&sizes).to_string().parse().unwrap();
            prop_assert_eq!(read.values(), sizes);
        }

        #[test]
        fn reading_sizes_never_panics(text in "[0-9^.,:xkMi]{0,16}") {
            if let Ok(sizes) = text.parse::<Sizes>() {
                prop_assert!(!sizes.values().is_empty());
                prop_assert_eq!(sizes.to_string().parse::<Sizes>().map(|s| s.values()), Ok(sizes.values()));
            }
        }
    }
}
