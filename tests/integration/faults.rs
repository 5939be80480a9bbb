//! Workers that die, hang and babble, at every point of the conversation: each
//! costs the case it was at, and nothing else.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::support::Place;
use crate::support::builders::experiment;
use crate::support::workers::{
    OWN, all_gone, once, opening, options, processes, run, shell, signal, stored, wait_until,
    wrongs,
};
use warpscope::backend::scripted;
use warpscope::results::record::{Name, Outcome, Record};
use warpscope::runner::scheduler::{self, Control, Event, Options, SchedulerError};
use warpscope::runner::worker::{WorkerError, WorkerFailure};

/// Every way to end the first worker costs at most one case, and nothing is
/// lost or doubled.
#[track_caller]
fn costs(first: &str, kind: Option<&str>) -> Vec<Record> {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    let worker = once(&folder.path("mark"), first);
    let (result, _) = run(&experiment(&[8, 16]), &options(&path, vec![worker]));
    let tally = result.unwrap();
    let records = stored(&path);
    assert_eq!(records.len(), 8, "after: {first}");
    let expected: Vec<&str> = kind.into_iter().collect();
    assert_eq!(wrongs(&records), expected, "after: {first}");
    assert_eq!((tally.verified, tally.failed), (8 - expected.len(), expected.len()));
    // What is stored as broken off is tried again, and then nothing is left.
    let again = run(&experiment(&[8, 16]), &options(&path, vec![shell(&format!("exec {OWN}"))]));
    assert_eq!(again.0.unwrap().verified, 8);
    records
}

#[test]
fn a_worker_killed_while_it_opens_is_named() {
    for script in ["kill -9 $$", "read -r open; kill -9 $$", "read -r open; printf '{\"rep'"] {
        let folder = Place::new();
        let path = folder.path("a.jsonl");
        let (result, _) = run(&experiment(&[8]), &options(&path, vec![shell(script)]));
        let error = result.unwrap_err();
        assert!(
            matches!(
                error,
                SchedulerError::Worker(WorkerError { failure: WorkerFailure::Ended(_), .. })
            ),
            "{error:?}"
        );
        assert_eq!(stored(&path).len(), 0);
    }
}

#[test]
fn a_worker_killed_between_hello_and_its_first_word_costs_nothing() {
    let hello = opening();
    let (hello, _) = hello.split_once("; read -r measure").unwrap();
    costs(&format!("{hello}; kill -9 $$"), None);
    costs(&format!("{hello}; read -r measure; kill -9 $$"), None);
}

#[test]
fn a_worker_killed_while_it_loads_runs_or_verifies_costs_that_case() {
    for bins in [scripted::HANGS_LOADING, scripted::HANGS, scripted::HANGS_READING] {
        let folder = Place::new();
        let (path, pids) = (folder.path("a.jsonl"), folder.path("pids"));
        let worker = shell(&format!("echo $$ >> '{}'; exec {OWN}", pids.display()));
        let mut victims = 0;
        let result = scheduler::run(
            &experiment(&[bins, 8]),
            &options(&path, vec![worker]),
            &Control::new(),
            &mut |event| match event {
                Event::Started(case)
                    if case.variant == "shared" && case.int("bins") == Some(bins) =>
                {
                    let process = processes(&pids).pop().unwrap();
                    assert!(signal(&process, "-KILL"));
                    victims += 1;
                }
                _ => {}
            },
        );
        let tally = result.unwrap();
        assert_eq!((victims, tally.verified, tally.failed), (2, 6, 2), "bins {bins}");
        let records = stored(&path);
        assert_eq!((records.len(), wrongs(&records)), (8, vec!["worker-died", "worker-died"]));
        for record in records.iter().filter(|record| record.outcome() == Outcome::Failed) {
            let message = &record.wrong.as_ref().unwrap().message;
            assert!(message.contains("SIGKILL"), "{message}");
        }
        all_gone(&pids);
    }
}

#[test]
fn replies_cut_off_anywhere_cost_at_most_the_case_they_were_about() {
    // The first worker's replies end after so many bytes, in the middle of
    // whatever line that is, and the worker with them.
    for bytes in [430, 460, 700, 1500, 2200, 3300, 5000, 9000] {
        let folder = Place::new();
        let path = folder.path("a.jsonl");
        let cut = format!("{OWN} | {{ dd bs=1 count={bytes} 2>/dev/null; kill -9 0; }}");
        let worker = once(&folder.path("mark"), &cut);
        let (result, _) = run(&experiment(&[8, 16]), &options(&path, vec![worker]));
        let tally = result.unwrap();
        let records = stored(&path);
        assert_eq!(records.len(), 8, "cut at {bytes}");
        assert!(
            tally.failed <= 1 && tally.verified + tally.failed == 8,
            "cut at {bytes}: {tally:?}"
        );
    }
}

