//! Screens as text, at every size and in every mode, and random input.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use crossterm::event::{Event as Input, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::results::record::Wrong;
use crate::runner::scheduler::Event;
use crate::tui::app::action::{Action, Command};
use crate::tui::app::keys as keymap;
use crate::tui::app::model::{Look, Model, Origin, Screen, ShownOutput};
use crate::tui::app::update::update;
use crate::tui::app::view::draw;
use crate::tui::dialogs::state::{ExportState, Overlay};
use crate::tui::fixture;
use crate::tui::fixture::{
    PLAIN, bins, case, device, model, modelled, press, recorded, report, run,
};
use crate::tui::theme::Name;
use crate::tui::widgets::ui::{Drawn, wrap};
use crate::work::View;

pub(crate) fn screen(model: &Model, width: u16, height: u16) -> (Buffer, Drawn) {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let mut drawn = Drawn::default();
    terminal.draw(|frame| drawn = draw(frame, model)).unwrap();
    (terminal.backend().buffer().clone(), drawn)
}

pub(crate) fn text(model: &Model, width: u16, height: u16) -> String {
    let (buffer, _) = screen(model, width, height);
    let rows = buffer.content.chunks(usize::from(width));
    let line = |row: &[ratatui::buffer::Cell]| {
        let line: String = row.iter().map(ratatui::buffer::Cell::symbol).collect();
        line.trim_end().to_owned() + "\n"
    };
    rows.map(line).collect()
}

/// Before any key: the recording, and the bins of the CPU reference.
pub(crate) fn opening(look: Look) -> Model {
    let mut model = model(look);
    let shown = ShownOutput {
        view: View::Bins(bins(1 << 16)),
        case: case("global", 1 << 16),
        origin: Origin::Reference,
        phases: Vec::new(),
    };
    update(&mut model, Action::Preview(Box::new(shown)), Duration::from_millis(5));
    model
}

pub(crate) const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

#[test]
fn lines_break_between_words_but_not_inside_numbers() {
    let lines = wrap("largest 0: 1 481 337 of  4 096, in 12 bins", 14);
    assert_eq!(lines, ["largest 0:", "1 481 337 of", "4 096, in 12", "bins"]);
    assert_eq!(wrap("", 5), [""; 0]);
}

#[test]
fn the_screen_before_any_key() {
    for (width, height) in SIZES {
        insta::assert_snapshot!(
            format!("opening_{width}x{height}"),
            text(&opening(PLAIN), width, height)
        );
    }
}

#[test]
fn the_screen_while_a_sweep_runs() {
    for (width, height) in SIZES {
        let mut model = opening(PLAIN);
        run(&mut model, 15);
        insta::assert_snapshot!(format!("running_{width}x{height}"), text(&model, width, height));
    }
}

#[test]
fn the_screen_after_a_sweep() {
    let mut model = opening(PLAIN);
    run(&mut model, 26);
    insta::assert_snapshot!("finished_120x40", text(&model, 120, 40));
}

#[test]
fn what_lies_over_the_screen() {
    let mut model = opening(PLAIN);
    press(&mut model, Command::Help, 1.0);
    let help = text(&model, 80, 24);
    assert!(!help.contains('…'), "a line of the help is cut off:\n{help}");
    insta::assert_snapshot!("help_80x24", help);
    insta::assert_snapshot!("help_200x60", text(&model, 200, 60));
    press(&mut model, Command::Cancel, 1.0);
    press(&mut model, Command::Export, 1.0);
    insta::assert_snapshot!("export_80x24", text(&model, 80, 24));
    press(&mut model, Command::Cancel, 1.0);
    run(&mut model, 3);
    press(&mut model, Command::Quit, 2.0);
    insta::assert_snapshot!("leave_80x24", text(&model, 80, 24));
}

#[test]
fn the_box_that_says_why() {
    let mut model = opening(PLAIN);
    press(&mut model, Command::Why, 1.0);
    let silent = text(&model, 80, 24);
    assert!(silent.contains("counting global on the emulator, 0 s (Esc cancels)"), "{silent}");
    press(&mut model, Command::Cancel, 1.0);
    run(&mut model, 26);
    press(&mut model, Command::Why, 2.0);
    for (width, height) in SIZES {
        let shown = text(&model, width, height);
        insta::assert_snapshot!(format!("why_{width}x{height}"), shown);
    }
}

