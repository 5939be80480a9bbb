//! How the answers of a class are distributed, drawn with characters.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::class::{Answers, Grid, Question, Tally};
use crate::tui::widgets::ui::{Ui, fit, width, wrap};

const ROUNDS: [&str; 2] = ["1st", "2nd"];

/// Columns of `1st`, and of `100 % (200)`.
const NAME: u16 = 4;
const COUNT: u16 = 12;

/// Draws both votes; `right` is the choice that the results decided.
pub(crate) fn draw(
    ui: &mut Ui,
    area: Rect,
    question: &Question,
    tallies: &[Tally; 2],
    right: Option<usize>,
) {
    match &question.answers {
        Answers::Choice(choices) => draw_choices(ui, area, choices, tallies, right),
        Answers::Curve(grid) => draw_curves(ui, area, grid, tallies),
    }
}

/// The letter of a choice: `A`.
pub(crate) fn letter(index: usize) -> char {
    char::from(b'A' + (index.min(25)) as u8)
}

fn draw_choices(
    ui: &mut Ui,
    area: Rect,
    choices: &[String],
    tallies: &[Tally; 2],
    right: Option<usize>,
) {
    let counts: [Vec<u32>; 2] = tallies.each_ref().map(|tally| match tally {
        Tally::Choice(counts) => counts.iter().map(|it| it.iter().sum()).collect(),
        Tally::Curve { .. } => Vec::new(),
    });
    let mut y = area.y;
    // One row each where three are too many.
    if area.height < 3 * choices.len() as u16 {
        for (index, text) in choices.iter().enumerate().take(area.height.into()) {
            compact(ui, Rect { y, height: 1, ..area }, text, &counts, index, right);
            y += 1;
        }
        return;
    }
    for (index, text) in choices.iter().enumerate() {
        let style = if right == Some(index) { ui.theme.good } else { ui.theme.base };
        let mark = if right == Some(index) { "✓ " } else { "" };
        let label = format!("{mark}{}. {text}", letter(index));
        // Two lines of text where there is room for two of each.
        let roomy = area.height >= 4 * choices.len() as u16;
        for line in wrap(&label, area.width).into_iter().take(if roomy { 2 } else { 1 }) {
            if y < area.bottom() {
                ui.text(area.x, y, area.width, &line, style);
                y += 1;
            }
        }
        for (round, (name, counts)) in ROUNDS.iter().zip(&counts).enumerate() {
            // One vote may have been enough.
            let has_votes = round == 0 || counts.iter().any(|count| *count > 0);
            if y < area.bottom() && has_votes {
                bar(ui, Rect { y, height: 1, ..area }, name, counts, index, round);
                y += 1;
            }
        }
    }
}

/// `✓E. 100×        13 → 71 % ██████`: the share of the first vote, then of the second.
fn compact(
    ui: &mut Ui,
    area: Rect,
    text: &str,
    counts: &[Vec<u32>; 2],
    index: usize,
    right: Option<usize>,
) {
    let share = |counts: &[u32]| {
        let votes: u32 = counts.iter().sum();
        let count = f64::from(counts.get(index).copied().unwrap_or_default());
        if votes == 0 { 0.0 } else { count / f64::from(votes) }
    };
    let [first, second] = counts.each_ref().map(|counts| share(counts));
    let is_right = right == Some(index);
    let style = if is_right { ui.theme.good } else { ui.theme.base };
    let label = format!("{}{}. {text}", if is_right { "✓" } else { " " }, letter(index));
    let told = format!(" {:>3.0} → {:>3.0} % ", 100.0 * first, 100.0 * second);
    let room = area.width.saturating_sub(width(&told));
    // A bar of a few columns says less than the words.
    let name = if room < 24 { room } else { room * 3 / 5 };
    ui.text(area.x, area.y, name, &label, style);
    let x = ui.text(area.x + name, area.y, width(&told), &told, ui.theme.base);
    let long = (second * f64::from(area.right().saturating_sub(x))).round() as usize;
    ui.text(x, area.y, area.right().saturating_sub(x), &"█".repeat(long), ui.theme.accent);
}

