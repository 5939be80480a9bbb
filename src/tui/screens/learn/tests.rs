//! Lessons played by commands, and their screens as text.

use std::path::Path;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use jiff::Timestamp;

use crate::experiment::{BackendChoice, Case};
use crate::lessons::beside;
use crate::lessons::grade::Answer;
use crate::lessons::{Task, shelf};
use crate::results::record::Record;
use crate::runner::scheduler::{Ending, Event, Tally};
use crate::tui::Start;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::keys;
use crate::tui::app::model::{Look, Model, Screen};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, screen, text};
use crate::tui::fixture::{self, PLAIN, device, press, report};
use crate::tui::screens::learn::draft::Stage;
use crate::tui::screens::learn::state::{self, Entry, Learn, News, Open};
use crate::tui::screens::learn::todo;
use crate::tui::theme::Name;

/// The list of these lessons.
fn list(words: &[&str], look: Look) -> Model {
    let lessons = words.iter().map(|word| shelf::find(word, None).unwrap());
    let lessons = lessons.map(|lesson| Entry::new(lesson, None)).collect();
    let began = Timestamp::from_second(1_800_000_000).unwrap();
    let learn = Learn::new(lessons, Vec::new(), BackendChoice::Emulator, began);
    Model::new(&Start { learn: Some(learn), ..Start::default() }, look)
}

/// A lesson at its first step.
fn lesson(word: &str) -> Model {
    let mut model = list(&[word], PLAIN);
    press(&mut model, Command::Enter, 1.0);
    model
}

fn open(model: &Model) -> &Open {
    state::open(model).unwrap()
}

fn step(model: &Model) -> &str {
    &open(model).session.step().unwrap().id
}

/// A result of a case, as the model gives it.
fn result(case: &Case) -> Record {
    let mut record = fixture::modelled(&case.variant, case.n);
    record.algorithm = case.algorithm.as_str().into();
    (record.block, record.coarsen) = (case.block, case.coarsen);
    record.params = case.params.clone().into();
    record.dist = case.dist;
    record.seed = case.seed;
    record
}

/// Presses `r` and reports the results of `take` cases, or of all and the end of the run.
fn run(model: &mut Model, take: Option<usize>) {
    let effects = press(model, Command::Run, 2.0);
    let started = effects.into_iter().find_map(|effect| match effect {
        Effect::Start { experiment, .. } => Some(*experiment),
        _ => None,
    });
    let cases = crate::runner::plan::cases(&started.unwrap()).unwrap();
    report(model, Event::Ready { worker: 0, of: 1, device: device() }, 2.0);
    report(model, Event::Planned { cases: cases.len(), stored: 0, skipped: 0 }, 2.0);
    for case in cases.iter().take(take.unwrap_or(usize::MAX)) {
        report(model, Event::Started(case.clone()), 2.1);
        let record = Box::new(result(case));
        report(model, Event::Finished { record, view: None, from_store: false }, 2.1);
    }
    if take.is_none() {
        let tally = Tally { ending: Ending::Complete, verified: cases.len(), ..Tally::default() };
        let ended = Action::Ended { run: model.run_id, tally: Ok(tally) };
        update(model, ended, Duration::from_secs(3));
    }
}

/// Answers the step at hand with the option at this place.
fn choose(model: &mut Model, option: usize) {
    press(model, Command::Pick(option), 1.0);
    let most = 4;
    for _ in 0..most {
        press(model, Command::Enter, 1.0);
        if !open(model).session.answers(step(model)).is_empty() {
            return;
        }
    }
    panic!("not locked after {most} keys\n{}", text(model, 80, 24));
}

/// The place of the right option of the step at hand.
fn right(model: &Model) -> usize {
    let session = &open(model).session;
    let truth = session.truth(step(model)).unwrap().unwrap();
    let question = session.step().unwrap().task.question().unwrap();
    question.options.iter().position(|option| truth.keys.contains(&option.key)).unwrap()
}

/// Goes on to a step, answering and running whatever comes before it.
fn reach(model: &mut Model, wanted: impl Fn(&Model) -> bool) {
    for _ in 0..60 {
        if wanted(model) {
            return;
        }
        match &open(model).session.step().unwrap().task {
            Task::Predict(_) | Task::Observe(_) | Task::Why { .. }
                if open(model).session.answers(step(model)).is_empty() =>
            {
                choose(model, 0);
            }
            Task::Run { experiment, .. } if !open(model).session.missing(experiment).is_empty() => {
                run(model, None);
            }
            _ => {}
        }
        press(model, Command::NextKernel, 1.0);
    }
    panic!("never there:\n{}", text(model, 80, 24));
}

fn is(kind: &'static str) -> impl Fn(&Model) -> bool {
    move |model| open(model).session.step().unwrap().task.name() == kind
}

