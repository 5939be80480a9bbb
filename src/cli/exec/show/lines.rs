//! Counts by source line.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::emulator::{AccessKind, InstructionCount, Kernel, Outcome};

/// The counts of a line: their names in JSON and the headings of their columns.
const COUNTS: [(&str, &str); 12] = [
    ("warp_instructions", "warp instr"),
    ("thread_instructions", "lanes"),
    ("global_load_requests", "ld req"),
    ("global_load_sectors", "ld sect"),
    ("global_store_requests", "st req"),
    ("global_store_sectors", "st sect"),
    ("global_atomic_requests", "atom req"),
    ("global_atomic_sectors", "atom sect"),
    ("shared_wavefronts", "sh wavef"),
    ("shared_bank_conflicts", "conflicts"),
    ("divergent_branches", "diverged"),
    ("barriers", "barriers"),
];

type Line = [u64; COUNTS.len()];

/// Counts by file and line: the CUDA source where `.loc` names it, else the PTX.
fn lines(kernel: &Kernel, outcome: &Outcome, path: &str) -> BTreeMap<(String, u32), Line> {
    let mut lines: BTreeMap<(String, u32), Line> = BTreeMap::new();
    for (index, count) in outcome.instructions.iter().enumerate() {
        let Some(place) = kernel.instruction(index) else { continue };
        let key = place.source.map_or_else(
            || (path.to_owned(), place.ptx_line),
            |(file, line)| (file.to_owned(), line),
        );
        let line = lines.entry(key).or_default();
        for (sum, count) in line.iter_mut().zip(counts(count)) {
            *sum += count;
        }
    }
    lines
}

fn counts(count: &InstructionCount) -> Line {
    let global = |kinds: &[AccessKind]| {
        let counted = kinds.contains(&count.access);
        [count.global_requests, count.global_sectors].map(|n| if counted { n } else { 0 })
    };
    let [load, load_sectors] = global(&[AccessKind::Load, AccessKind::None]);
    let [store, store_sectors] = global(&[AccessKind::Store]);
    let [atomic, atomic_sectors] = global(&[AccessKind::Atomic]);
    [
        count.warps,
        count.lanes,
        load,
        load_sectors,
        store,
        store_sectors,
        atomic,
        atomic_sectors,
        count.shared_wavefronts,
        count.bank_conflicts,
        count.divergent_branches,
        count.barriers,
    ]
}

/// The lines as JSON objects.
pub(super) fn json(kernel: &Kernel, outcome: &Outcome, path: &str) -> Value {
    let object = |((file, number), line): ((String, u32), Line)| {
        let mut object = Map::new();
        object.insert("file".to_owned(), file.into());
        object.insert("line".to_owned(), number.into());
        object.extend(COUNTS.iter().zip(line).map(|((name, _), n)| ((*name).to_owned(), n.into())));
        Value::Object(object)
    };
    lines(kernel, outcome, path).into_iter().map(object).collect()
}

/// The lines as a table of the columns that are not empty.
pub(super) fn table(page: &mut String, kernel: &Kernel, outcome: &Outcome, path: &str) {
    let heading = |(_, heading): &(_, &str)| (*heading).to_owned();
    let mut rows =
        vec![["line".to_owned()].into_iter().chain(COUNTS.iter().map(heading)).collect()];
    for ((file, number), line) in lines(kernel, outcome, path) {
        let mut row: Vec<String> = vec![format!("{file}:{number}")];
        row.extend(line.map(|n| if n == 0 { "-".to_owned() } else { n.to_string() }));
        // Of the lanes, the average for each warp instruction.
        row[1] = line[0].to_string();
        row[2] = format!("{:.1}", line[1] as f64 / line[0].max(1) as f64);
        rows.push(row);
    }
    let columns: Vec<(usize, usize)> = (0..=COUNTS.len())
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
