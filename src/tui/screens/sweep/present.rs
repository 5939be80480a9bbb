//! The layout for a projector: everything that the audience reads is in large letters, and
//! the result stays hidden until it is asked for.
//!
//! ```text
//! 61x faster          or, before it is revealed, "global or shared?"
//! global   21.5 µs    curves with their values at the crosshair
//! shared   3.44 µs
//! chart               large labels, thick curves
//! one row of controls for the presenter
//! ```

use ratatui::layout::Rect;

use crate::figure::pen::Stroke;
use crate::figure::{Series, Time};
use crate::results::record::Record;
use crate::tui::app::action::Command;
use crate::tui::dialogs::why::state as why;
use crate::tui::screens::sweep::explain;
use crate::tui::screens::sweep::form::state::{Field, Form};
use crate::tui::screens::sweep::state::point_at;
use crate::tui::theme::Theme;
use crate::tui::widgets::chart;
use crate::tui::widgets::large::Letters;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, fit, width};
use crate::units::{Elements, Seconds, significant};

/// Fewest rows of the chart with its labels.
const LEAST_CHART: u16 = 9;

/// Columns of the piece of a curve before its name.
const STROKE: u16 = 5;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let revealed = is_revealed(ui);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let mut y = draw_headline(ui, inner);
    let bottom = area.bottom() - 2;
    y = draw_values(ui, Rect { y, height: bottom.saturating_sub(y + LEAST_CHART), ..inner });
    // Until the answer the curves are seen only as they come in.
    let model = ui.model;
    let shown = revealed || model.run.is_some() || model.last.is_some();
    chart::draw_large(ui, Rect { y, height: bottom.saturating_sub(y), ..inner }, shown);
    sentence(ui, Rect { y: bottom, height: 1, ..inner });
    controls(ui, Rect { y: bottom + 1, height: 1, ..area });
}

/// Whether values are shown: at once where there is nothing to guess.
fn is_revealed(ui: &Ui) -> bool {
    ui.model.revealed || why::pair(&ui.model.chart).is_none()
}

/// The answer, or the question; returns the row below it.
fn draw_headline(ui: &mut Ui, area: Rect) -> u16 {
    let text = if is_revealed(ui) { answer(ui, area) } else { question(ui, area) };
    let letters = Letters::headline(&text, area.width, area.height, ui.model.look.ascii);
    if let Some(letters) = letters {
        letters.write(ui, (area.x, area.y), area.width, &text, ui.theme.accent);
    } else {
        ui.text(area.x, area.y, area.width, &text, ui.theme.title);
    }
    area.y + letters.map_or(1, |letters| letters.high)
}

/// How many letters fit into a line.
fn letters_across(ui: &Ui, area: Rect) -> u16 {
    let letters = Letters::labels(ui.model.look.ascii);
    letters.map_or(area.width / Letters::LARGEST, |it| it.fitting(area.width))
}

/// `61x faster at 2^22, recorded`, as much of it as fits; or the time where there is nothing to
/// compare.
fn answer(ui: &Ui, area: Rect) -> String {
    let chart = &ui.model.chart;
    let told = why::pair(chart).and_then(|pair| {
        let ratio = 1.0 / why::compared(chart, &pair)?.ratio;
        let faster = format!("{}x faster", significant(ratio));
        let at = format!("{faster} at {}", Elements(pair.fast.n));
        Some([format!("{at}, {}", pair.fast.provenance), at, faster])
    });
    let room = letters_across(ui, area);
    let fitting = told.map(|told| {
        let fits = told.iter().find(|text| width(text) <= room).or(told.last());
        fits.cloned().unwrap_or_default()
    });
    let alone = || {
        let record = newest(ui)?;
        chart.choice.time.of(record).map(|time| Seconds(time).to_string())
    };
    fitting.or_else(alone).unwrap_or_else(|| ui.model.selection.algorithm.clone())
}

/// `global or shared?`, as far as there is room.
fn question(ui: &Ui, area: Rect) -> String {
    let names: Vec<&str> = pair(ui).into_iter().map(|series| series.brief.as_str()).collect();
    let room = letters_across(ui, area);
    let asked = format!("{}?", names.join(" or "));
    match names.len() {
        2 if width(&asked) <= room => asked,
        _ => "who is faster?".to_owned(),
    }
}

/// The two curves that are compared, in the order of the legend.
fn pair<'a>(ui: &Ui<'a>) -> Vec<&'a Series> {
    let chart = &ui.model.chart;
    let Some(pair) = why::pair(chart) else { return Vec::new() };
    let has = |series: &&Series| {
        let places = [pair.places.0, pair.places.1];
        series.points.iter().any(|point| places.contains(&point.record))
    };
    chart.series().iter().filter(has).collect()
}

