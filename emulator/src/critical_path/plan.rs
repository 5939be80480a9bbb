//! What each instruction of a kernel reads, writes and costs, worked out once.

use std::collections::HashMap;

use crate::cost::Class;
use crate::cost::instruction::{self, Cost};
use crate::critical_path::wide_loads::{Wide, wide_loads};
use crate::program::operands::{self, Register};
use crate::program::{Block, Kernel, Op, Slot, Terminator, Transfer, Window};

/// One instruction: its cost, and where its operands are among all.
#[derive(Debug, Clone, Copy)]
struct Entry {
    cost: Cost,
    /// Machine instructions.
    issued: f32,
    first: u32,
    reads: u8,
    writes: u8,
    flight: Flight,
    /// Cycles of machine code between a load and the first use of its result.
    ahead: f32,
    /// Whether another load brings its words.
    joined: bool,
    /// Its width, if it is a load that machine code joined others to.
    wide: Option<Wide>,
    /// Cycles of the machine code of its basic block before it, where they are known.
    before: f32,
}

/// How far `ptxas` moves an instruction up, among those of its basic block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flight {
    /// It is a load from global memory, or only computes an address for one.
    pub(crate) early: bool,
    /// A load: its number among the groups of loads that are in flight together, where
    /// machine code waits for some before it issues the next.
    pub(crate) group: u16,
    /// A load: how many loads of its block lead to its address.
    pub(crate) level: u8,
}

/// Most levels of loads that are told apart.
pub(crate) const LEVELS: usize = 4;

/// The instructions of a kernel. Registers of all kinds have one numbering: words,
/// then double words, then predicates.
#[derive(Debug)]
pub(crate) struct CostPlan {
    entries: Vec<Entry>,
    operands: Vec<u32>,
    /// Of each basic block: branches that its machine code waits for each time that it
    /// goes back to its start.
    rounds: Vec<f32>,
    /// Of each basic block: whether it ends with a branch over so little that machine code
    /// runs it under a predicate.
    predicated: Vec<bool>,
    doubles: u32,
    preds: u32,
    /// Of each basic block: cycles of its machine code, where they are known.
    cycles: Vec<f32>,
    /// Words that keep one value while a block runs.
    fixed: Vec<Slot>,
}

