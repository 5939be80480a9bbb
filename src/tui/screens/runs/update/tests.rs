//! Loading, overlaying, marking, deleting and replaying stored runs.

use std::time::Duration;

use super::*;
use crate::results::record::Provenance;
use crate::results::store::files::Discarded;
use crate::runner::scheduler::{Event, Tally};
use crate::tui::Start;
use crate::tui::app::action::Action;
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, text};
use crate::tui::dialogs::state::Edit;
use crate::tui::fixture::{PLAIN, measured, model, press, recorded, recording, report, run};
use crate::tui::screens::runs::state::Offer;
use crate::tui::screens::sweep::form::state::Field;
use crate::tui::screens::sweep::state::Layer;

fn entry(name: &str, records: &[Record]) -> Entry {
    Entry {
        source: Source::File(format!("{name}.jsonl").into()),
        name: name.to_owned(),
        holds: Ok(Holds::of(records, None).into()),
    }
}

fn tell(model: &mut Model, news: News) -> Vec<Effect> {
    update(model, Action::Runs(news), Duration::ZERO)
}

/// The Runs screen with two runs and a broken file.
fn listed_model() -> Model {
    let mut model = model(PLAIN);
    let effects = press(&mut model, Command::Show(Screen::Runs), 0.0);
    assert_eq!(effects, [Effect::Runs(Request::List)]);
    let broken = Entry { holds: Err("line 3 is torn".to_owned()), ..entry("broken", &[]) };
    let entries = vec![entry("old", &recording()), entry("new", &recording()), broken];
    tell(&mut model, News::Listed { entries, discarded: Vec::new(), problems: Vec::new() });
    model
}

/// Other settings than the form's.
fn other() -> Vec<Record> {
    let mut records = recording();
    for record in &mut records {
        (record.block, record.coarsen) = (512, 16);
    }
    records
}

#[test]
fn reading_a_large_run_is_told_and_takes_keys() {
    let mut model = listed_model();
    press(&mut model, Command::Enter, 0.0);
    assert!(model.runs.busy);
    tell(&mut model, News::Reading { name: "old".to_owned(), bytes: 16 << 20, of: 700 << 20 });
    assert_eq!(model.notice.as_ref().unwrap().text, "reading old: 16.0 MiB of 700 MiB");
    assert!(model.runs.busy, "it is not read yet");
    press(&mut model, Command::Show(Screen::Sweep), 0.0);
    assert_eq!(model.screen, Screen::Sweep);
}

#[test]
fn enter_loads_a_run_and_sets_the_form_to_it() {
    let mut model = listed_model();
    run(&mut model, 26);
    press(&mut model, Command::Show(Screen::Runs), 5.0);
    let effects = press(&mut model, Command::Enter, 5.0);
    let [Effect::Runs(Request::Read(Purpose::Load, entry))] = &effects[..] else {
        panic!("{effects:?}")
    };
    assert_eq!(entry.name, "old");
    let before = model.form.experiment.clone();
    tell(&mut model, News::Read(Purpose::Load, entry.clone(), Ok(other())));
    assert_eq!(model.screen, Screen::Sweep);
    assert_eq!((model.source.as_str(), model.form.experiment.blocks[0].get()), ("old", 512));
    assert_eq!(model.chart.series().len(), 2, "and nothing of before");
    assert_eq!(model.aside.len(), 26, "what ran here is not lost");
    press(&mut model, Command::Undo, 6.0);
    assert_eq!(model.form.experiment, before, "also this edit is undone");
}

#[test]
fn an_overlay_keeps_its_curves_apart_and_named() {
    let mut model = listed_model();
    assert!(matches!(
        &press(&mut model, Command::Overlay, 0.0)[..],
        [Effect::Runs(Request::Read(Purpose::Overlay, _))]
    ));
    // The same cases on the same device: still curves of their own.
    tell(&mut model, News::Read(Purpose::Overlay, entry("old", &[]), Ok(recording())));
    assert_eq!(model.screen, Screen::Runs);
    let series = model.chart.series();
    assert_eq!(series.len(), 4);
    let labels: Vec<&str> = series.iter().map(|series| series.label.as_str()).collect();
    assert_eq!(labels, ["global", "global · old", "shared", "shared · old"]);
    let pens: Vec<_> = series.iter().map(|it| (it.pen.variant, it.pen.tint)).collect();
    assert_eq!(pens, [(0, 0), (0, 1), (1, 0), (1, 1)], "each has a lightness of its own");
    let layer = |at: usize| model.chart.layer(&series[at]);
    assert_eq!((layer(0), layer(1)), (Layer::Recorded, Layer::Overlaid));

    // The same key takes it off.
    assert!(press(&mut model, Command::Overlay, 0.0).is_empty());
    assert_eq!(model.chart.series().len(), 2);
    // One of other settings is not taken, and says what to do.
    tell(&mut model, News::Read(Purpose::Overlay, entry("new", &[]), Ok(other())));
    assert!(model.overlaid.is_empty());
    assert!(model.notice.as_ref().unwrap().text.contains("Enter loads it"));
}

