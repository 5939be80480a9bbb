//! The texts of two cases as a difference: side by side, or one below the other
//! where there is little room.

use ratatui::layout::Rect;

use crate::figure::listing::{Listing, Pair};
use crate::tui::app::action::Command;
use crate::tui::screens::profile::state::{Difference, Side};
use crate::tui::screens::profile::{state as profile, view as common};
use crate::tui::screens::source::pane::Emphasis;
use crate::tui::screens::source::{name, pane, says};
use crate::tui::widgets::ui::Ui;

/// Draws it; tells of the line under the cursor.
pub(crate) fn draw(ui: &mut Ui, area: Rect, sides: &[Side], wide: bool) -> String {
    let of = ui.model.profile.pane;
    let names = common::names(sides);
    let title = |name_of: &str| format!("{} · {name_of}", name(of));
    let Some(found) = profile::difference(ui.model) else {
        let both = names.join(" and ");
        let inner = ui.panel(area, &title(&both), true);
        // Whichever is not there yet.
        let missing = sides.iter().position(|side| side.profile().is_none()).unwrap_or(0);
        common::nothing(ui, inner, &sides[missing.min(sides.len())..]);
        return String::new();
    };
    draw_found(ui, area, &names, &found, wide)
}

/// Draws two texts, of these names.
pub(super) fn draw_found(
    ui: &mut Ui,
    area: Rect,
    names: &[String],
    found: &Difference,
    wide: bool,
) -> String {
    let of = ui.model.profile.pane;
    let title = |name_of: &str| format!("{} · {name_of}", name(of));
    let (left, right, rows) = (&found.left, &found.right, &found.rows);
    let cursor = profile::cursor(ui.model);
    let differing = rows.iter().filter(|row| !row.same).count();
    let kept = format!("{differing} of {} rows differ", rows.len());
    let (first, second) = (names.first(), names.get(1));
    let (first, second) = (first.map_or("", String::as_str), second.map_or("", String::as_str));
    if wide {
        let half = Rect { width: area.width / 2, ..area };
        let rest = Rect { x: half.right(), width: area.width - half.width, ..area };
        let a = ui.panel(half, &format!("A {}", title(first)), true);
        let b = ui.panel(rest, &format!("B {} · {kept}", title(second)), false);
        beside(ui, (a, b), (left, right), rows, cursor);
    } else {
        let both = format!("- {first}, + {second} · {kept}");
        let inner = ui.panel(area, &title(&both), true);
        below(ui, inner, (left, right), rows, cursor);
    }
    let row = rows.get(cursor).copied();
    match row {
        Some(Pair { left: Some(line), .. }) => format!("A: {}", says(left, line, of)),
        Some(Pair { right: Some(line), .. }) => format!("B: {}", says(right, line, of)),
        _ => String::new(),
    }
}

/// Which text the sign of a row belongs to.
fn sign(same: bool, first: bool) -> &'static str {
    match (same, first) {
        (true, _) => " ",
        (false, true) => "-",
        (false, false) => "+",
    }
}

fn beside(
    ui: &mut Ui,
    (a, b): (Rect, Rect),
    (left, right): (&Listing, &Listing),
    rows: &[Pair],
    cursor: usize,
) {
    let heat = ui.model.profile.heat;
    let most = (pane::hottest_share(left, heat), pane::hottest_share(right, heat));
    let top = pane::top(cursor, rows.len(), a.height.into());
    for (y, (index, row)) in (a.y..a.bottom()).zip(rows.iter().enumerate().skip(top)) {
        let here = index == cursor;
        let emphasis = |there| match (here, there) {
            (false, _) => Emphasis::None,
            (true, true) => Emphasis::Cursor,
            (true, false) => Emphasis::Partner,
        };
        if let Some(line) = row.left.and_then(|line| left.lines.get(line)) {
            let place = Rect { y, height: 1, ..a };
            let sign = sign(row.same, true);
            pane::draw_line(ui, place, (left, line), most.0, emphasis(true), sign);
        }
        if let Some(line) = row.right.and_then(|line| right.lines.get(line)) {
            let place = Rect { y, height: 1, ..b };
            let sign = sign(row.same, false);
            pane::draw_line(ui, place, (right, line), most.1, emphasis(row.left.is_none()), sign);
        }
        ui.hit(Rect { y, height: 1, width: a.width + b.width + 2, ..a }, Command::Row(index));
    }
}

fn below(
    ui: &mut Ui,
    area: Rect,
    (left, right): (&Listing, &Listing),
    rows: &[Pair],
    cursor: usize,
) {
    let heat = ui.model.profile.heat;
    let most = (pane::hottest_share(left, heat), pane::hottest_share(right, heat));
    // A row that differs takes a line for each of its sides.
    let lines: Vec<(usize, bool)> = rows
        .iter()
        .enumerate()
        .flat_map(|(index, row)| {
            let first = row.left.is_some().then_some((index, true));
            let second = (row.right.is_some() && !(row.same && row.left.is_some()))
                .then_some((index, false));
            first.into_iter().chain(second)
        })
        .collect();
    let at = lines.iter().position(|(index, _)| *index == cursor).unwrap_or(0);
    let top = pane::top(at, lines.len(), area.height.into());
    for (y, (index, first)) in (area.y..area.bottom()).zip(lines.into_iter().skip(top)) {
        let row = rows[index];
        let place = Rect { y, height: 1, ..area };
        let emphasis = if index == cursor { Emphasis::Cursor } else { Emphasis::None };
        let (listing, line, most) =
            if first { (left, row.left, most.0) } else { (right, row.right, most.1) };
        if let Some(line) = line.and_then(|line| listing.lines.get(line)) {
            pane::draw_line(ui, place, (listing, line), most, emphasis, sign(row.same, first));
        }
        ui.hit(place, Command::Row(index));
    }
}
