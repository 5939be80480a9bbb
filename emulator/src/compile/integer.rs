//! Moves, integer arithmetic and logic.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, last_type, operands, unsupported};
use crate::compile::special;
use crate::compile::types::{Kind, Type};
use crate::program::{Count, Int1, Int2, Logic, Op};
use crate::ptx::{Instruction, Operand};

impl<'a> Compiler<'a> {
    /// A 32-bit slot with the operand's value.
    pub(crate) fn mov(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, a] = operands(instruction)?;
        let ty = last_type(instruction)?;
        if ty.kind == Kind::Pred {
            let Operand::Name(name) = d else { return unsupported(instruction) };
            let d = self.names.pred(name)?;
            let a = self.pred_value(a)?;
            self.push(Op::MovePred { d, a });
            return Ok(());
        }
        if matches!(d, Operand::Vector(_)) || matches!(a, Operand::Vector(_)) {
            return self.mov_parts(instruction, ty);
        }
        if let Operand::Name(name) = a
            && special::special(name).is_some()
        {
            let a = self.value(ty, a)?;
            if self.alias(d, a, ty.wide()) {
                return Ok(());
            }
        }
        let d = self.destination(ty, d)?;
        let a = self.value(ty, a)?;
        self.push(Op::mov(ty.wide(), [d, a]));
        Ok(())
    }

    /// Everything that computes integers or predicates.
    pub(crate) fn integer(&mut self, instruction: &Instruction<'a>) -> Compiled {
        // Modifiers that change what the instruction computes.
        if ["sat", "relu", "cc", "approx", "ftz", "rn", "rz", "rm", "rp"]
            .iter()
            .any(|word| instruction.has(word))
        {
            return unsupported(instruction);
        }
        let ty = last_type(instruction)?;
        if ty.kind == Kind::Pred {
            return self.logic(instruction);
        }
        if ty.kind == Kind::Float {
            return unsupported(instruction);
        }
        match instruction.opcode {
            "mul" if instruction.has("wide") => self.wide(instruction, ty, false),
            "mad" if instruction.has("wide") => self.wide(instruction, ty, true),
            "mad" if instruction.has("lo") => {
                let [d, a, b, c] = operands(instruction)?;
                let d = self.destination(ty, d)?;
                let (a, b, c) = (self.value(ty, a)?, self.value(ty, b)?, self.value(ty, c)?);
                self.push(Op::mul_add(ty.wide(), [d, a, b, c]));
                self.settle(ty, d);
                Ok(())
            }
            "bfe" if ty.bits == 32 => {
                let [d, a, b, c] = operands(instruction)?;
                let d = self.destination(ty, d)?;
                let (a, b, c) = (self.value32(a)?, self.value32(b)?, self.value32(c)?);
                self.push(if ty.signed() {
                    Op::ExtractS32 { d, a, b, c }
                } else {
                    Op::ExtractU32 { d, a, b, c }
                });
                Ok(())
            }
            "popc" | "clz" if ty.bits >= 32 => {
                let [d, a] = operands(instruction)?;
                let f =
                    if instruction.opcode == "popc" { Count::Ones } else { Count::LeadingZeros };
                let d = self.destination(Type { kind: Kind::Unsigned, bits: 32 }, d)?;
                let a = self.value(ty, a)?;
                self.push(Op::count(ty.wide(), f, [d, a]));
                Ok(())
            }
            "not" | "neg" | "abs" | "cnot" | "brev" => self.unary(instruction, ty),
            _ => self.binary(instruction, ty),
        }
    }

    fn unary(&mut self, instruction: &Instruction<'a>, ty: Type) -> Compiled {
        let f = match instruction.opcode {
            "not" => Int1::Not,
            "neg" => Int1::Negate,
            "abs" => Int1::Absolute,
            "cnot" => Int1::IsZero,
            _ if ty.bits >= 32 => Int1::ReverseBits,
            _ => return unsupported(instruction),
        };
        let [d, a] = operands(instruction)?;
        let d = self.destination(ty, d)?;
        let a = self.extended(ty, a)?;
        self.push(Op::unary(ty.wide(), f, [d, a]));
        self.settle(ty, d);
        Ok(())
    }

    fn binary(&mut self, instruction: &Instruction<'a>, ty: Type) -> Compiled {
        let signed = ty.signed();
        let pick = |s, u| if signed { s } else { u };
        let f = match instruction.opcode {
            "add" => Int2::Add,
            "sub" => Int2::Sub,
            "mul" if instruction.has("lo") => Int2::MulLow,
            // The high half of a 16-bit product is not that of a 32-bit one.
            "mul" if instruction.has("hi") && ty.bits >= 32 => pick(Int2::MulHighS, Int2::MulHighU),
            "div" => pick(Int2::DivS, Int2::DivU),
            "rem" => pick(Int2::RemS, Int2::RemU),
            "min" => pick(Int2::MinS, Int2::MinU),
            "max" => pick(Int2::MaxS, Int2::MaxU),
            "and" => Int2::And,
            "or" => Int2::Or,
            "xor" => Int2::Xor,
            "shl" => Int2::ShiftLeft,
            "shr" => pick(Int2::ShiftRightS, Int2::ShiftRightU),
            _ => return unsupported(instruction),
        };
        let [d, a, b] = operands(instruction)?;
        let d = self.destination(ty, d)?;
        let a = self.extended(ty, a)?;
        let shift = matches!(instruction.opcode, "shl" | "shr");
        let b = if shift && ty.wide() {
            // The amount has 32 bits whatever the type.
            let amount = self.value32(b)?;
            let wide = self.names.new64()?;
            self.push(Op::Widen { signed: false, d: wide, a: amount });
            wide
        } else if shift {
            self.value32(b)?
        } else {
            self.extended(ty, b)?
        };
        self.push(Op::binary(ty.wide(), f, [d, a, b]));
        self.settle(ty, d);
        Ok(())
    }

    /// `mul.wide` and `mad.wide` of 16 bits: 32 bits hold the whole product.
    fn wide16(&mut self, instruction: &Instruction<'a>, ty: Type) -> Compiled {
        let (d, a, b, c) = match instruction.operands.as_slice() {
            [d, a, b] => (d, a, b, self.constant32(0)?),
            [d, a, b, c] => (d, a, b, self.value32(c)?),
            _ => return unsupported(instruction),
        };
        let d = self.destination(Type::B32, d)?;
        let (a, b) = (self.extended(ty, a)?, self.extended(ty, b)?);
        self.push(Op::MulAdd32 { d, a, b, c });
        Ok(())
    }

    fn wide(&mut self, instruction: &Instruction<'a>, ty: Type, add: bool) -> Compiled {
        if ty.bits == 16 {
            return self.wide16(instruction, ty);
        }
        if ty.bits != 32 {
            return unsupported(instruction);
        }
        let result = Type { kind: ty.kind, bits: 64 };
        let (d, a, b, c) = if add {
            let [d, a, b, c] = operands(instruction)?;
            (d, a, b, self.value64(c)?)
        } else {
            let [d, a, b] = operands(instruction)?;
            (d, a, b, self.constant64(0)?)
        };
        let d = self.destination(result, d)?;
        let (a, b) = (self.value32(a)?, self.value32(b)?);
        self.push(Op::WideMulAdd { signed: ty.signed(), d, a, b, c });
        Ok(())
    }

    fn logic(&mut self, instruction: &Instruction<'a>) -> Compiled {
        if instruction.opcode == "not" {
            let [d, a] = operands(instruction)?;
            let Operand::Name(d) = d else { return unsupported(instruction) };
            let d = self.names.pred(d)?;
            let (a, ones) = (self.pred_value(a)?, self.all_lanes()?);
            self.push(Op::Logic { f: Logic::AndNot, d, a: ones, b: a });
            return Ok(());
        }
        let f = match instruction.opcode {
            "and" => Logic::And,
            "or" => Logic::Or,
            "xor" => Logic::Xor,
            _ => return unsupported(instruction),
        };
        let [d, a, b] = operands(instruction)?;
        let Operand::Name(d) = d else { return unsupported(instruction) };
        let d = self.names.pred(d)?;
        let (a, b) = (self.pred_value(a)?, self.pred_value(b)?);
        self.push(Op::Logic { f, d, a, b });
        Ok(())
    }
}
