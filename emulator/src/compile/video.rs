//! Video instructions: on one part of each operand (`vadd.s32.u32.s32.sat d.h0,
//! a.b1, b, c`), or on two or four at once (`vadd4.u32.u32.u32 d, a, b, c`).
//! GPUs have had few of them since Maxwell; the others are made of plain
//! integer arithmetic there too, as here.
//!
//! Each part is computed in 64 bits, which hold every result exactly; several at once are of
//! 16 bits at most and need only 32.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, operands, operands_and_more, unsupported};
use crate::compile::types::Type;
use crate::program::{
    Bits, Compare, Function, Int1, Int2, Integer, Op, Pair, Parts, Slot, Step, Then,
    Video as VideoStep,
};
use crate::ptx::{Instruction, Operand};

/// What is computed of each part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain(Int2),
    Difference,
    Average,
    ShiftLeft,
    ShiftRight,
    Compare,
}

/// An instruction, read.
struct Video {
    kind: Kind,
    /// Parts that it works on at once.
    lanes: u8,
    to_signed: bool,
    signed: [bool; 2],
    saturate: bool,
    wrap: bool,
    comparison: Option<(Compare, bool)>,
    /// What the result and the last operand become; without it, the result takes its place
    /// among the other parts of that.
    then: Option<Int2>,
}

/// Bits of a part and its number among those of the word.
type Part = (u8, u8);

/// Whether the opcode is one of these.
pub(crate) fn is_video(opcode: &str) -> bool {
    kind(opcode.trim_end_matches(['2', '4'])).is_some() || opcode == "vmad"
}

fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "vadd" => Kind::Plain(Int2::Add),
        "vsub" => Kind::Plain(Int2::Sub),
        "vmin" => Kind::Plain(Int2::MinS),
        "vmax" => Kind::Plain(Int2::MaxS),
        "vabsdiff" => Kind::Difference,
        "vavrg" => Kind::Average,
        "vshl" => Kind::ShiftLeft,
        "vshr" => Kind::ShiftRight,
        "vset" => Kind::Compare,
        _ => return None,
    })
}

fn signedness(word: &str) -> Option<bool> {
    match word {
        "s32" => Some(true),
        "u32" => Some(false),
        _ => None,
    }
}

impl Video {
    fn read(instruction: &Instruction) -> Option<Self> {
        let (name, lanes) = match instruction.opcode.as_bytes().last()? {
            b'2' => (instruction.opcode.trim_end_matches('2'), 2),
            b'4' => (instruction.opcode.trim_end_matches('4'), 4),
            _ => (instruction.opcode, 1),
        };
        let kind = kind(name)?;
        let shifts = matches!(kind, Kind::ShiftLeft | Kind::ShiftRight);
        if lanes > 1 && shifts || lanes == 1 && kind == Kind::Average {
            return None;
        }
        let mut words = instruction.modifiers();
        let to_signed = match kind {
            Kind::Compare => false,
            _ => signedness(words.next()?)?,
        };
        let signed = [signedness(words.next()?)?, signedness(words.next()?)?];
        let mut video = Self {
            kind,
            lanes,
            to_signed,
            signed,
            saturate: false,
            wrap: false,
            comparison: None,
            then: None,
        };
        let pick = |s, u| if video.to_signed { s } else { u };
        let (least, most) = (pick(Int2::MinS, Int2::MinU), pick(Int2::MaxS, Int2::MaxU));
        for word in words {
            match word {
                "sat" if kind != Kind::Compare => video.saturate = true,
                "wrap" if shifts => video.wrap = true,
                "clamp" if shifts => {}
                "add" => video.then = Some(Int2::Add),
                "min" if lanes == 1 => video.then = Some(least),
                "max" if lanes == 1 => video.then = Some(most),
                _ if kind == Kind::Compare && video.comparison.is_none() => {
                    // `a > b` is `b < a`.
                    video.comparison = Some(match word {
                        "eq" => (Compare::Equal, false),
                        "ne" => (Compare::NotEqual, false),
                        "lt" => (Compare::LessS, false),
                        "le" => (Compare::LessEqualS, false),
                        "gt" => (Compare::LessS, true),
                        "ge" => (Compare::LessEqualS, true),
                        _ => return None,
                    });
                }
                _ => return None,
            }
        }
        (kind != Kind::Compare || video.comparison.is_some()).then_some(video)
    }

