//! What records mean: which of two times is shorter ([`compare`]), why ([`explain`]), what
//! the counters of one kernel say ([`kernel_profile`]), what a device can reach at best
//! ([`limit`](mod@limit), [`ceiling`](mod@ceiling)), and what words mean ([`glossary`]).

pub mod ceiling;
pub mod compare;
pub mod explain;
pub mod glossary;
pub mod kernel_profile;
pub mod limit;

use crate::results::record::{Counter, Counts};
use crate::units::{grouped, significant};

/// A count; 0 where it is not stored.
fn count(counts: &Counts, counter: Counter) -> f64 {
    counts.get(counter).unwrap_or_default() as f64
}

/// One count over another, where the other is above 0.
fn ratio(counts: &Counts, counter: Counter, other: Counter) -> Option<f64> {
    let other = count(counts, other);
    (other > 0.0).then(|| count(counts, counter) / other)
}

/// A mean as text: `8`, `7.02`; whole where it is nearly whole.
pub fn mean(count: f64) -> String {
    if (count - count.round()).abs() < 0.005 { grouped(count as u64) } else { significant(count) }
}
