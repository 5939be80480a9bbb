//! Zooming and panning along x, in positions 0 to 1 of the whole axis.

use crate::tui::app::model::Model;

/// Narrowest part that can be shown.
const LEAST: f64 = 0.02;

/// Shows `factor` times as much, keeping the crosshair where it is.
pub(crate) fn by(model: &mut Model, factor: f64) {
    let (low, high) = model.chart.zoom.unwrap_or((0.0, 1.0));
    let cross = || {
        let axis = &model.chart.figure.as_ref()?.x;
        axis.position(model.chart.cross()?, model.chart.whole_x()?)
    };
    let centre = cross().unwrap_or(f64::midpoint(low, high)).clamp(low, high);
    let width = ((high - low) * factor).max(LEAST);
    if width >= 1.0 {
        model.chart.zoom = None;
        return;
    }
    let share = if high > low { (centre - low) / (high - low) } else { 0.5 };
    let low = (centre - share * width).clamp(0.0, 1.0 - width);
    model.chart.zoom = Some((low, low + width));
}

/// Moves the shown part by a share of its width.
pub(crate) fn pan(model: &mut Model, share: f64) {
    if let Some((low, high)) = model.chart.zoom {
        let width = high - low;
        let low = (low + share * width).clamp(0.0, 1.0 - width);
        model.chart.zoom = Some((low, low + width));
    }
}