/// `2nd ████████   62 % (25)`.
fn bar(ui: &mut Ui, area: Rect, name: &str, counts: &[u32], index: usize, round: usize) {
    let votes: u32 = counts.iter().sum();
    let count = counts.get(index).copied().unwrap_or_default();
    let share = if votes == 0 { 0.0 } else { f64::from(count) / f64::from(votes) };
    let room = area.width.saturating_sub(NAME + COUNT);
    let long = (share * f64::from(room)).round() as usize;
    let style: Style = if round == 0 { ui.theme.dim } else { ui.theme.accent };
    let x = ui.text(area.x, area.y, NAME, &format!("{name:<4}"), ui.theme.dim);
    let block = if round == 0 { "▒" } else { "█" };
    ui.text(x, area.y, room, &block.repeat(long), style);
    let told = format!("{:>3.0} % ({count})", 100.0 * share);
    ui.text(x + room + 1, area.y, COUNT - 1, &told, ui.theme.base);
}

/// The curves of the second vote, or of the first where there is no second: how many pass
/// through each place, as shades, and the median over them.
fn draw_curves(ui: &mut Ui, area: Rect, grid: &Grid, tallies: &[Tally; 2]) {
    let [first, second] = tallies;
    let shown = if second.votes() > 0 { second } else { first };
    let Tally::Curve { curves, median } = shown else { return };
    let gutter = grid.heights.iter().map(|it| width(it)).max().unwrap_or(0).min(10) + 1;
    let plot = Rect {
        x: area.x + gutter,
        width: area.width.saturating_sub(gutter),
        height: area.height.saturating_sub(2),
        ..area
    };
    if plot.width < 8 || plot.height < 3 {
        return;
    }
    let last = |many: usize| many.saturating_sub(1).max(1) as f64;
    // The height of a curve at a column: between two sizes on a straight line.
    let row = |heights: &[f64], column: u16| {
        let at = f64::from(column) / last(plot.width.into()) * last(heights.len());
        let (left, share) = ((at.floor() as usize).min(heights.len() - 1), at.fract());
        let right = (left + 1).min(heights.len() - 1);
        let height = heights[left] * (1.0 - share) + heights[right] * share;
        let up = height / last(grid.heights.len()) * last(plot.height.into());
        plot.bottom() - 1 - (up.round() as u16).min(plot.height - 1)
    };
    let whole: Vec<Vec<f64>> = curves
        .iter()
        .map(|curve| curve.iter().map(|it| f64::from(*it)).collect::<Vec<f64>>())
        .filter(|curve| curve.len() == grid.sizes.len())
        .collect();
    for column in 0..plot.width {
        let mut passes = vec![0_usize; usize::from(plot.height)];
        for curve in &whole {
            passes[usize::from(row(curve, column) - plot.y)] += 1;
        }
        for (y, passes) in (plot.y..).zip(passes).filter(|(_, passes)| *passes > 0) {
            let many = 4 * passes > whole.len();
            ui.text(plot.x + column, y, 1, if many { "▒" } else { "░" }, ui.theme.dim);
        }
        if median.len() == grid.sizes.len() {
            ui.text(plot.x + column, row(median, column), 1, "█", ui.theme.accent);
        }
    }
    let (bottom, top) = (grid.heights.first(), grid.heights.last());
    for (text, y) in [(top, plot.y), (bottom, plot.bottom() - 1)] {
        let text = fit(text.map_or("", String::as_str), gutter - 1);
        ui.text(plot.x - 1 - width(&text), y, gutter, &text, ui.theme.dim);
    }
    let (left, right) = (grid.sizes.first(), grid.sizes.last());
    let (left, right) = (left.map_or("", String::as_str), right.map_or("", String::as_str));
    let (left, right) = (ui.set(left).into_owned(), ui.set(right).into_owned());
    ui.text(plot.x, plot.bottom(), plot.width, &left, ui.theme.dim);
    let x = plot.right().saturating_sub(width(&right));
    ui.text(x, plot.bottom(), plot.width, &right, ui.theme.dim);
    let round = if second.votes() > 0 { "2nd" } else { "1st" };
    let told = format!("{round} vote, {} curves; █ median", whole.len());
    ui.text(plot.x, plot.bottom() + 1, plot.width, &told, ui.theme.base);
}
