//! Atomics whose address is the same for a whole warp: `ptxas` sends one for all lanes.
//!
//! A value is uniform if it comes from parameters, constants, the block's index and
//! loads from uniform addresses only. What depends on the thread's index or on an atomic is not.
//! Rules as seen in the machine code for `sm_80` and newer (`benches/data/h200/findings.md`):
//! an unused result of 32 bits is summed up by `REDUX` or a population count, a used sum
//! by shuffles, for which all 32 lanes must be there. Floats, exchanges and comparisons
//! are never combined.

use crate::program::operands::{self, Register};
use crate::program::{
    Cell, Combines, Exchange, FillValue, Kernel, Op, Rmw, SiteKind, Special, Transfer, Update,
    Window,
};

/// Marks the atomics of a compiled kernel that combine.
pub(crate) fn mark(kernel: &mut Kernel) {
    if !kernel.sites.iter().any(|site| site.kind == SiteKind::Atomic) {
        return;
    }
    let varies = Varying::of(kernel);
    for index in 0..kernel.insts.len() {
        let (update, used) = match kernel.insts[index].op {
            Op::Atomic { update, .. } => (update, true),
            Op::Reduce(update) => (update, false),
            _ => continue,
        };
        if !varies.has(Register::Double(update.a)) {
            kernel.sites[usize::from(update.site)].combines = rule(update, used, &varies);
        }
    }
}

/// When an atomic on a uniform address combines.
fn rule(update: Update, used: bool, varies: &Varying) -> Combines {
    let Update { f, cell, count, b, .. } = update;
    let wide = cell == Cell::B64;
    let addend = if wide { Register::Double(b) } else { Register::Word(b) };
    let sums = f == Rmw::Add && matches!(cell, Cell::B32 | Cell::B64);
    let gathers =
        matches!(f, Rmw::MinS | Rmw::MinU | Rmw::MaxS | Rmw::MaxU | Rmw::And | Rmw::Or | Rmw::Xor);
    if count != 1 {
        Combines::Never
    } else if sums && !varies.has(addend) || !used && cell == Cell::B32 && (sums || gathers) {
        Combines::Always
    } else if used && sums && !wide {
        Combines::WholeWarp
    } else {
        Combines::Never
    }
}

/// Which registers may differ among the lanes of a warp.
struct Varying {
    words: Vec<bool>,
    doubles: Vec<bool>,
    preds: Vec<bool>,
}

impl Varying {
    fn of(kernel: &Kernel) -> Self {
        let mut varies = Self {
            words: vec![false; kernel.slots32],
            doubles: vec![false; kernel.slots64],
            preds: vec![false; kernel.preds],
        };
        for fill in &kernel.fills {
            let by_lane = matches!(
                fill.value,
                FillValue::Quarters { .. }
                    | FillValue::Special(
                        Special::Thread(_)
                            | Special::Lane
                            | Special::MaskEqual
                            | Special::MaskLess
                            | Special::MaskLessEqual
                            | Special::MaskGreater
                            | Special::MaskGreaterEqual
                    )
            );
            if by_lane {
                let slot = fill.slot;
                varies.set(if fill.wide { Register::Double(slot) } else { Register::Word(slot) });
            }
        }
        let (mut read, mut written) = (Vec::new(), Vec::new());
        // Loops carry values back: until nothing changes.
        let mut changes = true;
        while changes {
            changes = false;
            for inst in &kernel.insts {
                operands::find(kernel, *inst, &mut read, &mut written);
                if by_itself(kernel, inst.op) || read.iter().any(|&register| varies.has(register)) {
                    for &register in &written {
                        changes |= varies.set(register);
                    }
                }
            }
        }
        varies
    }

    fn place(&mut self, register: Register) -> Option<&mut bool> {
        match register {
            Register::Word(slot) => self.words.get_mut(usize::from(slot)),
            Register::Double(slot) => self.doubles.get_mut(usize::from(slot)),
            Register::Pred(slot) => self.preds.get_mut(usize::from(slot)),
        }
    }

