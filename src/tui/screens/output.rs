//! The output of a case: the marks of its view, the times of its phases, and
//! its facts. Shown is the newest result, verified or wrong; before any run, the
//! CPU reference of a case with the form's settings.

use ratatui::layout::Rect;

use crate::figure::facts::{Fact, facts, sentence};
use crate::figure::marks::{Mark, Panel, panels, stacked};
use crate::results::record::Flag;
use crate::tui::app::model::{Model, Origin, ShownOutput};
use crate::tui::app::selection::record_of;
use crate::tui::widgets::sentence;
use crate::tui::widgets::sentence::variant_name;
use crate::tui::widgets::ui::{Ui, width, wrap};
use crate::units::Elements;

mod columns;
mod grid;
mod line;
pub(crate) mod page;
mod phases;
mod points;
pub(crate) mod state;
#[cfg(test)]
mod tests;

/// Columns below which a line holds one short fact.
const NARROW: u16 = 40;

/// Least rows of a mark, before rounding.
const LEAST_ROWS: f64 = 1.3;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let model = ui.model;
    let Some(shown) = &model.output else {
        let inner = ui.panel(area, "output", false);
        let lines = wrap(&missing(model).unwrap_or_default(), inner.width.saturating_sub(2));
        for (row, line) in (inner.y..inner.bottom()).zip(&lines) {
            ui.text(inner.x + 1, row, inner.width.saturating_sub(2), line, ui.theme.dim);
        }
        return;
    };
    let title = title(shown, area.width);
    let inner = ui.panel(area, &title, false);
    if shown.origin == Origin::Wrong && area.width > 4 {
        let words = width(&title).min(area.width - 4);
        ui.buffer.set_style(Rect::new(area.x + 2, area.y, words, 1), ui.theme.bad);
    }
    if inner.width < 4 || inner.height < 2 {
        return;
    }
    let panels = panels(&shown.view);
    let mut facts = facts(&shown.view);
    let lines = if inner.width < NARROW {
        facts.into_iter().filter_map(|fact| fact.short).collect()
    } else {
        // A low panel has room for the most important ones only.
        facts.sort_by_key(|fact| fact.short.is_none());
        let mut lines = wrap(&words(&facts, &panels), inner.width - 2);
        let most = usize::from(inner.height / 3).max(1);
        if lines.len() > most {
            lines.truncate(most);
            lines.last_mut().into_iter().for_each(|line| line.push_str(" …"));
        }
        lines
    };
    // The picture keeps two rows, or one of two.
    let rows = lines.len().min(usize::from(inner.height.saturating_sub(2)).max(1)) as u16;
    for (row, line) in (0..rows).zip(&lines) {
        ui.text(inner.x + 1, inner.bottom() - rows + row, inner.width - 2, line, ui.theme.dim);
    }
    let picture =
        Rect { x: inner.x + 1, width: inner.width - 2, height: inner.height - rows, ..inner };
    let bars = phases::rows(&shown.phases, picture);
    let picture = Rect { height: picture.height - bars, ..picture };
    phases::draw(ui, &shown.phases, Rect { y: picture.bottom(), height: bars, ..picture });
    draw_marks(ui, &panels, picture);
}

/// Why a case that ran has no output.
fn missing(model: &Model) -> Option<String> {
    let case = &model.selected.as_ref()?.case;
    let record = record_of(model, case)?;
    record.flags.contains(&Flag::Sampled).then(|| {
        format!(
            "At n = {} only a sample of the blocks ran, so there is no output. < goes to a smaller \
             size. With Sampling ‹ never › all blocks run.",
            Elements(case.n)
        )
    })
}

/// Draws the marks, one above the other, with a row between them if there are
/// enough.
fn draw_marks(ui: &mut Ui, panels: &[Panel], area: Rect) {
    let gap = u16::from(panels.len() > 1 && area.height >= 5);
    let marks = stacked(panels, f64::from(area.height - gap), |_| LEAST_ROWS);
    for (index, (mark, top, bottom)) in (0..).zip(marks) {
        let (top, bottom) = (top.ceil() as u16, bottom.ceil() as u16);
        let area = Rect { y: area.y + top + gap * index, height: bottom - top, ..area };
        if area.is_empty() {
            continue;
        }
        match mark {
            Mark::Columns(mark) => columns::draw(ui, mark, area),
            Mark::Line(mark) => line::draw(ui, mark, area),
            Mark::Grid(mark) => grid::draw(ui, mark, area),
            Mark::Points(mark) => points::draw(ui, mark, area),
        }
    }
}

/// The longest title that fits: the drawing, its case and its verification. The
/// shortest ones have a sign for the latter and leave the launch to the line of the
/// selection.
pub(crate) fn title(shown: &ShownOutput, most: u16) -> String {
    let (case, name, n) = (&shown.case, shown.view.name(), Elements(shown.case.n));
    let (variant, input) = (&case.variant, format!("n = {n}, {}", case.dist));
    let names = || sentence::NAMES.iter().map(|room| variant_name(&case.algorithm, variant, *room));
    let mut texts: Vec<String> = Vec::new();
    if shown.is_expected() {
        texts.extend([
            format!("expected {name} (CPU), {input} · no run yet"),
            format!("expected {name} (CPU), n = {n}"),
            format!("{name} n = {n} (CPU)"),
            format!("{name} {n} (CPU)"),
        ]);
    } else {
        let (worth, sign) = match shown.origin {
            Origin::Verified => ("verified", "✓"),
            Origin::Wrong => ("WRONG", "✗"),
            _ => ("not checked", "?"),
        };
        let launch = format!("block {} ×{}", case.block, case.coarsen);
        texts.push(format!("{name} of {variant} · {input} · {launch} · {worth}"));
        texts.extend(names().map(|it| format!("{name} of {it} · n = {n} · {launch} {sign}")));
        texts.extend(names().map(|it| format!("{name} n = {n} {sign} {it}")));
        texts.push(format!("{name} n = {n} {sign}"));
        texts.push(format!("{name} {n} {sign}"));
    }
    sentence::line(texts, most.saturating_sub(4))
}

/// What lines stand for, and the facts.
fn words(facts: &[Fact], panels: &[Panel]) -> String {
    let legends = panels.iter().filter_map(|panel| match &panel.mark {
        Mark::Columns(mark) => mark.level.as_ref().map(|(_, label)| format!("─ {label}")),
        Mark::Line(mark) if mark.steps.len() > 1 => Some(format!("steps: {}", mark.steps_label)),
        _ => None,
    });
    legends.chain([sentence(facts)]).collect::<Vec<_>>().join(" · ")
}
