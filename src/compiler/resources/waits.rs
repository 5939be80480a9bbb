//! How often machine code waits for loads from global memory, and for loops, against what
//! its PTX says. The rules and their reasons are in `kernels/batches.py`; this is the same
//! for a user's file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::listing::{self, Block, Copies, Instruction};
use super::loads;

/// Cycles of a load and of the issue of an instruction, about.
const LATENCY: f64 = 500.0;
const ISSUE: f64 = 2.0;

/// Kernel, PTX line and waits: the loads and branches whose machine code waits more or less
/// often than their PTX says, by kernel and line.
pub(super) fn batches(ptx: &str, listing: &str) -> Vec<(String, u32, f64)> {
    let (natural, matrices) = (loads::depths(ptx), loads::of_matrices(ptx));
    let mut found = Vec::new();
    for (kernel, blocks) in listing::functions(listing) {
        let waits = waits_of(&blocks, &matrices);
        // Waits of all loads of one basic block of the PTX.
        let mut together: BTreeMap<u32, f64> = BTreeMap::new();
        for (line, (own, _)) in &waits {
            if let Some((number, _)) = natural.get(line) {
                *together.entry(*number).or_default() += own;
            }
        }
        let rounds = loads::rounds(ptx, &loops_of(&blocks));
        let mut times: BTreeMap<u32, f64> =
            rounds.into_iter().map(|(line, many)| (line, 1.0 / f64::from(many))).collect();
        for (line, (_, all)) in &waits {
            if let Some((number, depth)) = natural.get(line) {
                // Loads that are waited for together with those of another basic block wait as
                // often as those do: one wait of PTX stays one, unless of several rounds.
                let many = together[number].max(all.min(1.0)) / f64::from(*depth);
                times.insert(*line, many);
            }
        }
        for (line, many) in times {
            if many <= 0.95 || many >= 1.05 {
                let rounded = (many * 100.0).round_ties_even() / 100.0;
                found.push((kernel.clone(), line, rounded));
            }
        }
    }
    found
}

/// Loops of one basic block: for each, its copies per PTX line.
fn loops_of(blocks: &[Block]) -> Vec<Copies> {
    let copies = |block: &Block| {
        let mut copies = Copies::new();
        for instruction in &block.instructions {
            *copies.entry(instruction.line).or_default() += 1;
        }
        copies
    };
    blocks.iter().filter(|block| block.loops()).map(copies).collect()
}

/// Loads in flight while machine code is walked in order.
#[derive(Default)]
struct Walk {
    /// Per machine register: when its load was issued, its PTX line, the walk of its block.
    pending: HashMap<u32, (f64, u32, usize)>,
    /// Waits per PTX line, for each walk of a block.
    waits: Vec<BTreeMap<u32, f64>>,
    now: f64,
    waited: f64,
}

impl Walk {
    /// The first use of a register that a load fills.
    fn use_register(&mut self, register: u32) {
        let Some((issued, line, walk)) = self.pending.remove(&register) else { return };
        let ready = issued + LATENCY;
        // What overlaps with an earlier wait does not count again.
        let wait = (ready - issued.max(self.waited)).max(0.0) / LATENCY;
        *self.waits[walk].entry(line).or_default() += wait;
        self.waited = self.waited.max(ready);
        self.now = self.now.max(ready);
    }

    /// One instruction; `copies` counts the loads of this walk.
    fn step(&mut self, it: &Instruction, copies: &mut Copies) {
        self.now += ISSUE;
        let load = it.is(&["LDG", "LD."]) || it.mnemonic == "LD";
        let start: String = it.mnemonic.chars().take_while(char::is_ascii_uppercase).collect();
        let gives = !it.is(&["ST", "RED", "BRA", "BAR", "EXIT"]) && !start.contains("SETP");
        let store = it.is(&["ST"]);
        let width = words(&it.mnemonic);
        for (index, operand) in it.operands.split(',').enumerate() {
            if gives && index == 0 {
                continue;
            }
            for (register, wide) in registers(operand) {
                let many = if wide {
                    2
                } else if store {
                    width
                } else {
                    1
                };
                (register..register + many).for_each(|register| self.use_register(register));
            }
        }
        let first = it.operands.split(',').next().unwrap_or_default().trim();
        let target = first.strip_prefix('R').map(leading_number).filter(|_| gives).flatten();
        let target = target.map_or(0..0, |register| register..register + width);
        if !load && it.is(&["IMAD.WIDE"]) {
            // What is overwritten before it was used is not waited for, but a product of two
            // words is written one after the other.
            target.clone().for_each(|register| self.use_register(register));
        }
        for register in target.clone() {
            self.pending.remove(&register);
        }
        if load {
            *copies.entry(it.line).or_default() += 1;
            let walk = self.waits.len() - 1;
            for register in target {
                self.pending.insert(register, (self.now, it.line, walk));
            }
        }
    }
}

