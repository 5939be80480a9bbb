//! Emulates the very cases of recordings, and writes what the timing model sees
//! of each launch beside what was measured: a line of JSON per case.
//!
//!     timing RECORDING… [--budget WARP_INSTRUCTIONS] [--threads COUNT] > FILE
//!
//! Cases that would issue more warp instructions than the budget are left out.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use serde_json::{Value, json};
use warpscope::algorithms;
use warpscope::emulator::{self, Kernel, Memory, Options, Outcome};
use warpscope::gpu::{self, Geometry, History, Profile};
use warpscope::launch::{Buffer, HostBuffer, Init, Launch, Step};
use warpscope::measurement::{Provenance, Record};

fn main() {
    let mut files = Vec::new();
    let (mut budget, mut threads) = (100_000_000_u64, 1_usize);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().unwrap().parse::<u64>().unwrap();
        match argument.as_str() {
            "--budget" => budget = number(),
            "--threads" => threads = number() as usize,
            "--bench" => {}
            _ => files.push(argument),
        }
    }
    let profile = gpu::find_profile(gpu::DEFAULT_PROFILE).unwrap();
    let mut spent: HashMap<String, (u64, u64)> = HashMap::new();
    let mut kernels = Kernels::default();
    for file in files {
        let mut records = warpscope::store::read(&file).unwrap();
        records.retain(|record| {
            record.provenance != Provenance::Modelled && record.median().is_some()
        });
        records.sort_by_key(|record| record.n);
        for record in records {
            let line = format!(
                "{} {} {} {} {:?}",
                record.algorithm, record.variant, record.block, record.coarsen, record.params
            );
            // The cost grows at least as n does.
            if let Some(&(n, cost)) = spent.get(&line)
                && cost as f64 * record.n as f64 / n as f64 > budget as f64
            {
                continue;
            }
            let Some((launches, cost)) = run(&record, &profile, &mut kernels, threads, budget)
            else {
                spent.insert(line, (record.n, u64::MAX / 2));
                continue;
            };
            spent.insert(line, (record.n, cost));
            let phases: Vec<Value> = record
                .phases
                .iter()
                .map(|phase| json!([phase.name, phase.kind.name(), phase.seconds]))
                .collect();
            let out = json!({
                "algorithm": record.algorithm, "variant": record.variant, "block": record.block,
                "coarsen": record.coarsen, "n": record.n, "params": record.params,
                "seconds": record.median(), "taken": record.seconds.as_ref().map(|s| s.taken),
                "phases": phases, "launches": launches,
            });
            let mut stdout = std::io::stdout().lock();
            writeln!(stdout, "{out}").unwrap();
        }
    }
}

#[derive(Default)]
struct Kernels(HashMap<(&'static str, String), Kernel>);

/// What each launch of a case did, and warp instructions in all.
fn run(
    record: &Record,
    profile: &Profile,
    kernels: &mut Kernels,
    threads: usize,
    budget: u64,
) -> Option<(Vec<Value>, u64)> {
    let case = record.case();
    let algorithm = algorithms::find(&case.algorithm)?;
    let work = algorithm.work(&case);
    let inputs = algorithm.inputs(&case);
    let mut memory = Memory::new();
    let mut buffers: Vec<(Buffer, u64)> = Vec::new();
    for buffer in &work.buffers {
        let address = memory.allocate(buffer.bytes());
        match (buffer.init, buffer.given(&inputs).unwrap()) {
            (Init::Filled { word, .. }, _) => {
                memory.write_u32(address, &vec![word; (buffer.bytes() / 4) as usize]);
            }
            (_, Some(input)) => memory.write_u32(address, &input.words()),
            (_, None) => {}
        }
        buffers.push((*buffer, address));
    }
    let address = |index: usize| buffers.get(index).map(|(_, address)| *address);
    let mut launches = Vec::new();
    let mut history = History::default();
    let mut cost = 0;
    for step in &work.steps {
        let launch = match step {
            Step::Launch(launch) => launch,
            Step::Host(stage) => {
                let (from, at) = buffers[stage.from];
                let from = HostBuffer::from_words(from.element, memory.read_u32(at));
                let (to, at) = buffers[stage.to];
                memory.write_u32(at, &stage.answer(&from, &to).unwrap().words());
                launches.push(json!({"host": stage.phase}));
                continue;
            }
        };
        let key = (work.module.name, launch.kernel.clone());
        let kernel = kernels.0.entry(key).or_insert_with(|| {
            emulator::load(work.module.ptx, work.module.path, &launch.kernel).unwrap()
        });
        let resources = work.module.resources(&launch.kernel, profile.compute_capability)?;
        let geometry = Geometry::new(launch, resources);
        let args: Vec<u64> = launch.args.iter().map(|arg| arg.word(address).unwrap()).collect();
        let options = Options {
            threads,
            launch_budget: budget.saturating_sub(cost),
            courses: Some(gpu::L1_BYTES),
            ..Options::default()
        };
        let outcome = emulator::launch(
            kernel,
            launch.grid,
            launch.block,
            launch.shared_bytes,
            &args,
            &memory,
            options,
        )
        .ok()?;
        cost += outcome.counters.warp_instructions;
        launches.push(facts(launch, &geometry, &outcome, profile, &mut history));
    }
    Some((launches, cost))
}

/// All that the model may look at.
fn facts(
    launch: &Launch,
    geometry: &Geometry,
    outcome: &Outcome,
    profile: &Profile,
    history: &mut History,
) -> Value {
    let counters: BTreeMap<String, u64> =
        outcome.counters.named().into_iter().filter(|(_, value)| *value != 0).collect();
    let prediction = gpu::predict_next(history, outcome, geometry, profile);
    let courses: Vec<Value> = outcome
        .courses
        .iter()
        .map(|course| {
            json!({
                "block": course.block, "chain": course.chain.waits, "average": course.average.waits,
                "code": course.code, "sectors": course.sectors, "distinct": course.distinct,
                "instructions": course.instructions,
            })
        })
        .collect();
    let touched: Vec<Value> = outcome
        .touched
        .iter()
        .map(|touched| json!([touched.bytes, touched.loads, touched.stores, touched.atomics]))
        .collect();
    json!({
        "phase": launch.phase, "kernel": launch.kernel,
        "blocks": geometry.blocks, "threads": geometry.threads,
        "registers": geometry.resources.registers, "stack": geometry.resources.stack,
        "shared": geometry.resources.static_shared + geometry.dynamic_shared,
        "counters": counters, "mix": outcome.mix, "courses": courses, "touched": touched,
        "reads_others": outcome.reads_others,
        "seconds": prediction.seconds, "parts": prediction.parts, "bound_by": prediction.bound_by,
    })
}
