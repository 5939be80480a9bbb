#![allow(clippy::unwrap_used)]

use super::*;
use crate::experiment::{Case, Distribution, ParamValue};
use crate::results::record::{DeviceRecord, Flag, Provenance, StopReason, Summary, Wrong};

fn case(variant: &str, n: u64) -> Case {
    Case {
        algorithm: "histogram".to_owned(),
        variant: variant.to_owned(),
        block: 128,
        coarsen: 4,
        n,
        params: [("bins".to_owned(), ParamValue::Int(8))].into(),
        dist: Distribution::Uniform,
        seed: 7,
    }
}

/// One record of each kind: recorded, modelled, skipped, wrong.
pub(super) fn records() -> Vec<Record> {
    let gpu = DeviceRecord {
        name: "NVIDIA H200".to_owned(),
        driver: Some("580.159".to_owned()),
        id: "GPU-1".to_owned(),
    };
    let profile =
        DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: "profile".to_owned() };
    let stamp = |mut record: Record| {
        record.program = "warpscope 0.0.0".into();
        record.time = "2026-11-21T04:00:00Z".into();
        record.ptx = "0123456789abcdef".into();
        record
    };
    let mut recorded =
        Record::new(&case("global", 1 << 20), gpu.clone(), "cuda", Provenance::Recorded);
    recorded.seconds = Some(Summary {
        median: 1.25e-5,
        q1: Some(1.2e-5),
        q3: Some(1.4e-5),
        samples: [1.2e-5, 1.25e-5, 1.4e-5].into(),
        taken: None,
    });
    recorded.stop_reason = Some(StopReason::Stable);
    recorded.bytes = 4 << 20;
    recorded.verified = Some(true);

    let mut modelled =
        Record::new(&case("shared", 1 << 20), profile, "emulator", Provenance::Modelled);
    modelled.seconds =
        Some(Summary { median: 2e-6, q1: None, q3: None, samples: Box::default(), taken: None });
    modelled.bytes = 4 << 20;
    modelled.verified = Some(true);
    modelled.flags = vec![Flag::Unvalidated, Flag::ScheduleDependent];

    let mut skipped =
        Record::new(&case("shared", 1 << 30), gpu.clone(), "cuda", Provenance::Recorded);
    skipped.skip = Some("needs 4 GiB, \"free\" are 2 | 3 GiB".into());

    let mut wrong = Record::new(&case("shared", 1000), gpu, "cuda", Provenance::Recorded);
    wrong.verified = Some(false);
    wrong.wrong = Some(Box::new(Wrong {
        kind: "wrong-answer".into(),
        kernel: None,
        file: None,
        line: None,
        block: None,
        lanes: Vec::new(),
        index: Some(3),
        expected: Some("5".to_owned()),
        got: Some("4".to_owned()),
        message: "output[3] is 4,\nthe reference has 5".to_owned(),
    }));
    [recorded, modelled, skipped, wrong].map(stamp).into()
}

fn text(
    write: impl Fn(&[Record], &mut dyn io::Write) -> Result<(), ReportError>,
    records: &[Record],
) -> String {
    let mut bytes = Vec::new();
    write(records, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn csv_is_what_it_was() {
    insta::assert_snapshot!(text(csv::write, &records()));
}

#[test]
fn json_is_what_it_was() {
    insta::assert_snapshot!(text(json::write, &records()));
}

#[test]
fn markdown_is_what_it_was() {
    insta::assert_snapshot!(markdown::render(&records()));
}

#[test]
fn every_row_of_every_format_says_where_its_numbers_come_from() {
    let records = records();
    let table = text(csv::write, &records);
    let mut reader = ::csv::Reader::from_reader(table.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "provenance").unwrap();
    let told: Vec<String> =
        reader.records().map(|row| row.unwrap().get(column).unwrap().to_owned()).collect();
    assert_eq!(told, ["recorded", "modelled", "recorded", "recorded"]);
    let json: Vec<Record> = serde_json::from_str(&text(json::write, &records)).unwrap();
    assert_eq!(json, records);
    let markdown = markdown::render(&records);
    let rows = markdown.lines().filter(|line| line.contains("H200")).count();
    assert!(rows >= records.len(), "{markdown}");
}

#[test]
fn nothing_is_still_a_report() {
    assert!(text(csv::write, &[]).starts_with("algorithm,"));
    assert_eq!(text(json::write, &[]), "[]\n");
    assert_eq!(markdown::render(&[]), "No cases.\n");
}

#[test]
fn reports_of_several_variants_show_the_ladder_with_ideas_and_factors() {
    let of = |variant: &str, median: f64| {
        let mut record = records().swap_remove(0);
        record.variant = variant.into();
        record.seconds.as_mut().unwrap().median = median;
        record
    };
    let records = [of("global", 1.25e-5), of("shared", 2.5e-6)];
    let variants = crate::algorithms::find("histogram").unwrap().variants();
    let idea = variants.iter().find(|it| it.name == "shared").unwrap().idea;
    assert!(!idea.is_empty());
    let text = markdown::render(&records);
    assert!(text.contains("\n## histogram: ladder at n = 2^20\n"), "{text}");
    let rung = format!("| shared | {idea} | 128 | 4 | 2.50 µs | 5.00× | ");
    assert!(text.contains(&rung) && text.contains("The scale (bandwidth) ends at"), "{text}");
    let page = html::render(&records, &[], &[]).unwrap();
    for part in ["id=\"group-1-ladder\"", "Ladder at n = 2²⁰", idea, "5.00×", "ends at"] {
        assert!(page.contains(part), "{part}");
    }
    let alone = &records[..1];
    assert!(!markdown::render(alone).contains("ladder"));
    assert!(!html::render(alone, &[], &[]).unwrap().contains("ladder"));
}
