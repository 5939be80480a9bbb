//! What one instruction costs beside an `add` of its width, family by family.
//!
//! Some rows run several: a call brings the instructions of its function with it, a branch what
//! it jumps over. So time is divided by the warp-instructions that were counted.

use std::time::Duration;

use warpscope_emulator::{Memory, Module};

use crate::programs::{ROWS, Row, program};
use crate::{BLOCK, Case, words};

/// Copies of the instruction in the loop, turns of the loop.
const COPIES: u32 = 64;
const TURNS: u32 = 16;

/// Launches of which the fastest counts.
const LAUNCHES: u32 = 25;

/// Bytes of the buffer that accesses go to.
const BYTES: u64 = 1 << 17;

fn load(body: &str, copies: u32) -> Result<Case, String> {
    let text = program(body, copies, TURNS);
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
    let (mut with, mut without) = (load(body, COPIES)?, load("", 0)?);
    let (mut most, mut least) = (Duration::MAX, Duration::MAX);
    let (mut all, mut others) = (0, 0);
    for _ in 0..LAUNCHES {
        let (took, counters) = with.launch(1);
        (most, all) = (most.min(took), counters.warp_instructions);
        let (took, counters) = without.launch(1);
        (least, others) = (least.min(took), counters.warp_instructions);
    }
    let took = most.saturating_sub(least).as_secs_f64() * 1e9;
    Ok(took / all.saturating_sub(others) as f64)
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
