//! Bands: the output from left to right, coloured by partition, and below it
//! the sizes of the partitions.

use ratatui::layout::Rect;

use crate::tui::screens::output::{pillars, several, shade};
use crate::tui::widgets::ui::{Ui, width};
use crate::units::grouped;
use crate::work::Bands;

/// Partitions up to which each is a character of its own without colour.
const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

pub(crate) fn draw(ui: &mut Ui, bands: &Bands, area: Rect) {
    if area.is_empty() {
        return;
    }
    // The bands take a third, the sizes the rest, if they get two rows.
    let sizes = if area.height >= 4 { area.height - area.height.div_ceil(3) } else { 0 };
    let strip = Rect { height: area.height - sizes, ..area };
    let parts = shown(bands, strip.width);
    let high = bands.parts.saturating_sub(1) as f64;
    for (x, part) in (strip.x..).zip(&parts) {
        for y in strip.y..strip.bottom() {
            draw_cell(ui, x, y, *part, high);
        }
    }
    draw_names(ui, &parts, strip);
    if sizes > 0 {
        let area = Rect { y: strip.bottom(), height: sizes, ..area };
        draw_sizes(ui, bands, area);
    }
}

/// The partition of each column of cells: the one that most of it belongs to.
fn shown(bands: &Bands, columns: u16) -> Vec<Option<u64>> {
    let (held, columns) = (bands.columns.len(), usize::from(columns));
    let used = if held >= columns { columns } else { columns / held.max(1) * held };
    (0..used)
        .map(|x| {
            let range = x * held / used..((x + 1) * held).div_ceil(used);
            let covered = bands.columns.get(range)?;
            // The one in most of them; of equals the first.
            let count = |part: &Option<u64>| covered.iter().filter(|other| *other == part).count();
            covered.iter().rev().max_by_key(|part| count(part)).copied().flatten()
        })
        .collect()
}

fn draw_cell(ui: &mut Ui, x: u16, y: u16, part: Option<u64>, high: f64) {
    let Some(part) = part else {
        ui.text(x, y, 1, "?", ui.theme.bad);
        return;
    };
    let color = ui.theme.shade(shade::between(part as f64, 0.0, high)).0;
    if ui.theme.colour && !ui.model.look.ascii {
        ui.text(x, y, 1, "█", ui.theme.base.fg(color));
    } else {
        let letter = char::from(LETTERS[(part % LETTERS.len() as u64) as usize]);
        let style = if ui.theme.colour { ui.theme.base.fg(color) } else { ui.theme.base };
        ui.text(x, y, 1, letter.encode_utf8(&mut [0; 4]), style);
    }
}

/// The number of each partition on its band, where the band is wide enough.
fn draw_names(ui: &mut Ui, parts: &[Option<u64>], strip: Rect) {
    if strip.height < 2 {
        return;
    }
    let mut start = 0;
    for band in parts.chunk_by(|a, b| a == b) {
        let name = band[0].map_or("?".to_owned(), |part| part.to_string());
        if usize::from(width(&name)) + 2 <= band.len() {
            let x = strip.x + start as u16 + (band.len() as u16 - width(&name)) / 2;
            let y = strip.y + strip.height / 2;
            ui.text(x - 1, y, width(&name) + 2, &format!(" {name} "), ui.theme.base);
        }
        start += band.len();
    }
}

/// Elements per partition, with the even share as a line.
fn draw_sizes(ui: &mut Ui, bands: &Bands, area: Rect) {
    let per_entry = bands.per_size.max(1);
    let per_part: Vec<Option<f64>> = (0u64..)
        .zip(&bands.sizes)
        .map(|(entry, &size)| {
            let covered = per_entry.min(bands.parts.saturating_sub(entry * per_entry));
            Some(size as f64 / covered.max(1) as f64)
        })
        .collect();
    let heights = pillars::means(&per_part, per_entry, bands.parts, usize::from(area.width));
    let even = (bands.parts > 0).then(|| bands.n as f64 / bands.parts as f64);
    pillars::draw(ui, &heights, even, area);
}

pub(crate) fn words(bands: &Bands) -> String {
    let mut parts = vec![format!(
        "{} in {}, by colour; below them their sizes",
        several(bands.n, "element"),
        several(bands.parts, "partition")
    )];
    if let Some(share) = bands.n.checked_div(bands.parts) {
        let ((large, most), (small, least)) = (bands.largest, bands.smallest);
        parts.push(format!("largest {large}: {}", grouped(most)));
        parts.push(format!("smallest {small}: {}", grouped(least)));
        parts.push(format!("even share ─ {}", grouped(share)));
    }
    parts.push(order(bands));
    parts.join(" · ")
}

/// Whether every partition is where it belongs.
fn order(bands: &Bands) -> String {
    let mut wrong = Vec::new();
    if bands.descents > 0 {
        wrong.push(format!("order broken {} times", grouped(bands.descents)));
    }
    if bands.strays > 0 {
        wrong.push(format!("{} of no partition (?)", grouped(bands.strays)));
    }
    if wrong.is_empty() { "each one band, in order".to_owned() } else { wrong.join(", ") }
}

fn short_order(bands: &Bands) -> &'static str {
    if bands.descents == 0 && bands.strays == 0 { ", in order" } else { ", ORDER BROKEN" }
}

pub(crate) fn short_words(bands: &Bands) -> Vec<String> {
    vec![
        format!("{}{}", several(bands.parts, "part"), short_order(bands)),
        format!("most {} in {}", grouped(bands.largest.1), bands.largest.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_show_what_most_of_them_is() {
        let bands = Bands::of(3, [0, 0, 0, 1, 1, 2, 2, 2]);
        assert_eq!(shown(&bands, 4), [Some(0), Some(0), Some(1), Some(2)]);
        assert_eq!(shown(&bands, 17).len(), 16);
        assert_eq!(shown(&bands, 16)[5..7], [Some(0), Some(1)]);
        assert_eq!(shown(&Bands::of(3, []), 10), []);
        assert_eq!(shown(&Bands::of(3, [7]), 3), [None; 3]);
    }

    #[test]
    fn a_broken_order_is_told() {
        assert!(words(&Bands::of(3, [0, 1, 2])).ends_with("each one band, in order"));
        let broken = Bands::of(3, [1, 0, 2, 9]);
        assert!(words(&broken).ends_with("order broken 1 times, 1 of no partition (?)"));
    }
}
