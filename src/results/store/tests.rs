#![allow(clippy::unwrap_used)]

use std::fs;

use proptest::prelude::*;

use super::*;
use crate::experiment::{Case, Distribution, ParamValue};
use crate::results::record::{DeviceRecord, Summary};

fn record(n: u64, median: f64) -> Record {
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: "shared".to_owned(),
        block: 128,
        coarsen: 4,
        n,
        params: [("bins".to_owned(), ParamValue::Int(8))].into(),
        dist: Distribution::Zipf(1.2),
        seed: 7,
    };
    let device = DeviceRecord { name: "NVIDIA H200".to_owned(), driver: None, id: "u".to_owned() };
    let mut record = Record::new(&case, device, "cuda", Provenance::Measured);
    record.seconds =
        Some(Summary { median, q1: None, q3: None, samples: Box::default(), taken: None });
    record.verified = Some(true);
    record
}

fn as_recorded(mut record: Record) -> Record {
    record.provenance = Provenance::Recorded;
    record
}

#[test]
fn what_is_appended_reads_back_and_files_keep_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let mut store = Store::open(&path).unwrap();
    store.append(&record(1, 1.0)).unwrap();
    store.append(&record(2, 2.0)).unwrap();
    assert_eq!(store.records(), [record(1, 1.0), record(2, 2.0)], "taken by this process");
    drop(store);
    assert_eq!(read(&path).unwrap(), [as_recorded(record(1, 1.0)), as_recorded(record(2, 2.0))]);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(r#""provenance":"measured""#).count(), 2);
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn a_line_is_in_the_file_as_soon_as_it_is_appended() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let mut store = Store::open(&path).unwrap();
    store.append(&record(1, 1.0)).unwrap();
    assert_eq!(read(&path).unwrap().len(), 1);
}

#[test]
fn a_later_line_replaces_an_earlier_one_of_the_same_case() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let mut store = Store::open(&path).unwrap();
    for record in [record(1, 1.0), record(2, 2.0), record(1, 3.0)] {
        store.append(&record).unwrap();
    }
    assert_eq!(store.records(), [record(1, 3.0), record(2, 2.0)]);
    assert_eq!(store.get(&record(1, 0.0).identity()), Some(&record(1, 3.0)));
    assert_eq!(read(&path).unwrap()[0].median(), Some(3.0));
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 3, "nothing is rewritten");
    assert_eq!(read_all(&[&path, &path], &mut |_, _| (), &mut |_| ()).unwrap().len(), 2);
}

#[test]
fn a_torn_last_line_is_reported_and_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let whole = serde_json::to_string(&record(1, 1.0)).unwrap() + "\n";
    for cut in [1, 5, 10, 11, 100, whole.len() - 2] {
        fs::write(&path, whole.clone() + &whole[..cut]).unwrap();
        let contents = load(&path).unwrap();
        assert_eq!(contents.records.len(), 1);
        assert_eq!(contents.torn, Some(Torn { line: 2, bytes: cut }));
        let mut store = Store::open(&path).unwrap();
        assert_eq!(store.torn(), Some(&Torn { line: 2, bytes: cut }));
        store.append(&record(2, 2.0)).unwrap();
        drop(store);
        assert_eq!(load(&path).unwrap().torn, None);
        assert_eq!(read(&path).unwrap().len(), 2);
    }
}

#[test]
fn a_whole_last_line_without_its_end_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    fs::write(&path, serde_json::to_string(&record(1, 1.0)).unwrap()).unwrap();
    let mut store = Store::open(&path).unwrap();
    assert_eq!(store.torn(), None);
    store.append(&record(2, 2.0)).unwrap();
    assert_eq!(read(&path).unwrap().len(), 2);
}

#[test]
fn foreign_files_are_refused_with_the_line_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let ours = serde_json::to_string(&record(1, 1.0)).unwrap();
    for (text, says) in [
        ("hello".to_owned(), "a.jsonl:1 is not a record"),
        (format!("{ours}\nhello"), "a.jsonl:2 is not a record"),
        (format!("{ours}\n{{\"a\":1}}\n"), "no field `schema`"),
        (format!("{ours}\n\n{{\"schema\":1}}\n"), "a.jsonl:3 is not a record"),
        (format!("{{\"schema\":\n{ours}\n"), "a.jsonl:1 is not a record"),
        ("{\"schema\":3,\"kind\":\"x\"}\n".to_owned(), "a.jsonl:1 is not a record"),
        ("{\"schema\":4,\"kind\":\"x\"}\n".to_owned(), "a.jsonl:1 has schema 4, this program"),
        ("{\"schema\":0}".to_owned(), "no schema 0"),
        ("[1]\n".to_owned(), "no field `schema`"),
    ] {
        fs::write(&path, &text).unwrap();
        for error in [read(&path).unwrap_err(), Store::open(&path).unwrap_err()] {
            let error = error.to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    fs::write(&path, [0xff, 0xfe, 0, b'\n']).unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("not text"));
}

#[test]
fn fields_that_this_version_does_not_know_are_ignored() {
    let line = serde_json::to_string(&record(1, 1.0)).unwrap();
    let line = line.replacen("{\"schema\":2,", "{\"schema\":2,\"mood\":\"good\",", 1);
    let contents = parse(line.as_bytes(), Path::new("x")).unwrap();
    assert_eq!(contents.records, [as_recorded(record(1, 1.0))]);
}

/// A record of an attempt that failed.
fn died(n: u64) -> Record {
    let mut record = record(n, 0.0);
    record.seconds = None;
    record.verified = Some(false);
    let text = r#"{"kind":"worker-died","message":"the worker died of this case"}"#;
    record.wrong = Some(serde_json::from_str(text).unwrap());
    record
}

