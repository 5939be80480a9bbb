//! What differs between operating systems: locks, processes and their ends, folders,
//! the terminal. Runs on each of them; `.ci/targets` runs it on Windows too.
#![allow(clippy::unwrap_used)]

#[path = "integration/support/mod.rs"]
mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use support::Place;
use warpscope::results::store::{self, Store, StoreError};

/// How long anything may take. Far more than it does, because test machines are busy.
const PATIENCE: Duration = Duration::from_mins(2);

/// A sweep whose samples take 50 ms each.
const SLOW: &str = "sweep histogram --backend scripted --variant global,shared -n 2^10..2^20 --bins 6663 -o s.jsonl";

/// Waits until something holds.
#[track_caller]
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        sleep(Duration::from_millis(5));
    }
}

/// Starts a sweep and waits for its first case.
fn sweep_begun(command: &mut Command) -> (Child, BufReader<ChildStderr>) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut err = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("[1/") {
        line.clear();
        assert!(err.read_line(&mut line).unwrap() > 0, "the sweep ended early");
    }
    (child, err)
}

#[test]
fn a_file_has_one_writer_and_any_number_of_readers() {
    let place = Place::new();
    let (mut child, _err) = sweep_begun(&mut place.command(SLOW));
    let path = place.path("s.jsonl");
    place.run(SLOW).refused(&["another process is writing s.jsonl"]);
    assert!(matches!(Store::open(&path), Err(StoreError::Locked(_))));
    let error = store::files::discard(&path, "now").unwrap_err();
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
    // Who looks on gets every whole line.
    assert!(!store::read(&path).unwrap().is_empty());
    place.run("export s.jsonl --format csv -o s.csv").fine();
    assert!(place.text("s.csv").lines().count() > 1);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the file is free", || Store::open(&path).is_ok());
}

#[test]
fn a_torn_line_is_cut_off_and_the_sweep_goes_on() {
    let place = Place::new();
    let sweep = "sweep histogram --backend emulator -n 64,100 -o s.jsonl";
    place.run(sweep).fine();
    let whole = place.text("s.jsonl");
    fs::write(place.path("s.jsonl"), &whole[..whole.len() - 40]).unwrap();
    let ran = place.run(sweep).fine();
    assert!(ran.err.contains("already stored"), "{}", ran.err);
    let text = place.text("s.jsonl");
    assert_eq!(text.lines().count(), whole.lines().count());
    assert_eq!(store::load(place.path("s.jsonl")).unwrap().torn, None);
}

#[test]
fn a_new_file_without_lines_goes_away() {
    let place = Place::new();
    let path = place.path("s.jsonl");
    drop(Store::open(&path).unwrap());
    assert!(!path.exists());
}

/// A `--worker` that is this test program in the part of a test. What the test harness
/// prints first counts as a greeting.
fn worker_played_by(part: &str) -> String {
    let program = std::env::current_exe().unwrap();
    format!("'{}' {part} --exact --ignored --nocapture", program.display())
}

/// A worker that stays at its first case, and so does a child of it that listens to
/// nobody.
#[test]
#[ignore = "a part in another test"]
fn worker_with_a_child() {
    let mut heart = Command::new(std::env::current_exe().unwrap());
    heart.args(["heart", "--exact", "--ignored"]).stdin(Stdio::null());
    let mut heart = heart.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let golden = include_str!("golden/protocol.jsonl");
    let hello = golden.lines().find(|line| line.contains("\"hello\"")).unwrap();
    let mut requests = std::io::stdin().lines();
    requests.next().unwrap().unwrap();
    // The harness may have begun a line.
    println!("\n{hello}");
    requests.next().unwrap().unwrap();
    println!("{{\"reply\":\"at\",\"case\":0}}");
    heart.wait().unwrap();
}

