//! The syntax tree to compact ops: checks everything, so that what runs cannot
//! fail except by what the kernel itself does.

mod address;
mod arithmetic;
mod atomic;
mod barrier;
mod bits;
mod call;
mod carry;
mod cluster;
mod collective;
mod compare;
mod control;
mod convert;
mod copy;
mod float;
mod fold;
mod handover;
mod integer;
mod layout;
mod loaded;
mod memory;
mod names;
mod operands;
mod pack;
mod pairs;
mod quad;
mod special;
mod types;
mod video;

use std::collections::HashMap;

use super::exchange::Collective;
use super::kernel::{
    Block, Call, Callable, Fill, FillValue, Instruction, Kernel, ParamLayout, Service, Site,
    SiteKind, Slots, Special, Table,
};
use super::op::{Guard, Inst, Op, Slot};
use crate::ptx::{self, Item, ParseError};
use layout::Layout;
use names::Names;
use types::Type;

/// Why PTX cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// It is not PTX.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// It asks for something that this version does not do, or contradicts itself.
    #[error("{path}:{line}: {message}")]
    Refused {
        /// The file as named by the caller.
        path: String,
        /// Line in it.
        line: u32,
        /// What and why.
        message: String,
    },
    /// It has no such kernel.
    #[error("{path} has no kernel `{name}` (it has: {known})")]
    NoKernel {
        /// The file as named by the caller.
        path: String,
        /// The name asked for.
        name: String,
        /// The kernels it has.
        known: String,
    },
}

