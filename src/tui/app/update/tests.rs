//! What actions do to the model, and which effects they ask for.

use std::time::Duration;

use crate::experiment::ParamValue;
use crate::results::record::Provenance;
use crate::runner::scheduler::Event;
use crate::tui::Start;
use crate::tui::app::action::{Action, Command, ExportError};
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Model, Origin, Panel, Screen, ShownOutput};
use crate::tui::app::run::state::Phase;
use crate::tui::app::update::update;
use crate::tui::dialogs::state::{Edit, ExportState, Format, Overlay};
use crate::tui::fixture::{PLAIN, case, model, modelled, press, report, run};
use crate::tui::screens::sweep::form::state::Field;
use crate::tui::screens::sweep::state::Layer;
use crate::work::{Bins, Done, View};

fn type_text(model: &mut Model, text: &str) {
    update(model, Action::Edit(Edit::Clear), Duration::ZERO);
    for c in text.chars() {
        update(model, Action::Edit(Edit::Insert(c)), Duration::ZERO);
    }
}

fn layers(model: &Model) -> Vec<Layer> {
    model.chart.series().iter().map(|series| model.chart.layer(series)).collect()
}

#[test]
fn a_run_starts_once_and_ends_by_the_session_alone() {
    let mut model = model(PLAIN);
    let effects = press(&mut model, Command::Run, 1.0);
    assert!(matches!(&effects[..], [Effect::Start { run: 1, .. }]), "{effects:?}");
    assert!(press(&mut model, Command::Run, 1.0).is_empty());
    assert_eq!(press(&mut model, Command::Cancel, 1.0), [Effect::Cancel]);
    assert!(press(&mut model, Command::Cancel, 1.0).is_empty(), "cancelled once");
    assert_eq!(model.run.as_ref().map(|run| run.phase), Some(Phase::Cancelling));
    let ended = Action::Ended { run: 1, tally: Err("gone".to_owned()) };
    update(&mut model, ended, Duration::from_secs(2));
    assert!(model.run.is_none());
    assert!(matches!(&press(&mut model, Command::Run, 3.0)[..], [Effect::Start { run: 2, .. }]));
}

#[test]
fn what_an_old_run_still_reports_is_dropped() {
    let mut model = model(PLAIN);
    run(&mut model, 26);
    press(&mut model, Command::Run, 5.0);
    let stale = Action::Ended { run: 1, tally: Err("old".to_owned()) };
    update(&mut model, stale, Duration::from_secs(6));
    assert!(model.run.is_some());
}

#[test]
fn space_pauses_and_goes_on_and_the_clock_stands_still_meanwhile() {
    let mut model = model(PLAIN);
    run(&mut model, 10);
    assert_eq!(press(&mut model, Command::Pause, 2.0), [Effect::Pause(true)]);
    report(&mut model, Event::Paused(true), 2.0);
    assert_eq!(model.run.as_ref().unwrap().phase, Phase::Paused);
    let elapsed = model.run.as_ref().unwrap().elapsed(Duration::from_secs(2));
    assert_eq!(model.run.as_ref().unwrap().elapsed(Duration::from_mins(1)), elapsed);
    assert_eq!(press(&mut model, Command::Pause, 62.0), [Effect::Pause(false)]);
    report(&mut model, Event::Paused(false), 62.0);
    assert_eq!(model.run.as_ref().unwrap().elapsed(Duration::from_secs(62)), elapsed);
}

#[test]
fn a_long_launch_says_how_far_it_came_until_its_case_ends() {
    let mut model = model(PLAIN);
    run(&mut model, 10);
    let done = Done { launches: 1, blocks: 3, of: 64, instructions: 1 << 30 };
    report(&mut model, Event::Started(case("global", 1 << 15)), 2.1);
    report(&mut model, Event::Progress(done), 2.5);
    assert_eq!(model.run.as_ref().unwrap().launch, Some(done));
    report(&mut model, Event::Started(case("shared", 1 << 15)), 3.0);
    assert_eq!(model.run.as_ref().unwrap().launch, None);
}

#[test]
fn the_time_left_shrinks_to_nothing() {
    let mut model = model(PLAIN);
    run(&mut model, 13);
    let middle = model.run.as_ref().unwrap().left(Duration::from_secs_f64(2.3)).unwrap();
    assert!(middle > 0.0);
    let mut other = crate::tui::fixture::model(PLAIN);
    run(&mut other, 25);
    let late = other.run.as_ref().unwrap().left(Duration::from_secs_f64(3.5)).unwrap();
    assert!(late < middle, "{late} {middle}");
}

