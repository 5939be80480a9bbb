//! The timing model against recorded times of an H200: a modest set of small
//! cases, so that a change which makes predictions worse is noticed. The whole
//! comparison is `benches/timing/compare.py`.
#![allow(clippy::unwrap_used)]

use warpscope::algorithms;
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::measurement::Record;
use warpscope::store;

/// Predicted over measured time of one case.
fn ratio(emulator: &mut Emulated, record: &Record) -> f64 {
    let case = record.case();
    let algorithm = algorithms::find(&case.algorithm).unwrap();
    let work = algorithm.work(&case);
    let prepared = emulator.prepare(&work, &algorithm.inputs(&case)).unwrap();
    let sample = emulator.sample(prepared).unwrap();
    emulator.release(prepared);
    sample.seconds / record.median().unwrap()
}

#[test]
fn predictions_stay_near_what_an_h200_took() {
    // (recording, largest n, every how many cases, mean error and largest bias allowed)
    let recordings = [
        ("histogram", 1 << 16, 23, 0.15),
        ("reduce", 1 << 18, 7, 0.12),
        ("scan", 1 << 16, 5, 0.15),
        ("matmul", 64, 3, 0.20),
        ("radix_partition", 1 << 14, 11, 0.30),
        ("merge_sort", 1 << 14, 3, 0.20),
        ("dominant_peaks", 512, 4, 0.30),
    ];
    let mut emulator = Emulated::open(Some("H200 SXM")).unwrap();
    let mut seen = Vec::new();
    for (name, most, every, allowed) in recordings {
        let path = format!("{}/assets/recordings/{name}_h200.jsonl", env!("CARGO_MANIFEST_DIR"));
        let records = store::read(&path).unwrap();
        let small = records.iter().filter(|record| record.n <= most && record.median().is_some());
        let ratios: Vec<f64> =
            small.step_by(every).map(|record| ratio(&mut emulator, record)).collect();
        assert!(ratios.len() >= 8, "{name}: {} cases", ratios.len());
        let count = ratios.len() as f64;
        let error = ratios.iter().map(|ratio| (ratio - 1.0).abs()).sum::<f64>() / count;
        seen.push(format!("{name}: {error:.3} of {allowed} over {count}"));
        assert!(error <= allowed, "{}", seen.join("; "));
    }
}
