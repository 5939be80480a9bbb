//! What each instruction of a kernel reads, writes and costs, worked out once.

use crate::cost::instruction;
use crate::cost::instruction::Cost;
use crate::program::operands::{self, Register};
use crate::program::{Block, Kernel, Op, Transfer};

/// One instruction: its cost, and where its operands are among all.
#[derive(Debug, Clone, Copy)]
struct Entry {
    cost: Cost,
    first: u32,
    reads: u8,
    writes: u8,
}

/// The instructions of a kernel. Registers of all kinds have one numbering: words,
/// then double words, then predicates.
#[derive(Debug)]
pub(crate) struct CostPlan {
    entries: Vec<Entry>,
    operands: Vec<u32>,
    /// Of each basic block: branches that its machine code waits for each time that it
    /// goes back to its start.
    rounds: Vec<f32>,
    doubles: u32,
    preds: u32,
}

impl CostPlan {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        let doubles = kernel.slots32 as u32;
        let preds = doubles + kernel.slots64 as u32;
        let mut plan = Self {
            entries: Vec::with_capacity(kernel.insts.len()),
            operands: Vec::with_capacity(3 * kernel.insts.len()),
            rounds: kernel.blocks.iter().map(|block| kernel.waits(last_of(block))).collect(),
            doubles,
            preds,
        };
        let (mut read, mut written) = (Vec::new(), Vec::new());
        for inst in &kernel.insts {
            operands::find(kernel, *inst, &mut read, &mut written);
            let first = plan.operands.len() as u32;
            for &register in read.iter().chain(&written) {
                plan.operands.push(plan.number(register));
            }
            let (reads, writes) = (read.len() as u8, written.len() as u8);
            let mut cost = instruction::in_kernel(kernel, inst.op);
            if let Op::Load(Transfer { site, .. }) = inst.op {
                cost.waits = kernel.waits(kernel.sites[usize::from(site)].instruction);
            }
            plan.entries.push(Entry { cost, first, reads, writes });
        }
        plan
    }

    /// The number of a register among all.
    fn number(&self, register: Register) -> u32 {
        match register {
            Register::Word(slot) => u32::from(slot),
            Register::Double(slot) => self.doubles + u32::from(slot),
            Register::Pred(slot) => self.preds + u32::from(slot),
        }
    }

    /// How often a loop waits for its branch, each time that `block` ends a round.
    pub(crate) fn rounds(&self, block: u32) -> f32 {
        self.rounds[block as usize]
    }

    /// The number of a predicate.
    pub(crate) fn pred(&self, slot: u16) -> usize {
        self.preds as usize + usize::from(slot)
    }

    /// What an instruction costs, and the registers that it reads and writes.
    pub(crate) fn of(&self, index: usize) -> (Cost, &[u32], &[u32]) {
        let entry = &self.entries[index];
        let operands = &self.operands[entry.first as usize..];
        let (reads, rest) = operands.split_at(usize::from(entry.reads));
        (entry.cost, reads, &rest[..usize::from(entry.writes)])
    }
}

/// The last PTX instruction of a basic block.
fn last_of(block: &Block) -> u32 {
    (block.ptx.0 + block.ptx.1).saturating_sub(1)
}
