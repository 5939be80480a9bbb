//! Operands to slots: registers, immediates, symbols, parameters.

use super::names::{self, Register};
use super::types::{Kind, Type};
use super::{Lowering, Refusal};
use crate::emulator::kernel::FillValue;
use crate::emulator::memory::SHARED_WINDOW;
use crate::emulator::op::{Compare, Guard, Logic, Narrow, Op, Slot};
use crate::ptx::Operand;

impl<'a> Lowering<'a> {
    pub(super) fn value32(&mut self, operand: &Operand<'a>) -> Result<Slot, Refusal> {
        match operand {
            Operand::Int(value) => self.constant32(*value as u32),
            Operand::Float32(bits) => self.constant32(*bits),
            Operand::Name(name) => {
                if let Some(value) = names::special(name) {
                    return self.fill(value, false);
                }
                let register = self.names.find(name)?;
                match register {
                    Some(Register { ty, slot }) if ty.kind != Kind::Pred && !ty.wide() => Ok(slot),
                    Some(_) => Err(format!("`{name}` does not have 32 bits or fewer")),
                    None => match self.names.shared(name) {
                        Some(symbol) => self.constant32(symbol.offset as u32),
                        None => {
                            Err(format!("`{name}` is neither a register nor a shared variable"))
                        }
                    },
                }
            }
            Operand::Symbol { name, offset, generic: false } => match self.names.shared(name) {
                Some(symbol) => self.constant32(symbol.offset.wrapping_add_signed(*offset) as u32),
                None => Err(format!("the address of `{name}` is not supported yet")),
            },
            _ => Err("this operand is not supported here".to_owned()),
        }
    }

    /// A 64-bit slot with the operand's value.
    pub(super) fn value64(&mut self, operand: &Operand<'a>) -> Result<Slot, Refusal> {
        match operand {
            Operand::Int(value) => self.constant64(*value),
            Operand::Float64(bits) => self.constant64(*bits),
            Operand::Name(name) => {
                let register = self.names.find(name)?;
                match register {
                    Some(Register { ty, slot }) if ty.wide() => Ok(slot),
                    Some(_) => Err(format!("`{name}` does not have 64 bits")),
                    None => self.symbol(name, 0, false),
                }
            }
            Operand::Symbol { name, offset, generic } => self.symbol(name, *offset, *generic),
            _ => Err("this operand is not supported here".to_owned()),
        }
    }

    fn symbol(&mut self, name: &str, offset: i64, generic: bool) -> Result<Slot, Refusal> {
        if let Some(symbol) = self.names.shared(name) {
            let window = if generic { SHARED_WINDOW } else { 0 };
            return self.constant64((window + symbol.offset).wrapping_add_signed(offset));
        }
        match self.names.other(name) {
            Some(_) => {
                Err(format!("`{name}`: variables outside shared memory are not supported yet"))
            }
            None => Err(format!("`{name}` is neither a register nor a variable")),
        }
    }

    /// A slot of the width of `ty`.
    pub(super) fn value(&mut self, ty: Type, operand: &Operand<'a>) -> Result<Slot, Refusal> {
        if ty.wide() { self.value64(operand) } else { self.value32(operand) }
    }

    /// As [`Self::value`], sign- or zero-extended from 8 or 16 bits to the slot.
    pub(super) fn extended(
        &mut self,
        ty: Type,
        operand: &Operand<'a>,
        guard: Guard,
    ) -> Result<Slot, Refusal> {
        let a = self.value(ty, operand)?;
        // Slots hold narrow values zero-extended; only signed ones differ.
        match ty.narrow() {
            Some(f @ (Narrow::S8 | Narrow::S16)) => {
                let d = self.names.new32()?;
                self.push(guard, Op::Narrow { f, d, a });
                Ok(d)
            }
            _ => Ok(a),
        }
    }

    /// A predicate, negated into a fresh slot if `!` says so.
    pub(super) fn pred_value(&mut self, operand: &Operand<'a>) -> Result<Slot, Refusal> {
        match operand {
            Operand::Name(name) => self.names.pred(name),
            Operand::Not(name) => {
                let a = self.names.pred(name)?;
                let (ones, d) = (self.all_lanes()?, self.names.new_pred()?);
                self.push(Guard::Always, Op::Logic { f: Logic::AndNot, d, a: ones, b: a });
                Ok(d)
            }
            _ => Err("expected a predicate".to_owned()),
        }
    }

    /// A predicate that is true in every lane.
    pub(super) fn all_lanes(&mut self) -> Result<Slot, Refusal> {
        let zero = self.constant32(0)?;
        let d = self.names.new_pred()?;
        self.push(Guard::Always, Op::Compare32 { f: Compare::Equal, d, a: zero, b: zero });
        Ok(d)
    }

    /// The register that an instruction writes, with the slot's width checked.
    pub(super) fn destination(&mut self, ty: Type, operand: &Operand<'a>) -> Result<Slot, Refusal> {
        let Operand::Name(name) = operand else {
            return Err("expected a register to write".to_owned());
        };
        if *name == "_" {
            return if ty.wide() { self.names.new64() } else { self.names.new32() };
        }
        let register = self.names.register(name)?;
        if register.ty.wide() == ty.wide() && register.ty.kind != Kind::Pred {
            Ok(register.slot)
        } else {
            Err(format!("`{name}` does not fit a result of {} bits", ty.bits))
        }
    }

    /// Keeps a narrow result zero-extended in its slot.
    pub(super) fn settle(&mut self, ty: Type, d: Slot, guard: Guard) {
        let f = match ty.bits {
            8 => Narrow::U8,
            16 => Narrow::U16,
            _ => return,
        };
        self.push(guard, Op::Narrow { f, d, a: d });
    }

    /// The slot of `%rd + 8` style addresses without the offset, as 64 bits.
    pub(super) fn address(&mut self, base: Option<&'a str>, guard: Guard) -> Result<Slot, Refusal> {
        let Some(name) = base else { return self.constant64(0) };
        match self.names.find(name)? {
            Some(Register { ty, slot }) if ty.wide() => Ok(slot),
            Some(Register { ty, slot }) if ty.bits == 32 => {
                // Shared addresses may have 32 bits.
                let d = self.names.new64()?;
                self.push(guard, Op::Widen { signed: false, d, a: slot });
                Ok(d)
            }
            Some(_) => Err(format!("`{name}` cannot hold an address")),
            None => self.symbol(name, 0, false),
        }
    }

    /// A parameter's bytes as a filled slot.
    pub(super) fn param(&mut self, name: &str, offset: i64, ty: Type) -> Result<Slot, Refusal> {
        let (index, size) =
            self.names.param(name).ok_or_else(|| format!("there is no parameter `{name}`"))?;
        let bytes = ty.bytes();
        let inside = u32::try_from(offset).ok().filter(|&offset| offset + bytes <= size);
        let offset = inside.ok_or_else(|| {
            format!(
                "reading {bytes} bytes at {offset} goes beyond parameter `{name}` of {size} bytes"
            )
        })?;
        self.fill(FillValue::Param { index, offset: offset as u16, bytes: bytes as u8 }, ty.wide())
    }
}