#[test]
fn two_marks_make_a_comparison_and_a_broken_run_cannot_be_marked() {
    let mut model = listed_model();
    assert!(press(&mut model, Command::Compare, 0.0).is_empty());
    press(&mut model, Command::Mark, 0.0);
    press(&mut model, Command::Down, 0.0);
    let effects = press(&mut model, Command::Compare, 0.0);
    let [Effect::Runs(Request::Compare(pair, _))] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((pair[0].name.as_str(), pair[1].name.as_str()), ("old", "new"));
    press(&mut model, Command::Last, 0.0);
    press(&mut model, Command::Mark, 0.0);
    assert!(model.notice.as_ref().unwrap().text.contains("line 3 is torn"));
    assert_eq!(model.runs.marked.len(), 1);
    assert!(press(&mut model, Command::Enter, 0.0).is_empty(), "nor loaded");
}

#[test]
fn what_is_deleted_comes_back() {
    let mut model = listed_model();
    let effects = press(&mut model, Command::Discard, 0.0);
    assert_eq!(effects, [Effect::Runs(Request::Discard("old.jsonl".into()))]);
    let gone = Discarded {
        when: "now".to_owned(),
        from: "old.jsonl".into(),
        to: ".warpscope-trash/now_old.jsonl".into(),
    };
    assert_eq!(tell(&mut model, News::Discarded(Ok(gone.clone()))), [Effect::Runs(Request::List)]);
    assert_eq!(press(&mut model, Command::Undo, 0.0), [Effect::Runs(Request::Restore(gone))]);
    tell(&mut model, News::Restored(Ok("old.jsonl".into())));
    assert!(press(&mut model, Command::Undo, 0.0).is_empty(), "nothing is left to bring back");
}

#[test]
fn typing_narrows_the_list_and_escape_shows_all_again() {
    let mut model = listed_model();
    press(&mut model, Command::Find, 0.0);
    for c in "histo NEW".chars() {
        update(&mut model, Action::Edit(Edit::Insert(c)), Duration::ZERO);
    }
    let names = |model: &Model| -> Vec<String> {
        model.runs.shown().iter().map(|entry| entry.name.clone()).collect()
    };
    assert_eq!(names(&model), ["new"]);
    assert!(press(&mut model, Command::Enter, 0.0).is_empty(), "Enter ends the typing");
    assert!(matches!(
        &press(&mut model, Command::Enter, 0.0)[..],
        [Effect::Runs(Request::Read(Purpose::Load, Entry { name, .. }))] if name == "new"
    ));
    press(&mut model, Command::Cancel, 0.0);
    assert_eq!(names(&model).len(), 3);
}

#[test]
fn a_replay_grows_as_recorded_and_ends_with_all_of_it() {
    let mut model = model(PLAIN);
    let effects = press(&mut model, Command::Replay, 0.0);
    let [Effect::Replay { records, speed: 10.0, .. }] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(records.len(), 26);
    assert!(model.chart.series().is_empty(), "nothing has come yet");
    assert!(press(&mut model, Command::Run, 0.1).is_empty(), "one thing at a time");
    for e in [10, 11] {
        let record = Box::new(recorded("global", 1 << e));
        report(&mut model, Event::Finished { record, view: None, from_store: true }, 0.5);
    }
    let series = &model.chart.series()[0];
    assert_eq!((series.points.len(), series.provenance), (2, Provenance::Recorded));
    assert_eq!(model.chart.layer(series), Layer::Live, "it moves as a run does");
    assert!(model.results.is_empty() && !model.unsaved, "nothing was measured");
    let effects = press(&mut model, Command::Speed, 1.0);
    assert!(matches!(&effects[..], [Effect::Keep(_), Effect::Speed(100.0)]), "{effects:?}");
    assert_eq!(press(&mut model, Command::Cancel, 1.0), [Effect::Cancel]);
    let ended = Action::Ended { run: model.run_id, tally: Ok(Tally::default()) };
    update(&mut model, ended, Duration::from_secs(2));
    assert_eq!(model.chart.series().iter().map(|series| series.points.len()).sum::<usize>(), 26);
    let effects = press(&mut model, Command::Speed, 2.0);
    assert!(matches!(&effects[..], [Effect::Keep(_)]), "nothing replays: {effects:?}");
}

