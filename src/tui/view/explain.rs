//! One sentence on what made the difference, from the shown records alone; or
//! the answer to what the user just did.

use ratatui::layout::Rect;

use super::super::model::chart::Chart;
use super::super::model::why::{Pair, pair};
use super::super::model::{Level, Model};
use super::{Ui, wrap};
use crate::explain;
use crate::units::{Elements, Seconds, significant};

/// A ratio below this is called no difference.
const LEAST_RATIO: f64 = 1.05;

/// Draws it.
pub(super) fn draw(ui: &mut Ui, area: Rect) {
    let notice = notice(ui.model);
    let mut lines: Vec<(String, ratatui::style::Style)> = Vec::new();
    let room = area.width.saturating_sub(2);
    let both = area.height > 1;
    if both || notice.is_none() {
        let rows = if notice.is_some() { 1 } else { usize::from(area.height) };
        let wordings: Vec<Vec<String>> =
            sentences(&ui.model.chart).iter().map(|text| wrap(text, room)).collect();
        let fitting = wordings.iter().find(|lines| lines.len() <= rows).or(wordings.last());
        let shown = fitting.into_iter().flatten().take(rows);
        lines.extend(shown.map(|line| (line.clone(), ui.theme.base)));
    }
    if let Some((text, level)) = notice {
        let style = match level {
            Level::Info => ui.theme.accent,
            Level::Good => ui.theme.good,
            Level::Bad => ui.theme.bad,
        };
        // A notice says one thing: it gets what is left, cut off at the end.
        lines.push((text, style));
    }
    for (row, (line, style)) in (0..area.height).zip(lines) {
        ui.text(area.x + 1, area.y + row, room, &line, style);
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
pub(super) fn sentences(chart: &Chart) -> Vec<String> {
    let Some(Pair { slow, fast, slow_label, fast_label }) = pair(chart) else {
        return Vec::new();
    };
    let (Some(slow_time), Some(fast_time)) = (slow.median(), fast.median()) else {
        return Vec::new();
    };
    let n = Elements(fast.n);
    let source = fast.provenance_label();
    let ratio = slow_time / fast_time;
    if ratio < LEAST_RATIO {
        let even = "take the same time within 5 %";
        return vec![
            format!("{fast_label} and {slow_label} {even} at n = {n} ({source})"),
            format!("both {even} at n = {n} ({source})"),
        ];
    }
    let faster = format!("{fast_label} is {}× faster", significant(ratio));
    let plainly = format!("{faster} than {slow_label} at n = {n} ({source})");
    let mut sentences = Vec::new();
    if let Some(reason) =
        explain::difference(slow, fast).ok().and_then(|it| it.reasons.into_iter().next())
    {
        let took = format!("{} of {}", Seconds(reason.seconds), Seconds(reason.of));
        sentences.push(format!("{plainly}: {}: {took}", reason.says));
        sentences.push(format!("{faster} at n = {n} ({source}): {}: {took}", reason.says));
    }
    sentences.push(plainly);
    sentences.push(format!("{faster} at n = {n} ({source})"));
    sentences
}
