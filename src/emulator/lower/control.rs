//! Labels and branches to basic blocks; barriers.

use std::collections::HashMap;

use super::{Lowering, Refusal, unsupported};
use crate::emulator::flow::post_dominators;
use crate::emulator::kernel::{Block, Instruction, SiteKind};
use crate::emulator::op::{ALL_THREADS, Guard, NOWHERE, Op, Terminator};
use crate::ptx::{self, Operand, Position, Statement};

/// A block whose targets are still names.
struct Open<'a> {
    first: u32,
    end: u32,
    ptx: (u32, u32),
    way: Way<'a>,
    position: Position,
}

/// How an open block ends.
enum Way<'a> {
    /// On to the next block.
    Next,
    /// To a label.
    To(&'a str),
    /// To a label, or to the thread's end for `None`, where the guard holds;
    /// else on to the next block.
    If(Guard, Option<&'a str>),
    Exit,
}

impl<'a> Lowering<'a> {
    /// Lowers a body into blocks.
    pub(super) fn body(
        &mut self,
        body: &[Statement<'a>],
    ) -> Result<Vec<Block>, (Position, Refusal)> {
        let mut labels: HashMap<&str, u32> = HashMap::new();
        let mut open: Vec<Open<'a>> = Vec::new();
        let (mut first, mut first_ptx) = (0, 0);
        let mut last = Position::default();
        let mut close = |this: &Self, open: &mut Vec<Open<'a>>, way, position| {
            let (end, ptx) = (this.insts.len() as u32, this.instructions.len() as u32);
            open.push(Open { first, end, ptx: (first_ptx, ptx - first_ptx), way, position });
            (first, first_ptx) = (end, ptx);
        };
        for statement in body {
            match statement {
                Statement::Label(name, position) => {
                    // A label starts a block; an empty one before it is harmless.
                    close(self, &mut open, Way::Next, *position);
                    if labels.insert(name, open.len() as u32).is_some() {
                        return Err((*position, format!("label `{name}` is defined twice")));
                    }
                }
                Statement::Instruction(instruction) => {
                    last = instruction.position;
                    self.instructions.push(Instruction {
                        word: instruction.word.to_owned(),
                        line: instruction.position.line,
                        source: instruction.source.map_or((0, 0), |at| (at.file, at.line)),
                    });
                    let refuse = |message| (instruction.position, message);
                    match instruction.opcode {
                        "bra" | "ret" | "exit" => {
                            let way = self.way(instruction).map_err(refuse)?;
                            close(self, &mut open, way, instruction.position);
                        }
                        _ => self.instruction(instruction).map_err(refuse)?,
                    }
                }
                _ => {}
            }
        }
        close(self, &mut open, Way::Exit, last);
        Self::resolve(&open, &labels)
    }

    /// How a branch or return ends its block.
    fn way(&mut self, instruction: &ptx::Instruction<'a>) -> Result<Way<'a>, Refusal> {
        let target = match (instruction.opcode, instruction.operands.as_slice()) {
            ("bra", [Operand::Name(label)]) => Some(*label),
            ("ret" | "exit", []) => None,
            _ => return unsupported(instruction),
        };
        Ok(match (instruction.guard, target) {
            (None, Some(label)) => Way::To(label),
            (None, None) => Way::Exit,
            (Some(ptx::Guard { register, negated }), target) => {
                let slot = self.names.pred(register)?;
                Way::If(if negated { Guard::Unless(slot) } else { Guard::If(slot) }, target)
            }
        })
    }

    /// Turns labels into block numbers and finds where branches meet again.
    fn resolve(
        open: &[Open<'a>],
        labels: &HashMap<&str, u32>,
    ) -> Result<Vec<Block>, (Position, Refusal)> {
        // Guarded exits go to one added block that does nothing but exit.
        let exit = open.len() as u32;
        let find = |label: &str, position| {
            labels
                .get(label)
                .copied()
                .ok_or_else(|| (position, format!("there is no label `{label}`")))
        };
        let mut blocks = Vec::with_capacity(open.len() + 1);
        for (index, block) in open.iter().enumerate() {
            // The last block always exits, so there is a next one where it is needed.
            let next = index as u32 + 1;
            let terminator = match block.way {
                Way::Next => Terminator::Jump(next),
                Way::To(label) => Terminator::Jump(find(label, block.position)?),
                Way::Exit => Terminator::Exit,
                Way::If(guard, label) => {
                    let taken = label.map_or(Ok(exit), |label| find(label, block.position))?;
                    let (p, when) = match guard {
                        Guard::If(p) => (p, true),
                        Guard::Unless(p) => (p, false),
                        Guard::Always => (0, true),
                    };
                    Terminator::Branch { p, when, taken, other: next, reconverge: NOWHERE }
                }
            };
            blocks.push(Block { first: block.first, end: block.end, terminator, ptx: block.ptx });
        }
        let end = open.last().map_or((0, 0), |block| (block.end, block.ptx.0 + block.ptx.1));
        blocks.push(Block {
            first: end.0,
            end: end.0,
            terminator: Terminator::Exit,
            ptx: (end.1, 0),
        });
        let successors: Vec<Vec<u32>> = blocks
            .iter()
            .map(|block| match block.terminator {
                Terminator::Jump(next) => vec![next],
                Terminator::Branch { taken, other, .. } => vec![taken, other],
                Terminator::Exit => Vec::new(),
            })
            .collect();
        let meets = post_dominators(&successors);
        for (block, meet) in blocks.iter_mut().zip(meets) {
            if let Terminator::Branch { reconverge, .. } = &mut block.terminator {
                *reconverge = meet;
            }
        }
        Ok(blocks)
    }

    /// `bar.sync a{, b}` and its newer spelling.
    pub(super) fn barrier(
        &mut self,
        instruction: &ptx::Instruction<'a>,
        guard: Guard,
    ) -> Result<(), Refusal> {
        if !instruction.has("sync") {
            return unsupported(instruction);
        }
        let (id, threads) = match instruction.operands.as_slice() {
            [Operand::Int(id)] => (*id, ALL_THREADS),
            [Operand::Int(id), threads] => (*id, self.value32(threads)?),
            _ => return unsupported(instruction),
        };
        let id = u8::try_from(id)
            .ok()
            .filter(|&id| id < 16)
            .ok_or_else(|| format!("there is no barrier {id}; a block has 0 to 15"))?;
        let site = self.site(SiteKind::Barrier, 0)?;
        self.push(guard, Op::Barrier { id, threads, site });
        Ok(())
    }
}
