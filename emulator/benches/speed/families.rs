//! What one instruction costs beside an `add` of its width, family by family.
//!
//! A launch with many turns of the loop is compared with one of a single turn, so that setting up
//! a launch, which takes the longer the more registers a program has, does not count. Some rows
//! run several instructions: a call brings those of its function with it, a branch what it jumps
//! over. So time is divided by the warp-instructions that were counted.

use std::time::Duration;

use warpscope_emulator::{Memory, Module};

use crate::programs::{ROWS, Row, program};
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

/// Nanoseconds of one host core that an instruction of `body` takes a warp.
fn cost(body: &str) -> Result<f64, String> {
    let mut cases = [
        load(body, COPIES, TURNS + 1)?,
        load(body, COPIES, 1)?,
        load("", 0, 1)?,
        load("", 0, TURNS + 1)?,
    ];
    let mut fastest = [(Duration::MAX, 0); 4];
    for _ in 0..LAUNCHES {
        for (case, fastest) in cases.iter_mut().zip(&mut fastest) {
            // The first gives memory back that the second gets, as large as it needs it.
            case.launch(1);
            let (took, counters) = case.launch(1);
            *fastest = (took.min(fastest.0), counters.warp_instructions);
        }
    }
    let [all, one, empty_one, empty] =
        fastest.map(|(took, count)| (took.as_secs_f64() * 1e9, count as f64));
    let took = (all.0 - one.0) - (empty.0 - empty_one.0);
    Ok(took / ((all.1 - one.1) - (empty.1 - empty_one.1)))
}

/// How often an `add` of the row's width costs, and what that width is: special
/// functions have ten times the bits, several words a multiple of 32.
fn measured(ns: f64, width: u32, [add32, add64]: [f64; 2]) -> (f64, f64) {
    match width {
        64 => (ns / add64, 4.0),
        640 => (ns / add64, 12.0),
        320 => (ns / add32, 12.0),
        128.. => (ns / (f64::from(width / 32) * add32), 4.0),
        _ => (ns / add32, 4.0),
    }
}

/// Prints the table.
pub(crate) fn measure(names: &[String]) {
    let adds = [ROWS[0], ROWS[1]].map(|row| cost(row.2).expect("additions run"));
    println!("| family | instruction | ns an instruction | times an `add` | mark |");
    println!("|---|---|--:|--:|--:|");
    let mut over = 0;
    for &(family, width, body) in ROWS {
        let wanted = |name: &String| family.contains(name.as_str()) || body.contains(name.as_str());
        if !names.is_empty() && !names.iter().any(wanted) {
            continue;
        }
        let row: Row = (family, width, body);
        match cost(row.2) {
            Ok(ns) => {
                let (times, mark) = measured(ns, width, adds);
                let verdict = if times > mark { "**over**" } else { "" };
                over += u32::from(times > mark);
                println!("| {family} | `{body}` | {ns:.1} | {times:.1} | {mark:.0} {verdict} |");
            }
            Err(refused) => println!("| {family} | `{body}` | refused: {refused} | | |"),
        }
    }
    println!("\n{over} rows are over their mark.");
}
