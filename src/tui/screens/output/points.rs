//! Points as dots on their surface, marked points as symbols, and the lattice
//! through them. Rows of the surface go down.

use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::Widget;
use ratatui::widgets::canvas::{self, Canvas};

use crate::figure::marks::Points;
use crate::tui::widgets::ui::{Ui, cell};
use crate::units::grouped;

/// Marker of a marked point.
const MARKED: &str = "◆";

/// Rows from which on the surface keeps its proportions. A low area is filled
/// instead: better wide than too small to see.
const LEAST_ROWS: u16 = 8;

/// Fewest dots between two lines of the lattice.
const LEAST_DOTS: f64 = 6.0;

pub(super) fn draw(ui: &mut Ui, mark: &Points, outer: Rect) {
    let whole = mark.whole();
    let roomy = outer.height >= LEAST_ROWS;
    let area = if roomy { fitted(whole.size(), outer) } else { outer };
    let dots = (f64::from(area.width) * 2.0, f64::from(area.height) * 4.0);
    let window = if roomy { mark.enlarged(dots, LEAST_DOTS) } else { whole };
    if window != whole {
        let [width, height] = <[f64; 2]>::from(window.size()).map(|edge| grouped(edge as u64));
        let lines = ["enlarged: the middle".to_owned(), format!("{width} × {height}")];
        let x = area.right() + 2;
        for (y, line) in (outer.y..outer.bottom()).zip(&lines) {
            ui.text(x, y, outer.right().saturating_sub(x), line, ui.theme.dim);
        }
    }
    let theme = ui.theme;
    let lattice = theme.dim.fg.unwrap_or_default();
    let points: Vec<_> = mark.points.1.iter().map(|(x, y)| (*x, -y)).collect();
    Canvas::default()
        .marker(Marker::Braille)
        .x_bounds([window.left, window.right])
        .y_bounds([-window.bottom, -window.top])
        .background_color(theme.background())
        .paint(|context| {
            for [from, to] in mark.lattice(window, dots, LEAST_DOTS) {
                context.draw(&canvas::Line::new(from.0, -from.1, to.0, -to.1, lattice));
            }
            context.layer();
            context.draw(&canvas::Points::new(&points, theme.series(0)));
        })
        .render(area, ui.buffer);
    let (width, height) = window.size();
    for &(x, y) in mark.marked.1.iter().rev().filter(|place| window.contains(**place)) {
        let column = cell((x - window.left) / width, area.width, 2);
        let row = cell((y - window.top) / height, area.height, 4);
        ui.text(area.x + column, area.y + row, 1, MARKED, theme.accent);
    }
}

/// The largest part of the area in which a surface keeps its proportions.
fn fitted((width, height): (f64, f64), area: Rect) -> Rect {
    let (across, down) = (f64::from(area.width) * 2.0, f64::from(area.height) * 4.0);
    let scale = (across / width).min(down / height);
    let cells = |size: f64, dots: f64| (size * scale / dots).round() as u16;
    Rect {
        width: cells(width, 2.0).clamp(1, area.width),
        height: cells(height, 4.0).clamp(1, area.height),
        ..area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_surface_keeps_its_proportions() {
        // 40 x 20 cells are 80 x 80 dots: 80 x 40 of them are used.
        let fitted = fitted((100.0, 50.0), Rect::new(3, 2, 40, 20));
        assert_eq!(fitted, Rect::new(3, 2, 40, 10));
    }
}