#[test]
fn live_curves_lie_over_the_recording_and_follow_the_form() {
    let mut model = model(PLAIN);
    assert_eq!(layers(&model), [Layer::Recorded, Layer::Recorded]);
    run(&mut model, 26);
    let mut found = layers(&model);
    found.sort_unstable();
    assert_eq!(found, [Layer::Recorded, Layer::Recorded, Layer::Live, Layer::Live]);

    // Another number of bins: nothing is known of it, so the nearest that is; back again:
    // all of it.
    let bins = Field::Param(0);
    press(&mut model, Command::Step(bins, true), 5.0);
    assert_eq!(layers(&model), [Layer::Recorded, Layer::Recorded]);
    let says = "stored at bins 8; bins 16 is not stored";
    assert_eq!(model.nearest.as_ref().unwrap().says, says);
    assert_eq!(model.notice.as_ref().unwrap().text, says);
    press(&mut model, Command::Step(bins, false), 5.0);
    assert_eq!(model.chart.series().len(), 4);
    // One variant less.
    press(&mut model, Command::Click(Field::Variant(0)), 5.0);
    assert_eq!(model.chart.series().len(), 2);
}

#[test]
fn pinned_curves_stay_while_the_form_changes() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Pin, 0.0);
    assert!(model.pinned.is_empty(), "a recording is not a result to pin");
    run(&mut model, 26);
    press(&mut model, Command::Pin, 5.0);
    press(&mut model, Command::Step(Field::Param(0), true), 5.0);
    assert_eq!(layers(&model), [Layer::Pinned, Layer::Pinned]);
    assert!(model.nearest.is_none(), "there is something of the form's settings");
    press(&mut model, Command::Unpin, 5.0);
    assert_eq!(layers(&model), [Layer::Recorded, Layer::Recorded]);
    assert!(model.nearest.is_some());
}

#[test]
fn changing_the_target_while_something_runs_leaves_the_chart_with_the_run() {
    let mut model = model(PLAIN);
    run(&mut model, 6);
    let before = model.chart.records.len();
    let backend = Field::Backend;
    assert!(press(&mut model, Command::Step(backend, true), 2.0).is_empty());
    assert_eq!(model.chart.records.len(), before);
    assert_eq!(model.form.value(backend), "cuda");
}

#[test]
fn what_is_typed_takes_the_place_of_what_was_there_unless_the_cursor_moves() {
    let typed = |edits: &[Edit]| {
        let mut model = model(PLAIN);
        model.form.field = Field::Block;
        press(&mut model, Command::Enter, 0.0);
        assert!(model.form.editor.as_ref().unwrap().line.is_selected());
        for edit in edits {
            update(&mut model, Action::Edit(*edit), Duration::ZERO);
        }
        model.form.editor.unwrap().line.text()
    };
    assert_eq!(typed(&[Edit::Insert('6'), Edit::Insert('4')]), "64");
    assert_eq!(typed(&[Edit::End, Edit::Insert('0')]), "1280");
    assert_eq!(typed(&[Edit::Left, Edit::Backspace]), "18");
    assert_eq!(typed(&[Edit::Backspace, Edit::Insert('9')]), "9");
    assert_eq!(typed(&[]), "128", "Enter, Enter changes nothing");
}

#[test]
fn typed_sizes_are_checked_with_every_key_and_only_good_ones_taken() {
    let mut model = model(PLAIN);
    model.form.field = Field::Sizes;
    press(&mut model, Command::Enter, 0.0);
    type_text(&mut model, "2^10..2^40");
    assert!(model.form.editor.as_ref().unwrap().error.as_ref().unwrap().contains("must be"));
    press(&mut model, Command::Enter, 0.0);
    assert!(model.form.editor.is_some(), "bad text stays to be mended");
    assert_eq!(model.form.value(Field::Sizes), "2^10..2^22");
    type_text(&mut model, "1000,5000,1M");
    assert_eq!(model.form.editor.as_ref().unwrap().error, None);
    press(&mut model, Command::Enter, 0.0);
    assert_eq!(model.form.value(Field::Sizes), "1000,5000,1M");
    assert!(model.form.editor.is_none());
}

