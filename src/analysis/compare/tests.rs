#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::Verdict::{Faster, Same, Slower, Undecided};
use super::pairs::{NoBaseline, against, same_cases};
use super::*;
use crate::experiment::{Case, Distribution, ParamValue};
use crate::results::record::{DeviceRecord, Record};
use crate::statistics::quantile;

fn summary(samples: &[f64]) -> Summary {
    Summary {
        median: quantile(samples, 0.5).unwrap(),
        q1: quantile(samples, 0.25),
        q3: quantile(samples, 0.75),
        samples: samples.into(),
        taken: None,
    }
}

/// The same without raw samples, as recordings have it.
fn thinned(samples: &[f64]) -> Summary {
    let kept = summary(samples);
    Summary { taken: Some(samples.len() as u64), samples: Box::default(), ..kept }
}

fn measured(baseline: &Summary, other: &Summary) -> Comparison {
    let side = |seconds| Side { seconds, provenance: Provenance::Measured };
    compare(side(baseline), side(other), None).unwrap()
}

/// Samples around `middle`, up to `share` of it away on either side.
fn around(middle: f64, share: f64, count: u32) -> Vec<f64> {
    let step = |i: u32| f64::from(i * 7919 % count) / f64::from(count - 1) * 2.0 - 1.0;
    (0..count).map(|i| middle * (1.0 + share * step(i))).collect()
}

#[test]
fn verdicts_follow_the_interval() {
    let verdict = |ratio: f64, share, count| {
        let (a, b) = (around(1e-3, share, count), around(1e-3 * ratio, share, count));
        (measured(&summary(&a), &summary(&b)).verdict, measured(&thinned(&a), &thinned(&b)).verdict)
    };
    for (ratio, share, count, expected) in [
        (1.0, 0.005, 100, Same),
        (1.005, 0.002, 100, Same),
        (0.9, 0.02, 100, Faster),
        (1.1, 0.02, 100, Slower),
        // On the edge of the band, and too noisy to tell.
        (1.01, 0.05, 50, Undecided),
        (1.0, 0.5, 12, Undecided),
        (0.5, 0.01, 5, Undecided),
    ] {
        let both = (Some(expected), Some(expected));
        assert_eq!(verdict(ratio, share, count), both, "{ratio} ±{share}, {count} samples");
    }
}

#[test]
fn short_times_have_the_wider_band() {
    let at = |seconds: f64, ratio: f64| {
        let (a, b) = (around(seconds, 1e-4, 50), around(seconds * ratio, 1e-4, 50));
        measured(&summary(&a), &summary(&b)).verdict.unwrap()
    };
    assert_eq!(at(10e-6, 1.02), Verdict::Same);
    assert_eq!(at(100e-6, 1.02), Verdict::Slower);
    assert_eq!(at(10e-6, 1.04), Verdict::Slower);
    assert_eq!(at(100e-6, 1.005), Verdict::Same);
}

#[test]
fn times_that_nobody_measured_have_a_plain_ratio() {
    let (a, b) = (summary(&[2e-3; 20]), summary(&[1e-3; 20]));
    for (mine, yours, basis) in [
        (Provenance::Modelled, Provenance::Modelled, Basis::Stated(Provenance::Modelled)),
        (Provenance::Recorded, Provenance::Modelled, Basis::Stated(Provenance::Modelled)),
        (Provenance::Reported, Provenance::Recorded, Basis::Stated(Provenance::Reported)),
    ] {
        let side = |seconds, provenance| Side { seconds, provenance };
        let found = compare(side(&a, mine), side(&b, yours), None).unwrap();
        assert_eq!((found.ratio, found.interval, found.verdict), (0.5, None, None));
        assert_eq!(found.basis, basis);
    }
}

#[test]
fn too_few_samples_decide_nothing() {
    let found = measured(&summary(&[1.0]), &summary(&[9.0; 100]));
    assert_eq!((found.verdict, found.basis), (Some(Verdict::Undecided), Basis::Medians));
    assert_eq!(found.interval, None);
    let none = Summary { median: 0.0, ..summary(&[1.0]) };
    let side = |seconds| Side { seconds, provenance: Provenance::Measured };
    assert_eq!(compare(side(&none), side(&none), None), None);
}

