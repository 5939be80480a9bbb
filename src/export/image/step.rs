//! A step of a recorded block: text on the left; lanes, registers and memory on the right.

use super::layout::{Page, Rect};
use super::scene::{Anchor, Ink};
use super::text;
use crate::figure::step::picture::{Row, StepPicture};
use crate::figure::step::{self, LaneMark};
use crate::work::trace::{Access, Space};

/// Share of the width that the text takes.
const TEXT: f64 = 0.42;

/// Most registers, and most lines of memory.
const MOST_VALUES: usize = 8;
const MOST_LINES: usize = 8;

/// Draws it.
pub(super) fn draw(page: &mut Page, step: &StepPicture) {
    let body = page.sizes.body;
    let room = Rect {
        top: page.room.top + body * 0.6,
        bottom: page.room.bottom - body * 0.6,
        ..page.room
    };
    let left = Rect { right: room.left + room.width() * TEXT, ..room };
    listing(page, step, left);
    let mut rest = Rect { left: left.right + body * 1.2, ..room };
    lanes(page, step, &mut rest);
    values(page, step, &mut rest);
    memory(page, step, &mut rest);
}

/// A line of code in lines of at most `most` characters, the later ones behind `indent` spaces:
/// broken behind a space, a comma or a bracket.
fn wrapped(code: &str, most: usize, indent: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut rest: Vec<char> = code.chars().collect();
    while rest.len() > most {
        let start = rest.iter().take_while(|c| **c == ' ').count();
        let breaks = |at: &usize| " ,([".contains(rest[*at]);
        let last = (start + 1..most).rev().find(breaks).map_or(most, |at| at + 1);
        let more = rest.split_off(last);
        rows.push(rest.iter().collect());
        rest = std::iter::repeat_n(' ', indent.min(most / 2)).chain(more).collect();
    }
    rows.push(rest.iter().collect());
    rows
}

/// The lines around the current one, as many as fit; the current one whole.
fn listing(page: &mut Page, step: &StepPicture, room: Rect) {
    let size = page.sizes.small;
    let high = size * text::LEADING;
    let fits = ((room.height() / high) as usize).max(1);
    let gutter = text::width("00000 ", size);
    let most = text::fitting(room.width() - gutter, size);
    let mut rows: Vec<(Option<u32>, String, bool)> = Vec::new();
    for (number, words, current) in &step.lines {
        let code = words.trim_start();
        // Where a declaration goes on far to the right, its words matter more.
        let indent = " ".repeat((words.len() - code.len()).min(most / 3));
        let words = format!("{indent}{code}");
        if *current {
            let numbers = std::iter::once(Some(*number)).chain(std::iter::repeat(None));
            let wrapped = wrapped(&words, most, indent.len() + 4);
            rows.extend(numbers.zip(wrapped).map(|(number, words)| (number, words, true)));
        } else {
            rows.push((Some(*number), text::cut(&words, most), false));
        }
    }
    let current = rows.iter().position(|(.., current)| *current).unwrap_or(0);
    let first = current.saturating_sub(fits / 2).min(rows.len().saturating_sub(fits));
    for (index, (number, words, current)) in rows.iter().skip(first).take(fits).enumerate() {
        let top = room.top + index as f64 * high;
        let y = top + high / 2.0;
        if *current {
            page.fill(Rect { top, bottom: top + high, ..room }, Ink::Grid);
        }
        if let Some(number) = number {
            let at = (room.left + gutter - size * 0.6, y);
            page.text(number.to_string(), at, Anchor::Right, size, Ink::Faint);
        }
        let ink = if *current { Ink::Text } else { Ink::Faint };
        page.code(words, (room.left + gutter, y), size, ink);
    }
}

/// A line of words at the top of what is left.
fn line(page: &mut Page, rest: &mut Rect, words: &str, ink: Ink) {
    let size = page.sizes.small;
    let high = size * text::LEADING;
    if rest.height() < high {
        return;
    }
    let words = text::cut(words, text::fitting(rest.width(), size));
    page.text(words, (rest.left, rest.top + high / 2.0), Anchor::Left, size, ink);
    rest.top += high;
}

fn heading(page: &mut Page, rest: &mut Rect, words: &str) {
    let body = page.sizes.body;
    let high = body * text::LEADING;
    if rest.height() < high {
        return;
    }
    page.text(words.to_owned(), (rest.left, rest.top + high / 2.0), Anchor::Left, body, Ink::Text);
    rest.top += high;
}

