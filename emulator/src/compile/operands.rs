//! Operands to slots: registers, immediates, symbols, parameters.

use crate::compile::compiler::Compiler;
use crate::compile::names::{Register, Symbol};
use crate::compile::refuse::Compiled;
use crate::compile::special;
use crate::compile::types::{Kind, Type};
use crate::program::{Compare, FillValue, Logic, Narrow, Op, Slot, Special};
use crate::ptx::Operand;

impl<'a> Compiler<'a> {
    pub(crate) fn value32(&mut self, operand: &Operand<'a>) -> Compiled<Slot> {
        match operand {
            Operand::Int(value) => self.constant32(*value as u32),
            Operand::Float32(bits) => self.constant32(*bits),
            Operand::Name(name) => {
                if let Some(value) = special::special(name) {
                    return self.fill(value, false);
                }
                if let Some(clock) = self.clock(name, false)? {
                    return Ok(clock);
                }
                let register = self.names.find(name)?;
                match register {
                    Some(Register { ty, slot }) if ty.kind != Kind::Pred && !ty.wide() => Ok(slot),
                    Some(_) => Err(format!("`{name}` does not have 32 bits or fewer")),
                    None => self.symbol32(name, 0),
                }
            }
            Operand::Element(..) => self.element_value(Type::B32, operand),
            Operand::Symbol { name, offset, generic: false } => self.symbol32(name, *offset),
            _ => Err("this operand is not supported here".to_owned()),
        }
    }

    /// The address of a variable in a window small enough for 32 bits.
    fn symbol32(&mut self, name: &str, offset: i64) -> Compiled<Slot> {
        match self.names.symbol(name) {
            Some(Symbol::Shared { .. } | Symbol::Constant { .. } | Symbol::Frame { .. }) => {
                let (a, d) = (self.symbol(name, offset, false)?, self.names.new32()?);
                self.push_always(Op::Truncate { d, a });
                Ok(d)
            }
            _ => {
                Err(format!("`{name}` is neither a register nor a variable with a 32-bit address"))
            }
        }
    }

    /// A 64-bit slot with the operand's value.
    pub(crate) fn value64(&mut self, operand: &Operand<'a>) -> Compiled<Slot> {
        match operand {
            Operand::Int(value) => self.constant64(*value),
            Operand::Float64(bits) => self.constant64(*bits),
            Operand::Name(name) => {
                if let (true, Some(value)) = (special::is_wide(name), special::special(name)) {
                    return self.fill(value, true);
                }
                if let Some(clock) = self.clock(name, true)? {
                    return Ok(clock);
                }
                let register = self.names.find(name)?;
                match register {
                    Some(Register { ty, slot }) if ty.wide() => Ok(slot),
                    Some(_) => Err(format!("`{name}` does not have 64 bits")),
                    None => self.symbol(name, 0, false),
                }
            }
            Operand::Element(..) => self.element_value(Type::B64, operand),
            Operand::Symbol { name, offset, generic } => self.symbol(name, *offset, *generic),
            _ => Err("this operand is not supported here".to_owned()),
        }
    }

    /// A slot of the width of `ty`.
    pub(crate) fn value(&mut self, ty: Type, operand: &Operand<'a>) -> Compiled<Slot> {
        match (operand, ty.bits) {
            // Slots hold narrow values zero-extended: NVRTC writes 52429 of 16 bits as -13107.
            (Operand::Int(value), 8 | 16) => {
                return self.constant32(*value as u32 & (u32::MAX >> (32 - ty.bits)));
            }
            // Decimal literals have 64 bits until their use says otherwise.
            (Operand::Float64(bits), 32) => {
                return self.constant32((f64::from_bits(*bits) as f32).to_bits());
            }
            (Operand::Float32(bits), 64) => {
                return self.constant64(f64::from(f32::from_bits(*bits)).to_bits());
            }
            _ => {}
        }
        if ty.wide() { self.value64(operand) } else { self.value32(operand) }
    }

    /// As [`Self::value`], sign- or zero-extended from 8 or 16 bits to the slot.
    pub(crate) fn extended(&mut self, ty: Type, operand: &Operand<'a>) -> Compiled<Slot> {
        let a = self.value(ty, operand)?;
        self.sign_extended(ty, a)
    }

    /// The same of a slot.
    pub(crate) fn sign_extended(&mut self, ty: Type, a: Slot) -> Compiled<Slot> {
        // Slots hold narrow values zero-extended; only signed ones differ.
        match ty.narrow() {
            Some(f @ (Narrow::S8 | Narrow::S16)) => {
                let d = self.names.new32()?;
                self.push(Op::Narrow { f, d, a });
                Ok(d)
            }
            _ => Ok(a),
        }
    }

