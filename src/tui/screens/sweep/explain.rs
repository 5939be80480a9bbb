//! One sentence on what made the difference, from the shown records alone; or
//! the answer to what the user just did.

use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;

use crate::analysis::compare::{Comparison, Verdict};
use crate::analysis::explain;
use crate::figure::Time;
use crate::results::record::Record;
use crate::tui::app::model::{Level, Model};
use crate::tui::dialogs::why::state::{Pair, compared, pair};
use crate::tui::screens::sweep::state::Chart;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::{Ui, wrap};
use crate::units::{Bytes, BytesPerSecond, Seconds, significant};

/// A ratio of predicted times below this is called no difference.
const LEAST_RATIO: f64 = 1.05;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let notice = notice(ui.model);
    let mut lines: Vec<(String, Style)> = Vec::new();
    let room = area.width.saturating_sub(2);
    let both = area.height > 1;
    if both || notice.is_none() {
        let rows = if notice.is_some() { 1 } else { usize::from(area.height) };
        let wordings: Vec<Vec<String>> =
            sentences(&ui.model.chart).iter().map(|text| wrap(&ui.set(text), room)).collect();
        let fitting = wordings.iter().find(|lines| lines.len() <= rows).or(wordings.last());
        let shown = fitting.into_iter().flatten().take(rows);
        lines.extend(shown.map(|line| (line.clone(), ui.theme.base)));
    }
    if let Some((text, level)) = notice {
        let style = style(ui, level);
        // A notice says one thing: it gets what is left, cut off at the end.
        lines.push((text, style));
    }
    ui.lines(area.inner(Margin::new(1, 0)), lines);
}

/// Draws only the answer to what the user just did.
pub(crate) fn draw_notice(ui: &mut Ui, area: Rect) {
    if let Some((text, level)) = notice(ui.model) {
        let style = style(ui, level);
        ui.paragraph(area.inner(Margin::new(1, 0)), &text, style);
    }
}

/// On one line: that answer, or else `otherwise`.
pub(crate) fn draw_notice_or(ui: &mut Ui, area: Rect, otherwise: &str, look: Style) {
    let (text, look) = match notice(ui.model) {
        Some((text, level)) => (text, style(ui, level)),
        None => (otherwise.to_owned(), look),
    };
    ui.text(area.x + 1, area.y, area.width.saturating_sub(2), &text, look);
}

fn style(ui: &Ui, level: Level) -> Style {
    match level {
        Level::Info => ui.theme.accent,
        Level::Good => ui.theme.good,
        Level::Bad => ui.theme.bad,
    }
}

/// What to say instead: an error in what is typed, its hint, or a notice.
fn notice(model: &Model) -> Option<(String, Level)> {
    if let Some(editor) = &model.form.editor {
        return Some(match &editor.error {
            Some(error) => (error.clone(), Level::Bad),
            None => (model.form.hint(model.form.field), Level::Info),
        });
    }
    model.notice.as_ref().map(|notice| (notice.text.clone(), notice.level))
}

/// The difference between two curves at the crosshair or the largest size:
/// wordings from long to short, none without two curves to compare.
pub(crate) fn sentences(chart: &Chart) -> Vec<String> {
    let Some(pair) = pair(chart) else { return Vec::new() };
    let Some(compared) = compared(chart, &pair) else { return Vec::new() };
    match compared.verdict {
        Some(verdict) => judged(&pair, &compared, verdict, chart.choice.time),
        None => plainly(&pair, 1.0 / compared.ratio),
    }
}

/// The verdict with its interval.
fn judged(pair: &Pair, compared: &Comparison, verdict: Verdict, time: Time) -> Vec<String> {
    let Pair { fast, slow_label, fast_label, .. } = pair;
    let (n, source) = (sized(&fast.algorithm, fast.n), fast.provenance_label());
    let whole = if time == Time::EndToEnd { ", end to end" } else { "" };
    // How many times faster is the inverse of the ratio of times.
    let (low, high) = compared
        .interval
        .map_or((None, None), |(low, high)| (Some(precise(1.0 / high)), Some(precise(1.0 / low))));
    let between = low.zip(high).map(|(low, high)| format!("{low} to {high}"));
    let (sure, brief) = match &between {
        Some(between) => (format!(", 95 % interval {between}"), format!("{between}; ")),
        None => (", too few samples".to_owned(), "too few samples; ".to_owned()),
    };
    let ratio = precise(1.0 / compared.ratio);
    let (told, short) = match verdict {
        Verdict::Same => {
            let within = significant(100.0 * compared.margin);
            let same = format!("SAME within {} %", within.trim_end_matches(".00"));
            (format!("{same}: {fast_label} and {slow_label}"), same)
        }
        Verdict::Undecided => (
            format!("UNDECIDED: {fast_label} {ratio}× as fast as {slow_label}"),
            format!("UNDECIDED: {ratio}×"),
        ),
        // The pair is in the order of its medians.
        Verdict::Faster | Verdict::Slower => (
            format!("FASTER: {fast_label} {ratio}× as fast as {slow_label}"),
            format!("FASTER: {fast_label} {ratio}×"),
        ),
    };
    let sentence = format!("{told} at {n}{whole}{sure} ({source})");
    let mut sentences = Vec::new();
    if let Some(copy) = of_copy(fast).filter(|_| time == Time::Kernels) {
        sentences.push(format!("{sentence}; {fast_label}: {copy}"));
    }
    sentences.push(sentence);
    sentences.push(format!("{short} at {n} ({brief}{source})"));
    sentences
}

/// A ratio near 1 needs more digits to tell how near.
fn precise(ratio: f64) -> String {
    if ratio < 1.995 { format!("{ratio:.3}") } else { significant(ratio) }
}

/// `16.0 MiB that have to move / 12.4 µs = 1.35 TB/s, 32 % of a copy's 4.25 TB/s`.
fn of_copy(record: &Record) -> Option<String> {
    let (share, median) = (record.share_of_copy()?, record.median()?);
    let rate = BytesPerSecond(record.bytes as f64 / median);
    Some(format!(
        "{} that have to move / {} = {rate}, {} % of a copy's {}",
        Bytes(record.bytes),
        Seconds(median),
        significant(100.0 * share),
        BytesPerSecond(record.device_baseline?.copy)
    ))
}

/// A plain ratio of times that nobody here measured, and its reason.
fn plainly(pair: &Pair, ratio: f64) -> Vec<String> {
    let Pair { slow, fast, slow_label, fast_label, .. } = pair;
    let (n, source) = (sized(&fast.algorithm, fast.n), fast.provenance_label());
    if ratio < LEAST_RATIO {
        let even = "take the same time within 5 %";
        return vec![
            format!("{fast_label} and {slow_label} {even} at {n} ({source})"),
            format!("both {even} at {n} ({source})"),
        ];
    }
    let faster = format!("{fast_label} is {}× faster", significant(ratio));
    let plainly = format!("{faster} than {slow_label} at {n} ({source})");
    let mut sentences = Vec::new();
    let why = explain::difference(*slow, *fast, explain::Span::Kernels).ok();
    if let Some(brief) = why.map(|it| it.brief).filter(|brief| !brief.is_empty()) {
        sentences.push(format!("{plainly}: {brief}"));
        sentences.push(format!("{faster} at {n} ({source}): {brief}"));
    }
    sentences.push(plainly);
    sentences.push(format!("{faster} at {n} ({source})"));
    sentences
}

#[cfg(test)]
mod tests;
