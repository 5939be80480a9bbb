//! Loads and stores.

use crate::compile::compiler::Compiler;
use crate::compile::names::Symbol;
use crate::compile::refuse::{Compiled, last_type, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{Op, SiteKind, Slot, Transfer, Window};
use crate::ptx::{Instruction, Operand};

/// What may stand in a load, store or atomic beside its space and type: where
/// and for how long caches keep the data, and how the access is ordered. The
/// emulator has no caches, and carries accesses out in the order of the program.
const HINTS: &[&str] = &[
    "nc", "ca", "cg", "cs", "cv", "lu", "wb", "wt", "weak", "volatile", "relaxed", "acquire",
    "release", "acq_rel", "sc", "mmio", "cta", "cluster", "gpu", "sys", "unified", "v2", "v4",
    "v8",
];

/// What a store or reduction that goes on beside the program has on top.
pub(crate) const ASYNC: &[&str] = &["async", "mbarrier::complete_tx::bytes"];

/// Refuses modifiers that are neither `known` nor hints.
pub(crate) fn check_modifiers(instruction: &Instruction, known: &[&str]) -> Compiled {
    for word in instruction.modifiers() {
        let hint = HINTS.contains(&word) || word.starts_with("L1::") || word.starts_with("L2::");
        let space = matches!(
            word,
            "global"
                | "shared"
                | "shared::cta"
                | "shared::cluster"
                | "local"
                | "const"
                | "param"
                | "param::entry"
                | "param::func"
        );
        if !hint && !space && !known.contains(&word) && Type::parse(word).is_none() {
            return unsupported(instruction);
        }
    }
    Ok(())
}

/// Operands without the cache policy that `.L2::cache_hint` adds.
pub(crate) fn without_policy<'i, 'a>(instruction: &'i Instruction<'a>) -> &'i [Operand<'a>] {
    let operands = instruction.operands.as_slice();
    match operands.split_last() {
        Some((_, rest)) if instruction.has("L2::cache_hint") => rest,
        _ => operands,
    }
}

impl<'a> Compiler<'a> {
    /// Which memory an instruction names.
    pub(crate) fn window(&self, instruction: &Instruction<'a>, base: Option<&str>) -> Window {
        for modifier in instruction.modifiers() {
            return match modifier {
                "global" => Window::Global,
                "shared" | "shared::cta" | "shared::cluster" => Window::Shared,
                "local" => Window::Local,
                "const" => Window::Const,
                "param" | "param::entry" | "param::func" => {
                    let own = base.and_then(|name| self.names.symbol(name));
                    match own {
                        Some(Symbol::Frame { .. }) => Window::Param,
                        _ if self.owner != 0 => Window::Param,
                        _ => Window::Const,
                    }
                }
                _ => continue,
            };
        }
        Window::Generic
    }

