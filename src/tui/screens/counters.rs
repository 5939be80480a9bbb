//! The Counters screen: what the kernels of two cases did, side by side.
//!
//! ```text
//! header
//! counters    kernels as tabs         roofline        (on a page of its own
//!             rows, two columns       parts of time    where there is little room)
//! notice      what the selected row means
//! status, keys
//! ```

mod parts;
mod roofline;
mod table;

use ratatui::layout::Rect;

use crate::figure::roofline as figure;
use crate::tui::screens::profile::{state as profile, view as common};
use crate::tui::screens::sweep::explain;
use crate::tui::widgets::frame::{self, Frame};
use crate::tui::widgets::ui::Ui;

/// Columns and rows from which table and roofline stand side by side.
const ROOMY: (u16, u16) = (110, 30);

/// Whether a screen of this size has room for both.
pub(crate) fn is_roomy(width: u16, height: u16) -> bool {
    width >= ROOMY.0 && height >= ROOMY.1
}

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let Frame { body, notice } = frame::draw(ui, area, 1);
    let model = ui.model;
    let sides = profile::sides(model);
    let kernels = profile::kernels(model, &sides);
    let roomy = is_roomy(area.width, area.height);
    let names = common::names(&sides);
    let counted = sides.iter().zip(&names);
    let counted: Vec<figure::Side> = counted
        .filter_map(|(side, label)| Some(figure::Side { label, profile: side.profile()? }))
        .collect();
    let points = figure::build(&counted);
    let says = if roomy || !model.profile.roofline {
        let wide = if roomy { body.width * 3 / 5 } else { body.width };
        table::draw(ui, Rect { width: wide, ..body }, &sides)
    } else {
        String::new()
    };
    if roomy {
        let wide = body.width * 3 / 5;
        let right = Rect { x: body.x + wide, width: body.width - wide, ..body };
        let bars = parts::rows(&kernels).min(right.height / 2);
        roofline::draw(ui, Rect { height: right.height - bars, ..right }, points.as_ref(), &sides);
        let below = Rect { y: right.bottom() - bars, height: bars, ..right };
        parts::draw(ui, below, &kernels, &sides);
    } else if model.profile.roofline {
        let bars = parts::rows(&kernels).min(8).min(body.height / 2);
        roofline::draw(ui, Rect { height: body.height - bars, ..body }, points.as_ref(), &sides);
        let below = Rect { y: body.bottom() - bars, height: bars, ..body };
        parts::draw(ui, below, &kernels, &sides);
    }
    let chosen = points.as_ref().and_then(|figure| {
        let at = model.profile.kernel;
        figure.points.iter().find(|point| point.side == 0 && point.kernel == at)
    });
    let otherwise = match chosen {
        Some(point) if !roomy && model.profile.roofline => {
            format!("A: {}", point.says())
        }
        _ => says,
    };
    explain::draw_notice_or(ui, notice, &otherwise, ui.theme.dim);
}

/// The letter that a side has in figures.
fn letter(side: usize) -> &'static str {
    ["A", "B"].get(side).copied().unwrap_or("?")
}