/// A run of the Tune screen at 2^22; all cells but two have ended.
fn tuned() -> Model {
    let mut model = opening(PLAIN);
    press(&mut model, Command::Show(Screen::Tune), 0.5);
    press(&mut model, Command::Run, 1.0);
    report(&mut model, Event::Ready { worker: 0, of: 1, device: device() }, 1.1);
    report(&mut model, Event::Planned { cases: 60, stored: 0, skipped: 0 }, 1.1);
    for (step, block) in [32, 64, 128, 256, 512, 1024].into_iter().enumerate() {
        for coarsen in [1, 2, 4, 8, 16] {
            if block == 1024 && coarsen > 4 {
                continue;
            }
            let mut record = modelled("global", 1 << 22);
            (record.block, record.coarsen) = (block, coarsen);
            let off =
                (f64::from(block).log2() - 8.0).abs() + (f64::from(coarsen).log2() - 3.0).abs();
            record.seconds.as_mut().unwrap().median = 20e-6 * (1.0 + off * off / 4.0);
            if block == 1024 && coarsen == 4 {
                record.seconds = None;
                record.verified = None;
                record.skip = Some("the grid would have no blocks".into());
            }
            let event = Event::Finished { record: Box::new(record), view: None, from_store: false };
            report(&mut model, event, 1.2 + step as f64 / 10.0);
        }
    }
    model
}

#[test]
fn the_tune_screen_fills_and_marks_the_best() {
    let mut model = opening(PLAIN);
    press(&mut model, Command::Show(Screen::Tune), 0.5);
    insta::assert_snapshot!("tune_opening_120x40", text(&model, 120, 40));
    model = tuned();
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("tune_{width}x{height}"), text(&model, width, height));
    }
    press(&mut model, Command::Last, 3.0);
    for _ in 0..2 {
        press(&mut model, Command::Up, 3.0);
    }
    assert_eq!(model.tune.cursor, Some((1024, 2)));
    press(&mut model, Command::Down, 3.0);
    let skipped = text(&model, 80, 24);
    assert!(skipped.contains("skipped: the grid would have no"), "{skipped}");
}

#[test]
fn the_ladder_shows_what_each_variant_bought() {
    let mut model = opening(PLAIN);
    press(&mut model, Command::Show(Screen::Tune), 0.5);
    press(&mut model, Command::Flip, 0.6);
    for (width, height) in SIZES {
        insta::assert_snapshot!(format!("ladder_{width}x{height}"), text(&model, width, height));
    }
    let picture = crate::tui::dialogs::picture::of(&model).unwrap();
    assert!(picture.words().title.starts_with("histogram: ladder at n = 2^"));
    // A smaller size has its own; what runs now comes before the recording.
    press(&mut model, Command::PanLeft, 0.7);
    assert!(text(&model, 120, 40).contains("ladder at 2²¹ elements"));
    run(&mut model, 26);
    assert!(text(&model, 120, 40).contains("modelled"));
    press(&mut model, Command::Flip, 9.0);
    assert!(!text(&model, 120, 40).contains("ladder at"));
}

#[test]
fn a_ladder_without_results_says_what_to_press() {
    let mut model = opening(PLAIN);
    model.shown = Vec::new().into();
    model.built_in = false;
    model.rebuild_chart();
    press(&mut model, Command::Show(Screen::Tune), 0.5);
    press(&mut model, Command::Flip, 0.6);
    let shown = text(&model, 80, 24);
    assert!(shown.contains("no results yet: press r to run"), "{shown}");
}