    /// A predicate, negated into a fresh slot if `!` says so.
    pub(crate) fn pred_value(&mut self, operand: &Operand<'a>) -> Compiled<Slot> {
        match operand {
            Operand::Name("%is_explicit_cluster") => {
                let a = self.fill(FillValue::Special(Special::InCluster), false)?;
                let (b, d) = (self.constant32(0)?, self.names.new_pred()?);
                self.push_always(Op::Compare32 { f: Compare::NotEqual, d, a, b });
                Ok(d)
            }
            Operand::Name(name) => self.names.pred(name),
            Operand::Not(name) => {
                let a = self.names.pred(name)?;
                let (ones, d) = (self.all_lanes()?, self.names.new_pred()?);
                self.push_always(Op::Logic { f: Logic::AndNot, d, a: ones, b: a });
                Ok(d)
            }
            Operand::Int(0) => {
                let (ones, d) = (self.all_lanes()?, self.names.new_pred()?);
                self.push_always(Op::Logic { f: Logic::AndNot, d, a: ones, b: ones });
                Ok(d)
            }
            Operand::Int(_) => self.all_lanes(),
            _ => Err("expected a predicate".to_owned()),
        }
    }

    /// A predicate that is true in every lane.
    pub(crate) fn all_lanes(&mut self) -> Compiled<Slot> {
        let zero = self.constant32(0)?;
        let d = self.names.new_pred()?;
        self.push_always(Op::Compare32 { f: Compare::Equal, d, a: zero, b: zero });
        Ok(d)
    }

    /// The register that an instruction writes, with the slot's width checked.
    pub(crate) fn destination(&mut self, ty: Type, operand: &Operand<'a>) -> Compiled<Slot> {
        let (name, register) = match operand {
            Operand::Name("_") => return self.names.fresh(ty.wide()),
            Operand::Name(name) => (name, Some(self.names.register(name)?)),
            Operand::Element(name, _) => (name, self.register_of(operand)?),
            _ => (&"", None),
        };
        let Some(register) = register else {
            return Err("expected a register to write".to_owned());
        };
        if register.ty.wide() == ty.wide() && register.ty.kind != Kind::Pred {
            Ok(register.slot)
        } else {
            Err(format!("`{name}` does not fit a result of {} bits", ty.bits))
        }
    }

    /// The register that an operand is, if it is one.
    pub(crate) fn register_of(&mut self, operand: &Operand<'a>) -> Compiled<Option<Register>> {
        match operand {
            Operand::Name(name) => self.names.find(name),
            Operand::Element(name, index) => {
                Ok(self.names.vector(name).and_then(|all| all.get(usize::from(*index))).copied())
            }
            _ => Ok(None),
        }
    }

    /// The slot of an element of a vector, with the slot's width checked.
    fn element_value(&mut self, ty: Type, operand: &Operand<'a>) -> Compiled<Slot> {
        let register = self.register_of(operand)?.filter(|it| it.ty.wide() == ty.wide());
        let register = register
            .ok_or_else(|| format!("the elements of this vector do not fit {} bits", ty.bits))?;
        Ok(register.slot)
    }

    /// Keeps a narrow result zero-extended in its slot.
    pub(crate) fn settle(&mut self, ty: Type, d: Slot) {
        let f = match ty.bits {
            8 => Narrow::U8,
            16 => Narrow::U16,
            _ => return,
        };
        self.push(Op::Narrow { f, d, a: d });
    }

    /// A parameter's bytes as a filled slot.
    pub(crate) fn param(&mut self, name: &str, offset: i64, ty: Type) -> Compiled<Slot> {
        let Some(Symbol::Param { word, bytes: size, .. }) = self.names.symbol(name) else {
            return Err(format!("there is no parameter `{name}`"));
        };
        let bytes = ty.bytes();
        let inside = u32::try_from(offset).ok().filter(|&offset| offset + bytes <= size);
        let offset = inside.ok_or_else(|| {
            format!(
                "reading {bytes} bytes at {offset} goes beyond parameter `{name}` of {size} bytes"
            )
        })?;
        if !offset.is_multiple_of(bytes) {
            return Err(format!("reading {bytes} bytes of parameter `{name}` at {offset}"));
        }
        // Parameters come as words of 8 bytes.
        let (index, offset) = (word + (offset / 8) as u16, (offset % 8) as u16);
        self.fill(FillValue::Param { index, offset, bytes: bytes as u8 }, ty.wide())
    }
}