    /// Whether an H200 gives something else than the PTX ISA says, for a form on
    /// one part (measured; `tests/ptx/expected/video.txt`).
    fn is_odd(&self, merges: bool) -> bool {
        let exact = matches!(self.kind, Kind::Plain(Int2::MinS | Int2::MaxS));
        match self.kind {
            Kind::ShiftLeft if self.saturate => true,
            Kind::Compare if merges => true,
            _ if self.saturate && (merges || !self.to_signed && !exact) => true,
            _ => matches!(self.then, Some(Int2::MinU | Int2::MaxU)) && !exact,
        }
    }

    /// What is computed of each part, all at once.
    fn step(&self, [d, c]: [Slot; 2], widths: [u8; 2], bits: u8, pairs: Vec<Pair>) -> Step {
        let f = match self.kind {
            Kind::Plain(f) => Parts::Plain(f),
            Kind::Difference => Parts::Difference,
            Kind::Average => Parts::Average,
            Kind::ShiftLeft => Parts::ShiftLeft { wrap: self.wrap },
            Kind::ShiftRight => Parts::ShiftRight { wrap: self.wrap },
            Kind::Compare => {
                let (f, swap) = self.comparison.unwrap_or((Compare::Equal, false));
                Parts::Compare { f, swap }
            }
        };
        let clamp = self.saturate.then(|| self.result(bits));
        let in_place = Pair::in_place(&pairs, widths[0]);
        let then = match self.then {
            Some(f) => Then::Combine(f),
            None if bits == 32 => Then::Keep,
            None => Then::Merge(bits),
        };
        Step::Video(VideoStep {
            f,
            signed: self.signed,
            widths,
            clamp,
            pairs,
            in_place,
            then,
            d,
            c,
        })
    }

    /// What a result is clamped or cut to, in a part of this many bits.
    fn result(&self, bits: u8) -> Integer {
        Integer { bits, signed: self.to_signed }
    }
}

/// Refuses a form whose expected result is unknown.
fn odd<T>(instruction: &Instruction) -> Compiled<T> {
    Err(format!(
        "`{}` is not supported: GPUs do not compute it as the PTX ISA says",
        instruction.word
    ))
}

/// `%r1` and `b2` out of `%r1.b2`.
fn split<'a>(operand: &Operand<'a>) -> (Operand<'a>, &'a str) {
    match operand {
        Operand::Name(name) => match name.split_once('.') {
            Some((name, part)) => (Operand::Name(name), part),
            None => (operand.clone(), ""),
        },
        other => (other.clone(), ""),
    }
}

/// The part that one of `b0` to `b3`, `h0`, `h1` names; the whole word without.
fn part(selector: &str) -> Option<Part> {
    let (kind, index) = selector.split_at_checked(1).unwrap_or_default();
    match (kind, index.parse().ok()) {
        ("", _) => Some((32, 0)),
        ("h", Some(index @ ..2)) => Some((16, index)),
        ("b", Some(index @ ..4)) => Some((8, index)),
        _ => None,
    }
}

/// The numbers of the parts that a selector such as `h32` or `b7210` names,
/// lowest first.
fn parts(selector: &str, lanes: u8, default: &[u8]) -> Option<Vec<u8>> {
    if selector.is_empty() {
        return Some(default.to_vec());
    }
    let letter = if lanes == 2 { 'h' } else { 'b' };
    let digits = selector.strip_prefix(letter)?;
    let found: Option<Vec<u8>> =
        digits.bytes().rev().map(|d| d.checked_sub(b'0').filter(|&d| d < 2 * lanes)).collect();
    found.filter(|found| found.len() <= usize::from(lanes) && !found.is_empty())
}

