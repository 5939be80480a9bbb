//! One plan on several workers: every case once, each with its device, whatever
//! becomes of the workers.

use std::collections::BTreeSet;

use crate::support::Place;
use crate::support::builders::experiment;
use crate::support::workers::{
    OWN, all_gone, opening, options, own, processes, run, shell, signal, stored, wrongs,
};
use warpscope::experiment::{Experiment, Sizes};
use warpscope::results::record::{Name, Outcome, Record};
use warpscope::runner::scheduler::{self, Control, Ending, Event, SchedulerError};
use warpscope::runner::worker::{WorkerError, WorkerFailure};
use warpscope::units::BlockSize;

/// Eight groups of two cases.
fn sweep() -> Experiment {
    Experiment { sizes: Sizes::range(64, 8192, 2), ..experiment(&[8]) }
}

fn devices(records: &[Record]) -> BTreeSet<String> {
    records.iter().map(|record| record.device.id.clone()).collect()
}

fn names(ids: &[&str]) -> BTreeSet<String> {
    ids.iter().map(ToString::to_string).collect()
}

#[test]
fn every_case_runs_once_on_one_of_the_devices_and_says_which() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    let both = vec![own(0), own(1)];
    let (result, events) = run(&sweep(), &options(&path, both.clone()));
    assert_eq!(result.unwrap().verified, 16);
    let ready: Vec<(usize, &str)> = events
        .iter()
        .filter_map(|event| match event {
            Event::Ready { worker, of: 2, device } => Some((*worker, device.id.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        ready.iter().collect::<BTreeSet<_>>(),
        [&(0, "scripted-0"), &(1, "scripted-1")].into()
    );
    let records = stored(&path);
    assert_eq!(records.len(), 16);
    assert_eq!(devices(&records), names(&["scripted-0", "scripted-1"]));
    // The variants of a group are measured in turns, so on the same device.
    for n in sweep().sizes.values() {
        let of_n: Vec<Record> = records.iter().filter(|record| record.n == n).cloned().collect();
        assert_eq!((of_n.len(), devices(&of_n).len()), (2, 1), "n = {n}");
    }

    // Stored for any of the devices in use is stored.
    let before = std::fs::read(&path).unwrap();
    let (result, events) = run(&sweep(), &options(&path, both));
    assert_eq!(result.unwrap().from_store, 16);
    assert!(events.contains(&Event::Planned { cases: 16, stored: 16, skipped: 0 }));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    // On one of them alone, what the other one did is not.
    let (result, _) = run(&sweep(), &options(&path, vec![own(0)]));
    let here = records.iter().filter(|record| record.device.id == "scripted-0").count();
    assert_eq!(result.unwrap().from_store, here);
    assert_eq!(stored(&path).len(), 16 + 16 - here);
}

#[test]
fn a_case_goes_to_a_device_that_can_run_it() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    // 16384 private bins take 64 KiB, more than device 9 has.
    let big = experiment(&[8, 16_384]);
    let (result, _) = run(&big, &options(&path, vec![own(9), own(0)]));
    let tally = result.unwrap();
    assert_eq!((tally.verified, tally.skipped), (8, 0));
    let needs =
        |record: &&Record| record.variant == "shared" && record.case().int("bins") != Some(8);
    let records = stored(&path);
    assert!(records.iter().filter(needs).all(|record| record.device.id == "scripted-0"));
    // Where no device can, it is skipped with the reason, once.
    let (result, _) = run(&big, &options(&folder.path("b.jsonl"), vec![own(9), own(9)]));
    let tally = result.unwrap();
    assert_eq!((tally.verified, tally.skipped), (6, 2));
}

#[test]
fn the_cases_of_a_lost_worker_go_to_the_others() {
    let folder = Place::new();
    let (path, pids, mark) = (folder.path("a.jsonl"), folder.path("pids"), folder.path("mark"));
    // It can be started once and no more.
    let frail = shell(&format!(
        "mkdir '{}' || {{ echo the node is down >&2; exit 7; }}; echo $$ > '{}'; \
         exec {OWN} --device 1",
        mark.display(),
        pids.display()
    ));
    let mut killed = false;
    let mut events = Vec::new();
    let slow = Experiment { sizes: Sizes::range(64, 2048, 2), ..experiment(&[8, 6663]) };
    let result = scheduler::run(
        &slow,
        &options(&path, vec![own(0), frail]),
        &Control::new(),
        &mut |event| {
            let by_frail = matches!(&event, Event::Finished { record, .. }
                if record.device.id == "scripted-1");
            if by_frail && !killed {
                killed = signal(&processes(&pids)[0], "-KILL");
            }
            events.push(event);
        },
    );
    let tally = result.unwrap();
    assert!(killed);
    let records = stored(&path);
    assert_eq!(records.len(), 24, "every case has its record");
    let wrong = wrongs(&records);
    assert!(wrong.len() <= 1 && wrong.iter().all(|kind| *kind == "worker-died"), "{wrong:?}");
    assert_eq!((tally.ending, tally.verified + tally.failed), (Ending::Complete, 24));
    let lost = events.iter().find_map(|event| match event {
        Event::Lost { worker: 1, of: 2, reason } => Some(reason.clone()),
        _ => None,
    });
    // It may be that the other one was done before the last restart was given up.
    if let Some(reason) = lost {
        assert!(reason.contains("the node is down"), "{reason}");
    }
}

#[test]
fn when_no_worker_is_left_the_end_names_them_all() {
    let folder = Place::new();
    let hello = opening();
    let (hello, _) = hello.split_once("; read -r measure").unwrap();
    let dies = |word: &str, code: u8| shell(&format!("{hello}; echo {word} >&2; exit {code}"));
    let path = folder.path("a.jsonl");
    let (result, events) = run(&sweep(), &options(&path, vec![dies("alpha", 3), dies("omega", 4)]));
    let error = result.unwrap_err();
    assert!(matches!(error, SchedulerError::NoneLeft(_)), "{error:?}");
    let text = error.to_string();
    for part in ["alpha", "omega", "exit status: 3", "exit status: 4"] {
        assert!(text.contains(part), "{part} is missing from {text}");
    }
    assert!(events.iter().any(|event| matches!(event, Event::Lost { .. })), "the first is told");
    assert_eq!(stored(&path).len(), 0);
}

#[test]
fn a_refusal_says_which_worker_refuses() {
    let place = Place::new();
    let mut command = place
        .command("sweep histogram --backend emulator --variant global,shared -n 64 -o s.jsonl");
    let bound = format!("{OWN} --device 1");
    let ran: crate::support::Ran =
        command.args(["--worker", OWN, "--worker", &bound]).output().unwrap().into();
    let err = ran.fine().err;
    assert!(err.contains("worker 2 of 2 is lost") && err.contains("worker --device 1`: "), "{err}");
}

#[test]
fn a_command_that_does_not_work_is_told_and_the_others_go_on() {
    let place = Place::new();
    let mut command = place
        .command("sweep histogram --backend scripted --variant global,shared -n 64,128 -o s.jsonl");
    command.args(["--worker", "/no/such/ssh gpu01", "--worker", OWN]);
    let ran: crate::support::Ran = command.output().unwrap().into();
    let err = ran.fine().err;
    assert!(err.contains("worker 1 of 2 is lost") && err.contains("/no/such/ssh gpu01"), "{err}");
    assert!(err.contains("worker 2 of 2: times measured on Scripted GPU"), "{err}");
    assert!(err.contains("4 cases in "), "{err}");

    place.run("sweep histogram -n 64 -o s.jsonl --worker 'ssh").refused(&["unclosed quote"]);
}

#[test]
fn a_worker_that_every_case_dies_of_does_not_eat_the_sweep() {
    let folder = Place::new();
    let path = folder.path("a.jsonl");
    let black_hole = shell(&format!("{}; exit 9", opening().replace("scripted-0", "scripted-5")));
    let many = Experiment { sizes: Sizes::range(64, 65_536, 2), ..experiment(&[8, 6663]) };
    let (result, _) = run(&many, &options(&path, vec![black_hole, own(0)]));
    let tally = result.unwrap();
    let records = stored(&path);
    assert_eq!(records.len(), 44);
    assert!(tally.failed <= 3, "{tally:?}");
    let lost = |record: &&Record| record.outcome() == Outcome::Failed;
    assert!(records.iter().filter(lost).all(|record| record.device.id == "scripted-5"));
}

#[test]
fn workers_of_different_kinds_are_refused() {
    let folder = Place::new();
    let cuda = opening().replace(r#""backend":"scripted""#, r#""backend":"cuda""#);
    let options = options(&folder.path("a.jsonl"), vec![own(0), shell(&cuda)]);
    let error = run(&sweep(), &options).0.unwrap_err();
    assert!(matches!(error, SchedulerError::Mixed { .. }), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("scripted") && text.contains("cuda") && text.contains("--backend"));
}

#[test]
fn a_lone_worker_that_comes_back_with_another_backend_is_refused() {
    let folder = Place::new();
    let (hello, mark) = (opening(), folder.path("mark"));
    let (hello, _) = hello.split_once("; read -r measure").unwrap();
    let other = hello.replace(r#""backend":"scripted""#, r#""backend":"cuda""#);
    let script =
        format!("if mkdir '{}'; then {hello}; else {other}; cat >/dev/null; fi", mark.display());
    let options = options(&folder.path("a.jsonl"), vec![shell(&script)]);
    let error = run(&sweep(), &options).0.unwrap_err();
    assert!(
        matches!(
            error,
            SchedulerError::Worker(WorkerError {
                failure: WorkerFailure::BackendChanged { .. },
                ..
            })
        ),
        "{error:?}"
    );
}

#[test]
fn cancelling_ends_every_worker() {
    let folder = Place::new();
    let (path, pids) = (folder.path("a.jsonl"), folder.path("pids"));
    let workers: Vec<_> =
        (0..3).map(|_| shell(&format!("echo $$ >> '{}'; exec {OWN}", pids.display()))).collect();
    let control = Control::new();
    let stuck = Experiment { sizes: Sizes::range(64, 4096, 2), ..experiment(&[6673]) };
    let mut started = 0;
    let result = scheduler::run(&stuck, &options(&path, workers), &control, &mut |event| {
        if matches!(&event, Event::Started(case) if case.variant == "shared") {
            started += 1;
            if started == 3 {
                control.cancel();
            }
        }
    });
    assert_eq!(result.unwrap().ending, Ending::Cancelled);
    stored(&path);
    assert_eq!(processes(&pids).len(), 3);
    all_gone(&pids);
}

#[test]
fn several_devices_have_a_worker_each() {
    let place = Place::new();
    let sweep = "sweep histogram --backend scripted --variant global,shared -n 2^10..2^16 --device";
    let err = place.run(&format!("{sweep} 0,1 -o s.jsonl")).fine().err;
    assert!(err.contains("worker 1 of 2") && err.contains("worker 2 of 2"), "{err}");
    assert_eq!(devices(&stored(&place.path("s.jsonl"))), names(&["scripted-0", "scripted-1"]));
    let picture = place.run("plot s.jsonl -o s.svg");
    picture.fine();
    place.run(&format!("{sweep} 0,0 -o t.jsonl")).refused(&["given twice"]);
}

#[test]
fn threads_of_a_worker_change_no_result() {
    let place = Place::new();
    let block = BlockSize::new(64).unwrap();
    for (threads, file) in [("1", "a.jsonl"), ("2", "b.jsonl")] {
        let sweep = format!(
            "sweep histogram --backend emulator --variant global,shared --gpu T4 -n 2^10..2^12 --block {} -o {file}",
            block.get()
        );
        let worker = format!("{OWN} --threads {threads}");
        assert!(
            place.command(&sweep).args(["--worker", &worker]).output().unwrap().status.success()
        );
    }
    let untimed = |name: &str| -> Vec<Record> {
        let read = stored(&place.path(name)).into_iter();
        read.map(|record| Record { time: Name::default(), seconds_wall: None, ..record }).collect()
    };
    assert_eq!(untimed("a.jsonl"), untimed("b.jsonl"));
}