    /// Whether it may differ among lanes.
    fn has(&self, register: Register) -> bool {
        let found = match register {
            Register::Word(slot) => self.words.get(usize::from(slot)),
            Register::Double(slot) => self.doubles.get(usize::from(slot)),
            Register::Pred(slot) => self.preds.get(usize::from(slot)),
        };
        found.copied().unwrap_or(true)
    }

    /// Marks a register; whether that is new.
    fn set(&mut self, register: Register) -> bool {
        self.place(register).is_some_and(|place| !std::mem::replace(place, true))
    }
}

/// Whether a result differs among lanes, whatever the operands.
fn by_itself(kernel: &Kernel, op: Op) -> bool {
    match op {
        Op::Atomic { .. } => true,
        Op::Load(Transfer { window, .. }) => window == Window::Local,
        Op::Collective { index } => !matches!(
            kernel.collectives[usize::from(index)].exchange,
            Exchange::Vote { .. }
                | Exchange::Ballot { .. }
                | Exchange::MatchAll { .. }
                | Exchange::Reduce { .. }
                | Exchange::Active { .. }
                | Exchange::Barrier
                | Exchange::Fence
                | Exchange::Group
                | Exchange::Groups { .. }
                | Exchange::Copies
        ),
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::compile::module;

    /// What the atomic of a kernel with this body does.
    fn combines(body: &str) -> Combines {
        let text = format!(
            ".version 7.8\n.target sm_50\n.address_size 64\n\
             .visible .entry k(.param .u64 p)\n{{\n.reg .pred %p<3>;\n.reg .b32 %r<8>;\n\
             .reg .f32 %f<4>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [p];\n\
             mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\n{body}\nret;\n}}\n"
        );
        let kernel = module::load(&text, "k.ptx", "k").unwrap();
        kernel.sites.iter().find(|site| site.kind == SiteKind::Atomic).unwrap().combines
    }

    /// As `ptxas` 12.9 does for `sm_90`, kernel by kernel.
    #[test]
    fn atomics_on_one_address_for_all_lanes_combine() {
        let used = "st.global.u32 [%rd1+8], %r3;";
        assert_eq!(combines("red.global.add.u32 [%rd1], 1;"), Combines::Always);
        assert_eq!(combines("red.global.max.u32 [%rd1], %r1;"), Combines::Always);
        let of_block = "mul.wide.u32 %rd2, %r2, 4;\nadd.s64 %rd3, %rd1, %rd2;\n";
        assert_eq!(combines(&format!("{of_block}red.global.add.u32 [%rd3], 1;")), Combines::Always);
        let loaded = "ld.global.u32 %r4, [%rd1];\nmul.wide.u32 %rd2, %r4, 4;\n\
                      add.s64 %rd3, %rd1, %rd2;\nred.global.add.u32 [%rd3], 1;";
        assert_eq!(combines(loaded), Combines::Always);
        let atom = |what: &str| combines(&format!("atom.global.{what};\n{used}"));
        assert_eq!(atom("add.u32 %r3, [%rd1], 1"), Combines::Always);
        assert_eq!(atom("add.u32 %r3, [%rd1], %r1"), Combines::WholeWarp);
        assert_eq!(atom("max.u32 %r3, [%rd1], %r1"), Combines::Never);
        assert_eq!(atom("exch.b32 %r3, [%rd1], %r1"), Combines::Never);
        assert_eq!(atom("cas.b32 %r3, [%rd1], 0, %r1"), Combines::Never);
        assert_eq!(combines("red.global.add.f32 [%rd1], 0f3F800000;"), Combines::Never);
        assert_eq!(combines("red.global.add.u64 [%rd1], 1;"), Combines::Always);
        let of_warp = "shr.u32 %r3, %r1, 5;\nmul.wide.u32 %rd2, %r3, 4;\n\
                       add.s64 %rd3, %rd1, %rd2;\nred.global.add.u32 [%rd3], 1;";
        assert_eq!(combines(of_warp), Combines::Never);
        let wide = "cvt.u64.u32 %rd4, %r1;\nred.global.add.u64 [%rd1], %rd4;";
        assert_eq!(combines(wide), Combines::Never);
    }
}
