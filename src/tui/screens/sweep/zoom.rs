//! Zooming and panning along x, in positions 0 to 1 of the whole axis. The crosshair is
//! always in the shown part.

use crate::tui::app::model::Model;
use crate::tui::screens::sweep::state::nearest;

/// Narrowest part that can be shown.
const LEAST: f64 = 0.02;

/// Fewest points along x that a part has.
const LEAST_STOPS: usize = 2;

/// Shows `factor` times as much, keeping the crosshair where it is.
pub(crate) fn by(model: &mut Model, factor: f64) {
    let (low, high) = model.chart.zoom.unwrap_or((0.0, 1.0));
    let cross = model.chart.cross().and_then(|x| model.chart.position(x));
    let centre = cross.unwrap_or(f64::midpoint(low, high)).clamp(low, high);
    let width = ((high - low) * factor).max(LEAST);
    if width >= 1.0 {
        model.chart.zoom = None;
        return;
    }
    let share = if high > low { (centre - low) / (high - low) } else { 0.5 };
    let low = (centre - share * width).clamp(0.0, 1.0 - width);
    let part = (low, low + width);
    if factor < 1.0 && model.chart.stops_within(part).len() < LEAST_STOPS {
        return model.info("no more points to zoom into: z shows the whole axis");
    }
    model.chart.zoom = Some(part);
}

/// Moves the shown part by a share of its width, and the crosshair with it.
pub(crate) fn pan(model: &mut Model, share: f64) {
    let Some((low, high)) = model.chart.zoom else {
        return model.info("the whole axis is shown: + zooms in");
    };
    let width = high - low;
    let low = (low + share * width).clamp(0.0, 1.0 - width);
    let part = (low, low + width);
    let inside = model.chart.stops_within(part);
    // Between two points there is nothing to see.
    if inside.is_empty() {
        return;
    }
    model.chart.zoom = Some(part);
    if let Some(x) = model.chart.cross()
        && !inside.contains(&x)
    {
        model.chart.crosshair = nearest(&inside, x);
    }
}

/// Shows the whole axis.
pub(crate) fn all(model: &mut Model) {
    model.chart.zoom = None;
}
