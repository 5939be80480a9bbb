//! Decides when a case has been sampled enough.
//!
//! Three verbs: a [`Rule`] is made for a case, takes every sample, and says whether
//! there are enough. Enough is: the minimum number of samples, enough time for the
//! clock of the device to settle, and either a relative standard deviation below its
//! bound or a stable noise; or the maximum number of samples; or the time limit.

use std::collections::VecDeque;

use crate::experiment::Stopping;
use crate::results::record::StopReason;
use crate::statistics::Moments;

/// Number of samples over which the noise must be stable.
const NOISE_WINDOW: usize = 32;

/// The noise is stable when the relative deviations after each of the last
/// [`NOISE_WINDOW`] samples differ by less than this share of their mean.
const NOISE_CHANGE: f64 = 0.05;

/// The stopping rule of one case.
#[derive(Debug, Clone)]
pub struct Rule {
    stopping: Stopping,
    moments: Moments,
    samples: u32,
    gpu_seconds: f64,
    wall_seconds: f64,
    /// Relative deviation after each of the last samples.
    noise: VecDeque<f64>,
}

impl Rule {
    /// A rule without samples.
    pub fn new(stopping: Stopping) -> Self {
        Self {
            stopping,
            moments: Moments::default(),
            samples: 0,
            gpu_seconds: 0.0,
            wall_seconds: 0.0,
            noise: VecDeque::new(),
        }
    }

    /// Adds a sample of `seconds` that took `wall` seconds of wall time.
    pub fn sampled(&mut self, seconds: f64, wall: f64) {
        self.samples += 1;
        self.gpu_seconds += seconds;
        self.wall_seconds += wall;
        self.moments.push(seconds);
        if let Some(deviation) = self.moments.relative_deviation() {
            if self.noise.len() == NOISE_WINDOW {
                self.noise.pop_front();
            }
            self.noise.push_back(deviation);
        }
    }

    /// Adds the wall time of a discarded sample.
    pub fn discarded(&mut self, wall: f64) {
        self.wall_seconds += wall;
    }

    /// Why there are enough samples; `None` if there are not.
    pub fn enough(&self) -> Option<StopReason> {
        let limits = &self.stopping;
        if self.samples == 0 {
            return None;
        }
        if self.samples >= limits.most_samples {
            return Some(StopReason::MostSamples);
        }
        let long_enough =
            self.gpu_seconds >= limits.gpu_seconds || self.wall_seconds >= limits.wall_seconds;
        if self.samples >= limits.least_samples && long_enough {
            let deviation = self.moments.relative_deviation();
            if deviation.is_some_and(|deviation| deviation < limits.relative_deviation) {
                return Some(StopReason::Stable);
            }
            if self.noise_is_stable() {
                return Some(StopReason::NoiseStable);
            }
        }
        (self.wall_seconds >= limits.limit_seconds).then_some(StopReason::TimeLimit)
    }

    fn noise_is_stable(&self) -> bool {
        if self.noise.len() < NOISE_WINDOW {
            return false;
        }
        let (mut low, mut high, mut sum) = (f64::INFINITY, 0.0f64, 0.0);
        for &deviation in &self.noise {
            low = low.min(deviation);
            high = high.max(deviation);
            sum += deviation;
        }
        high - low < NOISE_CHANGE * sum / NOISE_WINDOW as f64
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Feeds samples of 1 ms GPU and `wall` seconds, each times `noise(i)`.
    fn stop(stopping: Stopping, wall: f64, noise: impl Fn(u32) -> f64) -> (u32, StopReason) {
        let mut rule = Rule::new(stopping);
        for i in 0.. {
            if let Some(reason) = rule.enough() {
                return (i, reason);
            }
            rule.sampled(1e-3 * noise(i), wall);
        }
        unreachable!("the rule always ends");
    }

    #[test]
    fn it_stops_for_the_reason_that_holds() {
        let usual = Stopping::default();
        assert_eq!(stop(usual, 1e-6, |_| 1.0), (100, StopReason::Stable));
        assert_eq!(stop(usual, 0.05, |_| 1.0), (10, StopReason::Stable));
        assert_eq!(stop(usual, 0.02, |i| 1.0 + f64::from(i % 2)).1, StopReason::NoiseStable);
        let drifting = |i| 1.03f64.powi(i as i32);
        assert_eq!(stop(usual, 0.5, drifting), (30, StopReason::TimeLimit));
        let few = Stopping { most_samples: 20, ..usual };
        assert_eq!(stop(few, 1e-6, drifting), (20, StopReason::MostSamples));
        // One slow sample is enough once the limit is reached.
        assert_eq!(stop(usual, 20.0, |_| 1.0), (1, StopReason::TimeLimit));
    }

    #[test]
    fn discarded_samples_count_towards_the_limit_alone() {
        let mut rule = Rule::new(Stopping::default());
        for _ in 0..100 {
            rule.discarded(1.0);
        }
        assert_eq!(rule.enough(), None);
        rule.sampled(1e-3, 1e-3);
        assert_eq!(rule.enough(), Some(StopReason::TimeLimit));
    }

    proptest! {
        #[test]
        fn it_always_ends_within_its_bounds(
            least in 0u32..50,
            most in 0u32..200,
            wall in 0.0..0.1f64,
            noise in proptest::collection::vec(0.5..2.0f64, 1..20),
        ) {
            let stopping =
                Stopping { least_samples: least, most_samples: most, ..Stopping::default() };
            let (samples, reason) = stop(stopping, wall, |i| noise[i as usize % noise.len()]);
            prop_assert!(samples >= 1 && samples <= most.max(1));
            if matches!(reason, StopReason::Stable | StopReason::NoiseStable) {
                prop_assert!(samples >= least);
            }
        }
    }
}
