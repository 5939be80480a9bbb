//! The timing model against what an H200 took: the committed comparison keeps its
//! marks, and the program still predicts what it says. The whole comparison is
//! `benches/timing/compare.py`.

use std::collections::HashMap;

use warpscope::algorithms;
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::results::record::Record;
use warpscope::results::store;

/// A line of `benches/data/h200/timing.csv`.
struct Row {
    key: String,
    part: String,
    measured: f64,
    predicted: f64,
}

fn rows() -> Vec<Row> {
    let path = format!("{}/benches/data/h200/timing.csv", env!("CARGO_MANIFEST_DIR"));
    let mut reader = csv::Reader::from_path(path).unwrap();
    let headers = reader.headers().unwrap().clone();
    let column = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let key = ["algorithm", "variant", "block", "coarsen", "n", "params"].map(column);
    let [part, measured, predicted] = ["part", "measured", "predicted"].map(column);
    reader
        .records()
        .map(|row| {
            let row = row.unwrap();
            let number = |column: usize| row[column].parse().unwrap();
            Row {
                key: key.map(|column| row[column].to_owned()).join(" "),
                part: row[part].to_owned(),
                measured: number(measured),
                predicted: number(predicted),
            }
        })
        .collect()
}

/// The same key of a record.
fn key(record: &Record) -> String {
    let params: Vec<String> =
        record.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    format!(
        "{} {} {} {} {} {}",
        record.algorithm,
        record.variant,
        record.block,
        record.coarsen,
        record.n,
        params.join(";")
    )
}

/// Seconds that the program predicts of one case.
fn predict(emulator: &mut Emulated, record: &Record) -> f64 {
    let case = record.case();
    let algorithm = algorithms::find(&case.algorithm).unwrap();
    let work = algorithm.work(&case);
    let prepared = emulator.prepare(&work, &algorithm.inputs(&case)).unwrap();
    let sample = emulator.sample(prepared).unwrap();
    emulator.release(prepared);
    sample.seconds
}

#[test]
fn the_program_predicts_what_the_committed_comparison_says() {
    let rows: HashMap<String, f64> =
        rows().into_iter().map(|row| (row.key, row.predicted)).collect();
    // (recording, largest n, every how many cases)
    let recordings = [
        ("histogram", 1 << 16, 37),
        ("reduce", 1 << 18, 11),
        ("scan", 1 << 16, 7),
        ("matmul", 64, 5),
        ("radix_partition", 1 << 14, 23),
        ("merge_sort", 1 << 14, 5),
        ("dominant_peaks", 512, 6),
        ("distance_histogram", 512, 4),
    ];
    let mut emulator = Emulated::open(Some("H200 SXM")).unwrap();
    for (name, most, every) in recordings {
        let path = format!("{}/assets/recordings/{name}_h200.jsonl", env!("CARGO_MANIFEST_DIR"));
        let records = store::read(&path).unwrap();
        let small = records.iter().filter(|record| record.n <= most && record.median().is_some());
        let mut compared = 0;
        for record in small.step_by(every) {
            let Some(&said) = rows.get(&key(record)) else { continue };
            let now = predict(&mut emulator, record);
            // Numbers are committed with five digits.
            assert!((now / said - 1.0).abs() < 1e-3, "{}: {now} s, not {said}", key(record));
            compared += 1;
        }
        assert!(compared >= 4, "{name}: {compared} cases");
    }
}

#[test]
fn the_committed_comparison_keeps_its_marks() {
    // (part, mean error, 95th percentile)
    for (part, mean, high) in [("fit", 0.08, 0.20), ("held-out", 0.08, 0.20)] {
        let rows = rows();
        let mut errors: Vec<f64> = rows
            .iter()
            .filter(|row| row.part == part)
            .map(|row| (row.predicted / row.measured - 1.0).abs())
            .collect();
        errors.sort_by(f64::total_cmp);
        assert!(errors.len() > 1000, "{part}: {}", errors.len());
        let found = errors.iter().sum::<f64>() / errors.len() as f64;
        assert!(found <= mean, "{part}: mean {found}");
        let found = errors[errors.len() * 95 / 100];
        assert!(found <= high, "{part}: 95th percentile {found}");
    }
}
