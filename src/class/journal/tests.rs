use super::*;
use crate::class::question::Answers;
use crate::class::room::{Command, Phase};
use crate::class::vote::{Answer, Vote};

fn opened() -> Opened {
    let choices = ["global", "shared"].map(str::to_owned).to_vec();
    let question = Question {
        id: "one".to_owned(),
        text: "Which one?".to_owned(),
        answers: Answers::Choice(choices),
        experiment: None,
        seen: false,
        context: Vec::new(),
    };
    Opened {
        schema: SCHEMA,
        time: "2026-11-23T08:00:00Z".to_owned(),
        lesson: "01".to_owned(),
        title: "Histogram".to_owned(),
        code: "ABCD".to_owned(),
        questions: vec![question],
    }
}

/// A class with a vote, as it is in memory, and its file.
fn class(path: &Path) -> Class {
    let mut journal = Journal::create(path, &opened()).unwrap();
    let opened = opened();
    let mut class = Class::new(opened.title, opened.code, opened.questions, 200);
    let vote = Vote { answer: Answer::Choice(1), confidence: 3 };
    let joined = Event::Joined { token: "t".to_owned(), seat: None, name: None };
    let asked = Event::Moved { question: 0, phase: Phase::First };
    let voted = Event::Voted { seat: 0, question: 0, round: 0, vote };
    for event in [joined, asked, voted] {
        journal.add("2026-11-23T08:01:00Z", &event).unwrap();
        assert!(class.apply(&event));
    }
    class
}

#[test]
fn a_class_comes_back_as_it_was_without_what_a_crash_tore_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("2026-11-23_080000_01.class.jsonl");
    let before = class(&path);
    let torn = std::fs::read_to_string(&path).unwrap() + "{\"time\":\"2026-11-23T08";
    std::fs::write(&path, torn).unwrap();
    let (mut journal, opened_again, mut again) = Journal::resume(&path, 200).unwrap();
    assert_eq!((&opened_again, &again), (&opened(), &before));
    assert!(matches!(Journal::resume(&path, 200), Err(JournalError::Locked(_))));
    // It goes on behind what was there.
    let closed = again.teach(Command::Vote).unwrap();
    journal.add("2026-11-23T08:02:00Z", &closed).unwrap();
    assert!(again.apply(&closed));
    drop(journal);
    assert_eq!(Journal::resume(&path, 200).unwrap().2, again);
}

#[test]
fn a_class_that_ended_or_is_of_another_lesson_is_not_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(format!("{name}{ENDING}"));
    assert_eq!(unfinished(folder.path(), "01").unwrap(), None);
    class(&path("2026-11-22_1"));
    class(&path("2026-11-23_1"));
    std::fs::write(path("2026-11-24_x"), "nonsense\n").unwrap();
    assert_eq!(unfinished(folder.path(), "01").unwrap(), Some(path("2026-11-23_1")));
    assert_eq!(unfinished(folder.path(), "02").unwrap(), None);
    let (mut journal, ..) = Journal::resume(&path("2026-11-23_1"), 200).unwrap();
    journal.add("2026-11-23T09:00:00Z", &Event::Ended).unwrap();
    drop(journal);
    assert_eq!(unfinished(folder.path(), "01").unwrap(), Some(path("2026-11-22_1")));
}

#[test]
fn a_damaged_file_names_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.class.jsonl");
    let error = |text: &str| {
        std::fs::write(&path, text).unwrap();
        Journal::resume(&path, 200).unwrap_err().to_string()
    };
    assert!(error("").contains(":1: the file is empty"));
    assert!(error("{}\n").contains(":1: not the file of a class"));
    let first = serde_json::to_string(&opened()).unwrap();
    let newer = first.replace("\"schema\":1", "\"schema\":9");
    assert!(error(&(newer + "\n")).contains(":1: schema 9"));
    assert!(error(&format!("{first}\n\u{1b}[2J\n")).contains(":2: "));
    let vote = "{\"time\":\"t\",\"event\":{\"voted\":{\"seat\":5,\"question\":0,\"round\":0,\
        \"vote\":{\"answer\":{\"choice\":0},\"confidence\":1}}}}";
    assert!(error(&format!("{first}\n{vote}\n")).contains(":2: an event that cannot happen"));
}
