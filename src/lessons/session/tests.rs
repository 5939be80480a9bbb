use super::*;
use crate::lessons::read;
use crate::results::record::{Counter, DeviceRecord, Provenance, Summary};

const SMALL: &str = include_str!("../../../tests/data/lessons/small.toml");

fn session() -> Session {
    Session::new(read("small.toml", SMALL.as_bytes()).unwrap())
}

fn now(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn choice(key: &str) -> Answer {
    Answer::Choice(key.to_owned())
}

fn record(case: &Case, seconds: f64) -> Box<Record> {
    let mut record = Record::new(case, DeviceRecord::default(), "emulator", Provenance::Modelled);
    record.seconds = Some(Summary::of(seconds));
    record.verified = Some(true);
    Box::new(record)
}

/// Adds results of an experiment: `global` takes `global(n)` seconds, `shared` 1.
fn run(session: &mut Session, experiment: &str, global: impl Fn(&Case) -> f64) {
    for case in session.lesson().experiments[experiment].cases.clone() {
        let seconds = if case.variant == "global" { global(&case) } else { 1.0 };
        session.add(record(&case, seconds));
    }
}

fn go_to(session: &mut Session, id: &str) {
    while session.step().unwrap().id != id {
        session.forward().unwrap();
    }
}

fn predict_all(session: &mut Session) {
    for key in ["2x", "64/1", "4000"] {
        session.answer(choice(key), Some(2), now(0)).unwrap();
        session.forward().unwrap();
    }
    let drawn = Answer::Curve(vec![(1024, 1.0), (4096, 3.0)]);
    session.answer(drawn, Some(1), now(0)).unwrap();
}

#[test]
fn a_prediction_is_locked_and_time_stamped() {
    let mut session = session();
    assert!(matches!(session.forward(), Err(Refused::NotDone(_))));
    assert_eq!(session.answer(choice("2x"), None, now(0)), Err(Refused::Confidence));
    let misfit = session.answer(choice("3x"), Some(1), now(0)).unwrap_err().to_string();
    assert!(misfit.contains("`3x`") && misfit.contains("slower"), "{misfit}");
    assert_eq!(session.answer(choice("5x"), Some(3), now(7)), Ok(None));
    let locked = session.answer(choice("2x"), Some(1), now(8)).unwrap_err();
    assert_eq!(locked.to_string(), "the answer is locked since 2027-01-15T08:00:07Z");
    session.forward().unwrap();
    session.back();
    assert!(session.is_locked("factor"));
    assert_eq!(session.answers("factor")[0].answer, choice("5x"));
    assert!(!session.is_revealed("factor"), "nothing has run");
    assert_eq!(session.mark("factor"), None);
}

#[test]
fn predictions_are_graded_by_the_results() {
    let mut session = session();
    predict_all(&mut session);
    session.forward().unwrap();
    assert!(session.left().unwrap().contains("4 cases"), "{:?}", session.left());
    run(&mut session, "two", |case| if case.n == 4096 { 6.0 } else { 1.0 });
    assert_eq!(session.left(), None);
    assert!(session.is_revealed("factor"));
    // 6 is nearest to 5; 2 is the bucket beside it.
    assert_eq!(session.truth("factor").unwrap().unwrap().text, "5× (6.00×)");
    assert_eq!(session.mark("factor"), Some(Mark::Near));
    // 3 is within a factor of 2 of 6, and 1 is right.
    assert_eq!(session.mark("draw"), Some(Mark::Right));
    run(&mut session, "two", |case| if case.n == 4096 { 60.0 } else { 9.0 });
    assert_eq!(session.mark("factor"), Some(Mark::Wrong));
    assert_eq!(session.mark("draw"), Some(Mark::Wrong));
    run(
        &mut session,
        "cells",
        |case| if case.block == 64 { 1.02 } else { f64::from(case.coarsen) },
    );
    // 128/1 is the best; 64/1 takes 2 % longer.
    let truth = session.truth("cell").unwrap().unwrap();
    assert_eq!(truth.keys, ["128/1", "64/1", "64/4"]);
    assert_eq!(session.mark("cell"), Some(Mark::Right));
    assert_eq!(session.mark("lanes"), None, "nothing was counted");
    let case = session.lesson().experiments["two"].cases[2].clone();
    assert_eq!(session.uncounted(), [&case]);
    let mut counted = record(&case, 1.0);
    counted.counters = [(Counter::GlobalAtomicLanes, 4000)].into_iter().collect();
    let model = r#"{"bound_by":"dram","parts":{},"occupancy":1.0,"occupancy_limit":"warps"}"#;
    counted.model = Some(serde_json::from_str(model).unwrap());
    session.count(counted);
    assert_eq!(session.mark("lanes"), Some(Mark::Right));
    assert!(session.uncounted().is_empty());
}

#[test]
fn observations_can_be_tried_again_until_they_are_right() {
    let mut session = session();
    predict_all(&mut session);
    for experiment in ["two", "one", "cells"] {
        run(&mut session, experiment, |_| 1.0);
    }
    go_to(&mut session, "seen");
    assert!(session.forward().is_err());
    assert_eq!(session.answer(choice("faster"), None, now(1)), Ok(Some(Mark::Wrong)));
    assert_eq!(session.answer(choice("same"), None, now(2)), Ok(Some(Mark::Right)));
    assert!(matches!(session.answer(choice("same"), None, now(3)), Err(Refused::Locked(_))));
    assert_eq!(session.answers("seen").len(), 2);
    // On another GPU neither option may hold: then the student is not stuck.
    run(&mut session, "two", |_| 0.1);
    assert_eq!(session.truth("seen").unwrap().unwrap().text, "none of these");
    assert_eq!(session.mark("seen"), Some(Mark::Wrong));
    run(&mut session, "two", |_| 1.0);
    session.forward().unwrap();
    // No counters: no cause, and no typed-in answer either.
    let refused = session.answer(choice("launches"), None, now(3)).unwrap_err().to_string();
    assert!(refused.contains("has no counters"), "{refused}");
}

#[test]
fn a_change_flips_the_conclusion() {
    let mut session = session();
    predict_all(&mut session);
    for experiment in ["two", "one", "cells"] {
        run(&mut session, experiment, |_| 1.0);
    }
    session.at = session.lesson.step("change").unwrap().0;
    let change = |value: &str| Answer::Change { axis: "bins".to_owned(), value: value.to_owned() };
    let unoffered = session.answer(change("16"), None, now(0)).unwrap_err().to_string();
    assert!(unoffered.contains("bins cannot be 16 here; use 8, 256"), "{unoffered}");
    let missing = session.answer(change("256"), None, now(0)).unwrap_err().to_string();
    assert!(missing.contains("has not run"), "{missing}");
    let Task::Change(step) = &session.lesson.steps[session.at].task else { panic!() };
    let trial = &session.lesson.experiments["one"];
    let cases = |value: &str| step.applied(trial, "bins", value).unwrap().cases;
    for (value, seconds) in [("8", 1.0), ("256", 1.5)] {
        for case in cases(value) {
            let seconds = if case.variant == "global" { seconds } else { 1.0 };
            session.results.add(record(&case, seconds));
        }
    }
    assert_eq!(session.answer(change("8"), None, now(1)), Ok(Some(Mark::Wrong)));
    assert_eq!(session.answer(change("256"), None, now(2)), Ok(Some(Mark::Right)));
}

#[test]
fn hints_stay_readable() {
    let text =
        SMALL.replacen("id = \"factor\"", "id = \"factor\"\nhints = [\"a\", \"b\", \"c\"]", 1);
    let mut session = Session::new(read("small.toml", text.as_bytes()).unwrap());
    assert!(session.hints("factor").is_empty());
    let shown = [session.hint().cloned(), session.hint().cloned()];
    assert_eq!(session.hints("factor"), shown.map(Option::unwrap));
    assert!(session.hint().is_some() && session.hint().is_none());
    assert_eq!(session.hints("factor").len(), 3);
}

#[test]
fn a_session_resumes_where_it_was_left() {
    let mut before = session();
    before.answer(choice("5x"), Some(3), now(7)).unwrap();
    before.forward().unwrap();
    let progress = before.progress();
    let (after, notes) = Session::resume(session().lesson, &progress);
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(after, before);
    let changed = SMALL.replace("id = \"factor\"", "id = \"other\"");
    let lesson = read("small.toml", changed.as_bytes()).unwrap();
    let (after, notes) = Session::resume(lesson, &progress);
    assert_eq!((after.at(), after.answers("other").len()), (1, 0));
    assert!(notes[0].contains("`factor`"), "{notes:?}");
}

#[test]
fn a_kernel_must_be_right_and_fast() {
    let mut tried = KernelTry {
        name: "mine".to_owned(),
        findings: Vec::new(),
        seconds: Some(2.0),
        built_in: 10.0,
    };
    assert_eq!(tried.mark(5.0), Mark::Right);
    assert_eq!(tried.mark(5.1), Mark::Near);
    tried.findings.push("race".to_owned());
    assert_eq!(tried.mark(5.0), Mark::Wrong);
}