    pub(crate) fn load(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, Operand::Address(address)] = without_policy(instruction) else {
            return operand_error(instruction, 2);
        };
        check_modifiers(instruction, &[])?;
        let ty = last_type(instruction)?;
        let symbol = address.base.and_then(|name| self.names.symbol(name));
        let window = self.window(instruction, address.base);
        if window == Window::Const && !instruction.has("const") {
            let Some(name) = address.base else { return unsupported(instruction) };
            if self.names.find(name)?.is_none() && !matches!(symbol, Some(Symbol::Param { .. })) {
                return Err(format!("there is no parameter `{name}`"));
            }
            if matches!(symbol, Some(Symbol::Param { .. })) {
                return self.load_param(d, name, address.offset, ty);
            }
        }
        if let (Window::Param, None, Some(name)) = (window, symbol, address.base)
            && self.names.find(name)?.is_none()
        {
            return Err(format!("there is no parameter `{name}`"));
        }
        self.polls |= ["volatile", "relaxed", "acquire"].iter().any(|word| instruction.has(word));
        let Some(cell) = ty.cell() else { return unsupported(instruction) };
        let (a, offset) = self.place(address, window)?;
        let site = self.site(SiteKind::Load, offset)?;
        let count = vector(instruction, d)?;
        let wider = match d {
            Operand::Name(name) if *name != "_" && !ty.wide() => {
                self.names.register(name)?.ty.wide()
            }
            _ => false,
        };
        if count == 1 && !wider {
            let slot = self.destination(ty, d)?;
            self.push(Op::Load(Transfer { window, cell, count, a, slot, site }));
            return Ok(());
        }
        if let Some(slot) = self.consecutive(ty, d)? {
            self.push(Op::Load(Transfer { window, cell, count, a, slot, site }));
            return Ok(());
        }
        let slots = self.fresh_run(ty, count)?;
        self.push(Op::Load(Transfer { window, cell, count, a, slot: slots[0], site }));
        for (part, &a) in parts(d).iter().zip(&slots) {
            self.loaded(ty, part, a)?;
        }
        Ok(())
    }

    /// Moves what was loaded into its register, which may be wider: it is
    /// extended as the type says.
    pub(crate) fn loaded(&mut self, ty: Type, d: &Operand<'a>, a: Slot) -> Compiled {
        if let Operand::Name(name) = d
            && *name != "_"
            && !ty.wide()
        {
            let register = self.names.register(name)?;
            if register.ty.wide() {
                self.push(Op::Widen { signed: ty.signed(), d: register.slot, a });
                return Ok(());
            }
        }
        let d = self.destination(ty, d)?;
        self.push(Op::mov(ty.wide(), [d, a]));
        Ok(())
    }

    /// A kernel's parameter: its bytes are in slots before the kernel starts.
    fn load_param(&mut self, d: &Operand<'a>, name: &'a str, offset: i64, ty: Type) -> Compiled {
        for (index, d) in parts(d).iter().enumerate() {
            let at = offset.wrapping_add(index as i64 * i64::from(ty.bytes()));
            let mut a = self.param(name, at, ty)?;
            if ty.narrow().is_none() && self.alias(d, a, ty.wide()) {
                continue;
            }
            if let Some(f) = ty.narrow() {
                let narrow = self.names.new32()?;
                self.push(Op::Narrow { f, d: narrow, a });
                a = narrow;
            }
            self.loaded(ty, d, a)?;
        }
        Ok(())
    }

    pub(crate) fn store(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [Operand::Address(address), value] = without_policy(instruction) else {
            return operand_error(instruction, 2);
        };
        check_modifiers(instruction, ASYNC)?;
        let ty = last_type(instruction)?;
        let window = self.window(instruction, address.base);
        if window == Window::Const {
            return Err("constants and a kernel's parameters cannot be written".to_owned());
        }
        let Some(cell) = ty.cell() else { return unsupported(instruction) };
        let (a, offset) = self.place(address, window)?;
        let site = self.site(SiteKind::Store, offset)?;
        let count = vector(instruction, value)?;
        let values = parts(value).iter().map(|part| self.stored(ty, part));
        let values = values.collect::<Compiled<Vec<Slot>>>()?;
        let slot = self.side_by_side(ty, &values)?;
        self.push(Op::Store(Transfer { window, cell, count, a, slot, site }));
        Ok(())
    }

    /// The value of a store, which may come from a register wider than the
    /// type: its low bits are stored.
    pub(crate) fn stored(&mut self, ty: Type, operand: &Operand<'a>) -> Compiled<Slot> {
        if let Operand::Name(name) = operand
            && !ty.wide()
            && let Some(register) = self.names.find(name)?
            && register.ty.wide()
        {
            let d = self.names.new32()?;
            self.push(Op::Truncate { d, a: register.slot });
            return Ok(d);
        }
        self.value(ty, operand)
    }

    /// Consecutive fresh slots.
    pub(crate) fn fresh_run(&mut self, ty: Type, count: u8) -> Compiled<Vec<Slot>> {
        (0..count).map(|_| self.names.fresh(ty.wide())).collect()
    }

    /// The first slot of a vector's registers, if they have as many bits as `ty` and their slots
    /// follow each other: most do, as registers get their slots when they first appear.
    fn consecutive(&mut self, ty: Type, d: &Operand<'a>) -> Compiled<Option<Slot>> {
        let mut slots = Vec::new();
        for part in parts(d) {
            match self.register_of(part)? {
                Some(register) if register.ty.kind != Kind::Pred => {
                    if register.ty.wide() != ty.wide() {
                        return Ok(None);
                    }
                    slots.push(register.slot);
                }
                _ => return Ok(None),
            }
        }
        Ok(follow(&slots).then(|| slots[0]))
    }

    /// Puts values into consecutive slots, if they are not there. Returns the first.
    pub(crate) fn side_by_side(&mut self, ty: Type, values: &[Slot]) -> Compiled<Slot> {
        if follow(values) {
            return Ok(values[0]);
        }
        let slots = self.fresh_run(ty, values.len() as u8)?;
        for (&d, &a) in slots.iter().zip(values) {
            self.push(Op::mov(ty.wide(), [d, a]));
        }
        Ok(slots[0])
    }
}

/// Whether slots follow each other.
fn follow(slots: &[Slot]) -> bool {
    !slots.is_empty() && slots.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]))
}

/// The registers of a vector, or the one operand.
pub(crate) fn parts<'o, 'a>(operand: &'o Operand<'a>) -> &'o [Operand<'a>] {
    match operand {
        Operand::Vector(parts) => parts,
        one => std::slice::from_ref(one),
    }
}

/// The number of registers in an operand. A vector has as many as the instruction says.
pub(crate) fn vector(instruction: &Instruction, operand: &Operand) -> Compiled<u8> {
    let Operand::Vector(parts) = operand else { return Ok(1) };
    let count = instruction.modifiers().find_map(|word| match word {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    });
    match count {
        Some(count) if usize::from(count) == parts.len() => Ok(count),
        _ => Err(format!("`{}` does not take {} registers", instruction.word, parts.len())),
    }
}

/// The refusal of an instruction that has operands of another number or kind.
fn operand_error(instruction: &Instruction, count: usize) -> Compiled {
    let found = without_policy(instruction).len();
    if found == count {
        return unsupported(instruction);
    }
    Err(format!("`{}` takes {count} operands, not {found}", instruction.word))
}
