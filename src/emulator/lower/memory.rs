//! Loads, stores, atomics.

use super::types::{Kind, Type};
use super::{Lowering, Refusal, last_type, operands, unsupported};
use crate::emulator::kernel::SiteKind;
use crate::emulator::op::{Guard, Op, Rmw, Window};
use crate::ptx::{Instruction, Operand};

/// Which memory an instruction names.
fn window(instruction: &Instruction) -> Result<Window, Refusal> {
    let mut window = Window::Generic;
    for modifier in instruction.modifiers() {
        match modifier {
            "global" => window = Window::Global,
            "shared" | "shared::cta" => window = Window::Shared,
            "local" | "const" | "shared::cluster" => return unsupported(instruction),
            _ => {}
        }
    }
    Ok(window)
}

impl<'a> Lowering<'a> {
    pub(super) fn load(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Result<(), Refusal> {
        let [d, Operand::Address(address)] = operands(instruction)? else {
            return unsupported(instruction);
        };
        let ty = last_type(instruction)?;
        if instruction.has("param") {
            let Some(name) = address.base else { return unsupported(instruction) };
            let a = self.param(name, address.offset, ty)?;
            let d = self.destination(ty, d)?;
            self.push(guard, if ty.wide() { Op::Move64 { d, a } } else { Op::Move32 { d, a } });
            if let Some(f) = ty.narrow() {
                self.push(guard, Op::Narrow { f, d, a: d });
            }
            return Ok(());
        }
        let window = window(instruction)?;
        self.polls |= ["volatile", "relaxed", "acquire"].iter().any(|word| instruction.has(word));
        let Some(cell) = ty.cell() else { return unsupported(instruction) };
        let a = self.address(address.base, guard)?;
        let site = self.site(SiteKind::Load, address.offset)?;
        if let Operand::Vector(parts) = d {
            // Loaded side by side, then moved to where they belong: one of
            // them may be the address.
            let count = parts.len() as u8;
            let side_by_side: Vec<u16> =
                parts.iter().map(|_| self.fresh(ty)).collect::<Result<_, _>>()?;
            let Some(&first) = side_by_side.first() else { return unsupported(instruction) };
            self.push(guard, Op::LoadVector { window, cell, count, d: first, a, site });
            for (part, &a) in parts.iter().zip(&side_by_side) {
                let d = self.destination(ty, part)?;
                self.push(guard, if ty.wide() { Op::Move64 { d, a } } else { Op::Move32 { d, a } });
            }
        } else {
            let wider = match d {
                Operand::Name(name) if *name != "_" && !ty.wide() => {
                    Some(self.names.register(name)?).filter(|register| register.ty.wide())
                }
                _ => None,
            };
            if let Some(register) = wider {
                // `ld.u32` into 64 bits: extended as the type says.
                let loaded = self.names.new32()?;
                self.push(guard, Op::Load { window, cell, d: loaded, a, site });
                self.push(guard, Op::Widen { signed: ty.signed(), d: register.slot, a: loaded });
            } else {
                let d = self.destination(ty, d)?;
                self.push(guard, Op::Load { window, cell, d, a, site });
            }
        }
        Ok(())
    }

    pub(super) fn store(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Result<(), Refusal> {
        let [Operand::Address(address), value] = operands(instruction)? else {
            return unsupported(instruction);
        };
        if instruction.has("param") {
            return unsupported(instruction);
        }
        let ty = last_type(instruction)?;
        let window = window(instruction)?;
        let Some(cell) = ty.cell() else { return unsupported(instruction) };
        let a = self.address(address.base, guard)?;
        let site = self.site(SiteKind::Store, address.offset)?;
        if let Operand::Vector(parts) = value {
            // Values first: making constants takes slots, and those below must
            // be side by side.
            let values: Vec<u16> =
                parts.iter().map(|part| self.stored(ty, part, guard)).collect::<Result<_, _>>()?;
            let side_by_side: Vec<u16> =
                values.iter().map(|_| self.fresh(ty)).collect::<Result<_, _>>()?;
            for (&d, &a) in side_by_side.iter().zip(&values) {
                self.push(guard, if ty.wide() { Op::Move64 { d, a } } else { Op::Move32 { d, a } });
            }
            let Some(&b) = side_by_side.first() else { return unsupported(instruction) };
            let count = parts.len() as u8;
            self.push(guard, Op::StoreVector { window, cell, count, a, b, site });
        } else {
            let b = self.stored(ty, value, guard)?;
            self.push(guard, Op::Store { window, cell, a, b, site });
        }
        Ok(())
    }

    /// The value of a store, which may come from a register wider than the
    /// type: its low bits are stored.
    fn stored(&mut self, ty: Type, operand: &Operand<'a>, guard: Guard) -> Result<u16, Refusal> {
        if let Operand::Name(name) = operand
            && !ty.wide()
            && let Some(register) = self.names.find(name)?
            && register.ty.wide()
        {
            let d = self.names.new32()?;
            self.push(guard, Op::Truncate { d, a: register.slot });
            return Ok(d);
        }
        self.value(ty, operand)
    }

    /// A slot of the width of `ty` that nothing else uses.
    fn fresh(&mut self, ty: Type) -> Result<u16, Refusal> {
        if ty.wide() { self.names.new64() } else { self.names.new32() }
    }

    pub(super) fn atomic(
        &mut self,
        instruction: &Instruction<'a>,
        guard: Guard,
    ) -> Result<(), Refusal> {
        let ty = last_type(instruction)?;
        if ty.kind == Kind::Float || ty.bits < 32 || instruction.has("noftz") {
            return unsupported(instruction);
        }
        let pick = |s, u| if ty.signed() { s } else { u };
        let function = instruction.modifiers().find_map(|word| {
            Some(match word {
                "add" => Rmw::Add,
                "min" => pick(Rmw::MinS, Rmw::MinU),
                "max" => pick(Rmw::MaxS, Rmw::MaxU),
                "and" => Rmw::And,
                "or" => Rmw::Or,
                "xor" => Rmw::Xor,
                "exch" => Rmw::Exchange,
                "cas" => Rmw::CompareExchange,
                "inc" => Rmw::Increment,
                "dec" => Rmw::Decrement,
                _ => return None,
            })
        });
        let Some(f) = function else { return unsupported(instruction) };
        let (d, rest) = match (instruction.opcode, instruction.operands.as_slice()) {
            ("atom", [d, rest @ ..]) => (Some(d), rest),
            ("red", rest) => (None, rest),
            _ => return unsupported(instruction),
        };
        let (Operand::Address(address), b, c) = (match rest {
            [address, b] => (address, b, None),
            [address, b, c] => (address, b, Some(c)),
            _ => return unsupported(instruction),
        }) else {
            return unsupported(instruction);
        };
        let window = window(instruction)?;
        let a = self.address(address.base, guard)?;
        let b = self.value(ty, b)?;
        let c = match c {
            Some(c) => self.value(ty, c)?,
            None => b,
        };
        let wide = ty.wide();
        let site = self.site(SiteKind::Atomic, address.offset)?;
        // As `ptxas` does: where nobody reads the old value, none is fetched.
        let used = match d {
            Some(Operand::Name(name)) => *name != "_" && self.names.is_read(name),
            _ => false,
        };
        // These leave a value that depends on who came last, even unread.
        let ordered =
            matches!(f, Rmw::Exchange | Rmw::CompareExchange | Rmw::Increment | Rmw::Decrement);
        self.schedule_dependent |= used || ordered;
        match d {
            Some(d) if used => {
                let d = self.destination(ty, d)?;
                self.push(guard, Op::Atomic { window, f, wide, d, a, b, c, site });
            }
            _ => {
                let one = f == Rmw::Add && !wide && rest.get(1) == Some(&Operand::Int(1));
                self.sites[usize::from(site)].increments = one;
                self.push(guard, Op::Reduce { window, f, wide, a, b, c, site });
            }
        }
        Ok(())
    }
}
