//! The basic blocks of a kernel, and which of them are loops that `ptxas` unrolls.
//!
//! `ptxas` unrolls a loop by four if the loop is one short basic block with a counter that changes by a
//! constant and a bound that does not change.

use std::collections::{HashMap, HashSet};

use crate::emulator::ptx::{Function, Instruction, Operand, Statement};

/// Longest loop that is unrolled, in instructions.
const LONGEST: usize = 40;

/// Instructions that prevent unrolling: calls, barriers, exchanges among lanes, atomics.
const FIXED: [&str; 16] = [
    "bar",
    "barrier",
    "shfl",
    "vote",
    "match",
    "redux",
    "activemask",
    "call",
    "atom",
    "red",
    "wmma",
    "mma",
    "nanosleep",
    "cp",
    "fence",
    "membar",
];

/// A basic block.
pub(super) struct Block<'a, 'b> {
    /// Its instructions; the last may be a branch.
    pub(super) body: Vec<&'b Instruction<'a>>,
    /// By register: the places of the instructions that write it.
    pub(super) writers: HashMap<&'a str, Vec<usize>>,
    /// Whether its last instruction branches back, to itself or to an earlier block.
    pub(super) back: bool,
    /// Whether `ptxas` unrolls it by four.
    pub(super) unrolled: bool,
}

/// The basic blocks of a function that have instructions, in order.
pub(super) fn blocks<'a, 'b>(function: &'b Function<'a>) -> Vec<Block<'a, 'b>> {
    let mut blocks = Vec::new();
    let mut body = Vec::new();
    let mut labels = HashSet::new();
    let (mut label, mut kept) = (None, false);
    for statement in function.body.iter().flatten() {
        match statement {
            Statement::Label(name, _) => {
                blocks.extend(Block::of(&mut body, None, &labels, true));
                labels.insert(*name);
                (label, kept) = (Some(*name), false);
            }
            Statement::Pragma("nounroll") => kept = true,
            Statement::Instruction(instruction) => {
                body.push(instruction);
                if ["bra", "brx", "ret", "exit"].contains(&instruction.opcode) {
                    blocks.extend(Block::of(&mut body, label.take(), &labels, kept));
                }
            }
            _ => {}
        }
    }
    blocks.extend(Block::of(&mut body, None, &labels, true));
    blocks
}

impl<'a, 'b> Block<'a, 'b> {
    /// A block after `label`; `None` if it is empty. `kept` prevents unrolling.
    fn of(
        body: &mut Vec<&'b Instruction<'a>>,
        label: Option<&str>,
        labels: &HashSet<&str>,
        kept: bool,
    ) -> Option<Self> {
        let body = std::mem::take(body);
        let last = body.last()?;
        let target = match last.operands[..] {
            [Operand::Name(name)] if last.opcode == "bra" => Some(name),
            _ => None,
        };
        let mut writers: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, instruction) in body.iter().enumerate() {
            let written = instruction.operands.first();
            if let Some(written) = written.filter(|it| !matches!(it, Operand::Address(_))) {
                written.each_name(&mut |name| writers.entry(name).or_default().push(at));
            }
        }
        let back = target.is_some_and(|name| labels.contains(name));
        let alone = back && target == label && !kept && body.len() <= LONGEST;
        let guard = last.guard;
        let mut block = Self { body, writers, back, unrolled: false };
        block.unrolled = alone
            && !block.body.iter().any(|it| FIXED.contains(&it.opcode))
            && guard.is_some_and(|guard| block.counts(guard.register));
        Some(block)
    }

    /// Whether a predicate compares a counter, which changes by a constant, with a value that the block
    /// does not change.
    fn counts(&self, predicate: &str) -> bool {
        let compare = self.writers.get(predicate).and_then(|it| it.last()).map(|&at| self.body[at]);
        let Some(Instruction { opcode: "setp", operands, .. }) = compare else { return false };
        let [_, a, b] = &operands[..] else { return false };
        let stays = |operand: &Operand| match operand {
            Operand::Int(_) => true,
            Operand::Name(name) => !self.writers.contains_key(name),
            _ => false,
        };
        stays(b) && self.steps(a) || stays(a) && self.steps(b)
    }

    /// Whether an operand is a register plus a constant, or a copy of one.
    fn steps(&self, operand: &Operand) -> bool {
        let mut operand = operand;
        for _ in &self.body {
            let Operand::Name(name) = operand else { return false };
            let Some([at]) = self.writers.get(name).map(|it| &it[..]) else { return false };
            let writer = self.body[*at];
            match (writer.opcode, &writer.operands[..]) {
                ("add" | "sub", [_, Operand::Name(_), Operand::Int(_)]) => return true,
                ("mov", [_, from]) => operand = from,
                _ => return false,
            }
        }
        false
    }
}
