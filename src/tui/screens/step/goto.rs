//! What is typed after `/`: another block, warp, step, line or size, or a register to watch.

use crate::algorithms;
use crate::experiment::Case;
use crate::tui::app::model::{Level, Model};
use crate::tui::screens::step::update::{current, refresh, show};

/// What can be typed.
pub(crate) const HELP: &str = "block 3 · warp 1 · step 120 · line 42 · n 4096 · %r5 to watch";

/// Goes where the typed text says.
pub(crate) fn go(model: &mut Model) {
    let Some(typed) = model.step.typed.take() else { return };
    let text = typed.text();
    let mut words = text.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next());
    let number = |word: &str| word.replace('_', "").parse::<u64>().ok();
    match (first, second.map(number)) {
        ("", _) => {}
        (name, None) if name.starts_with('%') => watch(model, name),
        (step, None) if number(step).is_some() => {
            self::step(model, number(step).unwrap_or_default());
        }
        ("block" | "b", Some(Some(to))) => block(model, to),
        ("warp" | "w", Some(Some(to))) => warp(model, to),
        ("step" | "s", Some(Some(to))) => step(model, to),
        ("line" | "l", Some(Some(to))) => line(model, to),
        ("n", Some(Some(to))) => size(model, to),
        _ => model.tell(Level::Bad, format!("`{text}` is not understood: type {HELP}")),
    }
}

/// Records another block.
pub(crate) fn block(model: &mut Model, to: u64) {
    let blocks = model.step.recorded().map(|recorded| recorded.blocks());
    match blocks {
        Some(blocks) if to >= blocks => {
            let text =
                format!("there is no block {to}: the grid has {blocks} blocks, numbered from 0");
            model.tell(Level::Bad, text);
        }
        _ => model.step.block = to,
    }
}

fn warp(model: &mut Model, to: u64) {
    let Some((recorded, at)) = current(model) else { return };
    let to = usize::try_from(to).unwrap_or(usize::MAX);
    let found = recorded.trace().of_warp(at, to);
    match found {
        Some(step) => show(model, &recorded, step),
        None if to < recorded.warps => {
            model.tell(Level::Bad, format!("warp {to} has no step before the block ends"));
        }
        None => {
            let warps = recorded.warps;
            let text =
                format!("there is no warp {to}: the block has {warps} warps, numbered from 0");
            model.tell(Level::Bad, text);
        }
    }
}

fn step(model: &mut Model, to: u64) {
    let Some((recorded, at)) = current(model) else { return };
    let warp = recorded.trace().steps().get(at).map_or(0, |step| step.warp.into());
    match recorded.nth(warp, usize::try_from(to).unwrap_or(usize::MAX)) {
        Ok(step) => show(model, &recorded, step),
        Err(steps) => {
            let text =
                format!("there is no step {to}: warp {warp} has {steps} steps, numbered from 0");
            model.tell(Level::Bad, text);
        }
    }
}

/// Puts the cursor on a line.
fn line(model: &mut Model, to: u64) {
    let Some(recorded) = model.step.recorded() else { return };
    let many = recorded.lines_of(model.step.shown_text()).len();
    let Some(to) = usize::try_from(to).ok().filter(|to| (1..=many).contains(to)) else {
        let text = format!("there is no line {to}: the text has {many} lines");
        return model.tell(Level::Bad, text);
    };
    (model.step.cursor, model.step.on_values) = (Some(to - 1), false);
    model.info("Enter runs to this line, G goes back to it, B sets a breakpoint");
}

/// Records the case at another size, if it can be run.
pub(crate) fn size(model: &mut Model, to: u64) {
    let Some(wanted) = &model.step.wanted else { return };
    let case = Case { n: to, ..wanted.case.clone() };
    let Some(algorithm) = algorithms::find(&case.algorithm) else { return };
    let most = algorithm.size().most;
    let refused = if to == 0 {
        Some("n is at least 1".to_owned())
    } else if to > most {
        Some(format!("n is at most {most}"))
    } else {
        algorithm.obstacle(&case)
    };
    if let Some(reason) = refused {
        return model.tell(Level::Bad, format!("n = {to}: {reason}"));
    }
    (model.step.n, model.step.block) = (Some(to), 0);
}

/// Watches a register, or stops.
fn watch(model: &mut Model, name: &str) {
    let Some((recorded, _)) = current(model) else { return };
    if let Some(at) = model.step.watched.iter().position(|known| known == name) {
        model.step.watched.remove(at);
    } else if recorded.trace().registers().any(|known| known == name) {
        model.step.watched.push(name.to_owned());
    } else {
        return model.tell(Level::Bad, format!("the kernel has no register {name}"));
    }
    refresh(model);
}
