//! A ladder: a bar for each variant, its idea and factor above it, the libraries and limits as
//! lines across all bars.

use super::layout::{Page, Rect};
use super::palette;
use super::scene::{Anchor, Ink, Place};
use super::text;
use crate::figure::ladder::{Ladder, Step};
use crate::figure::pen::Pen;
use crate::units::Seconds;

/// Height of a rung over the size of its letters: idea, bar, gap.
const RUNG: f64 = 3.1;

/// Greatest height of a rung over the size of letters: few bars do not get thick.
const MOST_RUNG: f64 = 6.0;

/// Smallest letters over the usual size.
const LEAST: f64 = 0.55;

/// Draws it into the room of the page.
pub(super) fn draw(page: &mut Page, ladder: &Ladder) {
    let body = page.sizes.body;
    page.room.top += body;
    let all = ladder.steps(usize::MAX);
    let heads = ladder.marks.len().min(MOST_HEADS);
    page.room.top += heads as f64 * body * text::LEADING;
    // Ticks and their name stand below the bars.
    let bottom = page.room.bottom - body * 3.4;
    let height = bottom - page.room.top;
    let fitting = |size: f64| (height / (RUNG * size)) as usize;
    let size = (height / (all.len() as f64 * RUNG)).clamp(body * LEAST, body);
    let steps = ladder.steps(fitting(size).max(2));
    let high = (height / steps.len() as f64).min(MOST_RUNG * size);
    // The idea stands between two bars.
    let thick = (high - size * 1.9).clamp(size * 1.2, size * 2.4);
    let name = |step: &Step| format!("{} {}", step.rung.variant, step.rung.setting());
    let short = |step: &Step| format!("{} {}", step.rung.short, step.rung.setting());
    let widest = |name: &dyn Fn(&Step) -> String| {
        steps.iter().map(|step| text::width(&name(step), size)).fold(0.0, f64::max)
    };
    let narrow = widest(&name) > 0.3 * page.room.width();
    let name: &dyn Fn(&Step) -> String = if narrow { &short } else { &name };
    let left = page.room.left + widest(name) + size * 0.8;
    let plot = Rect { left, bottom: page.room.top + high * steps.len() as f64, ..page.room };
    axis(page, ladder, plot);
    for (row, step) in steps.iter().enumerate() {
        let top = plot.top + row as f64 * high;
        let bar = Rect {
            left,
            top: top + high - thick,
            right: left + plot.width() * ladder.at(step.rung.rate),
            bottom: top + high,
        };
        let bar = Rect { right: bar.right.max(left + (size * 0.1).max(1.0)), ..bar };
        page.fill(bar, palette::ink(Pen::of_variant(step.rung.rank)));
    }
    if heads > 0 {
        marks(page, ladder, plot, heads);
    }
    for (row, step) in steps.iter().enumerate() {
        let top = plot.top + row as f64 * high;
        let middle = top + high - thick / 2.0;
        page.text(name(step), (left - size * 0.8, middle), Anchor::Right, size, Ink::Text);
        let above = top + high - thick - size * 0.75;
        backed(page, &step.says(), (left + size * 0.5, above), size, plot.right);
        let rate = step.rung.rate;
        let value = format!(
            "{} · {} · {}",
            Seconds(step.rung.seconds),
            ladder.x.format(rate),
            ladder.share(rate)
        );
        let end = left + plot.width() * ladder.at(rate);
        if end - left > text::width(&value, size) + size {
            let right = end - size * 0.5;
            let left = right - text::width(&value, size) - size * 0.2;
            let (top, bottom) = (middle - size * 0.6, middle + size * 0.6);
            // Lines do not cross the words.
            let under = Rect { left, top, right, bottom };
            page.fill(under, palette::ink(Pen::of_variant(step.rung.rank)));
            page.text(value, (right, middle), Anchor::Right, size, Ink::Paper);
        } else {
            backed(page, &value, (end + size * 0.5, middle), size, plot.right);
        }
    }
}

/// Words on paper, so that lines do not cross them.
fn backed(page: &mut Page, words: &str, (x, y): Place, size: f64, right: f64) {
    let words = text::cut(words, text::fitting((right - x).max(size), size));
    let rect = Rect {
        left: x - size * 0.2,
        top: y - size * 0.6,
        right: x + text::width(&words, size) + size * 0.2,
        bottom: y + size * 0.6,
    };
    page.fill(rect, Ink::Paper);
    page.text(words, (x, y), Anchor::Left, size, Ink::Text);
}

/// Grid, ticks and what the scale ends at.
fn axis(page: &mut Page, ladder: &Ladder, plot: Rect) {
    let body = page.sizes.body;
    let hair = (body * 0.06).max(1.0);
    let place = |rate: f64| plot.left + plot.width() * ladder.at(rate);
    let mut last = f64::NEG_INFINITY;
    for quarter in 0..=4 {
        let rate = ladder.end * f64::from(quarter) / 4.0;
        let x = place(rate);
        page.line(vec![(x, plot.top), (x, plot.bottom)], Ink::Grid, hair);
        let label = format!("{} %", 25 * quarter);
        let half = text::width(&label, body) / 2.0;
        let at = x.min(plot.right - half);
        if at - half > last {
            page.text(label, (at, plot.bottom + body), Anchor::Middle, body, Ink::Text);
            last = at + half + body * 0.5;
        }
    }
    page.line(vec![(plot.left, plot.top), (plot.left, plot.bottom)], Ink::Frame, hair * 1.5);
    page.line(vec![(plot.right, plot.top), (plot.right, plot.bottom)], Ink::Text, hair * 2.5);
    let name = format!("{}; 100 % = {}", ladder.x.label, ladder.end_label);
    let most = text::fitting(page.room.width(), body);
    let at = (page.room.right, plot.bottom + body * 2.5);
    page.text(text::cut(&name, most), at, Anchor::Right, body, Ink::Text);
}

/// Most rows of labels above the bars.
const MOST_HEADS: usize = 4;

/// The marks as lines over the bars, each with its label above, in a row of its own.
fn marks(page: &mut Page, ladder: &Ladder, plot: Rect, heads: usize) {
    let body = page.sizes.body;
    let x = |rate: f64| plot.left + plot.width() * ladder.at(rate);
    let y = |index: usize| {
        let row = (heads - 1 - index % heads) as f64;
        plot.top - (row + 0.6) * body * text::LEADING
    };
    for (index, mark) in ladder.marks.iter().enumerate() {
        let ink = if mark.limit { Ink::Frame } else { Ink::Text };
        let x = x(mark.rate);
        page.line(vec![(x, y(index) + body * 0.6), (x, plot.bottom)], ink, body * 0.14);
    }
    for (index, mark) in ladder.marks.iter().enumerate() {
        let most = (plot.right - text::width(&mark.label, body)).max(page.room.left);
        let left = x(mark.rate) - text::width(&mark.label, body) / 2.0;
        let at = (left.clamp(page.room.left, most), y(index));
        backed(page, &mark.label, at, body, page.room.right);
    }
}
