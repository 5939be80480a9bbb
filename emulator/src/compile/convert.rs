//! `cvt`: conversions among all types.

use crate::compile::arithmetic::{mode, only, rounding};
use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, operands, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{Arithmetic, Clamp, Float, Function, Integer, Mode, Op, Round, Slot, Step};
use crate::ptx::{Instruction, Operand};

/// Modifiers of conversions apart from types.
const KNOWN: &[&str] =
    &["rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi", "ftz", "sat", "relu", "satfinite"];

/// One side of a conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Float(Float),
    Integer(Type),
}

impl Side {
    fn parse(word: &str) -> Option<Self> {
        if let Some(float) = Float::parse(word) {
            return Some(Self::Float(float));
        }
        Type::parse(word)
            .filter(|ty| matches!(ty.kind, Kind::Unsigned | Kind::Signed))
            .map(Self::Integer)
    }

    fn ty(self) -> Type {
        match self {
            Self::Float(float) => float.register(),
            Self::Integer(ty) => ty,
        }
    }
}

fn integer(ty: Type) -> Integer {
    Integer { bits: ty.bits as u8, signed: ty.signed() }
}

/// The function that converts; `None` for a plain one among integers.
fn conversion(instruction: &Instruction, to: Side, from: Side) -> Compiled<Option<Function>> {
    let mode = mode(instruction);
    let round = instruction.modifiers().find_map(rounding);
    let to_integral = ["rni", "rzi", "rmi", "rpi"].iter().any(|word| instruction.has(word));
    let saturate = instruction.has("sat");
    Ok(Some(match (to, from) {
        (Side::Float(to), Side::Float(from)) if to_integral => {
            if to != from {
                return unsupported(instruction);
            }
            Function::Arithmetic(Arithmetic::Integral, to, mode)
        }
        (Side::Float(to), Side::Float(from)) => {
            let narrows = to.register().bits < from.register().bits;
            if narrows && round.is_none() || from.half().is_some() {
                return unsupported(instruction);
            }
            Function::FloatToFloat { to, from, mode }
        }
        (Side::Integer(to), Side::Float(from)) => {
            let (Some(round), true) = (round, to_integral) else {
                return unsupported(instruction);
            };
            if from.half().is_some() {
                return unsupported(instruction);
            }
            Function::FloatToInteger { to: integer(to), from, round, flush: mode.flush }
        }
        (Side::Float(to), Side::Integer(from)) => {
            let Some(round) = round.filter(|_| !to_integral) else {
                return unsupported(instruction);
            };
            Function::IntegerToFloat { to, from: integer(from), round, saturate }
        }
        (Side::Integer(to), Side::Integer(from)) => {
            if !saturate {
                return Ok(None);
            }
            Function::SaturateInteger { to: integer(to), from: integer(from) }
        }
    }))
}

impl<'a> Compiler<'a> {
    pub(crate) fn convert(&mut self, instruction: &Instruction<'a>) -> Compiled {
        if self.convert_small(instruction)? {
            return Ok(());
        }
        only(instruction, KNOWN)?;
        let sides: Vec<Side> = instruction.modifiers().filter_map(Side::parse).collect();
        let [to, from] = sides[..] else { return unsupported(instruction) };
        if let Side::Float(pair @ (Float::F16x2 | Float::Bf16x2)) = to {
            return self.convert_pair(instruction, pair, from);
        }
        let [target, a] = operands(instruction)?;
        let a = self.stored(from.ty(), a)?;
        // A register may be wider than the type; the result is then extended.
        let register = match target {
            Operand::Name("_") => to.ty(),
            Operand::Name(name) => self.names.register(name)?.ty,
            _ => return unsupported(instruction),
        };
        if register.bits < to.ty().bits {
            return Err(format!("the register does not fit a result of {} bits", to.ty().bits));
        }
        let d = self.destination(register, target)?;
        let (wide, widens) = (to.ty().wide(), register.wide() && !to.ty().wide());
        let result = if widens { self.names.new32()? } else { d };
        match conversion(instruction, to, from)? {
            Some(f) => {
                self.push_each(f, (result, wide), &[(a, from.ty().wide())]);
            }
            None => self.convert_integer(to.ty(), from.ty(), result, a),
        }
        self.extend(to.ty(), register, result);
        if widens {
            self.push(Op::Widen { signed: to.ty().signed(), d, a: result });
        }
        Ok(())
    }

    /// Brings a narrow result to the form that its register keeps.
    fn extend(&mut self, ty: Type, register: Type, d: Slot) {
        if ty.signed() && register.bits > ty.bits {
            if let Some(f) = ty.narrow() {
                self.push(Op::Narrow { f, d, a: d });
            }
            self.settle(register, d);
        } else {
            self.settle(ty, d);
        }
    }

    /// Among integers, keeping the low bits.
    fn convert_integer(&mut self, to: Type, from: Type, d: Slot, a: Slot) {
        match (to.wide(), from.wide()) {
            (true, true) => self.push(Op::Move64 { d, a }),
            (false, true) => self.push(Op::Truncate { d, a }),
            (false, false) => {
                let op = from.narrow().map_or(Op::Move32 { d, a }, |f| Op::Narrow { f, d, a });
                self.push(op);
            }
            (true, false) => match from.narrow() {
                // The register may hold more than the type.
                Some(f) => self.push_each(Function::Field(f), (d, true), &[(a, false)]),
                None => self.push(Op::Widen { signed: from.signed(), d, a }),
            },
        }
    }

    /// `cvt.rn.f16x2.f32 d, a, b`: a becomes the upper half, b the lower.
    fn convert_pair(&mut self, instruction: &Instruction<'a>, pair: Float, from: Side) -> Compiled {
        let (Some(half), Side::Float(Float::F32)) = (pair.half(), from) else {
            return unsupported(instruction);
        };
        let [d, a, b] = operands(instruction)?;
        let d = self.destination(pair.register(), d)?;
        let mode = mode(instruction);
        if mode.clamp == Clamp::Unit {
            return unsupported(instruction);
        }
        let [high, low] = [self.float_value(Float::F32, a)?, self.float_value(Float::F32, b)?];
        let start = self.insts.len();
        let convert = |this: &mut Self, a| {
            let f = Function::FloatToFloat { to: half, from: Float::F32, mode };
            this.each(f, false, &[(a, false)])
        };
        let (upper, lower) = (convert(self, high)?, convert(self, low)?);
        self.push_each(Function::Join(16), (d, false), &[lower, upper]);
        let Mode { round, flush, clamp } = mode;
        if matches!(round, Round::Nearest | Round::Zero)
            && matches!(clamp, Clamp::None | Clamp::Relu)
        {
            let (brain, relu) = (half == Float::Bf16, clamp == Clamp::Relu);
            self.quick(start, Step::Halves { brain, round, flush, relu, d, low, high });
        }
        Ok(())
    }
}
