//! A kernel that is being compiled: its ops so far, its constants and sites.

use std::collections::HashMap;

use crate::compile::names::Names;
use crate::compile::refuse::Compiled;
use crate::compile::types::Type;
use crate::program::{
    Bulk, Call, Clusters, Collective, Combines, Fill, FillValue, Guard, Inst, Instruction, Matrix,
    Op, Quick, Scopes, Service, Site, SiteKind, Slot, Special, Step, Table, Tensor, Tile,
};
use crate::ptx::{self, Position};

/// A kernel being compiled.
pub(crate) struct Compiler<'a> {
    pub(crate) names: Names<'a>,
    /// Number of the function that is being compiled; 0 is the kernel.
    pub(crate) owner: usize,
    /// Numbers of the functions that have bodies.
    pub(crate) functions: HashMap<&'a str, u16>,
    pub(crate) callees: Vec<&'a ptx::Function<'a>>,
    pub(crate) calls: Vec<Call>,
    pub(crate) tables: Vec<Table>,
    pub(crate) scopes: Scopes,
    pub(crate) services: Vec<Service>,
    /// The slots that arguments and results in registers travel through, by whether it is a
    /// result, its number and whether it is wide.
    pub(crate) shared: HashMap<(bool, usize, bool), Slot>,
    /// What brings them to and from the registers of the function that is being compiled.
    pub(crate) takes: Vec<Op>,
    pub(crate) gives: Vec<Op>,
    /// Where errors are reported.
    pub(crate) position: Position,
    /// Guard of the instruction that is being compiled.
    pub(crate) guard: Guard,
    pub(crate) insts: Vec<Inst>,
    pub(crate) quicks: Vec<Quick>,
    /// Per op: the PTX instruction that it belongs to.
    pub(crate) origins: Vec<u32>,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) sites: Vec<Site>,
    pub(crate) collectives: Vec<Collective>,
    pub(crate) matrices: Vec<Matrix>,
    pub(crate) tiles: Vec<Tile>,
    pub(crate) tensors: Vec<Tensor>,
    pub(crate) bulks: Vec<Bulk>,
    pub(crate) fills: Vec<Fill>,
    /// First op of the basic block that is being compiled.
    pub(crate) block_start: usize,
    /// Slots already filled with a value, by value and width.
    pub(crate) filled: HashMap<(FillValue, bool), Slot>,
    pub(crate) schedule_dependent: bool,
    pub(crate) polls: bool,
    pub(crate) tests: bool,
    /// What the kernel says about clusters, and does in them.
    pub(crate) cluster: Clusters,
}

/// What brings a result to where the caller has it, and the register of a type that has to be
/// settled then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fetched {
    pub(crate) op: Op,
    pub(crate) settled: Option<(Type, Slot)>,
}

impl<'a> Compiler<'a> {
    /// The slot of the address of the running function's frame.
    pub(crate) fn stack(&mut self) -> Compiled<Slot> {
        self.fill(FillValue::Special(Special::Stack), true)
    }

    /// Adds an op under the guard of the instruction that is being compiled.
    pub(crate) fn push(&mut self, op: Op) {
        self.push_if(self.guard, op);
    }

    /// Adds an op that runs for all lanes.
    pub(crate) fn push_always(&mut self, op: Op) {
        self.push_if(Guard::Always, op);
    }

    pub(crate) fn push_if(&mut self, guard: Guard, op: Op) {
        self.insts.push(Inst { guard, op });
        self.origins.push(self.instructions.len().saturating_sub(1) as u32);
    }

    /// Says that the ops from `start` on, under one guard, are one step.
    pub(crate) fn quick(&mut self, start: usize, step: Step) {
        let ops = &self.insts[start..];
        let alike = ops.iter().all(|inst| inst.guard == ops[0].guard);
        if let (Ok(length @ 2..), true) = (u16::try_from(ops.len()), alike) {
            self.quicks.push(Quick { first: start as u32, length, step });
        }
    }

    /// The guard that an instruction names.
    pub(crate) fn guard(&mut self, instruction: &ptx::Instruction<'a>) -> Compiled<Guard> {
        let Some(ptx::Guard { register, negated }) = instruction.guard else {
            return Ok(Guard::Always);
        };
        let slot = self.names.pred(register)?;
        Ok(if negated { Guard::Unless(slot) } else { Guard::If(slot) })
    }

    /// A slot that holds `value` before every block.
    pub(crate) fn fill(&mut self, value: FillValue, wide: bool) -> Compiled<Slot> {
        if let Some(&slot) = self.filled.get(&(value, wide)) {
            return Ok(slot);
        }
        let slot = self.names.fresh(wide)?;
        self.fills.push(Fill { slot, wide, value });
        self.filled.insert((value, wide), slot);
        Ok(slot)
    }

    pub(crate) fn constant32(&mut self, value: u32) -> Compiled<Slot> {
        self.constant(u64::from(value), false)
    }

    pub(crate) fn constant64(&mut self, value: u64) -> Compiled<Slot> {
        self.constant(value, true)
    }

    pub(crate) fn constant(&mut self, value: u64, wide: bool) -> Compiled<Slot> {
        self.fill(FillValue::Constant(value), wide)
    }

    /// The slot of the start of the running function's frame. The kernel's is at 0.
    pub(crate) fn frame(&mut self) -> Compiled<Slot> {
        if self.owner == 0 { self.constant64(0) } else { self.stack() }
    }

    /// A new site of the instruction that is being compiled.
    pub(crate) fn site(&mut self, kind: SiteKind, offset: i64) -> Compiled<u16> {
        let index = u16::try_from(self.sites.len()).map_err(|_| {
            "the kernel has more than 65536 memory accesses and barriers".to_owned()
        })?;
        let instruction = self.instructions.len().saturating_sub(1) as u32;
        self.sites.push(Site {
            kind,
            instruction,
            offset,
            increments: false,
            combines: Combines::Never,
            silent: false,
            rows: false,
        });
        Ok(index)
    }
}