#[test]
fn replies_that_make_no_sense_cost_the_case_they_came_for() {
    let open = opening();
    let golden = include_str!("../golden/protocol.jsonl");
    let foreign = golden.lines().find(|line| line.contains("\"record\"")).unwrap();
    let lines = [
        "}{",
        "null",
        r"\377\376\000\001",
        r#"{"reply":"sing"}"#,
        r#"{"reply":"done"}"#,
        r#"{"reply":"at","case":99}"#,
        foreign,
    ];
    for line in lines {
        let line = line.replace('%', "%%");
        let records = costs(
            &format!("{open}; printf '{line}\\n'; exec cat > /dev/null"),
            Some("garbled-reply"),
        );
        let wrong = records.iter().find_map(|record| record.wrong.as_ref()).unwrap();
        let message = &wrong.message;
        assert!(message.contains("not a reply") || message.contains("does not fit"), "{message}");
    }
}

#[test]
fn a_reply_without_end_is_not_kept_in_memory() {
    let open = opening();
    for (before, stream) in [(open.as_str(), ""), ("read -r open", ""), (&open, " >&2")] {
        let place = Place::new();
        let flood = format!("{before}; head -c 1073741824 /dev/zero{stream}; kill -9 $$");
        let script = place.path("flood.sh");
        let own = format!("if mkdir mark 2>/dev/null; then {flood}; else exec {OWN}; fi");
        std::fs::write(&script, own).unwrap();
        // Less memory than the reply has.
        let mut command = std::process::Command::new("sh");
        let sweep = format!(
            "ulimit -v 1000000; exec '{}' sweep histogram --backend scripted --variant global,shared -n 64,128 -o s.jsonl \
             --worker 'sh flood.sh'",
            env!("CARGO_BIN_EXE_warpscope")
        );
        command.args(["-c", &sweep]).current_dir(place.path(""));
        let output = command.output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        if before == "read -r open" {
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains("more than 16 MiB"), "{told}");
            continue;
        }
        assert_eq!(output.status.code(), Some(1), "{told}");
        let records = stored(&place.path("s.jsonl"));
        assert_eq!(records.len(), 4);
        let kind = if stream.is_empty() { "garbled-reply" } else { "worker-died" };
        assert_eq!(wrongs(&records), [kind]);
        if stream.is_empty() {
            assert!(told.contains("more than 16 MiB"), "{told}");
        }
    }
}

#[test]
fn a_kernel_that_never_ends_costs_its_case_and_leaves_no_process() {
    let folder = Place::new();
    let (path, pids) = (folder.path("a.jsonl"), folder.path("pids"));
    let worker = shell(&format!("echo $$ >> '{}'; exec {OWN}", pids.display()));
    let options =
        Options { limit: Some(Duration::from_millis(400)), ..options(&path, vec![worker]) };
    let (result, _) = run(&experiment(&[8, scripted::HANGS]), &options);
    let tally = result.unwrap();
    assert_eq!((tally.verified, tally.failed), (6, 2));
    let records = stored(&path);
    assert_eq!(wrongs(&records), ["timed-out", "timed-out"]);
    let wrong = records.iter().find_map(|record| record.wrong.as_ref()).unwrap();
    assert!(wrong.message.contains("longer than the 0.4 s"), "{}", wrong.message);
    all_gone(&pids);
}

#[test]
fn a_case_below_the_limit_is_measured() {
    let place = Place::new();
    let sweep = "sweep histogram --backend scripted --variant global,shared -n 64 --bins 6663 --limit 60 -o s.jsonl";
    assert!(place.run(sweep).fine().err.contains("2 verified"));
}

#[test]
fn a_worker_that_dies_again_and_again_ends_the_session_in_clear_words() {
    let folder = Place::new();
    let hello = opening();
    let (hello, _) = hello.split_once("; read -r measure").unwrap();
    let starts = folder.path("starts");
    let script = format!("echo x >> '{}'; {hello}; echo out of luck >&2; exit 3", starts.display());
    let (result, _) =
        run(&experiment(&[8]), &options(&folder.path("a.jsonl"), vec![shell(&script)]));
    let error = result.unwrap_err();
    let SchedulerError::Worker(WorkerError {
        failure: WorkerFailure::GaveUp { restarts, .. }, ..
    }) = &error
    else {
        panic!("{error:?}");
    };
    assert_eq!(processes(&starts).len(), 1 + *restarts as usize, "a bounded number of restarts");
    let text = error.to_string();
    assert!(text.contains("after 5 restarts") && text.contains("out of luck"), "{text}");
}

