//! The words around a chart: what it shows and where its numbers come from.

use super::{Choice, Series, Time, XAxis, YAxis};
use crate::results::record::{Outcome, PhaseKind, Provenance, Record};

/// `histogram: kernel time by input size`.
pub(super) fn title(records: &[Record], choice: Choice) -> String {
    let mut names: Vec<&str> = records.iter().map(|record| record.algorithm.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let what = match choice.y {
        YAxis::Time => choice.time.name(),
        YAxis::Throughput => "throughput",
        YAxis::Bandwidth => "bandwidth",
        YAxis::Flops => "arithmetic throughput",
        YAxis::Limit => "share of the device's limit",
        YAxis::Speedup => "speed-up",
    };
    let by = match choice.x {
        XAxis::N => "input size",
        XAxis::Block => "block size",
        XAxis::Coarsen => "coarsening",
    };
    let whose = if names.is_empty() { String::new() } else { format!("{}: ", names.join(", ")) };
    format!("{whose}{what} by {by}")
}

/// A warning if the curves do not all come from the same kind of number.
pub(super) fn mixed(series: &[Series]) -> Option<String> {
    let mut kinds: Vec<_> = series.iter().map(|series| series.provenance).collect();
    kinds.sort();
    kinds.dedup();
    (kinds.len() > 1).then(|| {
        let words: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        format!("mixes {} numbers", words.join(" and "))
    })
}

/// Provenance and device of everything shown, and what is not shown.
pub(super) fn caption(
    records: &[Record],
    series: &[Series],
    mixed: Option<String>,
    time: Time,
) -> String {
    let mut parts: Vec<String> = mixed.into_iter().collect();
    for curve in series {
        let driver = curve
            .points
            .first()
            .and_then(|point| records.get(point.record)?.device.driver.as_deref())
            .map_or_else(String::new, |driver| format!(" · driver {driver}"));
        let source = format!("{}{driver}", curve.provenance_label);
        if !parts.contains(&source) {
            parts.push(source);
        }
    }
    // A time of the CPU that emulated is none of the modelled GPU's.
    let on_host = |record: &Record| {
        record.provenance == Provenance::Modelled
            && record.phases.iter().any(|phase| phase.kind == PhaseKind::Host)
    };
    if time == Time::EndToEnd && records.iter().any(on_host) {
        parts.push("host stages timed on the CPU that emulated".to_owned());
    }
    parts.extend(without_time(&records.iter().collect::<Vec<_>>()));
    parts.join("; ")
}

/// How many cases were skipped, wrong or failed, if any.
pub(super) fn without_time(records: &[&Record]) -> Option<String> {
    let count = |outcome| records.iter().filter(|record| record.outcome() == outcome).count();
    let (wrong, failed) = (count(Outcome::Wrong), count(Outcome::Failed));
    let counts = [(count(Outcome::Skipped), "skipped"), (wrong, "WRONG"), (failed, "FAILED")];
    let some = counts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = some.map(|(count, word)| format!("{count} {word}")).collect();
    let drawn = if wrong + failed > 0 { ", not drawn" } else { "" };
    (!parts.is_empty()).then(|| format!("{}{drawn}", parts.join(", ")))
}