/// Per PTX line of a load: waits that it causes, and those that all loads cause, in the basic
/// block that has the most copies of it, over the copies. A line of `matrices` is several loads: one
/// copy of it has as many as the block with the fewest of them.
fn waits_of(blocks: &[Block], matrices: &BTreeSet<u32>) -> BTreeMap<u32, (f64, f64)> {
    let mut walk = Walk::default();
    let mut fewest: BTreeMap<u32, u32> = BTreeMap::new();
    let mut best: BTreeMap<u32, ((bool, u32), usize)> = BTreeMap::new();
    for block in blocks {
        let loops = block.loops();
        let mut copies = Copies::new();
        // The second round of a loop counts.
        for _ in 0..=usize::from(loops) {
            copies.clear();
            walk.waits.push(BTreeMap::new());
            block.instructions.iter().for_each(|it| walk.step(it, &mut copies));
        }
        for (line, many) in copies {
            if matrices.contains(&line) {
                fewest.entry(line).and_modify(|it| *it = many.min(*it)).or_insert(many);
            }
            if best.get(&line).is_none_or(|&(most, _)| (loops, many) > most) {
                best.insert(line, ((loops, many), walk.waits.len() - 1));
            }
        }
    }
    let share = |(line, ((_, many), at)): (u32, ((bool, u32), usize))| {
        let waits = &walk.waits[at];
        let (own, all) = (waits.get(&line).copied().unwrap_or(0.0), waits.values().sum::<f64>());
        let copies = f64::from(many) / f64::from(fewest.get(&line).copied().unwrap_or(1));
        (line, (own / copies, all.max(1.0) / copies))
    };
    best.into_iter().map(share).collect()
}

/// Registers that an operation of this width fills or takes.
fn words(mnemonic: &str) -> u32 {
    if mnemonic.contains(".128") {
        4
    } else if mnemonic.contains(".64") {
        2
    } else {
        1
    }
}

fn leading_number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok()
}

/// The registers that an operand names, and whether as a pair: `R4`, `R2.64`. `UR4` is another
/// kind.
fn registers(operand: &str) -> Vec<(u32, bool)> {
    let mut found = Vec::new();
    for (at, _) in operand.match_indices('R') {
        let before = operand[..at].chars().last();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &operand[at + 1..];
        if let Some(number) = leading_number(rest) {
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            found.push((number, rest[digits..].starts_with(".64")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_name_registers() {
        assert_eq!(registers(" [R2.64+0x10]"), [(2, true)]);
        assert_eq!(registers(" -R10.reuse"), [(10, false)]);
        assert_eq!(registers(" UR4"), []);
        assert_eq!(registers(" RZ"), []);
    }

    #[test]
    fn loads_in_flight_together_wait_once() {
        let listing = ".text.k:\n//## File \"k.ptx\", line 1\n/*0000*/ LDG.E R2, [R4.64] ;\n\
            //## File \"k.ptx\", line 2\n/*0010*/ LDG.E R3, [R6.64] ;\n\
            //## File \"k.ptx\", line 3\n/*0020*/ IADD3 R8, R2, R3, RZ ;\n/*0030*/ EXIT ;\n";
        let waits = waits_of(&listing::functions(listing)["k"], &BTreeSet::new());
        assert!((waits[&1].0 - 1.0).abs() < 1e-9, "{waits:?}");
        assert!(waits[&2].0 < 0.01, "{waits:?}");
    }

    /// Two fragments one after the other, of two loads each.
    #[test]
    fn fragments_of_matrices_wait_once_each() {
        let ptx = "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2}, [%rd1];\n\
            wmma.mma.sync %r9, %r1, %r2;\n\
            wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r3, %r4}, [%rd2];\n\
            wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r5, %r6}, [%rd3];\n";
        let fragment = |line: u32| {
            format!(
                "//## File \"k.ptx\", line {line}\n/*0000*/ LDG.E R2, [R4.64] ;\n\
                 /*0010*/ LDG.E R3, [R6.64] ;\n//## File \"k.ptx\", line 2\n\
                 /*0020*/ HMMA.16816.F32 R8, R2, R10, R8 ;\n/*0030*/ HMMA.16816.F32 R8, R3, R10, R8 ;\n"
            )
        };
        let listing = format!(".text.k:\n{}{}/*0040*/ EXIT ;\n", fragment(1), fragment(3));
        assert_eq!(batches(ptx, &listing), [("k".to_owned(), 1, 2.01), ("k".to_owned(), 3, 2.01)]);
    }
}
