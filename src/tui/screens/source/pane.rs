//! One text with a gutter: the share of the heat in percent and as a bar, so that
//! it is told without colour too, and the number of the line.

use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::figure::listing::{Heat, Line, Listing};
use crate::tui::app::action::Command;
use crate::tui::own::state::Own;
use crate::tui::own::view as own;
use crate::tui::widgets::ui::Ui;

/// Columns of percent, bar and number with the gaps behind each.
const PERCENT: u16 = 4;
const BAR: u16 = 5;
const NUMBER: u16 = 5;

/// Which lines stand out.
pub(crate) struct Marked<'a> {
    /// Place of the line that is in the middle.
    pub(crate) cursor: Option<usize>,
    /// Numbers of the lines that belong to the cursor of the other text.
    pub(crate) partners: Vec<u32>,
    /// The user's file, if this is its text.
    pub(crate) own: Option<&'a Own>,
}

/// The first of `many` places to show in `high` rows, with `cursor` in the middle.
pub(crate) fn top(cursor: usize, many: usize, high: usize) -> usize {
    cursor.saturating_sub(high / 2).min(many.saturating_sub(high))
}

/// Draws the part around the cursor.
pub(crate) fn draw(ui: &mut Ui, area: Rect, listing: &Listing, marked: &Marked, active: bool) {
    let high = usize::from(area.height);
    let top = top(marked.cursor.unwrap_or(0), listing.lines.len(), high);
    let most = hottest_share(listing, ui.model.profile.heat);
    for (y, (index, line)) in
        (area.y..area.bottom()).zip(listing.lines.iter().enumerate().skip(top))
    {
        let row = Rect { y, height: 1, ..area };
        let chosen = marked.cursor == Some(index);
        let emphasis = if active && chosen {
            Emphasis::Cursor
        } else if !active && (chosen || marked.partners.contains(&line.number)) {
            Emphasis::Partner
        } else {
            Emphasis::None
        };
        draw_line(ui, row, (listing, line), most, emphasis, " ");
        if let Some(own) = marked.own {
            own::mark(ui, row, own, line.number);
        }
        if active {
            ui.hit(row, Command::Row(index));
        }
    }
}

/// The largest share that a line has.
pub(crate) fn hottest_share(listing: &Listing, heat: Heat) -> f64 {
    let shares = listing.lines.iter().map(|line| listing.share(line, heat));
    shares.fold(0.0, f64::max)
}

/// How a line stands out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Emphasis {
    None,
    Cursor,
    Partner,
}

/// Draws a line with its gutter; `sign` stands before its text.
pub(crate) fn draw_line(
    ui: &mut Ui,
    row: Rect,
    (listing, line): (&Listing, &Line),
    most: f64,
    emphasis: Emphasis,
    sign: &str,
) {
    let heat = ui.model.profile.heat;
    let share = listing.share(line, heat);
    let hot = if most > 0.0 { share / most } else { 0.0 };
    let y = row.y;
    let right = row.right();
    let mut x = row.x;
    let style = if share > 0.0 && ui.theme.colour { ui.theme.on_heat(hot) } else { ui.theme.base };
    let text = format!("{:>3}%", percent(share));
    if share > 0.0 {
        ui.text(x, y, PERCENT.min(right - x), &text, style);
    }
    x += PERCENT + 1;
    let long = if share > 0.0 { (hot * f64::from(BAR)).round().max(1.0) as usize } else { 0 };
    ui.text(x.min(right), y, BAR, &"█".repeat(long), ui.theme.bars);
    x += BAR;
    if line.number > 0 {
        let number = format!("{:>width$}", line.number, width = usize::from(NUMBER));
        ui.text(x.min(right), y, NUMBER, &number, ui.theme.dim);
    }
    x += NUMBER;
    let mark = match emphasis {
        Emphasis::None => sign,
        Emphasis::Cursor | Emphasis::Partner => "▸",
    };
    let mark_style = if emphasis == Emphasis::None { ui.theme.accent } else { ui.theme.focus };
    ui.text(x.min(right), y, 1, mark, mark_style);
    x += 1;
    let room = right.saturating_sub(x);
    let shifted: String = line.text.chars().skip(ui.model.profile.shift.into()).collect();
    let style = text_style(ui, line, emphasis);
    let shown = if emphasis == Emphasis::Cursor {
        // The whole row, so that the cursor shows on an empty line too.
        format!("{shifted:<width$}", width = usize::from(room))
    } else {
        shifted
    };
    ui.text(x.min(right), y, room, &shown, style);
}

fn text_style(ui: &Ui, line: &Line, emphasis: Emphasis) -> Style {
    match emphasis {
        Emphasis::Cursor => ui.theme.base.add_modifier(Modifier::REVERSED),
        Emphasis::Partner => ui.theme.base.add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        Emphasis::None if line.work.warps > 0 => ui.theme.base,
        Emphasis::None => ui.theme.dim,
    }
}

/// A share in whole percent; `<1` where there is less.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 0.5 { "<1".to_owned() } else { format!("{percent:.0}") }
}
