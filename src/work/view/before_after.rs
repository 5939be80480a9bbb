//! The elements before and after a sort.

use serde::{Deserialize, Serialize};

use super::{Extremes, is_zero, number};

/// Most elements kept before and after.
const MOST_SAMPLES: u64 = 1024;

/// Most levels of merging that are kept: 2^64 elements have no more.
const MOST_LEVELS: usize = 64;

/// Elements of the input and of the output. Many elements are sampled at even
/// distances: averages would hide their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BeforeAfter {
    /// Number of elements.
    pub n: u64,
    /// Elements of the input: entry `i` of `k` is element `i * n / k`.
    pub before: Vec<Option<f64>>,
    /// Elements of the output, at the same places.
    pub after: Vec<Option<f64>>,
    /// The lowest and the highest element of the input.
    pub extremes: Option<Extremes>,
    /// Ascending runs in the input.
    pub runs_before: u64,
    /// Ascending runs in the output: 1 where it is sorted.
    pub runs_after: u64,
    /// Sorted runs after each level: the first is what the blocks leave, the
    /// last is 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<u64>,
    /// Elements of the input that are infinite or NaN.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_finite: u64,
}

impl BeforeAfter {
    /// All elements of the input and of the output, in order.
    pub fn of<I, O>(before: I, after: O) -> Self
    where
        I: IntoIterator<Item = f64, IntoIter: ExactSizeIterator>,
        O: IntoIterator<Item = f64, IntoIter: ExactSizeIterator>,
    {
        let before = before.into_iter();
        let n = before.len() as u64;
        let (mut extremes, mut not_finite, mut index) = (None, 0, 0);
        let before = before.inspect(|value| {
            if value.is_finite() {
                Extremes::take(&mut extremes, index, *value);
            } else {
                not_finite += 1;
            }
            index += 1;
        });
        let (before, runs_before) = sampled(before);
        let (after, runs_after) = sampled(after.into_iter());
        Self { n, before, after, extremes, runs_before, runs_after, levels: Vec::new(), not_finite }
    }

    /// Adds the number of sorted runs after each level of merging.
    #[must_use]
    pub fn with_levels(mut self, runs: impl IntoIterator<Item = u64>) -> Self {
        self.levels = runs.into_iter().take(MOST_LEVELS).collect();
        self
    }
}

/// Elements at even distances, and how many ascending runs there are in all.
fn sampled(values: impl ExactSizeIterator<Item = f64>) -> (Vec<Option<f64>>, u64) {
    let n = values.len() as u64;
    let kept = n.min(MOST_SAMPLES);
    let mut samples = Vec::with_capacity(kept as usize);
    let (mut runs, mut before) = (u64::from(n > 0), f64::NEG_INFINITY);
    let mut next = 0;
    for (index, value) in (0u64..).zip(values) {
        runs += u64::from(value < before);
        before = value;
        if index == next {
            samples.push(number(value));
            // Below 2^10 * 2^53 for any output that there is memory for.
            next = (samples.len() as u64).saturating_mul(n) / kept;
        }
    }
    (samples, runs)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::super::View;
    use super::super::tests::{fits, floats};
    use super::*;

    #[test]
    fn samples_lie_at_even_distances() {
        let view = BeforeAfter::of((0..4096).rev().map(f64::from), (0..4096).map(f64::from))
            .with_levels([4, 2, 1]);
        assert_eq!((view.before.len(), view.after.len()), (1024, 1024));
        assert_eq!((view.before[1], view.after[1]), (Some(4091.0), Some(4.0)));
        assert_eq!((view.runs_before, view.runs_after), (4096, 1));
    }

    #[test]
    fn equal_neighbours_do_not_end_a_run() {
        assert_eq!(BeforeAfter::of([1.0, 1.0, 0.0, 0.0], []).runs_before, 2);
        assert_eq!(BeforeAfter::of([], []).runs_before, 0);
    }

    proptest! {
        #[test]
        fn any_elements_fit_and_keep_their_extremes(
            values in floats(3000), levels in prop::collection::vec(any::<u64>(), 0..100),
        ) {
            let mut sorted = values.clone();
            sorted.sort_by(f64::total_cmp);
            let numbers = || values.iter().copied().filter(|value| value.is_finite());
            let view = BeforeAfter::of(values.iter().copied(), sorted).with_levels(levels);
            let highest = view.extremes.map(|extremes| extremes.highest.1);
            prop_assert_eq!(highest, numbers().reduce(f64::max));
            prop_assert_eq!(view.before.len(), values.len().min(1024));
            prop_assert!(view.runs_after <= 1);
            fits(&View::BeforeAfter(view))?;
        }
    }
}
