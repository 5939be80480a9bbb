//! The map itself: a cell for each block size and coarsening, its scale, and the best cell
//! outlined and starred.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::figure::tune::{LEAST_SPREAD, shade};
use crate::results::record::Outcome;
use crate::tui::app::action::Command;
use crate::tui::screens::tune::state::Map;
use crate::tui::theme::SHADES;
use crate::tui::widgets::ui::{Ui, fit, width};
use crate::units::Seconds;

/// Columns of a cell that hold a time.
const TIME: u16 = 9;
/// Columns for the coarsenings on the left.
const LABEL: u16 = 6;
/// Most rows that one coarsening takes.
const MOST_HIGH: u16 = 5;
/// Most columns of a cell.
const MOST_WIDE: u16 = 18;

/// Columns of a cell in a grid of this width.
fn cell_width(room: u16, columns: u16) -> u16 {
    (room.saturating_sub(LABEL) / columns.max(1)).clamp(1, MOST_WIDE)
}

/// Whether cells in a grid of this width hold times; else they hold factors over the best.
pub(super) fn holds_times(room: u16, columns: u16) -> bool {
    cell_width(room, columns) > TIME + 1
}

/// The grid with its labels.
pub(crate) fn draw(ui: &mut Ui, map: &Map, area: Rect, cursor: Option<(u32, u32)>) {
    let columns = map.blocks.len() as u16;
    let rows = map.coarsenings.len() as u16;
    if columns == 0 || rows == 0 || area.width <= LABEL || area.height < 2 {
        return;
    }
    let wide = cell_width(area.width, columns);
    let high = ((area.height - 1) / rows).clamp(1, MOST_HIGH);
    ui.text(area.x, area.y, LABEL, "block", ui.theme.dim);
    for (column, block) in (0u16..).zip(&map.blocks) {
        let x = area.x + LABEL + column * wide;
        let text = format!("{:^1$}", block, usize::from(wide));
        ui.text(x, area.y, wide, &text, ui.theme.dim);
    }
    for (row, coarsen) in (0u16..).zip(&map.coarsenings) {
        let y = area.y + 1 + row * high;
        if y + high > area.bottom() {
            break;
        }
        ui.text(area.x, y + (high - 1) / 2, LABEL, &format!("×{coarsen}"), ui.theme.dim);
        for (column, block) in (0u16..).zip(&map.blocks) {
            let cell = (*block, *coarsen);
            let place = Rect::new(area.x + LABEL + column * wide, y, wide, high);
            draw_cell(ui, map, cell, place, cursor == Some(cell));
            ui.hit(place, Command::Cell(cell.0, cell.1));
        }
    }
}

/// The shades between the slowest and the fastest time, in one line: `slowest 71.0 µs ▆▆▆
/// fastest 12.3 µs`. The fastest has the same end of the scale in every theme.
pub(crate) fn draw_scale(ui: &mut Ui, map: &Map, area: Rect) {
    let Some((_, best)) = map.ranking.first() else { return };
    let worst = map.ranking.last().map_or(*best, |(_, worst)| *worst);
    // Small differences look small: the scale goes at least so far.
    let least = best * LEAST_SPREAD;
    let end = if worst < least { "as slow as" } else { "slowest" };
    let slow = format!("{end} {}", Seconds(worst.max(least)));
    let fast = format!("fastest {}", Seconds(*best));
    let level = |shade: usize| shade as f64 / (SHADES - 1) as f64;
    let words = width(&slow) + width(&fast) + 2;
    let each = area.width.saturating_sub(words) / SHADES as u16;
    if each == 0 {
        return;
    }
    let each = usize::from(each.min(3));
    let mut x = ui.text(area.x, area.y, area.width, &slow, ui.theme.dim) + 1;
    for shade in 0..SHADES {
        let (text, style) = swatch(ui, level(shade), each);
        x = ui.text(x, area.y, each as u16, &text, style);
    }
    ui.text(x + 1, area.y, area.right().saturating_sub(x + 1), &fast, ui.theme.dim);
}

