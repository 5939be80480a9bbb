//! Labels and branches to basic blocks.

use std::collections::HashMap;

use crate::compile::compiler::Compiler;
use crate::compile::layout::extent;
use crate::compile::meet::meets;
use crate::compile::refuse::{Compiled, unsupported};
use crate::program::{AT_END, Block, Guard, Instruction, NOWHERE, SiteKind, Table, Terminator};
use crate::ptx::{self, Operand, Position, Space, Statement};

/// A block whose targets are still names.
struct Open<'a> {
    first: u32,
    end: u32,
    ptx: (u32, u32),
    way: Way<'a>,
    position: Position,
    /// The scope that its labels are looked up from.
    scope: usize,
}

/// How an open block ends.
enum Way<'a> {
    /// On to the next block.
    Next,
    /// To a label.
    To(&'a str),
    /// There where the guard holds; else on to the next block.
    If(Guard, Target<'a>),
    /// Past the next block, which is a call, where the guard does not hold.
    Skip(Guard),
    End(Ending),
    /// Through a call, by its index, to the next block.
    Call(u16),
    /// To the label that a register picks.
    Pick(u16, &'a str),
}

/// Where a guarded jump goes.
#[derive(Clone, Copy)]
enum Target<'a> {
    Label(&'a str),
    End(Ending),
}

/// How a way ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The thread is done.
    Exit,
    /// Back to the caller.
    Return,
}

impl Ending {
    fn terminator(self) -> Terminator {
        match self {
            Self::Exit => Terminator::Exit,
            Self::Return => Terminator::Return,
        }
    }
}

/// Labels by scope: a name in `{ }` hides the same name outside.
#[derive(Default)]
struct Labels<'a> {
    blocks: HashMap<(usize, &'a str), u32>,
    /// The labels that a list of branch targets names.
    lists: HashMap<(usize, &'a str), &'a [&'a str]>,
    /// The scope around each scope.
    around: Vec<usize>,
}

impl<'a> Labels<'a> {
    fn find<T: Copy>(
        &self,
        map: &HashMap<(usize, &'a str), T>,
        mut scope: usize,
        name: &'a str,
    ) -> Option<T> {
        loop {
            if let Some(&found) = map.get(&(scope, name)) {
                return Some(found);
            }
            if scope == 0 {
                return None;
            }
            scope = self.around[scope];
        }
    }

    fn block(&self, scope: usize, name: &'a str) -> Compiled<u32> {
        let found = self.find(&self.blocks, scope, name);
        found.ok_or_else(|| format!("there is no label `{name}`"))
    }
}

impl<'a> Compiler<'a> {
    /// Compiles a body into blocks; `base` is the number of the first.
    pub(crate) fn body(&mut self, body: &'a [Statement<'a>], base: u32) -> Compiled<Vec<Block>> {
        let mut labels = Labels { around: vec![0], ..Labels::default() };
        let mut scope = 0;
        let mut open: Vec<Open<'a>> = Vec::new();
        let (mut first, mut first_ptx) = (self.insts.len() as u32, self.instructions.len() as u32);
        let mut label = None;
        let begin = self.insts.len();
        self.guard = Guard::Always;
        self.take();
        let mut close = |this: &Self, open: &mut Vec<Open<'a>>, way, scope| {
            let position = this.position;
            let (end, ptx) = (this.insts.len() as u32, this.instructions.len() as u32);
            open.push(Open { first, end, ptx: (first_ptx, ptx - first_ptx), way, position, scope });
            (first, first_ptx) = (end, ptx);
        };
        for statement in body {
            match statement {
                Statement::Label(name, position) => {
                    self.position = *position;
                    // A label starts a block; an empty one before it is harmless.
                    close(self, &mut open, Way::Next, scope);
                    let at = open.len() as u32;
                    if labels.blocks.insert((scope, name), at).is_some() {
                        return Err(format!("label `{name}` is defined twice"));
                    }
                    label = Some(*name);
                }
                Statement::BranchTargets(names) => {
                    if let Some(label) = label {
                        labels.lists.insert((scope, label), names);
                    }
                }
                Statement::Pragma(_) => {}
                Statement::ScopeStart => {
                    labels.around.push(scope);
                    scope = labels.around.len() - 1;
                    self.names.open_scope();
                }
                Statement::ScopeEnd => {
                    scope = labels.around[scope];
                    self.names.close_scope();
                }
                Statement::Registers(decl) => {
                    self.position = decl.position;
                    self.names.declare(decl)?;
                }
                Statement::Variable(variable) => {
                    self.position = variable.position;
                    if matches!(variable.space, Space::Local | Space::Param) {
                        let count = variable.count.unwrap_or(0);
                        let (bytes, align) = extent(variable.ty, count, variable.align)?;
                        self.names.in_frame(variable.name, bytes, align)?;
                    }
                }
                Statement::Instruction(instruction) => {
                    self.block_start = open.last().map_or(begin, |block| block.end as usize);
                    self.position = instruction.position;
                    self.instructions.push(Instruction {
                        word: instruction.word.to_owned(),
                        line: instruction.position.line,
                        source: instruction.source.map_or((0, 0), |at| (at.file, at.line)),
                    });
                    match instruction.opcode {
                        "bra" | "ret" | "exit" => {
                            let way = self.way(instruction)?;
                            close(self, &mut open, way, scope);
                        }
                        "brx" => {
                            let (table, list) = self.pick(instruction)?;
                            close(self, &mut open, Way::Pick(table, list), scope);
                        }
                        "call" => {
                            self.guard = Guard::Always;
                            if self.service(instruction)? {
                                continue;
                            }
                            let guard = self.guard(instruction)?;
                            if guard != Guard::Always {
                                close(self, &mut open, Way::Skip(guard), scope);
                            }
                            let (index, results) = self.call(instruction)?;
                            self.calls[usize::from(index)].back = base + open.len() as u32 + 1;
                            close(self, &mut open, Way::Call(index), scope);
                            self.guard = guard;
                            self.fetch(results);
                        }
                        _ => self.instruction(instruction)?,
                    }
                }
            }
        }
        self.guard = Guard::Always;
        self.give();
        let end = if self.owner == 0 { Ending::Exit } else { Ending::Return };
        close(self, &mut open, Way::End(end), scope);
        self.resolve(&open, &labels, base)
    }

    /// How a branch or return ends its block.
    fn way(&mut self, instruction: &ptx::Instruction<'a>) -> Compiled<Way<'a>> {
        let target = match (instruction.opcode, instruction.operands.as_slice()) {
            ("bra", [Operand::Name(label)]) => Target::Label(label),
            ("ret", []) if self.owner != 0 => Target::End(Ending::Return),
            ("ret" | "exit", []) => Target::End(Ending::Exit),
            _ => return unsupported(instruction),
        };
        let guard = self.guard(instruction)?;
        if matches!(target, Target::End(Ending::Return)) {
            self.guard = guard;
            self.give();
        }
        Ok(match (guard, target) {
            (Guard::Always, Target::Label(label)) => Way::To(label),
            (Guard::Always, Target::End(end)) => Way::End(end),
            (guard, target) => Way::If(guard, target),
        })
    }

    /// `brx.idx a, list`.
    fn pick(&mut self, instruction: &ptx::Instruction<'a>) -> Compiled<(u16, &'a str)> {
        let [index, Operand::Name(list)] = instruction.operands.as_slice() else {
            return unsupported(instruction);
        };
        if instruction.guard.is_some() {
            return unsupported(instruction);
        }
        let slot = self.value32(index)?;
        let site = self.site(SiteKind::Trap, 0)?;
        let table = u16::try_from(self.tables.len())
            .map_err(|_| "the kernel has more than 65536 branches by index".to_owned())?;
        self.tables.push(Table { slot, site, targets: Vec::new(), reconverge: NOWHERE });
        Ok((table, list))
    }

    /// Turns labels into block numbers and finds where branches meet again.
    fn resolve(
        &mut self,
        open: &[Open<'a>],
        labels: &Labels<'a>,
        base: u32,
    ) -> Compiled<Vec<Block>> {
        // Guarded ends go to two added blocks that do nothing else.
        let exit = open.len() as u32;
        let branch = |guard, taken, other| {
            let when = !matches!(guard, Guard::Unless(_));
            let (Guard::If(p) | Guard::Unless(p)) = guard else { return Terminator::Jump(taken) };
            Terminator::Branch { p, when, taken, other, reconverge: NOWHERE }
        };
        let mut blocks = Vec::with_capacity(open.len() + 2);
        for (index, block) in open.iter().enumerate() {
            // The last block always ends, so there is a next one where it is needed.
            let next = index as u32 + 1;
            self.position = block.position;
            let find = |label| labels.block(block.scope, label);
            let terminator = match block.way {
                Way::Next => Terminator::Jump(next),
                Way::To(label) => Terminator::Jump(find(label)?),
                Way::End(end) => end.terminator(),
                Way::If(guard, Target::Label(label)) => branch(guard, find(label)?, next),
                Way::If(guard, Target::End(end)) => {
                    branch(guard, exit + u32::from(end == Ending::Return), next)
                }
                Way::Skip(guard) => branch(guard, next, next + 1),
                Way::Call(index) => Terminator::Call(index),
                Way::Pick(index, list) => {
                    let names = labels.find(&labels.lists, block.scope, list);
                    let names = names
                        .ok_or_else(|| format!("there is no list of branch targets `{list}`"))?;
                    let targets = names.iter().map(|&name| find(name)).collect::<Compiled<_>>()?;
                    self.tables[usize::from(index)].targets = targets;
                    Terminator::Pick(index)
                }
            };
            blocks.push(Block { first: block.first, end: block.end, terminator, ptx: block.ptx });
        }
        let end = open.last().map_or((0, 0), |block| (block.end, block.ptx.0 + block.ptx.1));
        for ending in [Ending::Exit, Ending::Return] {
            let terminator = ending.terminator();
            blocks.push(Block { first: end.0, end: end.0, terminator, ptx: (end.1, 0) });
        }
        let successors: Vec<Vec<u32>> = blocks
            .iter()
            .enumerate()
            .map(|(index, block)| match block.terminator {
                Terminator::Jump(next) => vec![next],
                Terminator::Branch { taken, other, .. } => vec![taken, other],
                Terminator::Call(_) => vec![index as u32 + 1],
                Terminator::Pick(table) => self.tables[usize::from(table)].targets.clone(),
                Terminator::Exit | Terminator::Return => Vec::new(),
            })
            .collect();
        // Blocks that do nothing but end the thread, and those that only lead there: most jumps
        // go on, so that going back through the blocks finds nearly all at once.
        let mut bare = vec![false; blocks.len()];
        for (index, block) in blocks.iter().enumerate().rev() {
            let ends = match block.terminator {
                Terminator::Exit => true,
                Terminator::Jump(next) => bare[next as usize],
                _ => false,
            };
            bare[index] = self.owner == 0 && ends && block.first == block.end;
        }
        let mut found = meets(&successors, &bare);
        let before = self.scopes.regions.len() as u32;
        found.regions.iter_mut().for_each(|region| region.shift(base, before));
        self.scopes.regions.append(&mut found.regions);
        let scope = |scope: u32| if matches!(scope, 0 | AT_END) { scope } else { before + scope };
        self.scopes.of_block.extend(found.scope.into_iter().map(scope));
        for (block, meet) in blocks.iter_mut().zip(found.at) {
            let meet = if meet == NOWHERE { NOWHERE } else { base + meet };
            match &mut block.terminator {
                Terminator::Jump(next) => *next += base,
                Terminator::Branch { taken, other, reconverge, .. } => {
                    *taken += base;
                    *other += base;
                    *reconverge = meet;
                }
                Terminator::Pick(table) => {
                    let table = &mut self.tables[usize::from(*table)];
                    table.targets.iter_mut().for_each(|target| *target += base);
                    table.reconverge = meet;
                }
                Terminator::Call(_) | Terminator::Exit | Terminator::Return => {}
            }
        }
        Ok(blocks)
    }
}
