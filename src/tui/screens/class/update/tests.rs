use std::time::Duration;

use crossterm::event::{Event as Input, KeyCode, KeyEvent, KeyModifiers};

use super::*;
use crate::class::{Answers, Command as Do, Grid, Phase, Question, Tally};
use crate::runner::scheduler::{Ending, Event, Tally as Ended};
use crate::tui::app::action::Action;
use crate::tui::app::keys;
use crate::tui::app::update::update;
use crate::tui::app::view::tests::text;
use crate::tui::fixture::{PLAIN, model, recorded, report};
use crate::tui::widgets::ui::Drawn;

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(|it| (*it).to_owned()).collect()
}

fn question() -> Question {
    Question {
        id: "large".to_owned(),
        context: texts(&["Both kernels count values."]),
        text: "How many times as fast is `shared` at n = 2^22?".to_owned(),
        answers: Answers::Choice(texts(&["as fast", "10×", "100×\u{1b}[2J"])),
        experiment: Some(Experiment::default()),
        seen: false,
    }
}

fn grid() -> Grid {
    let heights = (0..9).map(|at| format!("{at} µs")).collect();
    let sizes = texts(&["2^10", "2^14", "2^18", "2^22"]);
    Grid { across: "n".to_owned(), sizes, up: "time".to_owned(), heights }
}

/// The class in a phase of its first question.
fn overview(phase: Phase) -> Overview {
    let counts = |of: [u32; 3]| Tally::Choice(of.map(|it| [0, it, 0]).to_vec());
    Overview {
        title: "Shared memory".to_owned(),
        code: "ABCD".to_owned(),
        at: Some(0),
        of: 3,
        question: Some(question()),
        phase,
        seats: 31,
        online: 30,
        voted: 12,
        tallies: phase.is_revealed().then(|| [counts([10, 15, 6]), counts([1, 8, 22])]),
        ended: false,
    }
}

fn tell(model: &mut Model, overview: Overview) -> Vec<Effect> {
    update(model, Action::Class(News::Class(Box::new(overview))), Duration::from_secs(1))
}

fn press(model: &mut Model, code: KeyCode) -> Vec<Effect> {
    let key = Input::Key(KeyEvent::new(code, KeyModifiers::NONE));
    let action = keys::action(&key, model, &Drawn::default()).unwrap();
    update(model, action, Duration::from_secs(1))
}

/// A teacher's screen in the lobby.
fn desk() -> Model {
    let mut model = model(PLAIN);
    let pages = texts(&["http://192.168.1.5:7310/"]);
    let qr = crate::class::address::Qr::of("http://192.168.1.5:7310/#ABCD");
    let overview = Overview { at: None, question: None, ..overview(Phase::Ask) };
    open(&mut model, Desk { overview, pages, qr, reach: "Open.".to_owned(), ..Desk::default() });
    model
}

/// The replay that a reveal starts, up to its end.
fn replayed(model: &mut Model) -> Vec<Effect> {
    for (variant, n) in
        [("global", 1 << 20), ("shared", 1 << 20), ("global", 1 << 22), ("shared", 1 << 22)]
    {
        let record = Box::new(recorded(variant, n));
        report(model, Event::Finished { record, view: None, from_store: true }, 2.0);
    }
    let tally = Ended {
        ending: Ending::Complete,
        verified: 4,
        wrong: 0,
        failed: 0,
        skipped: 0,
        from_store: 0,
    };
    let ended = Action::Ended { run: model.run_id, tally: Ok(tally) };
    update(model, ended, Duration::from_secs(3))
}

#[test]
fn address_and_code_are_there_for_those_who_come() {
    let mut model = desk();
    insta::assert_snapshot!("class_lobby_80x24", text(&model, 80, 24));
    tell(&mut model, overview(Phase::First));
    assert!(!text(&model, 120, 40).contains("192.168.1.5"));
    press(&mut model, KeyCode::Char('a'));
    assert!(text(&model, 120, 40).contains("http://192.168.1.5:7310/"), "for who comes late");
}

#[test]
fn before_the_reveal_only_the_number_of_voters_is_seen() {
    let mut model = desk();
    for phase in [Phase::Ask, Phase::First, Phase::Discuss, Phase::Second, Phase::Closed] {
        let effects = tell(&mut model, overview(phase));
        assert!(
            !effects.iter().any(|it| matches!(it, Effect::ShowClass(_) | Effect::Replay { .. }))
        );
        let shown = text(&model, 120, 40);
        assert!(!shown.contains('%') && !shown.contains("median"), "{shown}");
        assert!(phase == Phase::Ask || shown.contains("12 of 31 voted") || phase == Phase::Discuss);
    }
    tell(&mut model, overview(Phase::First));
    insta::assert_snapshot!("class_vote_80x24", text(&model, 80, 24));
}

