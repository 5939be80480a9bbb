//! What the names in a function stand for: registers, symbols, parameters.

use std::collections::{HashMap, HashSet};

use super::Refusal;
use super::types::{Kind, Type};
use crate::emulator::kernel::{FillValue, Special};
use crate::emulator::op::Slot;
use crate::ptx::{self, Item, Operand, Space, Statement};

/// A register: its file and its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Register {
    pub(super) ty: Type,
    pub(super) slot: Slot,
}

/// A variable in shared memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SharedSymbol {
    /// Bytes from the start of the block's shared memory.
    pub(super) offset: u64,
}

/// Names of one function and of the module around it.
#[derive(Debug)]
pub(super) struct Names<'a> {
    registers: HashMap<&'a str, Register>,
    ranges: HashMap<&'a str, (Type, u32)>,
    shared: HashMap<&'a str, SharedSymbol>,
    params: HashMap<&'a str, (u16, u32)>,
    other: HashMap<&'a str, Space>,
    /// Registers that some instruction reads.
    read: HashSet<&'a str>,
    pub(super) static_shared: u64,
    pub(super) slots32: usize,
    pub(super) slots64: usize,
    pub(super) preds: usize,
}

impl<'a> Names<'a> {
    /// Collects every declaration.
    pub(super) fn collect(
        module: &ptx::Module<'a>,
        function: &ptx::Function<'a>,
        body: &[Statement<'a>],
    ) -> Result<Self, (ptx::Position, Refusal)> {
        let mut names = Self {
            registers: HashMap::new(),
            ranges: HashMap::new(),
            shared: HashMap::new(),
            params: HashMap::new(),
            other: HashMap::new(),
            read: HashSet::new(),
            static_shared: 0,
            slots32: 0,
            slots64: 0,
            preds: 0,
        };
        for (index, param) in function.params.iter().enumerate() {
            let bytes = Type::parse(param.ty).map_or(0, Type::bytes);
            names.params.insert(param.name, (index as u16, bytes));
        }
        let module_variables = module.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(variable),
            Item::Function(_) => None,
        });
        let own_variables = body.iter().filter_map(|statement| match statement {
            Statement::Variable(variable) => Some(variable),
            _ => None,
        });
        let mut dynamic = Vec::new();
        for variable in module_variables.chain(own_variables) {
            if variable.space != Space::Shared {
                names.other.insert(variable.name, variable.space);
                continue;
            }
            let Some(ty) = Type::parse(variable.ty) else {
                return Err((variable.position, format!("`.{}` is not a type", variable.ty)));
            };
            let align = u64::from(variable.align.unwrap_or(ty.bytes()).max(1));
            match variable.count {
                // Dynamic shared memory starts behind everything static.
                None | Some(0) => dynamic.push((variable.name, align)),
                Some(count) => {
                    let too_large = || {
                        (
                            variable.position,
                            format!("`{}` is larger than any shared memory", variable.name),
                        )
                    };
                    let bytes = count
                        .checked_mul(u64::from(ty.bytes()))
                        .filter(|&bytes| bytes <= 1 << 20)
                        .ok_or_else(too_large)?;
                    let offset = names.static_shared.next_multiple_of(align);
                    names.static_shared = offset + bytes;
                    if names.static_shared > 1 << 20 {
                        return Err(too_large());
                    }
                    names.shared.insert(variable.name, SharedSymbol { offset });
                }
            }
        }
        for (name, align) in dynamic {
            let offset = names.static_shared.next_multiple_of(align.max(16));
            names.shared.insert(name, SharedSymbol { offset });
        }
        for statement in body {
            match statement {
                Statement::Registers(decl) => {
                    names.declare(decl).map_err(|message| (decl.position, message))?;
                }
                Statement::Instruction(instruction) => names.note_reads(instruction),
                _ => {}
            }
        }
        Ok(names)
    }

    fn declare(&mut self, decl: &ptx::RegisterDecl<'a>) -> Result<(), Refusal> {
        let ty = Type::parse(decl.ty)
            .ok_or_else(|| format!("registers of type `.{}` are not supported yet", decl.ty))?;
        if let Some(count) = decl.count {
            self.ranges.insert(decl.name, (ty, count));
        } else {
            let slot = self.new_slot(ty)?;
            self.registers.insert(decl.name, Register { ty, slot });
        }
        Ok(())
    }

    /// Everything but the first operand is read, and so is the first operand
    /// of a store, and whatever an address or a guard names.
    fn note_reads(&mut self, instruction: &ptx::Instruction<'a>) {
        self.read.extend(instruction.guard.map(|guard| guard.register));
        let writes_first = !matches!(
            instruction.opcode,
            "st" | "red" | "bra" | "bar" | "barrier" | "ret" | "exit" | "call" | "brx"
        );
        for (index, operand) in instruction.operands.iter().enumerate() {
            if index > 0 || !writes_first {
                self.note_read(operand);
            }
        }
    }

    fn note_read(&mut self, operand: &Operand<'a>) {
        match operand {
            Operand::Name(name) | Operand::Not(name) => {
                self.read.insert(name);
            }
            Operand::Address(address) => self.read.extend(address.base),
            Operand::Vector(parts) | Operand::List(parts) => {
                for part in parts {
                    self.note_read(part);
                }
            }
            Operand::Pair(a, b) => self.read.extend([a, b]),
            _ => {}
        }
    }

    /// Whether any instruction reads this register.
    pub(super) fn is_read(&self, name: &str) -> bool {
        self.read.contains(name)
    }

    fn new_slot(&mut self, ty: Type) -> Result<Slot, Refusal> {
        match ty.kind {
            Kind::Pred => Self::next(&mut self.preds),
            _ if ty.wide() => self.new64(),
            _ => self.new32(),
        }
    }

    fn next(count: &mut usize) -> Result<Slot, Refusal> {
        let slot = Slot::try_from(*count)
            .ok()
            .filter(|&slot| slot < Slot::MAX)
            .ok_or("the kernel has more registers than the emulator can hold (65534 of a width)")?;
        *count += 1;
        Ok(slot)
    }

    pub(super) fn new32(&mut self) -> Result<Slot, Refusal> {
        Self::next(&mut self.slots32)
    }

    pub(super) fn new64(&mut self) -> Result<Slot, Refusal> {
        Self::next(&mut self.slots64)
    }

    pub(super) fn new_pred(&mut self) -> Result<Slot, Refusal> {
        Self::next(&mut self.preds)
    }

    /// The register called `name`, if there is one.
    pub(super) fn find(&mut self, name: &'a str) -> Result<Option<Register>, Refusal> {
        if let Some(&register) = self.registers.get(name) {
            return Ok(Some(register));
        }
        // `%r12` out of `.reg .b32 %r<15>`.
        let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
        let (prefix, number) = name.split_at(name.len() - digits);
        let Some(&(ty, count)) = self.ranges.get(prefix) else { return Ok(None) };
        if number.parse::<u32>().is_ok_and(|number| number < count) {
            let slot = self.new_slot(ty)?;
            let register = Register { ty, slot };
            self.registers.insert(name, register);
            return Ok(Some(register));
        }
        Ok(None)
    }

    /// The register called `name`.
    pub(super) fn register(&mut self, name: &'a str) -> Result<Register, Refusal> {
        self.find(name)?.ok_or_else(|| format!("there is no register `{name}`"))
    }

    /// The predicate register called `name`.
    pub(super) fn pred(&mut self, name: &'a str) -> Result<Slot, Refusal> {
        let register = self.register(name)?;
        if register.ty.kind == Kind::Pred {
            Ok(register.slot)
        } else {
            Err(format!("`{name}` is not a predicate"))
        }
    }

    /// The shared variable called `name`.
    pub(super) fn shared(&self, name: &str) -> Option<SharedSymbol> {
        self.shared.get(name).copied()
    }

    /// The space of a variable that this version does not reach yet.
    pub(super) fn other(&self, name: &str) -> Option<Space> {
        self.other.get(name).copied()
    }

    /// Index and size in bytes of the parameter called `name`.
    pub(super) fn param(&self, name: &str) -> Option<(u16, u32)> {
        self.params.get(name).copied()
    }
}

/// The value of a special register that does not change while a block runs.
pub(super) fn special(name: &str) -> Option<FillValue> {
    let (base, axis) = match name.rsplit_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        _ => (name, 3),
    };
    let special = match (base, axis) {
        ("%tid", 0..3) => Special::Thread(axis),
        ("%ntid", 0..3) => Special::BlockExtent(axis),
        ("%ctaid", 0..3) => Special::Block(axis),
        ("%nctaid", 0..3) => Special::GridExtent(axis),
        ("%laneid", _) => Special::Lane,
        ("%warpid", _) => Special::Warp,
        ("%nwarpid", _) => Special::Warps,
        ("%lanemask_eq", _) => Special::MaskEqual,
        ("%lanemask_lt", _) => Special::MaskLess,
        ("%lanemask_le", _) => Special::MaskLessEqual,
        ("%lanemask_gt", _) => Special::MaskGreater,
        ("%lanemask_ge", _) => Special::MaskGreaterEqual,
        ("%dynamic_smem_size", _) => Special::DynamicShared,
        ("%total_smem_size", _) => Special::TotalShared,
        ("WARP_SZ", _) => return Some(FillValue::Constant(32)),
        _ => return None,
    };
    Some(FillValue::Special(special))
}