#[test]
fn a_failed_attempt_replaces_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let mut store = Store::open(&path).unwrap();
    for record in [died(1), record(1, 1.0), record(2, 2.0), died(2)] {
        store.append(&record).unwrap();
    }
    assert_eq!(store.records(), [record(1, 1.0), record(2, 2.0)]);
    assert_eq!(read(&path).unwrap(), [record(1, 1.0), record(2, 2.0)].map(as_recorded));
}

#[test]
fn files_merge_into_one_that_has_each_case_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, records: &[Record]| {
        let path = folder.path().join(name);
        let mut store = Store::open(&path).unwrap();
        for record in records {
            store.append(record).unwrap();
        }
        path
    };
    let a = file("a.jsonl", &[record(1, 1.0), record(2, 2.0), record(3, 3.0)]);
    let b = file("b.jsonl", &[record(2, 2.5), died(3), died(4)]);
    fs::write(&b, fs::read_to_string(&b).unwrap() + "{\"schema\":2,\"pro").unwrap();
    let all = folder.path().join("all.jsonl");

    let merged = merge(&[&a, &b], &all).unwrap();
    assert_eq!((merged.read, merged.cases, merged.added, merged.replaced), (6, 4, 4, 0));
    assert_eq!(merged.torn, [(b.clone(), Torn { line: 4, bytes: 16 })]);
    let expected = [record(1, 1.0), record(2, 2.5), record(3, 3.0), died(4)];
    assert_eq!(read(&all).unwrap(), expected.clone().map(as_recorded));
    let text = fs::read_to_string(&all).unwrap();
    assert_eq!(text.lines().count(), 4);
    assert!(!text.contains("recorded"), "files keep `measured`");

    // Again, and with itself: nothing changes.
    for inputs in [vec![&a, &b], vec![&b, &all], vec![&all]] {
        let again = merge(&inputs, &all).unwrap();
        assert_eq!((again.added, again.replaced), (0, 0), "{inputs:?}");
    }
    assert_eq!(fs::read_to_string(&all).unwrap(), text);
    // The other order gives the other result of the case that both have.
    let merged = merge(&[&a], &all).unwrap();
    assert_eq!((merged.added, merged.replaced), (0, 1));
    assert_eq!(read(&all).unwrap()[1].median(), Some(2.0));
}

#[test]
fn merging_writes_nothing_unless_everything_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
    Store::open(&good).unwrap().append(&record(1, 1.0)).unwrap();
    fs::write(&bad, "{\"schema\":2}\n").unwrap();
    let all = folder.path().join("all.jsonl");
    let error = merge(&[&good, &bad], &all).unwrap_err().to_string();
    assert!(error.contains("b.jsonl:1 is not a record"), "{error}");
    assert!(!all.exists());
}

#[cfg(unix)]
#[test]
fn a_file_that_is_deleted_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    Store::open(&path).unwrap().append(&record(1, 1.0)).unwrap();
    let mut store = Store::open(&path).unwrap();
    store.append(&record(2, 2.0)).unwrap();
    fs::remove_file(&path).unwrap();
    store.append(&record(3, 3.0)).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Locked(_))), "it is still ours");
    store.append(&record(4, 4.0)).unwrap();
    drop(store);
    let sizes: Vec<u64> = read(&path).unwrap().iter().map(|record| record.n).collect();
    assert_eq!(sizes, [1, 2, 3, 4]);
    assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 4);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_is_left_alone_and_ours_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("a.jsonl"), folder.path().join("b.txt"));
    let mut store = Store::open(&path).unwrap();
    store.append(&record(1, 1.0)).unwrap();
    fs::write(&other, "dear diary").unwrap();
    fs::rename(&other, &path).unwrap();
    let error = store.append(&record(2, 2.0)).unwrap_err().to_string();
    assert!(error.contains("another file replaced") && error.contains("a.jsonl.saved"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "dear diary");
    assert_eq!(read(folder.path().join("a.jsonl.saved")).unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_deleted_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("inner/a.jsonl");
    fs::create_dir(path.parent().unwrap()).unwrap();
    let mut store = Store::open(&path).unwrap();
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    let error = store.append(&record(1, 1.0)).unwrap_err().to_string();
    assert!(
        error.contains("cannot store a result in") && error.contains("free some space"),
        "{error}"
    );
}

#[test]
fn a_second_writer_is_told_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let first = Store::open(&path).unwrap();
    assert!(matches!(Store::open(&path), Err(StoreError::Locked(_))));
    drop(first);
    assert!(Store::open(&path).is_ok());
}

#[test]
fn paths_that_cannot_be_stores_say_why() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Store::open(folder.path()), Err(StoreError::NotAFile(_))));
    assert!(matches!(read(folder.path()), Err(StoreError::NotAFile(_))));
    let missing = folder.path().join("no/such.jsonl");
    assert!(matches!(read(&missing), Err(StoreError::Missing(_))));
    let error = Store::open(&missing).unwrap_err();
    assert!(error.to_string().contains("a folder that exists"), "{error}");
}

proptest! {
    #[test]
    fn no_bytes_make_reading_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes, Path::new("x"));
    }

    #[test]
    fn any_cut_of_a_file_keeps_every_whole_line(cut in 0usize..2000) {
        let line = serde_json::to_string(&record(1, 1.0)).unwrap() + "\n";
        let other = serde_json::to_string(&record(2, 1.0)).unwrap() + "\n";
        let text = line.clone() + &other;
        let cut = cut.min(text.len());
        let contents = parse(&text.as_bytes()[..cut], Path::new("x")).unwrap();
        // A line without its newline is already whole.
        let whole = usize::from(cut + 1 >= line.len()) + usize::from(cut + 1 >= text.len());
        prop_assert_eq!(contents.records.len(), whole);
    }
}
