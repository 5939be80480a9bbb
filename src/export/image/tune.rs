//! Times by block size and coarsening: a heat map with each time in its cell
//! and the best one framed.

use super::layout::{Page, Rect};
use super::palette::{self, SHADES};
use super::scene::{Anchor, Ink};
use super::text;
use crate::figure::tune::{Cell, Tune};
use crate::units::{Seconds, significant};

/// Draws it into the room of the page.
pub(super) fn draw(page: &mut Page, map: &Tune) {
    if map.ranking.is_empty() {
        page.nothing("nothing to draw: no block size and coarsening has a time");
        return;
    }
    let body = page.sizes.body;
    page.room.top += body;
    legend(page, map);
    let rows = map.coarsenings.iter().map(|coarsen| format!("×{coarsen}"));
    let widest = rows.clone().map(|name| text::width(&name, body)).fold(0.0, f64::max);
    let name = "coarsening";
    page.text(
        name.to_owned(),
        (page.room.left, page.room.top + body * 0.6),
        Anchor::Left,
        body,
        Ink::Text,
    );
    let grid = Rect {
        left: page.room.left + widest + body * 0.6,
        top: page.room.top + body * 1.6,
        right: page.room.right,
        bottom: page.room.bottom - body * 3.8,
    };
    let (columns, down) = (map.blocks.len() as f64, map.coarsenings.len() as f64);
    // Wide cells read better than long ones, but not as ribbons.
    let wide = (grid.width() / columns).min(body * 11.0);
    let high = (grid.height() / down).min(wide * 0.9);
    let cell = |column: usize, row: usize| Rect {
        left: grid.left + column as f64 * wide,
        top: grid.top + row as f64 * high,
        right: grid.left + (column + 1) as f64 * wide,
        bottom: grid.top + (row + 1) as f64 * high,
    };
    for (row, name) in rows.enumerate() {
        let rect = cell(0, row);
        let at = (grid.left - body * 0.5, f64::midpoint(rect.top, rect.bottom));
        page.text(name, at, Anchor::Right, body.min(high * 0.95), Ink::Text);
    }
    let bottom = grid.top + down * high;
    for (column, block) in map.blocks.iter().enumerate() {
        let rect = cell(column, 0);
        let at = (f64::midpoint(rect.left, rect.right), bottom + body);
        let name = block.to_string();
        let fitting = wide * 0.9 / (name.chars().count() as f64 * text::ADVANCE);
        page.text(name, at, Anchor::Middle, body.min(fitting), Ink::Text);
    }
    let middle = (grid.left + columns * wide / 2.0, bottom + body * 2.6);
    page.text("block size (threads)".to_owned(), middle, Anchor::Middle, body, Ink::Text);
    for (row, coarsen) in map.coarsenings.iter().enumerate() {
        for (column, block) in map.blocks.iter().enumerate() {
            draw_cell(page, map, (*block, *coarsen), cell(column, row));
        }
    }
    if let Some((block, coarsen)) = map.best() {
        let place = |values: &[u32], wanted| values.iter().position(|value| *value == wanted);
        if let Some((column, row)) = place(&map.blocks, block).zip(place(&map.coarsenings, coarsen))
        {
            let gap = body * 0.14;
            let mut corners = inset(cell(column, row), gap).corners();
            corners.extend(corners.first().copied());
            page.line(corners, Ink::OnShade(palette::SHADES - 1), body * 0.2);
        }
    }
}

fn inset(rect: Rect, by: f64) -> Rect {
    Rect {
        left: rect.left + by,
        top: rect.top + by,
        right: rect.right - by,
        bottom: rect.bottom - by,
    }
}

fn draw_cell(page: &mut Page, map: &Tune, place: (u32, u32), rect: Rect) {
    let gap = (page.sizes.body * 0.06).max(1.0);
    let inner = inset(rect, gap);
    let (words, fill, ink) = match map.cells.get(&place) {
        Some(Cell::Time(time)) => {
            let level = palette::shade(map.shade(*time));
            (
                words(map, place, *time, rect, page.sizes.body),
                Ink::Shade(level),
                Ink::OnShade(level),
            )
        }
        Some(Cell::Skipped) => (vec!["skipped".to_owned()], Ink::Grid, Ink::Faint),
        Some(Cell::Wrong) => (vec!["wrong".to_owned()], Ink::Grid, Ink::Text),
        None => (vec!["·".to_owned()], Ink::Grid, Ink::Faint),
    };
    page.fill(inner, fill);
    let longest = words.iter().map(|line| line.chars().count()).max().unwrap_or(1) as f64;
    let step = |size: f64| size * text::LEADING;
    let by_width = inner.width() * 0.92 / (longest * text::ADVANCE);
    let by_height = inner.height() * 0.92 / (words.len() as f64 * text::LEADING);
    let size = page.sizes.body.min(by_width).min(by_height);
    let top = f64::midpoint(rect.top, rect.bottom) - (words.len() - 1) as f64 * step(size) / 2.0;
    for (line, words) in words.into_iter().enumerate() {
        let at = (f64::midpoint(rect.left, rect.right), top + line as f64 * step(size));
        page.text(words, at, Anchor::Middle, size, ink);
    }
}

/// The time, and below it the factor over the best where there is room.
fn words(map: &Tune, place: (u32, u32), time: f64, rect: Rect, body: f64) -> Vec<String> {
    let best = map.best() == Some(place);
    let mut lines = vec![Seconds(time).to_string()];
    let fastest = map.ranking.first().map_or(time, |(_, fastest)| *fastest);
    if rect.height() > body * 3.4 {
        let factor = format!("{}×", significant(time / fastest));
        lines.push(if best { "best".to_owned() } else { factor });
    }
    lines
}

/// What the shades stand for.
fn legend(page: &mut Page, map: &Tune) {
    let Some(((_, best), (darkest, worst))) =
        map.ranking.first().zip(map.darkest().zip(map.ranking.last()))
    else {
        return;
    };
    let low = if darkest > worst.1 { "as slow as" } else { "slowest" };
    let body = page.sizes.body;
    let y = page.room.top + body * 0.6;
    let mut x = page.room.left;
    let say = |page: &mut Page, x: f64, words: String| {
        let end = x + text::width(&words, body);
        page.text(words, (x, y), Anchor::Left, body, Ink::Faint);
        end + body * 0.5
    };
    x = say(page, x, format!("{low} {}", Seconds(darkest)));
    for level in 0..SHADES {
        let wide = body * 1.4;
        let rect = Rect { left: x, top: y - body * 0.5, right: x + wide, bottom: y + body * 0.5 };
        page.fill(rect, Ink::Shade(level));
        x += wide;
    }
    x = say(page, x + body * 0.5, format!("fastest {}", Seconds(*best)));
    let _ = x;
    page.room.top += body * 2.0;
}
