//! What the two screens show of the cases that are looked at, and where the
//! cursor is in it.

use std::sync::Arc;

use crate::analysis::explain::sheet;
use crate::figure::listing::{Heat, pair};
use crate::tui::app::model::Model;
use crate::tui::screens::profile::state::{Difference, Pane, Texts, kernels, sides};

/// The rows of the counters as they are shown.
pub fn rows(model: &Model) -> Vec<sheet::Row> {
    let sides = sides(model);
    let columns: Vec<Option<sheet::Kernel>> = kernels(model, &sides)
        .into_iter()
        .zip(&sides)
        .map(|(kernel, side)| Some(sheet::Kernel { kernel: kernel?, gpu: &side.anatomy()?.gpu }))
        .collect();
    sheet::sheet(&columns)
}

/// The texts of both kernels that are looked at.
pub fn texts(model: &Model) -> Vec<Option<Arc<Texts>>> {
    let sides = sides(model);
    let both = sides.iter().zip(kernels(model, &sides));
    both.map(|(side, kernel)| model.closeup.texts(&side.wanted, kernel?)).collect()
}

/// The texts of both kernels as a difference, where both are there; drawn up once.
pub fn difference(model: &Model) -> Option<Arc<Difference>> {
    let texts = texts(model);
    let [Some(left), Some(right)] = texts.as_slice() else { return None };
    let closeup = &model.closeup;
    let mut kept = closeup.difference.borrow_mut();
    if let Some((a, b, pane, found)) = &*kept
        && Arc::ptr_eq(a, left)
        && Arc::ptr_eq(b, right)
        && *pane == closeup.pane
    {
        return Some(Arc::clone(found));
    }
    let of = |texts: &Texts| match closeup.pane {
        Pane::Cuda => texts.cuda.of_functions(),
        Pane::Ptx => texts.ptx.clone(),
    };
    let (a, b) = (of(left), of(right));
    let rows = pair(&a, &b);
    let found = Arc::new(Difference { left: a, right: b, rows });
    *kept = Some((Arc::clone(left), Arc::clone(right), closeup.pane, Arc::clone(&found)));
    Some(found)
}

/// The places of hot lines among what the cursor moves over, the hottest first, and
/// how many places there are.
pub fn places(model: &Model) -> (Vec<usize>, usize) {
    places_of(model, model.closeup.heat)
}

fn places_of(model: &Model, heat: Heat) -> (Vec<usize>, usize) {
    if model.closeup.diff
        && let Some(found) = difference(model)
    {
        let rows = &found.rows;
        let place = |line: usize| rows.iter().position(|row| row.left == Some(line));
        return (found.left.hottest(heat).into_iter().filter_map(place).collect(), rows.len());
    }
    match texts(model).first() {
        Some(Some(texts)) => {
            let listing = texts.of(model.closeup.pane);
            (listing.hottest(heat), listing.lines.len())
        }
        _ => (Vec::new(), 0),
    }
}

/// Where the cursor is: where it was put, else on the hottest line.
pub fn cursor(model: &Model) -> usize {
    let (hot, many) = places(model);
    if let Some(line) = model.closeup.line {
        return line.min(many.saturating_sub(1));
    }
    // Where nothing is divergent, say, what is executed most.
    let most = || places_of(model, Heat::Executed).0.first().copied();
    hot.first().copied().or_else(most).unwrap_or(0)
}
