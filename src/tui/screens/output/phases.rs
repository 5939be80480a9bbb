//! Phases of a pipeline as bars, each as long as its time: kernels in one
//! colour, host stages and copies in another.

use ratatui::layout::Rect;

use crate::figure::phases::{HEADING, bars};
use crate::figure::{Phase, PhaseKind};
use crate::tui::widgets::ui::{Ui, width};

/// Most bars; the last one sums up the rest.
const MOST: usize = 8;

/// Rows that the picture above keeps.
const PICTURE: u16 = 6;

/// Columns below which a bar says nothing.
const NARROW: u16 = 48;

/// Rows of the bars in an area, with their heading: none for a single phase or
/// without room.
pub(super) fn rows(phases: &[Phase], area: Rect) -> u16 {
    let rows = 1 + phases.len().min(MOST) as u16;
    let fits = area.width >= NARROW && area.height >= rows + PICTURE;
    if phases.len() > 1 && fits { rows } else { 0 }
}

/// Draws them.
pub(super) fn draw(ui: &mut Ui, phases: &[Phase], area: Rect) {
    if area.is_empty() {
        return;
    }
    let bars = bars(phases, MOST);
    let left = bars.iter().map(|bar| width(&bar.label)).max().unwrap_or(0).min(area.width / 2);
    let right = bars.iter().map(|bar| width(&bar.time)).max().unwrap_or(0);
    let room = area.width.saturating_sub(left + right + 2);
    ui.text(area.x, area.y, area.width, HEADING, ui.theme.base);
    for (bar, y) in bars.iter().zip(area.y + 1..area.bottom()) {
        let long = ((bar.part * f64::from(room)).round() as u16).clamp(1, room.max(1));
        let style = if bar.kind == PhaseKind::Kernel { ui.theme.bars } else { ui.theme.accent };
        ui.text(area.x, y, left, &bar.label, ui.theme.dim);
        ui.text(area.x + left + 1, y, long, &"█".repeat(usize::from(long)), style);
        ui.text(area.x + left + long + 2, y, right, &bar.time, ui.theme.dim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_phase_and_a_small_panel_have_no_bars() {
        let phase = |kind| Phase { name: "count".into(), kind, seconds: 1.0 };
        let two = [phase(PhaseKind::Kernel), phase(PhaseKind::Host)];
        let area = |width, height| Rect::new(0, 0, width, height);
        assert_eq!(rows(&two[..1], area(100, 40)), 0);
        assert_eq!(rows(&two, area(100, 9)), 3);
        assert_eq!(rows(&two, area(100, 8)), 0);
        assert_eq!(rows(&two, area(40, 40)), 0);
    }
}
