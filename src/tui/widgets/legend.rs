//! The legend, which is also the readout: for every curve its marker, and the
//! values under the crosshair with their provenance.

use ratatui::layout::Rect;

use crate::algorithms;
use crate::analysis::limit::{Bound, limit};
use crate::figure::pen::Pen;
use crate::figure::{Figure, Series, Time, YAxis};
use crate::results::record::{Outcome, Record};
use crate::tui::app::action::Command;
use crate::tui::app::model::Model;
use crate::tui::screens::sweep::state::{Layer, point_at, short_label};
use crate::tui::theme::Theme;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, fit, width};
use crate::units::{BytesPerSecond, ElementsPerSecond, FlopsPerSecond, Seconds, significant};

/// Most rows of curves and notes.
const MOST_ROWS: usize = 12;

/// One row: a column for each kind of value.
struct Row {
    /// Which series.
    index: usize,
    pen: Pen,
    cells: [String; 6],
    /// The label where it has little room.
    brief: String,
    good: bool,
}

/// Columns in the order they are drawn; the fourth follows the y axis.
fn headings(y: YAxis, of_copy: bool, computes: bool) -> [&'static str; 6] {
    let rate = match y {
        YAxis::Flops => "arithmetic",
        YAxis::Limit => "of limit",
        YAxis::Time if computes => "arithmetic",
        YAxis::Time | YAxis::Bandwidth if of_copy => "bandwidth (of copy)",
        YAxis::Time | YAxis::Bandwidth => "bandwidth",
        YAxis::Throughput => "elements",
        YAxis::Speedup => "speed-up",
    };
    ["", "median", "spread", rate, "output", "provenance"]
}

const LABEL: usize = 0;
const CHECKED: usize = 4;
const PROVENANCE: usize = 5;