/// Cells of a shade: a colour, or a character without colours.
fn swatch(ui: &Ui, value: f64, cells: usize) -> (String, Style) {
    if ui.theme.colour {
        (" ".repeat(cells), ui.theme.on_shade(value))
    } else {
        (ui.theme.shade(value).1.repeat(cells), ui.theme.base)
    }
}

fn draw_cell(ui: &mut Ui, map: &Map, cell: (u32, u32), place: Rect, chosen: bool) {
    let best = map.ranking.first().is_some_and(|(first, _)| *first == cell);
    // A column between cells, where they are wide enough for one.
    let fill = if place.width > 4 { place.width - 1 } else { place.width };
    let words = text(map, cell, place.width);
    let marked = if chosen { format!("▸{words}") } else { words };
    let (pad, style) = look(ui, map, cell);
    let outlined = best && fill >= 5;
    let middle = (place.height - 1) / 2;
    for line in 0..place.height {
        let (left, right, between) = match (outlined, line) {
            (false, _) => (pad, pad, pad),
            (true, 0) if place.height > 2 => ("┏", "┓", "━"),
            (true, last) if place.height > 2 && last + 1 == place.height => ("┗", "┛", "━"),
            (true, _) => ("┃", "┃", pad),
        };
        let inside = fill.saturating_sub(2);
        let words = if line == middle {
            fit(&marked, if outlined { inside } else { fill })
        } else {
            String::new()
        };
        let text = match (words.is_empty(), outlined) {
            (true, _) if fill < 2 => between.repeat(usize::from(fill)),
            (true, _) => format!("{left}{}{right}", between.repeat(usize::from(inside))),
            (false, true) => format!("{left}{}{right}", centred(&words, inside, pad)),
            (false, false) => centred(&words, fill, pad),
        };
        ui.text(place.x, place.y + line, fill, &text, style);
    }
    if let Some(x) = place.x.checked_add(fill.saturating_sub(width(&marked).min(fill)) / 2)
        && chosen
    {
        // The cursor's words stand out by weight; the shade stays what it is.
        let bold = style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED);
        let most = width(&marked).min(if outlined { fill - 2 } else { fill });
        ui.text(x.max(place.x), place.y + middle, most, &marked, bold);
    }
}

/// Words in the middle of a number of cells, padded with a character.
fn centred(words: &str, cells: u16, pad: &str) -> String {
    let free = usize::from(cells.saturating_sub(width(words)));
    format!("{}{words}{}", pad.repeat(free / 2), pad.repeat(free - free / 2))
}

/// The time, or where there is little room the factor over the best.
fn text(map: &Map, cell: (u32, u32), wide: u16) -> String {
    let Some(record) = map.cells.get(&cell) else { return "·".to_owned() };
    let Some(time) = map.time(cell) else {
        let word = match record.outcome() {
            Outcome::Skipped => "–",
            Outcome::Failed => "failed",
            _ => "wrong",
        };
        return word.to_owned();
    };
    let best = map.ranking.first().is_some_and(|(first, _)| *first == cell);
    let star = if best { "★" } else { "" };
    if wide > TIME + 1 {
        return format!("{star}{}", Seconds(time));
    }
    let factor = map.ranking.first().map_or(1.0, |(_, fastest)| time / fastest);
    if best { format!("{star}1") } else { format!("{}×", short(factor)) }
}

/// A factor in at most four characters, where that is possible.
fn short(factor: f64) -> String {
    if factor < 9.95 { format!("{factor:.1}") } else { format!("{factor:.0}") }
}

/// What fills a cell, and its style: the faster, the higher on the scale; by the logarithm, as
/// every factor counts alike.
fn look(ui: &Ui, map: &Map, cell: (u32, u32)) -> (&'static str, Style) {
    let range = map.ranking.first().zip(map.ranking.last());
    match map.time(cell).zip(range) {
        None => (" ", ui.theme.dim),
        Some((time, ((_, best), (_, worst)))) => {
            let value = shade(time, *best, *worst);
            let pad = if ui.theme.colour { " " } else { ui.theme.shade(value).1 };
            (pad, if ui.theme.colour { ui.theme.on_shade(value) } else { ui.theme.base })
        }
    }
}
