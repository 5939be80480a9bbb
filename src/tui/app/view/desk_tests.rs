//! The palette, the copied command and the layout for a projector as text.

use std::time::Duration;

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::tui::app::action::{Action, Command};
use crate::tui::app::keys;
use crate::tui::app::model::{Look, Model, Panel};
use crate::tui::app::update::update;
use crate::tui::app::view::tests::{SIZES, screen, text};
use crate::tui::dialogs::state::Edit;
use crate::tui::fixture::{PLAIN, model, press, run};
use crate::tui::screens::sweep::form::state::Field;

#[test]
fn the_palette_and_the_lists_of_values() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Palette, 0.0);
    insta::assert_snapshot!("palette_80x24", text(&model, 80, 24));
    for c in "run".chars() {
        update(&mut model, Action::Edit(Edit::Insert(c)), Duration::ZERO);
    }
    let found = text(&model, 80, 24);
    assert!(found.contains("▸ run the experiment in the form"), "the best is on top:\n{found}");
    press(&mut model, Command::Cancel, 0.0);
    (model.panel, model.form.field) = (Panel::Form, Field::Algorithm);
    press(&mut model, Command::Enter, 0.0);
    insta::assert_snapshot!("algorithms_80x24", text(&model, 80, 24));
}

#[test]
fn the_copied_command_is_there_to_be_read() {
    let mut model = model(PLAIN);
    press(&mut model, Command::Copy, 0.0);
    insta::assert_snapshot!("copied_80x24", text(&model, 80, 24));
}

#[test]
fn the_layout_for_a_projector() {
    let mut presented = model(PLAIN);
    run(&mut presented, 26);
    press(&mut presented, Command::Present, 5.0);
    let asked = text(&presented, 120, 40);
    insta::assert_snapshot!("present_hidden_120x40", asked);
    press(&mut presented, Command::Pause, 5.0);
    assert!(presented.revealed && text(&presented, 120, 40) != asked);
    for (width, height) in SIZES {
        let shown = text(&presented, width, height);
        insta::assert_snapshot!(format!("present_{width}x{height}"), shown);
    }
    press(&mut presented, Command::Why, 5.0);
    insta::assert_snapshot!("present_why_120x40", text(&presented, 120, 40));
    let first = text(&presented, 80, 24);
    press(&mut presented, Command::Down, 5.0);
    assert!(text(&presented, 80, 24) != first, "what does not fit is on the next page");
    press(&mut presented, Command::Cancel, 5.0);
    presented.look.ascii = true;
    let plain = text(&presented, 200, 60);
    assert!(plain.is_ascii() && plain.lines().next().unwrap().contains("##"), "{plain}");
    // Without two curves to compare the headline is a time.
    let mut alone = model(Look { colour: false, ..PLAIN });
    press(&mut alone, Command::Present, 0.0);
    press(&mut alone, Command::Step(Field::Variant(0), true), 0.0);
    let shown = text(&alone, 80, 24);
    assert!(shown.contains("for shared at 2²² elements (recorded · NVIDIA H200)"), "{shown}");
}

#[test]
fn the_legend_lights_the_curve_under_the_pointer_or_the_chosen_one() {
    let mut model = model(PLAIN);
    let lit = |model: &Model| {
        let series = &model.chart.series()[model.chart.lit()?];
        Some(format!("{} {}", series.brief, series.provenance))
    };
    for wanted in ["global recorded", "shared recorded", "global recorded"] {
        press(&mut model, Command::NextVariant, 0.0);
        assert_eq!(lit(&model).as_deref(), Some(wanted));
    }
    assert!(text(&model, 120, 40).contains("▸▲ global"));
    // Records that come leave the curve lit.
    run(&mut model, 4);
    assert!(model.chart.series().len() > 2);
    assert_eq!(lit(&model).as_deref(), Some("global recorded"));
    let mut model = crate::tui::fixture::model(PLAIN);
    let (_, drawn) = screen(&model, 120, 40);
    let entry = drawn.hits.iter().find(|hit| hit.command == Command::Curve(1)).unwrap().area;
    let mouse = |kind, model: &Model, (column, row): (u16, u16)| {
        let event = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        keys::action(&Event::Mouse(event), model, &drawn)
    };
    let over = (entry.x + 4, entry.y);
    let hover = mouse(MouseEventKind::Moved, &model, over).unwrap();
    assert_eq!(hover, Action::Hover(Some(1)));
    update(&mut model, hover, Duration::ZERO);
    assert_eq!(lit(&model).as_deref(), Some("shared recorded"));
    assert_eq!(mouse(MouseEventKind::Moved, &model, over), None, "nothing to draw again");
    // It goes out with the pointer, unless it was clicked.
    let away = mouse(MouseEventKind::Moved, &model, (1, 1)).unwrap();
    assert_eq!(away, Action::Hover(None));
    update(&mut model, away, Duration::ZERO);
    assert_eq!(lit(&model), None);
    let click = mouse(MouseEventKind::Down(MouseButton::Left), &model, over).unwrap();
    update(&mut model, click, Duration::ZERO);
    assert_eq!(lit(&model).as_deref(), Some("shared recorded"));
    let scrolled = mouse(MouseEventKind::ScrollDown, &model, over).unwrap();
    assert_eq!(scrolled, Action::Do(Command::NextVariant));
    press(&mut model, Command::Cancel, 0.0);
    assert_eq!(lit(&model), None, "Esc lets all be alike again");
}
