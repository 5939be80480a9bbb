//! What the timing model sees of a launch, as JSON and back, so that a case is
//! emulated once and predicted as often as the model changes.

use serde_json::{Value, json};
use warpscope::backend::emulated::Seen;
use warpscope::emulator::{Counters, HandOffs, Outcome, Swaps, Timeline, Touched};
use warpscope::gpu::Geometry;
use warpscope::work::Resources;

/// One launch as a value.
pub(crate) fn write(seen: &Seen) -> Value {
    let Seen { phase, kernel, geometry, outcome } = seen;
    let counters: serde_json::Map<String, Value> = outcome
        .counters
        .named()
        .into_iter()
        .filter(|(_, value)| *value != 0)
        .map(|(name, value)| (name, value.into()))
        .collect();
    let timelines: Vec<Value> = outcome
        .timelines
        .iter()
        .map(|timeline| {
            json!({
                "block": timeline.block, "others": timeline.others, "chain": timeline.critical_path.waits,
                "average": timeline.average.waits, "code": timeline.code,
                "sectors": timeline.sectors, "distinct": timeline.distinct,
                "instructions": timeline.instructions, "lines": timeline.lines,
                "stored": timeline.stored, "partial": timeline.partial,
                "joined": timeline.joined,
                "local": timeline.local, "passes": timeline.passes,
                "constant_passes": timeline.constant_reads.0,
                "constant_misses": timeline.constant_reads.1,
                "wide_divisions": timeline.wide_divisions, "slow_ways": timeline.slow_ways,
                "widened": timeline.widened,
                "scattered": timeline.scattered, "span": timeline.span,
                "updated": timeline.updated, "torn": timeline.torn, "fetched": timeline.fetched,
                "pieces": timeline.pieces, "local_again": timeline.local_again,
                "crowded": timeline.crowded, "lopsided": timeline.lopsided,
                "before": timeline.before,
            })
        })
        .collect();
    let touched: Vec<Value> = outcome
        .touched
        .iter()
        .map(|it| json!([it.bytes, it.loads, it.stores, it.atomics]))
        .collect();
    json!({
        "phase": phase, "kernel": kernel,
        "blocks": geometry.blocks, "threads": geometry.threads,
        "registers": geometry.resources.registers, "stack": geometry.resources.stack,
        "static_shared": geometry.resources.static_shared,
        "dynamic_shared": geometry.dynamic_shared,
        "counters": counters, "mix": outcome.mix, "issued": outcome.issued,
        "joined_passes": outcome.joined_passes, "courses": timelines, "touched": touched,
        "chunks": outcome.atomic_chunks, "bunching": outcome.bunching, "awaits_others": outcome.awaits_others,
        "awaits_warps": outcome.awaits_warps,
        "hand_offs": [
            outcome.hand_offs.longest, outcome.hand_offs.waits, outcome.hand_offs.at_a_word,
            outcome.hand_offs.at_a_time, u64::from(outcome.hand_offs.looks_back),
        ],
        "path": outcome.hand_offs.path.waits,
        "recurses": outcome.recurses,
        "heaviest": outcome.heaviest, "uneven": outcome.uneven, "float_sums": outcome.float_sums, "swaps": [
            outcome.swaps.all, outcome.swaps.updates, outcome.swaps.tries, outcome.swaps.locks,
            outcome.swaps.words,
        ],
        "schedule_dependent": outcome.schedule_dependent,
        "takes_turns": outcome.takes_turns,
    })
}

/// The launch that a value describes, as far as the model looks at it.
pub(crate) fn read(value: &Value) -> (Geometry, Outcome) {
    let number = |name: &str| value[name].as_u64().unwrap();
    let geometry = Geometry {
        blocks: number("blocks"),
        threads: number("threads") as u32,
        resources: Resources {
            registers: number("registers") as u32,
            static_shared: number("static_shared") as u32,
            stack: number("stack") as u32,
            estimated: false,
        },
        dynamic_shared: number("dynamic_shared") as u32,
    };
    let outcome = Outcome {
        counters: counters(&value["counters"]),
        mix: list(&value["mix"]).try_into().unwrap(),
        heaviest: value["heaviest"].as_u64().unwrap_or_default(),
        uneven: value["uneven"].as_f64().unwrap_or_default(),
        float_sums: {
            let of = |at: usize| value["float_sums"][at].as_u64().unwrap_or_default();
            (of(0), of(1))
        },
        issued: list(&value["issued"]).try_into().unwrap(),
        joined_passes: value["joined_passes"].as_u64().unwrap_or_default(),
        timelines: value["courses"].as_array().unwrap().iter().map(timeline).collect(),
        touched: value["touched"].as_array().unwrap().iter().map(touched).collect(),
        atomic_chunks: value["chunks"].as_array().unwrap().iter().map(whole).collect(),
        bunching: value["bunching"].as_f64().unwrap_or_default(),
        awaits_others: value["awaits_others"].as_bool().unwrap(),
        awaits_warps: value["awaits_warps"] == true,
        hand_offs: hand_offs(value),
        recurses: value["recurses"] == true,
        swaps: {
            let of = |at: usize| value["swaps"][at].as_u64().unwrap_or_default();
            Swaps { all: of(0), updates: of(1), tries: of(2), locks: of(3), words: of(4) }
        },
        schedule_dependent: value["schedule_dependent"].as_bool().unwrap_or_default(),
        takes_turns: value["takes_turns"].as_bool().unwrap_or_default(),
        ..Outcome::default()
    };
    (geometry, outcome)
}

