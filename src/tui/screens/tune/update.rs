//! The Tune screen: moving over the map, filling it, and taking a cell into
//! the form.

use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Level, Model};
use crate::tui::screens::tune::state as tune;
use crate::tui::screens::tune::state::Map;
use crate::tui::widgets::sized::sized;
use crate::units::BlockSize;

/// Moves the cursor by columns and rows.
pub(crate) fn go(model: &mut Model, columns: isize, rows: isize) {
    let Some(map) = tune::map(model) else { return };
    let Some(cursor) = map.cursor(&model.tune) else { return };
    let moved = moved(&map, cursor, columns, rows);
    model.tune.cursor = moved.or(model.tune.cursor);
}

fn moved(
    map: &Map,
    (block, coarsen): (u32, u32),
    columns: isize,
    rows: isize,
) -> Option<(u32, u32)> {
    let along = |values: &[u32], now: u32, by: isize| {
        let at = values.iter().position(|value| *value == now)?;
        values.get(at.saturating_add_signed(by).min(values.len() - 1)).copied()
    };
    Some((along(&map.blocks, block, columns)?, along(&map.coarsenings, coarsen, rows)?))
}

/// Another size.
pub(crate) fn resize(model: &mut Model, by: isize) {
    let sizes = tune::sizes(model);
    let now = tune::map(model).map(|map| map.n);
    let at = now.and_then(|n| sizes.iter().position(|size| *size == n)).unwrap_or(0);
    let Some(n) = sizes.get(at.saturating_add_signed(by).min(sizes.len().saturating_sub(1))) else {
        return;
    };
    if Some(*n) == now {
        let end = if by < 0 { "smallest" } else { "largest" };
        return model.tell(Level::Info, format!("{end} size with results"));
    }
    model.tune.n = Some(*n);
}

/// Another variant.
pub(crate) fn next_variant(model: &mut Model) {
    model.tune.variant = model.tune.variant.wrapping_add(1);
}

/// Runs every block size and coarsening at the size of the map; where none was
/// chosen, at the largest of the form.
pub(crate) fn run(model: &mut Model) -> Vec<Effect> {
    let largest = model.form.experiment.sizes.values().last().copied();
    let Some(n) = model.tune.n.or(largest) else { return Vec::new() };
    let experiment = tune::experiment(model, n);
    let effects = crate::tui::app::run::update::start_with(model, experiment);
    if !effects.is_empty() {
        model.tune.n = Some(n);
        model.tune.cursor = None;
        if let Some(run) = &mut model.run {
            run.map_at = Some(n);
        }
        let size = sized(&model.selection.algorithm, n);
        let text = format!("running every block size and coarsening at {size}");
        model.tell(Level::Info, text);
    }
    effects
}

/// Puts the cell under the cursor into the form.
pub(crate) fn take(model: &mut Model) -> Vec<Effect> {
    let cursor = tune::map(model).and_then(|map| map.cursor(&model.tune));
    let Some((block, coarsen)) = cursor else { return Vec::new() };
    let Ok(threads) = BlockSize::new(block) else { return Vec::new() };
    model.form.experiment.blocks = vec![threads];
    model.form.experiment.coarsenings = vec![coarsen];
    model.tune.cursor = cursor;
    let effects = crate::tui::screens::sweep::form::update::changed(model);
    model.tell(Level::Good, format!("form set to block {block}, coarsening {coarsen}"));
    effects
}