#[test]
fn wrong_and_skipped_cases_are_named() {
    let mut model = opening(PLAIN);
    run(&mut model, 4);
    let mut wrong = fixture::modelled("shared", 1 << 12);
    wrong.seconds = None;
    wrong.verified = Some(false);
    wrong.wrong = Some(Box::new(Wrong {
        kind: "mismatch".into(),
        kernel: None,
        file: None,
        line: None,
        block: None,
        lanes: Vec::new(),
        index: Some(3),
        expected: Some("512".to_owned()),
        got: Some("511".to_owned()),
        message: "output[3] is 511, the reference has 512 (1 elements differ)".to_owned(),
    }));
    let mut skipped = fixture::modelled("shared", 1 << 13);
    skipped.seconds = None;
    skipped.verified = None;
    skipped.skip = Some("8 bins need more shared memory than there is".into());
    for record in [wrong, skipped] {
        let event = Event::Finished { record: Box::new(record), view: None, from_store: false };
        report(&mut model, event, 2.0);
    }
    let text = text(&model, 120, 40);
    for part in [
        "✗ shared wrong: output[3] is 511, the reference has 512",
        "– shared skipped: 8 bins need more shared memory than there is",
        "1 wrong",
        "1 skipped",
    ] {
        assert!(text.contains(part), "{part} is not on\n{text}");
    }
}

#[test]
fn a_worker_that_dies_is_not_the_kernel_s_fault() {
    let mut model = opening(PLAIN);
    run(&mut model, 4);
    let mut failed = fixture::modelled("shared", 1 << 12);
    failed.seconds = None;
    failed.verified = None;
    failed.wrong = Some(Box::new(Wrong {
        kind: "worker-died".into(),
        kernel: None,
        file: None,
        line: None,
        block: None,
        lanes: Vec::new(),
        index: None,
        expected: None,
        got: None,
        message: "the worker process ended (signal: 9 (SIGKILL))".to_owned(),
    }));
    let event = Event::Finished { record: Box::new(failed), view: None, from_store: false };
    report(&mut model, event, 2.0);
    let text = text(&model, 120, 40);
    assert!(text.contains("failed: shared at 2^12 elements: the worker process ended"), "{text}");
    assert!(!text.contains("wrong: "), "{text}");
}

#[test]
fn skipped_cases_do_not_push_the_curves_out_of_a_small_legend() {
    let mut model = opening(PLAIN);
    run(&mut model, 4);
    for (exponent, reason) in [(12, "too large"), (13, "too small"), (14, "too odd")] {
        let mut skipped = fixture::modelled("shared", 1 << exponent);
        skipped.seconds = None;
        skipped.verified = None;
        skipped.skip = Some(reason.into());
        let event = Event::Finished { record: Box::new(skipped), view: None, from_store: false };
        report(&mut model, event, 2.0);
    }
    let small = text(&model, 80, 24);
    let notes = small.lines().filter(|line| line.contains("– shared skipped")).count();
    assert_eq!(notes, 1, "{small}");
    assert!(small.contains("… and 2 more curves"), "{small}");
    let large = text(&model, 120, 40);
    for reason in ["too large", "too small", "too odd"] {
        assert!(large.contains(reason), "{large}");
    }
}

#[test]
fn ascii_mode_draws_nothing_but_ascii() {
    let look = Look { ascii: true, ..PLAIN };
    let mut model = opening(look);
    run(&mut model, 15);
    let with_unicode = Model { look: PLAIN, ..model.clone() };
    for (width, height) in SIZES {
        let text = text(&model, width, height);
        assert!(text.is_ascii(), "{text}");
        // No symbol without a replacement of its own.
        let unicode = self::text(&with_unicode, width, height);
        assert_eq!(text.matches('?').count(), unicode.matches('?').count(), "{text}");
    }
    insta::assert_snapshot!("ascii_80x24", text(&model, 80, 24));
    for command in [Command::Help, Command::Export] {
        press(&mut model, command, 3.0);
        assert!(text(&model, 80, 24).is_ascii());
    }
}

#[test]
fn without_colour_the_text_is_the_same_but_for_the_grid_and_selection_shows() {
    let look = Look { colour: false, ..PLAIN };
    let mut model = opening(look);
    run(&mut model, 15);
    let (buffer, _) = screen(&model, 120, 40);
    for cell in &buffer.content {
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{cell:?}");
    }
    let reversed: String = buffer
        .content
        .iter()
        .filter(|cell| cell.modifier.contains(Modifier::REVERSED))
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert!(reversed.contains("[x] global"), "the selected field: {reversed}");
    insta::assert_snapshot!("no_color_120x40", text(&model, 120, 40));
}

#[test]
fn every_theme_has_the_same_text() {
    let text_in = |theme| {
        let mut model = opening(Look { theme, ..PLAIN });
        run(&mut model, 15);
        text(&model, 120, 40)
    };
    let dark = text_in(Name::Dark);
    assert_eq!(text_in(Name::Light), dark);
    assert_eq!(text_in(Name::HighContrast), dark);
}

