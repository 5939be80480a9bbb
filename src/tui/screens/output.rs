//! The output of a case, drawn and in words: each kind of view has its file.
//! What is drawn is the newest result, verified or wrong, or before anything
//! ran the CPU reference of settings like the form's.

use ratatui::layout::Rect;

use crate::tui::app::model::{Origin, ShownOutput};
use crate::tui::widgets::ui::{Ui, width, wrap};
use crate::units::Elements;
use crate::work::View;

mod bands;
mod bars;
mod bins;
mod curve;
mod dots;
mod heat;
pub(crate) mod page;
mod phases;
mod pillars;
mod scatter;
mod shade;
mod strips;
#[cfg(test)]
mod tests;

/// Columns below which words are cut down to the most telling.
const NARROW: u16 = 40;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let model = ui.model;
    let Some(shown) = &model.output else {
        ui.panel(area, "output", false);
        return;
    };
    let inner = ui.panel(area, &title(shown, area.width), false);
    if shown.origin == Origin::Wrong && area.width > 4 {
        let words = width(&title(shown, area.width)).min(area.width - 4);
        ui.buffer.set_style(Rect::new(area.x + 2, area.y, words, 1), ui.theme.bad);
    }
    if inner.width < 4 || inner.height < 2 {
        return;
    }
    let lines = if inner.width < NARROW {
        short_words(&shown.view)
    } else {
        wrap(&words(shown), inner.width - 2)
    };
    // The picture keeps two rows, or one of two.
    let rows = lines.len().min(usize::from(inner.height.saturating_sub(2)).max(1)) as u16;
    for (row, line) in (0..rows).zip(&lines) {
        ui.text(inner.x + 1, inner.bottom() - rows + row, inner.width - 1, line, ui.theme.dim);
    }
    let picture =
        Rect { x: inner.x + 1, width: inner.width - 2, height: inner.height - rows, ..inner };
    let bars = phases::rows(&shown.phases, picture);
    let picture = Rect { height: picture.height - bars, ..picture };
    phases::draw(ui, &shown.phases, Rect { y: picture.bottom(), height: bars, ..picture });
    draw_view(ui, &shown.view, picture);
}

/// Draws the picture alone.
fn draw_view(ui: &mut Ui, view: &View, area: Rect) {
    match view {
        View::Bins(bins) => bins::draw(ui, bins, area),
        View::Bars(bars) => bars::draw(ui, bars, area),
        View::Curve(curve) => curve::draw(ui, curve, area),
        View::Heat(heat) => heat::draw(ui, heat, area),
        View::Bands(bands) => bands::draw(ui, bands, area),
        View::Strips(strips) => strips::draw(ui, strips, area),
        View::Scatter(scatter) => scatter::draw(ui, scatter, area),
    }
}

/// The case, as long as it fits.
fn title(shown: &ShownOutput, most: u16) -> String {
    let (case, name, n) = (&shown.case, shown.view.name(), Elements(shown.case.n));
    let algorithm = crate::algorithms::find(&case.algorithm);
    let noun = algorithm.map_or("n", |algorithm| algorithm.size().noun);
    let (what, how, sign) = match shown.origin {
        Origin::Reference => ("CPU reference".to_owned(), "nothing run yet", "CPU".to_owned()),
        origin => {
            let (how, sign) = match origin {
                Origin::Verified => ("verified", "✓"),
                Origin::Wrong => ("WRONG", "✗"),
                _ => ("not checked", "?"),
            };
            let what = format!("{} · {} · ×{}", case.variant, case.block, case.coarsen);
            (what, how, format!("{sign} {}", case.variant))
        }
    };
    let long = format!("{name} of {what}, {noun} = {n}, {} · {how}", case.dist);
    let shorter = [long, format!("{name} {noun} = {n} {sign}")];
    let fits = |text: &String| width(text) + 4 <= most;
    shorter.into_iter().find(fits).unwrap_or_else(|| format!("{name} n = {n} {sign}"))
}

/// What the picture shows and what else is worth knowing.
fn words(shown: &ShownOutput) -> String {
    match &shown.view {
        View::Bins(bins) => bins::words(bins),
        View::Bars(bars) => bars::words(bars),
        View::Curve(curve) => curve::words(curve),
        View::Heat(heat) => heat::words(heat),
        View::Bands(bands) => bands::words(bands),
        View::Strips(strips) => strips::words(strips),
        View::Scatter(scatter) => scatter::words(scatter),
    }
}

/// As [`words`], in a few short lines.
fn short_words(view: &View) -> Vec<String> {
    match view {
        View::Bins(bins) => bins::short_words(bins),
        View::Bars(bars) => bars::short_words(bars),
        View::Curve(curve) => curve::short_words(curve),
        View::Heat(heat) => heat::short_words(heat),
        View::Bands(bands) => bands::short_words(bands),
        View::Strips(strips) => strips::short_words(strips),
        View::Scatter(scatter) => scatter::short_words(scatter),
    }
}

/// `2 partitions`, `1 partition`.
fn several(count: u64, one: &str) -> String {
    let count_text = crate::units::grouped(count);
    if count == 1 { format!("{count_text} {one}") } else { format!("{count_text} {one}s") }
}
