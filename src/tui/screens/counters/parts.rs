//! What each cause costs: bars, those of both cases below each other.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::figure::breakdown;
use crate::results::record::KernelProfile;
use crate::tui::screens::counters::letter;
use crate::tui::screens::profile::state::Side;
use crate::tui::widgets::ui::{Ui, fit, width};
use crate::units::Seconds;

/// Columns for the resource, and for the time.
const LABEL: u16 = 21;
const TIME: u16 = 9;

/// Rows that the panel asks for.
pub(crate) fn rows(kernels: &[Option<&KernelProfile>]) -> u16 {
    let bars = breakdown::build(kernels).bars.len() as u16;
    2 + bars * kernels.iter().flatten().count() as u16
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect, kernels: &[Option<&KernelProfile>], sides: &[Side]) {
    let figure = breakdown::build(kernels);
    let inner = ui.panel(area, figure.title, false);
    let room = inner.width.saturating_sub(LABEL + TIME + 4);
    if room < 4 || figure.most <= 0.0 || sides.is_empty() {
        return;
    }
    let mut y = inner.y;
    for bar in &figure.bars {
        let shown =
            kernels.iter().zip(&bar.parts).enumerate().filter(|(_, (kernel, _))| kernel.is_some());
        for (row, (side, (_, (seconds, binds)))) in shown.enumerate() {
            if y >= inner.bottom() {
                return;
            }
            if row == 0 {
                ui.text(inner.x + 1, y, LABEL, &fit(&bar.label, LABEL), ui.theme.base);
            }
            let mark = if *binds { "▸" } else { " " };
            let x = ui.text(
                inner.x + 1 + LABEL,
                y,
                2,
                &format!("{mark}{}", letter(side)),
                ui.theme.accent,
            );
            let long = (f64::from(room) * seconds / figure.most).round() as u16;
            let style = if ui.theme.colour {
                Style { fg: Some(ui.theme.series(side)), ..ui.theme.base }
            } else {
                ui.theme.base
            };
            ui.text(x, y, room, &"█".repeat(long.min(room).into()), style);
            let text = Seconds(*seconds).to_string();
            let from = inner.right().saturating_sub(width(&text));
            ui.text(from, y, width(&text), &text, ui.theme.dim);
            y += 1;
        }
    }
}