#[test]
fn a_small_screen_leaves_out_whole_paragraphs_and_then_says_so() {
    let mut model = desk();
    let ask = |context: Vec<String>| {
        let question = Some(Question { context, ..question() });
        Overview { question, ..overview(Phase::Ask) }
    };
    let paragraph =
        |of: u32| format!("Paragraph {of} begins. {} It ends {of}.", "Words. ".repeat(25));
    tell(&mut model, ask(vec![paragraph(1), paragraph(2)]));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("Paragraph 1 begins") && shown.contains("A. as fast"), "{shown}");
    tell(&mut model, ask((1..=5).map(paragraph).collect()));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("Paragraph 1 begins") && shown.contains("It ends 5."), "{shown}");
    assert!(shown.contains("The choices come with the vote."), "{shown}");
    tell(&mut model, ask((1..=9).map(paragraph).collect()));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("the whole text is on the students' pages"), "{shown}");
    assert!(!shown.contains("It ends 5.") || shown.contains("Paragraph 5 begins"), "{shown}");
    assert!(shown.contains("It ends 9.") && shown.contains("How many times"), "{shown}");
}

#[test]
fn students_are_told_why_there_is_no_explanation() {
    // With a lesson it is that of the question, without one that of the screen.
    let lesson = crate::lessons::shelf::find("1", None).unwrap();
    for lesson in [None, Some(Arc::new(lesson))] {
        refuse_counting(lesson);
    }
}

fn refuse_counting(lesson: Option<Arc<crate::lessons::Lesson>>) {
    let mut model = desk();
    model.class.as_mut().unwrap().lesson = lesson;
    tell(&mut model, overview(Phase::Closed));
    tell(&mut model, overview(Phase::Reveal));
    replayed(&mut model);
    let explanation = |model: &Model| {
        model.class.as_ref().unwrap().answered.as_ref().unwrap().explanation.clone()
    };
    assert!(explanation(&model).is_empty(), "counting goes on");
    // Times of a GPU without counters, which the emulator cannot count either.
    while let Some(running) = &model.profile.running {
        let (id, result) = (running.id, Err("its PTX cannot be read".to_owned()));
        update(&mut model, Action::Profiled { id, result }, Duration::from_secs(4));
    }
    let told = explanation(&model).join(" ");
    assert!(told.starts_with("There is no explanation: cannot count "), "{told}");
    assert!(told.ends_with("its PTX cannot be read."), "{told}");
    tell(&mut model, overview(Phase::Explain));
    assert!(text(&model, 120, 40).contains("There is no explanation"));
}

#[test]
fn the_crosshair_stands_at_the_size_that_a_question_is_about() {
    let mut model = desk();
    let lesson = crate::lessons::shelf::find("1", None).unwrap();
    model.class.as_mut().unwrap().lesson = Some(Arc::new(lesson));
    tell(&mut model, overview(Phase::Closed));
    tell(&mut model, overview(Phase::Reveal));
    replayed(&mut model);
    // The records have one size more than the question.
    let report_one = |model: &mut Model, n| {
        let record = Box::new(recorded("global", n));
        report(model, Event::Finished { record, view: None, from_store: true }, 4.0);
    };
    report_one(&mut model, 1 << 20);
    assert_eq!(model.chart.crosshair, Some(f64::from(1 << 22)));
}

#[test]
fn a_reveal_measures_before_everybodys_eyes_and_then_explains() {
    let mut model = desk();
    tell(&mut model, overview(Phase::Closed));
    let effects = tell(&mut model, overview(Phase::Reveal));
    assert!(effects.iter().any(|it| matches!(it, Effect::Replay { .. })), "{effects:?}");
    assert!(model.run.is_some());
    let shown = |effects: &[Effect]| {
        effects.iter().find_map(|it| match it {
            Effect::ShowClass(answered) => Some((**answered).clone()),
            _ => None,
        })
    };
    let effects = replayed(&mut model);
    let answered = shown(&effects).unwrap();
    assert!(answered.settled && answered.picture.is_some());
    assert!(
        answered.sentence.contains("shared") && answered.sentence.contains("recorded"),
        "{answered:?}"
    );
    // The emulator counts for the explanation without being asked.
    assert!(effects.iter().any(|it| matches!(it, Effect::Profile { .. })), "{effects:?}");
    assert_eq!(shown(&update(&mut model, Action::Tick, Duration::from_secs(4))), None, "once");
    insta::assert_snapshot!("class_reveal_120x40", text(&model, 120, 40));
    let named = text(&model, 80, 24);
    assert!(named.contains("━ global ") && named.contains("━ shared "), "{named}");
    tell(&mut model, overview(Phase::Explain));
    insta::assert_snapshot!("class_explain_80x24", text(&model, 80, 24));
    // Who goes back to it finds the chart as it was.
    let other = Some(Question { id: "other".to_owned(), experiment: None, ..question() });
    tell(&mut model, Overview { at: Some(1), question: other, ..overview(Phase::Ask) });
    let effects = tell(&mut model, overview(Phase::Explain));
    assert!(model.run.is_none() && shown(&effects).is_some(), "{effects:?}");
    // Hidden again: no vote is seen.
    tell(&mut model, overview(Phase::Closed));
    assert!(!text(&model, 120, 40).contains('%'));
}

