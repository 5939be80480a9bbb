//! Emulates the very cases of recordings, as the program would: all blocks, or a
//! sample where it would take one. A line of JSON per case, with what was measured.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use serde_json::{Value, json};
use warpscope::algorithms::{self, sampling};
use warpscope::backend::Backend;
use warpscope::backend::emulated::Emulated;
use warpscope::gpu;
use warpscope::results::record::{Provenance, Record};
use warpscope::work::Sampling;

use crate::facts;

/// Writes the cases of `files` that issue no more than about `budget` warp
/// instructions, have n up to `most` and are not among those `known`.
pub(crate) fn run(
    files: &[String],
    budget: u64,
    most: u64,
    known: &[String],
    out: &mut impl Write,
) {
    let mut emulator = Emulated::open(Some(gpu::DEFAULT_GPU)).unwrap().keeping();
    let known: HashSet<String> = known
        .iter()
        .flat_map(|file| std::fs::read_to_string(file).unwrap().lines().map(id).collect::<Vec<_>>())
        .collect();
    // Per line of a chart: n and warp instructions of its last case.
    let mut spent: HashMap<String, (u64, u64)> = HashMap::new();
    for file in files {
        // Recordings are split into what is fitted to and what is not; other files are
        // not fitted to at all.
        let fresh = !file.ends_with("_h200.jsonl") || file.contains("fresh");
        let mut records = warpscope::results::store::read(file).unwrap();
        records.retain(|record| {
            record.provenance != Provenance::Modelled
                && record.median().is_some()
                && record.n <= most
        });
        records.sort_by_key(|record| record.n);
        for record in records {
            let line = format!(
                "{} {} {} {} {:?}",
                record.algorithm, record.variant, record.block, record.coarsen, record.params
            );
            let about = about(&record);
            if known.contains(&about.to_string()) {
                continue;
            }
            let algorithm = algorithms::find(&record.algorithm).unwrap();
            let case = record.case();
            let work = algorithm.work(&case);
            let allowed = algorithm.sampling(&case);
            let many = algorithm.operations(&case) > sampling::MANY_OPERATIONS;
            let sampled = many && !matches!(allowed, Sampling::Refused(_));
            // The cost grows at least as n does.
            if !sampled
                && let Some(&(n, cost)) = spent.get(&line)
                && cost as f64 * record.n as f64 / n as f64 > budget as f64
            {
                continue;
            }
            let start = std::time::Instant::now();
            let sample = if sampled {
                emulator.run_sampled(&work, &allowed).unwrap()
            } else {
                let prepared = emulator.prepare(&work, &algorithm.inputs(&case)).unwrap();
                let sample = emulator.sample(prepared).unwrap();
                emulator.release(prepared);
                sample
            };
            let seen = emulator.take_seen();
            let cost = seen.iter().map(|seen| seen.outcome.counters.warp_instructions).sum();
            spent.insert(line, (record.n, cost));
            let phases: Vec<Value> = record
                .phases
                .iter()
                .map(|phase| json!([phase.name, phase.kind.name(), phase.seconds]))
                .collect();
            let launches: Vec<Value> = seen.iter().map(facts::write).collect();
            let line = json!({
                "case": about, "seconds": record.median(), "sampled": sampled, "fresh": fresh,
                "wall": start.elapsed().as_secs_f64(), "emulated": sample.wall,
                "phases": phases, "launches": launches,
            });
            writeln!(out, "{line}").unwrap();
            out.flush().unwrap();
        }
    }
}

/// What identifies a case.
fn about(record: &Record) -> Value {
    json!({
        "algorithm": record.algorithm, "variant": record.variant, "block": record.block,
        "coarsen": record.coarsen, "n": record.n, "params": record.params,
    })
}

/// The same of a line written earlier.
fn id(line: &str) -> String {
    let value: Value = serde_json::from_str(line).unwrap();
    value["case"].to_string()
}
