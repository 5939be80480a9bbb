//! What is known of a kernel's machine code, by the lines of its PTX.

use crate::program::{Block, Kernel, Op, Terminator, Window};

/// Machine instructions: all, and those of the units for integers, for products of integers,
/// for special functions, for floats and for doubles; how often a warp jumps. Last,
/// the cycles that a warp takes for them that runs alone, without what it waits for memory.
pub type Issues = [f32; 8];

/// Of [`Issues`]: the cycles of a warp that runs alone.
const ALONE: usize = 7;

/// What an analysis of a kernel's machine code found. Lines are those of the PTX, and each list is
/// sorted by them. Lists are empty where nothing is known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MachineCode {
    /// How often it waits for an instruction (a load, or a loop's branch back) each time that
    /// it runs, where that is not once; 0 for a branch that it does without.
    pub waits: Vec<(u32, f32)>,
    /// One run through a basic block of the PTX, by the line of an instruction of the block.
    pub issues: Vec<(u32, Issues)>,
    /// Cycles that a warp has other things to do after it has issued a load, before it wants the
    /// result.
    pub ahead: Vec<(u32, f32)>,
    /// Registers of 32 bits that each of its functions saves on its stack, by name; others save
    /// none.
    pub saves: Option<Vec<(String, u32)>>,
    /// Whether its local memory is in registers, as it has no stack.
    pub in_registers: bool,
}

/// What a list has for a line.
fn find<T: Copy>(list: &[(u32, T)], line: u32) -> Option<T> {
    let found = list.binary_search_by_key(&line, |(line, _)| *line);
    found.ok().map(|at| list[at].1)
}

impl Kernel {
    /// Sets what is known of its machine code.
    #[must_use]
    pub fn with_machine_code(mut self, code: MachineCode) -> Self {
        if let Some(saves) = &code.saves {
            for function in &mut self.functions {
                let found = saves.iter().find(|(name, _)| *name == function.name);
                function.saves = found.map_or(0, |(_, words)| *words);
            }
            self.saved = self.functions.iter().map(|it| it.saves).max().unwrap_or_default();
        }
        if code.in_registers && self.calls.is_empty() {
            for inst in &self.insts {
                if let Op::Load(it) | Op::Store(it) = inst.op
                    && it.window == Window::Local
                {
                    self.sites[usize::from(it.site)].silent = true;
                }
            }
        }
        self.code = code;
        self
    }

    /// The issues of the instructions of a basic block that are in the list: one, or those of
    /// basic blocks that machine code has apart.
    fn issues_in(&self, block: &Block) -> impl Iterator<Item = Issues> {
        let (first, many) = block.ptx;
        let instructions = &self.instructions[first as usize..(first + many) as usize];
        instructions.iter().filter_map(|it| find(&self.code.issues, it.line))
    }

    /// Machine instructions of a launch. `warps` has the number of warps that ran each PTX
    /// instruction. Zeros where nothing is known of the machine code.
    pub(crate) fn issued(&self, warps: impl Iterator<Item = u64>) -> [f64; 7] {
        let mut sum = [0.0; 7];
        for (instruction, warps) in self.instructions.iter().zip(warps) {
            let Some(issues) = find(&self.code.issues, instruction.line) else { continue };
            for (sum, each) in sum.iter_mut().zip(issues) {
                *sum += f64::from(each) * warps as f64;
            }
        }
        sum
    }

    /// Machine instructions of one run through a basic block, without those of what ends it; 0
    /// where nothing is known of the machine code.
    pub(crate) fn issued_in(&self, block: &Block) -> f32 {
        let all: f32 = self.issues_in(block).map(|issues| issues[0]).sum();
        let ends = matches!(block.terminator, Terminator::Branch { .. });
        (all - f32::from(u8::from(ends))).max(0.0)
    }

    /// Whether its machine code says how long a warp takes that runs alone.
    pub(crate) fn knows_cycles(&self) -> bool {
        self.code.issues.iter().any(|(_, issues)| issues[ALONE] > 0.0)
    }

    /// Cycles of one run through a basic block of a warp that runs alone, without what it waits
    /// for memory; 0 where nothing is known of them.
    pub(crate) fn cycles_in(&self, block: &Block) -> f32 {
        self.issues_in(block).map(|issues| issues[ALONE]).sum()
    }

    /// Whether `ptxas` joined this instruction to another one: the machine code is known, and
    /// has none for it.
    pub(crate) fn is_joined(&self, instruction: usize) -> bool {
        let issues = |line| find(&self.code.issues, line);
        let found = self.instructions.get(instruction).and_then(|it| issues(it.line));
        found.is_some_and(|issues| issues[0] == 0.0)
    }

    /// How often machine code waits for an instruction each time that it runs.
    pub(crate) fn waits(&self, instruction: u32) -> f32 {
        let instruction = self.instructions.get(instruction as usize);
        instruction.and_then(|it| find(&self.code.waits, it.line)).unwrap_or(1.0)
    }

    /// Cycles that a warp has other things to do between a load and the use of its result.
    pub(crate) fn ahead(&self, instruction: u32) -> f32 {
        let instruction = self.instructions.get(instruction as usize);
        instruction.and_then(|it| find(&self.code.ahead, it.line)).unwrap_or_default()
    }
}