#[test]
fn the_list_and_every_kind_of_step_at_80x24() {
    let mut model = list(&["1", "3", "10"], PLAIN);
    insta::assert_snapshot!("list_80x24", text(&model, 80, 24));
    press(&mut model, Command::Enter, 1.0);
    insta::assert_snapshot!("say_80x24", text(&model, 80, 24));
    reach(&mut model, is("predict"));
    press(&mut model, Command::Down, 1.0);
    press(&mut model, Command::Hint, 1.0);
    insta::assert_snapshot!("predict_factor_80x24", text(&model, 80, 24));
    press(&mut model, Command::Enter, 1.0);
    press(&mut model, Command::Right, 1.0);
    press(&mut model, Command::Enter, 1.0);
    insta::assert_snapshot!("predict_lock_80x24", text(&model, 80, 24));
    press(&mut model, Command::Enter, 1.0);
    press(&mut model, Command::Enter, 1.0);
    insta::assert_snapshot!("predict_curves_80x24", text(&model, 80, 24));
    reach(&mut model, is("run"));
    run(&mut model, Some(7));
    insta::assert_snapshot!("run_80x24", text(&model, 80, 24));
    for (width, height) in &SIZES[1..] {
        insta::assert_snapshot!(format!("run_{width}x{height}"), text(&model, *width, *height));
    }
}

#[test]
fn the_steps_after_a_run_at_80x24() {
    let mut model = lesson("1");
    reach(&mut model, is("observe"));
    insta::assert_snapshot!("observe_80x24", text(&model, 80, 24));
    reach(&mut model, is("why"));
    insta::assert_snapshot!("why_80x24", text(&model, 80, 24));
    let right = right(&model);
    choose(&mut model, right);
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("why_told_{width}x{height}"), text(&model, width, height));
    }
    reach(&mut model, is("change"));
    press(&mut model, Command::Right, 1.0);
    run(&mut model, None);
    insta::assert_snapshot!("change_80x24", text(&model, 80, 24));
}

#[test]
fn maps_drawn_curves_and_kernels_at_80x24() {
    let mut model = lesson("3");
    reach(&mut model, |model| text(model, 80, 24).contains("arrows choose a cell"));
    press(&mut model, Command::Right, 1.0);
    insta::assert_snapshot!("predict_cell_80x24", text(&model, 80, 24));
    assert!(!text(&model, 80, 24).contains("µs"), "times of earlier runs give the answer away");
    reach(&mut model, is("write"));
    insta::assert_snapshot!("write_80x24", text(&model, 80, 24));
    let mut model = lesson("10");
    reach(&mut model, |model| todo::now(model).contains("takes the curve"));
    for command in [Command::Right, Command::Right, Command::Up, Command::Up, Command::Up] {
        press(&mut model, command, 1.0);
    }
    insta::assert_snapshot!("predict_draw_80x24", text(&model, 80, 24));
}

#[test]
fn a_locked_prediction_never_changes() {
    let mut model = lesson("1");
    reach(&mut model, is("predict"));
    choose(&mut model, 1);
    let id = step(&model).to_owned();
    let given = |model: &Model| open(model).session.answers(&id).to_vec();
    let before = given(&model);
    assert_eq!(before.len(), 1);
    assert!(matches!(before[0].answer, Answer::Choice(_)));
    assert_eq!((before[0].confidence, before[0].time.as_str()), (Some(2), "2027-01-15T08:00:01Z"));
    press(&mut model, Command::Enter, 1.0);
    assert_ne!(step(&model), id);
    press(&mut model, Command::PrevKernel, 1.0);
    assert_eq!(step(&model), id);
    for command in [Command::Up, Command::Pick(3), Command::Right, Command::Cancel] {
        press(&mut model, command, 1.0);
    }
    press(&mut model, Command::Enter, 1.0);
    for _ in 0..5 {
        press(&mut model, Command::Enter, 1.0);
    }
    press(&mut model, Command::Cancel, 1.0);
    press(&mut model, Command::Enter, 1.0);
    assert_eq!(given(&model), before);
}

#[test]
fn nothing_is_locked_without_its_question_and_esc_goes_back_to_choosing() {
    let mut model = lesson("1");
    reach(&mut model, is("predict"));
    press(&mut model, Command::Enter, 1.0);
    press(&mut model, Command::Enter, 1.0);
    assert_eq!(open(&model).draft.stage, Stage::Lock);
    assert!(todo::now(&model).starts_with("lock it?"), "{}", todo::now(&model));
    press(&mut model, Command::Cancel, 1.0);
    assert_eq!(open(&model).draft.stage, Stage::Choose);
    assert!(open(&model).session.answers(step(&model)).is_empty());
    // No step before its answer is passed over.
    let at = open(&model).session.at();
    press(&mut model, Command::NextKernel, 1.0);
    assert_eq!(open(&model).session.at(), at);
    assert!(text(&model, 80, 24).contains("lock a prediction first"));
}

