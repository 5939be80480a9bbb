//! Instructions that need no op of their own.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::Compiled;
use crate::program::{FillValue, Guard, Inst, Op, Slot, Special};
use crate::ptx::{Instruction, Operand};

impl<'a> Compiler<'a> {
    /// For a move from `a`, which nothing writes while a block runs, into a
    /// register: lets the register's name stand for that slot. Only where this
    /// is the one place that writes the register, and nothing before mentions
    /// it; tells whether it did. Functions save and restore their registers, so
    /// this is for the kernel itself.
    pub(crate) fn alias(&mut self, d: &Operand<'a>, a: Slot, wide: bool) -> bool {
        let stack = FillValue::Special(Special::Stack);
        let fixed = self.owner == 0
            && self
                .fills
                .iter()
                .any(|fill| fill.slot == a && fill.wide == wide && fill.value != stack);
        match d {
            Operand::Name(name) if fixed && self.guard == Guard::Always => {
                self.names.alias(name, a, wide)
            }
            _ => false,
        }
    }

    /// For `mul.wide x, a, b; add.s64 d, x, c` where nothing else reads `x`:
    /// makes one op of the two. Addresses of array elements come like this.
    /// Tells whether it did.
    pub(crate) fn fold_into_product(&mut self, instruction: &Instruction<'a>) -> Compiled<bool> {
        let plain = matches!(instruction.word, "add.s64" | "add.u64");
        let [Operand::Name(d), Operand::Name(a), Operand::Name(b)] =
            instruction.operands.as_slice()
        else {
            return Ok(false);
        };
        // Who asks for the names of registers wants to see all of them.
        let named = self.names.kept.is_some();
        if named || !plain || self.guard != Guard::Always || self.insts.len() <= self.block_start {
            return Ok(false);
        }
        let Some(&Inst {
            guard: Guard::Always,
            op: Op::WideMulAdd { signed, d: x, a: p, b: q, c },
        }) = self.insts.last()
        else {
            return Ok(false);
        };
        let zero = self.constant64(0)?;
        for (product, other) in [(a, b), (b, a)] {
            let is_product =
                self.names.find(product)?.is_some_and(|found| found.ty.wide() && found.slot == x);
            if c == zero && is_product && product != other && self.names.is_temporary(product) {
                let c = self.value64(&Operand::Name(other))?;
                let Some(d) = self.names.find(d)?.filter(|found| found.ty.wide()) else {
                    return Ok(false);
                };
                self.insts.pop();
                self.origins.pop();
                let op = Op::WideMulAdd { signed, d: d.slot, a: p, b: q, c };
                self.push_always(op);
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::compile::module::load;

    /// Ops of a kernel with one 64-bit parameter and this body.
    fn ops(body: &str) -> usize {
        let text = format!(
            ".version 7.8\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
             .reg .pred %p<3>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
        );
        load(&text, "k.ptx", "k").unwrap().insts.len()
    }

    #[test]
    fn what_never_changes_is_not_moved() {
        assert_eq!(ops("ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;"), 0);
        assert_eq!(ops("mov.u32 %r1, %tid.x;"), 0);
        // Written again, guarded, or read before.
        assert_eq!(ops("mov.u32 %r1, %tid.x; add.u32 %r1, %r1, 1;"), 2);
        assert_eq!(ops("@%p1 mov.u32 %r1, %tid.x;"), 1);
        assert_eq!(ops("add.u32 %r2, %r1, 1; mov.u32 %r1, %tid.x;"), 2);
    }

    #[test]
    fn a_product_and_a_sum_are_one_op() {
        let product = "mul.wide.u32 %rd1, %r1, 4;";
        assert_eq!(ops(&format!("{product} add.s64 %rd2, %rd3, %rd1;")), 1);
        assert_eq!(ops(&format!("{product} add.s64 %rd2, %rd1, %rd3;")), 1);
        // Read twice, in another block, or guarded.
        assert_eq!(ops(&format!("{product} add.s64 %rd2, %rd1, %rd1;")), 2);
        assert_eq!(ops(&format!("{product} add.s64 %rd2, %rd3, %rd1; not.b64 %rd4, %rd1;")), 3);
        assert_eq!(ops(&format!("{product} $L: add.s64 %rd2, %rd3, %rd1; @%p1 bra $L;")), 2);
        assert_eq!(ops(&format!("{product} @%p1 bra $L; add.s64 %rd2, %rd3, %rd1; $L:")), 2);
        assert_eq!(ops(&format!("{product} @%p1 add.s64 %rd2, %rd3, %rd1;")), 2);
    }
}