/// Rows that curves and notes take.
pub(crate) fn rows(ui: &Ui) -> u16 {
    let notes = notes(ui.model).len() + usize::from(absent(ui.model).is_some());
    let count = ui.model.chart.series().len() + notes;
    count.clamp(2, MOST_ROWS) as u16
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let chart = &ui.model.chart;
    let cross = chart.cross();
    let title = match (cross, &chart.figure) {
        (Some(x), Some(_)) => format!("at {}", sized(&ui.model.selection.algorithm, x as u64)),
        _ => "legend".to_owned(),
    };
    let inner = ui.panel(area, &title, false);
    let order = chart.figure.as_ref().map(Figure::order).unwrap_or_default();
    let listed = order.iter().filter_map(|index| Some((*index, chart.series().get(*index)?)));
    let table: Vec<Row> =
        listed.map(|(index, series)| row(ui.model, (index, series), cross)).collect();
    let of_copy = chart.records.iter().any(|record| record.share_of_copy().is_some());
    let of_copy = of_copy && chart.choice.time == Time::Kernels;
    let headings = headings(chart.choice.y, of_copy, chart.records.first().is_some_and(computes));
    // The title lies above the labels; the headings begin after it.
    let label = if table.is_empty() { 0 } else { width(&title) + 1 };
    let widths = columns(&table, &headings, label, inner.width.saturating_sub(3));
    if !table.is_empty() {
        draw_headings(ui, area, inner.x + 3, width(&title) + 4, (&headings, &widths));
    }

    // All labels are short, or none.
    let brief = table.iter().any(|row| width(&row.cells[LABEL]) > widths[LABEL]);

    let mut notes = notes(ui.model);
    // What is wrong keeps its place; what was skipped leaves most of it to curves. Of too
    // many of those the last are counted only.
    let height = usize::from(inner.height);
    if table.len() + notes.len() > height {
        let grave = notes.iter().filter(|(_, bad)| *bad).count();
        notes.truncate(grave.max(height / 3).max(1));
    } else if table.len() + notes.len() < height {
        notes.extend(absent(ui.model).map(|note| (note, false)));
    }
    let room = height.saturating_sub(notes.len());
    let fits = if table.len() > room { room.saturating_sub(1) } else { table.len() };
    let lit = chart.lit();
    let at = lit.and_then(|lit| table.iter().position(|row| row.index == lit)).unwrap_or(0);
    // The lit entry stays in sight.
    let first = (at + 1).saturating_sub(fits).min(table.len() - fits);
    ui.drawn.legend = Some(area);
    let mut y = inner.y;
    for row in table.iter().skip(first).take(fits) {
        let place = Rect { y, height: 1, ..inner };
        ui.hit(place, Command::Curve(row.index));
        let is_lit = lit == Some(row.index);
        if is_lit {
            ui.text(inner.x, y, 1, "▸", ui.theme.accent);
        }
        let style = ui.theme.curve(row.pen);
        ui.text(inner.x + 1, y, 1, Theme::marker(row.pen), style);
        let mut x = inner.x + 3;
        for (index, (cell, wide)) in row.cells.iter().zip(widths).enumerate() {
            if wide == 0 {
                continue;
            }
            let short = fit(if brief { &row.brief } else { cell }, wide);
            let cell = match index {
                LABEL => &short,
                PROVENANCE => parts_that_fit(cell, wide),
                CHECKED if wide == 1 => first_part(cell, " "),
                _ => cell,
            };
            let style = match index {
                CHECKED if row.good => ui.theme.good,
                CHECKED => ui.theme.bad,
                PROVENANCE => ui.theme.dim,
                LABEL if is_lit => ui.theme.title,
                _ if row.pen.muted && !is_lit => ui.theme.dim,
                _ => ui.theme.base,
            };
            let pad = if is_number(index) { wide.saturating_sub(width(cell)) } else { 0 };
            ui.text(x + pad, y, inner.right().saturating_sub(x + pad), cell, style);
            x += wide + 2;
        }
        y += 1;
    }
    if fits < table.len() && y < inner.bottom() {
        let more = table.len() - fits;
        let text = format!("… and {more} more curve{}: v, V", if more == 1 { "" } else { "s" });
        ui.text(inner.x + 1, y, inner.width - 1, &text, ui.theme.dim);
        y += 1;
    }
    for (text, bad) in notes {
        if y < inner.bottom() {
            let style = if bad { ui.theme.bad } else { ui.theme.warn };
            ui.text(inner.x + 1, y, inner.width - 1, &text, style);
            y += 1;
        }
    }
    if table.is_empty() && y == inner.y {
        let text = "curves and their values appear here";
        ui.text(inner.x + 1, y, inner.width - 1, text, ui.theme.dim);
    }
}

fn is_number(column: usize) -> bool {
    (1..=3).contains(&column)
}

/// The headings lie on the frame, above their columns.
fn draw_headings(
    ui: &mut Ui,
    area: Rect,
    mut x: u16,
    after: u16,
    (headings, widths): (&[&str; 6], &[u16; 6]),
) {
    for (index, (heading, wide)) in headings.iter().zip(widths).enumerate() {
        if *wide == 0 {
            continue;
        }
        let pad = if is_number(index) { wide.saturating_sub(width(heading)) } else { 0 };
        let start = x + pad;
        let fits = !heading.is_empty() && start > area.x + after && width(heading) <= *wide;
        if fits && start + width(heading) < area.right() {
            let x = ui.text(start - 1, area.y, 1, " ", ui.theme.frame);
            let x = ui.text(x, area.y, *wide, heading, ui.theme.dim);
            ui.text(x, area.y, 1, " ", ui.theme.frame);
        }
        x += wide + 2;
    }
}

