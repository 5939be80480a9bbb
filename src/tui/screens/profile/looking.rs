//! What the two screens show of the cases that are looked at, and where the
//! cursor is in it.

use std::sync::Arc;

use crate::analysis::kernel_profile;
use crate::figure::listing::{Heat, pair};
use crate::tui::app::model::Model;
use crate::tui::own::update as own;
use crate::tui::screens::profile::state::{Difference, Pane, Texts, kernels, sides};

/// The rows of the counters as they are shown.
pub fn rows(model: &Model) -> Vec<kernel_profile::Row> {
    let sides = sides(model);
    let columns: Vec<Option<kernel_profile::Kernel>> = kernels(model, &sides)
        .into_iter()
        .zip(&sides)
        .map(|(kernel, side)| {
            Some(kernel_profile::Kernel { kernel: kernel?, gpu: &side.profile()?.gpu })
        })
        .collect();
    kernel_profile::rows(&columns)
}

/// The texts of both kernels that are looked at.
pub fn texts(model: &Model) -> Vec<Option<Arc<Texts>>> {
    let sides = sides(model);
    let both = sides.iter().zip(kernels(model, &sides));
    both.map(|(side, kernel)| model.profile.texts(&side.wanted, kernel?)).collect()
}

/// Keeps the texts that are shown, so that a frame need not make them anew.
pub(crate) fn remember(model: &mut Model) {
    let sides = sides(model);
    let shown = sides.iter().zip(kernels(model, &sides)).filter_map(|(side, kernel)| {
        let kernel = kernel?;
        let texts = model.profile.texts(&side.wanted, kernel)?;
        Some((side.wanted.clone(), kernel.name.clone(), texts))
    });
    model.profile.texts = shown.collect();
    if model.profile.diff {
        let kept = difference(model).zip(<[_; 2]>::try_from(texts(model)).ok());
        model.profile.difference = kept
            .and_then(|(found, [left, right])| Some((left?, right?, model.profile.pane, found)));
    }
}

/// The texts of both kernels as a difference, where both are there.
pub fn difference(model: &Model) -> Option<Arc<Difference>> {
    let texts = texts(model);
    let [Some(left), Some(right)] = texts.as_slice() else { return None };
    let profile = &model.profile;
    if let Some((a, b, pane, found)) = &profile.difference
        && Arc::ptr_eq(a, left)
        && Arc::ptr_eq(b, right)
        && *pane == profile.pane
    {
        return Some(Arc::clone(found));
    }
    let of = |texts: &Texts| match profile.pane {
        Pane::Cuda => texts.cuda.of_functions(),
        Pane::Ptx => texts.ptx.clone(),
    };
    let (left, right) = (of(left), of(right));
    let rows = pair(&left, &right);
    Some(Arc::new(Difference { left, right, rows }))
}

/// The places of hot lines among what the cursor moves over, the hottest first, and
/// how many places there are.
pub fn places(model: &Model) -> (Vec<usize>, usize) {
    places_of(model, model.profile.heat)
}

fn places_of(model: &Model, heat: Heat) -> (Vec<usize>, usize) {
    if let Some(places) = own::places(model) {
        return places;
    }
    if model.profile.diff
        && let Some(found) = difference(model)
    {
        let rows = &found.rows;
        let place = |line: usize| rows.iter().position(|row| row.left == Some(line));
        return (found.left.hottest(heat).into_iter().filter_map(place).collect(), rows.len());
    }
    match texts(model).first() {
        Some(Some(texts)) => {
            let listing = texts.of(model.profile.pane);
            (listing.hottest(heat), listing.lines.len())
        }
        _ => (Vec::new(), 0),
    }
}

/// Where the cursor is: where it was put, else on the hottest line.
pub fn cursor(model: &Model) -> usize {
    let (hot, many) = places(model);
    if let Some(line) = model.profile.line {
        return line.min(many.saturating_sub(1));
    }
    // Where nothing is divergent, say, what is executed most.
    let most = || places_of(model, Heat::Executed).0.first().copied();
    hot.first().copied().or_else(most).unwrap_or(0)
}
