//! Branches around a few ops: lanes that part and meet right behind. Their warp runs the arms
//! one after the other with nothing in between, so that no fragment has to be put anywhere.

use crate::machine::{Fragment, Warp};
use crate::program::{Kernel, NOWHERE, Terminator};

/// The lanes of a fragment that do not run while an arm of its branch does.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Arms {
    /// Those that have come to where all meet.
    there: u32,
    /// Those that take the other arm next, and its block.
    next: (u32, u32),
}

impl Arms {
    /// Parts `fragment` at the end of its block, if that is such a branch: its arms go straight
    /// to the meeting place, and wait for nobody. `left` is how many blocks the warp may enter
    /// before another gets its turn. Gives the part that runs first.
    #[inline(always)]
    pub(crate) fn part(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        fragment: Fragment,
        terminator: &Terminator,
        left: u32,
    ) -> Option<Fragment> {
        let Terminator::Branch { p, when, taken, other, reconverge } = *terminator else {
            return None;
        };
        let pred = warp.preds[usize::from(p)];
        let go = fragment.mask & if when { pred } else { !pred };
        let rest = fragment.mask & !go;
        let is_arm = |to: u32| kernel.arms.get(to as usize).is_some_and(|&end| end == reconverge);
        let scopes = &kernel.scopes;
        let meets = |to: u32| warp.meets(scopes, fragment, to);
        let apart = go == 0 || rest == 0 || reconverge == NOWHERE || left < 4;
        if apart || scopes.of(fragment.block) != 0 || meets(reconverge) {
            return None;
        }
        let (lanes, block) = if taken == reconverge && is_arm(other) && !meets(other) {
            self.there = go;
            (rest, other)
        } else if other == reconverge && is_arm(taken) && !meets(taken) {
            self.there = rest;
            (go, taken)
        } else {
            let both = is_arm(taken) && is_arm(other) && !meets(taken) && !meets(other);
            if !both || taken == other || warp.others_ready() {
                return None;
            }
            self.next = (rest, other);
            (go, taken)
        };
        Some(Fragment { block, mask: lanes, ..fragment })
    }

    /// At the end of an arm: lets the other run, or all lanes go on together. Gives whether
    /// another runs first.
    #[inline(always)]
    pub(crate) fn meet(&mut self, fragment: &mut Fragment) -> bool {
        let (lanes, block) = std::mem::take(&mut self.next);
        if lanes != 0 {
            self.there = fragment.mask;
            (fragment.mask, fragment.block) = (lanes, block);
            return true;
        }
        fragment.mask |= std::mem::take(&mut self.there);
        false
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::compile::load;
    use crate::launch::Launch;

    /// Branches with one arm and with two, nested, in loops that lanes leave, and around a
    /// loop; `%a` differs from lane to lane.
    const BODIES: &[&str] = &[
        "@%p bra L1; add.u32 %d, %d, 7; L1: xor.b32 %d, %d, %a;",
        "@!%p bra L1; bra L2; L1: add.u32 %d, %d, 5; L2: xor.b32 %d, %d, %a;",
        "@%p bra L1; add.u32 %d, %d, 7; bra L2; L1: sub.u32 %d, %d, 9; L2: xor.b32 %d, %d, %a;",
        "@%p bra L2; @%q bra L1; add.u32 %d, %d, 7; L1: add.u32 %d, %d, 1; L2: not.b32 %d, %d;",
        "@%p bra L2; @%q bra L2; add.u32 %d, %d, 7; L2: xor.b32 %d, %d, %a;",
        "L0: add.u32 %d, %d, %a; and.b32 %w, %d, 1; setp.eq.u32 %q, %w, 0; @%q bra L1; \
         add.u32 %d, %d, 2; L1: add.u32 %n, %n, 1; setp.lt.u32 %q, %n, %a; @%q bra L0;",
        "L0: add.u32 %n, %n, 1; setp.gt.u32 %q, %n, %a; @%q bra L9; and.b32 %w, %n, 1; \
         setp.eq.u32 %q, %w, 0; @%q bra L1; @%p bra L9; add.u32 %d, %d, 2; L1: bra L0; \
         L9: add.u32 %d, %d, %n;",
        "@%p bra L1; @%q bra L3; add.u32 %d, %d, 3; L3: bra L2; L1: @%q ret; \
         sub.u32 %d, %d, 9; L2: xor.b32 %d, %d, %a;",
        "@%p bra L1; atom.global.add.u32 %w, [%in], 1; bar.warp.sync -1; L1: add.u32 %d, %d, 1;",
    ];

    #[test]
    fn arms_run_as_fragments_do() {
        for body in BODIES {
            let text = format!(
                ".version 8.6\n.target sm_90\n.address_size 64\n\
                 .visible .entry k(.param .u64 in, .param .u64 out) {{\n\
                 .reg .pred %p, %q;\n.reg .b32 %t, %a, %d, %n, %w;\n.reg .b64 %in, %out, %o;\n\
                 ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n\
                 mul.wide.u32 %o, %t, 4; add.u64 %out, %out, %o; add.u64 %o, %in, %o;\n\
                 ld.global.u32 %a, [%o]; mov.u32 %d, %t; mov.u32 %n, 0;\n\
                 setp.gt.u32 %p, %a, 9; and.b32 %w, %a, 1; setp.eq.u32 %q, %w, 0;\n\
                 {body}\nst.global.u32 [%out], %d; ret; }}\n"
            );
            let [quick, mut slow] = [(); 2].map(|()| load(&text, "k.ptx", "k").unwrap());
            slow.arms.clear();
            for seed in 1..6_u32 {
                let mix = |lane: u32| {
                    lane.wrapping_mul(0x9e37_79b9_u32.wrapping_mul(seed)).rotate_left(9) % 20
                };
                let input: Vec<u32> = (0..128).map(mix).collect();
                let [quick, slow] = [&quick, &slow].map(|kernel| {
                    Launch::new(kernel).block(128).input(&input).output::<u32>(128).run()
                });
                assert_eq!(quick.buffer::<u32>(1), slow.buffer::<u32>(1), "{body}");
                assert_eq!(quick.outcome, slow.outcome, "{body}");
            }
        }
    }
}