#[test]
fn a_small_terminal_says_what_it_needs() {
    for (width, height) in [(79, 24), (80, 23), (40, 10), (10, 3), (1, 1)] {
        let text = text(&opening(PLAIN), width, height);
        assert!(width < 20 || text.contains("needs 80 columns and 24"), "{text}");
    }
}

#[test]
fn the_crosshair_shows_the_value_of_the_point_that_was_clicked() {
    let mut model = opening(PLAIN);
    for (width, height) in SIZES {
        let (_, drawn) = screen(&model, width, height);
        let plot = drawn.plot.clone().unwrap();
        for exponent in 10..=22 {
            let n = f64::from(1u32 << exponent);
            let column = plot.column(n).unwrap();
            assert!(plot.area.contains((column, plot.area.y).into()));
            let click = Input::Mouse(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column,
                row: plot.area.y + 1,
                modifiers: KeyModifiers::NONE,
            });
            let action = keymap::action(&click, &model, &drawn).unwrap();
            update(&mut model, action, Duration::ZERO);
            assert_eq!(model.chart.cross(), Some(n), "{width}x{height}");
        }
        model.chart.crosshair = None;
    }
    update(&mut model, Action::Cross(f64::from(1u32 << 20)), Duration::ZERO);
    let text = text(&model, 120, 40);
    let median = crate::units::Seconds(recorded("shared", 1 << 20).median().unwrap()).to_string();
    assert!(text.contains("at 2²⁰ elements") && text.contains(&median), "{median} in\n{text}");
}

#[test]
fn every_command_of_the_help_can_be_clicked() {
    let mut model = opening(PLAIN);
    press(&mut model, Command::Help, 1.0);
    let mut clickable = Vec::new();
    for page in 0..keymap::HELP_PAGES {
        let (_, drawn) = screen(&model, 80, 24);
        // What lies over the screen comes after what lies under it.
        let from = drawn.hits.iter().position(|hit| hit.command == Command::Nothing).unwrap();
        clickable.extend(drawn.hits[from..].iter().map(|hit| hit.command));
        let text = text(&model, 80, 24);
        assert!(!text.contains('…') && text.contains(&format!("page {}", page + 1)), "{text}");
        press(&mut model, Command::Down, 1.0);
    }
    for binding in keymap::BINDINGS {
        let there = clickable.contains(&binding.command);
        assert!(there, "{} cannot be clicked at 80x24", binding.shown);
    }
    assert!(!text(&model, 200, 60).contains("page"), "one page is enough there");
}

#[test]
fn recorded_and_live_curves_differ_in_marker_and_legend() {
    let mut model = opening(PLAIN);
    run(&mut model, 26);
    let text = text(&model, 200, 60);
    let legend: Vec<&str> = text.lines().filter(|line| line.contains("verified  ")).collect();
    let rows: Vec<&str> =
        legend.iter().map(|line| line.split('│').next_back().unwrap_or("")).collect();
    assert_eq!(rows.len(), 4, "{text}");
    let joined = legend.join("\n");
    assert_eq!(joined.matches("recorded · NVIDIA H200").count(), 2, "{text}");
    assert_eq!(joined.matches("modelled · H200 SXM · unvalidated").count(), 2, "{text}");
    let mut markers: Vec<&str> = ["▲", "●", "□", "◇", "△", "○", "■", "◆"]
        .into_iter()
        .filter(|marker| joined.contains(marker))
        .collect();
    markers.dedup();
    assert_eq!(markers.len(), 4, "{joined}");
}

#[test]
fn the_export_dialog_tells_how_it_went() {
    let mut model = opening(PLAIN);
    press(&mut model, Command::Export, 1.0);
    for (state, part) in [
        (ExportState::Exists, "press Enter again to replace it"),
        (ExportState::Saved("/tmp/x.png".into()), "✓ saved /tmp/x.png"),
        (ExportState::Failed("cannot write x".to_owned()), "✗ cannot write x"),
    ] {
        if let Some(Overlay::Export(export)) = &mut model.overlay {
            export.state = state;
        }
        let text = text(&model, 80, 24);
        assert!(text.contains(part), "{text}");
    }
}
