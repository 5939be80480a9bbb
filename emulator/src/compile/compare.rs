//! Comparisons and selections.

use crate::compile::arithmetic::only;
use crate::compile::compiler::Compiler;
use crate::compile::integer::logic;
use crate::compile::refuse::{
    Compiled, Refusal, last_type, operands, operands_and_more, unsupported,
};
use crate::compile::types::{Kind, Type};
use crate::program::{Compare, Float, Function, Int2, Logic, Op, Outcomes, Slot, Wide};
use crate::ptx::{Instruction, Operand};

/// Modifiers of comparisons apart from types.
const KNOWN: &[&str] = &[
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu",
    "geu", "num", "nan", "and", "or", "xor", "ftz",
];

/// What a comparison gives.
#[derive(Clone, Copy)]
enum Results {
    /// A predicate, and its complement where asked for.
    One(Slot),
    /// Of the lower and the upper half of a pair.
    Two(Slot, Slot),
}

impl<'a> Compiler<'a> {
    /// Predicate `d` = whether `f(a, b)` is not zero.
    pub(crate) fn push_test(&mut self, f: Function, d: Slot, [a, b]: [Slot; 2], wide: bool) {
        self.push(Op::Test { f, wide: Wide::new(false, [wide; 3]), d, a, b });
    }

    /// Compares into fresh predicates.
    fn comparison(
        &mut self,
        instruction: &Instruction<'a>,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Compiled<Results> {
        only(instruction, KNOWN)?;
        let name = instruction.modifiers().next().unwrap_or_default();
        let last = instruction.modifiers().last().unwrap_or_default();
        let Some(float) = Float::parse(last) else {
            return Ok(Results::One(self.integer_comparison(instruction, name, a, b)?));
        };
        let Some(outcomes) = Outcomes::parse(name) else { return unsupported(instruction) };
        let flush = instruction.has("ftz");
        let (a, b) = (self.float_value(float, a)?, self.float_value(float, b)?);
        let d = self.names.new_pred()?;
        match float {
            Float::F32 if !flush => self.push(Op::FloatCompare32 { f: outcomes, d, a, b }),
            Float::F64 => self.push(Op::FloatCompare64 { f: outcomes, d, a, b }),
            _ => {
                let f = Function::Compare(outcomes, float.half().unwrap_or(float), flush);
                self.push_test(f, d, [a, b], false);
                if float.half().is_some() {
                    let (a, b) = (self.upper(a)?, self.upper(b)?);
                    let upper = self.names.new_pred()?;
                    self.push_test(f, upper, [a, b], false);
                    return Ok(Results::Two(d, upper));
                }
            }
        }
        Ok(Results::One(d))
    }

