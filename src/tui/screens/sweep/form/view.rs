//! The experiment form.

use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::algorithms;
use crate::tui::app::action::Command;
use crate::tui::app::model::Panel;
use crate::tui::screens::sweep::form::state::{Editor, Field};
use crate::tui::widgets::ui::{Ui, fit, width, wrap};

/// Columns of the labels.
const LABELS: u16 = 11;

/// Rows that the fields take.
pub(crate) fn rows(ui: &Ui) -> u16 {
    ui.model.form.fields().len() as u16
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    ui.hit(area, Command::Panel(Panel::Form));
    let focused = ui.model.panel == Panel::Form;
    let title = match &ui.model.run {
        Some(run) if run.experiment != ui.model.form.experiment => "Experiment (next run)",
        _ => "Experiment",
    };
    let inner = ui.panel(area, title, focused);
    let fields = ui.model.form.fields();
    let first = first_shown(ui, &fields, inner.height);
    let rows = (inner.y..inner.bottom()).zip(fields.iter().skip(first));
    for (y, field) in rows {
        draw_field(ui, Rect { y, height: 1, ..inner }, *field, focused);
    }
    // Arrows say where there is more.
    let more = fields.len() > first + usize::from(inner.height);
    for (is, y, arrow) in [(first > 0, inner.y, "↑"), (more, inner.bottom() - 1, "↓")] {
        if is && inner.width > 0 {
            ui.text(inner.right() - 1, y, 1, arrow, ui.theme.accent);
        }
    }
    // Where there is room, the selected field is explained below the others.
    let below = fields.len() as u16 + 1;
    if inner.height > below {
        let hint = ui.model.form.hint(ui.model.form.field);
        for (row, line) in (below..inner.height).zip(wrap(&hint, inner.width.saturating_sub(2))) {
            ui.text(inner.x + 1, inner.y + row, inner.width - 1, &line, ui.theme.dim);
        }
    }
}

/// The first field that is shown where there are more than rows: the selected
/// one stays near the middle.
fn first_shown(ui: &Ui, fields: &[Field], rows: u16) -> usize {
    let rows = usize::from(rows);
    let selected = fields.iter().position(|field| *field == ui.model.form.field).unwrap_or(0);
    selected.saturating_sub(rows / 2).min(fields.len().saturating_sub(rows))
}

fn draw_field(ui: &mut Ui, area: Rect, field: Field, focused: bool) {
    let form = &ui.model.form;
    let selected = focused && form.field == field;
    ui.hit(area, Command::Click(field));
    let value = Rect { x: area.x + 1 + LABELS, width: area.width - 1 - LABELS, ..area };
    // Long names of variants begin where their label would stand, which the
    // ticks make plain.
    let cramped = matches!(field, Field::Variant(_))
        && form.algorithm().variants().iter().any(|it| 4 + width(it.name) >= value.width);
    let label = if cramped { String::new() } else { form.label(field) };
    let pointer = if selected { "▸" } else { " " };
    ui.text(area.x, area.y, 1, pointer, ui.theme.accent);
    ui.text(area.x + 1, area.y, LABELS, &label, ui.theme.dim);
    let style = if selected { ui.theme.selected } else { ui.theme.base };

    if let (true, Some(editor)) = (selected, &form.editor) {
        return draw_editor(ui, value, editor);
    }
    match field {
        Field::Variant(index) => {
            let tick = if form.ticked(index) { "[x]" } else { "[ ]" };
            let name = form.value(field);
            let shift = if cramped { LABELS } else { 0 };
            let room = value.width + shift;
            // The last column is for the arrows.
            let (algorithm, most) = (form.algorithm(), room.saturating_sub(5));
            // All names are short, or none.
            let long = algorithm.variants().iter().any(|it| width(it.name) > most);
            let short = algorithms::short_name(algorithm.name(), &name);
            let text = format!("{tick} {}", fit(if long { short } else { &name }, most));
            ui.text(value.x - shift, value.y, room, &text, style);
        }
        Field::Sizes => {
            ui.text(value.x, value.y, value.width, &form.value(field), style);
        }
        Field::Sample if !emulates(ui) => {
            ui.text(value.x, value.y, value.width, "every block runs", ui.theme.dim);
        }
        Field::Gpu if !emulates(ui) => {
            ui.text(value.x, value.y, value.width, "the real one", ui.theme.dim);
        }
        _ => {
            let text = form.shown(field);
            let room = value.width.saturating_sub(4);
            let x = ui.button(value.x, value.y, 2, "‹ ", style, Command::Step(field, false));
            let x = ui.text(x, value.y, room, &fit(&text, room), style);
            ui.button(x, value.y, 2, " ›", style, Command::Step(field, true));
        }
    }
}

/// Whether the GPU profile matters.
fn emulates(ui: &Ui) -> bool {
    ui.model.form.experiment.target.backend != crate::experiment::BackendChoice::Cuda
}

/// Text being typed, scrolled so that the cursor is in sight.
fn draw_editor(ui: &mut Ui, area: Rect, editor: &Editor) {
    let style = match editor.error {
        Some(_) => {
            ui.theme.bad.patch(Style::new().add_modifier(ratatui::style::Modifier::UNDERLINED))
        }
        None => ui.theme.base.add_modifier(ratatui::style::Modifier::UNDERLINED),
    };
    let text = editor.line.text();
    draw_text(ui, area, &text, editor.line.cursor(), style);
    let room = area.width.saturating_sub(1);
    if editor.line.is_selected() && width(&text) <= room {
        let selected = ui.theme.selected;
        ui.text(area.x, area.y, room, &text, selected);
    }
}

/// A line of text with the terminal's cursor in it.
pub(crate) fn draw_text(ui: &mut Ui, area: Rect, text: &str, cursor: usize, style: Style) {
    let room = usize::from(area.width.saturating_sub(1));
    let skip = cursor.saturating_sub(room);
    let shown: String = text.chars().skip(skip).take(room).collect();
    let blank = " ".repeat(room.saturating_sub(usize::from(width(&shown))));
    ui.text(area.x, area.y, area.width, &format!("{shown}{blank}"), style);
    ui.cursor = Some(Position::new(area.x + (cursor - skip) as u16, area.y));
}
