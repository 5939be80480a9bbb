//! What the shipped lessons conclude about times, compared with the recordings of the H200
//! alone. Counters need the emulator: `warpscope learn --check` compares those too.

use std::collections::BTreeSet;
use std::path::Path;

use warpscope::algorithms;
use warpscope::lessons::grade::{hold, reached, truth};
use warpscope::lessons::value::{Missing, evaluate};
use warpscope::lessons::{Lesson, Results, Task, shelf};
use warpscope::results::store;

/// The recordings of the systems that a lesson uses.
fn recordings(lesson: &Lesson) -> Results {
    let systems: BTreeSet<&str> =
        lesson.experiments.values().map(|it| it.experiment.algorithm.as_str()).collect();
    let mut results = Results::default();
    for system in systems {
        let bytes = algorithms::find(system).unwrap().spec().recording;
        for record in store::parse(bytes, Path::new(system)).unwrap().records {
            results.add(Box::new(record));
        }
    }
    results
}

/// The value, or none if it needs counters, which a recording does not have.
fn timed<T>(result: Result<T, Missing>, what: &str) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Missing::Silent(_)) => None,
        Err(missing) => panic!("{what}: {missing}"),
    }
}

#[test]
fn conclusions_about_times_hold_in_the_recordings() {
    let (mut values, mut answers, mut changes) = (0, 0, 0);
    for lesson in shelf::all(None).unwrap() {
        let lesson = lesson.unwrap();
        let results = recordings(&lesson);
        let at = |what: &str| format!("{}, {what}", lesson.name);
        for (name, formula) in
            lesson.values.iter().filter(|(_, it)| lesson.experiments[&it.experiment].recorded)
        {
            let Some(value) = timed(evaluate(&lesson, name, &results), &at(name)) else { continue };
            let text = value.text(formula.unit());
            assert!(value.holds(&formula.claims), "{}: {text}", at(name));
            values += 1;
        }
        for step in &lesson.steps {
            if let Some(question) = step.task.question() {
                let truth = timed(truth(&lesson, question, &results), &at(&step.id));
                let Some((truth, expect)) = truth.zip(question.expect.as_ref()) else { continue };
                assert_eq!(truth.keys.first(), Some(expect), "{}: {}", at(&step.id), truth.text);
                answers += 1;
            }
            if let Task::Change(change) = &step.task {
                assert_eq!(hold(&lesson, &change.goal, &results), Ok(false), "{}", at(&step.id));
                let (axis, word) = &change.solution;
                let solved = reached(&lesson, change, (axis, word), &results);
                assert_eq!(solved, Ok(true), "{}: {axis} = {word}", at(&step.id));
                changes += 1;
            }
        }
    }
    assert!(values > 30 && answers > 30 && changes >= 10, "{values}, {answers}, {changes}");
}

#[test]
fn a_changed_conclusion_is_noticed() {
    let text = shelf::SHIPPED.iter().find(|it| it.name == "05-divergence").unwrap().text;
    assert!(text.contains("least = 1.6\nmost = 2.3"));
    let changed = text.replacen("least = 1.6\nmost = 2.3", "least = 4\nmost = 5", 1);
    let lesson = warpscope::lessons::read("05-divergence.toml", changed.as_bytes()).unwrap();
    let value = evaluate(&lesson, "ratio", &recordings(&lesson)).unwrap();
    assert!(!value.holds(&lesson.values["ratio"].claims), "{value:?}");
}