#[test]
fn results_that_no_file_has_are_listed_and_can_be_looked_at_again() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Run, 0.0);
    let record = Box::new(measured("global", 1024, 1.0));
    report(&mut model, Event::Finished { record, view: None, from_store: false }, 1.0);
    let ended = Action::Ended { run: model.run_id, tally: Ok(Tally::default()) };
    update(&mut model, ended, Duration::from_secs(2));
    press(&mut model, Command::Show(Screen::Runs), 3.0);
    let entries = vec![entry("old", &other())];
    tell(&mut model, News::Listed { entries, discarded: Vec::new(), problems: Vec::new() });
    assert_eq!(model.runs.chosen().unwrap().source, Source::Sitting);
    assert!(press(&mut model, Command::Discard, 3.0).is_empty(), "not to be deleted");
    tell(&mut model, News::Read(Purpose::Load, entry("old", &[]), Ok(other())));
    press(&mut model, Command::Show(Screen::Runs), 4.0);
    let entries = vec![entry("old", &other())];
    tell(&mut model, News::Listed { entries, discarded: Vec::new(), problems: Vec::new() });
    press(&mut model, Command::First, 4.0);
    press(&mut model, Command::Enter, 4.0);
    assert_eq!(model.chart.records.len(), 1);
    assert!(model.would_lose().is_some(), "still in no file");
}

#[test]
fn a_run_without_a_file_says_so() {
    let mut model = model(PLAIN);
    model.stored = true;
    press(&mut model, Command::Run, 0.0);
    let full = Action::Stores { run: model.run_id, file: Err("no room".to_owned()) };
    update(&mut model, full, Duration::ZERO);
    assert!(model.notice.as_ref().unwrap().text.contains("no room"));
    let record = Box::new(measured("global", 1024, 1.0));
    report(&mut model, Event::Finished { record, view: None, from_store: false }, 1.0);
    assert!(model.unsaved);
}

#[test]
fn a_replay_goes_point_by_point_and_hides_the_answer() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Present, 0.0);
    assert_eq!((model.revealed, model.speed.text()), (false, "×0.1"));
    press(&mut model, Command::Pause, 0.0);
    assert!(model.revealed, "space reveals where nothing runs");
    let effects = press(&mut model, Command::Hottest, 1.0);
    assert!(matches!(&effects[..], [Effect::Replay { .. }, Effect::Pause(true)]), "{effects:?}");
    assert!(!model.revealed, "and the next replay hides again");
    assert_eq!(press(&mut model, Command::Hottest, 1.0), [Effect::NextPoint]);
    assert_eq!(press(&mut model, Command::Pause, 1.0), [Effect::Pause(false)]);
    let effects = press(&mut model, Command::Hottest, 1.0);
    assert_eq!(effects, [Effect::Pause(true), Effect::NextPoint], "it stops at each");
    press(&mut model, Command::Speed, 1.0);
    assert_eq!(model.speed.text(), "×1");
}

#[test]
fn a_run_asked_for_here_is_shown_where_its_points_appear() {
    let mut model = listed_model();
    assert!(matches!(&press(&mut model, Command::Run, 0.0)[..], [Effect::Start { .. }]));
    assert_eq!(model.screen, Screen::Sweep);
    press(&mut model, Command::Show(Screen::Runs), 1.0);
    let ended = Action::Ended { run: model.run_id, tally: Ok(Tally::default()) };
    let effects = update(&mut model, ended, Duration::from_secs(2));
    assert_eq!(effects, [Effect::Runs(Request::List)], "its file is listed");
    press(&mut model, Command::Show(Screen::Sweep), 3.0);
    assert_eq!(press(&mut model, Command::Refresh, 3.0), [Effect::Runs(Request::List)]);
    assert_eq!(model.screen, Screen::Runs);
}

