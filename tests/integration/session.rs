//! Whole sessions with a real worker process on the scripted backend: exact
//! results, deaths, cancelling, pausing and resuming.

use crate::support::Place;
use crate::support::builders::{case, experiment};
use crate::support::workers::{self, behind, options, plain, shell, unstored};
use warpscope::algorithms;
use warpscope::backend::scripted;
use warpscope::experiment::{BackendChoice, Experiment, ParamValue, Stopping, Target};
use warpscope::results::record::{Name, Outcome, Provenance, Record};
use warpscope::results::store;
use warpscope::runner::scheduler::{
    self, Control, Ending, Event, Options, SchedulerError, Tally, WorkerSpec,
};
use warpscope::runner::worker::{WorkerError, WorkerFailure};
use warpscope::work::View;

fn run(experiment: &Experiment, options: &Options) -> (Tally, Vec<Event>) {
    let (tally, events) = workers::run(experiment, options);
    (tally.unwrap(), events)
}

fn finished(events: &[Event]) -> Vec<(&Record, bool)> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Finished { record, from_store, .. } => Some((&**record, *from_store)),
            _ => None,
        })
        .collect()
}

fn error(experiment: &Experiment, options: &Options) -> SchedulerError {
    scheduler::run(experiment, options, &Control::new(), &mut |_| ()).unwrap_err()
}

fn tally(verified: usize, wrong: usize, skipped: usize, from_store: usize) -> Tally {
    Tally { ending: Ending::Complete, verified, wrong, failed: 0, skipped, from_store }
}

#[test]
fn a_session_reports_and_stores_every_case_in_order() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    let (result, events) = run(&experiment(&[8, 65_536]), &options(&path, vec![plain()]));
    assert_eq!(result, tally(6, 0, 2, 0));

    assert!(
        matches!(&events[0], Event::Ready { worker: 0, of: 1, device } if device.backend == "scripted")
    );
    assert_eq!(events[1], Event::Planned { cases: 8, stored: 0, skipped: 2 });
    let words: Vec<String> = events[2..]
        .iter()
        .map(|event| match event {
            Event::Started(case) => format!("start {} {}", case.variant, case.n),
            Event::Finished { record, view, .. } => {
                let counted = match view {
                    Some(View::Bins(bins)) => bins.total.to_string(),
                    Some(view) => panic!("{view:?}"),
                    None => "-".to_owned(),
                };
                format!("end {} {} {counted}", record.variant, record.n)
            }
            event => panic!("{event:?}"),
        })
        .collect();
    assert_eq!(
        words[..7],
        [
            "start global 64",
            "start shared 64",
            "end global 64 64",
            "end shared 64 64",
            "end shared 64 -", // the skip: 65,536 private bins
            "start global 64",
            "end global 64 64",
        ]
    );

    let stored = store::read(&path).unwrap();
    let reported = finished(&events);
    assert_eq!(stored.len(), 8);
    for (stored, (reported, from_store)) in stored.iter().zip(reported) {
        assert!(!from_store);
        let read_back = Record { provenance: Provenance::Recorded, ..reported.clone() };
        assert_eq!(*stored, read_back);
    }
}

#[test]
fn what_is_stored_is_not_run_again() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    run(&experiment(&[8]), &options(&path, vec![plain()]));
    let before = std::fs::read(&path).unwrap();
    let (result, events) = run(&experiment(&[8]), &options(&path, vec![plain()]));
    assert_eq!(result, tally(4, 0, 0, 4));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!events.iter().any(|event| matches!(event, Event::Started(_))));

    // A wider experiment runs what is new, another seed everything.
    let (result, _) = run(&experiment(&[8, 256]), &options(&path, vec![plain()]));
    assert_eq!(result, tally(8, 0, 0, 4));
    let other = Experiment { seed: 8, ..experiment(&[8]) };
    assert_eq!(run(&other, &options(&path, vec![plain()])).0, tally(4, 0, 0, 0));
}

#[test]
fn the_same_experiment_gives_the_same_records() {
    let records = || -> Vec<Record> {
        let (_, events) = run(&experiment(&[8]), &unstored(plain()));
        let untimed =
            |(record, _): (&Record, _)| Record { time: Name::default(), ..record.clone() };
        finished(&events).into_iter().map(untimed).collect()
    };
    assert_eq!(records(), records());
}