#[test]
fn a_wrong_answer_after_a_run_can_be_followed_by_another() {
    let mut model = lesson("1");
    reach(&mut model, is("why"));
    let right = right(&model);
    choose(&mut model, (right + 1) % 4);
    assert!(text(&model, 120, 40).contains("✗ wrong"), "{}", text(&model, 120, 40));
    press(&mut model, Command::Pick(right), 1.0);
    press(&mut model, Command::Enter, 1.0);
    press(&mut model, Command::Enter, 1.0);
    assert_eq!(open(&model).session.answers(step(&model)).len(), 2);
    assert!(text(&model, 120, 40).contains("✓ right"), "{}", text(&model, 120, 40));
}

/// Presses a key as the terminal sends it, on a screen of 80 by 24.
fn key(model: &mut Model, code: KeyCode) {
    let (_, drawn) = screen(model, 80, 24);
    let event = crossterm::event::Event::Key(KeyEvent::new(code, KeyModifiers::NONE));
    let action = keys::action(&event, model, &drawn).unwrap();
    update(model, action, Duration::from_secs(4));
}

#[test]
fn the_recording_lies_over_the_results_and_words_say_where_they_differ() {
    let mut model = lesson("1");
    let recorded = Box::new(beside::recording(open(&model).session.lesson()));
    let told = Action::Learn(News::Recorded { entry: 0, recorded });
    update(&mut model, told, Duration::from_secs(1));
    reach(&mut model, is("run"));
    assert!(!text(&model, 120, 40).contains("H200, recorded"), "it gives the answer away");
    run(&mut model, None);
    insta::assert_snapshot!("run_recorded_80x24", text(&model, 80, 24));
    insta::assert_snapshot!("run_recorded_120x40", text(&model, 120, 40));
    press(&mut model, Command::Flip, 1.0);
    insta::assert_snapshot!("times_recorded_120x40", text(&model, 120, 40));
    reach(&mut model, |model| open(model).session.is_last());
    insta::assert_snapshot!("end_120x40", text(&model, 120, 40));
    let effects = press(&mut model, Command::Export, 1.0);
    let path = Path::new("01-shared-memory-report.html");
    let report = |it: &Effect| matches!(it, Effect::Report { path: to, .. } if to == path);
    assert!(effects.iter().any(report), "{effects:?}");
}

#[test]
fn results_appear_at_a_speed_that_keys_change() {
    let mut model = lesson("1");
    reach(&mut model, is("run"));
    let effects = press(&mut model, Command::Run, 2.0);
    let pace = effects.iter().find_map(|it| match it {
        Effect::Start { pace, .. } => *pace,
        _ => None,
    });
    assert_eq!(pace, Some(1.0), "{effects:?}");
    assert!(text(&model, 80, 24).contains("points appear ×1: - slower, + faster"));
    let effects = press(&mut model, Command::ZoomIn, 2.1);
    assert!(effects.contains(&Effect::Speed(10.0)), "{effects:?}");
    let effects = press(&mut model, Command::ZoomOut, 2.1);
    assert!(effects.contains(&Effect::Speed(1.0)), "{effects:?}");
    // The digits of a run are those of the screens.
    key(&mut model, KeyCode::Char('1'));
    assert_eq!(model.screen, Screen::Sweep);
}

#[test]
fn digits_answer_while_a_question_is_open_and_change_the_screen_elsewhere() {
    let mut model = lesson("1");
    reach(&mut model, is("predict"));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("↑ ↓ or 1–6 choose") && shown.contains("1–9 answer"), "{shown}");
    assert!(shown.contains("5) 100×") && !shown.contains(" 8 Learn"), "{shown}");
    key(&mut model, KeyCode::Char('5'));
    assert_eq!((model.screen, open(&model).draft.option), (Screen::Learn, 4));
    key(&mut model, KeyCode::Char('7'));
    assert_eq!((model.screen, open(&model).draft.option), (Screen::Learn, 4));
    assert!(text(&model, 80, 24).contains("1 to 6 answer"));
    key(&mut model, KeyCode::Enter);
    for (digit, words) in [('1', "[1 a guess]"), ('3', "[3 very sure]"), ('2', "[2 fairly sure]")] {
        key(&mut model, KeyCode::Char(digit));
        let shown = text(&model, 80, 24);
        assert!(shown.contains(words) && shown.contains("Esc change"), "{shown}");
    }
    key(&mut model, KeyCode::Enter);
    key(&mut model, KeyCode::Char('3'));
    key(&mut model, KeyCode::Enter);
    assert_eq!(open(&model).session.answers(step(&model))[0].confidence, Some(3));
    // The answer is locked: digits are those of the screens again.
    assert!(text(&model, 80, 24).contains(" 8 Learn"));
    key(&mut model, KeyCode::Char('1'));
    assert_eq!(model.screen, Screen::Sweep);
    key(&mut model, KeyCode::Char('8'));
    assert_eq!(model.screen, Screen::Learn);
}

