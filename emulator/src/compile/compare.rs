//! Comparisons and selections.

use crate::compile::arithmetic::only;
use crate::compile::compiler::Compiler;
use crate::compile::integer::logic;
use crate::compile::refuse::{Compiled, last_type, operands, operands_and_more, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{Compare, Float, Function, Guard, Int2, Logic, Op, Outcomes, Slot, Wide};
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

    /// Compares into these predicates, or into fresh ones.
    fn comparison(
        &mut self,
        instruction: &Instruction<'a>,
        [a, b]: [&Operand<'a>; 2],
        [p, q]: [Option<Slot>; 2],
    ) -> Compiled<Results> {
        only(instruction, KNOWN)?;
        let name = instruction.modifiers().next().unwrap_or_default();
        let last = instruction.modifiers().last().unwrap_or_default();
        let Some(float) = Float::parse(last) else {
            return Ok(Results::One(self.integer_comparison(instruction, name, [a, b], p)?));
        };
        let Some(outcomes) = Outcomes::parse(name) else { return unsupported(instruction) };
        let flush = instruction.has("ftz");
        let (a, b) = (self.float_value(float, a)?, self.float_value(float, b)?);
        let d = self.or_fresh(p)?;
        match float {
            Float::F32 if !flush => self.push(Op::FloatCompare32 { f: outcomes, d, a, b }),
            Float::F64 => self.push(Op::FloatCompare64 { f: outcomes, d, a, b }),
            _ => {
                let of = |float| Function::Compare(outcomes, float, flush);
                self.push_test(of(float.half().unwrap_or(float)), d, [a, b], false);
                if float.half().is_some() {
                    let upper = self.or_fresh(q)?;
                    self.push_test(of(float), upper, [a, b], false);
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
        [a, b]: [&Operand<'a>; 2],
        d: Option<Slot>,
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
        let d = self.or_fresh(d)?;
        self.push(Op::compare(ty.wide(), f, [d, a, b]));
        Ok(d)
    }

    fn or_fresh(&mut self, d: Option<Slot>) -> Compiled<Slot> {
        d.map_or_else(|| self.names.new_pred(), Ok)
    }

    /// A result combined with a predicate operand.
    fn combined(
        &mut self,
        instruction: &Instruction<'a>,
        [a, b]: [Slot; 2],
        d: Option<Slot>,
    ) -> Compiled<Slot> {
        let f = instruction.modifiers().nth(1).and_then(logic);
        let Some(f) = f else { return unsupported(instruction) };
        let d = self.or_fresh(d)?;
        self.push(Op::Logic { f, d, a, b });
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
        if q.is_some() {
            self.keep_guard([p, q])?;
        }
        let Some(c) = c else {
            let results = self.comparison(instruction, [a, b], [p, q])?;
            if let (Results::One(p), Some(q)) = (results, q) {
                self.opposite(p, Some(q))?;
            }
            return Ok(());
        };
        let mut c = self.pred_value(c)?;
        // A destination may be the source predicate, which both results need.
        if [p, q].contains(&Some(c)) {
            let d = self.names.new_pred()?;
            self.push(Op::MovePred { d, a: c });
            c = d;
        }
        let (first, second) = match self.comparison(instruction, [a, b], [None; 2])? {
            Results::Two(lower, upper) => (lower, Some(upper)),
            Results::One(a) => match (q, instruction.modifiers().nth(1)) {
                (Some(q), Some("and")) => {
                    if p.is_some() {
                        self.combined(instruction, [a, c], p)?;
                    }
                    self.push(Op::Logic { f: Logic::AndNot, d: q, a: c, b: a });
                    return Ok(());
                }
                (Some(q), Some("xor")) => {
                    let p = self.combined(instruction, [a, c], p)?;
                    return self.opposite(p, Some(q)).map(|_| ());
                }
                (Some(_), _) => (a, Some(self.opposite(a, None)?)),
                (None, _) => (a, None),
            },
        };
        for (d, a) in [(p, Some(first)), (q, second)] {
            if let (Some(_), Some(a)) = (d, a) {
                self.combined(instruction, [a, c], d)?;
            }
        }
        Ok(())
    }

    /// Guards what follows with a copy, if an op of these destinations would change the guard for
    /// the next.
    fn keep_guard(&mut self, destinations: [Option<Slot>; 2]) -> Compiled {
        let (Guard::If(a) | Guard::Unless(a)) = self.guard else { return Ok(()) };
        if destinations.contains(&Some(a)) {
            let d = self.names.new_pred()?;
            self.push_always(Op::MovePred { d, a });
            let kept = matches!(self.guard, Guard::If(_));
            self.guard = if kept { Guard::If(d) } else { Guard::Unless(d) };
        }
        Ok(())
    }

    /// What does not hold where `a` does.
    fn opposite(&mut self, a: Slot, d: Option<Slot>) -> Compiled<Slot> {
        let (ones, d) = (self.all_lanes()?, self.or_fresh(d)?);
        self.push(Op::Logic { f: Logic::AndNot, d, a: ones, b: a });
        Ok(d)
    }

    /// `set.lt.and.f32.s32 d, a, b, c`: all ones, or the float 1, where it holds.
    pub(crate) fn set(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let ([d, a, b], c) = operands_and_more(instruction)?;
        let types: Vec<&str> = instruction
            .modifiers()
            .filter(|word| Type::parse(word).is_some() || Float::parse(word).is_some())
            .collect();
        let [to, from] = types[..] else { return unsupported(instruction) };
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
        let c = c.map(|c| self.pred_value(c)).transpose()?;
        if let Some(float @ (Float::F16x2 | Float::Bf16x2)) = Float::parse(from) {
            return self.set_halves(instruction, float, one, [a, b], (d, c));
        }
        let results = self.comparison(instruction, [a, b], [None; 2])?;
        let (Results::One(mut p) | Results::Two(mut p, _)) = results;
        if let Some(c) = c {
            p = self.combined(instruction, [p, c], None)?;
        }
        let (a, b) = (self.constant32(one)?, self.constant32(0)?);
        self.push(Op::Select32 { d, a, b, p });
        Ok(())
    }

    /// The same of pairs: all ones, or this in each half.
    fn set_halves(
        &mut self,
        instruction: &Instruction<'a>,
        float: Float,
        one: u32,
        [a, b]: [&Operand<'a>; 2],
        (d, c): (Slot, Option<Slot>),
    ) -> Compiled {
        only(instruction, KNOWN)?;
        let mut words = instruction.modifiers();
        let outcomes = words.next().and_then(Outcomes::parse);
        let Some(f) = outcomes else { return unsupported(instruction) };
        let (a, b) = (self.float_value(float, a)?, self.float_value(float, b)?);
        let mut held = self.names.new32()?;
        let f = Function::CompareHalves(f, float, instruction.has("ftz"));
        self.push(Op::Each { f, wide: Wide::new(false, [false; 3]), d: held, a, b, c: a });
        if let Some(p) = c {
            let f = match words.next() {
                Some("and") => Int2::And,
                Some("or") => Int2::Or,
                Some("xor") => Int2::Xor,
                _ => return unsupported(instruction),
            };
            let (a, b) = (self.constant32(u32::MAX)?, self.constant32(0)?);
            let with = self.names.new32()?;
            self.push(Op::Select32 { d: with, a, b, p });
            held = self.compute(Type::B32, f, held, with)?;
        }
        let b = self.constant32(if one > 0xffff { one } else { one << 16 | one })?;
        self.push(Op::Binary32 { f: Int2::And, d, a: held, b });
        Ok(())
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

#[cfg(test)]
mod tests {
    use crate::launch::Launch;

    /// What `%p` (bit 0) and `%q` (bit 1) are after `body`, for each thread: `%n` is its number,
    /// `%p` whether it is odd, `%q` whether it is above 3.
    fn after(body: &str) -> [u32; 8] {
        let text = format!(
            ".version 8.6\n.target sm_90\n.address_size 64\n\
             .visible .entry k(.param .u64 out) {{\n.reg .pred %p, %q; .reg .b64 %a, %o;\n\
             .reg .b32 %n, %m, %h, %x;\nmov.u32 %n, %tid.x; ld.param.u64 %a, [out];\n\
             mul.wide.u32 %o, %n, 4; add.u64 %a, %a, %o; and.b32 %m, %n, 1;\n\
             mov.b32 %h, 0x3c000000; setp.ne.u32 %p, %m, 0; setp.gt.u32 %q, %n, 3;\n\
             {body}\n\
             selp.u32 %m, 1, 0, %p; selp.u32 %x, 2, 0, %q; or.b32 %m, %m, %x;\n\
             st.global.u32 [%a], %m; ret; }}\n"
        );
        let kernel = crate::compile::load(&text, "k.ptx", "k");
        let kernel = kernel.unwrap_or_else(|error| panic!("{body}: {error}"));
        let report = Launch::new(&kernel).block(8).output::<u32>(8).run();
        std::array::from_fn(|thread| report.buffer::<u32>(0)[thread])
    }

    #[test]
    fn two_predicates_are_set_from_what_was_before() {
        let all = |f: fn(u32, bool, bool) -> [bool; 2]| {
            std::array::from_fn(|n| {
                let [p, q] = f(n as u32, n % 2 == 1, n > 3);
                u32::from(p) | u32::from(q) << 1
            })
        };
        // The guard is the first destination, the second, the source predicate, and both.
        let plain = |body: &str, f| assert_eq!(after(body), all(f), "{body}");
        plain("setp.lt.u32 %p|%q, %n, 5;", |n, _, _| [n < 5, n >= 5]);
        plain("@%p setp.lt.u32 %p|%q, %n, 5;", |n, p, q| if p { [n < 5, n >= 5] } else { [p, q] });
        plain("@!%q setp.lt.u32 %p|%q, %n, 2;", |n, p, q| if q { [p, q] } else { [n < 2, n >= 2] });
        plain("setp.lt.xor.u32 %p|%q, %n, 5, %p;", |n, p, _| [(n < 5) ^ p, (n >= 5) ^ p]);
        plain("setp.lt.and.u32 %p|%q, %n, 5, %q;", |n, _, q| [n < 5 && q, n >= 5 && q]);
        plain("setp.lt.or.u32 _|%q, %n, 5, %q;", |n, p, q| [p, n >= 5 || q]);
        plain(
            "@%p setp.ge.or.u32 %p|%q, %n, 5, !%p;",
            |n, p, q| {
                if p { [n >= 5, n < 5] } else { [p, q] }
            },
        );
        // The halves are 0 and 1.
        plain("setp.gt.f16x2 %p|%q, %h, %x;", |_, _, _| [false, true]);
        plain("@%p setp.eq.f16x2 %p|%q, %h, %h;", |_, p, q| [p, p || q]);
        plain(
            "@!%p setp.eq.and.f16x2 %p|%q, %h, %x, %q;",
            |_, p, q| {
                if p { [p, q] } else { [q, false] }
            },
        );
        let halves = "and.b32 %m, %x, 1; setp.ne.u32 %p, %m, 0; setp.lt.s32 %q, %x, 0;";
        let set = |set: &str| format!("mov.b32 %x, 0; {set} {halves}");
        plain(&set("set.gt.u32.f16x2 %x, %h, %x;"), |_, _, _| [false, true]);
        plain(&set("set.gt.xor.u32.f16x2 %x, %h, %x, %q;"), |_, _, q| [q, !q]);
        plain(&set("set.gt.and.u32.f16x2 %x, %h, %x, %p;"), |_, p, _| [false, p]);
        plain(&set("set.gt.or.u32.f16x2 %x, %h, %x, !%p;"), |_, p, _| [!p, true]);
        let ones = "set.ge.f16x2.f16x2 %x, %h, %x; set.eq.u32.f16x2 %x, %x, 0x3c003c00;";
        plain(&set(ones), |_, _, _| [true, true]);
    }
}
