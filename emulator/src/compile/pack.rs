//! Conversions to and from formats that nothing else computes in: `cvt.pack`,
//! `tf32`, and pairs of 8-bit floats.

use crate::compile::arithmetic::mode;
use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Refusal, operands, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::function::{Clamp, Float, Function, Integer, Round, Small};
use crate::program::op::Slot;
use crate::ptx::{Instruction, Operand};

/// The type of a pair of 8-bit floats.
const B16: Type = Type { kind: Kind::Bits, bits: 16 };

fn small(word: &str) -> Option<Small> {
    Some(match word {
        "tf32" => Small::Tf32,
        "e4m3x2" => Small::E4m3,
        "e5m2x2" => Small::E5m2,
        _ => return None,
    })
}

impl<'a> Compiler<'a> {
    /// Lowers the conversion if it is one of these.
    pub(crate) fn convert_small(&mut self, instruction: &Instruction<'a>) -> Result<bool, Refusal> {
        let words: Vec<&str> = instruction.modifiers().collect();
        match words[..] {
            ["pack", "sat", to, "s32"] => self.pack(instruction, to, false)?,
            ["pack", "sat", to, "s32", "b32"] => self.pack(instruction, to, true)?,
            [.., "tf32", "f32"] => self.round_to_tf32(instruction)?,
            [.., to, "f32"] if small(to).is_some() => {
                let [d, a, b] = operands(instruction)?;
                let sources = [self.value32(b)?, self.value32(a)?];
                self.pair_of_small(instruction, to, d, sources, Float::F32)?;
            }
            [.., to, "f16x2"] if small(to).is_some() => {
                let [d, a] = operands(instruction)?;
                let a = self.value32(a)?;
                let sources = [self.part(a, 16, 0)?, self.part(a, 16, 1)?];
                self.pair_of_small(instruction, to, d, sources, Float::F16)?;
            }
            ["rn", "f16x2", from] | ["rn", "relu", "f16x2", from] => {
                let Some(from) = small(from).filter(|from| *from != Small::Tf32) else {
                    return Ok(false);
                };
                let [d, a] = operands(instruction)?;
                let d = self.destination(Type::B32, d)?;
                let a = self.value(B16, a)?;
                let relu = instruction.has("relu");
                let mut halves = Vec::with_capacity(2);
                for index in 0..2 {
                    let part = self.part(a, 8, index)?;
                    let half = self.names.new32()?;
                    let f = Function::FromSmall { from, relu };
                    self.push_each(f, (half, false), &[(part, false)]);
                    halves.push((half, false));
                }
                self.push_each(Function::Join(16), (d, false), &halves);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// One of the equal parts of a 32-bit slot, zero-extended.
    pub(crate) fn part(&mut self, a: Slot, width: u8, index: u8) -> Result<Slot, Refusal> {
        let d = self.names.new32()?;
        let f =
            Function::Bits(crate::program::function::Bits::Part { width, index, signed: false });
        self.push_each(f, (d, false), &[(a, false)]);
        Ok(d)
    }

    /// `cvt.pack.sat.u8.s32.b32 d, a, b, c`: b lowest, a next, then c.
    fn pack(
        &mut self,
        instruction: &Instruction<'a>,
        to: &str,
        carries_on: bool,
    ) -> Result<(), Refusal> {
        let to = match (to, carries_on) {
            ("u16", false) => Integer { bits: 16, signed: false },
            ("s16", false) => Integer { bits: 16, signed: true },
            ("u8", true) => Integer { bits: 8, signed: false },
            ("s8", true) => Integer { bits: 8, signed: true },
            ("u4", true) => Integer { bits: 4, signed: false },
            ("s4", true) => Integer { bits: 4, signed: true },
            ("u2", true) => Integer { bits: 2, signed: false },
            ("s2", true) => Integer { bits: 2, signed: true },
            _ => return unsupported(instruction),
        };
        let ([d, a, b], c) = match instruction.operands.as_slice() {
            [d, a, b] if !carries_on => ([d, a, b], None),
            [d, a, b, c] if carries_on => ([d, a, b], Some(c)),
            _ => return unsupported(instruction),
        };
        let saturated = |this: &mut Self, operand| {
            let (a, d) = (this.value32(operand)?, this.names.new32()?);
            let f = Function::SaturateInteger { to, from: Integer { bits: 32, signed: true } };
            this.push_each(f, (d, false), &[(a, false)]);
            Ok::<_, Refusal>((d, false))
        };
        let (a, b) = (saturated(self, a)?, saturated(self, b)?);
        let c = c.map(|c| self.value32(c)).transpose()?;
        let d = self.destination(Type::B32, d)?;
        let Some(c) = c else {
            self.push_each(Function::Join(to.bits), (d, false), &[b, a]);
            return Ok(());
        };
        let pair = (self.names.new32()?, false);
        self.push_each(Function::Join(to.bits), pair, &[b, a]);
        self.push_each(Function::Join(2 * to.bits), (d, false), &[pair, (c, false)]);
        Ok(())
    }

    fn round_to_tf32(&mut self, instruction: &Instruction<'a>) -> Result<(), Refusal> {
        let mode = mode(instruction);
        let known = instruction.modifiers().all(|word| {
            matches!(word, "rna" | "rn" | "rz" | "relu" | "satfinite" | "tf32" | "f32")
        });
        let directed = matches!(mode.round, Round::Away | Round::Nearest | Round::Zero);
        if !known || !directed || mode.clamp == Clamp::Unit {
            return unsupported(instruction);
        }
        let [d, a] = operands(instruction)?;
        let (d, a) = (self.destination(Type::B32, d)?, self.value(Float::F32.register(), a)?);
        let f = Function::ToSmall { to: Small::Tf32, from: Float::F32, mode };
        self.push_each(f, (d, false), &[(a, false)]);
        Ok(())
    }

    /// Two values, the lower one first, to a pair of 8-bit floats.
    fn pair_of_small(
        &mut self,
        instruction: &Instruction<'a>,
        to: &str,
        d: &Operand<'a>,
        sources: [Slot; 2],
        from: Float,
    ) -> Result<(), Refusal> {
        let mode = mode(instruction);
        let saturates = matches!(mode.clamp, Clamp::Finite | Clamp::FiniteRelu);
        let Some(to) = small(to).filter(|_| saturates && instruction.has("rn")) else {
            return unsupported(instruction);
        };
        let d = self.destination(B16, d)?;
        let mut parts = Vec::with_capacity(2);
        for a in sources {
            let part = (self.names.new32()?, false);
            self.push_each(Function::ToSmall { to, from, mode }, part, &[(a, false)]);
            parts.push(part);
        }
        self.push_each(Function::Join(8), (d, false), &parts);
        Ok(())
    }
}