impl CostPlan {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        let doubles = kernel.slots32 as u32;
        let preds = doubles + kernel.slots64 as u32;
        let mut plan = Self {
            entries: Vec::with_capacity(kernel.insts.len()),
            operands: Vec::with_capacity(3 * kernel.insts.len()),
            rounds: kernel.blocks.iter().map(|block| kernel.waits(last_of(block))).collect(),
            predicated: (0..kernel.blocks.len())
                .map(|block| is_predicated(kernel, block))
                .collect(),
            cycles: kernel.blocks.iter().map(|block| kernel.cycles_in(block)).collect(),
            doubles,
            preds,
            fixed: kernel.fills.iter().filter(|fill| !fill.wide).map(|fill| fill.slot).collect(),
        };
        let (mut read, mut written) = (Vec::new(), Vec::new());
        let mut writers = vec![0_u32; kernel.slots32];
        for inst in &kernel.insts {
            operands::find(kernel, *inst, &mut read, &mut written);
            for register in &written {
                if let Register::Word(slot) = *register {
                    writers[usize::from(slot)] += 1;
                }
            }
            let first = plan.operands.len() as u32;
            for &register in read.iter().chain(&written) {
                plan.operands.push(plan.number(register));
            }
            let (reads, writes) = (read.len() as u8, written.len() as u8);
            let mut cost = instruction::in_kernel(kernel, inst.op);
            let instruction = |site: u16| kernel.sites[usize::from(site)].instruction;
            let (mut ahead, mut joined) = (0.0, false);
            if let Op::Load(Transfer { site, .. }) = inst.op {
                cost.waits = kernel.waits(instruction(site));
                ahead = kernel.ahead(instruction(site));
                joined = kernel.is_joined(instruction(site) as usize);
            } else if let Op::Atomic { update, .. } = inst.op {
                ahead = kernel.ahead(instruction(update.site));
            }
            let (issued, flight) = (cost.issued(), Flight::default());
            plan.entries.push(Entry {
                cost,
                issued,
                first,
                reads,
                writes,
                flight,
                ahead,
                joined,
                wide: None,
                before: 0.0,
            });
        }
        // A word that the kernel sets once, to one of these.
        for inst in &kernel.insts {
            if let Op::Move32 { d, a } = inst.op
                && plan.is_fixed(a)
                && writers[usize::from(d)] == 1
            {
                plan.fixed.push(d);
            }
        }
        for block in &kernel.blocks {
            plan.early(kernel, block);
            plan.groups(kernel, block);
            plan.issues(kernel, block);
            for (index, wide) in wide_loads(kernel, block, |index| plan.is_joined(index)) {
                plan.entries[index].wide = Some(wide);
            }
        }
        plan
    }

    /// Finds the loads of a basic block, and what computes their addresses.
    fn early(&mut self, kernel: &Kernel, block: &Block) {
        let mut wanted: Vec<u32> = Vec::new();
        for index in (block.first as usize..block.end as usize).rev() {
            let op = kernel.insts[index].op;
            let (_, reads, writes) = self.of(index);
            let computes = !matches!(
                op,
                Op::Load(_)
                    | Op::Store(_)
                    | Op::Atomic { .. }
                    | Op::Reduce(_)
                    | Op::Collective { .. }
                    | Op::Barrier { .. }
                    | Op::Bulk { .. }
                    | Op::Service { .. }
            );
            if from_global(op) || computes && writes.iter().any(|it| wanted.contains(it)) {
                let reads = reads.to_vec();
                let writes = writes.to_vec();
                wanted.retain(|it| !writes.contains(it));
                wanted.extend(reads);
                self.entries[index].flight.early = true;
            }
        }
    }

    /// Puts the loads of a basic block into groups, so that it waits for each level of them as
    /// often as its machine code does.
    fn groups(&mut self, kernel: &Kernel, block: &Block) {
        let range = block.first as usize..block.end as usize;
        let mut levels: HashMap<u32, u8> = HashMap::new();
        let mut members: [Vec<usize>; LEVELS] = Default::default();
        for index in range {
            let (cost, reads, writes) = self.of(index);
            let level = reads.iter().filter_map(|it| levels.get(it)).max().copied();
            let level = level.unwrap_or_default();
            let loads = from_global(kernel.insts[index].op);
            let beyond = level + u8::from(loads && usize::from(level) + 1 < LEVELS);
            let writes = writes.to_vec();
            if loads && cost.waits > 1.0 {
                members[usize::from(level)].push(index);
            }
            for register in writes {
                levels.insert(register, beyond);
            }
            self.entries[index].flight.level = level;
        }
        for members in members {
            let count = members.len() as f32;
            for (at, index) in members.into_iter().enumerate() {
                let Entry { cost, flight, .. } = &mut self.entries[index];
                flight.group = (at as f32 * cost.waits.min(count) / count) as u16;
                // One wait each, unless machine code waits more often than there are loads.
                cost.waits = (cost.waits / count).max(1.0);
            }
        }
    }

    /// Has the instructions of a basic block issue as many as its machine code, where that is
    /// known: each its share by the estimate, and of its cycles too. A product of matrices holds
    /// up the warp until the tensor core takes it: its share is what the estimate says.
    fn issues(&mut self, kernel: &Kernel, block: &Block) {
        let known = kernel.issued_in(block);
        let own = &mut self.entries[block.first as usize..block.end as usize];
        let is_product = |entry: &Entry| entry.cost.class == Class::Matrix;
        let others = own.iter().filter(|entry| !is_product(entry));
        let estimated: f32 = others.map(|entry| entry.issued).sum();
        if estimated == 0.0 {
            return;
        }
        let each = kernel.cycles_in(block) / estimated;
        let mut before = 0.0;
        for entry in own {
            entry.before = before;
            if is_product(entry) {
                continue;
            }
            before += entry.issued * each;
            if known > 0.0 || kernel.knows_cycles() {
                entry.issued *= known / estimated;
            }
        }
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

    /// Whether `block` ends with a branch that machine code does without, by predicates.
    pub(crate) fn is_predicated(&self, block: u32) -> bool {
        self.predicated[block as usize]
    }

    /// Cycles of one run through the machine code of `block`; 0 where they are not known.
    pub(crate) fn cycles(&self, block: u32) -> f32 {
        self.cycles[block as usize]
    }

    /// Whether a word keeps one value while a block runs.
    pub(crate) fn is_fixed(&self, word: Slot) -> bool {
        self.fixed.contains(&word)
    }

    /// The number of a predicate.
    pub(crate) fn pred(&self, slot: u16) -> usize {
        self.preds as usize + usize::from(slot)
    }

    /// How far an instruction moves up.
    pub(crate) fn flight(&self, index: usize) -> Flight {
        self.entries[index].flight
    }

    /// Cycles of machine code between a load and the first use of its result.
    pub(crate) fn ahead(&self, index: usize) -> f32 {
        self.entries[index].ahead
    }

    /// Whether another load brings the words of this one.
    pub(crate) fn is_joined(&self, index: usize) -> bool {
        self.entries[index].joined
    }

    /// The width of a load that machine code joined others to.
    pub(crate) fn wide(&self, index: usize) -> Option<Wide> {
        self.entries[index].wide
    }

    /// Machine instructions of an instruction.
    pub(crate) fn issued(&self, index: usize) -> f32 {
        self.entries[index].issued
    }

    /// Cycles of the machine code of its basic block before an instruction; 0 where they are not
    /// known.
    pub(crate) fn before(&self, index: usize) -> f32 {
        self.entries[index].before
    }

    /// What an instruction costs, and the registers that it reads and writes.
    pub(crate) fn of(&self, index: usize) -> (Cost, &[u32], &[u32]) {
        let entry = &self.entries[index];
        let operands = &self.operands[entry.first as usize..];
        let (reads, rest) = operands.split_at(usize::from(entry.reads));
        (entry.cost, reads, &rest[..usize::from(entry.writes)])
    }
}

