//! What one instruction costs beside an `add` of its width, family by family.
//!
//! A launch with many turns of the loop is compared with one of a single turn, so that setting up
//! a launch, which takes the longer the more registers a program has, does not count. Some rows
//! run several instructions: a call brings those of its function with it, a branch what it jumps
//! over. So time is divided by the warp-instructions that were counted.
//!
//! A GPU takes an access in passes where its lanes lie apart, and the emulator counts them. So a
//! second verdict holds a row against as many instructions as it has passes.

use std::time::Duration;

use warpscope_emulator::{Counters, Memory, Module};

use crate::forms::FORMS;
use crate::programs::{ROWS, program};
use crate::{BLOCK, Case, words};

/// Copies of the instruction in the loop, turns of the loop beyond the first.
const COPIES: u32 = 64;
const TURNS: u32 = 64;

/// Launches of which the fastest counts.
const LAUNCHES: u32 = 25;

/// Bytes of the buffer that accesses go to.
const BYTES: u64 = 1 << 17;

fn load(body: &str, copies: u32, turns: u32) -> Result<Case, String> {
    let text = program(body, copies, turns);
    let module = Module::load(&text).map_err(|error| error.to_string())?;
    let kernel = module.kernel("k").map_err(|error| error.to_string())?;
    let mut memory = Memory::new();
    let data = memory.allocate(BYTES);
    memory.write_u32(data, &words(BYTES as usize / 4, 0x1234_5677));
    let output = memory.allocate(4 * u64::from(BLOCK));
    Ok(Case { kernel, memory, grid: 1, block: BLOCK, args: vec![data, output], output })
}

/// What an instruction takes a warp.
#[derive(Clone, Copy)]
struct Cost {
    /// Nanoseconds of one host core.
    ns: f64,
    /// Passes of a GPU through its memory; nothing for what goes elsewhere. Those of constants,
    /// of which it reads one place after the other, are the ones after the first.
    passes: f64,
}

/// Passes through the banks of shared memory; of other memory four sectors, as many as a row of
/// words has, or four passes of atomics at L2.
fn passes(counters: &Counters) -> f64 {
    let Counters { global_load_sectors, global_store_sectors, global_atomic_passes, .. } = counters;
    let sectors = global_load_sectors
        + global_store_sectors
        + global_atomic_passes
        + counters.local_load_sectors
        + counters.local_store_sectors;
    let wavefronts = counters.shared_load_wavefronts
        + counters.shared_store_wavefronts
        + counters.shared_atomic_wavefronts;
    sectors as f64 / 4.0 + wavefronts as f64
}

/// What an instruction of each of `bodies` takes. They take turns, so that a host that is slower
/// for a while is so for both.
fn costs(bodies: [&str; 2]) -> Result<[Cost; 2], String> {
    let [body, other] = bodies;
    let mut cases = Vec::new();
    for (body, copies) in [(body, COPIES), (other, COPIES), ("", 0)] {
        for turns in [TURNS + 1, 1] {
            cases.push(load(body, copies, turns)?);
        }
    }
    let mut fastest = vec![(Duration::MAX, Counters::default()); cases.len()];
    for _ in 0..LAUNCHES {
        for (case, fastest) in cases.iter_mut().zip(&mut fastest) {
            // The first gives memory back that the second gets, as large as it needs it.
            case.launch(1);
            let (took, counters) = case.launch(1);
            *fastest = (took.min(fastest.0), counters);
        }
    }
    // The turns of the loop beyond the first: time, instructions and passes.
    let turns = |case: usize| {
        let of = |(took, counters): &(Duration, Counters)| {
            [1e9 * took.as_secs_f64(), counters.warp_instructions as f64, passes(counters)]
        };
        let [all, one] = [of(&fastest[case]), of(&fastest[case + 1])];
        [0, 1, 2].map(|what| all[what] - one[what])
    };
    let [took, count, _] = turns(4);
    let warps = f64::from(COPIES * BLOCK / 32);
    Ok([0, 2].map(|case| {
        let (all, constants) = (turns(case), cases[case + 1].further_constants() as f64);
        let instructions = all[1] - count;
        let ns = (all[0] - took) / instructions;
        Cost { ns, passes: all[2] / instructions + constants / warps }
    }))
}

/// How often an `add` of the row's width, which takes `add` nanoseconds, a row costs, and the
/// mark: special functions have ten times the bits, several words a multiple of 32.
fn measured(ns: f64, width: u32, add: f64) -> (f64, f64) {
    match width {
        320 | 640 => (ns / add, 12.0),
        128.. => (ns / (f64::from(width / 32) * add), 4.0),
        _ => (ns / add, 4.0),
    }
}

/// How many times the passes of a row of its width an instruction takes, 1 at least.
fn beyond(passes: f64, width: u32) -> f64 {
    (passes / f64::from(width / 32).max(1.0)).max(1.0)
}

/// Prints the table.
pub(crate) fn measure(names: &[String]) {
    println!("| family | instruction | ns an instruction | times an `add` | mark | passes |");
    println!("|---|---|--:|--:|--:|--:|");
    let (mut over, mut over_by_pass) = (0, 0);
    for &(family, width, body) in ROWS.iter().chain(FORMS) {
        let wanted = |name: &String| family.contains(name.as_str()) || body.contains(name.as_str());
        if !names.is_empty() && !names.iter().any(wanted) {
            continue;
        }
        let add = if matches!(width, 64 | 640) { ROWS[1].2 } else { ROWS[0].2 };
        match costs([body, add]) {
            Ok([Cost { ns, passes }, add]) => {
                let (times, mark) = measured(ns, width, add.ns);
                let by_pass = times > mark * beyond(passes, width);
                let verdict = match (times > mark, by_pass) {
                    (false, _) => "",
                    (true, false) => "over",
                    (true, true) => "**over**",
                };
                (over, over_by_pass) =
                    (over + u32::from(times > mark), over_by_pass + u32::from(by_pass));
                println!(
                    "| {family} | `{body}` | {ns:.1} | {times:.1} | {mark:.0} {verdict} | {passes:.1} |"
                );
            }
            Err(refused) => println!("| {family} | `{body}` | refused: {refused} | | | |"),
        }
    }
    println!("\n{over} rows are over their mark; {over_by_pass} where it holds for each pass.");
}