#[test]
fn escape_ends_the_innermost_thing() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Run, 0.0);
    model.form.field = Field::Sizes;
    press(&mut model, Command::Enter, 0.0);
    press(&mut model, Command::Cancel, 0.0);
    assert!(model.form.editor.is_none() && model.run.as_ref().unwrap().phase == Phase::Opening);
    press(&mut model, Command::Help, 0.0);
    assert!(press(&mut model, Command::Cancel, 0.0).is_empty());
    assert!(model.overlay.is_none());
    assert_eq!(press(&mut model, Command::Cancel, 0.0), [Effect::Cancel]);
}

#[test]
fn the_tune_screen_runs_every_block_size_and_coarsening_at_one_size() {
    let mut model = model(PLAIN);
    let form = model.form.experiment.clone();
    press(&mut model, Command::Show(Screen::Tune), 0.0);
    assert_eq!(model.panel, Panel::Chart);
    let effects = press(&mut model, Command::Run, 0.0);
    let Some(Effect::Start { experiment, .. }) = effects.first() else { panic!("{effects:?}") };
    assert_eq!(experiment.blocks.len() * experiment.coarsenings.len(), 30);
    assert_eq!(experiment.sizes.values(), [1 << 22], "the largest of the form");
    assert_eq!(experiment.variants, form.variants);
    assert_eq!(model.form.experiment, form, "the form is the user's");
    assert_eq!(model.selection, form, "and so is the chart");

    // One size down, another variant, a cell into the form.
    press(&mut model, Command::PanLeft, 1.0);
    assert_eq!(model.selected.as_ref().unwrap().case.n, 1 << 21);
    press(&mut model, Command::Cell(256, 8), 1.0);
    press(&mut model, Command::Enter, 1.0);
    assert_eq!(model.form.experiment.blocks[0].get(), 256);
    assert_eq!(model.form.experiment.coarsenings, [8]);
    // Elsewhere the keys mean what they meant.
    press(&mut model, Command::Show(Screen::Output), 1.0);
    assert_eq!(model.panel, Panel::Form);
}

#[test]
fn quitting_asks_only_if_something_would_be_lost() {
    let mut model = model(PLAIN);
    let effects = press(&mut model, Command::Quit, 0.0);
    assert!(matches!(&effects[..], [Effect::Keep(_), Effect::Leave]), "{effects:?}");
    run(&mut model, 26);
    assert_eq!(press(&mut model, Command::Quit, 5.0), [Effect::Leave], "predictions come again");
    press(&mut model, Command::Run, 6.0);
    assert!(press(&mut model, Command::Quit, 6.0).is_empty());
    assert!(matches!(model.overlay, Some(Overlay::Leave(_))));
    assert_eq!(press(&mut model, Command::Enter, 6.0), [Effect::Cancel, Effect::Leave]);
}

#[test]
fn measured_times_in_no_file_are_something_to_lose_until_exported() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Run, 0.0);
    let mut record = crate::tui::fixture::recorded("global", 1024);
    record.provenance = Provenance::Measured;
    let event = Event::Finished { record: Box::new(record), view: None, from_store: false };
    report(&mut model, event, 1.0);
    let ended = Action::Ended { run: model.run_id, tally: Err("lost".to_owned()) };
    update(&mut model, ended, Duration::from_secs(2));
    assert!(model.would_lose().is_some());
    press(&mut model, Command::Export, 3.0);
    press(&mut model, Command::Format(Format::Csv), 3.0);
    update(&mut model, Action::Exported(Ok("h.csv".into())), Duration::from_secs(3));
    assert_eq!(model.would_lose(), None);
}

#[test]
fn an_existing_file_is_replaced_on_the_second_enter_only() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Export, 0.0);
    type_text(&mut model, "out/h.png");
    press(&mut model, Command::Down, 0.0);
    update(&mut model, Action::Edit(Edit::Right), Duration::ZERO);
    let request = |effects: Vec<Effect>| match effects.into_iter().next() {
        Some(Effect::Export(request)) => request,
        other => panic!("{other:?}"),
    };
    let first = request(press(&mut model, Command::Enter, 0.0));
    assert_eq!((first.path.to_str(), first.replace), (Some("out/h.svg"), false));
    update(&mut model, Action::Exported(Err(ExportError::Exists)), Duration::ZERO);
    assert!(request(press(&mut model, Command::Enter, 0.0)).replace);
    let failed = ExportError::Failed("no room".to_owned());
    update(&mut model, Action::Exported(Err(failed)), Duration::ZERO);
    let Some(Overlay::Export(export)) = &model.overlay else { panic!("closed") };
    assert_eq!(export.state, ExportState::Failed("no room".to_owned()));
}

