//! One sentence on what made the difference, from the shown records alone; or
//! the answer to what the user just did.

use ratatui::layout::{Margin, Rect};
use ratatui::style::Style;

use crate::analysis::compare::{Comparison, Verdict};
use crate::analysis::explain;
use crate::figure::Time;
use crate::results::record::Record;
use crate::tui::app::model::{Level, Model};
use crate::tui::dialogs::why::state::{Pair, compared, pair, span};
use crate::tui::own::view as own;
use crate::tui::screens::sweep::state::Chart;
use crate::tui::widgets::sentence;
use crate::tui::widgets::sentence::variant_name;
use crate::tui::widgets::sized::sized;
use crate::tui::widgets::ui::Ui;
use crate::units::{Bytes, BytesPerSecond, Elements, Seconds, significant};
use crate::work::metric::Metric;

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
        let wordings = sentences(&ui.model.chart);
        let set = wordings.iter().map(|text| ui.set(text).into_owned());
        let shown = sentence::fitting(set, room, rows);
        lines.extend(shown.into_iter().map(|line| (line, ui.theme.base)));
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
    let told = model.notice.as_ref().map(|notice| (notice.text.clone(), notice.level));
    told.or_else(|| own::notice(model))
}

/// The difference between two curves at the crosshair: wordings from long to short, none
/// without two curves to compare. All but the last name the reason, where there is one;
/// all name both curves.
pub(crate) fn sentences(chart: &Chart) -> Vec<String> {
    let Some(pair) = pair(chart) else { return Vec::new() };
    let Some(compared) = compared(chart, &pair) else { return Vec::new() };
    match compared.verdict {
        Some(verdict) => judged(&pair, &compared, verdict, chart.choice.time),
        None => plainly(&pair, 1.0 / compared.ratio, chart.choice.time),
    }
}

/// The label of a curve in `room` cells: its variant's name gets shorter.
fn named(algorithm: &str, label: &str, room: u16) -> String {
    match label.split_once(" · ") {
        Some((name, rest)) => format!("{} · {rest}", variant_name(algorithm, name, room)),
        None => variant_name(algorithm, label, room),
    }
}

/// Both names of the pair in `room` cells each: the faster one, the slower one.
fn names(pair: &Pair, room: u16) -> (String, String) {
    let named = |label: &str| named(&pair.fast.algorithm, label, room);
    (named(&pair.fast_label), named(&pair.slow_label))
}

/// What follows the size: nothing for kernel time.
fn whole(time: Time) -> &'static str {
    if time == Time::EndToEnd { ", end to end" } else { "" }
}

/// The verdict with its interval.
fn judged(pair: &Pair, compared: &Comparison, verdict: Verdict, time: Time) -> Vec<String> {
    let fast = pair.fast;
    let (n, source) = (sized(&fast.algorithm, fast.n), fast.provenance_label());
    let (brief, mark) = (fast.provenance, sentence::mark(fast.provenance));
    let whole = whole(time);
    // How many times faster is the inverse of the ratio of times.
    let (low, high) = compared
        .interval
        .map_or((None, None), |(low, high)| (Some(precise(1.0 / high)), Some(precise(1.0 / low))));
    let between = low.zip(high).map(|(low, high)| format!("{low} to {high}"));
    let sure = match &between {
        Some(between) => format!(", 95 % interval {between}"),
        None => ", too few samples".to_owned(),
    };
    let interval = between.unwrap_or_else(|| "too few samples".to_owned());
    let ratio = precise(1.0 / compared.ratio);
    let told = |room: u16| {
        let (fast, slow) = names(pair, room);
        match verdict {
            Verdict::Same => {
                let within = significant(100.0 * compared.margin);
                format!("SAME within {} %: {fast} and {slow}", within.trim_end_matches(".00"))
            }
            Verdict::Undecided => format!("UNDECIDED: {fast} {ratio}× as fast as {slow}"),
            // The pair is in the order of its medians.
            Verdict::Faster | Verdict::Slower => {
                format!("FASTER: {fast} {ratio}× as fast as {slow}")
            }
        }
    };
    let [longest, short] = sentence::NAMES;
    let mut sentences = Vec::new();
    let sentence = format!("{} at {n}{whole}{sure} ({source})", told(longest));
    if let Some(copy) = of_copy(fast).filter(|_| time == Time::Kernels) {
        let (name, _) = names(pair, longest);
        sentences.push(format!("{sentence}; {name}: {copy}"));
    }
    sentences.push(sentence);
    let n = Elements(fast.n);
    for room in sentence::NAMES {
        sentences.push(format!("{} at {n}{whole} ({interval}; {brief})", told(room)));
    }
    sentences.push(format!("{} at {n} ({interval}; {mark})", told(short)));
    sentences.push(format!("{} at {n} ({mark})", told(short)));
    sentences.push(format!("{} ({mark})", told(short)));
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
        BytesPerSecond(record.device_baseline.as_ref()?.copy)
    ))
}

/// Why the faster one is faster, where that is known: the evidence, and the cause in a few
/// words.
fn reason(pair: &Pair, time: Time) -> Option<(String, String)> {
    let found = explain::difference(pair.slow, pair.fast, span(time)).ok()?;
    (!found.brief.is_empty()).then(|| (found.brief, found.cause.label().to_owned()))
}

/// A plain ratio of times that nobody here measured, and its reason.
fn plainly(pair: &Pair, ratio: f64, time: Time) -> Vec<String> {
    let fast = pair.fast;
    let (size, source) = (sized(&fast.algorithm, fast.n), fast.provenance_label());
    let (n, whole) = (Elements(fast.n), whole(time));
    let (brief, mark) = (fast.provenance, sentence::mark(fast.provenance));
    let even = ratio < LEAST_RATIO;
    let took = time.of(fast).map(|took| format!("{}, ", Seconds(took))).unwrap_or_default();
    let compare = |room: u16, took: &str| {
        let (fast, slow) = names(pair, room);
        if even {
            format!("{fast} and {slow} take the same time within 5 %")
        } else {
            format!("{fast}: {took}{}× faster than {slow}", significant(ratio))
        }
    };
    let (long, short) = match reason(pair, time).filter(|_| !even) {
        Some((long, short)) => (format!(": {long}"), format!(": {short}")),
        None => (String::new(), String::new()),
    };
    let [longest, shortest] = sentence::NAMES;
    let mut sentences =
        vec![format!("{} at {size}{whole} ({source}){long}", compare(longest, &took))];
    for room in sentence::NAMES {
        sentences.push(format!("{} at {n}{whole} ({source}){short}", compare(room, &took)));
    }
    for room in sentence::NAMES {
        sentences.push(format!("{} at {n}{whole} ({brief}){short}", compare(room, "")));
    }
    let brief = compare(shortest, "");
    sentences.push(format!("{brief} at {n} ({mark}){short}"));
    sentences.push(format!("{brief} ({mark}){short}"));
    sentences.push(format!("{brief}{short}"));
    sentences
}

#[cfg(test)]
mod tests;
