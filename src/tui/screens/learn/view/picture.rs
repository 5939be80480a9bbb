//! What is to be seen beside the page: curves to choose from, the student's curve, the
//! prediction with the results over it, times, or the map of block size and coarsening.

use std::collections::BTreeMap;

use ratatui::layout::Rect;

use crate::figure::Series;
use crate::lessons::beside::RECORDED;
use crate::lessons::grade::Answer;
use crate::lessons::{Ask, Measure, Question, Results, Right, Select, Step, Task, Trial, View};
use crate::results::record::{Provenance, Record};
use crate::tui::screens::learn::figures;
use crate::tui::screens::learn::state::Open;
use crate::tui::screens::sweep::state::{Chart, Layer, short_label};
use crate::tui::screens::tune::cells;
use crate::tui::screens::tune::state::Map;
use crate::tui::theme::Theme;
use crate::tui::widgets::chart;
use crate::tui::widgets::ui::{Ui, width};
use crate::units::Elements;

/// Columns from which on a page with counters has a chart beside it.
const WIDE: u16 = super::WIDE;

/// A picture.
pub(super) enum Shown {
    /// A chart with its title.
    Chart(&'static str, Box<Chart>),
    /// The map of an experiment, with the cell of a prediction.
    Map(Option<(u32, u32)>),
}

/// The picture of the step at hand.
pub(super) fn of(ui: &Ui, open: &Open) -> Option<Shown> {
    let step = open.session.step()?;
    let session = &open.session;
    let lesson = session.lesson();
    match &step.task {
        Task::Predict(question) => predicted(open, step, question),
        Task::Run { experiment, view: View::Heat } => {
            let guess =
                predictions(open, experiment).find_map(|(question, answer)| cell(question, answer));
            let trial = lesson.experiments.get(experiment)?;
            let there = session.results().records(&trial.cases).next().is_some();
            (guess.is_some() || there || open.running.is_some()).then_some(Shown::Map(guess))
        }
        Task::Run { experiment, view: View::Curves } => {
            let trial = lesson.experiments.get(experiment)?;
            if !open.times
                && let Some(chart) = predictions(open, experiment).find_map(|(question, answer)| {
                    figures::guess(
                        lesson,
                        question,
                        answer,
                        [session.results(), session.recorded()],
                    )
                })
            {
                return Some(Shown::Chart("prediction and result", Box::new(chart)));
            }
            times(open, trial, true)
        }
        Task::Observe(_) | Task::Why { .. } => {
            let wide = ui.buffer.area.width >= WIDE;
            if matches!(step.task, Task::Why { .. }) && !wide {
                return None;
            }
            let (trial, view) = seen(open)?;
            if view == View::Heat { Some(Shown::Map(None)) } else { times(open, trial, false) }
        }
        Task::Say | Task::Change(_) | Task::Write(_) => None,
    }
}

/// The picture of a prediction: to make it, or the one that is locked.
fn predicted(open: &Open, step: &Step, question: &Question) -> Option<Shown> {
    let session = &open.session;
    let lesson = session.lesson();
    let given = session.answers(&step.id).last().map(|given| &given.answer);
    let map = matches!(question.ask, Ask::Cell { .. });
    if let Some(answer) = given {
        if map {
            return Some(Shown::Map(cell(question, answer)));
        }
        // A single point alone says nothing, and the text needs the room.
        if matches!(question.ask, Ask::Factor { .. } | Ask::Count { .. })
            && !has_run(open, question)
        {
            return None;
        }
        // What other experiments found stays hidden until this one has run.
        let none = Results::default();
        let both = if has_run(open, question) {
            [session.results(), session.recorded()]
        } else {
            [&none; 2]
        };
        let chart = figures::guess(lesson, question, answer, both);
        return Some(Shown::Chart("prediction and result", Box::new(chart?)));
    }
    let draft = &open.draft;
    let chart = match &question.ask {
        Ask::Cell { .. } => {
            let chosen = draft.answer(question).and_then(|answer| cell(question, &answer));
            return Some(Shown::Map(chosen));
        }
        Ask::Draw { .. } => figures::drawn(lesson, question, &draft.points, draft.point),
        Ask::Curves { .. } => figures::options(lesson, question, draft.option),
        Ask::Factor { .. } | Ask::Count { .. } | Ask::Reasons => None,
    };
    let title = if matches!(question.ask, Ask::Draw { .. }) { "your curve" } else { "curves" };
    Some(Shown::Chart(title, Box::new(chart?)))
}

/// Whether the experiment that a question is about has run.
fn has_run(open: &Open, question: &Question) -> bool {
    let value = question.ask.value().and_then(|name| open.session.lesson().values.get(name));
    value.is_some_and(|value| open.session.missing(&value.experiment).is_empty())
}

/// The locked predictions of an experiment.
pub(super) fn predictions<'a>(
    open: &'a Open,
    experiment: &'a str,
) -> impl Iterator<Item = (&'a Question, &'a Answer)> {
    steps_of(open, experiment).filter_map(|step| {
        Some((step.task.question()?, &open.session.answers(&step.id).last()?.answer))
    })
}