fn samples() -> impl Strategy<Value = Vec<f64>> {
    (1e-6..1e-2f64, 0.0..0.2f64).prop_flat_map(|(middle, share)| {
        proptest::collection::vec(middle * (1.0 - share)..=middle * (1.0 + share), 6..80)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn swapping_the_sides_swaps_the_verdict(a in samples(), b in samples()) {
        let (there, back) = (measured(&summary(&a), &summary(&b)), measured(&summary(&b), &summary(&a)));
        let (low, high) = there.interval.unwrap();
        let (back_low, back_high) = back.interval.unwrap();
        prop_assert!((low * back_high - 1.0).abs() < 1e-12 && (high * back_low - 1.0).abs() < 1e-12);
        let swapped = match there.verdict.unwrap() {
            Verdict::Faster => Verdict::Slower,
            Verdict::Slower => Verdict::Faster,
            same => same,
        };
        prop_assert_eq!(back.verdict, Some(swapped));
    }

    #[test]
    fn the_same_samples_are_never_told_apart(a in samples()) {
        let found = measured(&summary(&a), &summary(&a));
        prop_assert!(matches!(found.verdict, Some(Verdict::Same | Verdict::Undecided)));
        let (low, high) = found.interval.unwrap();
        prop_assert!(low <= 1.0 && 1.0 <= high);
    }

    #[test]
    fn the_same_question_has_the_same_answer(a in samples(), b in samples()) {
        prop_assert_eq!(measured(&summary(&a), &summary(&b)), measured(&summary(&a), &summary(&b)));
    }

    #[test]
    fn a_clear_difference_is_seen(a in samples(), ratio in 2.0..100.0f64) {
        let b: Vec<f64> = a.iter().map(|sample| sample * ratio).collect();
        prop_assert_eq!(measured(&summary(&a), &summary(&b)).verdict, Some(Verdict::Slower));
        prop_assert_eq!(measured(&summary(&b), &summary(&a)).verdict, Some(Verdict::Faster));
    }

    #[test]
    fn a_wider_band_never_turns_same_into_anything_else(a in samples(), b in samples()) {
        let side = |seconds| Side { seconds, provenance: Provenance::Measured };
        let (a, b) = (summary(&a), summary(&b));
        let at = |margin| compare(side(&a), side(&b), Some(margin)).unwrap().verdict.unwrap();
        if at(0.05) == Verdict::Same {
            prop_assert_eq!(at(0.1), Verdict::Same);
        }
        if at(0.1) == Verdict::Faster {
            prop_assert_eq!(at(0.05), Verdict::Faster);
        }
    }
}

fn record(variant: &str, n: u64, device: &str, ptx: &str) -> Record {
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: variant.to_owned(),
        block: 128,
        coarsen: 4,
        n,
        params: [("bins".to_owned(), ParamValue::Int(8))].into(),
        dist: Distribution::Uniform,
        seed: 7,
    };
    let gpu = DeviceRecord { name: device.to_owned(), driver: None, id: format!("GPU-{device}") };
    let mut record = Record::new(&case, gpu, "cuda", Provenance::Recorded);
    record.ptx = ptx.into();
    record
}

#[test]
fn cases_find_each_other_across_devices_and_kernels() {
    // Another kernel on the same device.
    let old = [record("global", 1, "X", "old"), record("shared", 1, "X", "old")];
    let new = [record("shared", 1, "X", "new"), record("shared", 2, "X", "new")];
    let pairs = same_cases(&old, &new);
    assert_eq!(
        (pairs.both, pairs.only_baseline, pairs.only_other),
        (vec![(1, 0)], vec![0], vec![1])
    );
    // Another device.
    let there = [record("shared", 1, "Y", "old")];
    assert_eq!(same_cases(&old, &there).both, [(1, 0)]);
    // Two devices on one side: the one that is the same.
    let both = [record("shared", 1, "Y", "old"), record("shared", 1, "X", "newer")];
    assert_eq!(same_cases(&old, &both).both, [(1, 1)]);
    // Two other devices: nobody can tell which.
    let others = [record("shared", 1, "Y", "old"), record("shared", 1, "Z", "old")];
    let pairs = same_cases(&old, &others);
    assert_eq!(
        (pairs.both.len(), pairs.only_baseline, pairs.only_other),
        (0, vec![0, 1], vec![0, 1])
    );
}

#[test]
fn a_baseline_is_told_by_any_field() {
    let mut records = vec![
        record("global", 1, "X", "a"),
        record("shared", 1, "X", "b"),
        record("shared", 2, "X", "b"),
        record("global", 4, "X", "a"),
    ];
    let pairs = against(&records, "variant", "global").unwrap();
    assert_eq!(pairs.both, [(0, 1)]);
    assert_eq!((pairs.only_baseline, pairs.only_other), (vec![3], vec![2]));
    records[2] = record("shared", 1, "Y", "b");
    assert_eq!(against(&records, "device", "X").unwrap().both, [(1, 2)]);
    records[2].params.insert("bins".to_owned(), ParamValue::Int(64));
    records[2].device = records[1].device.clone();
    assert_eq!(against(&records, "bins", "8").unwrap().both, [(1, 2)]);
    let unknown = against(&records, "mood", "good").unwrap_err();
    assert!(
        matches!(&unknown, NoBaseline::NoField { known, .. } if known.ends_with("device, bins"))
    );
    let none = against(&records, "variant", "tiled").unwrap_err().to_string();
    assert_eq!(none, "no case has variant=tiled to be the baseline (there are: global, shared)");
}