/// Curves that get a row: those that are compared, the lit one, then others in colour.
fn listed<'a>(ui: &Ui<'a>) -> Vec<&'a Series> {
    let chart = &ui.model.chart;
    let Some(figure) = &chart.figure else { return Vec::new() };
    let lit = chart.lit().and_then(|lit| figure.series.get(lit));
    let others = figure.order().into_iter().filter_map(|index| figure.series.get(index));
    let mut listed: Vec<&Series> = Vec::new();
    for series in pair(ui).into_iter().chain(lit).chain(others.filter(|it| !it.pen.muted)) {
        if !listed.iter().any(|known| std::ptr::eq(*known, series)) {
            listed.push(series);
        }
    }
    listed
}

/// Names with values at the crosshair in large letters; returns the row below.
fn draw_values(ui: &mut Ui, area: Rect) -> u16 {
    let (letters, revealed) = (Letters::labels(ui.model.look.ascii), is_revealed(ui));
    draw_names(ui, area, letters, revealed)
}

/// Names with values at the crosshair in as many columns as fit; returns the row below.
pub(crate) fn draw_names(ui: &mut Ui, area: Rect, letters: Option<Letters>, revealed: bool) -> u16 {
    let Some(figure) = &ui.model.chart.figure else { return area.y };
    let high = letters.map_or(1, |letters| letters.high);
    let cross = ui.model.chart.cross();
    let value = |series: &Series| {
        let point = cross.and_then(|x| point_at(series, x));
        match point {
            // `468µs` saves a wide space.
            Some(point) if revealed && letters.is_some() => {
                figure.y.format(point.y).replace(' ', "")
            }
            Some(point) if revealed => figure.y.format(point.y),
            Some(_) => "?".to_owned(),
            None => String::new(),
        }
    };
    let entries: Vec<(&Series, String)> = listed(ui)
        .into_iter()
        .map(|series| (series, format!("{} {}", series.brief, value(series)).trim_end().to_owned()))
        .collect();
    let wide = |text: &str| letters.map_or_else(|| width(text), |letters| letters.width(text));
    let each = entries.iter().map(|(_, text)| STROKE + 1 + wide(text) + 2).max().unwrap_or(1);
    let columns = (area.width / each.max(1)).max(1);
    let rows = (area.height / high).min((entries.len() as u16).div_ceil(columns));
    for (index, (series, text)) in (0u16..).zip(entries).take(usize::from(columns * rows)) {
        let (x, y) = (area.x + index % columns * each, area.y + index / columns * high);
        stroke(ui, series, Rect::new(x, y, STROKE, high));
        let room = area.right().saturating_sub(x + STROKE + 1);
        let style = ui.theme.curve(series.pen);
        match letters {
            Some(letters) => letters.write(ui, (x + STROKE + 1, y), room, &text, style),
            None => ui.text(x + STROKE + 1, y, room, &text, style),
        };
    }
    area.y + rows * high
}

/// A piece of a curve with its marker.
fn stroke(ui: &mut Ui, series: &Series, area: Rect) {
    let style = ui.theme.curve(series.pen);
    let line = match series.pen.stroke {
        Stroke::Solid => "━━━━━",
        Stroke::Dashed => "╍╍╍╍╍",
        Stroke::Thin => "─────",
    };
    let y = area.y + (area.height - 1) / 2;
    ui.text(area.x, y, area.width, line, style);
    ui.text(area.x + area.width / 2, y, 1, Theme::marker(series.pen), style);
}

/// For the presenter: what was just done, or the sentence behind the headline; before the
/// answer what there is to do.
fn sentence(ui: &mut Ui, area: Rect) {
    let notice = ui.model.notice.as_ref().map(|notice| notice.text.clone());
    let text = notice.unwrap_or_else(|| {
        if !is_revealed(ui) {
            return "space reveals · p replays · n next point of the replay".to_owned();
        }
        let wordings = explain::sentences(&ui.model.chart);
        let fitting = wordings.iter().find(|text| width(text) <= area.width);
        fitting.or(wordings.last()).cloned().unwrap_or_else(|| named(ui))
    });
    let text = fit(&ui.set(&text), area.width);
    ui.text(area.x, area.y, area.width, &text, ui.theme.base);
}

/// The newest result with a time.
fn newest<'a>(ui: &Ui<'a>) -> Option<&'a Record> {
    ui.model.chart.records.iter().rev().find(|record| record.seconds.is_some())
}

/// What is shown, where there is nothing to compare.
fn named(ui: &Ui) -> String {
    let time = ui.model.chart.choice.time;
    match newest(ui) {
        None => "no results yet: press r to run".to_owned(),
        Some(record) => {
            let seconds = time.of(record).map(|time| Seconds(time).to_string());
            let kind = if time == Time::EndToEnd { " end to end" } else { "" };
            let n = sized(&record.algorithm, record.n);
            let (variant, source) = (&record.variant, record.provenance_label());
            format!("{}{kind} for {variant} at {n} ({source})", seconds.unwrap_or_default())
        }
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
