//! Workers that lie, flood and keep silent: what they say is checked, bounded and told in a
//! sentence.

use std::time::Duration;

use crate::support::Place;
use crate::support::builders::experiment;
use crate::support::workers::{OWN, opening, options, run, shell, stored, wrongs};
use warpscope::results::record::Record;
use warpscope::runner::scheduler::{Options, WorkerSpec};

/// The first `hello` of a sound worker, as a shell's commands.
fn hello() -> String {
    opening().split_once("; read -r measure").unwrap().0.to_owned()
}

/// The error of a sweep on this worker, which never gets to a case.
fn refusal(worker: WorkerSpec, start_limit: Option<Duration>) -> String {
    let options = Options { workers: vec![worker], start_limit, ..Options::default() };
    run(&experiment(&[8]), &options).0.unwrap_err().to_string()
}

/// The records of a sweep on this worker, all of one size and number of bins.
fn records(worker: WorkerSpec) -> Vec<Record> {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    run(&experiment(&[8]), &options(&path, vec![worker])).0.unwrap();
    stored(&path)
}

/// The message of the only failed case.
fn message(worker: WorkerSpec) -> String {
    let records = records(worker);
    let failed = records.iter().find_map(|record| record.wrong.as_ref());
    failed.unwrap_or_else(|| panic!("no case failed: {records:?}")).message.clone()
}

/// A worker that opens, takes the group, writes this line, and waits.
fn says(line: &str) -> WorkerSpec {
    let line = line.replace('\\', "\\\\").replace('%', "%%");
    shell(&format!("{}; printf '{line}\\n'; exec cat > /dev/null", opening()))
}

#[test]
fn a_worker_that_never_greets_ends_the_sweep_in_a_sentence() {
    let limit = Some(Duration::from_millis(300));
    let error = refusal(shell("read -r open; exec sleep 1000"), limit);
    assert!(
        error.contains("did not answer within 0.3 s") && error.contains("--start-limit"),
        "{error}"
    );
    let place = Place::new();
    let mut command =
        place.command("sweep histogram --backend scripted --variant global,shared -n 64 -o s.jsonl --start-limit 0.2");
    command.args(["--worker", "sleep 1000"]);
    let ran: crate::support::Ran = command.output().unwrap().into();
    ran.refused(&["did not answer within 0.2 s"]);
}

#[test]
fn a_flood_of_messages_ends_with_its_case() {
    let open = opening();
    let flood = shell(&format!("{open}; exec yes '{{\"reply\":\"at\",\"case\":0}}'"));
    let said = message(flood);
    assert!(said.contains("more than") && said.contains("messages about one case"), "{said}");
    // Replies in front of `hello` are bounded too.
    let error = refusal(shell("exec yes Welcome"), None);
    assert!(error.contains("not a reply"), "{error}");
}

#[test]
fn a_limit_ends_a_worker_that_says_that_it_makes_inputs_for_ever() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    let making = r#"{"reply":"at","case":0,"making":true}"#;
    let at = r#"{"reply":"at","case":0}"#;
    // Making does not count; what follows does, however often it says so.
    let script =
        format!("{}; echo '{making}'; sleep 1; while sleep 0.02; do echo '{at}'; done", opening());
    let first = shell(&format!(
        "if mkdir '{}'; then {script}; else exec {OWN}; fi",
        folder.path("mark").display()
    ));
    let limit = Some(Duration::from_millis(300));
    let (result, _) = run(&experiment(&[8]), &Options { limit, ..options(&path, vec![first]) });
    assert_eq!(result.unwrap().failed, 1);
    assert_eq!(wrongs(&stored(&path)), ["timed-out"]);
}

#[test]
fn a_message_of_megabytes_is_cut_and_its_size_told() {
    let long = "x".repeat(3 << 20);
    for line in [
        format!("{{\"reply\":\"lost\",\"message\":\"{long}\"}}"),
        format!("{{\"reply\":\"{long}\"}}"),
        long.clone(),
    ] {
        // Not as an argument, which may not be so long.
        let folder = Place::new();
        std::fs::write(folder.path("line"), line + "\n").unwrap();
        let script =
            format!("{}; cat '{}'; exec cat > /dev/null", opening(), folder.path("line").display());
        let said = message(shell(&script));
        assert!(said.len() < 400 && said.contains("… (3.00 MiB)"), "{} bytes", said.len());
    }
    let refuse = format!("{{\"reply\":\"refused\",\"message\":\"{long}\"}}\n");
    let folder = Place::new();
    std::fs::write(folder.path("line"), refuse).unwrap();
    let error =
        refusal(shell(&format!("read -r open; cat '{}'", folder.path("line").display())), None);
    assert!(error.len() < 600 && error.contains("… (3.00 MiB)"), "{} bytes", error.len());
}

