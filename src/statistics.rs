//! Statistics of samples, as pure functions of numbers.
//!
//! The normal distribution comes from `statrs`. Quantiles do not: those of
//! `statrs` are of type 8, and what is stored is of type 7.

use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, Normal};

/// The quantile `at` (0 to 1) of the samples, interpolated linearly (type 7 of Hyndman
/// and Fan 1996, the default of R and `NumPy`). `None` without samples.
pub fn quantile(samples: &[f64], at: f64) -> Option<f64> {
    of_sorted(&sorted(samples), at)
}

/// [`quantile`] of sorted samples.
pub fn of_sorted(sorted: &[f64], at: f64) -> Option<f64> {
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

/// The step of the GPU's event timer in seconds, measured on an H200. Smaller
/// differences are not visible.
pub const TIMER_STEP: f64 = 32e-9;

/// Tukey's fences in interquartile ranges beyond the quartiles: a sample outside the
/// first is an outlier, outside the second it is far out (Tukey 1977, Exploratory Data
/// Analysis, section 2D).
pub const FENCES: (f64, f64) = (1.5, 3.0);

/// Counts of outliers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Outliers {
    /// Samples below the lower fence.
    pub low: u64,
    /// Samples above the upper fence.
    pub high: u64,
    /// Samples of both kinds that are far out.
    pub far: u64,
}

/// Counts the samples outside [`FENCES`]. The interquartile range counts as at least
/// one [`TIMER_STEP`], because most samples may fall on the same tick of the timer.
pub fn outliers(samples: &[f64]) -> Outliers {
    let sorted = sorted(samples);
    let (Some(q1), Some(q3)) = (of_sorted(&sorted, 0.25), of_sorted(&sorted, 0.75)) else {
        return Outliers::default();
    };
    let range = (q3 - q1).max(TIMER_STEP);
    let beyond =
        |sample: f64, fence: f64| (sample < q1 - fence * range, sample > q3 + fence * range);
    let mut outliers = Outliers::default();
    for &sample in samples {
        let (low, high) = beyond(sample, FENCES.0);
        outliers.low += u64::from(low);
        outliers.high += u64::from(high);
        let (low, high) = beyond(sample, FENCES.1);
        outliers.far += u64::from(low || high);
    }
    outliers
}

/// At most `most` of the samples, evenly spread, in their order.
pub fn thinned(samples: &[f64], most: usize) -> Vec<f64> {
    if samples.len() <= most {
        return samples.to_vec();
    }
    (0..most).map(|index| samples[index * samples.len() / most]).collect()
}

/// The samples in ascending order.
pub fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The quantile `share` (0 to 1) of the standard normal distribution.
pub fn normal_quantile(share: f64) -> f64 {
    Normal::standard().inverse_cdf(share)
}

/// Running mean and standard deviation (Welford 1962).
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Moments {
    count: u32,
    mean: f64,
    /// Sum of the squared distances from the mean.
    squares: f64,
}

impl Moments {
    /// Adds a sample.
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
    use statrs::statistics::Statistics;

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
        let mut moments = Moments::default();
        for sample in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            moments.push(sample);
        }
        exactly(moments.relative_deviation(), (32.0f64 / 7.0).sqrt() / 5.0);
        assert_eq!(Moments::default().relative_deviation(), None);
    }

    #[test]
    fn outliers_are_counted_by_side_and_distance() {
        let mut samples: Vec<f64> = (0..101).map(|i| 1e-3 + f64::from(i) * 1e-6).collect();
        assert_eq!(outliers(&samples), Outliers::default());
        // The quartiles are 25 and 75 µs above 1 ms, and 50 µs outliers.
        samples.extend([1e-3 + 155e-6, 1e-3 + 400e-6, 0.5e-3]);
        assert_eq!(outliers(&samples), Outliers { low: 1, high: 2, far: 2 });
        // All on one tick but one that is the next, and one that is not.
        let mut ticks = vec![3.712e-6; 50];
        ticks.extend([3.744e-6, 5e-6]);
        assert_eq!(outliers(&ticks), Outliers { low: 0, high: 1, far: 1 });
        assert_eq!(outliers(&[]), Outliers::default());
    }

    #[test]
    fn the_normal_distribution_is_that_of_the_tables() {
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-9);
        assert!(normal_quantile(0.5).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn quantiles_ascend_and_lie_among_the_samples(
            samples in samples(),
            (a, b) in (0.0..=1.0f64, 0.0..=1.0f64),
        ) {
            let (low, high) = (quantile(&samples, a.min(b)).unwrap(), quantile(&samples, a.max(b)).unwrap());
            let sorted = sorted(&samples);
            prop_assert!(sorted[0] <= low && low <= high && high <= sorted[sorted.len() - 1]);
        }

        #[test]
        fn most_samples_are_no_outliers(samples in samples()) {
            let outliers = outliers(&samples);
            // At least half of them lie between the quartiles.
            prop_assert!((outliers.low + outliers.high) * 2 <= samples.len() as u64);
            prop_assert!(outliers.far <= outliers.low + outliers.high);
        }

        #[test]
        fn outliers_do_not_depend_on_unit_or_place(samples in samples()) {
            // Milliseconds up, so that the timer's step does not count.
            let larger: Vec<f64> = samples.iter().map(|sample| 1.0 + sample * 4.0).collect();
            let doubled: Vec<f64> = larger.iter().map(|sample| sample * 2.0).collect();
            let wide = |samples: &[f64]| {
                quantile(samples, 0.75).unwrap() - quantile(samples, 0.25).unwrap() > TIMER_STEP
            };
            prop_assume!(wide(&larger));
            prop_assert_eq!(outliers(&larger), outliers(&doubled));
        }

        #[test]
        fn thinning_keeps_order_and_bounds(samples in samples(), most in 1usize..50) {
            let kept = thinned(&samples, most);
            prop_assert_eq!(kept.len(), samples.len().min(most));
            let mut rest = samples.iter();
            prop_assert!(kept.iter().all(|kept| rest.any(|sample| sample.total_cmp(kept).is_eq())));
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
        fn moments_agree_with_those_of_statrs(samples in proptest::collection::vec(1e-9..1.0f64, 2..200)) {
            let mut moments = Moments::default();
            for &sample in &samples {
                moments.push(sample);
            }
            let expected = samples.as_slice().std_dev() / samples.as_slice().mean();
            prop_assert!((moments.relative_deviation().unwrap() - expected).abs() < 1e-9);
        }
    }
}
