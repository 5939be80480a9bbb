use super::*;
use crate::class::journal::SCHEMA;
use crate::class::room::{Event, Phase};
use crate::class::vote::Vote;

fn class(names: &[&str]) -> (Opened, Class) {
    let texts = |of: &[&str]| of.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let question = |id: &str, answers| Question {
        id: id.to_owned(),
        context: vec!["First <b>some</b> words.".to_owned()],
        text: "Which one?".to_owned(),
        answers,
        experiment: None,
        seen: false,
    };
    let grid = Grid {
        across: "n".to_owned(),
        sizes: texts(&["2^10", "2^20"]),
        up: "time".to_owned(),
        heights: texts(&["1 µs", "10 µs"]),
    };
    let questions = vec![
        question("one", Answers::Choice(texts(&["global", "=cmd|' /C calc'!A0"]))),
        question("two", Answers::Curve(grid)),
        question("three", Answers::Choice(texts(&["a", "b"]))),
    ];
    let opened = Opened {
        schema: SCHEMA,
        time: "2026-11-23T08:00:00Z".to_owned(),
        lesson: "01".to_owned(),
        title: "Histogram & <script>alert(1)</script>".to_owned(),
        code: "ABCD".to_owned(),
        questions: questions.clone(),
    };
    let mut class = Class::new(opened.title.clone(), "ABCD".to_owned(), questions, 200);
    let name = |index: usize| names.get(index).map(|it| (*it).to_owned());
    let joined =
        |index: usize| Event::Joined { token: index.to_string(), seat: None, name: name(index) };
    let vote = |seat, question, round, answer| Event::Voted {
        seat,
        question,
        round,
        vote: Vote { answer, confidence: 3 },
    };
    let shown = Shown {
        headline: "61x faster".to_owned(),
        explanation: vec!["Because of <i>atomics</i>: `shared` loads.".to_owned()],
        right: Some(1),
        chart: "<svg><script>alert(2)</script></svg>".to_owned(),
        caption: "Time by n".to_owned(),
    };
    for event in [
        joined(0),
        joined(1),
        Event::Moved { question: 0, phase: Phase::Explain },
        vote(0, 0, 0, Answer::Choice(0)),
        vote(1, 0, 0, Answer::Choice(1)),
        vote(0, 0, 1, Answer::Choice(1)),
        vote(0, 1, 0, Answer::Curve(vec![0, 1])),
        Event::Shown { question: 0, answer: Box::new(shown) },
    ] {
        assert!(class.apply(&event));
    }
    (opened, class)
}

#[test]
fn the_page_has_both_distributions_and_escapes_everything() {
    let (opened, class) = class(&["Ann", "Ben"]);
    let page = html(&opened, &class);
    for part in [
        "Histogram &amp; &lt;script&gt;",
        "2 students",
        "1 (50 %): 1 sure, 0 fairly sure, 0 guesses",
        "1 (100 %): 1 sure",
        "✓ (right)",
        "&lt;i&gt;atomics&lt;/i&gt;",
        "data:image/svg+xml;base64,",
        "1 of 3 questions were not asked.",
        "First vote: 1 curves, median 2^10: 1 µs, 2^20: 10 µs",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    assert!(!page.contains("<script>") && !page.contains("Ann"), "{page}");
    assert!(!page.contains("Question 3"));
    assert!(page.contains("<code>shared</code> loads") && !page.contains('`'), "{page}");
}

#[test]
fn the_table_has_a_row_per_vote_and_no_formula() {
    let (_, class) = class(&["=HYPERLINK(\"x\")", "Ben"]);
    let table = String::from_utf8(csv(&class, false).unwrap()).unwrap();
    assert_eq!(
        table,
        "question,id,round,seat,answer,text,confidence\n\
         1,one,1,1,1,global,3\n\
         1,one,1,2,2,'=cmd|' /C calc'!A0,3\n\
         1,one,2,1,2,'=cmd|' /C calc'!A0,3\n\
         2,two,1,1,1 2,2^10: 1 µs; 2^20: 10 µs,3\n"
    );
    let named = String::from_utf8(csv(&class, true).unwrap()).unwrap();
    assert!(
        named.contains(",3,\"'=HYPERLINK(\"\"x\"\")\"\n") && named.contains(",3,Ben\n"),
        "{named}"
    );
}
