//! Finding things by typing, undoing edits, changing what runs, keeping settings.

use std::time::Duration;

use crate::experiment::{BackendChoice, SampleChoice};
use crate::figure::YAxis;
use crate::runner::scheduler::Event;
use crate::settings::{Motion, Settings, Theme};
use crate::tui::Start;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::effect::Effect;
use crate::tui::app::keys::BINDINGS;
use crate::tui::app::model::{Model, Panel, Screen};
use crate::tui::app::update::update;
use crate::tui::dialogs::picker::state::{Kind, Picker};
use crate::tui::dialogs::state::{Edit, Overlay};
use crate::tui::fixture::{PLAIN, model, press, recording, report, run};
use crate::tui::screens::sweep::form::state::Field;

fn type_in(model: &mut Model, text: &str) {
    for c in text.chars() {
        update(model, Action::Edit(Edit::Insert(c)), Duration::ZERO);
    }
}

fn notice(model: &Model) -> &str {
    model.notice.as_ref().map_or("", |notice| notice.text.as_str())
}

#[test]
fn the_palette_has_every_key_and_runs_what_is_found() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Palette, 0.0);
    let Some(Overlay::Pick(picker)) = &model.overlay else { panic!("closed") };
    let shown = picker.shown(&model);
    for binding in BINDINGS {
        let there = shown.iter().any(|it| it.key == binding.shown && it.label == binding.help);
        assert!(there, "{} is not in the palette", binding.help);
    }
    type_in(&mut model, "tune scr");
    let effects = press(&mut model, Command::Enter, 0.0);
    assert!(effects.is_empty() && model.overlay.is_none());
    assert_eq!(model.screen, Screen::Tune);
    // Nothing that fits: Enter does nothing, Esc closes.
    press(&mut model, Command::Palette, 0.0);
    type_in(&mut model, "qqqqzz");
    press(&mut model, Command::Enter, 0.0);
    assert!(matches!(model.overlay, Some(Overlay::Pick(_))));
    press(&mut model, Command::Cancel, 0.0);
    assert!(model.overlay.is_none());
}

#[test]
fn a_field_with_names_is_chosen_by_typing_one() {
    let mut model = model(PLAIN);
    for (field, typed, value) in [
        (Field::Algorithm, "radi", "radix-partition"),
        (Field::Backend, "emu", "emulator"),
        (Field::Sample, "nev", "never"),
        (Field::Gpu, "a100", "A100"),
    ] {
        model.panel = Panel::Form;
        model.form.field = field;
        press(&mut model, Command::Enter, 0.0);
        assert!(matches!(model.overlay, Some(Overlay::Pick(_))), "{field:?}");
        type_in(&mut model, typed);
        press(&mut model, Command::Enter, 0.0);
        assert!(model.form.value(field).contains(value), "{}", model.form.value(field));
    }
    assert_eq!(model.form.experiment.target.sample, SampleChoice::Never);
    assert_eq!(model.form.experiment.target.backend, BackendChoice::Emulator);
    let cursor = Picker::new(Kind::Field(Field::Sample), &model).cursor;
    assert_eq!(cursor, 1, "the list opens on what holds");
}

#[test]
fn edits_are_undone_one_by_one_and_done_again() {
    let mut model = model(PLAIN);
    let first = model.form.experiment.clone();
    press(&mut model, Command::Step(Field::Block, true), 0.0);
    let second = model.form.experiment.clone();
    press(&mut model, Command::Step(Field::Algorithm, true), 0.0);
    let third = model.form.experiment.clone();
    press(&mut model, Command::Undo, 0.0);
    assert_eq!((&model.form.experiment, &model.selection), (&second, &second));
    press(&mut model, Command::Undo, 0.0);
    assert_eq!(model.form.experiment, first);
    assert!(notice(&model).contains("undone: Block size 128"), "{}", notice(&model));
    press(&mut model, Command::Undo, 0.0);
    assert_eq!(model.form.experiment, first, "nothing before it");
    press(&mut model, Command::Redo, 0.0);
    press(&mut model, Command::Redo, 0.0);
    assert_eq!(model.form.experiment, third);
    press(&mut model, Command::Undo, 0.0);
    press(&mut model, Command::Step(Field::Coarsen, true), 0.0);
    let changed = model.form.experiment.clone();
    press(&mut model, Command::Redo, 0.0);
    assert_eq!(model.form.experiment, changed, "a new edit leaves nothing to redo");
}

#[test]
fn what_is_typed_wrong_names_the_place_and_the_way_out() {
    let model = model(PLAIN);
    for (field, text, parts) in [
        (Field::Block, "32,4096", &["part 2", "4096", "32..1024"][..]),
        (Field::Block, "0", &["0", "type 1 to 1024"]),
        (Field::Coarsen, "1,2,x", &["part 3", "`x`", "1..64"]),
        (Field::Sizes, "2^10,2^40", &["part 2", "2^40", "type 1000"]),
        (Field::Sizes, "9..3", &["runs from 9 down to 3", "2^10..2^24"]),
        (Field::Param(0), "8,1", &["part 2", "bins cannot be 1", "2"]),
    ] {
        let error = model.form.parse(field, text).unwrap_err();
        for part in parts {
            assert!(error.contains(part), "{text}: {error} (no `{part}`)");
        }
    }
    let typed = model.form.parse(Field::Block, "32..256,96").unwrap();
    let blocks: Vec<u32> = typed.blocks.iter().map(|block| block.get()).collect();
    assert_eq!(blocks, [32, 64, 128, 256, 96]);
    assert_eq!(model.form.parse(Field::Coarsen, "1..16:x4").unwrap().coarsenings, [1, 4, 16]);
}

