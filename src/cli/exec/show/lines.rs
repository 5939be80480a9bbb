//! What each source line did.

use std::collections::BTreeMap;

use crate::emulator::{AccessKind, InstructionCount, Kernel, Outcome};

/// What one source line did.
#[derive(Default)]
pub(super) struct Line {
    pub(super) warps: u64,
    pub(super) lanes: u64,
    pub(super) global: [(u64, u64); 3],
    pub(super) wavefronts: u64,
    pub(super) conflicts: u64,
    pub(super) diverged: u64,
    pub(super) barriers: u64,
}

/// Counts by file and line: the CUDA source where `.loc` names it, else the PTX.
pub(super) fn lines(
    kernel: &Kernel,
    outcome: &Outcome,
    path: &str,
) -> BTreeMap<(String, u32), Line> {
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

/// A table of them, with the columns in which anything happened.
pub(super) fn table(page: &mut String, kernel: &Kernel, outcome: &Outcome, path: &str) {
    let lines = lines(kernel, outcome, path);
    let number = |value: u64| if value == 0 { "-".to_owned() } else { value.to_string() };
    let mut rows: Vec<Vec<String>> = vec![
        [
            "line",
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
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for ((file, place), line) in &lines {
        let lanes = if line.warps == 0 { 0.0 } else { line.lanes as f64 / line.warps as f64 };
        let [load, store, atomic] = line.global;
        let mut row =
            vec![format!("{file}:{place}"), line.warps.to_string(), format!("{lanes:.1}")];
        row.extend(
            [
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
            ]
            .map(number),
        );
        rows.push(row);
    }
    let columns: Vec<(usize, usize)> = (0..rows[0].len())
        .filter(|&at| at < 3 || rows[1..].iter().any(|row| row[at] != "-"))
        .map(|at| (at, rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0)))
        .collect();
    page.push_str("\nby source line (lanes: active per instruction)\n");
    for row in &rows {
        for &(at, width) in &columns {
            let cell = &row[at];
            match at {
                0 => page.push_str(&format!("  {cell:<width$}")),
                _ => page.push_str(&format!("  {cell:>width$}")),
            }
        }
        page.push('\n');
    }
}
