//! What a launch gave, in words and as JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Report;
use crate::emulator::{AccessKind, InstructionCount, Kernel, Outcome};
use crate::units::{Seconds, significant};

/// What one source line did.
#[derive(Default)]
struct Line {
    warps: u64,
    lanes: u64,
    global: [(u64, u64); 3],
    wavefronts: u64,
    conflicts: u64,
    diverged: u64,
    barriers: u64,
}

/// Counts by file and line: the CUDA source where `.loc` names it, else the PTX.
fn lines(kernel: &Kernel, outcome: &Outcome, path: &str) -> BTreeMap<(String, u32), Line> {
    let mut lines: BTreeMap<(String, u32), Line> = BTreeMap::new();
    for (index, count) in outcome.instructions.iter().enumerate() {
        let Some(place) = kernel.instruction(index) else { continue };
        let key = place.source.map_or_else(
            || (path.to_owned(), place.ptx_line),
            |(file, line)| (file.to_owned(), line),
        );
        add(lines.entry(key).or_default(), count);
    }
    lines
}

fn add(line: &mut Line, count: &InstructionCount) {
    line.warps += count.warps;
    line.lanes += count.lanes;
    let way = match count.access {
        AccessKind::Store => 1,
        AccessKind::Atomic => 2,
        AccessKind::Load | AccessKind::None => 0,
    };
    line.global[way].0 += count.global_requests;
    line.global[way].1 += count.global_sectors;
    line.wavefronts += count.shared_wavefronts;
    line.conflicts += count.bank_conflicts;
    line.diverged += count.divergent_branches;
    line.barriers += count.barriers;
}

/// One object, as the documentation of `exec` lists its keys.
pub(super) fn json(report: &Report) -> Value {
    let mut object = json!({
        "trap": report.trap,
        "seconds_wall": report.seconds_wall,
        "counters": report.emulated.as_ref().map(|(_, outcome)| outcome.counters.named()),
        "model": report.model.as_ref().map(|model| json!({
            "gpu": model.profile.name,
            "seconds": model.prediction.seconds,
            "bound_by": model.prediction.bound_by,
            "parts": model.prediction.parts,
            "occupancy": model.prediction.occupancy,
            "occupancy_limit": model.prediction.occupancy_limit,
            "registers": model.registers,
            "validated": model.profile.validated,
            "sampled": false,
        })),
        "backend": report.exec.backend,
        "schedule_dependent":
            report.emulated.as_ref().is_some_and(|(_, outcome)| outcome.schedule_dependent),
    });
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
    if let (true, Some((kernel, outcome))) = (report.exec.counters, &report.emulated) {
        let path = report.exec.file.display().to_string();
        object["lines"] = lines(kernel, outcome, &path)
            .into_iter()
            .map(|((file, number), line)| {
                json!({
                    "file": file,
                    "line": number,
                    "warp_instructions": line.warps,
                    "thread_instructions": line.lanes,
                    "global_load_requests": line.global[0].0,
                    "global_load_sectors": line.global[0].1,
                    "global_store_requests": line.global[1].0,
                    "global_store_sectors": line.global[1].1,
                    "global_atomic_requests": line.global[2].0,
                    "global_atomic_sectors": line.global[2].1,
                    "shared_wavefronts": line.wavefronts,
                    "shared_bank_conflicts": line.conflicts,
                    "divergent_branches": line.diverged,
                    "barriers": line.barriers,
                })
            })
            .collect();
    }
    object
}

/// The same, for reading.
pub(super) fn text(report: &Report) -> String {
    let exec = report.exec;
    let extent = |[x, y, z]: [u32; 3]| match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("{x}x{y}"),
        _ => format!("{x}x{y}x{z}"),
    };
    let mut page = format!(
        "{} of {}: {} blocks of {} threads, on {}\n",
        report.entry,
        exec.file.display(),
        extent(exec.grid.0),
        extent(exec.block.0),
        if exec.backend == "cuda" { report.ran_on.clone() } else { "the emulator".to_owned() },
    );
    let mut fact = |name: &str, value: String| page.push_str(&format!("{name:<18}{value}\n"));
    match &report.trap {
        Some(trap) => fact("trap", trap.to_string()),
        None => fact("launch", "ran to its end".to_owned()),
    }
    fact("wall clock", Seconds(report.seconds_wall).to_string());
    if let Some(seconds) = report.seconds_measured {
        fact("kernel time", format!("{}, measured once, cold", Seconds(seconds)));
    }
    if let Some(model) = &report.model {
        let prediction = &model.prediction;
        let marked = if model.profile.validated { "" } else { ", unvalidated" };
        fact(
            "predicted",
            format!(
                "{} on {}, bound by {}{marked}",
                Seconds(prediction.seconds),
                model.profile.name,
                prediction.bound_by
            ),
        );
        let from = match model.registers.from {
            "estimate" => "ESTIMATED, no ptxas on the PATH that assembles it; --regs overrides",
            from => from,
        };
        fact("registers", format!("{} per thread ({from})", model.registers.count));
        let percent = significant(prediction.occupancy * 100.0);
        fact("occupancy", format!("{percent} %, limited by {}", prediction.occupancy_limit));
        if exec.predict {
            fact("sampled", "no: every block ran, all counters are exact".to_owned());
        }
    }
    if let Some((findings, more, limits)) = &report.checked {
        let count = findings.len() + more;
        let what = match count {
            0 => "nothing wrong found".to_owned(),
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
    if let (true, Some((kernel, outcome))) = (exec.counters, &report.emulated) {
        page.push_str("\ncounters (exact)\n");
        for (name, value) in outcome.counters.named() {
            page.push_str(&format!("  {name:<26}{value:>16}\n"));
        }
        table(&mut page, kernel, outcome, &exec.file.display().to_string());
    }
    page
}

fn table(page: &mut String, kernel: &Kernel, outcome: &Outcome, path: &str) {
    let lines = lines(kernel, outcome, path);
    let place = |(file, line): &(String, u32)| format!("{file}:{line}");
    let width = lines.keys().map(|key| place(key).len()).max().unwrap_or(0).max(4);
    let columns = [
        "warp instr",
        "lanes",
        "ld req",
        "ld sect",
        "st req",
        "st sect",
        "atom req",
        "atom sect",
        "sh wavef",
        "conflicts",
        "diverged",
        "barriers",
    ];
    page.push_str(&format!("\nby source line\n  {:<width$}", "line"));
    for column in columns {
        page.push_str(&format!("{column:>11}"));
    }
    page.push('\n');
    for (key, line) in &lines {
        let lanes = if line.warps == 0 { 0.0 } else { line.lanes as f64 / line.warps as f64 };
        page.push_str(&format!("  {:<width$}{:>11}{lanes:>11.1}", place(key), line.warps));
        let [load, store, atomic] = line.global;
        for value in [
            load.0,
            load.1,
            store.0,
            store.1,
            atomic.0,
            atomic.1,
            line.wavefronts,
            line.conflicts,
            line.diverged,
            line.barriers,
        ] {
            let text = if value == 0 { "-".to_owned() } else { value.to_string() };
            page.push_str(&format!("{text:>11}"));
        }
        page.push('\n');
    }
}