/// A sweep on a worker that writes down its process, at a case that never ends.
fn stuck_sweep(place: &Place) -> (Child, BufReader<std::process::ChildStderr>) {
    std::fs::write(place.path("worker.sh"), format!("echo $$ >> pids; exec {OWN}")).unwrap();
    let mut command = place.command(
        "sweep histogram --backend scripted --variant global,shared -n 64 --bins 8,6673 -o s.jsonl",
    );
    command.args(["--worker", "sh worker.sh"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("[2/") {
        line.clear();
        assert!(err.read_line(&mut line).unwrap() > 0, "the sweep ended early");
    }
    (child, err)
}

#[test]
fn ctrl_c_twice_ends_at_once_and_leaves_no_process() {
    let place = Place::new();
    let (mut child, mut err) = stuck_sweep(&place);
    let process = child.id().to_string();
    signal(&process, "-INT");
    signal(&process, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut rest = String::new();
    err.read_to_string(&mut rest).unwrap();
    assert_eq!(stored(&place.path("s.jsonl")).len(), 2, "{rest}");
    all_gone(&place.path("pids"));
    assert!(
        place
            .run("sweep histogram --backend scripted --variant global,shared -n 64 --bins 8 -o s.jsonl")
            .fine()
            .err
            .contains("2 already stored")
    );
}

#[test]
fn a_parent_that_is_killed_leaves_no_worker() {
    let place = Place::new();
    let (mut child, _err) = stuck_sweep(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    all_gone(&place.path("pids"));
    assert_eq!(stored(&place.path("s.jsonl")).len(), 2);
}

#[test]
fn what_a_worker_started_ends_with_it() {
    // The shell stays between us and the worker, and starts something that
    // listens to nobody.
    let place = Place::new();
    let script = format!("sleep 1000 & echo $! >> pids; echo $$ >> pids; {OWN}");
    std::fs::write(place.path("worker.sh"), script).unwrap();
    let mut command = place.command(
        "sweep histogram --backend scripted --variant global,shared -n 64 --bins 8 -o s.jsonl",
    );
    assert!(command.args(["--worker", "sh worker.sh"]).output().unwrap().status.success());
    assert_eq!(processes(&place.path("pids")).len(), 2);
    all_gone(&place.path("pids"));
}

#[test]
fn what_a_worker_prints_beside_its_replies_does_no_harm() {
    // The replies have a descriptor of their own; standard output of the
    // process is its standard error by then.
    let folder = Place::new();
    let script = format!("echo Welcome; exec {OWN}");
    let (result, _) =
        run(&experiment(&[8]), &options(&folder.path("a.jsonl"), vec![shell(&script)]));
    assert_eq!(result.unwrap().verified, 4);
}

#[test]
fn a_closed_terminal_ends_a_sweep_and_its_worker() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    let place = Place::new();
    std::fs::write(place.path("worker.sh"), format!("echo $$ >> pids; exec {OWN}")).unwrap();
    let pair = native_pty_system().openpty(PtySize::default()).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_warpscope"));
    let arguments = "sweep histogram --backend scripted --variant global,shared -n 64 --bins 8,6673 -o s.jsonl --worker";
    command.args(arguments.split(' ').chain(["sh worker.sh"]));
    command.cwd(place.path(""));
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    wait_until("two cases are stored", || {
        std::fs::read_to_string(place.path("s.jsonl")).is_ok_and(|text| text.lines().count() == 2)
    });
    drop(pair.master);
    child.wait().unwrap();
    assert_eq!(stored(&place.path("s.jsonl")).len(), 2);
    all_gone(&place.path("pids"));
}

/// A library that makes the calendar jump by a day and a bit, to and fro, with
/// every look at it. The monotonic clock is left alone.
#[cfg(target_os = "linux")]
const JUMPS: &str = r"
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long looks;
int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += looks++ % 2 ? 86461 : -86461;
    return result;
}
";

/// Durations come from the monotonic clock: neither the parent nor the worker
/// is confused by a calendar that jumps.
#[test]
#[cfg(target_os = "linux")]
fn a_clock_that_jumps_changes_nothing_but_the_dates() {
    let place = Place::new();
    std::fs::write(place.path("jumps.c"), JUMPS).unwrap();
    // Rust links with it, so it is there.
    let built = std::process::Command::new("cc")
        .args(["-shared", "-fPIC", "-o", "jumps.so", "jumps.c"])
        .current_dir(place.path(""))
        .status()
        .unwrap();
    assert!(built.success());
    let sweep = "sweep histogram --backend scripted --variant global,shared -n 64..1024 --bins 8,6673 --limit 1";
    let jumping = place
        .command(&format!("{sweep} -o jumps.jsonl"))
        .env("LD_PRELOAD", place.path("jumps.so"))
        .output()
        .unwrap();
    let plain = place.run(&format!("{sweep} -o plain.jsonl"));
    assert_eq!((jumping.status.code(), plain.code), (Some(1), Some(1)), "{jumping:?}");
    let records = |name: &str| {
        let mut records = stored(&place.path(name));
        let dates: Vec<Name> =
            records.iter_mut().map(|record| std::mem::take(&mut record.time)).collect();
        (records, dates)
    };
    let (jumped, dates) = records("jumps.jsonl");
    let (plain, _) = records("plain.jsonl");
    assert_eq!(jumped, plain);
    assert_eq!(wrongs(&jumped), ["timed-out"; 5]);
    let days = |date: &Name| date.split('T').next().unwrap().to_owned();
    let days: std::collections::BTreeSet<String> = dates.iter().map(days).collect();
    assert!(days.len() > 1, "the clock did not jump: {days:?}");
}