#[test]
fn a_reply_that_does_not_fit_is_told_in_a_sentence() {
    for (line, sentence) in [
        (r#"{"reply":"at","case":99}"#, "`at` for case 99, and the group has 2 cases"),
        (r#"{"reply":"done"}"#, "`done`, and 2 cases have no record"),
        (r#"{"reply":"dissected","record":0}"#, "not a reply"),
    ] {
        let said = message(says(line));
        assert!(said.contains(sentence), "{line}: {said}");
    }
    let again = hello().split_once("; ").unwrap().1.to_owned();
    let said = message(shell(&format!("{}; {again}; exec cat > /dev/null", opening())));
    assert!(said.contains("`hello` answers nothing that was asked"), "{said}");
    for said in [said, message(says(r#"{"reply":"at","case":7}"#))] {
        assert!(!said.contains('{') && !said.contains("At"), "Rust text: {said}");
    }
}

/// A sound worker whose replies pass through these commands of `sed`.
fn edited(sed: &str) -> WorkerSpec {
    shell(&format!("{OWN} | sed -u -E '{sed}'"))
}

#[test]
fn results_that_cannot_be_true_fail_with_the_reason() {
    for (sed, reason) in [
        (r#"s/"median":[0-9.e-]+/"median":-1.0/"#, "`seconds` is -1e0 s; a time is above 0"),
        (r#"s/"median":[0-9.e-]+/"median":1e300/"#, "`seconds` is 1e300 s"),
        (r#"s/"median":[0-9.e-]+/"median":0.0/"#, "`seconds` is 0e0 s"),
        (r#"s/"provenance":"measured"/"provenance":"modelled"/"#, "its time is modelled, and the"),
        (r#"s/"ptx":"[0-9a-f]+"/"ptx":"0123456789abcdef"/"#, "the PTX 0123456789abcdef, and this"),
        (r#"s/"schema":2,/"schema":1,/"#, "its schema is 1, not 2"),
        (r#"s/"variant":"shared"/"variant":"global"/"#, "it is of another case: histogram global"),
        (r#"s/"id":"scripted-0"\},"seconds"/"id":"other"},"seconds"/"#, "it is of device `other`"),
        (r#"s/"backend":"scripted","prov/"backend":"cuda","prov/"#, "(cuda), and the worker has"),
        (r#"s/"seconds":\{[^}]*\},//"#, "one of `seconds`, `wrong` and `skip`"),
        (r#"s/"skip":null/"skip":"no time"/"#, "one of `seconds`, `wrong` and `skip`"),
    ] {
        let records = records(edited(sed));
        assert_eq!(records.len(), 4, "{sed}");
        let failed: Vec<&str> = records
            .iter()
            .filter_map(|record| record.wrong.as_ref())
            .map(|wrong| wrong.message.as_str())
            .collect();
        assert!(!failed.is_empty(), "{sed} was believed");
        assert!(failed.iter().all(|said| said.contains(reason)), "{sed}: {failed:?}");
        assert!(failed.iter().all(|said| said.contains("cannot be true")), "{failed:?}");
    }
}

#[test]
fn the_time_of_a_record_is_that_of_the_parent() {
    let records = records(edited(r#"s/"time":"[^"]*"/"time":"yesterday"/"#));
    assert_eq!((records.len(), wrongs(&records).len()), (4, 0));
    for record in records {
        record.time.parse::<jiff::Timestamp>().unwrap();
    }
}

#[test]
fn an_emulator_that_says_that_it_measures_is_refused() {
    let greeting = hello().replace(r#""backend":"scripted""#, r#""backend":"emulator""#);
    let error = refusal(shell(&format!("{greeting}; exec cat > /dev/null")), None);
    assert!(error.contains("backend `emulator`") && error.contains("measured"), "{error}");
}

#[test]
fn a_failed_attempt_is_not_called_wrong() {
    let place = Place::new();
    let ran = place.run(
        "sweep histogram --backend scripted --variant global,shared -n 64 --bins 8,6664 -o s.jsonl",
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("FAILED: the worker process ended"), "{}", ran.err);
    assert!(ran.err.contains("1 FAILED") && !ran.err.contains("WRONG"), "{}", ran.err);
    let csv = place.run("export s.jsonl --format csv").fine().out;
    assert!(csv.contains(",FAILED,"), "{csv}");
    let one = place.run("run histogram --backend scripted -n 64 --bins 6664 --variant shared");
    assert_eq!(one.code, Some(1), "{one:?}");
    assert!(one.out.contains("FAILED") && !one.out.contains("WRONG"), "{}", one.out);
}
