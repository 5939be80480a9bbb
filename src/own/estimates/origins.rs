//! How addresses are computed, and their alignment: the largest known power of two that divides them.

use std::collections::HashMap;

use crate::emulator::ptx::{Function, Instruction, Operand};

/// Variables of shared and constant memory lie at multiples of 2^4 bytes.
const VARIABLE: u32 = 4;

/// More than any address has.
const ANY: u32 = 32;

/// Limit of steps from a register to its base, and of passes over a function.
const MOST_STEPS: usize = 50;

/// The instructions that write each register of a function, and the alignment of its values.
pub(super) struct Origins<'a, 'b> {
    /// The number of each name.
    numbers: HashMap<&'a str, usize>,
    /// By number: the instructions that write it; none for a variable.
    writers: Vec<Vec<&'b Instruction<'a>>>,
    /// The alignment, as the exponent of a power of two.
    multiples: Vec<u32>,
}

impl<'a, 'b> Origins<'a, 'b> {
    /// `None` if the alignments do not settle within the limit of passes.
    pub(super) fn of(function: &'b Function<'a>, placed: &[&'a str]) -> Option<Self> {
        let mut origins =
            Self { numbers: HashMap::new(), writers: Vec::new(), multiples: Vec::new() };
        for name in placed {
            origins.name(name, VARIABLE);
        }
        for instruction in function.instructions() {
            let written = instruction.operands.first();
            if let Some(written) = written.filter(|it| !matches!(it, Operand::Address(_))) {
                written.each_name(&mut |name| {
                    let number = origins.name(name, ANY);
                    origins.writers[number].push(instruction);
                });
            }
        }
        // In a loop, a register depends on itself: repeat until nothing changes.
        for _ in 0..MOST_STEPS {
            if !origins.lower() {
                return Some(origins);
            }
        }
        None
    }

    fn name(&mut self, name: &'a str, multiple: u32) -> usize {
        let next = self.writers.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.writers.push(Vec::new());
            self.multiples.push(multiple);
        }
        number
    }

    /// Lowers the alignments to the results of the instructions. Returns whether one changed.
    fn lower(&mut self) -> bool {
        let mut lowered = false;
        for number in 0..self.writers.len() {
            let results = self.writers[number].iter().map(|it| self.result(it));
            if let Some(least) = results.min().filter(|least| *least < self.multiples[number]) {
                self.multiples[number] = least;
                lowered = true;
            }
        }
        lowered
    }

    /// Whether the name is a register that an instruction writes.
    pub(super) fn is_written(&self, name: &str) -> bool {
        self.numbers.get(name).is_some_and(|&number| !self.writers[number].is_empty())
    }

    /// The alignment of a register or variable, as the exponent of a power of two.
    pub(super) fn multiple(&self, name: &str) -> u32 {
        self.numbers.get(name).map_or(0, |&number| self.multiples[number])
    }

    fn operand(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Name(name) => self.multiple(name),
            Operand::Int(value) => value.trailing_zeros().min(ANY),
            Operand::Symbol { name, offset, .. } => {
                self.multiple(name).min(offset.trailing_zeros())
            }
            _ => 0,
        }
    }

    /// The alignment of the result of an instruction, as the exponent of a power of two.
    fn result(&self, instruction: &Instruction) -> u32 {
        let operands = &instruction.operands;
        let of = |at: usize| operands.get(at).map_or(0, |it| self.operand(it));
        let number = |at: usize| match operands.get(at) {
            Some(Operand::Int(value)) => Some((*value).min(u64::from(ANY)) as u32),
            _ => None,
        };
        if !matches!(operands.first(), Some(Operand::Name(_))) || instruction.has("hi") {
            return 0;
        }
        let found = match instruction.opcode {
            "mov" | "cvta" | "neg" => of(1),
            "cvt" if instruction.modifiers().all(|it| !it.starts_with(['f', 'b', 'e', 't'])) => {
                of(1)
            }
            "add" | "sub" | "or" | "xor" | "min" | "max" | "selp" => of(1).min(of(2)),
            "and" => of(1).max(of(2)),
            "mul" => of(1) + of(2),
            "mad" => (of(1) + of(2)).min(of(3)),
            "shl" => of(1) + number(2).unwrap_or(0),
            "shr" => of(1).saturating_sub(number(2).unwrap_or(ANY)),
            _ => 0,
        };
        found.min(ANY)
    }

    /// The base of an address, without added constants, and the sum of those constants.
    pub(super) fn base(&self, mut name: &'a str) -> (&'a str, i64) {
        let mut sum = 0_i64;
        for _ in 0..MOST_STEPS {
            let writers = self.numbers.get(name).map(|&number| &self.writers[number][..]);
            let Some([Instruction { opcode, operands, guard: None, .. }]) = writers else { break };
            let (from, further) = match (*opcode, &operands[..]) {
                ("mov" | "cvta", [_, Operand::Name(from)]) => (from, 0),
                ("add", [_, Operand::Name(from), Operand::Int(more)]) => (from, *more as i64),
                ("sub", [_, Operand::Name(from), Operand::Int(less)]) => {
                    (from, (*less as i64).wrapping_neg())
                }
                _ => break,
            };
            (name, sum) = (from, sum.wrapping_add(further));
        }
        (name, sum)
    }
}