#[test]
fn a_report_names_every_source_of_its_records() {
    let sources = |model: &mut Model| {
        press(model, Command::Export, 9.0);
        type_text(model, "out/h.html");
        let effects = press(model, Command::Enter, 9.0);
        model.overlay = None;
        match effects.into_iter().next() {
            Some(Effect::Export(request)) => request.sources,
            other => panic!("{other:?}"),
        }
    };
    let mut model = model(PLAIN);
    assert_eq!(sources(&mut model), ["built-in recording"]);
    run(&mut model, 26);
    assert_eq!(sources(&mut model), ["built-in recording", "this session"]);
}

#[test]
fn the_crosshair_walks_the_points_and_stops_at_the_ends() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Panel(Panel::Chart), 0.0);
    assert_eq!(model.chart.cross(), Some(f64::from(1 << 22)), "largest n at first");
    press(&mut model, Command::Left, 0.0);
    assert_eq!(model.chart.cross(), Some(f64::from(1 << 21)));
    press(&mut model, Command::First, 0.0);
    press(&mut model, Command::Left, 0.0);
    assert_eq!(model.chart.cross(), Some(1024.0));
    press(&mut model, Command::Last, 0.0);
    assert_eq!(model.chart.cross(), Some(f64::from(1 << 22)));
}

#[test]
fn zooming_keeps_the_crosshair_and_stays_on_the_axis() {
    let mut model = model(PLAIN);
    update(&mut model, Action::Cross(65_536.0), Duration::ZERO);
    for _ in 0..20 {
        press(&mut model, Command::ZoomIn, 0.0);
        let (low, high) = model.chart.shown_x().unwrap();
        assert!((low..=high).contains(&65_536.0), "{low}..{high}");
    }
    for _ in 0..200 {
        press(&mut model, Command::PanLeft, 0.0);
    }
    assert!(model.chart.zoom.unwrap().0 >= 0.0);
    for _ in 0..20 {
        press(&mut model, Command::ZoomOut, 0.0);
    }
    assert_eq!(model.chart.zoom, None);
}

#[test]
fn every_quantity_can_be_on_the_y_axis() {
    let mut model = model(PLAIN);
    let mut labels = Vec::new();
    // A histogram does no floating-point operations.
    for _ in 0..5 {
        labels.push(model.chart.figure.as_ref().unwrap().y.label.clone());
        press(&mut model, Command::YAxis, 0.0);
    }
    assert_eq!(labels[0], model.chart.figure.as_ref().unwrap().y.label, "round and round");
    labels.sort();
    labels.dedup();
    assert_eq!(labels.len(), 5, "{labels:?}");
    assert!(!labels.iter().any(|label| label.contains("FLOP")), "{labels:?}");
}

#[test]
fn stored_results_opened_to_look_at_do_not_run() {
    let start = Start {
        shown: crate::tui::fixture::recording().into(),
        source: "h.jsonl".to_owned(),
        read_only: true,
        ..Start::default()
    };
    let mut model = Model::new(&start, PLAIN);
    assert!(press(&mut model, Command::Run, 0.0).is_empty());
    assert!(model.notice.is_some());
}

#[test]
fn a_file_of_other_settings_sets_the_form_to_them() {
    let mut shown = crate::tui::fixture::recording();
    for record in &mut shown {
        record.block = 512;
        record.coarsen = 16;
    }
    let start = Start {
        shown: shown.into(),
        source: "h.jsonl".to_owned(),
        read_only: true,
        ..Start::default()
    };
    let model = Model::new(&start, PLAIN);
    assert_eq!(model.form.value(Field::Block), "512");
    assert_eq!(model.form.value(Field::Coarsen), "16");
    assert_eq!(model.chart.series().len(), 2);
}

/// An output of the fixture's histogram with so many bins.
fn output(bins: u64, origin: Origin) -> ShownOutput {
    let mut case = case("global", 1 << 16);
    case.params.insert("bins".to_owned(), ParamValue::Int(bins));
    ShownOutput { view: View::Bins(Bins::of(vec![1; bins as usize])), case, origin, phases: vec![] }
}