impl<'a> Compiler<'a> {
    /// Compiles one of these.
    pub(crate) fn video(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let Some(video) = Video::read(instruction) else {
            return match instruction.opcode {
                "vmad" => self.video_product(instruction),
                _ => unsupported(instruction),
            };
        };
        if video.lanes > 1 {
            return self.video_lanes(instruction, &video);
        }
        let ([d, a, b], c) = operands_and_more(instruction)?;
        let (d, d_part) = split(d);
        let Some(place) = part(d_part) else { return unsupported(instruction) };
        // A merge names a part, a second operation does not.
        let merges = video.then.is_none();
        if c.is_some() != (place.0 != 32 || !merges) || place.0 != 32 && !merges {
            return unsupported(instruction);
        }
        if video.is_odd(place.0 != 32) {
            return odd(instruction);
        }
        let c = c.map(|c| self.value32(c)).transpose()?;
        let d = self.destination(Type::B32, &d)?;
        let (a, a_part) = self.source(instruction, a)?;
        let (b, b_part) = self.source(instruction, b)?;
        let start = self.insts.len();
        let x = self.part((a, false), a_part, video.signed[0], true)?.0;
        let y = self.part((b, false), b_part, video.signed[1], true)?.0;
        let result = self.video_part(&video, place.0, true, [x, y])?;
        let pair = Pair {
            a: (a, a_part.0 * a_part.1),
            b: (b, b_part.0 * b_part.1),
            place: place.0 * place.1,
        };
        if let Some(c) = c {
            let a = self.narrowed(result)?;
            match video.then {
                None => self.put_part(d, a, c, place)?,
                Some(f) => self.push(Op::Binary32 { f, d, a, b: c }),
            }
        } else {
            self.push(Op::Truncate { d, a: result });
        }
        let widths = [a_part.0, b_part.0];
        self.quick(start, video.step([d, c.unwrap_or(a)], widths, place.0, vec![pair]));
        Ok(())
    }

    /// Two or four parts at once.
    fn video_lanes(&mut self, instruction: &Instruction<'a>, video: &Video) -> Compiled {
        let [d, a, b, c] = operands(instruction)?;
        let ((d, mask), (a, a_parts), (b, b_parts)) = (split(d), split(a), split(b));
        let n = video.lanes;
        let numbers: Vec<u8> = (0..2 * n).collect();
        let (low, high) = numbers.split_at(usize::from(n));
        let (Some(mask), Some(a_parts), Some(b_parts)) =
            (parts(mask, n, low), parts(a_parts, n, low), parts(b_parts, n, high))
        else {
            return unsupported(instruction);
        };
        if a_parts.len() != usize::from(n) || b_parts.len() != usize::from(n) {
            return unsupported(instruction);
        }
        let (a, b, c) = (self.value32(&a)?, self.value32(&b)?, self.value32(c)?);
        let width = 32 / n;
        let in_place = mask == low && a_parts == low && b_parts == high;
        if let Kind::Plain(f @ (Int2::Add | Int2::Sub)) = video.kind
            && in_place
            && video.then.is_none()
            && !video.saturate
        {
            let (d, start) = (self.destination(Type::B32, &d)?, self.insts.len());
            self.packed_sum(f, width, [d, a, b])?;
            self.quick(start, Step::Packed { f, width, d, a, b });
            return Ok(());
        }
        let start = self.insts.len();
        let merges = video.then.is_none();
        let bits = if merges { width } else { 32 };
        let mut pairs = Vec::with_capacity(4);
        let mut so_far = c;
        for lane in 0..n {
            if !mask.contains(&lane) {
                continue;
            }
            let mut source = |number: u8, signed| {
                let from = if number < n { a } else { b };
                self.part((from, false), (width, number % n), signed, false)
            };
            let x = source(a_parts[usize::from(lane)], video.signed[0])?;
            let y = source(b_parts[usize::from(lane)], video.signed[1])?;
            let of = |number: u8| (if number < n { a } else { b }, width * (number % n));
            pairs.push(Pair {
                a: of(a_parts[usize::from(lane)]),
                b: of(b_parts[usize::from(lane)]),
                place: width * lane,
            });
            let a = self.video_part(video, bits, false, [x.0, y.0])?;
            let d = self.names.new32()?;
            if merges {
                self.put_part(d, a, so_far, (width, lane))?;
            } else {
                self.push(Op::Binary32 { f: Int2::Add, d, a, b: so_far });
            }
            so_far = d;
        }
        let d = self.destination(Type::B32, &d)?;
        self.push(Op::Move32 { d, a: so_far });
        self.quick(start, video.step([d, c], [width; 2], bits, pairs));
        Ok(())
    }