/// A screen over the built-in recording, with a stored run of its settings on offer.
fn offered() -> Model {
    let mut model = Model::new(&Start::default(), PLAIN);
    let looks = |effect: &Effect| matches!(effect, Effect::Runs(Request::Fit(_)));
    assert!(crate::tui::app::update::start(&model).iter().any(looks));
    let offer = Offer {
        entry: entry("good", &recording()),
        when: "04:07".to_owned(),
        experiment: model.selection.clone(),
    };
    update(&mut model, Action::Runs(News::Fits(offer.into())), Duration::ZERO);
    model
}

#[test]
fn a_stored_run_of_these_settings_is_offered_and_enter_or_a_click_shows_it() {
    let says = "Run of 04:07 has these settings: Enter shows it";
    for (width, height) in SIZES {
        assert!(text(&offered(), width, height).contains(says));
    }
    for command in [Command::Enter, Command::Offered] {
        let mut model = offered();
        let ticks = model.form.experiment.variants.clone();
        let effects = press(&mut model, command, 1.0);
        let [Effect::Runs(Request::Read(Purpose::Load, entry))] = effects.as_slice() else {
            panic!("{effects:?}")
        };
        assert_eq!((entry.name.as_str(), &model.form.experiment.variants), ("good", &ticks));
        let news = News::Read(Purpose::Load, entry.clone(), Ok(recording()));
        update(&mut model, Action::Runs(news), Duration::from_secs(2));
        assert_eq!((model.source.as_str(), model.shown.len()), ("good", 26));
        assert!(!text(&model, 80, 24).contains(says));
    }
}

#[test]
fn an_offer_takes_no_enter_from_the_form_and_ends_with_its_settings() {
    let mut model = offered();
    press(&mut model, Command::Down, 1.0);
    assert!(text(&model, 80, 24).contains("Tab Enter shows it"));
    assert!(press(&mut model, Command::Enter, 1.0).is_empty(), "a variant is ticked");
    assert_eq!(model.offer, None, "other settings");
    let mut model = offered();
    press(&mut model, Command::NextPanel, 1.0);
    assert!(text(&model, 80, 24).contains("settings: Enter shows it"));
    assert_eq!(press(&mut model, Command::Enter, 1.0).len(), 1);
    let mut model = offered();
    press(&mut model, Command::Cancel, 1.0);
    assert_eq!(model.offer, None);
    // Settings that nothing shown has: the stored runs are looked into again.
    let effects = press(&mut model, Command::Step(Field::Block, true), 1.0);
    assert!(!effects.iter().any(|it| matches!(it, Effect::Runs(_))), "256 is recorded");
    model.form.experiment.coarsenings = vec![3];
    crate::tui::screens::sweep::form::update::changed(&mut model);
    assert!(model.effects.iter().any(|it| matches!(it, Effect::Runs(Request::Fit(_)))));
}

#[test]
fn what_is_not_verified_says_why_and_times_make_a_small_chart() {
    let mut records = recording();
    records[0].verified = None;
    (records[1].verified, records[1].seconds) = (None, None);
    records[1].skip = Some("too large".into());
    let holds = Holds::of(&records, None);
    assert_eq!((holds.verified, holds.unchecked, holds.skipped), (24, 1, 1));
    let bars: Vec<char> = holds.spark.chars().collect();
    assert_eq!((bars.len(), bars[0], bars[11]), (12, '▁', '█'));
    assert!(bars.is_sorted(), "{}", holds.spark);
    let mut model = offered();
    press(&mut model, Command::Show(Screen::Runs), 1.0);
    let entry = entry("some", &records);
    let news = News::Listed { entries: vec![entry], discarded: vec![], problems: vec![] };
    update(&mut model, Action::Runs(news), Duration::from_secs(2));
    let shown = text(&model, 80, 24);
    assert!(shown.contains("26 ✓ 24 · 1 skipped · 1 sampled"), "{shown}");
    assert!(text(&model, 120, 40).contains("▁▁▂▂▃▄█"), "{}", text(&model, 120, 40));
}
