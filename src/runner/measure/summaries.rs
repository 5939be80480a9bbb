//! Summaries of the samples of a case.

use crate::results::record::{ClockRecord, Outliers, Summary};
use crate::statistics::{self, of_sorted, sorted};

/// Maximum number of raw samples in a record.
const MOST_STORED: usize = 1000;

/// Median and quartiles of all samples, and at most [`MOST_STORED`] of them.
/// `None` without samples.
pub(super) fn summary(samples: &[f64]) -> Option<Summary> {
    let sorted = sorted(samples);
    Some(Summary {
        median: of_sorted(&sorted, 0.5)?,
        q1: of_sorted(&sorted, 0.25),
        q3: of_sorted(&sorted, 0.75),
        samples: statistics::thinned(samples, MOST_STORED).into(),
        taken: (samples.len() > MOST_STORED).then_some(samples.len() as u64),
    })
}

/// The outliers among the samples; `None` without samples.
pub(super) fn outliers(samples: &[f64]) -> Option<Outliers> {
    (!samples.is_empty()).then(|| statistics::outliers(samples))
}

/// The clocks of the samples, and the highest clock of the device.
pub(super) fn clock(
    mut clocks: Vec<u32>,
    highest: Option<u32>,
    throttle_reasons: &[&'static str],
) -> Option<ClockRecord> {
    clocks.sort_unstable();
    Some(ClockRecord {
        median: *clocks.get(clocks.len() / 2)?,
        lowest: *clocks.first()?,
        highest: highest?,
        throttle_reasons: throttle_reasons.iter().map(ToString::to_string).collect(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_rests_on_all_samples_and_keeps_a_thousand() {
        let few = summary(&[3.0, 1.0, 2.0]).unwrap();
        assert_eq!((few.median, few.q1, few.q3), (2.0, Some(1.5), Some(2.5)));
        assert_eq!((few.samples, few.taken), ([3.0, 1.0, 2.0].into(), None));
        let many: Vec<f64> = (0..4001).map(f64::from).collect();
        let kept = summary(&many).unwrap();
        assert_eq!((kept.median, kept.samples.len(), kept.count()), (2000.0, 1000, 4001));
        assert_eq!(summary(&[]), None);
    }

    #[test]
    fn clocks_that_nobody_read_are_not_told() {
        assert_eq!(clock(Vec::new(), Some(1980), &[]), None);
        assert_eq!(clock(vec![1980], None, &[]), None);
        let told = clock(vec![1980, 1200, 1950], Some(1980), &["power cap"]).unwrap();
        assert_eq!((told.median, told.lowest, told.highest), (1950, 1200, 1980));
        assert_eq!(told.throttle_reasons, ["power cap"]);
    }
}