#[test]
fn a_worker_that_dies_costs_one_case_and_is_tried_again_later() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    let dies = experiment(&[8, scripted::DIES, 16]);
    let (result, events) = run(&dies, &options(&path, vec![plain()]));
    assert_eq!(result, Tally { failed: 2, ..tally(10, 0, 0, 0) });
    let wrong: Vec<&Record> = finished(&events)
        .into_iter()
        .map(|(record, _)| record)
        .filter(|record| record.outcome() == Outcome::Failed)
        .collect();
    for record in &wrong {
        assert_eq!(record.variant, "shared");
        let wrong = record.wrong.as_ref().unwrap();
        assert_eq!(wrong.kind, "worker-died");
        assert!(wrong.message.contains("SIGABRT"), "{}", wrong.message);
    }
    // The death may have been an accident, so a continued session tries again.
    let (result, events) = run(&dies, &options(&path, vec![plain()]));
    assert_eq!(result, Tally { failed: 2, ..tally(10, 0, 0, 10) });
    let again = events.iter().filter(|event| matches!(event, Event::Started(_))).count();
    assert_eq!(again, 2);
}

#[test]
fn a_lost_device_and_a_trap_cost_one_case_each() {
    let (result, events) = run(
        &experiment(&[scripted::LOST, scripted::TRAP, scripted::WRONG, scripted::FULL]),
        &unstored(plain()),
    );
    assert_eq!(result, tally(8, 6, 2, 0));
    let kinds: Vec<&str> = finished(&events)
        .into_iter()
        .filter_map(|(record, _)| record.wrong.as_ref())
        .map(|wrong| wrong.kind.as_str())
        .collect();
    let each = ["device-fault", "out-of-bounds", "wrong-answer"];
    assert_eq!(kinds, [each, each].concat());
}

/// A stopping rule that takes far longer than any test waits.
fn endless(bins: &[u64]) -> Experiment {
    let stopping = Stopping {
        least_samples: 1_000_000,
        most_samples: 1_000_000,
        limit_seconds: 1e9,
        ..Stopping::default()
    };
    Experiment { stopping, ..experiment(bins) }
}

#[test]
fn killing_the_worker_in_the_middle_of_a_case_costs_that_case() {
    let folder = Place::new();
    let pid_file = folder.path("pid");
    let worker = behind(&format!("echo $$ > '{}'", pid_file.display()));
    let slow = Experiment { variants: vec!["shared".to_owned()], ..endless(&[scripted::SLOW]) };
    let mut ended = Vec::new();
    let tally =
        scheduler::run(&slow, &unstored(worker), &Control::new(), &mut |event| match event {
            Event::Started(_) => {
                let pid = std::fs::read_to_string(&pid_file).unwrap();
                let kill = std::process::Command::new("kill").args(["-9", pid.trim()]).status();
                assert!(kill.unwrap().success());
            }
            Event::Finished { record, .. } => ended.push(record.wrong.unwrap()),
            _ => {}
        });
    assert_eq!(tally.unwrap(), Tally { failed: 2, ..self::tally(0, 0, 0, 0) });
    for wrong in &ended {
        assert_eq!(wrong.kind, "worker-died");
        assert!(wrong.message.contains("SIGKILL"), "{}", wrong.message);
    }
}

#[test]
fn cancelling_drops_the_running_case_and_keeps_the_others() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    run(&experiment(&[8]), &options(&path, vec![plain()]));
    let control = Control::new();
    let canceller = control.clone();
    let mut threads = Vec::new();
    let result = scheduler::run(
        &endless(&[8, scripted::SLOW]),
        &options(&path, vec![plain()]),
        &control,
        &mut |event| {
            if matches!(&event, Event::Started(case) if case.int("bins") == Some(scripted::SLOW)) {
                let canceller = canceller.clone();
                threads.push(std::thread::spawn(move || canceller.cancel()));
            }
        },
    );
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(result.unwrap(), Tally { ending: Ending::Cancelled, ..tally(2, 0, 0, 2) });
    // And what was stored can be continued.
    let (result, _) = run(&experiment(&[8, 16]), &options(&path, vec![plain()]));
    assert_eq!(result, tally(8, 0, 0, 4));
}

