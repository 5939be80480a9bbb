//! Pairs that are computed half by half: 16-bit integers and 32-bit floats; and
//! sums of floats of two sizes.

use crate::compile::arithmetic::{mode, only};
use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, operands, sources, unsupported};
use crate::compile::types::Type;
use crate::program::{
    Arithmetic, Float, Function, Int2, Integer, Mode, Op, Pair, Parts, Slot, Step, Then, Video,
};
use crate::ptx::Instruction;

impl<'a> Compiler<'a> {
    /// `add.u16x2`, `max.s16x2.relu`, …
    pub(crate) fn integer_pair(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let (signed, relu) = (instruction.has("s16x2"), instruction.has("relu"));
        let f = match (instruction.opcode, signed) {
            ("add", _) => Int2::Add,
            ("min", true) => Int2::MinS,
            ("min", false) => Int2::MinU,
            ("max", true) => Int2::MaxS,
            ("max", false) => Int2::MaxU,
            _ => return unsupported(instruction),
        };
        let words = instruction.modifiers().count();
        if words != 1 + usize::from(relu) || relu && (!signed || f == Int2::Add) {
            return unsupported(instruction);
        }
        let [d, a, b] = operands(instruction)?;
        let (d, a, b) = (self.destination(Type::B32, d)?, self.value32(a)?, self.value32(b)?);
        let zero = self.constant32(0)?;
        let start = self.insts.len();
        let mut halves = Vec::with_capacity(2);
        let (first, second) = (a, b);
        for index in 0..2 {
            let a = self.part((a, false), (16, index), signed, false)?.0;
            let b = self.part((b, false), (16, index), signed, false)?.0;
            let mut result = self.compute(Type::B32, f, a, b)?;
            if relu {
                result = self.compute(Type::B32, Int2::MaxS, result, zero)?;
            }
            halves.push((result, false));
        }
        self.push_each(Function::Join(16), (d, false), &halves);
        let (a, b) = (first, second);
        let step = if f == Int2::Add {
            Step::Packed { f, width: 16, d, a, b }
        } else {
            // As numbers of more bits, with their signs.
            let max = matches!(f, Int2::MaxS | Int2::MaxU);
            let pair = |place| Pair { a: (a, place), b: (b, place), place };
            Step::Video(Video {
                f: Parts::Plain(if max { Int2::MaxS } else { Int2::MinS }),
                signed: [signed; 2],
                widths: [16; 2],
                clamp: relu.then_some(Integer { bits: 16, signed: false }),
                pairs: vec![pair(0), pair(16)],
                in_place: Some([a, b]),
                then: Then::Merge(16),
                d,
                c: a,
            })
        };
        self.quick(start, step);
        Ok(())
    }

    /// `min.relu.s32` and `max.relu.s32`.
    pub(crate) fn extreme_relu(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let f = match instruction.word {
            "min.relu.s32" => Int2::MinS,
            "max.relu.s32" => Int2::MaxS,
            _ => return unsupported(instruction),
        };
        let [d, a, b] = operands(instruction)?;
        let (d, a, b) = (self.destination(Type::B32, d)?, self.value32(a)?, self.value32(b)?);
        let result = self.compute(Type::B32, f, a, b)?;
        let zero = self.constant32(0)?;
        self.push(Op::Binary32 { f: Int2::MaxS, d, a: result, b: zero });
        Ok(())
    }

    /// `add.rn.ftz.f32x2` and its kind.
    pub(crate) fn float_pair(&mut self, instruction: &Instruction<'a>) -> Compiled {
        only(instruction, &["rn", "rz", "rm", "rp", "ftz", "f32x2"])?;
        let f = match instruction.opcode {
            "add" => Arithmetic::Add,
            "sub" => Arithmetic::Sub,
            "mul" => Arithmetic::Mul,
            "fma" => Arithmetic::Fma,
            _ => return unsupported(instruction),
        };
        let (d, operands) = sources(instruction, if f == Arithmetic::Fma { 3 } else { 2 })?;
        let d = self.destination(Type::B64, d)?;
        let slots = operands.iter().map(|a| self.value64(a)).collect::<Compiled<Vec<Slot>>>()?;
        let f = Function::Arithmetic(f, Float::F32, mode(instruction));
        let mut halves = Vec::with_capacity(2);
        for index in 0..2 {
            let mut parts = Vec::with_capacity(3);
            for &a in &slots {
                parts.push(self.part((a, true), (32, index), false, false)?);
            }
            halves.push(self.each(f, false, &parts)?);
        }
        self.push_each(Function::Join(32), (d, true), &halves);
        Ok(())
    }

    /// `add.f32.f16 d, a, c` and `fma.rn.f32.bf16 d, a, b, c`: all but the last
    /// operand are of the small type.
    pub(crate) fn mixed(&mut self, instruction: &Instruction<'a>, from: Float) -> Compiled {
        only(instruction, &["rn", "rz", "rm", "rp", "sat"])?;
        let (f, count) = match instruction.opcode {
            "add" => (Arithmetic::Add, 2),
            "sub" => (Arithmetic::Sub, 2),
            "fma" => (Arithmetic::Fma, 3),
            _ => return unsupported(instruction),
        };
        let (d, operands) = sources(instruction, count)?;
        let Some((last, small)) = operands.split_last() else { return unsupported(instruction) };
        if !matches!(from, Float::F16 | Float::Bf16) {
            return unsupported(instruction);
        }
        let d = self.destination(Float::F32.register(), d)?;
        let mut slots = Vec::with_capacity(3);
        for operand in small {
            let a = self.float_value(from, operand)?;
            let f = Function::FloatToFloat { to: Float::F32, from, mode: Mode::PLAIN };
            slots.push(self.each(f, false, &[(a, false)])?);
        }
        slots.push((self.float_value(Float::F32, last)?, false));
        let f = Function::Arithmetic(f, Float::F32, mode(instruction));
        self.push_each(f, (d, false), &slots);
        Ok(())
    }
}
