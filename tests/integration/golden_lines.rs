//! The file format and the worker protocol are what the golden lines say.
//!
//! `tests/golden/records.jsonl` holds one record of each kind, with made-up
//! numbers of an example device. `tests/golden/protocol.jsonl` is a whole
//! conversation with a worker on the scripted backend, with every kind of line.

use std::path::Path;

use serde_json::Value;
use warpscope::experiment::ParamValue;
use warpscope::results::record::{Flag, Outcome, PROGRAM, Provenance, Record, SCHEMA, StopReason};
use warpscope::results::store;
use warpscope::runner::worker::{self, Reply, Request};
use warpscope::work::View;

const RECORDS: &str = include_str!("../golden/records.jsonl");
const PROTOCOL: &str = include_str!("../golden/protocol.jsonl");

fn value(line: &str) -> Value {
    serde_json::from_str(line).unwrap()
}

#[test]
fn a_record_of_each_kind_is_read_and_written_back_unchanged() {
    let read = |line| {
        let record: Record = serde_json::from_str(line).unwrap();
        assert_eq!(value(&serde_json::to_string(&record).unwrap()), value(line));
        record
    };
    let records: Vec<Record> = RECORDS.lines().map(read).collect();
    let [measured, modelled, skipped, wrong, trapped, pictured] = &records[..] else {
        panic!("{} lines", records.len());
    };

    assert_eq!(measured.outcome(), Outcome::Verified);
    assert_eq!(measured.provenance, Provenance::Measured);
    assert_eq!(measured.stop_reason, Some(StopReason::Stable));
    assert_eq!((measured.median(), measured.discards), (Some(1.24e-5), 1));
    assert_eq!(measured.seconds.as_ref().unwrap().samples.len(), 5);
    assert_eq!(measured.flags, [Flag::Throttled]);
    assert_eq!(measured.end_to_end(), Some(3.24e-5));
    assert_eq!(measured.outliers.as_ref().map(|outliers| outliers.high), Some(1));
    assert_eq!(measured.clock.as_ref().map(|clock| clock.lowest), Some(1350));
    assert_eq!(measured.device_baseline.as_ref().map(|baseline| baseline.launch), Some(5.5e-6));

    assert_eq!(modelled.outcome(), Outcome::Verified);
    assert_eq!(modelled.provenance, Provenance::Modelled);
    let seconds = modelled.seconds.as_ref().unwrap();
    assert_eq!((seconds.q1, seconds.q3, seconds.samples.len()), (None, None, 0));
    assert!(modelled.model.is_some() && modelled.counters.get("warp_instructions").is_some());

    assert_eq!(skipped.outcome(), Outcome::Skipped);
    assert_eq!((&skipped.seconds, skipped.verified), (&None, None));

    for (record, kind) in [(wrong, "wrong-answer"), (trapped, "out-of-bounds")] {
        assert_eq!((record.outcome(), &record.seconds), (Outcome::Wrong, &None));
        assert_eq!(record.wrong.as_ref().unwrap().kind, kind);
    }

    assert_eq!(pictured.case().file("image"), Some(("crystal.png", "0123456789abcdef")));
    let mut renamed = pictured.clone();
    let file = "elsewhere/copy.png".to_owned();
    let image = ParamValue::File { file, sha256: "0123456789abcdef".to_owned() };
    renamed.params.insert("image".to_owned(), image);
    assert_eq!(renamed.identity(), pictured.identity(), "the content counts, not the name");

    let mut identities: Vec<String> =
        records.iter().map(|record| record.identity().to_string()).collect();
    identities.sort();
    identities.dedup();
    assert_eq!(identities.len(), records.len());
}

#[test]
fn a_file_of_schema_1_is_read_as_one_of_today() {
    let old = include_bytes!("../golden/records-schema-1.jsonl");
    let read = |bytes: &[u8]| store::parse(bytes, Path::new("old.jsonl")).unwrap().records;
    let mut records = read(old);
    let peaks = records.pop().unwrap();
    assert_eq!(peaks.schema, SCHEMA);
    assert_eq!(peaks.case().word("image"), Some("none"), "a parameter that came later");
    assert_eq!(peaks.median(), Some(4.095_999_989_658_594_5e-6));
    // What later lines say beside it is missing, nothing else.
    let today = read(RECORDS.as_bytes());
    let told = |record: &Record| (record.identity().to_string(), record.median(), record.outcome());
    assert_eq!(
        records.iter().map(told).collect::<Vec<_>>(),
        today[..records.len()].iter().map(told).collect::<Vec<_>>()
    );

    // A file that goes on in the newest schema.
    let new = serde_json::to_string(&peaks).unwrap();
    let both = read(&[&old[..], new.as_bytes()].concat());
    assert_eq!(both.len(), records.len() + 1, "the same case in two schemas is one case");
}

