//! Times by block size and coarsening: a heat map with each time in its cell
//! and a frame around the best one.

use super::layout::{Page, Rect};
use super::marks::shades;
use super::palette::{self, SHADES};
use super::scene::{Anchor, Ink};
use super::text;
use crate::figure::tune::{Cell, Place, Tune};
use crate::units::{Seconds, significant};

/// Draws it into the room of the page.
pub(super) fn draw(page: &mut Page, map: &Tune) {
    let ends = map.ranking.first().zip(map.darkest().zip(map.ranking.last()));
    let Some(((_, fastest), (darkest, (_, slowest)))) = ends else {
        page.nothing("nothing to draw: no block size and coarsening has a time");
        return;
    };
    let body = page.sizes.body;
    page.room.top += body;
    let low = if darkest > *slowest { "as slow as" } else { "slowest" };
    let low = format!("{low} {}", Seconds(darkest));
    let mut room = shades(page, page.room, low, format!("fastest {}", Seconds(*fastest)));
    room.top += body * 0.2;
    let at = (room.left, room.top + body * 0.6);
    page.text("coarsening".to_owned(), at, Anchor::Left, body, Ink::Text);
    let rows: Vec<String> = map.coarsenings.iter().map(|coarsen| format!("×{coarsen}")).collect();
    let widest = rows.iter().map(|name| text::width(name, body)).fold(0.0, f64::max);
    let (left, top) = (room.left + widest + body * 0.6, room.top + body * 1.6);
    // Wide cells read better than high ones, but not as ribbons. What room they leave goes to
    // the ranking, unless it is too little for that.
    let across = (room.right - left) / map.blocks.len() as f64;
    let most = body * 11.0;
    let spare = (across - most) * map.blocks.len() as f64;
    let wide = if spare > (RANKING + 3.0) * body { most } else { across.min(body * 16.0) };
    let high = ((room.bottom - body * 3.8 - top) / rows.len() as f64).min(wide * 0.9);
    let cell = |column: usize, row: usize| {
        let (left, top) = (left + column as f64 * wide, top + row as f64 * high);
        Rect { left, top, right: left + wide, bottom: top + high }
    };
    let bottom = top + rows.len() as f64 * high;
    for (column, block) in map.blocks.iter().enumerate() {
        let name = block.to_string();
        let fitting = wide * 0.9 / (name.len() as f64 * text::ADVANCE);
        let at = (cell(column, 0).middle().0, bottom + body);
        page.text(name, at, Anchor::Middle, body.min(fitting), Ink::Text);
    }
    let at = (left + map.blocks.len() as f64 * wide / 2.0, bottom + body * 2.6);
    page.text("block size (threads)".to_owned(), at, Anchor::Middle, body, Ink::Text);
    let rest = |left, top| Rect { left, top, right: page.room.right, bottom: page.room.bottom };
    let beside = rest(left + map.blocks.len() as f64 * wide + body * 3.0, room.top + body * 0.6);
    let below = rest(room.left, bottom + body * 4.4);
    let wider = beside.width() > RANKING * body;
    ranking(page, map, if wider { beside } else { below });
    for (row, (name, coarsen)) in rows.into_iter().zip(&map.coarsenings).enumerate() {
        let at = (left - body * 0.5, cell(0, row).middle().1);
        page.text(name, at, Anchor::Right, body.min(high * 0.95), Ink::Text);
        for (column, block) in map.blocks.iter().enumerate() {
            draw_cell(page, map, (*block, *coarsen), cell(column, row));
        }
    }
}

