//! The result of a launch, as text and as JSON.

mod lines;

use std::io::IsTerminal;

use serde_json::{Value, json};

use super::{Extent, Report, Sampled};
use crate::analysis::explain::times_without;
use crate::emulator::{Kernel, Outcome};
use crate::units::{Seconds, significant};
use crate::work::TrapKind;

/// The counters, if they are meaningful.
fn counts<'r>(report: &'r Report) -> Option<(&'r Kernel, &'r Outcome)> {
    counted(report)?;
    report.emulated.as_ref().map(|(kernel, outcome, _)| (*kernel, outcome))
}

/// The scope of the counters; none if there are no counters.
fn counted(report: &Report) -> Option<&'static str> {
    let (_, _, counted) = report.emulated.as_ref()?;
    match (&report.trap, &report.sampled) {
        (None, Sampled::All(_)) => Some("exact"),
        (None, Sampled::Some(..)) => Some("scaled from a sample of the blocks"),
        (None, Sampled::First(..)) => Some("scaled from the first blocks"),
        (Some(_), _) if *counted => Some("up to the trap"),
        _ => None,
    }
}

/// The 95 % confidence interval of the predicted time, as far as the sample leaves it open:
/// how much the work of its blocks differs.
fn interval(report: &Report) -> Option<[f64; 2]> {
    let (model, (_, outcome, _)) = (report.model.as_ref()?, report.emulated.as_ref()?);
    let sampled = !matches!(report.sampled, Sampled::All(_));
    let around = |part: f64| model.prediction.seconds * (1.0 + part).max(0.0);
    sampled.then(|| [around(-outcome.left_open), around(outcome.left_open)])
}

/// Why there are no counters.
fn not_counted(report: &Report) -> Option<&'static str> {
    if counted(report).is_some() {
        return None;
    }
    match &report.trap {
        _ if report.emulated.is_none() => Some("a GPU run has no counters"),
        Some(trap) if trap.kind == TrapKind::LaunchFailed => Some("nothing ran"),
        _ => Some("other host threads ran later blocks; --threads 1 counts up to the trap"),
    }
}

/// One JSON object.
pub(super) fn json(report: &Report) -> Value {
    let mut object = json!({
        "trap": report.trap,
        "seconds_wall": report.seconds_wall,
        "counters": counted(report).and(report.emulated.as_ref())
            .map(|(_, outcome, _)| outcome.counters.named()),
        "counters_are": counted(report).or_else(|| not_counted(report)),
        "model": report.model.as_ref().map(|model| json!({
            "gpu": model.profile.name,
            "seconds": model.prediction.seconds,
            "bound_by": model.prediction.bound_by,
            "parts": model.prediction.parts,
            "occupancy": model.prediction.occupancy,
            "occupancy_limit": model.prediction.occupancy_limit,
            "registers": model.registers,
            "validated": model.profile.validated,
            "extrapolated": model.prediction.extrapolated,
            "sampled": !matches!(report.sampled, Sampled::All(_)),
        })),
        "backend": report.exec.backend,
        "schedule_dependent":
            report.emulated.as_ref().is_some_and(|(_, outcome, _)| outcome.schedule_dependent),
    });
    object["printed"] = json!(String::from_utf8_lossy(&report.printed));
    if let Sampled::Some(ran, all) | Sampled::First(ran, all, _) = report.sampled {
        object["blocks"] = json!({"ran": ran, "of": all});
    }
    if let (Some(model), Some(interval)) = (object.get_mut("model"), interval(report)) {
        model["interval"] = json!(interval);
    }
    if let Some(seconds) = report.seconds_measured {
        object["seconds_measured"] = json!(seconds);
        object["device"] = json!(report.ran_on);
    }
    if let Some((findings, more, limits)) = &report.checked {
        object["findings"] = findings
            .iter()
            .map(|finding| {
                json!({
                    "kind": finding.kind.name(),
                    "file": finding.file,
                    "line": finding.line,
                    "ptx_line": finding.ptx_line,
                    "block": finding.block,
                    "lanes": finding.lanes,
                    "count": finding.count,
                    "other": finding.other.as_ref().map(|(file, line)| json!({"file": file, "line": line})),
                    "message": finding.message,
                })
            })
            .collect();
        object["findings_left_out"] = json!(more);
        object["not_checked"] = json!(limits);
    }
    if let (true, Some((kernel, outcome))) = (report.exec.counters, counts(report)) {
        let path = report.exec.file.display().to_string();
        object["lines"] = lines::json(kernel, outcome, &path);
    }
    object
}

/// Columns before the value of a fact.
const INDENT: usize = 18;

/// A named value. On a terminal, long text wraps between words; elsewhere it stays on
/// one line, for tools that look for lines.
fn fact(page: &mut String, width: Option<usize>, name: &str, text: &str) {
    let first = format!("{name:<INDENT$}");
    let Some(width) = width else {
        page.extend([&first, text, "\n"]);
        return;
    };
    let rest = " ".repeat(INDENT);
    let options = textwrap::Options::new(width.max(INDENT + 20))
        .initial_indent(&first)
        .subsequent_indent(&rest)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    page.extend([textwrap::fill(text, options), "\n".to_owned()]);
}