/// Prepares the kernel `name` of a PTX file for launching; `path` is what
/// messages call the file.
pub fn load(text: &str, path: &str, name: &str) -> Result<Kernel, LoadError> {
    let module = ptx::parse(text, path)?;
    if module.address_size != 64 {
        return Err(LoadError::Refused {
            path: path.to_owned(),
            line: 1,
            message: format!(
                "addresses of {} bits are not supported, only of 64",
                module.address_size
            ),
        });
    }
    let entries = || {
        module.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.entry => Some(function),
            _ => None,
        })
    };
    match entries().find(|function| function.name == name) {
        Some(function) => {
            let mut kernel = lower(&module, function, path)?;
            kernel.data.module = fingerprint(text);
            Ok(kernel)
        }
        None => Err(LoadError::NoKernel {
            path: path.to_owned(),
            name: name.to_owned(),
            known: entries().map(|function| function.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Tells the texts of modules apart.
fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Bytes that the parameters of a kernel can take together.
const MOST_PARAMS: u64 = 32_764;

/// Why an instruction was refused; becomes a [`LoadError`] with its place.
type Refusal = String;

/// Lowers one entry of `module`.
fn lower<'a>(
    module: &'a ptx::Module<'a>,
    function: &'a ptx::Function<'a>,
    path: &str,
) -> Result<Kernel, LoadError> {
    let error = |(position, message): (ptx::Position, String)| LoadError::Refused {
        path: path.to_owned(),
        line: position.line,
        message,
    };
    cluster::check(function).map_err(error)?;
    let mut layout = Layout::new(module, function).map_err(error)?;
    let mut lowering = Lowering {
        names: Names::new(std::mem::take(&mut layout.symbols)),
        owner: 0,
        functions: HashMap::new(),
        callees: layout.functions.clone(),
        takes: Vec::new(),
        gives: Vec::new(),
        insts: Vec::new(),
        instructions: Vec::new(),
        sites: Vec::new(),
        collectives: Vec::new(),
        calls: Vec::new(),
        tables: Vec::new(),
        services: Vec::new(),
        fills: Vec::new(),
        block_start: 0,
        filled: HashMap::new(),
        schedule_dependent: false,
        polls: false,
    };
    for (index, function) in layout.functions.iter().enumerate() {
        let index = u16::try_from(index).map_err(|_| {
            error((function.position, "the kernel calls more than 65536 functions".to_owned()))
        })?;
        lowering.functions.insert(function.name, index);
    }
    let params = lowering.entry_params(function).map_err(|m| error((function.position, m)))?;
    let mut callables = Vec::new();
    let mut blocks = Vec::new();
    for (index, function) in layout.functions.iter().enumerate() {
        let own = std::mem::take(&mut layout.own[index]);
        let (base, more) = (blocks.len() as u32, blocks.len());
        callables.push(lowering.function(index, function, own, base, &mut blocks).map_err(error)?);
        debug_assert!(blocks.len() > more);
    }
    let frames: Vec<u64> = callables.iter().map(|callable: &Callable| callable.frame).collect();
    call::link(&mut lowering.calls, &layout, &frames);
    let stack = if lowering.calls.is_empty() {
        0
    } else {
        lowering.stack().map_err(|message| error((function.position, message)))?
    };
    let mut by_address = Vec::new();
    for item in &module.items {
        if let ptx::Item::Function(function) = item {
            let defined = function.body.is_some();
            let number = lowering.functions.get(function.name).copied().filter(|&n| n != 0);
            by_address.push(number.filter(|_| defined));
        }
    }
    Ok(Kernel {
        name: function.name.to_owned(),
        path: path.to_owned(),
        files: module.files.iter().map(|&(number, name)| (number, name.to_owned())).collect(),
        params,
        static_shared: layout.static_shared,
        insts: lowering.insts,
        blocks,
        instructions: lowering.instructions,
        sites: lowering.sites,
        collectives: lowering.collectives,
        functions: callables,
        by_address,
        calls: lowering.calls,
        tables: lowering.tables,
        services: lowering.services,
        stack,
        data: layout.data,
        slots32: lowering.names.slots32,
        slots64: lowering.names.slots64,
        preds: lowering.names.preds,
        fills: lowering.fills,
        schedule_dependent: lowering.schedule_dependent,
        polls: lowering.polls || lowering.schedule_dependent,
        waits: Vec::new(),
    })
}

/// A kernel being lowered.
struct Lowering<'a> {
    names: Names<'a>,
    /// Number of the function that is being lowered; 0 is the kernel.
    owner: usize,
    /// Numbers of the functions that have bodies.
    functions: HashMap<&'a str, u16>,
    callees: Vec<&'a ptx::Function<'a>>,
    calls: Vec<Call>,
    tables: Vec<Table>,
    services: Vec<Service>,
    /// Parameters and results in registers of the function that is being lowered.
    takes: Vec<handover::InRegister>,
    gives: Vec<handover::InRegister>,
    insts: Vec<Inst>,
    instructions: Vec<Instruction>,
    sites: Vec<Site>,
    collectives: Vec<Collective>,
    fills: Vec<Fill>,
    /// First op of the basic block that is being lowered.
    block_start: usize,
    /// Slots already filled with a value, by value and width.
    filled: HashMap<(FillValue, bool), Slot>,
    schedule_dependent: bool,
    polls: bool,
}

impl<'a> Lowering<'a> {
    /// Lowers one function, appending its basic blocks.
    fn function(
        &mut self,
        index: usize,
        function: &'a ptx::Function<'a>,
        own: HashMap<&'a str, names::Symbol>,
        base: u32,
        blocks: &mut Vec<Block>,
    ) -> Result<Callable, (ptx::Position, Refusal)> {
        let body = function.body.as_deref().unwrap_or_default();
        self.owner = index;
        self.names.enter(own, body);
        self.gives.clear();
        let starts = (self.names.slots32, self.names.slots64, self.names.preds);
        let params = if index == 0 { Ok(()) } else { self.parameters(function) };
        params.map_err(|message| (function.position, message))?;
        blocks.extend(self.body(body, base)?);
        Ok(Callable {
            block: base,
            frame: self.names.frame_size,
            slots: Slots {
                words: starts.0..self.names.slots32,
                doubles: starts.1..self.names.slots64,
                preds: starts.2..self.names.preds,
            },
        })
    }

    /// Makes the kernel's parameters known.
    fn entry_params(&mut self, function: &ptx::Function<'a>) -> Result<Vec<ParamLayout>, Refusal> {
        let (mut word, mut end) = (0_usize, 0_u64);
        let mut params = Vec::new();
        for param in &function.params {
            let (bytes, align) = Self::parameter_extent(param)?;
            let offset = end.next_multiple_of(align.max(8));
            end = offset + bytes;
            if end > MOST_PARAMS {
                return Err(format!("the parameters take more than {MOST_PARAMS} bytes"));
            }
            let layout = ParamLayout { bytes: bytes as u32, offset: offset as u32 };
            let symbol = names::Symbol::Param { word: word as u16, offset, bytes: layout.bytes };
            self.names.bind_param(param.name, symbol);
            word += layout.words();
            params.push(layout);
        }
        Ok(params)
    }

    /// The slot of the address of the running function's frame.
    fn stack(&mut self) -> Result<Slot, Refusal> {
        self.fill(FillValue::Special(Special::Stack), true)
    }

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
        self.sites.push(Site { kind, instruction, offset, increments: false, silent: false });
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
        cluster::refuse(instruction)?;
        match instruction.opcode {
            "ld" | "st" if instruction.has("b128") => self.transfer_quad(instruction, guard),
            "mov" if instruction.has("b128") => self.move_quad(instruction, guard),
            "cp" => self.copy(instruction, guard),
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
            "membar" | "fence" => barrier::fence(instruction),
            // Hints to caches and to the scheduler.
            "prefetch" | "prefetchu" | "applypriority" | "nanosleep" | "discard" | "pmevent"
            | "griddepcontrol" | "setmaxnreg" => self.hint(instruction),
            "trap" => {
                let site = self.site(SiteKind::Trap, 0)?;
                self.push(guard, Op::Trap { site });
                Ok(())
            }
            "add" if self.fold_into_product(instruction, guard)? => Ok(()),
            "mov" => self.mov(instruction, guard),
            "cvta" => self.cvta(instruction, guard),
            "isspacep" => self.isspacep(instruction, guard),
            _ => self.arithmetic(instruction, guard),
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
