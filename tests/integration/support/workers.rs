//! Workers that behave and workers that do not, for whole sessions.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use warpscope::experiment::Experiment;
use warpscope::results::record::{Outcome, Record};
use warpscope::runner::scheduler::{
    self, Control, Event, Options, SchedulerError, Tally, WorkerSpec,
};

/// How long anything may take. Far more than it does, because test machines are
/// busy.
const PATIENCE: Duration = Duration::from_mins(1);

/// This program's own worker.
pub(crate) const OWN: &str = concat!("'", env!("CARGO_BIN_EXE_warpscope"), "' worker");

/// A worker that is what this script of a shell does.
pub(crate) fn shell(script: &str) -> WorkerSpec {
    WorkerSpec::command(["sh", "-c", script])
}

/// The program's own worker.
pub(crate) fn plain() -> WorkerSpec {
    WorkerSpec::command([env!("CARGO_BIN_EXE_warpscope"), "worker"])
}

/// A worker started through a shell: `before`, then the worker in its place.
pub(crate) fn behind(before: &str) -> WorkerSpec {
    shell(&format!("{before}; exec {OWN}"))
}

/// The program's own worker, on this device.
pub(crate) fn own(device: u32) -> WorkerSpec {
    WorkerSpec { device: Some(device), ..plain() }
}

/// A worker that does `first` when it is started for the first time, and is a
/// sound one when it is started again. `mark` is a path for its own use.
pub(crate) fn once(mark: &Path, first: &str) -> WorkerSpec {
    shell(&format!("if mkdir '{}' 2>/dev/null; then {first}; else exec {OWN}; fi", mark.display()))
}

/// A shell's commands that open as a sound worker does and take the first group.
pub(crate) fn opening() -> String {
    let golden = include_str!("../../golden/protocol.jsonl");
    let hello = golden.lines().find(|line| line.contains("\"hello\"")).unwrap();
    format!("read -r open; echo '{hello}'; read -r measure; echo '{{\"reply\":\"at\",\"case\":0}}'")
}

/// Runs to the end, keeps the events.
pub(crate) fn run(
    experiment: &Experiment,
    options: &Options,
) -> (Result<Tally, SchedulerError>, Vec<Event>) {
    let mut events = Vec::new();
    let result =
        scheduler::run(experiment, options, &Control::new(), &mut |event| events.push(event));
    (result, events)
}

/// A store at `path` and these workers.
pub(crate) fn options(path: &Path, workers: Vec<WorkerSpec>) -> Options {
    Options { store: Some(path.to_owned()), workers, ..Options::default() }
}

/// No store and this worker.
pub(crate) fn unstored(worker: WorkerSpec) -> Options {
    Options { workers: vec![worker], ..Options::default() }
}

/// The records of a file, which must have no torn line and none twice.
#[track_caller]
pub(crate) fn stored(path: &Path) -> Vec<Record> {
    // A run that measured nothing leaves no file.
    if !path.exists() {
        return Vec::new();
    }
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'), "a line is torn");
    let records: Vec<Record> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut identities: Vec<String> = records.iter().map(|it| it.identity().to_string()).collect();
    identities.sort();
    let all = identities.len();
    identities.dedup();
    assert_eq!(identities.len(), all, "a case is there twice");
    records
}

/// Kinds of what went wrong, one for each record that is wrong or failed.
pub(crate) fn wrongs(records: &[Record]) -> Vec<&str> {
    let wrong = records
        .iter()
        .filter(|record| matches!(record.outcome(), Outcome::Wrong | Outcome::Failed));
    wrong.map(|record| record.wrong.as_ref().unwrap().kind.as_str()).collect()
}

/// Process numbers that workers wrote into this file, one a line.
pub(crate) fn processes(file: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Waits until something holds.
#[track_caller]
pub(crate) fn wait_until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until each of the processes in this file is gone, one at least.
#[track_caller]
pub(crate) fn all_gone(file: &Path) {
    let all = processes(file);
    assert!(!all.is_empty(), "no worker was started");
    for process in all {
        wait_until(&format!("process {process} ends"), || !signal(&process, "-0"));
    }
}

/// Sends a signal by its option to `kill`; whether there was anybody to get it.
pub(crate) fn signal(process: &str, signal: &str) -> bool {
    let mut kill = Command::new("kill");
    kill.args([signal, process]).stderr(Stdio::null()).status().unwrap().success()
}
