//! Phases of a pipeline as bars, each as long as its time: kernels in one
//! colour, stages on the CPU and copies in another.

use ratatui::layout::Rect;

use crate::figure::phases::{at_most, label};
use crate::figure::{Phase, PhaseKind};
use crate::tui::widgets::ui::{Ui, width};
use crate::units::Seconds;

/// Most bars; what is beyond them is added up in the last.
const MOST: usize = 8;

/// Rows that the picture above keeps.
const PICTURE: u16 = 6;

/// Columns below which a bar says nothing.
const NARROW: u16 = 48;

/// What stands above the bars.
const HEADING: &str = "time by phase";

/// Rows that the bars take of an area, with their heading: none where there is a single phase, or
/// no room.
pub(crate) fn rows(phases: &[Phase], area: Rect) -> u16 {
    let rows = 1 + phases.len().min(MOST) as u16;
    let fits = area.width >= NARROW && area.height >= rows + PICTURE;
    if phases.len() > 1 && fits { rows } else { 0 }
}

/// Draws them.
pub(crate) fn draw(ui: &mut Ui, phases: &[Phase], area: Rect) {
    if area.is_empty() {
        return;
    }
    let shown = at_most(phases, MOST);
    let longest = shown.iter().map(|phase| phase.seconds).fold(0.0, f64::max);
    let labels: Vec<String> = shown.iter().map(label).collect();
    let times: Vec<String> = shown.iter().map(|phase| Seconds(phase.seconds).to_string()).collect();
    let widest = |texts: &[String]| texts.iter().map(|text| width(text)).max().unwrap_or(0);
    let (left, right) = (widest(&labels).min(area.width / 2), widest(&times));
    let room = area.width.saturating_sub(left + right + 2);
    ui.text(area.x, area.y, area.width, HEADING, ui.theme.base);
    for (index, y) in (0..shown.len()).zip(area.y + 1..area.bottom()) {
        let phase = &shown[index];
        let part = if longest > 0.0 { phase.seconds / longest } else { 0.0 };
        // The shortest is seen too.
        let long = ((part * f64::from(room)).round() as u16).clamp(1, room.max(1));
        let style = if phase.kind == PhaseKind::Kernel { ui.theme.bars } else { ui.theme.accent };
        ui.text(area.x, y, left, &labels[index], ui.theme.dim);
        ui.text(area.x + left + 1, y, long, &"█".repeat(usize::from(long)), style);
        ui.text(area.x + left + long + 2, y, right, &times[index], ui.theme.dim);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(name: &str, kind: PhaseKind, seconds: f64) -> Phase {
        Phase { name: name.to_owned(), kind, seconds }
    }

    #[test]
    fn a_single_phase_and_a_small_panel_have_no_bars() {
        let one = [phase("count", PhaseKind::Kernel, 1.0)];
        let two = [one[0].clone(), phase("final", PhaseKind::Host, 1.0)];
        let area = |width, height| Rect::new(0, 0, width, height);
        assert_eq!(rows(&one, area(100, 40)), 0);
        assert_eq!(rows(&two, area(100, 9)), 3);
        assert_eq!(rows(&two, area(100, 8)), 0);
        assert_eq!(rows(&two, area(40, 40)), 0);
    }
}
