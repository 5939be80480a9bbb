//! Conversions to and from formats that nothing else computes in: `cvt.pack`,
//! `tf32`, and pairs of 8-bit floats.

use crate::compile::arithmetic::mode;
use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, operands, operands_and_more, unsupported};
use crate::compile::types::Type;
use crate::program::{Clamp, Float, Function, Integer, Round, Slot, Small, Step};
use crate::ptx::{Instruction, Operand};

fn small(word: &str) -> Option<Small> {
    Some(match word {
        "tf32" => Small::Tf32,
        "e4m3x2" => Small::E4m3,
        "e5m2x2" => Small::E5m2,
        _ => return None,
    })
}

impl<'a> Compiler<'a> {
    /// Compiles the conversion if it is one of these.
    pub(crate) fn convert_small(&mut self, instruction: &Instruction<'a>) -> Compiled<bool> {
        let words: Vec<&str> = instruction.modifiers().collect();
        match words[..] {
            ["pack", "sat", to, "s32"] => self.pack(instruction, to, false)?,
            ["pack", "sat", to, "s32", "b32"] => self.pack(instruction, to, true)?,
            [.., "tf32", "f32"] => self.round_to_tf32(instruction)?,
            [.., to, "f32"] if small(to).is_some() => {
                let [d, a, b] = operands(instruction)?;
                let [low, high] = [self.value32(b)?, self.value32(a)?];
                let (start, sources) = (self.insts.len(), [(low, false), (high, false)]);
                let given = (start, false, [low, high]);
                self.pair_of_small(instruction, to, d, (sources, Float::F32), given)?;
            }
            [.., to, "f16x2"] if small(to).is_some() => {
                let [d, a] = operands(instruction)?;
                let a = (self.value32(a)?, false);
                let given = (self.insts.len(), true, [a.0, a.0]);
                let sources =
                    [self.part(a, (16, 0), false, false)?, self.part(a, (16, 1), false, false)?];
                self.pair_of_small(instruction, to, d, (sources, Float::F16), given)?;
            }
            ["rn", "f16x2", from] | ["rn", "relu", "f16x2", from] => {
                let Some(from) = small(from).filter(|from| *from != Small::Tf32) else {
                    return Ok(false);
                };
                let [d, a] = operands(instruction)?;
                let d = self.destination(Type::B32, d)?;
                let a = (self.value(Type::B16, a)?, false);
                let relu = instruction.has("relu");
                let start = self.insts.len();
                let mut halves = Vec::with_capacity(2);
                for index in 0..2 {
                    let part = self.part(a, (8, index), false, false)?;
                    halves.push(self.each(Function::FromSmall { from, relu }, false, &[part])?);
                }
                self.push_each(Function::Join(16), (d, false), &halves);
                self.quick(start, Step::FromBytes { from, relu, d, a: a.0 });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `cvt.pack.sat.u8.s32.b32 d, a, b, c`: b lowest, a next, then c.
    fn pack(&mut self, instruction: &Instruction<'a>, to: &str, carries_on: bool) -> Compiled {
        let (sign, bits) = to.split_at_checked(1).unwrap_or_default();
        let ((Ok(bits @ 16), false) | (Ok(bits @ (8 | 4 | 2)), true)) = (bits.parse(), carries_on)
        else {
            return unsupported(instruction);
        };
        let signed = match sign {
            "s" => true,
            "u" => false,
            _ => return unsupported(instruction),
        };
        let to = Integer { bits, signed };
        let ([d, a, b], c) = operands_and_more(instruction)?;
        if c.is_some() != carries_on {
            return unsupported(instruction);
        }
        let (high, low) = (self.value32(a)?, self.value32(b)?);
        let c = c.map(|c| self.value32(c)).transpose()?;
        let d = (self.destination(Type::B32, d)?, false);
        let start = self.insts.len();
        let saturated = |this: &mut Self, a| {
            let f = Function::SaturateInteger { to, from: Integer { bits: 32, signed: true } };
            this.each(f, false, &[(a, false)])
        };
        let (a, b) = (saturated(self, high)?, saturated(self, low)?);
        if let Some(c) = c {
            let pair = self.each(Function::Join(bits), false, &[b, a])?;
            self.push_each(Function::Join(2 * bits), d, &[pair, (c, false)]);
        } else {
            self.push_each(Function::Join(bits), d, &[b, a]);
        }
        self.quick(start, Step::Pack { to, d: d.0, a: high, b: low, c });
        Ok(())
    }

    fn round_to_tf32(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let mode = mode(instruction);
        let known = instruction.modifiers().all(|word| {
            matches!(word, "rna" | "rn" | "rz" | "relu" | "satfinite" | "tf32" | "f32")
        });
        let directed = matches!(mode.round, Round::Away | Round::Nearest | Round::Zero);
        if !known || !directed || mode.clamp == Clamp::Unit {
            return unsupported(instruction);
        }
        let f = Function::ToSmall { to: Small::Tf32, from: Float::F32, mode };
        self.apply(instruction, f, Type::B32, [Float::F32.register()])
    }

    /// Two values, the lower one first, to a pair of 8-bit floats. What is given are the ops
    /// before those that compute it, whether it comes as a pair, and the slots it comes in.
    fn pair_of_small(
        &mut self,
        instruction: &Instruction<'a>,
        to: &str,
        d: &Operand<'a>,
        (sources, from): ([(Slot, bool); 2], Float),
        (start, pair, [low, high]): (usize, bool, [Slot; 2]),
    ) -> Compiled {
        let mode = mode(instruction);
        let saturates = matches!(mode.clamp, Clamp::Finite | Clamp::FiniteRelu);
        let Some(to) = small(to).filter(|_| saturates && instruction.has("rn")) else {
            return unsupported(instruction);
        };
        let d = self.destination(Type::B16, d)?;
        let mut parts = Vec::with_capacity(2);
        for a in sources {
            parts.push(self.each(Function::ToSmall { to, from, mode }, false, &[a])?);
        }
        self.push_each(Function::Join(8), (d, false), &parts);
        if !mode.flush {
            let relu = mode.clamp == Clamp::FiniteRelu;
            self.quick(start, Step::Bytes { to, relu, pair, d, low, high });
        }
        Ok(())
    }
}
