//! Sums, differences and products with a carry: `add.cc`, `addc`, `sub.cc`,
//! `subc`, `mad.cc`, `madc`.
//!
//! The condition code is a predicate slot of the function, so that it belongs
//! to each lane and survives a branch. Calls do not preserve it, as the PTX ISA
//! has it. It holds a carry: a difference is `a + !b + 1`, and its borrow is a
//! carry that is missing.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, last_type, operands, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{Carry, Compare, Int1, Int2, Logic, Op, Slot, Step, Sum};
use crate::ptx::Instruction;

/// Whether an instruction reads or writes the condition code.
pub(crate) fn carries(instruction: &Instruction) -> bool {
    matches!(instruction.opcode, "addc" | "subc" | "madc")
        || instruction.has("cc") && matches!(instruction.opcode, "add" | "sub" | "mad")
}

impl<'a> Compiler<'a> {
    /// Compiles one of them.
    pub(crate) fn carry(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let ty = last_type(instruction)?;
        let integer = matches!(ty.kind, Kind::Signed | Kind::Unsigned);
        if !integer || ty.bits < 32 {
            return unsupported(instruction);
        }
        let (target, a, b) = if instruction.opcode.starts_with("mad") {
            let [d, a, b, c] = operands(instruction)?;
            let (a, b, c) = (self.value(ty, a)?, self.value(ty, b)?, self.value(ty, c)?);
            let f = match (instruction.has("hi"), instruction.has("lo"), ty.signed()) {
                (true, false, true) => Int2::MulHighS,
                (true, false, false) => Int2::MulHighU,
                (false, true, _) => Int2::MulLow,
                _ => return unsupported(instruction),
            };
            (d, self.compute(ty, f, a, b)?, c)
        } else {
            let [d, a, b] = operands(instruction)?;
            (d, self.value(ty, a)?, self.value(ty, b)?)
        };
        let d = self.destination(ty, target)?;
        let subtracts = instruction.opcode.starts_with("sub");
        let (start, addend) = (self.insts.len(), b);
        let b = if subtracts { self.complement(ty, b)? } else { b };
        let carry = self.condition_code()?;
        let out = instruction.has("cc").then_some(carry);
        let takes = instruction.opcode.ends_with('c');
        let carry = if takes { Carry::Slot(carry) } else { Carry::Known(subtracts) };
        self.sum(ty, [d, a, b], carry, out)?;
        let (wide, complement) = (ty.wide(), subtracts);
        self.quick(start, Step::Sum(Sum { wide, complement, d, a, b: addend, carry, out }));
        Ok(())
    }

    /// The slot of the condition code of the function that is being compiled.
    fn condition_code(&mut self) -> Compiled<Slot> {
        if let Some(slot) = self.names.condition_code {
            return Ok(slot);
        }
        let slot = self.names.new_pred()?;
        self.names.condition_code = Some(slot);
        Ok(slot)
    }

    /// `d = a + b + carry`; `out` becomes the carry of that.
    fn sum(&mut self, ty: Type, [d, a, b]: [Slot; 3], carry: Carry, out: Option<Slot>) -> Compiled {
        // Into slots of their own: `d` may be one of the operands.
        let plain = self.compute(ty, Int2::Add, a, b)?;
        let first = self.less(ty, plain, a)?;
        let (result, lost) = if carry == Carry::Known(false) {
            (plain, first)
        } else {
            let one = self.constant(1, ty.wide())?;
            let more = match carry {
                Carry::Slot(p) => {
                    let (zero, d) = (self.constant(0, ty.wide())?, self.names.fresh(ty.wide())?);
                    self.push(Op::select(ty.wide(), [d, one, zero, p]));
                    d
                }
                Carry::Known(_) => one,
            };
            let result = self.compute(ty, Int2::Add, plain, more)?;
            let second = self.less(ty, result, more)?;
            let either = self.names.new_pred()?;
            self.push(Op::Logic { f: Logic::Or, d: either, a: first, b: second });
            (result, either)
        };
        self.push(Op::mov(ty.wide(), [d, result]));
        if let Some(d) = out {
            self.push(Op::MovePred { d, a: lost });
        }
        Ok(())
    }

    /// `f(a, b)` in a fresh slot.
    pub(crate) fn compute(&mut self, ty: Type, f: Int2, a: Slot, b: Slot) -> Compiled<Slot> {
        let d = self.names.fresh(ty.wide())?;
        self.push(Op::binary(ty.wide(), f, [d, a, b]));
        Ok(d)
    }

    fn complement(&mut self, ty: Type, a: Slot) -> Compiled<Slot> {
        let (d, f) = (self.names.fresh(ty.wide())?, Int1::Not);
        self.push(Op::unary(ty.wide(), f, [d, a]));
        Ok(d)
    }

    /// Whether `a < b`, both unsigned, in a fresh slot.
    fn less(&mut self, ty: Type, a: Slot, b: Slot) -> Compiled<Slot> {
        let (d, f) = (self.names.new_pred()?, Compare::LessU);
        self.push(Op::compare(ty.wide(), f, [d, a, b]));
        Ok(d)
    }
}
