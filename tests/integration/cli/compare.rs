//! `warpscope compare` on stored files.

use crate::support::Place;
use crate::support::builders::measured;
use warpscope::results::record::Record;
use warpscope::results::store::Store;

fn store(place: &Place, name: &str, records: impl IntoIterator<Item = Record>) {
    let mut store = Store::open(place.path(name)).unwrap();
    records.into_iter().for_each(|record| store.append(&record).unwrap());
}

#[test]
fn two_files_are_compared_case_by_case() {
    let place = Place::new();
    let at = |ratios: [f64; 3]| {
        [10, 12, 14]
            .into_iter()
            .zip(ratios)
            .map(|(p, ratio)| measured("shared", 1 << p, 1e-4 * ratio))
    };
    store(&place, "a.jsonl", at([1.0; 3]).chain([measured("global", 1 << 10, 1e-3)]));
    store(&place, "b.jsonl", at([0.8, 1.002, 1.3]));
    let table = place.run("compare a.jsonl b.jsonl").fine().out;
    for told in [
        "kernel time of b.jsonl against a.jsonl; a ratio below 1 is faster",
        "variant shared",
        "1 FASTER, 1 SLOWER, 1 SAME, 0 UNDECIDED of 3 pairs; 1 only in a.jsonl",
        "SAME: the 95 % interval of the ratio lies within 1 % (3 % where the shorter median is at most 20.0 µs)",
        "10000 resamples, seed 7",
    ] {
        assert!(table.contains(told), "{told} is not in\n{table}");
    }
    assert_eq!(table, place.run("compare a.jsonl b.jsonl").fine().out);

    let json = place.run("compare a.jsonl b.jsonl --json").fine().out;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let verdicts: Vec<&str> = value["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["FASTER", "SAME", "SLOWER"]);
    assert_eq!(value["rule"]["confidence"], 0.95);
    assert_eq!(value["counts"]["same"], 1);
    for pair in value["pairs"].as_array().unwrap() {
        let (low, high) =
            (pair["interval"][0].as_f64().unwrap(), pair["interval"][1].as_f64().unwrap());
        let ratio = pair["ratio"].as_f64().unwrap();
        assert!(low <= ratio && ratio <= high && high - low < 0.02, "{pair}");
        assert_eq!(pair["basis"], "samples");
    }
    let csv = place.run("compare a.jsonl b.jsonl --format csv --margin 50").fine().out;
    assert_eq!(csv.matches(",SAME,samples,").count(), 3);
    place.run("compare a.jsonl b.jsonl --format markdown -o c.md").fine();
    assert_eq!(place.text("c.md").matches("| samples |").count(), 3);
}

#[test]
fn variants_are_compared_within_one_file() {
    let place = Place::new();
    let pair = |n| [measured("global", n, 1e-3), measured("shared", n, 1e-4)];
    store(&place, "h.jsonl", [10, 12].into_iter().flat_map(|p| pair(1 << p)));
    let table = place.run("compare h.jsonl --baseline variant=global").fine().out;
    assert!(table.contains("of every other variant against variant=global"), "{table}");
    assert!(table.contains("2 FASTER, 0 SLOWER, 0 SAME, 0 UNDECIDED of 2 pairs\n"), "{table}");
    place
        .run("compare h.jsonl --baseline variant=tiled")
        .refused(&["no case has variant=tiled", "there are: global, shared"]);
    place.run("compare h.jsonl --baseline mood=good").refused(&["no case has a field `mood`"]);
    place.run("compare h.jsonl --baseline global").refused(&["not of the form KEY=VALUE"]);
    place.run("compare h.jsonl").refused(&["needs two files, not 1", "--baseline KEY=VALUE"]);
    place.run("compare h.jsonl h.jsonl --margin much").refused(&["not a percentage"]);
}

#[test]
fn what_was_not_measured_gets_no_verdict() {
    let place = Place::new();
    place.store_sweep("h.jsonl");
    let table = place.run("compare h.jsonl --baseline variant=global").fine().out;
    assert!(table.contains("7 with a plain ratio"), "{table}");
    assert!(table.contains("modelled") && !table.contains("1 SAME"), "{table}");
    // Thinned recordings go by their quartiles, single samples by nothing.
    let thin = |ratio: f64| {
        let mut record = measured("shared", 1024, 1e-4 * ratio);
        let seconds = record.seconds.as_mut().unwrap();
        seconds.taken = Some(60);
        seconds.samples = Box::default();
        record
    };
    let once = |ratio: f64| {
        let mut record = thin(ratio);
        record.n = 2048;
        record.seconds.as_mut().unwrap().taken = Some(1);
        record
    };
    store(&place, "a.jsonl", [thin(1.0), once(1.0)]);
    store(&place, "b.jsonl", [thin(0.5), once(0.5)]);
    let csv = place.run("compare a.jsonl b.jsonl --format csv").fine().out;
    assert!(csv.contains(",FASTER,quartiles,"), "{csv}");
    assert!(csv.contains(",UNDECIDED,medians,"), "{csv}");
}

#[test]
fn wrong_cases_are_told_by_the_exit_code() {
    let place = Place::new();
    let mut wrong = measured("shared", 1024, 1e-4);
    wrong.seconds = None;
    wrong.verified = Some(false);
    store(&place, "a.jsonl", [measured("shared", 1024, 1e-4)]);
    store(&place, "b.jsonl", [wrong]);
    let ran = place.run("compare a.jsonl b.jsonl");
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("the other is WRONG"), "{}", ran.out);
    store(&place, "c.jsonl", [measured("global", 1024, 1e-4)]);
    place.run("compare a.jsonl c.jsonl").refused(&["no case is in both a.jsonl and c.jsonl"]);
}