fn hand_offs(value: &Value) -> HandOffs {
    let of = |at: usize| value["hand_offs"][at].as_u64().unwrap_or_default();
    let [longest, waits, at_a_word, at_a_time, looks_back] = [0, 1, 2, 3, 4].map(of);
    let looks_back = looks_back != 0;
    let mut found =
        HandOffs { longest, waits, at_a_word, at_a_time, looks_back, ..HandOffs::default() };
    for (wait, times) in found.path.waits.iter_mut().zip(list(&value["path"])) {
        *wait = times as f32;
    }
    found
}

fn list(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|each| each.as_f64().unwrap()).collect()
}

fn whole(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|each| each.as_u64().unwrap()).collect()
}

fn timeline(value: &Value) -> Timeline {
    let number = |name: &str| value[name].as_u64().unwrap();
    let pair = |name: &str| (value[name][0].as_u64().unwrap(), value[name][1].as_u64().unwrap());
    let mut timeline = Timeline {
        block: number("block"),
        code: number("code") as u32,
        sectors: pair("sectors"),
        distinct: number("distinct"),
        instructions: number("instructions"),
        lines: number("lines"),
        partial: number("partial"),
        joined: value["joined"].as_u64().unwrap_or_default(),
        stored: pair("stored"),
        local: pair("local"),
        passes: pair("passes"),
        constant_reads: (
            number("constant_passes"),
            // Older counts have none.
            value["constant_misses"].as_u64().unwrap_or_default(),
        ),
        wide_divisions: value["wide_divisions"].as_u64().unwrap_or_default(),
        slow_ways: value["slow_ways"].as_u64().unwrap_or_default(),
        widened: if value["widened"].is_array() { pair("widened") } else { (0, 0) },
        scattered: pair("scattered"),
        span: number("span"),
        updated: pair("updated"),
        torn: number("torn"),
        fetched: pair("fetched"),
        pieces: value["pieces"].as_u64().unwrap_or_default(),
        local_again: pair("local_again"),
        crowded: value["crowded"].as_f64().unwrap_or_default() as f32,
        lopsided: value["lopsided"].as_f64().unwrap_or_default() as f32,
        others: value["others"].as_f64().unwrap_or_default(),
        before: value["before"].as_f64().unwrap_or_default() as f32,
        ..Timeline::default()
    };
    for (chain, name) in
        [(&mut timeline.critical_path, "chain"), (&mut timeline.average, "average")]
    {
        for (wait, times) in chain.waits.iter_mut().zip(list(&value[name])) {
            *wait = times as f32;
        }
    }
    timeline
}

fn touched(value: &Value) -> Touched {
    let each = whole(value);
    Touched { bytes: each[0], loads: each[1], stores: each[2], atomics: each[3] }
}

fn counters(value: &Value) -> Counters {
    macro_rules! each {
        ($($name:ident)*) => {
            // Without `..`: a new counter has to be named here.
            Counters { $($name: value[stringify!($name)].as_u64().unwrap_or_default()),* }
        };
    }
    each! {
        warp_instructions thread_instructions divisions
        global_load_requests global_load_sectors global_store_requests global_store_sectors
        global_atomic_requests global_atomic_sectors global_atomic_lanes
        global_atomic_addresses global_atomic_depth global_atomic_passes hottest_chunk_passes
        shared_load_requests shared_load_wavefronts shared_store_requests
        shared_store_wavefronts shared_bank_conflicts shared_atomic_requests
        shared_atomic_wavefronts local_load_requests local_load_sectors local_store_requests
        local_store_sectors divergent_branches barriers
    }
}
