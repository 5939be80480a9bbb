//! Integer instructions without an op of their own: bit fields, permutations,
//! saturation, carries, dot products; packing and unpacking moves.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, last_type, operands, sources, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{Bits, Compare, Function, Int2, Integer, Logic, Op, Permute, Step};
use crate::ptx::{Instruction, Operand};

/// What an instruction computes, and how many operands it reads.
fn function(instruction: &Instruction, ty: Type) -> Option<(Bits, usize)> {
    let (signed, wrap) = (ty.signed(), instruction.has("wrap"));
    let integer = Integer { bits: ty.bits as u8, signed };
    let (saturate, high) = (instruction.has("sat"), instruction.has("hi"));
    let word32 = ty.bits == 32;
    Some(match instruction.opcode {
        "add" if saturate && signed && word32 => (Bits::AddSaturating, 2),
        "sub" if saturate && signed && word32 => (Bits::SubSaturating, 2),
        "mad" if high && saturate && signed && word32 => (Bits::MulHighAddSaturating, 3),
        "mad" if high && !saturate => (Bits::MulHighAdd(integer), 3),
        "mul24" | "mad24" if word32 && (!saturate || signed && high) => {
            let count = if instruction.opcode == "mad24" { 3 } else { 2 };
            (Bits::Mul24 { signed, high, saturate }, count)
        }
        "sad" => (Bits::SumDifference(integer), 3),
        "fns" if word32 => (Bits::FindNth, 3),
        "szext" if word32 => (Bits::Extend { signed, wrap }, 2),
        "bmsk" if word32 => (Bits::Mask { wrap }, 2),
        "shf" if word32 && (wrap || instruction.has("clamp")) => {
            (Bits::Funnel { left: instruction.has("l"), wrap }, 3)
        }
        "prmt" if word32 => {
            let mode = match instruction.modifiers().last() {
                Some("f4e") => Permute::Forward,
                Some("b4e") => Permute::Backward,
                Some("rc8") => Permute::Replicate,
                Some("ecl") => Permute::ClampLeft,
                Some("ecr") => Permute::ClampRight,
                Some("rc16") => Permute::ReplicateHalf,
                Some("b32") => Permute::Select,
                _ => return None,
            };
            (Bits::Permute(mode), 3)
        }
        _ => return None,
    })
}

impl<'a> Compiler<'a> {
    /// Compiles the instruction if it is one of these.
    pub(crate) fn bits(&mut self, instruction: &Instruction<'a>) -> Compiled<bool> {
        match instruction.opcode {
            "lop3" => return self.lop3(instruction).map(|()| true),
            "bfi" => return self.insert(instruction).map(|()| true),
            "bfind" => return self.find(instruction).map(|()| true),
            "dp4a" | "dp2a" => return self.dot(instruction).map(|()| true),
            _ => {}
        }
        let ty = last_type(instruction)?;
        if !matches!(ty.kind, Kind::Unsigned | Kind::Signed | Kind::Bits)
            || instruction.has("cc")
            || matches!(instruction.opcode, "addc" | "subc" | "madc")
        {
            return Ok(false);
        }
        if instruction.opcode == "bfe" && ty.wide() {
            let f = Function::Bits(Bits::Extract64 { signed: ty.signed() });
            return self.apply(instruction, f, ty, [ty, Type::B32, Type::B32]).map(|()| true);
        }
        let narrow_high = instruction.opcode == "mul" && instruction.has("hi") && ty.bits == 16;
        let found = if narrow_high {
            let integer = Integer { bits: 16, signed: ty.signed() };
            Some((Bits::MulHighAdd(integer), 2))
        } else {
            function(instruction, ty)
        };
        let Some((f, count)) = found else { return Ok(false) };
        let wide = ty.wide();
        let (d, operands) = sources(instruction, count)?;
        let d = self.destination(ty, d)?;
        let mut slots = Vec::with_capacity(3);
        for source in operands {
            slots.push((self.value(ty, source)?, wide));
        }
        if count == 2 {
            slots.push((self.constant(0, wide)?, wide));
        }
        self.push_each(Function::Bits(f), (d, wide), &slots);
        self.settle(ty, d);
        Ok(true)
    }

