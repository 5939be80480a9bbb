//! The Tune screen: moving over the map, filling it, and taking a cell into
//! the form.

use crate::tui::app::action::Command;
use crate::tui::app::model::{Model, Panel};
use crate::tui::app::run::update::start_with;
use crate::tui::app::selection;
use crate::tui::screens::sweep::form::update::changed;
use crate::tui::screens::tune::state as tune;
use crate::tui::widgets::sized::sized;
use crate::units::BlockSize;

/// A command that means something else on the Tune screen.
pub(crate) fn command(model: &mut Model, command: Command) -> bool {
    let on_chart = model.panel == Panel::Chart;
    let on_map = on_chart && !model.tune.ladder;
    match command {
        Command::Run => run(model),
        Command::Flip => model.tune.ladder = !model.tune.ladder,
        Command::NextPanel => model.panel = if on_chart { Panel::Form } else { Panel::Chart },
        Command::Panel(panel) => model.panel = panel,
        Command::Cell(block, coarsen) => {
            model.panel = Panel::Chart;
            model.tune.cursor = Some((block, coarsen));
        }
        Command::NextVariant | Command::PrevVariant if model.tune.ladder => {}
        Command::Left if on_map => go(model, -1, 0),
        Command::Right if on_map => go(model, 1, 0),
        Command::Up if on_map => go(model, 0, -1),
        Command::Down if on_map => go(model, 0, 1),
        Command::First if on_map => go(model, isize::MIN / 2, 0),
        Command::Last if on_map => go(model, isize::MAX / 2, 0),
        Command::Enter if on_map => take(model),
        Command::PanLeft => selection::resize(model, -1),
        Command::PanRight => selection::resize(model, 1),
        _ => return false,
    }
    true
}

/// Moves the cursor by columns and rows.
fn go(model: &mut Model, columns: isize, rows: isize) {
    let Some(map) = tune::map(model) else { return };
    let Some((block, coarsen)) = map.cursor(&model.tune) else { return };
    let along = |values: &[u32], now: u32, by: isize| {
        let at = values.iter().position(|value| *value == now)?;
        values.get(at.saturating_add_signed(by).min(values.len() - 1)).copied()
    };
    let moved = along(&map.blocks, block, columns).zip(along(&map.coarsenings, coarsen, rows));
    model.tune.cursor = moved.or(model.tune.cursor);
}

/// Runs every block size and coarsening at the selected size.
fn run(model: &mut Model) {
    let Some(n) = model.selected.as_ref().map(|selected| selected.case.n) else { return };
    let experiment = tune::experiment(model, n);
    if start_with(model, experiment) {
        model.tune.cursor = None;
        if let Some(run) = &mut model.run {
            run.map_at = Some(n);
        }
        let size = sized(&model.selection.algorithm, n);
        model.info(format!("running every block size and coarsening at {size}"));
    }
}

/// Selects the cell under the cursor: the form holds it from now on.
fn take(model: &mut Model) {
    let cursor = tune::map(model).and_then(|map| map.cursor(&model.tune));
    let Some((block, coarsen)) = cursor else { return };
    let Ok(threads) = BlockSize::new(block) else { return };
    model.form.experiment.blocks = vec![threads];
    model.form.experiment.coarsenings = vec![coarsen];
    model.tune.cursor = cursor;
    changed(model);
    model.good(format!("selected: block {block}, coarsening {coarsen} (u undoes)"));
}