/// The steps that predict something of an experiment.
pub(super) fn steps_of<'a>(open: &'a Open, experiment: &'a str) -> impl Iterator<Item = &'a Step> {
    let lesson = open.session.lesson();
    lesson.steps.iter().filter(move |step| {
        let Task::Predict(question) = &step.task else { return false };
        let value = question.ask.value().and_then(|name| lesson.values.get(name));
        value.is_some_and(|value| value.experiment == experiment)
    })
}

/// The experiment that ran last before this step.
fn seen(open: &Open) -> Option<(&Trial, View)> {
    let lesson = open.session.lesson();
    let before = lesson.steps.get(..open.session.at())?;
    before.iter().rev().find_map(|step| match &step.task {
        Task::Run { experiment, view } => Some((lesson.experiments.get(experiment)?, *view)),
        _ => None,
    })
}

/// The times of an experiment, if it has any or runs; `beside` with those of the recording. A
/// question about what was seen is about the student's own.
fn times(open: &Open, trial: &Trial, beside: bool) -> Option<Shown> {
    let session = &open.session;
    let records: Vec<Record> = session.results().records(&trial.cases).cloned().collect();
    if records.is_empty() {
        return None;
    }
    let ran = trial.cases.iter().filter(|case| beside && session.results().get(case).is_some());
    let recorded = session.recorded().records(ran).cloned().collect();
    Some(Shown::Chart("times", Box::new(figures::times(records, recorded, trial))))
}

/// The cell of an answer.
fn cell(question: &Question, answer: &Answer) -> Option<(u32, u32)> {
    let Answer::Choice(key) = answer else { return None };
    match question.options.iter().find(|option| option.key == *key)?.right {
        Right::Cell { block, coarsen } => Some((block, coarsen)),
        _ => None,
    }
}

/// Draws it.
pub(super) fn draw(ui: &mut Ui, area: Rect, open: &Open, shown: Shown) {
    match shown {
        Shown::Chart(title, chart) => draw_chart(ui, area, title, &chart),
        Shown::Map(cursor) => draw_map(ui, area, open, cursor),
    }
}

fn draw_chart(ui: &mut Ui, area: Rect, title: &str, chart: &Chart) {
    let inner = ui.panel(area, title, false);
    let Some(figure) = &chart.figure else { return };
    let label = format!(" {} ", figure.x.label);
    let x = area.right().saturating_sub(width(&label) + 1).max(area.x + 1);
    ui.text(x, area.bottom().saturating_sub(1), width(&label), &label, ui.theme.dim);
    // What a curve is to choose from says the page.
    let named = title != "curves";
    let legend = if named { legend(chart) } else { Vec::new() };
    let rows = (legend.len() as u16).min(inner.height / 3);
    let plot = Rect { height: inner.height.saturating_sub(rows), ..inner };
    chart::draw_plain(ui, plot, chart);
    for (y, (series, text)) in (plot.bottom()..inner.bottom()).zip(legend) {
        let style = ui.theme.curve(series.pen);
        ui.text(inner.x + 1, y, 1, Theme::marker(series.pen), style);
        let text = ui.set(&text).into_owned();
        ui.text(inner.x + 3, y, inner.width.saturating_sub(4), &text, ui.theme.base);
    }
}