#[test]
fn a_change_in_mid_sweep_plans_what_is_left_anew_and_loses_nothing() {
    let mut model = model(PLAIN);
    run(&mut model, 6);
    let effects = press(&mut model, Command::Step(Field::Block, true), 2.0);
    let [Effect::Replan(experiment)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!(experiment.blocks[0].get(), 256);
    assert_eq!(model.results.len(), 6, "what was measured stays");
    let left: Vec<u64> = vec![1 << 20; 4];
    report(&mut model, Event::Replanned { cases: 10, left }, 2.1);
    let run = model.run.as_ref().unwrap();
    assert_eq!((run.cases, run.done), (Some(10), 6));
    let ahead = run.work_all - run.work_done;
    assert!(ahead > 4.0 * f64::from(1 << 20) && ahead < 5.0 * f64::from(1 << 20), "{ahead}");
    // Back again: the six cases are on the chart as before.
    press(&mut model, Command::Undo, 2.2);
    assert!(model.chart.series().iter().any(|series| series.points.len() == 3));
    // Another algorithm is another run.
    let algorithm = model.run.as_ref().unwrap().experiment.algorithm.clone();
    assert!(press(&mut model, Command::Step(Field::Algorithm, true), 2.3).is_empty());
    assert_eq!(model.run.as_ref().unwrap().experiment.algorithm, algorithm);
    assert!(notice(&model).contains("Needs a new run"));
    assert_eq!(press(&mut model, Command::Pause, 2.4), [Effect::Pause(true)]);
    assert_eq!(press(&mut model, Command::Cancel, 2.5), [Effect::Cancel]);
}

#[test]
fn any_curve_can_be_what_a_speed_up_is_over() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Baseline, 0.0);
    type_in(&mut model, "shared");
    press(&mut model, Command::Enter, 0.0);
    assert_eq!(model.chart.choice.y, YAxis::Speedup);
    let figure = model.chart.figure.as_ref().unwrap();
    assert!(figure.y.label.contains("speed-up over shared"), "{}", figure.y.label);
    let of = |label: &str| figure.series.iter().find(|series| series.label == label).unwrap();
    assert!(of("shared").points.iter().all(|point| (point.y - 1.0).abs() < 1e-12));
    assert!(of("global").points.last().unwrap().y < 0.1, "global is the slower one");
    // It stays the baseline while results of another kind come in.
    run(&mut model, 26);
    let figure = model.chart.figure.as_ref().unwrap();
    let modelled = figure.series.iter().find(|series| series.is_predicted()).unwrap();
    assert_eq!(modelled.points.len(), 13);
    press(&mut model, Command::Baseline, 5.0);
    press(&mut model, Command::Enter, 5.0);
    let label = &model.chart.figure.as_ref().unwrap().y.label;
    assert!(label.contains("over global"), "the first variant again: {label}");
}

#[test]
fn the_command_of_what_is_shown_goes_to_the_clipboard_and_is_told() {
    let mut model = model(PLAIN);
    let effects = press(&mut model, Command::Copy, 0.0);
    let [Effect::Copy(text)] = &effects[..] else { panic!("{effects:?}") };
    assert!(text.starts_with("warpscope sweep histogram --variant global,shared"), "{text}");
    assert_eq!(model.overlay, Some(Overlay::Copied(text.clone())));
    press(&mut model, Command::Cancel, 0.0);
    model.shown.clear();
    model.rebuild_chart();
    let effects = press(&mut model, Command::Copy, 0.0);
    assert!(matches!(&effects[..], [Effect::Copy(text)] if text.contains("-n 2^10..2^22")));
}

#[test]
fn what_the_user_chose_is_kept_and_options_are_not() {
    let settings = Settings {
        theme: Some(Theme::HighContrast),
        mouse: Some(false),
        replay_speed: Some(100.0),
        ..Settings::default()
    };
    let mut start = Start {
        shown: recording().into(),
        settings,
        motion: Some(Motion::Reduced),
        asked_backend: Some(BackendChoice::Cuda),
        ..Start::default()
    };
    start.experiment.target.backend = BackendChoice::Cuda;
    let mut model = Model::new(&start, PLAIN);
    assert!(!model.mouse);
    assert_eq!((model.speed.text(), model.motion), ("×100", Motion::Reduced));
    let effects = press(&mut model, Command::Theme, 0.0);
    let [Effect::Keep(kept)] = &effects[..] else { panic!("{effects:?}") };
    assert_eq!((kept.theme, kept.motion), (Some(Theme::Light), None), "dark, then light");
    press(&mut model, Command::Step(Field::Block, true), 0.0);
    let effects = press(&mut model, Command::Leave, 0.0);
    let [Effect::Keep(kept), Effect::Leave] = &effects[..] else { panic!("{effects:?}") };
    let experiment = kept.experiment.as_ref().unwrap();
    assert_eq!(experiment.blocks[0].get(), 256);
    assert_eq!(experiment.target.backend, BackendChoice::Auto, "an option is not kept");
    let effects = press(&mut model, Command::Motion, 0.0);
    assert!(matches!(&effects[..], [Effect::Keep(_), Effect::Motion(Motion::Full)]));
}

#[test]
fn stored_results_to_look_at_leave_the_kept_experiment_alone() {
    let start = Start { shown: recording().into(), read_only: true, ..Start::default() };
    let mut model = Model::new(&start, PLAIN);
    assert_eq!(press(&mut model, Command::Leave, 0.0), [Effect::Leave]);
    let start = Start { problem: Some("config.toml:2".to_owned()), ..Start::default() };
    assert!(notice(&Model::new(&start, PLAIN)).contains("config.toml:2"));
}
