//! The syntax tree to compact ops: checks everything, so that what runs cannot
//! fail except by what the kernel itself does.

mod collective;
mod control;
mod integer;
mod loaded;
mod memory;
mod names;
mod operands;
mod types;

use std::collections::HashMap;

use super::LoadError;
use super::collective::Collective;
use super::kernel::{Fill, FillValue, Instruction, Kernel, ParamLayout, Site, SiteKind};
use super::op::{Guard, Inst, Op, Slot};
use crate::ptx;
use names::Names;
use types::Type;

/// Why an instruction was refused; becomes a [`LoadError`] with its place.
type Refusal = String;

/// Lowers one entry of `module`.
pub(super) fn lower<'a>(
    module: &ptx::Module<'a>,
    function: &ptx::Function<'a>,
    path: &str,
) -> Result<Kernel, LoadError> {
    let body = function.body.as_deref().unwrap_or_default();
    let error = |position: ptx::Position, message: String| LoadError::Refused {
        path: path.to_owned(),
        line: position.line,
        message,
    };
    let names = Names::collect(module, function, body)
        .map_err(|(position, message)| error(position, message))?;
    let mut params = Vec::new();
    for param in &function.params {
        let bytes = Type::parse(param.ty).map(Type::bytes).filter(|_| param.count == 1);
        let Some(bytes) = bytes else {
            return Err(error(
                function.position,
                format!(
                    "parameter `{}` is neither a number nor a pointer, which is not supported yet",
                    param.name
                ),
            ));
        };
        params.push(ParamLayout { bytes });
    }
    let mut lowering = Lowering {
        names,
        insts: Vec::new(),
        instructions: Vec::new(),
        sites: Vec::new(),
        collectives: Vec::new(),
        fills: Vec::new(),
        filled: HashMap::new(),
        schedule_dependent: false,
        polls: false,
    };
    let blocks = lowering.body(body).map_err(|(position, message)| error(position, message))?;
    Ok(Kernel {
        name: function.name.to_owned(),
        path: path.to_owned(),
        files: module.files.iter().map(|&(number, name)| (number, name.to_owned())).collect(),
        params,
        static_shared: lowering.names.static_shared,
        insts: lowering.insts,
        blocks,
        instructions: lowering.instructions,
        sites: lowering.sites,
        collectives: lowering.collectives,
        slots32: lowering.names.slots32,
        slots64: lowering.names.slots64,
        preds: lowering.names.preds,
        fills: lowering.fills,
        schedule_dependent: lowering.schedule_dependent,
        polls: lowering.polls || lowering.schedule_dependent,
    })
}

/// A kernel being lowered.
struct Lowering<'a> {
    names: Names<'a>,
    insts: Vec<Inst>,
    instructions: Vec<Instruction>,
    sites: Vec<Site>,
    collectives: Vec<Collective>,
    fills: Vec<Fill>,
    /// Slots already filled with a value, by value and width.
    filled: HashMap<(FillValue, bool), Slot>,
    schedule_dependent: bool,
    polls: bool,
}

impl<'a> Lowering<'a> {
    fn push(&mut self, guard: Guard, op: Op) {
        self.insts.push(Inst { guard, op });
    }

    /// A slot that holds `value` before every block.
    fn fill(&mut self, value: FillValue, wide: bool) -> Result<Slot, Refusal> {
        if let Some(&slot) = self.filled.get(&(value, wide)) {
            return Ok(slot);
        }
        let slot = if wide { self.names.new64()? } else { self.names.new32()? };
        self.fills.push(Fill { slot, wide, value });
        self.filled.insert((value, wide), slot);
        Ok(slot)
    }

    fn constant32(&mut self, value: u32) -> Result<Slot, Refusal> {
        self.fill(FillValue::Constant(u64::from(value)), false)
    }

    fn constant64(&mut self, value: u64) -> Result<Slot, Refusal> {
        self.fill(FillValue::Constant(value), true)
    }

    /// A new site of the instruction that is being lowered.
    fn site(&mut self, kind: SiteKind, offset: i64) -> Result<u16, Refusal> {
        let index = u16::try_from(self.sites.len()).map_err(|_| {
            "the kernel has more than 65536 memory accesses and barriers".to_owned()
        })?;
        let instruction = self.instructions.len().saturating_sub(1) as u32;
        self.sites.push(Site { kind, instruction, offset, increments: false });
        Ok(index)
    }

    /// Lowers an instruction that is not a branch.
    fn instruction(&mut self, instruction: &ptx::Instruction<'a>) -> Result<(), Refusal> {
        let guard = match instruction.guard {
            None => Guard::Always,
            Some(ptx::Guard { register, negated }) => {
                let slot = self.names.pred(register)?;
                if negated { Guard::Unless(slot) } else { Guard::If(slot) }
            }
        };
        match instruction.opcode {
            "ld" | "ldu" => {
                self.load(instruction, guard)?;
                self.settle_loaded(instruction, guard)
            }
            "st" => self.store(instruction, guard),
            "atom" | "red" => self.atomic(instruction, guard),
            "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" => {
                self.collective(instruction, guard)
            }
            "bar" | "barrier" if instruction.has("warp") => self.collective(instruction, guard),
            "bar" | "barrier" => self.barrier(instruction, guard),
            // Blocks run on one host thread each, and accesses to global memory
            // are carried out in program order: there is nothing to wait for.
            "membar" | "fence" => Ok(()),
            "trap" => {
                let site = self.site(SiteKind::Trap, 0)?;
                self.push(guard, Op::Trap { site });
                Ok(())
            }
            "mov" => self.mov(instruction, guard),
            "cvta" => self.cvta(instruction, guard),
            _ => self.integer(instruction, guard),
        }
    }
}

/// Refuses an instruction that this version does not execute.
fn unsupported<T>(instruction: &ptx::Instruction) -> Result<T, Refusal> {
    Err(format!("`{}` is not supported yet", instruction.word))
}

/// The operands, if there are exactly as many as expected.
fn operands<'i, 'a, const N: usize>(
    instruction: &'i ptx::Instruction<'a>,
) -> Result<&'i [ptx::Operand<'a>; N], Refusal> {
    instruction.operands.as_slice().try_into().map_err(|_| {
        format!("`{}` takes {N} operands, not {}", instruction.word, instruction.operands.len())
    })
}

/// The type that an instruction names last: `add.sat.s32` works on `s32`.
fn last_type(instruction: &ptx::Instruction) -> Result<Type, Refusal> {
    instruction
        .modifiers()
        .filter_map(Type::parse)
        .last()
        .ok_or_else(|| format!("`{}` names no type", instruction.word))
}