/// The report as text.
pub(super) fn text(report: &Report) -> String {
    let exec = report.exec;
    let extent = |extent: Extent, noun: &str| {
        let plural = if extent.0 == [1; 3] { "" } else { "s" };
        format!("{} {noun}{plural}", extent.to_string().replace(',', "x"))
    };
    let mut page = format!(
        "{} of {}: {} of {}, on {}\n",
        report.entry,
        exec.file.display(),
        extent(exec.grid, "block"),
        extent(exec.block, "thread"),
        if exec.backend == "cuda" { report.ran_on.clone() } else { "the emulator".to_owned() },
    );
    let width = std::io::stdout().is_terminal().then(crossterm::terminal::size);
    let width = width.and_then(Result::ok).map(|(columns, _)| usize::from(columns));
    let mut fact = |name: &str, value: String| fact(&mut page, width, name, &value);
    match &report.trap {
        Some(trap) => {
            fact("trap", trap.to_string());
            if exec.shared == 0 && trap.message.contains("of shared memory") {
                fact("hint", "--shared BYTES gives a block dynamic shared memory".to_owned());
            }
        }
        None => fact("launch", "completed".to_owned()),
    }
    fact("wall clock", Seconds(report.seconds_wall).to_string());
    if let Some(seconds) = report.seconds_measured {
        fact("kernel time", format!("{}, measured once without warm-up", Seconds(seconds)));
    }
    if let Some(model) = &report.model {
        let prediction = &model.prediction;
        let marked = if model.profile.validated { "" } else { ", unvalidated" };
        fact(
            "predicted",
            format!("{} on {}{marked}", Seconds(prediction.seconds), model.profile.name),
        );
        for (cause, times) in times_without(&prediction.launches) {
            fact("without", format!("{cause}: {times}"));
        }
        if !prediction.extrapolated.is_empty() {
            let what = prediction.extrapolated.join(", ");
            fact("low confidence", what);
        }
        let from = match model.registers.from {
            "estimate" => "ESTIMATED: there is no ptxas, or it fails; --regs overrides",
            from => from,
        };
        fact("registers", format!("{} per thread ({from})", model.registers.count));
        let percent = significant(prediction.occupancy * 100.0);
        fact("occupancy", format!("{percent} %, limited by {}", prediction.occupancy_limit));
        match report.sampled {
            Sampled::Some(ran, all) => {
                let open = interval(report).map(|[low, high]| {
                    format!("; 95 % interval: {} to {}", Seconds(low), Seconds(high))
                });
                let open = open.unwrap_or_default();
                fact("sampled", format!("yes: {ran} of {all} blocks ran; counts are scaled{open}"));
            }
            Sampled::First(ran, all, why) => {
                let open = interval(report)
                    .map(|[low, high]| format!("; between {} and {}", Seconds(low), Seconds(high)));
                let open = open.unwrap_or_default();
                fact(
                    "sampled",
                    format!(
                        "yes: the first {ran} of {all} blocks ran ({why}); counts are scaled{open}"
                    ),
                );
            }
            Sampled::All(None) if exec.predict => {
                fact("sampled", "no: all blocks ran, counters are exact".to_owned());
            }
            Sampled::All(Some(why)) => fact("sampled", format!("no, all blocks ran: {why}")),
            Sampled::All(None) => {}
        }
    }
    if let Some((findings, more, limits)) = &report.checked {
        let count = findings.len() + more;
        let what = match count {
            0 => "no findings".to_owned(),
            1 => "1 finding".to_owned(),
            _ => format!("{count} findings"),
        };
        fact("check", what);
        for limit in limits {
            fact("not checked", limit.clone());
        }
        for finding in findings {
            let [x, y, z] = finding.block;
            let threads = match finding.lanes.as_slice() {
                [] => String::new(),
                [only] => format!(", thread {only}"),
                [first, .., last] => {
                    format!(", {} threads from {first} to {last}", finding.lanes.len())
                }
            };
            fact(
                finding.kind.name(),
                format!(
                    "{}:{}, block ({x}, {y}, {z}){threads} (in all {}): {}",
                    finding.file, finding.line, finding.count, finding.message
                ),
            );
        }
    }
    for dump in &exec.dump {
        fact("dump", format!("argument {} to {}", dump.argument, dump.file.display()));
    }
    if let (true, Some(why)) = (exec.counters, not_counted(report)) {
        page.push_str(&format!("\ncounters: none; {why}\n"));
    }
    if let (true, Some((kernel, outcome))) = (exec.counters, counts(report)) {
        page.push_str(&format!("\ncounters ({})\n", counted(report).unwrap_or_default()));
        for (name, value) in outcome.counters.named().into_iter().filter(|(_, value)| *value > 0) {
            page.push_str(&format!("  {name:<26}{value:>20}\n"));
        }
        page.push_str(&format!("  {:<26}{:>20}\n", "all others", 0));
        let name = exec.file.file_name().unwrap_or(exec.file.as_os_str()).to_string_lossy();
        lines::table(&mut page, kernel, outcome, &name);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_facts_are_broken_between_words() {
        let shown = |width, text: &str| {
            let mut page = String::new();
            fact(&mut page, width, "name", text);
            page
        };
        let text = "one two-three averyveryverylongword";
        assert_eq!(shown(None, text), format!("{:<18}{text}\n", "name"));
        let under = format!("{:<18}one two-three\n{:18}averyveryverylongword\n", "name", "");
        assert_eq!(shown(Some(0), text), under);
    }
}
