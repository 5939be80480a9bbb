//! The command that draws a figure from the files that the sweeps wrote.

use clap::ValueEnum;

use crate::analysis::compare::pairs;
use crate::figure::{Baseline, Beside, Choice, Time, XAxis, YAxis};
use crate::results::record::{Provenance, Record};

/// A view of `warpscope plot`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::figure) enum View {
    Output,
    Tune,
    Ladder,
    Counters,
}

impl View {
    fn name(self) -> &'static str {
        match self {
            Self::Output => "output",
            Self::Tune => "tune",
            Self::Ladder => "ladder",
            Self::Counters => "counters",
        }
    }
}

/// `sweeps`, and the command that draws this view of their files.
pub(in crate::figure) fn drawing(
    sweeps: &str,
    algorithm: &str,
    view: View,
    time: Option<Time>,
) -> String {
    let mut options = vec![format!("--view {}", view.name())];
    options.extend(time.map(|time| format!("--time {}", value(&time))));
    with_plot(sweeps, &[algorithm], &options)
}

/// `sweeps`, and the command that draws the chart of `records`. Only the sweeps where no
/// command draws it: stored runs with curves of their own.
pub(in crate::figure) fn of_chart(
    sweeps: &str,
    records: &[Record],
    choice: Choice,
    beside: Beside,
) -> String {
    let defaults = Choice::default();
    let mut options = Vec::new();
    if choice.x != defaults.x {
        options.push(format!("--x {}", value(&choice.x)));
    }
    match (choice.y, beside.baseline) {
        (YAxis::Speedup, Some(baseline)) => match field(baseline, records, choice) {
            Some((key, value)) => {
                options.push(format!("--baseline {}", super::quoted(&format!("{key}={value}"))));
            }
            None => return sweeps.to_owned(),
        },
        (y, _) if y != defaults.y => options.push(format!("--y {}", value(&y))),
        _ => {}
    }
    if choice.time != Time::fitting(records) {
        options.push(format!("--time {}", value(&choice.time)));
    }
    match (choice.log_x, choice.log_y) {
        (true, true) => {}
        (true, false) => options.push("--log x".to_owned()),
        (false, true) => options.push("--log y".to_owned()),
        (false, false) => options.push("--log none".to_owned()),
    }
    if records.iter().any(|record| record.provenance == Provenance::Reported) {
        options.push("--reported".to_owned());
    }
    if sweeps.is_empty() || beside.runs.iter().any(Option::is_some) {
        return sweeps.to_owned();
    }
    let mut algorithms: Vec<&str> = Vec::new();
    for record in records {
        if !algorithms.contains(&record.algorithm.as_str()) {
            algorithms.push(&record.algorithm);
        }
    }
    with_plot(sweeps, &algorithms, &options)
}

fn with_plot(sweeps: &str, algorithms: &[&str], options: &[String]) -> String {
    let files = algorithms.iter().map(|name| super::quoted(&format!("{name}.jsonl")));
    let picture = super::quoted(&format!("{}.png", algorithms.join("-")));
    let mut words = vec!["warpscope plot".to_owned()];
    words.extend(files);
    words.extend(options.iter().cloned());
    words.push(format!("-o {picture}"));
    format!("{sweeps}\n{}", words.join(" "))
}

/// What the command line calls a value.
fn value<T: ValueEnum>(of: &T) -> String {
    of.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// The baseline as a field and its value. A curve is one if no other curve has the value,
/// so that every case has it as its counterpart.
fn field(baseline: &Baseline, records: &[Record], choice: Choice) -> Option<(String, String)> {
    let curve = match baseline {
        Baseline::Field { key, value } => return Some((key.clone(), value.clone())),
        Baseline::Curve(curve) => curve,
    };
    let along = match choice.x {
        XAxis::N => "n",
        XAxis::Block => "block",
        XAxis::Coarsen => "coarsen",
    };
    let keys = ["variant", "block", "coarsen", "dist", "seed", "device"].into_iter();
    let keys = keys.chain(curve.of.params.keys().map(String::as_str)).filter(|key| *key != along);
    let differs = |key: &&str| {
        records.iter().any(|record| pairs::field(record, key) != pairs::field(&curve.of, key))
    };
    let [key] = keys.filter(differs).collect::<Vec<_>>()[..] else { return None };
    let value = pairs::field(&curve.of, key)?;
    let on_curve = |record: &Record| curve.has(record, curve.run.as_ref(), choice.x);
    let has = |record: &&Record| pairs::field(record, key).as_ref() == Some(&value);
    records.iter().filter(has).all(on_curve).then(|| (key.to_owned(), value))
}
