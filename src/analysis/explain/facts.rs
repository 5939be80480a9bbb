//! What is known of one case, ready to be put into sentences.

use super::Silence;
use crate::results::record::{ModelRecord, Outcome, Record};

/// One case with its counters and the model's breakdown.
pub(super) struct Facts<'a> {
    /// What sentences call it.
    pub(super) name: String,
    pub(super) record: &'a Record,
    pub(super) model: &'a ModelRecord,
    /// Its time.
    pub(super) seconds: f64,
}

impl<'a> Facts<'a> {
    pub(super) fn of(record: &'a Record, name: String) -> Result<Self, Silence> {
        if matches!(record.outcome(), Outcome::Wrong | Outcome::Skipped) {
            return Err(Silence::NoTime(name));
        }
        let Some(seconds) = record.median().filter(|seconds| *seconds > 0.0) else {
            return Err(Silence::NoTime(name));
        };
        match &record.model {
            Some(model) if !record.counters.is_empty() => Ok(Self { name, record, model, seconds }),
            _ => Err(Silence::NoCounters(name)),
        }
    }

    /// What a counter counted; 0 where the record does not have it.
    pub(super) fn count(&self, counter: &str) -> f64 {
        self.record.counters.get(counter).copied().unwrap_or_default() as f64
    }

    /// One counter over another, where the other counted anything.
    pub(super) fn per(&self, counter: &str, other: &str) -> Option<f64> {
        let other = self.count(other);
        (other > 0.0).then(|| self.count(counter) / other)
    }

    /// Seconds that the model gives a resource by itself.
    pub(super) fn part(&self, name: &str) -> f64 {
        self.model.parts.get(name).copied().unwrap_or_default()
    }
}