#[test]
fn the_verdict_on_a_wrong_answer_comes_into_view_by_itself() {
    let mut model = lesson("1");
    reach(&mut model, is("why"));
    let right = right(&model);
    choose(&mut model, (right + 1) % 4);
    insta::assert_snapshot!("why_wrong_80x24", text(&model, 80, 24));
    // The lines above are there for a key, and so are those below them again.
    key(&mut model, KeyCode::PageUp);
    let shown = text(&model, 80, 24);
    assert!(shown.contains("8 lines more: PgDn"), "{shown}");
    for _ in 0..9 {
        key(&mut model, KeyCode::PageUp);
    }
    assert!(!text(&model, 80, 24).contains("more: PgUp"));
    for _ in 0..9 {
        key(&mut model, KeyCode::PageDown);
    }
    let shown = text(&model, 80, 24);
    assert!(shown.contains("✗ wrong") && !shown.contains("more: PgDn"), "{shown}");
    // Keys beyond the end are not kept: one goes back up.
    key(&mut model, KeyCode::PageUp);
    assert!(text(&model, 80, 24).contains("more: PgDn"));
    // Choosing brings the options back.
    key(&mut model, KeyCode::Char('1'));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("1) ") && shown.contains("4) "), "{shown}");
}

#[test]
fn answers_are_kept_after_every_change_and_a_lesson_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let entry = || Entry::new(shelf::find("1", None).unwrap(), Some(folder.path()));
    let start = |entry| {
        let began = Timestamp::from_second(1_800_000_000).unwrap();
        let learn = Learn::new(vec![entry], Vec::new(), BackendChoice::Emulator, began);
        let mut model = Model::new(&Start { learn: Some(learn), ..Start::default() }, PLAIN);
        let effects = press(&mut model, Command::Enter, 1.0);
        assert!(effects.iter().any(|it| matches!(it, Effect::Learned { .. })), "{effects:?}");
        model
    };
    let mut model = start(entry());
    reach(&mut model, is("predict"));
    for _ in 0..3 {
        for effect in press(&mut model, Command::Enter, 1.0) {
            if let Effect::KeepAnswers(keeper, progress) = effect {
                keeper.save(&progress).unwrap();
            }
        }
    }
    let locked = open(&model).session.answers(step(&model)).to_vec();
    assert_eq!(locked.len(), 1);
    let again = start(entry());
    assert_eq!(step(&again), step(&model));
    assert_eq!(open(&again).session.answers(step(&again)), locked);
}

#[test]
fn every_step_of_the_lessons_says_what_to_do_and_fits_every_screen() {
    for look in [PLAIN, Look { ascii: true, ..PLAIN }] {
        for word in ["1", "3"] {
            let mut model = list(&[word], look);
            press(&mut model, Command::Enter, 1.0);
            loop {
                for (width, height) in SIZES {
                    let shown = text(&model, width, height);
                    let wanted = if look.ascii { "> " } else { "▸ " };
                    let now = shown.lines().nth(usize::from(height) - 3).unwrap().to_owned();
                    assert!(now.trim_start().starts_with(wanted) && now.len() > 12, "{shown}");
                    assert!(!now.contains('…'), "what to do is cut off: {now}");
                    assert!(!look.ascii || shown.is_ascii(), "{shown}");
                }
                if open(&model).session.is_last() {
                    break;
                }
                let at = open(&model).session.at();
                reach(&mut model, |model| open(model).session.at() > at);
            }
        }
    }
}

#[test]
fn every_theme_shows_the_same_lesson() {
    let shown = |theme| {
        let mut model = list(&["1"], Look { theme, ..PLAIN });
        press(&mut model, Command::Enter, 1.0);
        reach(&mut model, is("run"));
        text(&model, 120, 40)
    };
    let dark = shown(Name::Dark);
    assert_eq!(shown(Name::Light), dark);
    assert_eq!(shown(Name::HighContrast), dark);
}

#[test]
fn the_key_of_terms_opens_the_first_marked_word() {
    let mut model = lesson("1");
    press(&mut model, Command::Terms, 1.0);
    let shown = text(&model, 80, 24);
    assert!(shown.contains("▸ shared memory"), "{shown}");
}

#[test]
fn without_lessons_the_screen_says_how_they_open() {
    let mut model = fixture::model(PLAIN);
    press(&mut model, Command::Show(Screen::Learn), 1.0);
    assert!(text(&model, 80, 24).contains("warpscope learn"));
}
