//! Lists to choose from: opening one, moving over it, and what is chosen.

use crate::figure::{Baseline, Curve, YAxis};
use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Panel, Screen};
use crate::tui::app::update::do_command;
use crate::tui::dialogs::picker::state::{Kind, Pick, Picker};
use crate::tui::dialogs::state::Overlay;
use crate::tui::dialogs::terms::update as terms;
use crate::tui::screens::sweep::form::state::Field;
use crate::tui::screens::sweep::form::update as form;

/// Opens a list.
pub(crate) fn open(model: &mut Model, kind: Kind) {
    model.overlay = Some(Overlay::Pick(Picker::new(kind, model)));
}

/// A command while a list is open.
pub(crate) fn command(model: &mut Model, command: Command) {
    let Some(Overlay::Pick(picker)) = &model.overlay else { return };
    let rows = picker.shown(model).len();
    let last = rows.saturating_sub(1);
    let at = picker.cursor.min(last);
    let to = match command {
        Command::Up => at.checked_sub(1).unwrap_or(last),
        Command::Down | Command::NextPanel => (at + 1) % rows.max(1),
        Command::PanLeft => at.saturating_sub(10),
        Command::PanRight => (at + 10).min(last),
        Command::Enter => return pick(model, at),
        Command::Pick(row) => return pick(model, row),
        _ => return,
    };
    if let Some(Overlay::Pick(picker)) = &mut model.overlay {
        picker.cursor = to;
    }
}

/// Does what the row says, with the list closed.
fn pick(model: &mut Model, row: usize) {
    let Some(Overlay::Pick(picker)) = &model.overlay else { return };
    let (kind, shown) = (picker.kind, picker.shown(model));
    let Some(item) = shown.into_iter().nth(row) else { return };
    model.overlay = None;
    match (item.pick, kind) {
        (Pick::Do(command), _) => do_command(model, command),
        (Pick::Edit(field), _) => edit(model, field),
        (Pick::Value(value), Kind::Field(field)) => form::set(model, field, value),
        (Pick::Value(_), _) => {}
        (Pick::Over(curve), _) => over(model, curve),
        (Pick::Define(word), _) => terms::define(model, word),
    }
}

/// Goes to a field and changes it.
fn edit(model: &mut Model, field: Field) {
    if model.screen == Screen::Runs {
        model.screen = Screen::Sweep;
    }
    model.panel = Panel::Form;
    model.form.field = field;
    form::enter(model);
}

/// Takes a curve, or the first variants, as what a speed-up is over.
fn over(model: &mut Model, curve: Option<usize>) {
    let chart = &mut model.chart;
    chart.baseline = curve.and_then(|index| {
        let series = chart.figure.as_ref()?.series.get(index)?;
        let place = series.points.last()?.record;
        Some(Baseline::Curve(Box::new(Curve {
            of: chart.records.get(place)?.clone(),
            run: chart.runs.get(place).cloned().flatten(),
            label: series.label.clone(),
        })))
    });
    (chart.choice.y, chart.choice.log_y) = (YAxis::Speedup, false);
    chart.redraw();
    if let Some(figure) = &chart.figure {
        let label = figure.y.label.clone();
        model.info(format!("y axis: {label} (b: other baseline, Y: time)"));
    }
}