    fn lop3(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, a, b, c, Operand::Int(table), predicate @ ..] = instruction.operands.as_slice()
        else {
            return unsupported(instruction);
        };
        let f = match instruction.modifiers().next() {
            Some("or") => Some(Logic::Or),
            Some("and") => Some(Logic::And),
            _ => None,
        };
        let (d, tested) = match (d, f, predicate) {
            (Operand::Pair(d, p), Some(f), [q]) => {
                let (q, p) = (self.pred_value(q)?, self.pred_destination(&Operand::Name(p))?);
                (self.destination(Type::B32, &Operand::Name(d))?, Some((f, p, q)))
            }
            (d, None, []) => (self.destination(Type::B32, d)?, None),
            _ => return unsupported(instruction),
        };
        let table = u8::try_from(*table).map_err(|_| "the table has 8 bits".to_owned())?;
        let slots = [self.value32(a)?, self.value32(b)?, self.value32(c)?].map(|s| (s, false));
        self.push_each(Function::Bits(Bits::Lop3(table)), (d, false), &slots);
        if let Some((f, p, q)) = tested {
            let (zero, set) = (self.constant32(0)?, self.names.new_pred()?);
            self.push(Op::Compare32 { f: Compare::NotEqual, d: set, a: d, b: zero });
            self.push(Op::Logic { f, d: p, a: set, b: q });
        }
        Ok(())
    }

    fn insert(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let ty = last_type(instruction)?;
        let [d, a, b, start, length] = operands(instruction)?;
        let d = self.destination(ty, d)?;
        let (a, b) = (self.value(ty, a)?, self.value(ty, b)?);
        let (mut start, mut length) = (self.value32(start)?, self.value32(length)?);
        let begin = self.insts.len();
        let wide = ty.wide();
        let step = Step::Insert { wide, d, a, b, start, length };
        // With 64 bits, start and length may be larger than 8 bits (measured on an H200; the
        // ISA ends at 255).
        if ty.wide() {
            let most = self.constant32(255)?;
            for operand in [&mut start, &mut length] {
                *operand = self.compute(Type::B32, Int2::MinU, *operand, most)?;
            }
        }
        let field = self.each(Function::Join(8), false, &[(start, false), (length, false)])?;
        let f = Function::Bits(Bits::Insert { width: ty.bits as u8 });
        self.push_each(f, (d, wide), &[(a, wide), (b, wide), field]);
        self.quick(begin, step);
        Ok(())
    }

    fn find(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let ty = last_type(instruction)?;
        let integer = Integer { bits: ty.bits as u8, signed: ty.signed() };
        let f = Bits::Find { ty: integer, shift: instruction.has("shiftamt") };
        self.apply(instruction, Function::Bits(f), Type::B32, [ty])
    }

    fn dot(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let mut types = instruction.modifiers().filter_map(Type::parse);
        let (Some(first), Some(second)) = (types.next(), types.next()) else {
            return unsupported(instruction);
        };
        let (a_signed, b_signed) = (first.signed(), second.signed());
        let f = if instruction.opcode == "dp4a" {
            Bits::Dot4 { a_signed, b_signed }
        } else {
            Bits::Dot2 { high: instruction.has("hi"), a_signed, b_signed }
        };
        self.apply(instruction, Function::Bits(f), Type::B32, [Type::B32; 3])
    }

    /// `mov.b64 d, {low, high}` and `mov.b64 {low, high}, a`.
    pub(crate) fn mov_parts(&mut self, instruction: &Instruction<'a>, ty: Type) -> Compiled {
        let [d, a] = operands(instruction)?;
        if ty.kind != Kind::Bits {
            return Err(format!(
                "`{}` moves a number; parts of a register need `mov.b{}`",
                instruction.word, ty.bits
            ));
        }
        let (parts, packs) = match (d, a) {
            (Operand::Vector(parts), _) => (parts, false),
            (_, Operand::Vector(parts)) => (parts, true),
            _ => return unsupported(instruction),
        };
        let width = match (ty.bits, parts.len()) {
            (64, 2) => 32,
            (64, 4) | (32, 2) => 16,
            (32, 4) | (16, 2) => 8,
            _ => return unsupported(instruction),
        };
        let part = Type { kind: Kind::Bits, bits: width };
        let wide = ty.wide();
        if !packs {
            let a = self.value(ty, a)?;
            for (index, d) in parts.iter().enumerate() {
                let d = self.destination(part, d)?;
                if (ty.bits, index) == (32, 1) && width == 16 {
                    let b = self.constant32(16)?;
                    self.push(Op::Binary32 { f: Int2::ShiftRightU, d, a, b });
                    continue;
                }
                let f = Bits::Part { width: width as u8, index: index as u8, signed: false };
                self.push_each(Function::Bits(f), (d, false), &[(a, wide)]);
            }
            return Ok(());
        }
        let d = self.destination(ty, d)?;
        let mut slots = Vec::with_capacity(4);
        for operand in parts {
            slots.push((self.value(part, operand)?, false));
        }
        let join = Function::Join(width as u8);
        if let [a, b, c, e] = slots[..] {
            let halves = [self.each(join, false, &[a, b])?, self.each(join, false, &[c, e])?];
            self.push_each(Function::Join(2 * width as u8), (d, wide), &halves);
        } else {
            self.push_each(join, (d, wide), &slots);
        }
        Ok(())
    }
}