/// Widths of the columns, 0 for those that there is no room for.
fn columns(table: &[Row], headings: &[&str; 6], label: u16, room: u16) -> [u16; 6] {
    let mut widths = [0u16; 6];
    for (index, wide) in widths.iter_mut().enumerate() {
        *wide = table.iter().map(|row| width(&row.cells[index])).max().unwrap_or(0);
        if *wide > 0 && is_number(index) {
            *wide = (*wide).max(width(headings[index]));
        }
    }
    let needed = |widths: &[u16; 6]| -> u16 {
        let shown = widths.iter().filter(|wide| **wide > 0);
        shown.map(|wide| wide + 2).sum::<u16>().saturating_sub(2)
    };
    let with_title = needed(&widths) + label.saturating_sub(widths[LABEL]);
    if with_title > room && table.iter().all(|row| row.good) {
        widths[CHECKED] = widths[CHECKED].min(1); // the tick alone
    }
    let provenance = widths[PROVENANCE];
    if needed(&widths) > room {
        let word = |row: &Row| width(first_part(&row.cells[PROVENANCE], " · "));
        widths[PROVENANCE] = table.iter().map(word).max().unwrap_or(0);
    }
    if needed(&widths) > room {
        widths[LABEL] = table.iter().map(|row| width(&row.brief)).max().unwrap_or(0);
    }
    // What goes first when it is narrow: bandwidth, spread; never the median.
    for index in [3, 2] {
        if needed(&widths) > room {
            widths[index] = 0;
        }
    }
    if needed(&widths) > room {
        let over = needed(&widths) - room;
        widths[LABEL] = widths[LABEL].saturating_sub(over).max(6);
    }
    // Room that is left goes to the provenance first, then to the title.
    let free = room.saturating_sub(needed(&widths));
    widths[PROVENANCE] = provenance.min(widths[PROVENANCE] + free);
    let free = room.saturating_sub(needed(&widths));
    widths[LABEL] = widths[LABEL].max(label.min(widths[LABEL] + free));
    widths
}

/// As many parts of a provenance, from the left, as fit.
fn parts_that_fit(label: &str, wide: u16) -> &str {
    let ends = label.match_indices(" · ").map(|(at, _)| at).chain([label.len()]);
    let fitting = ends.filter_map(|end| label.get(..end)).filter(|part| width(part) <= wide);
    fitting.last().unwrap_or_else(|| first_part(label, " · "))
}

fn first_part<'a>(text: &'a str, end: &str) -> &'a str {
    text.split(end).next().unwrap_or(text)
}

fn row(model: &Model, (index, series): (usize, &Series), cross: Option<f64>) -> Row {
    let (mut label, mut brief) = (short_label(series), series.brief.clone());
    if model.chart.layer(series) == Layer::Pinned {
        label.push_str(" (pinned)");
        brief.push_str(" (pinned)");
    }
    let point = cross.and_then(|x| point_at(series, x));
    let record = point.and_then(|point| model.chart.record(point));
    let mut cells =
        [label, "–".to_owned(), String::new(), String::new(), String::new(), String::new()];
    cells[PROVENANCE].clone_from(&series.provenance_label);
    let mut good = true;
    if let (Some(record), Some(point)) = (record, point) {
        let time = model.chart.choice.time;
        cells[1] = time.of(record).map_or("–".to_owned(), |median| Seconds(median).to_string());
        cells[2] = spread(record, time).unwrap_or_default();
        cells[3] = match model.chart.choice.y {
            YAxis::Speedup => format!("{}×", significant(point.y)),
            YAxis::Flops => FlopsPerSecond(point.y).to_string(),
            YAxis::Limit => format!("{} %", significant(100.0 * point.y)),
            YAxis::Time if computes(record) => arithmetic(record, time).unwrap_or_default(),
            YAxis::Throughput => ElementsPerSecond(point.y).to_string(),
            _ => bandwidth(record, time).unwrap_or_default(),
        };
        (cells[CHECKED], good) = match record.outcome() {
            Outcome::Verified => ("✓ verified".to_owned(), true),
            Outcome::Wrong => ("✗ wrong".to_owned(), false),
            Outcome::Failed => ("✗ failed".to_owned(), false),
            Outcome::Unchecked | Outcome::Skipped => ("– unchecked".to_owned(), true),
        };
    }
    Row { index, pen: series.pen, cells, brief, good }
}

