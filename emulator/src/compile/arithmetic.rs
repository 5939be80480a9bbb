//! Which instruction is compiled where, among those that compute; and what
//! their words have in common.

use crate::compile::carry::carries;
use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, sources, unsupported};
use crate::compile::types::{Kind, Type};
use crate::compile::video::is_video;
use crate::program::{Bits, Clamp, Float, Function, Mode, Op, Round, Slot};
use crate::ptx::{Instruction, Operand};

impl Float {
    /// `f32`, `bf16x2`, …; `None` for anything else.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "f16x2" => Self::F16x2,
            "bf16x2" => Self::Bf16x2,
            _ => return None,
        })
    }

    /// Whether registers that hold one have 64 bits.
    pub(crate) fn wide(self) -> bool {
        self == Self::F64
    }

    /// The type of registers that hold one.
    pub(crate) fn register(self) -> Type {
        match self {
            Self::F16 | Self::Bf16 => Type::B16,
            Self::F32 => Type { kind: Kind::Float, bits: 32 },
            Self::F64 => Type { kind: Kind::Float, bits: 64 },
            Self::F16x2 | Self::Bf16x2 => Type::B32,
        }
    }
}

/// The rounding that a word asks for.
pub(crate) fn rounding(word: &str) -> Option<Round> {
    Some(match word {
        "rn" | "rni" => Round::Nearest,
        "rna" => Round::Away,
        "rz" | "rzi" => Round::Zero,
        "rm" | "rmi" => Round::Down,
        "rp" | "rpi" => Round::Up,
        _ => return None,
    })
}

/// The rounding, flushing and clamping that an instruction asks for.
pub(crate) fn mode(instruction: &Instruction) -> Mode {
    let clamp = match (instruction.has("relu"), instruction.has("satfinite")) {
        (true, true) => Clamp::FiniteRelu,
        (true, false) => Clamp::Relu,
        (false, true) => Clamp::Finite,
        (false, false) if instruction.has("sat") => Clamp::Unit,
        (false, false) => Clamp::None,
    };
    Mode {
        round: instruction.modifiers().find_map(rounding).unwrap_or(Round::Nearest),
        flush: instruction.has("ftz"),
        clamp,
    }
}

/// Refuses an instruction with a modifier that is neither a type nor known.
pub(crate) fn only(instruction: &Instruction, known: &[&str]) -> Compiled {
    let strange = |word: &&str| {
        !known.contains(word) && Type::parse(word).is_none() && Float::parse(word).is_none()
    };
    match instruction.modifiers().find(strange) {
        None => Ok(()),
        Some(word) => Err(format!("`{}` is not supported: `.{word}`", instruction.word)),
    }
}

impl<'a> Compiler<'a> {
    /// Everything that only computes.
    pub(crate) fn arithmetic(&mut self, instruction: &Instruction<'a>) -> Compiled {
        match instruction.opcode {
            "setp" => return self.setp(instruction),
            "set" => return self.set(instruction),
            "selp" => return self.selp(instruction),
            "slct" => return self.slct(instruction),
            "cvt" => return self.convert(instruction),
            "createpolicy" => return self.policy(instruction),
            opcode if is_video(opcode) => return self.video(instruction),
            _ if carries(instruction) => return self.carry(instruction),
            _ => {}
        }
        if instruction.has("f32x2") {
            return self.float_pair(instruction);
        }
        if instruction.has("u16x2") || instruction.has("s16x2") {
            return self.integer_pair(instruction);
        }
        let mut floats = instruction.modifiers().filter_map(Float::parse);
        match (floats.next(), floats.next()) {
            (Some(float), None) => self.float(instruction, float),
            (Some(Float::F32), Some(from)) => self.mixed(instruction, from),
            (None, None) if instruction.has("relu") => self.extreme_relu(instruction),
            (None, None) if self.bits(instruction)? => Ok(()),
            (None, None) => self.integer(instruction),
            _ => unsupported(instruction),
        }
    }

    /// A slot with a float operand; literals are brought to its type.
    pub(crate) fn float_value(&mut self, float: Float, operand: &Operand<'a>) -> Compiled<Slot> {
        self.value(float.register(), operand)
    }

    /// `d = f(operands)`, each operand a slot and whether it has 64 bits.
    pub(crate) fn push_each(&mut self, f: Function, d: (Slot, bool), operands: &[(Slot, bool)]) {
        self.push(Op::each(f, d, operands));
    }

    /// Compiles an instruction with one source of each type in `takes` to `op`, which gets
    /// the destination and the sources.
    pub(crate) fn emit<const N: usize>(
        &mut self,
        instruction: &Instruction<'a>,
        gives: Type,
        takes: [Type; N],
        op: impl FnOnce(Slot, [Slot; N]) -> Op,
    ) -> Compiled {
        let (d, operands) = sources(instruction, N)?;
        let d = self.destination(gives, d)?;
        let mut slots = [0; N];
        for ((slot, ty), operand) in slots.iter_mut().zip(takes).zip(operands) {
            *slot = self.value(ty, operand)?;
        }
        self.push(op(d, slots));
        self.settle(gives, d);
        Ok(())
    }

    /// As [`Self::emit`], for an op that computes any function.
    pub(crate) fn apply<const N: usize>(
        &mut self,
        instruction: &Instruction<'a>,
        f: Function,
        gives: Type,
        takes: [Type; N],
    ) -> Compiled {
        self.emit(instruction, gives, takes, |d, slots| {
            let wide: [_; N] = std::array::from_fn(|index| (slots[index], takes[index].wide()));
            Op::each(f, (d, gives.wide()), &wide)
        })
    }

    /// Part `index` of `width` bits of a slot, in a fresh one, extended to 64 bits if `wide`.
    pub(crate) fn part(
        &mut self,
        a: (Slot, bool),
        (width, index): (u8, u8),
        signed: bool,
        wide: bool,
    ) -> Compiled<(Slot, bool)> {
        self.each(Function::Bits(Bits::Part { width, index, signed }), wide, &[a])
    }

    /// `f(operands)` in a fresh slot.
    pub(crate) fn each(
        &mut self,
        f: Function,
        wide: bool,
        operands: &[(Slot, bool)],
    ) -> Compiled<(Slot, bool)> {
        let d = (self.names.fresh(wide)?, wide);
        self.push_each(f, d, operands);
        Ok(d)
    }
}
