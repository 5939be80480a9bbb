//! Moves, integer arithmetic and logic.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, last_type, operands, operands_and_more, unsupported};
use crate::compile::special;
use crate::compile::types::{Kind, Type};
use crate::program::{Count, Int1, Int2, Logic, Op, Step};
use crate::ptx::{Instruction, Operand};

impl<'a> Compiler<'a> {
    pub(crate) fn mov(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, a] = operands(instruction)?;
        let ty = last_type(instruction)?;
        if ty.kind == Kind::Pred {
            let (d, a) = (self.pred_destination(d)?, self.pred_value(a)?);
            self.push(Op::MovePred { d, a });
            return Ok(());
        }
        if ["v2", "v4", "v8"].iter().any(|word| instruction.has(word)) {
            return self.mov_vector(instruction, ty);
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
            "mul" | "mad" if instruction.has("wide") => self.wide(instruction, ty),
            "mad" if instruction.has("lo") => {
                self.emit(instruction, ty, [ty; 3], |d, [a, b, c]| {
                    Op::mul_add(ty.wide(), [d, a, b, c])
                })
            }
            "bfe" if ty.bits == 32 => self.emit(instruction, ty, [Type::B32; 3], |d, [a, b, c]| {
                if ty.signed() {
                    Op::ExtractS32 { d, a, b, c }
                } else {
                    Op::ExtractU32 { d, a, b, c }
                }
            }),
            "popc" | "clz" if ty.bits >= 32 => {
                let ones = instruction.opcode == "popc";
                let f = if ones { Count::Ones } else { Count::LeadingZeros };
                self.emit(instruction, Type::B32, [ty], |d, [a]| Op::count(ty.wide(), f, [d, a]))
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
        if ty.bits == 16 && !matches!(instruction.opcode, "shl" | "shr") {
            let (first, second) = (self.value(ty, a)?, self.value(ty, b)?);
            let start = self.insts.len();
            let (a, b) = (self.sign_extended(ty, first)?, self.sign_extended(ty, second)?);
            self.push(Op::Binary32 { f, d, a, b });
            self.settle(ty, d);
            self.quick(start, Step::Short { f, signed, d, a: first, b: second });
            return Ok(());
        }
        let a = self.extended(ty, a)?;
        let shift = matches!(instruction.opcode, "shl" | "shr");
        let b = if shift && ty.wide() {
            // The amount has 32 bits whatever the type.
            let (a, d) = (self.value32(b)?, self.names.new64()?);
            self.push(Op::Widen { signed: false, d, a });
            d
        } else if shift {
            self.value32(b)?
        } else {
            self.extended(ty, b)?
        };
        self.push(Op::binary(ty.wide(), f, [d, a, b]));
        self.settle(ty, d);
        Ok(())
    }

    /// `mul.wide`, and `mad.wide` with one source more.
    fn wide(&mut self, instruction: &Instruction<'a>, ty: Type) -> Compiled {
        let result = match ty.bits {
            16 => Type::B32,
            32 => Type::B64,
            _ => return unsupported(instruction),
        };
        let ([d, a, b], c) = operands_and_more(instruction)?;
        if c.is_some() != (instruction.opcode == "mad") {
            return unsupported(instruction);
        }
        let c = self.value(result, c.unwrap_or(&Operand::Int(0)))?;
        let d = self.destination(result, d)?;
        let (a, b) = (self.extended(ty, a)?, self.extended(ty, b)?);
        self.push(if result.wide() {
            Op::WideMulAdd { signed: ty.signed(), d, a, b, c }
        } else {
            Op::MulAdd32 { d, a, b, c }
        });
        Ok(())
    }

    fn logic(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let (f, d, a, b) = if instruction.opcode == "not" {
            let [d, a] = operands(instruction)?;
            (Logic::AndNot, d, self.all_lanes()?, self.pred_value(a)?)
        } else {
            let [d, a, b] = operands(instruction)?;
            let Some(f) = logic(instruction.opcode) else { return unsupported(instruction) };
            (f, d, self.pred_value(a)?, self.pred_value(b)?)
        };
        let d = self.pred_destination(d)?;
        self.push(Op::Logic { f, d, a, b });
        Ok(())
    }
}

/// The function of predicates that a word names.
pub(crate) fn logic(word: &str) -> Option<Logic> {
    match word {
        "and" => Some(Logic::And),
        "or" => Some(Logic::Or),
        "xor" => Some(Logic::Xor),
        _ => None,
    }
}