#[test]
fn fields_that_a_reader_does_not_know_are_ignored() {
    for line in RECORDS.lines() {
        let mut longer = value(line);
        longer["colour"] = "blue".into();
        let record: Record = serde_json::from_value(longer).unwrap();
        assert_eq!(record, serde_json::from_str(line).unwrap());
    }
}

#[test]
fn the_schema_document_names_every_field_of_the_lines() {
    let document = include_str!("../../src/results/record/schema.md");
    for line in RECORDS.lines() {
        for field in value(line).as_object().unwrap().keys() {
            assert!(document.contains(&format!("`{field}`")), "{field}");
        }
    }
}

/// Without what differs by version of the program, of the kernels, and by hour.
fn lasting(mut line: Value) -> Value {
    for place in ["/program", "/record/program"] {
        if let Some(program) = line.pointer_mut(place) {
            *program = PROGRAM.into();
        }
    }
    if let Some(record) = line.get_mut("record") {
        for field in ["ptx", "time"] {
            assert!(record[field].is_string(), "{field}");
            record[field] = Value::Null;
        }
    }
    line
}

#[test]
fn a_worker_answers_as_in_the_golden_conversation() {
    let (mut requests, mut expected) = (String::new(), Vec::new());
    for line in PROTOCOL.lines() {
        if value(line).get("request").is_some() {
            requests.push_str(line);
            requests.push('\n');
        } else {
            expected.push(lasting(value(line)));
        }
    }
    let mut answer = Vec::new();
    worker::serve(requests.as_bytes(), &mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let answer: Vec<Value> = answer.lines().map(|line| lasting(value(line))).collect();
    assert_eq!(answer, expected);
}

#[test]
fn both_sides_read_every_line_of_the_conversation() {
    let mut kinds = std::collections::BTreeSet::new();
    for line in PROTOCOL.lines() {
        let back = if value(line).get("request").is_some() {
            let request: Request = serde_json::from_str(line).unwrap();
            serde_json::to_string(&request).unwrap()
        } else {
            let reply: Reply = serde_json::from_str(line).unwrap();
            if let Reply::Record { view: Some(View::Bins(bins)), .. } = &reply {
                assert_eq!(bins.total, 40);
            }
            serde_json::to_string(&reply).unwrap()
        };
        assert_eq!(value(&back), value(line));
        let (object, document) = (value(line), include_str!("../../src/runner/worker/protocol.md"));
        let kind = object.get("request").or(object.get("reply")).unwrap().as_str().unwrap();
        for word in object.as_object().unwrap().keys().filter(|key| *key != "case") {
            assert!(document.contains(word.as_str()), "{word}");
        }
        kinds.insert(kind.to_owned());
    }
    let all = [
        "at",
        "check",
        "checked",
        "dissect",
        "dissected",
        "done",
        "hello",
        "lost",
        "measure",
        "open",
        "record",
        "refused",
        "system",
    ];
    assert!(kinds.iter().eq(all.iter()), "{kinds:?}");
}

#[test]
fn nonsense_is_refused_and_the_worker_goes_on() {
    let requests = "what?\n\
        {\"request\":\"open\",\"protocol\":99,\"program\":\"warpscope 9\",\"target\":{}}\n\
        {\"request\":\"open\",\"protocol\":1,\"program\":\"x\",\"target\":{\"backend\":\"emulator\",\"gpu\":\"Voodoo\"}}\n\
        {\"request\":\"open\",\"protocol\":1,\"program\":\"x\",\"target\":{\"backend\":\"scripted\"}}\n";
    let mut answer = Vec::new();
    worker::serve(requests.as_bytes(), &mut answer).unwrap();
    let answer = String::from_utf8(answer).unwrap();
    let replies: Vec<Reply> =
        answer.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let refusal = |index: usize| match &replies[index] {
        Reply::Refused { message } => message.clone(),
        reply => panic!("{reply:?}"),
    };
    assert!(refusal(0).starts_with("not a request"));
    assert!(refusal(1).contains("warpscope 9 with protocol 99"));
    assert!(refusal(2).contains("Voodoo"));
    assert!(matches!(replies[3], Reply::Hello { .. }));
}