fn ink(mark: LaneMark) -> Ink {
    mark.hue.map_or(Ink::Grid, Ink::Series)
}

/// 32 squares: filled where the lane runs, framed where it waits.
fn lanes(page: &mut Page, step: &StepPicture, rest: &mut Rect) {
    let small = page.sizes.small;
    heading(page, rest, "Lanes");
    let wide = rest.width() / 32.0;
    let marks = step::marks(&step.lanes);
    for (lane, mark) in marks.into_iter().enumerate() {
        let left = rest.left + lane as f64 * wide;
        let cell = Rect { left, right: left + wide, top: rest.top, bottom: rest.top + wide }
            .inset(wide * 0.08);
        if mark.lit {
            page.fill(cell, ink(mark));
        } else {
            page.outline(cell, ink(mark), (wide * 0.09).max(1.5));
        }
        if !mark.lit && mark.hue.is_some() {
            let (size, at) = ((wide * 0.6).min(small), cell.middle());
            page.text(mark.letter.to_string(), at, Anchor::Middle, size, Ink::Text);
        }
        if lane % 4 == 0 {
            let at = (cell.middle().0, rest.top + wide + small * 0.6);
            page.text(lane.to_string(), at, Anchor::Middle, small * 0.9, Ink::Faint);
        }
    }
    rest.top += wide + small * 1.5;
    for (mark, _, words) in &step.lanes {
        let high = small * text::LEADING;
        let y = rest.top + high / 2.0;
        let square = Rect {
            left: rest.left,
            right: rest.left + small,
            top: y - small / 2.0,
            bottom: y + small / 2.0,
        };
        if mark.lit {
            page.fill(square, ink(*mark));
        } else {
            page.outline(square, ink(*mark), 1.5);
        }
        let mut indented = Rect { left: rest.left + small * 1.6, ..*rest };
        line(page, &mut indented, words, Ink::Text);
        rest.top = indented.top;
    }
    for words in &step.stack {
        line(page, rest, &format!("meet: {words}"), Ink::Faint);
    }
    rest.top += small * 0.6;
}

/// Registers with a bar per lane.
fn values(page: &mut Page, step: &StepPicture, rest: &mut Rect) {
    if step.values.is_empty() {
        return;
    }
    let small = page.sizes.small;
    heading(page, rest, "Registers");
    let (name, plot) = (text::width("%rd000 ", small), rest.width() * 0.4);
    let high = small * text::LEADING;
    // What the access looks like needs half of the room; what it changed is shown first.
    let drawn = |access: &Access| matches!(access.space, Space::Global | Space::Shared);
    let share = match step.access.as_ref().filter(|it| drawn(it)) {
        // Many passes want a tall picture.
        Some(access) if access.space == Space::Shared && step.passes > 8 => 0.2,
        Some(_) => 0.45,
        None => 1.0,
    };
    let fits = ((rest.height() * share / high) as usize).clamp(2, MOST_VALUES);
    let (changed, others): (Vec<&Row>, Vec<&Row>) =
        step.values.iter().partition(|value| value.changed);
    for value in changed.into_iter().chain(others).take(fits) {
        if rest.height() < high {
            return;
        }
        let y = rest.top + high / 2.0;
        let (colour, hue) = if value.changed { (Ink::Series(1), 1) } else { (Ink::Text, 0) };
        page.text(value.name.clone(), (rest.left, y), Anchor::Left, small, colour);
        let wide = plot / 32.0;
        for (lane, height) in value.heights.iter().enumerate() {
            let Some(height) = height else { continue };
            let left = rest.left + name + lane as f64 * wide;
            let bottom = rest.top + high * 0.92;
            let top = bottom - high * (0.12 + 0.7 * height);
            page.fill(Rect { left, right: left + wide * 0.8, top, bottom }, Ink::Series(hue));
        }
        let left = rest.left + name + plot + small;
        let words = text::cut(&value.text, text::fitting(rest.right - left, small));
        page.text(words, (left, y), Anchor::Left, small, Ink::Text);
        rest.top += high;
    }
    if step.values.len() > fits {
        let more = format!("… {} more", step.values.len() - fits);
        line(page, rest, &more, Ink::Faint);
    }
    rest.top += small * 0.6;
}

