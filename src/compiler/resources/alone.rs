//! How long a warp that runs alone takes for each of its machine instructions. What the control
//! bits say and where the latencies are from is in `kernels/alone.py`; this is the same for a
//! user's file.

use std::collections::BTreeMap;

use super::flow;
use super::listing::{Block, Instruction};

/// Cycles until the result of an instruction is there that frees a scoreboard, by the start of
/// its name; else [`OTHERS`]. What memory takes is left to the emulator.
const LATENCY: [(&[&str], f64); 8] = [
    (&["MUFU", "F2I", "I2F", "F2F", "FRND", "POPC", "FLO", "BREV"], 17.0),
    (&["FCHK"], 14.0),
    (&["DADD", "DMUL", "DFMA", "DSETP"], 8.0),
    (&["SHFL"], 24.0),
    (&["VOTE"], 12.0),
    (&["MATCH"], 39.0),
    (&["REDUX"], 38.0),
    (&["S2R", "S2UR", "CS2R", "LDC", "ULDC"], 22.0),
];
const OTHERS: f64 = 10.0;

/// Loads, and other instructions on memory, by their names up to the first dot.
const LOADS: [&str; 7] = ["LDG", "LDS", "LDL", "LD", "ATOM", "ATOMG", "ATOMS"];
const MEMORY: [&str; 7] = ["LDGSTS", "LDSM", "SYNCS", "QSPC", "CCTL", "ERRBAR", "MEMBAR"];

/// Cycles until the operands of a store are read.
const READ: f64 = 8.0;

/// Cycles that a branch over a way that is hardly taken costs beyond its own.
const OVER: f64 = 6.0;

/// Cycles beyond its own until a warp goes on whose lanes have met.
const MET: f64 = 9.0;

const SCOREBOARDS: usize = 6;

fn is_one_of(instruction: &Instruction, names: &[&str]) -> bool {
    names.contains(&instruction.mnemonic.split('.').next().unwrap_or_default())
}

fn latency(instruction: &Instruction) -> f64 {
    if is_one_of(instruction, &MEMORY) || is_one_of(instruction, &LOADS) {
        return 0.0;
    }
    let of = |names: &&(&[&str], f64)| instruction.is(names.0);
    LATENCY.iter().find(of).map_or(OTHERS, |(_, cycles)| *cycles)
}

/// Sets the times of the instructions of one function; none stay in a block that hardly runs,
/// and in machine code without control bits.
pub(super) fn time(blocks: &mut [Block]) {
    let (mut now, mut free) = (0.0_f64, [0.0_f64; SCOREBOARDS]);
    let rare = flow::rare(blocks);
    for (number, block) in blocks.iter_mut().enumerate() {
        let before_rare = rare.get(number + 1) == Some(&true);
        let unknown = block.instructions.iter().any(|it| it.control.is_none());
        if rare[number] || unknown {
            continue;
        }
        let branches = block.instructions.last().is_some_and(|last| last.is(&["BRA"]));
        for _ in 0..=usize::from(block.loops()) {
            // By scoreboard: the places of loads, and when they were issued.
            let mut loads: [Vec<(usize, f64)>; SCOREBOARDS] = Default::default();
            for at in 0..block.instructions.len() {
                let control = block.instructions[at].control.unwrap_or_default();
                let waits = || (0..SCOREBOARDS).filter(|board| control >> (11 + board) & 1 != 0);
                let issued = waits().map(|board| free[board]).fold(now, f64::max);
                for (load, since) in waits().flat_map(|board| std::mem::take(&mut loads[board])) {
                    block.instructions[load].ahead = Some(issued - since);
                }
                let it = &mut block.instructions[at];
                let [written, read] = [5, 8].map(|at| (control >> at & 7) as usize);
                if let Some(loads) = loads.get_mut(written).filter(|_| is_one_of(it, &LOADS)) {
                    loads.push((at, issued));
                }
                for (board, cycles) in [(written, latency(it)), (read, READ)] {
                    if let Some(free) = free.get_mut(board) {
                        *free = free.max(issued + cycles);
                    }
                }
                let met = if it.is(&["BSYNC"]) { MET } else { 0.0 };
                let next = issued + f64::from((control & 15).max(1)) + met;
                it.cycles = next - now;
                now = next;
            }
        }
        if let Some(last) = block.instructions.last_mut().filter(|_| branches && before_rare) {
            now += OVER;
            last.cycles += OVER;
        }
    }
}

/// Per PTX line of a load, the mean over its copies of the cycles until its result is used.
pub(super) fn ahead(blocks: &[Block]) -> BTreeMap<u32, f64> {
    let mut found: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for it in blocks.iter().flat_map(|block| &block.instructions) {
        if let Some(ahead) = it.ahead.filter(|_| it.line != 0) {
            let (sum, copies) = found.entry(it.line).or_default();
            (*sum, *copies) = (*sum + ahead, *copies + 1.0);
        }
    }
    let mean = |(line, (sum, copies)): (u32, (f64, f64))| {
        let mean = (sum / copies).round_ties_even();
        (mean > 0.0).then_some((line, mean))
    };
    found.into_iter().filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Control bits: cycles, the scoreboard that it frees, those that it waits for.
    fn instruction(mnemonic: &str, cycles: u32, frees: u32, waits: u32) -> Instruction {
        Instruction {
            mnemonic: mnemonic.to_owned(),
            control: Some(cycles | frees << 5 | 7 << 8 | waits << 11),
            ..Instruction::default()
        }
    }

    fn cycles(instructions: Vec<Instruction>) -> Vec<f64> {
        let mut blocks = [Block { labels: Vec::new(), instructions }];
        time(&mut blocks);
        blocks[0].instructions.iter().map(|it| it.cycles).collect()
    }

    #[test]
    fn the_next_instruction_issues_after_the_cycles_and_when_its_scoreboards_are_free() {
        let sum = || instruction("FADD", 4, 7, 0);
        assert_eq!(cycles(vec![sum(), sum()]), [4.0, 4.0]);
        let function = instruction("MUFU.EX2", 2, 0, 0);
        let product = instruction("FMUL", 4, 7, 1);
        // The result is there 17 cycles after the function issued. Function and sum have passed 6.
        assert_eq!(cycles(vec![function, sum(), product.clone()]), [2.0, 4.0, 11.0 + 4.0]);
        let load = instruction("LDG.E", 2, 0, 0);
        assert_eq!(cycles(vec![load, product]), [2.0, 4.0], "memory is there at once");
    }

    #[test]
    fn a_load_is_ahead_of_its_first_use() {
        let load = Instruction { line: 7, ..instruction("LDG.E", 2, 0, 0) };
        let sum = || instruction("FADD", 4, 7, 0);
        let mut blocks = [Block { labels: Vec::new(), instructions: Vec::new() }];
        blocks[0].instructions = vec![load, sum(), sum(), instruction("FMUL", 4, 7, 1)];
        time(&mut blocks);
        assert_eq!(ahead(&blocks), BTreeMap::from([(7, 10.0)]));
    }

    #[test]
    fn machine_code_without_control_bits_takes_no_known_time() {
        let unknown = Instruction { control: None, ..instruction("FADD", 4, 7, 0) };
        assert_eq!(cycles(vec![instruction("FADD", 4, 7, 0), unknown]), [0.0, 0.0]);
    }
}
