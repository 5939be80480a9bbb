//! The charts of a lesson: curves to choose from, a curve that is drawn, the student's guess
//! with the results over it, and the times of an experiment. All are [`Figure`]s.

use crate::figure::pen::{Pen, Stroke};
use crate::figure::{Axis, Choice, Figure, Point, Provenance, Scale, Series, XAxis};
use crate::lessons::beside::RECORDED;
use crate::lessons::grade::Answer;
use crate::lessons::value::{self, Value};
use crate::lessons::{
    Formula, Lesson, Measure, Pair, Question, Results, Right, Select, Trial, Unit, words,
};
use crate::results::record::Record;
use crate::tui::screens::sweep::state::{Chart, name};
use crate::{algorithms, figure};

/// What a guess that the second case is slower is drawn as.
const SLOWER: f64 = 0.5;

/// Label of the curve of a guess.
pub const GUESS: &str = "your prediction";

/// Label of the point that is moved.
pub const POINT: &str = "this point";

/// Label of the curve of results.
pub const RESULT: &str = "result";

/// The curves of a question's options; the chosen one stands out.
pub fn options(lesson: &Lesson, question: &Question, chosen: usize) -> Option<Chart> {
    let formula = lesson.values.get(question.ask.value()?)?;
    let series: Vec<Series> = question
        .options
        .iter()
        .enumerate()
        .filter_map(|(at, option)| match &option.right {
            Right::Curve(points) => Some(series(&option.text, Pen::of_variant(at), points)),
            _ => None,
        })
        .collect();
    let lit = series.get(chosen).map(name);
    let trial = lesson.experiments.get(&formula.experiment)?;
    let mut chart = chart(lesson, formula, trial, series)?;
    chart.chosen = lit;
    Some(chart)
}

/// A curve that the student draws, and the point that moves.
pub fn drawn(
    lesson: &Lesson,
    question: &Question,
    points: &[(u64, f64)],
    point: usize,
) -> Option<Chart> {
    let formula = lesson.values.get(question.ask.value()?)?;
    let trial = lesson.experiments.get(&formula.experiment)?;
    let moving: Vec<(u64, f64)> = points.get(point).copied().into_iter().collect();
    // The marker of the point lies over that of the curve.
    let curves =
        vec![series(GUESS, guess_pen(), points), series(POINT, Pen::of_variant(4), &moving)];
    let mut chart = chart(lesson, formula, trial, curves)?;
    // Room to move the point: a power of ten each way.
    let value = points.get(point).map_or(1.0, |(_, value)| *value);
    chart.planned_y = Some((value / 10.0, value * 10.0));
    Some(chart)
}

/// The guess of a locked prediction with the results so far over it, and at their sizes what
/// the recording has; nothing where the value is no number by size, or there is one size only.
pub fn guess(
    lesson: &Lesson,
    question: &Question,
    answer: &Answer,
    [results, recorded]: [&Results; 2],
) -> Option<Chart> {
    let formula = lesson.values.get(question.ask.value()?)?;
    let trial = lesson.experiments.get(&formula.experiment)?;
    if sizes(trial).len() < 2 {
        return None;
    }
    let guessed = guessed(question, formula, answer)?;
    let found = results_by_size(formula, trial, results)?;
    let first = trial.cases.iter().find_map(|case| results.get(case));
    let provenance = first.map_or(Provenance::Modelled, |it| it.record.provenance);
    let pen = Pen { stroke: Stroke::of(provenance), ..Pen::of_variant(0) };
    let mut curves = vec![series(GUESS, guess_pen(), &guessed)];
    // Counters are the emulator's in both.
    if !matches!(formula.measure, Measure::Count { .. }) {
        let mut points = results_by_size(formula, trial, recorded)?;
        points.retain(|(n, _)| found.iter().any(|(there, _)| there == n));
        if !points.is_empty() {
            curves.push(series(RECORDED, Pen::of_variant(2), &points));
        }
    }
    // The result lies on top.
    curves.push(series(RESULT, pen, &found));
    chart(lesson, formula, trial, curves)
}

/// Times of an experiment, by the axis that has several values; recorded ones of the same
/// cases as curves of their own.
pub fn times(records: Vec<Record>, recorded: Vec<Record>, trial: &Trial) -> Chart {
    let experiment = &trial.experiment;
    let blocks = || experiment.blocks.iter().map(|block| f64::from(block.get()));
    let coarsenings = || experiment.coarsenings.iter().map(|it| f64::from(*it));
    let (x, ends) = if sizes(trial).len() > 1 {
        (XAxis::N, ends(sizes(trial).into_iter().map(|n| n as f64)))
    } else if experiment.blocks.len() > 1 {
        (XAxis::Block, ends(blocks()))
    } else if experiment.coarsenings.len() > 1 {
        (XAxis::Coarsen, ends(coarsenings()))
    } else {
        (XAxis::N, None)
    };
    let time = figure::Time::fitting(&records);
    let mut chart = Chart::default();
    (chart.choice, chart.planned) = (Choice { x, time, ..Choice::default() }, ends);
    chart.set([recorded, Vec::new(), records], Vec::new(), Vec::new());
    chart
}