fn memory(page: &mut Page, step: &StepPicture, rest: &mut Rect) {
    if step.facts.is_empty() && step.access.is_none() {
        return;
    }
    heading(page, rest, &step.memory);
    // A picture below says more than a long list.
    let shown = match step.access.as_ref().map(|it| it.space) {
        Some(Space::Shared) => 2,
        Some(_) => 4,
        None => 12,
    };
    for fact in step.facts.iter().take(shown) {
        line(page, rest, fact, Ink::Text);
    }
    if step.facts.len() > shown {
        line(page, rest, &format!("… {} more", step.facts.len() - shown), Ink::Faint);
    }
    match &step.access {
        Some(access) if access.space == Space::Global => sectors(page, access, rest),
        Some(access) if access.space == Space::Shared => banks(page, access, step.passes, rest),
        _ => {}
    }
}

/// 128-byte lines as 32 words: used, fetched only, or not fetched.
fn sectors(page: &mut Page, access: &Access, rest: &mut Rect) {
    let small = page.sizes.small;
    let high = small * text::LEADING;
    let name = text::width("0x000000000000 ", small);
    let wide = ((rest.width() - name) / 33.0).min(high);
    let fits = ((rest.height() / high) as usize).saturating_sub(1).min(MOST_LINES);
    for shown in access.lines.iter().take(fits) {
        let y = rest.top + high / 2.0;
        let address = step::address_text(access.space, shown.address);
        page.text(address, (rest.left, y), Anchor::Left, small, Ink::Faint);
        for (index, sector) in shown.sectors.iter().enumerate() {
            for word in 0..8 {
                let left =
                    rest.left + name + (index * 8 + word) as f64 * wide + index as f64 * wide / 4.0;
                let cell =
                    Rect { left, right: left + wide, top: rest.top, bottom: rest.top + high }
                        .inset(wide * 0.08);
                let used = sector.bytes >> (4 * word) & 0xf != 0;
                match (sector.lanes, used) {
                    (0, _) => page.outline(cell, Ink::Grid, 1.0),
                    (_, true) => page.fill(cell, Ink::Series(0)),
                    (_, false) => page.fill(cell, Ink::Muted),
                }
            }
        }
        rest.top += high;
    }
    let more = access.lines.len() - fits.min(access.lines.len());
    let more = if more > 0 { format!(" · {more} more lines") } else { String::new() };
    line(page, rest, &format!("blue: used · grey: fetched and not used{more}"), Ink::Faint);
}

/// 32 banks as columns, a square for each word that lanes touch in it.
fn banks(page: &mut Page, access: &Access, passes: u64, rest: &mut Rect) {
    let small = page.sizes.small;
    let served = step::served_by_bank(access, passes);
    let deepest = served.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let wide = rest.width() / 32.0;
    let room = rest.height() - small * 3.0;
    if room < small {
        return;
    }
    let high = (room / deepest as f64).min(wide);
    let numbers = high > small * 0.9;
    // Thin rows keep a line between them.
    let gap = (high * 0.06).max(0.5);
    for (bank, lanes) in served.iter().enumerate() {
        let left = rest.left + bank as f64 * wide;
        let hue = usize::from(lanes.len() > 1);
        for (row, lane) in lanes.iter().enumerate() {
            let top = rest.top + row as f64 * high;
            let cell = Rect { left, right: left + wide, top, bottom: top + high }.inset(gap);
            page.fill(cell, Ink::Series(hue));
            if numbers {
                let size = (small * 0.8).min(high * 0.7);
                page.text(lane.to_string(), cell.middle(), Anchor::Middle, size, Ink::Paper);
            }
        }
        if bank % 4 == 0 {
            let at = (left + wide / 2.0, rest.top + deepest as f64 * high + small * 0.6);
            page.text(bank.to_string(), at, Anchor::Middle, small * 0.9, Ink::Faint);
        }
    }
    rest.top += deepest as f64 * high + small * 1.4;
    let what = if numbers { "numbers are lanes" } else { "one lane each" };
    line(page, rest, &format!("32 banks, one row per pass; {what}"), Ink::Faint);
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn long_lines_of_code_break_behind_brackets_and_spaces() {
        let code = "  atomicAdd(&bins[bin_by_modulo(values[i], bin_count)], 1u);";
        let rows = wrapped(code, 24, 6);
        assert!(rows.iter().all(|row| row.chars().count() <= 24), "{rows:?}");
        assert_eq!(rows[..2], ["  atomicAdd(&bins[", "      bin_by_modulo("]);
        let whole: String = rows.iter().map(|row| row.trim_start()).collect();
        assert_eq!(whole, code.trim_start());
        assert_eq!(wrapped("  short", 24, 6), ["  short"]);
        // Nothing to break behind.
        assert_eq!(wrapped(&"x".repeat(9), 4, 2), ["xxxx", "  xx", "  xx", "  x"]);
    }
}