/// The time, and below it the factor over the best if there is room.
fn draw_cell(page: &mut Page, map: &Tune, place: (u32, u32), rect: Rect) {
    let body = page.sizes.body;
    let inner = rect.inset((body * 0.06).max(1.0));
    let best = map.best() == Some(place);
    let mut lines = Vec::new();
    let (fill, ink) = match map.cells.get(&place) {
        Some(Cell::Time(time)) => {
            lines.push(Seconds(*time).to_string());
            let fastest = map.ranking.first().map_or(*time, |(_, fastest)| *fastest);
            if rect.height() > body * 3.4 {
                let factor = format!("{}×", significant(time / fastest));
                lines.push(if best { "best".to_owned() } else { factor });
            }
            let level = palette::shade(map.shade(*time));
            (Ink::Shade(level), Ink::OnShade(level))
        }
        cell => {
            let (words, ink) = match cell {
                Some(Cell::Wrong) => ("wrong", Ink::Text),
                Some(_) => ("skipped", Ink::Faint),
                None => ("·", Ink::Faint),
            };
            lines.push(words.to_owned());
            (Ink::Grid, ink)
        }
    };
    page.fill(inner, fill);
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(1) as f64;
    let by_width = inner.width() * 0.92 / (longest * text::ADVANCE);
    let by_height = inner.height() * 0.92 / (lines.len() as f64 * text::LEADING);
    let size = body.min(by_width).min(by_height);
    let (middle, y) = rect.middle();
    let top = y - (lines.len() - 1) as f64 * size * text::LEADING / 2.0;
    for (line, words) in lines.into_iter().enumerate() {
        let at = (middle, top + line as f64 * size * text::LEADING);
        page.text(words, at, Anchor::Middle, size, ink);
    }
    if best {
        page.outline(rect.inset(body * 0.14), Ink::OnShade(SHADES - 1), body * 0.2);
        let radius = (size * 0.42).min(rect.height() * 0.2).min(rect.width() * 0.08);
        let at = (rect.left + body * 0.3 + radius * 1.5, rect.top + body * 0.3 + radius * 1.5);
        page.shapes.push(palette::star(at, radius, Ink::OnShade(SHADES - 1)));
    }
}

/// Least width of the ranking over the size of letters.
const RANKING: f64 = 20.0;

/// The fastest cells as bars, in room that the map leaves; nothing where that is too little.
fn ranking(page: &mut Page, map: &Tune, room: Rect) {
    let body = page.sizes.body;
    let line = body * text::LEADING;
    let fitting = (room.height() / line) as usize;
    if room.width() < RANKING * body || fitting < 4 {
        return;
    }
    let shown = map.ranking.len().min(fitting - 2);
    // Few bars may be thick.
    let line = (room.height() / (shown + 2) as f64).clamp(line, body * 2.2);
    let slowest = map.ranking.last().map_or(1.0, |(_, time)| *time);
    let left_out = map.ranking.len() - shown;
    let heading = match left_out {
        0 => "fastest first".to_owned(),
        more => format!("fastest first; {more} slower ones left out"),
    };
    let at = (room.left, room.top);
    let most = text::fitting(room.width(), body);
    page.text(text::cut(&heading, most), at, Anchor::Left, body, Ink::Text);
    let name = |(block, coarsen): Place| format!("{block} ×{coarsen}");
    let widest = |words: &dyn Fn(&(Place, f64)) -> String| {
        let all = map.ranking.iter().take(shown).map(|it| text::width(&words(it), body));
        all.fold(0.0, f64::max)
    };
    let names = widest(&|(place, _)| name(*place));
    let times = widest(&|(_, time)| Seconds(*time).to_string());
    let start = room.left + names + times + body * 1.6;
    for (index, (place, time)) in map.ranking.iter().take(shown).enumerate() {
        let y = room.top + (index as f64 + 1.4) * line;
        page.text(name(*place), (room.left + names, y), Anchor::Right, body, Ink::Text);
        let words = Seconds(*time).to_string();
        page.text(words, (start - body * 0.8, y), Anchor::Right, body, Ink::Text);
        let right = start + (room.right - start) * time / slowest;
        let bar = Rect { left: start, top: y - line * 0.36, right, bottom: y + line * 0.36 };
        page.fill(bar, Ink::Shade(palette::shade(map.shade(*time))));
    }
}
