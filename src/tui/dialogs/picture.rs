//! What an export draws: the figure of the view that is shown.

use crate::figure::output::{Origin, Output};
use crate::figure::tune::Tune;
use crate::figure::{Kernels, Picture, roofline};
use crate::results::record::Record;
use crate::tui::app::model::{Model, Screen};
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::tune::{ladder, state as tune};

/// The figure of the view, if it has one to draw.
pub fn of(model: &Model) -> Option<Picture> {
    match model.screen {
        Screen::Output => output(model),
        Screen::Tune if model.tune.ladder => Some(ladder::of(model)?.0.into()),
        Screen::Tune => map(model),
        Screen::Counters => kernels(model),
        Screen::Step => step(model),
        // A view without a figure of its own shows how things compare.
        _ => model.chart.figure.clone().filter(|figure| !figure.is_empty()).map(Picture::from),
    }
}

fn output(model: &Model) -> Option<Picture> {
    let shown = model.output.as_ref()?;
    // The newest result of the case has the times of its phases.
    let records = model.results.iter().map(|live| &live.record);
    let record = records.rev().find(|record| record.case() == shown.case);
    let record = record.filter(|_| shown.origin != Origin::Reference);
    Some(Output::of(shown.view.clone(), &shown.case, shown.origin, record).into())
}

fn kernels(model: &Model) -> Option<Picture> {
    let sides = profile::sides(model);
    let profiled: Vec<_> = sides.iter().filter_map(profile::Side::profiled).collect();
    let profiles: Vec<roofline::Side> = profiled
        .iter()
        .filter_map(|it| {
            let profile = it.profile.as_ref()?;
            Some(roofline::Side { label: &it.record.variant, profile })
        })
        .collect();
    let records: Vec<&Record> = profiled.iter().map(|it| &it.record).collect();
    Some(Kernels::of(roofline::build(&profiles)?, &records).into())
}

fn step(model: &Model) -> Option<Picture> {
    let step = &model.step;
    let (recorded, shown) = step.recorded().zip(step.shown.as_ref())?;
    let wanted = step.wanted.as_ref()?;
    Some(recorded.picture(wanted, shown, step.text).into())
}

fn map(model: &Model) -> Option<Picture> {
    let map = tune::map(model)?;
    let records: Vec<Record> = map.cells.values().map(|record| (*record).clone()).collect();
    let tune = Tune::of(&records, map.time)?;
    Some(tune.into())
}

/// A word for the view, for the name of a file.
pub fn name(model: &Model) -> String {
    let algorithm = &model.selection.algorithm;
    match model.screen {
        Screen::Output => format!("{algorithm}-output"),
        Screen::Tune if model.tune.ladder => format!("{algorithm}-ladder"),
        Screen::Tune => format!("{algorithm}-tune"),
        Screen::Counters => format!("{algorithm}-roofline"),
        Screen::Step => format!("{algorithm}-step"),
        _ => algorithm.clone(),
    }
}