    fn integer_comparison(
        &mut self,
        instruction: &Instruction<'a>,
        name: &str,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Compiled<Slot> {
        let ty = last_type(instruction)?;
        if ty.kind == Kind::Pred {
            return unsupported(instruction);
        }
        let signed = ty.signed();
        let pick = |s, u| if signed { s } else { u };
        // Greater is less with the operands exchanged.
        let (f, swap) = match name {
            "eq" => (Compare::Equal, false),
            "ne" => (Compare::NotEqual, false),
            "lt" => (pick(Compare::LessS, Compare::LessU), false),
            "le" => (pick(Compare::LessEqualS, Compare::LessEqualU), false),
            "gt" => (pick(Compare::LessS, Compare::LessU), true),
            "ge" => (pick(Compare::LessEqualS, Compare::LessEqualU), true),
            "lo" => (Compare::LessU, false),
            "ls" => (Compare::LessEqualU, false),
            "hi" => (Compare::LessU, true),
            "hs" => (Compare::LessEqualU, true),
            _ => return unsupported(instruction),
        };
        let (a, b) = (self.extended(ty, a)?, self.extended(ty, b)?);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        let d = self.names.new_pred()?;
        self.push(Op::compare(ty.wide(), f, [d, a, b]));
        Ok(d)
    }

    /// The upper 16 bits as a slot.
    fn upper(&mut self, a: Slot) -> Compiled<Slot> {
        let sixteen = self.constant32(16)?;
        self.compute(Type::B32, Int2::ShiftRightU, a, sixteen)
    }

    /// `result` combined with a predicate operand, in a fresh slot.
    fn combined(
        &mut self,
        instruction: &Instruction<'a>,
        result: Slot,
        with: Slot,
    ) -> Compiled<Slot> {
        let f = instruction.modifiers().nth(1).and_then(logic);
        let Some(f) = f else { return unsupported(instruction) };
        let d = self.names.new_pred()?;
        self.push(Op::Logic { f, d, a: result, b: with });
        Ok(d)
    }

    /// The predicate that a name in a destination stands for, unless it is `_`.
    fn written(&mut self, name: &'a str) -> Compiled<Option<Slot>> {
        if name == "_" { Ok(None) } else { self.names.pred(name).map(Some) }
    }

    /// `setp.lt.and.s32 p|q, a, b, c`: p = (a < b) and c, q = !(a < b) and c;
    /// of a pair, p tells about the lower half and q about the upper.
    pub(crate) fn setp(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let ([destinations, a, b], c) = operands_and_more(instruction)?;
        let (p, q) = match destinations {
            Operand::Name(p) => (self.written(p)?, None),
            Operand::Pair(p, q) => (self.written(p)?, self.written(q)?),
            _ => return unsupported(instruction),
        };
        let start = self.insts.len();
        let results = self.comparison(instruction, a, b)?;
        if let (Results::One(result), Some(p), None, None) = (results, p, q, c) {
            // The plain case compares right into the destination.
            if self.retarget(start, result, p) {
                return Ok(());
            }
        }
        let (mut first, mut second) = match results {
            Results::Two(lower, upper) => (lower, Some(upper)),
            Results::One(result) if q.is_some() => {
                let (ones, inverse) = (self.all_lanes()?, self.names.new_pred()?);
                self.push(Op::Logic { f: Logic::AndNot, d: inverse, a: ones, b: result });
                (result, Some(inverse))
            }
            Results::One(result) => (result, None),
        };
        // The source predicate may be a destination: write no result before both are complete.
        if let Some(c) = c {
            let c = self.pred_value(c)?;
            first = self.combined(instruction, first, c)?;
            second = second.map(|second| self.combined(instruction, second, c)).transpose()?;
        }
        for (d, a) in [(p, Some(first)), (q, second)] {
            if let (Some(d), Some(a)) = (d, a) {
                self.push(Op::MovePred { d, a });
            }
        }
        Ok(())
    }

    /// Makes the last op write `to` instead of the fresh predicate `from`.
    fn retarget(&mut self, start: usize, from: Slot, to: Slot) -> bool {
        match self.insts[start..].last_mut().map(|inst| &mut inst.op) {
            Some(
                Op::Compare32 { d, .. }
                | Op::Compare64 { d, .. }
                | Op::FloatCompare32 { d, .. }
                | Op::FloatCompare64 { d, .. }
                | Op::Test { d, .. },
            ) if *d == from => {
                *d = to;
                true
            }
            _ => false,
        }
    }

    /// `set.lt.and.f32.s32 d, a, b, c`: all ones, or the float 1, where it holds.
    pub(crate) fn set(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let ([d, a, b], c) = operands_and_more(instruction)?;
        let types: Vec<&str> = instruction
            .modifiers()
            .filter(|word| Type::parse(word).is_some() || Float::parse(word).is_some())
            .collect();
        let [to, _] = types[..] else { return unsupported(instruction) };
        let (ty, one) = match Float::parse(to) {
            Some(float @ (Float::F16 | Float::F16x2)) => (float.register(), 0x3c00),
            Some(float @ (Float::Bf16 | Float::Bf16x2)) => (float.register(), 0x3f80),
            Some(float @ Float::F32) => (float.register(), 1_f32.to_bits()),
            Some(Float::F64) => return unsupported(instruction),
            None => match Type::parse(to) {
                Some(ty) if ty.bits == 16 => (ty, 0xffff),
                Some(ty) if ty.bits == 32 => (ty, u32::MAX),
                _ => return unsupported(instruction),
            },
        };
        let d = self.destination(ty, d)?;
        let results = self.comparison(instruction, a, b)?;
        let c = c.map(|c| self.pred_value(c)).transpose()?;
        let selected = |this: &mut Self, mut p, one, d| {
            if let Some(c) = c {
                p = this.combined(instruction, p, c)?;
            }
            let (a, b) = (this.constant32(one)?, this.constant32(0)?);
            this.push(Op::Select32 { d, a, b, p });
            Ok::<_, Refusal>(())
        };
        match results {
            Results::One(p) => selected(self, p, one, d),
            Results::Two(p, q) => {
                let (a, b) = (self.names.new32()?, self.names.new32()?);
                selected(self, p, one & 0xffff, a)?;
                selected(self, q, one << 16, b)?;
                self.push(Op::Binary32 { f: Int2::Or, d, a, b });
                Ok(())
            }
        }
    }

    pub(crate) fn selp(&mut self, instruction: &Instruction<'a>) -> Compiled {
        only(instruction, &[])?;
        let [d, a, b, p] = operands(instruction)?;
        let ty = last_type(instruction)?;
        let d = self.destination(ty, d)?;
        let (a, b) = (self.value(ty, a)?, self.value(ty, b)?);
        let p = self.pred_value(p)?;
        self.push(Op::select(ty.wide(), [d, a, b, p]));
        Ok(())
    }

    /// `slct.u32.f32 d, a, b, c`: a where c >= 0, else b.
    pub(crate) fn slct(&mut self, instruction: &Instruction<'a>) -> Compiled {
        only(instruction, &["ftz"])?;
        let [d, a, b, c] = operands(instruction)?;
        let mut types = instruction.modifiers().filter_map(Type::parse);
        let (Some(ty), Some(by)) = (types.next(), types.next()) else {
            return unsupported(instruction);
        };
        let d = self.destination(ty, d)?;
        let (a, b) = (self.value(ty, a)?, self.value(ty, b)?);
        let (c, zero, p) = (self.value(by, c)?, self.constant32(0)?, self.names.new_pred()?);
        match (by.kind, by.bits) {
            (Kind::Signed, 32) => {
                self.push(Op::Compare32 { f: Compare::LessEqualS, d: p, a: zero, b: c });
            }
            (Kind::Float, 32) => {
                let Some(f) = Outcomes::parse("ge") else { return unsupported(instruction) };
                // A subnormal c compares as zero does when flushed.
                let f = Function::Compare(f, Float::F32, instruction.has("ftz"));
                self.push_test(f, p, [c, zero], false);
            }
            _ => return unsupported(instruction),
        }
        self.push(Op::select(ty.wide(), [d, a, b, p]));
        Ok(())
    }
}