#[test]
fn drawn_curves_are_a_bundle_with_a_median() {
    let mut model = desk();
    let curves: Vec<Vec<u8>> = (0..30).map(|at| vec![at % 3, 2, 4 + at % 4, 8]).collect();
    let tally = || Tally::Curve { curves: curves.clone(), median: vec![1.0, 2.0, 5.5, 8.0] };
    let none = Tally::Curve { curves: Vec::new(), median: Vec::new() };
    let drawn = Question { answers: Answers::Curve(grid()), ..question() };
    for tallies in [[tally(), tally()], [tally(), none.clone()], [none.clone(), none]] {
        let question = Some(drawn.clone());
        tell(&mut model, Overview { question, tallies: Some(tallies), ..overview(Phase::Reveal) });
        for (width, height) in [(80, 24), (81, 25), (120, 40), (200, 60)] {
            text(&model, width, height);
        }
    }
    let question = Some(drawn);
    let tallies = Some([tally(), tally()]);
    tell(&mut model, Overview { question, tallies, ..overview(Phase::Reveal) });
    let shown = text(&model, 120, 40);
    assert!(shown.contains("2nd vote, 30 curves") && shown.contains('░'), "{shown}");
}

#[test]
fn keys_steer_the_class_and_the_end_is_asked_for_twice() {
    let mut model = desk();
    tell(&mut model, overview(Phase::First));
    for (code, command) in [
        (KeyCode::Char('n'), Do::Next),
        (KeyCode::PageDown, Do::Next),
        (KeyCode::PageUp, Do::Back),
        (KeyCode::Char('b'), Do::Back),
        (KeyCode::Char('v'), Do::Vote),
        (KeyCode::Char('o'), Do::Reveal),
        (KeyCode::Char('h'), Do::Hide),
    ] {
        assert_eq!(press(&mut model, code), [Effect::Class(command)], "{code:?}");
    }
    assert_eq!(press(&mut model, KeyCode::Char('E')), []);
    assert_eq!(press(&mut model, KeyCode::Char('v')), [Effect::Class(Do::Vote)]);
    assert_eq!(press(&mut model, KeyCode::Char('E')), [], "the first one was forgotten");
    assert_eq!(press(&mut model, KeyCode::Char('E')), [Effect::Class(Do::End)]);
    tell(&mut model, Overview { ended: true, ..overview(Phase::First) });
    assert_eq!(press(&mut model, KeyCode::Char('n')), []);
    assert!(text(&model, 80, 24).contains("The class has ended."));
    assert_eq!(model.would_lose(), None);
}

#[test]
fn replays_go_from_a_tenth_of_the_speed_to_instant_step_by_step() {
    let mut model = desk();
    tell(&mut model, overview(Phase::Closed));
    tell(&mut model, overview(Phase::Reveal));
    let mut seen = vec![model.speed.text()];
    for _ in 0..6 {
        press(&mut model, KeyCode::Char('+'));
        seen.push(model.speed.text());
    }
    assert_eq!(seen, ["×0.1", "×1", "×10", "×100", "instant", "instant", "instant"]);
    let effects = press(&mut model, KeyCode::Char('-'));
    assert!(effects.contains(&Effect::Speed(100.0)), "{effects:?}");
    assert_eq!(press(&mut model, KeyCode::Char(' ')), [Effect::Pause(true)]);
}

#[test]
fn leaving_an_open_class_is_asked_about() {
    let mut model = desk();
    tell(&mut model, overview(Phase::First));
    assert_eq!(press(&mut model, KeyCode::Char('q')), []);
    assert!(text(&model, 80, 24).contains("the same command resumes it"));
}