/// Half the interquartile range over the median, as `±0.3 %`, and how many
/// samples lie apart from the others.
fn spread(record: &Record, time: Time) -> Option<String> {
    let seconds = time.summary(record)?;
    let (q1, q3) = (seconds.q1?, seconds.q3?);
    let apart = match record.outliers.as_ref().filter(|_| time == Time::Kernels) {
        Some(outliers) if outliers.low + outliers.high > 0 => {
            format!(" ({} out)", outliers.low + outliers.high)
        }
        _ => String::new(),
    };
    (seconds.median > 0.0)
        .then(|| format!("±{:.1} %{apart}", (q3 - q1) / 2.0 / seconds.median * 100.0))
}

/// Whether a case is limited by its floating-point operations rather than by its bytes.
fn computes(record: &Record) -> bool {
    limit(record).is_some_and(|limit| limit.by == Bound::Float)
}

/// Floating-point operations over the time.
fn arithmetic(record: &Record, time: Time) -> Option<String> {
    let seconds = time.of(record).filter(|seconds| *seconds > 0.0)?;
    Some(FlopsPerSecond(record.flops as f64 / seconds).to_string())
}

/// Bytes that have to move over the time, and what share of a copy's rate that is.
fn bandwidth(record: &Record, time: Time) -> Option<String> {
    let seconds = time.of(record).filter(|seconds| *seconds > 0.0)?;
    let rate = (record.bytes > 0).then(|| BytesPerSecond(record.bytes as f64 / seconds))?;
    let share = record.share_of_copy().filter(|_| time == Time::Kernels);
    let share = share.map(|share| format!(" ({} %)", significant(100.0 * share)));
    Some(format!("{rate}{}", share.unwrap_or_default()))
}

/// What has no point: skipped and wrong cases, one line per variant and reason,
/// and whether it is grave.
fn notes(model: &Model) -> Vec<(String, bool)> {
    let mut notes: Vec<(String, String, usize, bool)> = Vec::new();
    let layers = model.chart.records.iter().zip(&model.chart.layers);
    for (record, _) in layers.filter(|(_, layer)| **layer != Layer::Older) {
        let (reason, bad) = match (&record.skip, &record.wrong) {
            (Some(skip), _) => (format!("skipped: {skip}"), false),
            (None, Some(wrong)) => {
                (format!("{}: {}", record.outcome().blame(), wrong.message), true)
            }
            (None, None) if record.outcome() == Outcome::Wrong => {
                ("wrong: the output differs from the reference".to_owned(), true)
            }
            _ => continue,
        };
        let known = notes
            .iter_mut()
            .find(|(variant, text, ..)| *variant == record.variant && (bad || *text == reason));
        match known {
            Some((_, _, count, _)) => *count += 1,
            None => notes.push((record.variant.to_string(), reason, 1, bad)),
        }
    }
    notes.sort_by_key(|(.., bad)| !bad);
    notes.truncate(3);
    let near = model.nearest.iter().map(|near| (near.says.clone(), false));
    let notes = notes.into_iter().map(|(variant, reason, count, bad)| {
        let sign = if bad { "✗" } else { "–" };
        let times = if count > 1 { format!(" {count} times") } else { String::new() };
        let (what, reason) = reason.split_once(": ").unwrap_or_default();
        (format!("{sign} {variant} {what}{times}: {reason}"), bad)
    });
    near.chain(notes).collect()
}

/// Chosen variants that a stored run has no result of at these settings, while it has of others.
fn absent(model: &Model) -> Option<String> {
    let chart = &model.chart;
    let stored = chart.layers.iter().all(|layer| *layer != Layer::Live) && model.run.is_none();
    let algorithm = algorithms::find(&model.selection.algorithm)?;
    let chosen = &model.selection.variants;
    let names: Vec<&str> = algorithm
        .variants()
        .iter()
        .map(|it| it.name)
        .filter(|name| chosen.is_empty() || chosen.iter().any(|it| it == name))
        .filter(|name| chart.records.iter().all(|record| record.variant != *name))
        .collect();
    let word = if model.built_in { "recorded" } else { "stored" };
    (stored && !chart.records.is_empty() && !names.is_empty())
        .then(|| format!("– not {word} at these settings: {}", names.join(", ")))
}