fn ends(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |ends: Option<(f64, f64)>, value| {
        let (low, high) = ends.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

/// The sizes of an experiment, ascending.
pub fn sizes(trial: &Trial) -> Vec<u64> {
    let mut sizes: Vec<u64> = trial.cases.iter().map(|case| case.n).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// What an answer says of the value, by size.
fn guessed(question: &Question, formula: &Formula, answer: &Answer) -> Option<Vec<(u64, f64)>> {
    let key = match answer {
        Answer::Curve(points) => return Some(points.clone()),
        Answer::Choice(key) => key,
        _ => return None,
    };
    let option = question.options.iter().find(|option| option.key == *key)?;
    let at = match &formula.measure {
        Measure::Time(of) | Measure::Count { of, .. } => of.n,
        Measure::Ratio(pair) => pair.of.n,
        _ => None,
    };
    match (&option.right, &formula.measure) {
        (Right::Curve(points), _) => Some(points.clone()),
        // A crossing is where the ratio is 1.
        (Right::Number(n), Measure::Crossing(_)) => Some(vec![(*n as u64, 1.0)]),
        (Right::Number(number), _) => Some(vec![(at?, *number)]),
        (Right::Slower, _) => Some(vec![(at?, SLOWER)]),
        _ => None,
    }
}

/// The value at every size that has a result.
fn results_by_size(formula: &Formula, trial: &Trial, results: &Results) -> Option<Vec<(u64, f64)>> {
    let mut points = Vec::new();
    for n in sizes(trial) {
        let measure = at_size(&formula.measure, n)?;
        let of_size = Formula { measure, ..formula.clone() };
        if let Ok(Value::Number(number)) = value::of(&of_size, &trial.cases, results) {
            points.push((n, number));
        }
    }
    Some(points)
}

/// The measure at one size; none where it is no number.
fn at_size(measure: &Measure, n: u64) -> Option<Measure> {
    let at = |select: &Select| Select { n: Some(n), ..select.clone() };
    let pair = |of: &Select, over: &Select| Measure::Ratio(Pair { of: at(of), over: at(over) });
    Some(match measure {
        Measure::Time(of) | Measure::Curve { of, over: None } => Measure::Time(at(of)),
        Measure::Ratio(Pair { of, over })
        | Measure::Crossing(Pair { of, over })
        | Measure::Curve { of, over: Some(over) } => pair(of, over),
        Measure::Count { counter, of, over, per } => {
            Measure::Count { counter: *counter, of: at(of), over: over.as_ref().map(at), per: *per }
        }
        Measure::Fastest(_) | Measure::Best(_) | Measure::Cause { .. } => return None,
    })
}

/// A chart of these curves on the axes of a value.
fn chart(lesson: &Lesson, formula: &Formula, trial: &Trial, series: Vec<Series>) -> Option<Chart> {
    let algorithm = algorithms::find(&trial.experiment.algorithm)?;
    let unit = if matches!(formula.measure, Measure::Crossing(_)) {
        Some(Unit::Times)
    } else {
        formula.unit()
    };
    let unit = match unit {
        Some(Unit::Seconds) => figure::Unit::Seconds,
        Some(Unit::Times) => figure::Unit::Ratio,
        _ => figure::Unit::Count,
    };
    let noun = algorithm.size().noun;
    let figure = Figure {
        title: lesson.title.clone(),
        subtitle: String::new(),
        x: Axis {
            label: format!("input size n ({noun})"),
            scale: Scale::Log2,
            unit: figure::Unit::Elements,
        },
        y: Axis { label: words::label(formula), scale: Scale::Log10, unit },
        series,
        caption: String::new(),
        command: String::new(),
    };
    let planned = ends(sizes(trial).into_iter().map(|n| n as f64));
    let mut chart = Chart::default();
    (chart.figure, chart.planned) = (Some(figure), planned);
    Some(chart)
}

/// The line of a guess: thin, with small markers.
fn guess_pen() -> Pen {
    Pen { stroke: Stroke::Thin, ..Pen::of_variant(1) }
}

fn series(label: &str, pen: Pen, points: &[(u64, f64)]) -> Series {
    let points = points.iter().map(|(n, value)| Point {
        x: *n as f64,
        y: *value,
        band: None,
        record: usize::MAX,
    });
    Series {
        label: label.to_owned(),
        brief: label.to_owned(),
        provenance_label: String::new(),
        provenance: Provenance::Modelled,
        pen,
        points: points.collect(),
    }
}