    /// What is computed of two parts, for a result of `bits`; in 64 bits if `wide`, else in 32.
    fn video_part(
        &mut self,
        video: &Video,
        bits: u8,
        wide: bool,
        [a, b]: [Slot; 2],
    ) -> Compiled<Slot> {
        let ty = if wide { Type::B64 } else { Type::B32 };
        let mut signed = true;
        let exact = match video.kind {
            Kind::Plain(f) => self.compute(ty, f, a, b)?,
            Kind::Difference => {
                let (a, d) = (self.compute(ty, Int2::Sub, a, b)?, self.names.fresh(wide)?);
                self.push(Op::unary(wide, Int1::Absolute, [d, a]));
                d
            }
            Kind::Average => {
                // Halves go away from zero.
                let sum = self.compute(ty, Int2::Add, a, b)?;
                let zero = self.constant(0, wide)?;
                let more = self.one_if(wide, Compare::LessEqualS, [zero, sum])?;
                let (sum, one) = (self.compute(ty, Int2::Add, sum, more)?, self.constant(1, wide)?);
                self.compute(ty, Int2::ShiftRightS, sum, one)?
            }
            Kind::ShiftLeft | Kind::ShiftRight => {
                let (f, limit) = if video.wrap { (Int2::And, 31) } else { (Int2::MinU, 32) };
                let limit = self.constant(limit, wide)?;
                let amount = self.compute(ty, f, b, limit)?;
                if video.kind == Kind::ShiftLeft {
                    signed = video.signed[0];
                    self.compute(ty, Int2::ShiftLeft, a, amount)?
                } else {
                    self.compute(ty, Int2::ShiftRightS, a, amount)?
                }
            }
            Kind::Compare => {
                let (f, swap) = video.comparison.unwrap_or((Compare::Equal, false));
                self.one_if(wide, f, if swap { [b, a] } else { [a, b] })?
            }
        };
        if !video.saturate {
            return Ok(exact);
        }
        let from = Integer { bits: if wide { 64 } else { 32 }, signed };
        let f = Function::SaturateInteger { to: video.result(bits), from };
        Ok(self.each(f, wide, &[(exact, wide)])?.0)
    }

    /// Sums or differences of all parts of two words, each modulo its width: the highest bit of
    /// each part is kept out of the carries and added without one.
    fn packed_sum(&mut self, f: Int2, width: u8, [d, a, b]: [Slot; 3]) -> Compiled {
        let highest = if width == 8 { 0x8080_8080 } else { 0x8000_8000 };
        let (high, low) = (self.constant32(highest)?, self.constant32(!highest)?);
        let mut of = |f, a, b| self.compute(Type::B32, f, a, b);
        let (without_carry, rest) = if f == Int2::Add {
            let (x, y) = (of(Int2::And, a, low)?, of(Int2::And, b, low)?);
            (of(Int2::Xor, a, b)?, of(Int2::Add, x, y)?)
        } else {
            // A set bit lends to the part below it; it turns the sum of the highest bits.
            let (x, y) = (of(Int2::Or, a, high)?, of(Int2::And, b, low)?);
            let differ = of(Int2::Xor, a, b)?;
            (of(Int2::Xor, differ, high)?, of(Int2::Sub, x, y)?)
        };
        let top = of(Int2::And, without_carry, high)?;
        self.push(Op::Binary32 { f: Int2::Xor, d, a: rest, b: top });
        Ok(())
    }