#[test]
fn a_paused_session_waits_and_goes_on() {
    let control = Control::new();
    control.pause(true);
    let other = control.clone();
    let mut events = Vec::new();
    let mut threads = Vec::new();
    let result = scheduler::run(&experiment(&[8]), &unstored(plain()), &control, &mut |event| {
        if event == Event::Paused(true) {
            let other = other.clone();
            threads.push(std::thread::spawn(move || other.pause(false)));
        }
        events.push(event);
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(result.unwrap(), tally(4, 0, 0, 0));
    let at = |wanted: &Event| events.iter().position(|event| event == wanted).unwrap();
    assert_eq!(at(&Event::Paused(true)) + 1, at(&Event::Paused(false)));
    assert!(matches!(events[at(&Event::Paused(false)) + 1], Event::Started(_)));
}

#[test]
fn what_is_left_is_planned_anew_and_what_ended_stays() {
    let folder = Place::new();
    let file = folder.path("h.jsonl");
    let options = options(&file, vec![plain()]);
    let control = Control::new();
    let steer = control.clone();
    let mut events = Vec::new();
    // After the first case other bins are asked for, and half of the same ones.
    let tally = scheduler::run(&experiment(&[8, 16]), &options, &control, &mut |event| {
        if matches!(event, Event::Finished { .. }) && finished(&events).is_empty() {
            steer.replan(experiment(&[16, 32]));
        }
        if !matches!(event, Event::Ready { .. } | Event::Planned { .. }) {
            events.push(event);
        }
    });
    let bins = |record: &Record| record.case().int("bins").unwrap();
    let seen: Vec<(u64, u64)> =
        finished(&events).iter().map(|(record, _)| (bins(record), record.n)).collect();
    let count = |bins: u64| seen.iter().filter(|(found, _)| *found == bins).count();
    // Both variants of a case run in turns, and what has begun ends.
    assert_eq!((count(8), count(16), count(32)), (2, 4, 4), "{seen:?}");
    assert_eq!(tally.unwrap().verified, 10);
    let replanned = events.iter().find_map(|event| match event {
        Event::Replanned { cases, left } => Some((*cases, left.len())),
        _ => None,
    });
    assert_eq!(replanned, Some((10, 8)));
    assert_eq!(store::read(&file).unwrap().len(), 10, "all of it is stored");
}

#[test]
fn another_algorithm_does_not_change_a_session() {
    let control = Control::new();
    control.replan(Experiment { algorithm: "scan".to_owned(), ..experiment(&[8]) });
    let options = unstored(plain());
    let tally = scheduler::run(&experiment(&[8]), &options, &control, &mut |_| ());
    assert_eq!(tally.unwrap().verified, 4);
}

#[test]
fn a_paused_session_can_be_cancelled() {
    let control = Control::new();
    control.pause(true);
    let other = control.clone();
    let mut threads = Vec::new();
    let result = scheduler::run(&experiment(&[8]), &unstored(plain()), &control, &mut |event| {
        if event == Event::Paused(true) {
            let other = other.clone();
            threads.push(std::thread::spawn(move || other.cancel()));
        }
    });
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(result.unwrap(), Tally { ending: Ending::Cancelled, ..tally(0, 0, 0, 0) });
}

#[test]
fn a_worker_that_never_answers_can_be_cancelled() {
    let control = Control::new();
    let other = control.clone();
    let canceller = std::thread::spawn(move || other.cancel());
    let deaf = WorkerSpec::command(["sleep", "1000"]);
    let result = scheduler::run(&experiment(&[8]), &unstored(deaf), &control, &mut |_| ()).unwrap();
    canceller.join().unwrap();
    assert_eq!(result.ending, Ending::Cancelled);
}

#[test]
fn what_does_not_exist_is_refused_before_anything_is_made() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    let bad = Experiment { algorithm: "histogran".to_owned(), ..experiment(&[8]) };
    let nobody = WorkerSpec::command(["/no/such/program"]);
    let refused = error(&bad, &options(&path, vec![nobody]));
    assert!(matches!(refused, SchedulerError::Plan(_)), "{refused:?}");
    assert!(!path.exists());
}

#[test]
fn workers_that_do_not_work_are_errors_that_name_them() {
    let told = |worker: WorkerSpec| {
        let error = error(&experiment(&[8]), &unstored(worker));
        (error.to_string(), error)
    };

    let (text, error) = told(WorkerSpec::command(["/no/such/program"]));
    assert!(matches!(
        error,
        SchedulerError::Worker(WorkerError { failure: WorkerFailure::Start(_), .. })
    ));
    assert!(text.contains("/no/such/program"));
    assert!(matches!(
        told(WorkerSpec::command::<String>([])).1,
        SchedulerError::Worker(WorkerError { failure: WorkerFailure::NoCommand, .. })
    ));

    let (text, _) = told(shell("echo no GPU today >&2; exit 3"));
    assert!(text.contains("exit status: 3") && text.contains("no GPU today"), "{text}");

    let (text, error) = told(shell("echo '{\"reply\":\"sing\"}'; cat"));
    assert!(matches!(
        error,
        SchedulerError::Worker(WorkerError { failure: WorkerFailure::InvalidReply(_), .. })
    ));
    assert!(text.contains("sing"));

    let golden = include_str!("../golden/protocol.jsonl");
    let hello = golden.lines().find(|line| line.contains("\"hello\"")).unwrap();
    let newer = hello.replace("\"protocol\":1", "\"protocol\":2");
    let (text, error) = told(shell(&format!("echo '{newer}'; cat > /dev/null")));
    assert!(
        matches!(
            error,
            SchedulerError::Worker(WorkerError { failure: WorkerFailure::Version { .. }, .. })
        ),
        "{text}"
    );
    assert!(text.contains("protocol 2") && text.contains("the same version"), "{text}");

    let voodoo = Target {
        backend: BackendChoice::Emulator,
        gpu: Some("Voodoo".to_owned()),
        ..Target::default()
    };
    let unknown = Experiment { target: voodoo, ..experiment(&[8]) };
    let text = self::error(&unknown, &unstored(plain())).to_string();
    assert!(text.contains("Voodoo"), "{text}");
}

#[test]
fn a_remote_shell_may_greet() {
    let greeting = behind("echo 'Welcome to gpu01'; echo");
    assert_eq!(run(&experiment(&[8]), &unstored(greeting)).0, tally(4, 0, 0, 0));
}

#[test]
fn a_worker_ends_at_once_when_its_input_closes() {
    use std::io::{BufRead, BufReader, Write};
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_warpscope"))
        .arg("worker")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let slow = endless(&[scripted::SLOW]);
    let histogram = algorithms::find("histogram").unwrap();
    let mut case = case(histogram, "shared", 10, 32, 1);
    case.params.insert("bins".to_owned(), ParamValue::Int(scripted::SLOW));
    let open = serde_json::json!({
        "request": "open", "protocol": 1, "program": "test", "target": slow.target,
    });
    let measure = serde_json::json!({
        "request": "measure", "cases": [case], "stopping": slow.stopping,
    });
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{open}\n{measure}").unwrap();
    let mut replies = BufReader::new(child.stdout.take().unwrap()).lines();
    // It is in the middle of a case that has no end.
    assert!(replies.next().unwrap().unwrap().contains("hello"));
    assert!(replies.next().unwrap().unwrap().contains("\"at\""));
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

/// Ctrl-C reaches the whole foreground group; the worker must not be in it.
#[cfg(target_os = "linux")]
#[test]
fn a_worker_has_a_process_group_of_its_own() {
    let folder = Place::new();
    let file = folder.path("stat");
    let worker = behind(&format!("cat /proc/$$/stat > '{}'", file.display()));
    run(&experiment(&[8]), &unstored(worker));
    let stat = std::fs::read_to_string(file).unwrap();
    let fields: Vec<&str> = stat.split_whitespace().collect();
    let (pid, group) = (fields[0], fields[4]);
    assert_eq!(pid, group);
}
