//! The layout for a projector: the chart, one headline in large letters, and one
//! row of controls.
//!
//! ```text
//! 64× FASTER          large, two to four rows
//! shared than global at 2^22 elements (recorded · NVIDIA H200)
//! chart
//! markers and names of the curves
//! one row of controls
//! ```

use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use tui_big_text::{BigText, PixelSize};

use crate::figure::Time;
use crate::tui::app::action::Command;
use crate::tui::dialogs::why::state as why;
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::form::state::{Field, Form};
use crate::tui::screens::sweep::state::short_label;
use crate::tui::theme::Theme;
use crate::tui::widgets::chart;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, fit, width};
use crate::units::{Seconds, significant};

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let (large, below) = headline(ui);
    // In ASCII a part of a cell cannot be drawn, a whole one can.
    let (size, cells, rows) = if ui.model.look.ascii || area.height >= 50 {
        (PixelSize::Full, 8, 8)
    } else if area.height >= 40 {
        (PixelSize::HalfHeight, 8, 4)
    } else {
        (PixelSize::Quadrant, 4, 4)
    };
    let fits = width(&large) * cells <= area.width.saturating_sub(2) && area.height >= 24;
    let mut y = area.y;
    if fits {
        let text = BigText::builder()
            .pixel_size(size)
            .style(ui.theme.accent)
            .lines(vec![large.into()])
            .build();
        text.render(Rect::new(area.x + 1, y, area.width - 2, rows), ui.buffer);
        y += rows;
    } else {
        ui.text(area.x + 1, y, area.width - 2, &large, ui.theme.title);
        y += 1;
    }
    ui.text(area.x + 1, y, area.width - 2, &below, ui.theme.base);
    y += 1;
    let bottom = area.bottom() - 2;
    chart::draw(ui, Rect { y, height: bottom.saturating_sub(y), ..area });
    curves(ui, Rect { y: bottom, height: 1, ..area });
    controls(ui, Rect { y: bottom + 1, height: 1, ..area });
}

/// What is to be read from afar, and the rest of the sentence.
fn headline(ui: &Ui) -> (String, String) {
    let (large, below) = difference(ui).unwrap_or_else(|| named(ui));
    (large, ui.model.notice.as_ref().map_or(below, |notice| notice.text.clone()))
}

/// `64× faster`, and who than whom.
fn difference(ui: &Ui) -> Option<(String, String)> {
    let chart = &ui.model.chart;
    let pair = why::pair(chart)?;
    let ratio = 1.0 / why::compared(chart, &pair)?.ratio;
    let wordings = explain::sentences(chart);
    let room = ui.buffer.area.width.saturating_sub(2);
    let sentence = wordings.iter().find(|text| width(text) <= room).or(wordings.last())?.clone();
    Some((format!("{}x faster", significant(ratio)), sentence))
}

/// The algorithm, and the value under the crosshair.
fn named(ui: &Ui) -> (String, String) {
    let chart = &ui.model.chart;
    let algorithm = ui.model.selection.algorithm.clone();
    let record = chart.records.iter().rev().find(|record| record.seconds.is_some());
    let Some(record) = record else {
        return (algorithm, "no results yet: press r to run".to_owned());
    };
    let time = chart.choice.time.of(record).map(|time| Seconds(time).to_string());
    let kind = if chart.choice.time == Time::EndToEnd { " end to end" } else { "" };
    let below = format!(
        "{}{kind} for {} at {} ({})",
        time.clone().unwrap_or_default(),
        record.variant,
        sized(&record.algorithm, record.n),
        record.provenance_label()
    );
    (time.unwrap_or(algorithm), ui.set(&below).into_owned())
}

/// Marker and name of each curve, in one row.
fn curves(ui: &mut Ui, area: Rect) {
    let mut x = area.x + 1;
    let series: Vec<_> = ui.model.chart.series().to_vec();
    for (index, curve) in series.iter().enumerate() {
        let source = if index == 0 || curve.provenance != series[0].provenance {
            format!(" ({})", curve.provenance)
        } else {
            String::new()
        };
        let text = format!("{}{source}", short_label(curve));
        let room = area.right().saturating_sub(x + 2);
        if room < 6 {
            break;
        }
        let style = ui.theme.curve(curve.pen);
        x = ui.text(x, area.y, 1, Theme::marker(curve.pen), style) + 1;
        x = ui.text(x, area.y, room, &fit(&text, room), ui.theme.base) + 3;
    }
}

/// What a field holds; of a variant also whether it is ticked.
fn told(form: &Form, field: Field) -> String {
    match field {
        Field::Variant(index) => {
            let tick = if form.ticked(index) { "[x]" } else { "[ ]" };
            format!("{tick} {}", form.value(field))
        }
        field => form.value(field),
    }
}

/// The fields that matter most, to be changed by a click, and the keys.
fn controls(ui: &mut Ui, area: Rect) {
    let form = &ui.model.form;
    let selected = form.field;
    let mut fields = vec![Field::Algorithm, Field::Block, Field::Coarsen, Field::Backend];
    // What the arrows change is among them.
    if !fields.contains(&selected) {
        fields.insert(0, selected);
    }
    let [first, second] = match &ui.model.run {
        Some(_) => [("space", "pause", Command::Pause), ("Esc", "cancel", Command::Cancel)],
        None => [("r", "run", Command::Run), ("p", "replay", Command::Replay)],
    };
    let keys = [first, second, ("w", "why", Command::Why), ("P", "all of it", Command::Present)];
    let mut x = area.x + 1;
    for (key, what, command) in keys {
        let start = x;
        x = ui.text(x, area.y, width(key), key, ui.theme.accent) + 1;
        x = ui.text(x, area.y, width(what), what, ui.theme.dim);
        ui.hit(Rect::new(start, area.y, x - start, 1), command);
        x += 2;
    }
    for field in fields {
        let value = told(form, field);
        if x + width(&value) + 5 > area.right() {
            break;
        }
        let style = if field == selected { ui.theme.selected } else { ui.theme.base };
        x = ui.button(x + 1, area.y, 2, "‹ ", style, Command::Step(field, false));
        let end = ui.text(x, area.y, width(&value), &value, style);
        x = ui.button(end, area.y, 2, " ›", style, Command::Step(field, true));
    }
}