    /// 1 where the comparison holds, else 0.
    fn one_if(&mut self, wide: bool, f: Compare, [a, b]: [Slot; 2]) -> Compiled<Slot> {
        let (p, d) = (self.names.new_pred()?, self.names.fresh(wide)?);
        self.push(Op::compare(wide, f, [p, a, b]));
        let (zero, one) = (self.constant(0, wide)?, self.constant(1, wide)?);
        self.push(Op::select(wide, [d, one, zero, p]));
        Ok(d)
    }

    /// `vmad`: `a * b + c`, perhaps plus one, scaled down and saturated.
    fn video_product(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let mut words = instruction.modifiers();
        let mut sign = || words.next().and_then(signedness);
        let (Some(_), Some(a_signed), Some(b_signed)) = (sign(), sign(), sign()) else {
            return unsupported(instruction);
        };
        let (mut scale, mut saturate, mut one_more) = (0, false, false);
        for word in words {
            match word {
                "po" => one_more = true,
                "sat" => saturate = true,
                "shr7" => scale = 7,
                "shr15" => scale = 15,
                _ => return unsupported(instruction),
            }
        }
        let [d, a, b, c] = operands(instruction)?;
        if (scale != 0 || saturate) && !(a_signed && b_signed) {
            return odd(instruction);
        }
        let a = self.selected(instruction, a, a_signed)?;
        let b = self.selected(instruction, b, b_signed)?;
        let c = self.value32(c)?;
        let signed = a_signed || b_signed;
        let (c, _) = self.part((c, false), (32, 0), signed, true)?;
        let (mut result, wide) = (self.names.new64()?, Type::B64);
        self.push(Op::MulAdd64 { d: result, a, b, c });
        if one_more {
            let one = self.constant64(1)?;
            result = self.compute(wide, Int2::Add, result, one)?;
        }
        if scale != 0 {
            let f = if signed { Int2::ShiftRightS } else { Int2::ShiftRightU };
            let scale = self.constant64(scale)?;
            result = self.compute(wide, f, result, scale)?;
        }
        if saturate {
            let (to, from) = (Integer { bits: 32, signed }, Integer { bits: 64, signed });
            let f = Function::SaturateInteger { to, from };
            result = self.each(f, true, &[(result, true)])?.0;
        }
        let d = self.destination(Type::B32, d)?;
        self.push(Op::Truncate { d, a: result });
        Ok(())
    }

    /// The part of a register that an operand such as `%r1.b2` names, in 64 bits.
    fn selected(
        &mut self,
        instruction: &Instruction<'a>,
        operand: &Operand<'a>,
        signed: bool,
    ) -> Compiled<Slot> {
        let (a, part) = self.source(instruction, operand)?;
        Ok(self.part((a, false), part, signed, true)?.0)
    }

    /// An operand's register, and the part of it that the operand names.
    fn source(
        &mut self,
        instruction: &Instruction<'a>,
        operand: &Operand<'a>,
    ) -> Compiled<(Slot, Part)> {
        let (operand, selector) = split(operand);
        let Some(part) = part(selector) else { return unsupported(instruction) };
        Ok((self.value32(&operand)?, part))
    }

    /// The low 32 bits.
    fn narrowed(&mut self, a: Slot) -> Compiled<Slot> {
        let d = self.names.new32()?;
        self.push(Op::Truncate { d, a });
        Ok(d)
    }

    /// `d` = `c` with its part replaced by the low bits of `a`.
    fn put_part(&mut self, d: Slot, a: Slot, c: Slot, (width, index): Part) -> Compiled {
        let field = self.constant32(u32::from(width * index) | u32::from(width) << 8)?;
        let f = Function::Bits(Bits::Insert { width: 32 });
        self.push_each(f, (d, false), &[(a, false), (c, false), (field, false)]);
        Ok(())
    }
}