/// The curves with their last values.
fn legend(chart: &Chart) -> Vec<(&Series, String)> {
    let Some(figure) = &chart.figure else { return Vec::new() };
    let told = |series: &Series| {
        let at = series.points.last()?;
        let n = if figure.x.unit == crate::figure::Unit::Elements {
            format!("n = {}", Elements(at.x as u64))
        } else {
            figure.x.format(at.x)
        };
        let source = match series.provenance_label.as_str() {
            "" => String::new(),
            _ if series.provenance == Provenance::Recorded => format!(" · {RECORDED}"),
            label => format!(" · {label}"),
        };
        Some(format!("{}: {} at {n}{source}", short_label(series), figure.y.format(at.y)))
    };
    let none = |series: &Series| format!("{}: nothing yet", short_label(series));
    figure
        .series
        .iter()
        .filter(|series| series.label != figures::POINT)
        .map(|series| (series, told(series).unwrap_or_else(|| none(series))))
        .collect()
}

/// The experiment whose map is shown, and the cases in it.
fn mapped(open: &Open) -> Option<(&Trial, Select)> {
    let lesson = open.session.lesson();
    let name = match &open.session.step()?.task {
        Task::Predict(question) => &lesson.values.get(question.ask.value()?)?.experiment,
        Task::Run { experiment, .. } => experiment,
        _ => {
            let trial = seen(open)?.0;
            lesson.experiments.iter().find(|(_, it)| *it == trial)?.0
        }
    };
    let trial = lesson.experiments.get(name)?;
    let best = lesson.values.values().filter(|value| value.experiment == *name);
    let select = best.into_iter().find_map(|value| match &value.measure {
        Measure::Best(select) => Some(select.clone()),
        _ => None,
    });
    let first = trial.cases.first()?;
    let select = select.unwrap_or_default();
    let variant = select.variant.clone().or_else(|| Some(first.variant.clone()));
    Some((trial, Select { variant, n: select.n.or(Some(first.n)), ..select }))
}

fn draw_map(ui: &mut Ui, area: Rect, open: &Open, cursor: Option<(u32, u32)>) {
    let Some((trial, select)) = mapped(open) else { return };
    let variant = select.variant.clone().unwrap_or_default();
    let n = select.n.unwrap_or_default();
    let title = format!("{variant} at n = {}: time by block size and coarsening", Elements(n));
    let inner = ui.panel(area, &title, false);
    let taken: Vec<_> = trial.cases.iter().filter(|case| select.takes(case)).collect();
    let axis = |of: &dyn Fn(&crate::experiment::Case) -> u32| {
        let mut values: Vec<u32> = taken.iter().map(|case| of(case)).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let results = open.session.results();
    let question = open.session.step().and_then(|step| match &step.task {
        Task::Predict(question) => Some(question),
        _ => None,
    });
    let hidden = question.is_some_and(|question| !has_run(open, question));
    let cells: BTreeMap<(u32, u32), &Record> = taken
        .iter()
        .filter(|_| !hidden)
        .filter_map(|case| Some(((case.block, case.coarsen), &*results.get(case)?.record)))
        .collect();
    let time = crate::figure::Time::default();
    let mut ranking: Vec<((u32, u32), f64)> = cells
        .iter()
        .filter(|(_, record)| record.outcome().is_result())
        .filter_map(|(cell, record)| Some((*cell, time.of(record)?)))
        .collect();
    ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
    let map = Map {
        variant,
        n,
        time,
        layer: Layer::Live,
        blocks: axis(&|case| case.block),
        coarsenings: axis(&|case| case.coarsen),
        all: cells.values().copied().collect(),
        cells,
        ranking,
    };
    let grid = Rect { height: inner.height.saturating_sub(1), ..inner };
    let grid = Rect { x: grid.x + 1, width: grid.width.saturating_sub(2), ..grid };
    cells::draw(ui, &map, grid, cursor);
    cells::draw_scale(ui, &map, Rect { y: grid.bottom(), height: 1, ..grid });
}
