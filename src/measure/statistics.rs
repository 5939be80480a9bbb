//! Statistics of samples, as pure functions.

use crate::measurement::Summary;

/// The value below which a share `at` (0 to 1) of the samples lies, linear
/// between the two nearest (type 7 of Hyndman and Fan 1996, the default of R
/// and `NumPy`). `None` without samples.
pub fn quantile(samples: &[f64], at: f64) -> Option<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    of_sorted(&sorted, at)
}

fn of_sorted(sorted: &[f64], at: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = at.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    let share = position - below as f64;
    // Exact at both ends, and never outside them.
    Some(if low < high { (low + (high - low) * share).min(high) } else { low })
}

/// The middle sample, or the mean of the two in the middle.
pub fn median(samples: &[f64]) -> Option<f64> {
    quantile(samples, 0.5)
}

/// Median, quartiles and the samples themselves. `None` without samples.
pub fn summary(samples: &[f64]) -> Option<Summary> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(Summary {
        median: of_sorted(&sorted, 0.5)?,
        q1: of_sorted(&sorted, 0.25),
        q3: of_sorted(&sorted, 0.75),
        samples: samples.to_vec(),
        taken: None,
    })
}

/// Mean and standard deviation of samples that come one by one (Welford 1962).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    count: u32,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Takes one more sample into account.
    pub fn push(&mut self, sample: f64) {
        self.count += 1;
        let before = sample - self.mean;
        self.mean += before / f64::from(self.count);
        self.squares += before * (sample - self.mean);
    }

    /// Standard deviation over mean, with `n - 1` degrees of freedom; `None`
    /// for fewer than two samples or a mean of 0.
    pub fn relative_deviation(&self) -> Option<f64> {
        if self.count < 2 || self.mean == 0.0 {
            return None;
        }
        let variance = self.squares / f64::from(self.count - 1);
        Some(variance.max(0.0).sqrt() / self.mean.abs())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn samples() -> impl Strategy<Value = Vec<f64>> {
        proptest::collection::vec(1e-9..1.0f64, 1..200)
    }

    #[test]
    fn known_values() {
        let exactly = |a: Option<f64>, b: f64| assert!((a.unwrap() - b).abs() < 1e-15, "{a:?} {b}");
        exactly(median(&[3.0, 1.0, 2.0]), 2.0);
        exactly(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        exactly(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), 1.75);
        exactly(quantile(&[7.0], 0.75), 7.0);
        assert_eq!(median(&[]), None);
        assert_eq!(summary(&[]), None);
        let mut moments = Moments::default();
        for sample in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            moments.push(sample);
        }
        exactly(moments.relative_deviation(), (32.0f64 / 7.0).sqrt() / 5.0);
        assert_eq!(Moments::default().relative_deviation(), None);
    }

    proptest! {
        #[test]
        fn quartiles_lie_among_the_samples_in_order(samples in samples()) {
            let summary = summary(&samples).unwrap();
            let (q1, q3) = (summary.q1.unwrap(), summary.q3.unwrap());
            let low = samples.iter().copied().fold(f64::INFINITY, f64::min);
            let high = samples.iter().copied().fold(0.0, f64::max);
            prop_assert!(low <= q1 && q1 <= summary.median && summary.median <= q3 && q3 <= high);
            prop_assert_eq!(summary.samples, samples);
        }

        #[test]
        fn half_of_the_samples_lie_on_either_side(samples in samples()) {
            let median = median(&samples).unwrap();
            let below = samples.iter().filter(|&&sample| sample < median).count();
            let above = samples.iter().filter(|&&sample| sample > median).count();
            prop_assert!(below * 2 <= samples.len() && above * 2 <= samples.len());
        }

        #[test]
        fn order_does_not_matter(mut samples in samples(), at in 0.0..=1.0f64) {
            let before = quantile(&samples, at);
            samples.reverse();
            prop_assert_eq!(quantile(&samples, at), before);
        }

        #[test]
        fn moments_agree_with_two_passes(samples in proptest::collection::vec(1e-9..1.0f64, 2..200)) {
            let mut moments = Moments::default();
            for &sample in &samples {
                moments.push(sample);
            }
            let mean = samples.iter().sum::<f64>() / samples.len() as f64;
            let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
            let expected = (squares / (samples.len() - 1) as f64).sqrt() / mean;
            prop_assert!((moments.relative_deviation().unwrap() - expected).abs() < 1e-9);
        }
    }
}