/// Makes a file longer for as long as it lives.
#[test]
#[ignore = "a part in another test"]
fn heart() {
    let start = Instant::now();
    // Appended to: a file written anew is empty for an instant, in which this may end.
    let mut beats = fs::OpenOptions::new().create(true).append(true).open("beats").unwrap();
    while start.elapsed() < PATIENCE * 2 {
        beats.write_all(b".").unwrap();
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_worker_over_its_limit_ends_with_every_process_that_it_started() {
    let place = Place::new();
    let mut sweep = place.command("sweep histogram --backend scripted -n 64 -o s.jsonl");
    sweep.args(["--variant", "shared", "--limit", "1"]);
    sweep.args(["--worker", &worker_played_by("worker_with_a_child")]);
    let output = sweep.output().unwrap();
    let records = store::read(place.path("s.jsonl")).unwrap();
    assert_eq!(records.len(), 1, "{output:?}");
    assert_eq!(records[0].wrong.as_ref().unwrap().kind, "timed-out");
    let mut beats = place.text("beats");
    assert!(!beats.is_empty());
    wait_until("the child of the worker ends", || {
        let before = std::mem::take(&mut beats);
        sleep(Duration::from_secs(1));
        beats = place.text("beats");
        beats == before
    });
}

#[test]
fn a_worker_that_crashes_costs_its_case_and_no_other() {
    let place = Place::new();
    let sweep = format!(
        "sweep histogram --backend scripted --variant global,shared -n 64 --bins 8,{},16 -o s.jsonl",
        warpscope::backend::scripted::DIES
    );
    assert_eq!(place.run(&sweep).code, Some(1));
    let records = store::read(place.path("s.jsonl")).unwrap();
    let kinds: Vec<Option<&str>> =
        records.iter().map(|it| it.wrong.as_ref().map(|wrong| wrong.kind.as_str())).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == Some("worker-died")).count(), 1, "{kinds:?}");
    assert_eq!(kinds.iter().filter(|kind| kind.is_none()).count(), 5, "{kinds:?}");
}

/// Windows refuses to delete a program that runs; elsewhere `kill_resume` looks for
/// processes that are left.
#[test]
#[cfg(windows)]
fn a_sweep_that_is_killed_leaves_no_worker() {
    let place = Place::new();
    let copy = place.path("copy.exe");
    fs::copy(place.command("").get_program(), &copy).unwrap();
    let mut command = Command::new(&copy);
    command.args(SLOW.split_whitespace()).current_dir(place.path(""));
    let (mut child, _err) = sweep_begun(&mut command);
    assert!(fs::remove_file(&copy).is_err(), "it runs");
    child.kill().unwrap();
    child.wait().unwrap();
    // Also while it starts its worker.
    for milliseconds in (0..200).step_by(10) {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    wait_until("every worker ends", || fs::remove_file(&copy).is_ok());
}

#[test]
fn doctor_runs_the_emulator_and_says_where_cuda_works() {
    let out = Place::new().run("doctor").out;
    assert!(out.contains("PTX loads, runs and verifies"), "{out}");
    assert_eq!(out.contains("CUDA works on Linux only"), !cfg!(target_os = "linux"), "{out}");
}

/// Settings and runs belong where the platform keeps such things.
#[test]
fn folders_are_those_of_the_platform() {
    let place = Place::new();
    let mut doctor = place.command("doctor");
    doctor.env_remove("WARPSCOPE_CONFIG").env_remove("WARPSCOPE_RUNS");
    for name in ["HOME", "USERPROFILE", "APPDATA", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
        doctor.env(name, place.path(name));
    }
    let out = String::from_utf8(doctor.output().unwrap().stdout).unwrap();
    let (config, data) =
        if cfg!(windows) { ("APPDATA", "APPDATA") } else { ("XDG_CONFIG_HOME", "XDG_DATA_HOME") };
    let path = |folder: &str, last: &[&str]| {
        let path = place.path(folder).join("warpscope");
        last.iter().fold(path, |path, part| path.join(part)).display().to_string()
    };
    assert!(out.contains(&path(config, &["config.toml"])), "{out}");
    assert!(out.contains(&path(data, &["runs"])), "{out}");
}