/// Instructions that are run under a predicate rather than branched over.
const PREDICATED: u32 = 7;

/// Whether a basic block ends with a branch over so little that machine code runs it under a
/// predicate.
fn is_predicated(kernel: &Kernel, block: usize) -> bool {
    if kernel.knows_cycles() {
        return kernel.waits(last_of(&kernel.blocks[block])) == 0.0;
    }
    let Terminator::Branch { taken, other, reconverge, .. } = kernel.blocks[block].terminator
    else {
        return false;
    };
    // Counted no further than it matters: the way may be most of a large kernel.
    let range = block + 1..(reconverge as usize).min(kernel.blocks.len());
    let add =
        |sum: u32, block: &Block| sum.checked_add(block.ptx.1).filter(|sum| *sum <= PREDICATED);
    reconverge != u32::MAX
        && taken as usize > block
        && other as usize > block
        && range.start <= range.end
        && kernel.blocks[range].iter().try_fold(0, add).is_some()
}

/// Whether it is a load from global memory.
fn from_global(op: Op) -> bool {
    matches!(op, Op::Load(Transfer { window: Window::Global | Window::Generic, .. }))
}

/// The last PTX instruction of a basic block.
fn last_of(block: &Block) -> u32 {
    (block.ptx.0 + block.ptx.1).saturating_sub(1)
}