#[test]
fn a_preview_replaces_no_result_and_comes_too_late_for_other_settings() {
    let mut model = model(PLAIN);
    let preview = |model: &mut Model, bins| {
        let shown = Box::new(output(bins, Origin::Reference));
        update(model, Action::Preview(shown), Duration::ZERO);
        model.output.as_ref().map(|shown| (shown.case.int("bins"), shown.origin))
    };
    assert_eq!(preview(&mut model, 16), None, "the form says 8");
    assert_eq!(preview(&mut model, 8), Some((Some(8), Origin::Reference)));
    let mut result = output(8, Origin::Wrong);
    result.case = model.selected.clone().unwrap().case;
    result.case.params.insert("bins".to_owned(), ParamValue::Int(8));
    model.outputs.add(result);
    assert_eq!(preview(&mut model, 8), Some((Some(8), Origin::Wrong)));
    // One of another case stays out of sight.
    for _ in 0..2 {
        press(&mut model, Command::NextVariant, 0.0);
    }
    assert_eq!(model.selected.as_ref().unwrap().case.variant, "shared");
    assert_eq!(preview(&mut model, 8), Some((Some(8), Origin::Reference)));
}

#[test]
fn the_newest_output_is_shown_with_what_it_is_worth() {
    let mut model = model(PLAIN);
    run(&mut model, 3);
    let origin = |model: &Model| model.output.as_ref().map(|shown| shown.origin);
    assert_eq!(origin(&model), Some(Origin::Verified));
    let mut record = modelled("shared", 1 << 12);
    record.verified = Some(false);
    let view = Some(View::Bins(Bins::of([1, 2])));
    let event = Event::Finished { record: Box::new(record), view, from_store: false };
    report(&mut model, event, 2.0);
    assert_eq!(origin(&model), Some(Origin::Wrong));
    assert_eq!(model.output.as_ref().unwrap().case.variant, "shared");
}

#[test]
fn published_times_lie_over_the_chart_until_they_are_taken_away() {
    let mut model = model(PLAIN);
    let own = model.chart.series().len();
    press(&mut model, Command::Published, 0.0);
    let published: Vec<_> = model
        .chart
        .series()
        .iter()
        .filter(|series| series.provenance == Provenance::Reported)
        .map(|series| series.label.clone())
        .collect();
    assert_eq!(published, ["global · 32 · reported · GTX 745", "shared · 32 · reported · GTX 745"]);
    // Two of the published times were taken of no block at all.
    assert!(model.notice.as_ref().unwrap().text.contains("2 more"), "{:?}", model.notice);
    press(&mut model, Command::Published, 1.0);
    assert_eq!(model.chart.series().len(), own);
}

#[test]
fn the_crosshair_stays_in_the_zoomed_part_and_two_points_with_it() {
    let mut model = model(PLAIN);
    let seen = |model: &Model| {
        let (low, high) = model.chart.shown_x().unwrap();
        let cross = model.chart.cross().unwrap();
        assert!((low..=high).contains(&cross), "{cross} is not in {low}..{high}");
        let part = model.chart.zoom.unwrap_or((0.0, 1.0));
        model.chart.stops_within(part).len()
    };
    for command in [Command::ZoomIn; 12] {
        press(&mut model, command, 0.0);
        assert!(seen(&model) >= 2);
    }
    press(&mut model, Command::Panel(Panel::Chart), 0.0);
    for command in [Command::Left, Command::PanLeft, Command::PanRight, Command::First] {
        for _ in 0..6 {
            press(&mut model, command, 0.0);
            assert!(seen(&model) >= 1);
        }
    }
    press(&mut model, Command::ZoomAll, 0.0);
    assert_eq!(model.chart.zoom, None);
}

#[test]
fn the_arrows_are_the_forms_again_after_another_screen() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Show(Screen::Tune), 0.0);
    press(&mut model, Command::Down, 0.0);
    press(&mut model, Command::Show(Screen::Sweep), 0.0);
    assert_eq!(model.panel, Panel::Form);
    press(&mut model, Command::Up, 0.0);
    assert_eq!(model.chart.zoom, None);
    assert_eq!(model.form.field, Field::Algorithm);
    press(&mut model, Command::NextPanel, 0.0);
    press(&mut model, Command::Show(Screen::Output), 0.0);
    press(&mut model, Command::Show(Screen::Sweep), 0.0);
    assert_eq!(model.panel, Panel::Chart, "as it was left");
}
