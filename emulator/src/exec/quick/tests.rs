//! Steps against the ops that they stand for, and one vector width against the other.

use super::run;
use crate::compile::load;
use crate::launch::{Launch, Report};
use crate::machine::Warp;
use crate::program::{Kernel, Slot, Step};

/// Instructions that become steps. Operands: `%a`, `%b`, `%c` of 32 bits, `%p` and `%n` of
/// 32 bits and small; `%x`, `%y` of 64; `%h`, `%k` of 16. Results: `%d`, `%e`, `%i`.
const BODIES: &[&str] = &[
    "add.cc.u32 %d, %a, %b; addc.cc.s32 %c, %b, %a; addc.u32 %n, %a, %a; add.u32 %d, %d, %n;",
    "sub.cc.u32 %d, %a, %b; subc.cc.u32 %c, %b, %a; subc.u32 %d, %d, %a;",
    "add.cc.u32 %d, %a, %b; sub.cc.s64 %e, %x, %y; subc.cc.u64 %x, %e, %y; addc.u32 %d, %d, 0;",
    "add.cc.u64 %e, %x, %y; addc.cc.u64 %e, %e, %x; addc.s64 %e, %y, %x;",
    "mad.lo.cc.u32 %d, %a, %b, %c; madc.hi.cc.u32 %a, %a, %b, %d; madc.lo.s32 %d, %a, %b, %d;",
    "mad.lo.cc.u64 %e, %x, %y, %x; madc.hi.u64 %e, %x, %y, %e;",
    "add.s16 %i, %h, %k;",
    "sub.u16 %i, %h, %k;",
    "mul.lo.s16 %i, %h, %k;",
    "mul.lo.u16 %h, %h, %k; mov.b16 %i, %h;",
    "min.s16 %i, %h, %k;",
    "max.s16 %i, %h, 7;",
    "min.u16 %i, %h, %k;",
    "div.s16 %i, %h, %k;",
    "rem.s16 %i, %k, %h;",
    "div.u16 %i, %h, %k;",
    "bfi.b32 %d, %a, %b, %p, %n;",
    "bfi.b32 %d, %a, %b, 5, 300;",
    "bfi.b64 %e, %x, %y, %p, %n;",
    "bfi.b64 %x, %x, %y, %a, %n; mov.b64 %e, %x;",
    "bfi.b64 %e, %x, %y, %n, %b;",
    "cvt.rn.f16x2.f32 %d, %a, %b;",
    "cvt.rn.relu.f16x2.f32 %d, %b, %a;",
    "cvt.rn.bf16x2.f32 %d, %a, %b;",
    "cvt.rn.relu.bf16x2.f32 %a, %a, %b; mov.b32 %d, %a;",
    "cvt.rn.satfinite.e4m3x2.f32 %i, %a, %b;",
    "cvt.rn.satfinite.relu.e4m3x2.f32 %i, %a, %b;",
    "cvt.rn.satfinite.e5m2x2.f32 %i, %a, %b;",
    "cvt.rn.satfinite.relu.e5m2x2.f32 %i, %a, %b;",
    "cvt.rn.satfinite.e4m3x2.f16x2 %i, %a;",
    "cvt.rn.satfinite.relu.e5m2x2.f16x2 %i, %a;",
    "cvt.rn.f16x2.e4m3x2 %d, %h;",
    "cvt.rn.relu.f16x2.e4m3x2 %d, %h;",
    "cvt.rn.f16x2.e5m2x2 %d, %h;",
    "cvt.rn.relu.f16x2.e5m2x2 %d, %h;",
    "cvt.pack.sat.u16.s32 %d, %a, %b;",
    "cvt.pack.sat.s16.s32 %d, %p, %b;",
    "cvt.pack.sat.u8.s32.b32 %d, %p, %b, %c;",
    "cvt.pack.sat.s8.s32.b32 %d, %a, %n, %c;",
    "cvt.pack.sat.s4.s32.b32 %d, %a, %p, %c;",
    "cvt.pack.sat.u2.s32.b32 %d, %p, %n, %c;",
    "vadd4.u32.u32.u32 %d, %a, %b, %c;",
    "vsub4.s32.u32.u32 %d, %a, %b, %c;",
    "vadd2.u32.u32.u32 %d, %a, %b, %c;",
    "vsub2.s32.s32.s32 %d, %a, %b, %c;",
    "vadd4.u32.s32.u32.sat %d, %a, %b, %c;",
    "vsub2.s32.s32.u32.sat %d.h1, %a, %b, %c;",
    "vabsdiff4.u32.u32.u32.add %d, %a, %b, %c;",
    "vabsdiff2.s32.s32.s32 %d, %a.h02, %b.h31, %c;",
    "vabsdiff4.u32.u32.u32 %d.b310, %a.b7654, %b.b0123, %c;",
    "vmin2.s32.s32.s32 %d, %a, %b, %c;",
    "vmax4.u32.u32.s32 %a, %a, %b, %c; mov.b32 %d, %a;",
    "vavrg4.u32.u32.u32 %d, %a, %b, %c;",
    "vavrg2.s32.s32.s32 %d, %a, %b, %c;",
    "vset4.u32.u32.lt %d, %a, %b, %c;",
    "vset2.s32.s32.ge %d, %a, %b, %c;",
    "vset4.u32.s32.ne.add %d, %a, %b, %c;",
    "vset4.s32.s32.gt %d, %a, %b, %c;",
    "vset2.u32.u32.le.add %d, %a, %b, %c;",
    "vavrg4.s32.s32.s32 %d, %a, %b, %c;",
    "vavrg2.u32.u32.u32 %d, %a, %b, %c;",
    "vadd4.s32.s32.s32.add %d, %a, %b, %c;",
    "vsub4.s32.s32.s32.add %d, %a, %b, %c;",
    "vsub4.s32.u32.u32.add %d, %a, %b, %c;",
    "vadd2.u32.u32.u32.add %d, %a, %b, %c;",
    "vsub2.s32.s32.s32.add %d, %a, %b, %c;",
    "vadd4.s32.s32.s32.sat %d, %a, %b, %c;",
    "vsub4.u32.u32.u32.sat %d, %a, %b, %c;",
    "vsub2.s32.s32.s32.sat %d, %a, %b, %c;",
    "vsub.s32.s32.s32.add %d, %a, %b, %c;",
    "vadd.s32.s32.s32.sat.add %d, %a, %b, %c;",
    "vabsdiff.s32.s32.s32.add %d, %a, %b, %c;",
    "vabsdiff.u32.u32.u32 %d, %a, %b;",
    "vmax.s32.s32.s32 %d, %a, %b;",
    "vset.s32.s32.ge %d, %a, %b;",
    "vset.s32.s32.ne.add %d, %a, %b, %c;",
    "vshl.u32.u32.u32.clamp.add %d, %a, %p, %c;",
    "vshl.u32.u32.u32.clamp %d, %a, %b;",
    "vshr.u32.u32.u32.clamp %d, %a, %p;",
    "vshr.s32.s32.u32.wrap.add %d, %a, %b, %c;",
    "vshr.s32.s32.u32.clamp %d, %a, %b;",
    "vadd.s32.u32.s32 %d, %a, %b;",
    "vadd.s32.s32.s32.sat %d, %a, %b;",
    "vsub.u32.u32.u32 %d, %a.h1, %b.b2;",
    "vadd.u32.u32.s32 %d.b2, %a, %b.h0, %c;",
    "vabsdiff.s32.u32.s32 %d, %a, %b.b1;",
    "vabsdiff.u32.s32.u32.add %d, %a.h1, %b.b3, %c;",
    "vmin.s32.s32.u32.max %d, %a, %b, %c;",
    "vmax.s32.s32.s32 %d.h1, %a.b0, %b.h0, %c;",
    "vmin.u32.u32.u32.min %d, %a, %b, %c;",
    "vshl.u32.u32.u32.clamp %d, %a, %p;",
    "vshl.s32.s32.u32.wrap %d, %a, %b;",
    "vshr.s32.s32.u32.clamp %d, %a, %p;",
    "vshr.u32.u32.u32.wrap.add %d, %a, %b, %c;",
    "vset.u32.u32.lt %d, %a, %b;",
    "vset.s32.u32.ge.add %d, %a.h1, %b, %c;",
    "add.u16x2 %d, %a, %b;",
    "add.s16x2 %d, %a, %b;",
    "min.s16x2 %d, %a, %b;",
    "max.u16x2 %d, %a, %b;",
    "min.s16x2.relu %d, %a, %b;",
    "max.s16x2.relu %d, %a, %b;",
    "mov.u32 %d, %clock;",
    "mbarrier.test_wait.parity.shared.b64 %q, [word], %a; selp.b32 %d, %b, %c, %q;",
    "mbarrier.test_wait.parity.shared.b64 %q, [word], 1; selp.b32 %d, %b, %c, %q;",
    "mbarrier.test_wait.shared.b64 %q, [word], %x; selp.b32 %d, %b, %c, %q;",
    "mov.u32 %d, %clock_hi;",
];

const THREADS: usize = 256;

fn kernel(body: &str) -> Kernel {
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n\
         .visible .entry k(.param .u64 in, .param .u64 out) {{\n\
         .reg .pred %guard, %q; .shared .align 8 .b64 word;\n.reg .b16 %h, %k, %i;\n\
         .reg .b32 %t, %a, %b, %c, %d, %p, %n, %w;\n\
         .reg .b64 %in, %out, %o, %x, %y, %e;\n\
         ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x;\n\
         mul.wide.u32 %o, %t, 16; add.u64 %in, %in, %o; add.u64 %out, %out, %o;\n\
         ld.global.u32 %a, [%in]; ld.global.u32 %b, [%in+4]; ld.global.u32 %c, [%in+8];\n\
         ld.global.u32 %w, [%in+12]; mov.b64 %x, {{%a, %b}}; mov.b64 %y, {{%b, %w}};\n\
         cvt.u16.u32 %h, %a; cvt.u16.u32 %k, %b; and.b32 %p, %c, 63; shr.u32 %n, %c, 25;\n\
         mov.u32 %d, %w; mov.u64 %e, %y; mov.u16 %i, 9;\n\
         and.b32 %w, %w, 3; setp.ne.u32 %guard, %w, 0;\n\
         {body}\n\
         st.global.u32 [%out], %d; st.global.u64 [%out+8], %e;\n\
         cvt.u32.u16 %w, %i; st.global.u32 [%out+4], %w; ret; }}\n"
    );
    load(&text, "k.ptx", "k").unwrap_or_else(|error| panic!("{body}: {error}"))
}

/// Words of all kinds: any, near each other, small, or odd as floats.
fn words(state: &mut u64) -> Vec<u32> {
    const ODD: [u32; 10] = [
        0,
        0x8000_0000,
        0x7fff_ffff,
        0xffff_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_0001,
        0x7f7f_ffff,
        0x43e8_0000,
        0x0000_0001,
    ];
    let mut next = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 32) as u32
    };
    let mut word = || match next() % 8 {
        0 => ODD[next() as usize % ODD.len()],
        1 => next() & 0x8f_00ff,
        2 => 0x3800_0000 + (next() >> 5),
        3 => 0x4300_0000 + (next() & 0x81f0_0000),
        4 => next() & 0xff7f_7fff | 0x0080_8000,
        5 => next() | 0xffff_8000,
        _ => next(),
    };
    (0..4 * THREADS).map(|_| word()).collect()
}

fn launch(kernel: &Kernel, input: &[u32]) -> Report {
    Launch::new(kernel).block(THREADS as u32).input(input).output::<u32>(4 * THREADS).run()
}

#[test]
fn steps_compute_what_their_ops_do() {
    let mut state = 5;
    for body in BODIES {
        for guarded in [false, true] {
            let body = if guarded {
                body.split_inclusive(';').map(|one| format!("@%guard {one}")).collect()
            } else {
                (*body).to_owned()
            };
            let (quick, mut slow) = (kernel(&body), kernel(&body));
            assert!(!quick.quicks.is_empty(), "{body}");
            slow.steps.clear();
            for _ in 0..4 {
                let input = words(&mut state);
                let (quick, slow) = (launch(&quick, &input), launch(&slow, &input));
                let (got, wanted) = (quick.buffer::<u32>(1), slow.buffer::<u32>(1));
                for thread in 0..THREADS {
                    let at = 4 * thread..4 * thread + 4;
                    assert_eq!(got[at.clone()], wanted[at.clone()], "{body} of {:x?}", &input[at]);
                }
                assert_eq!(quick.outcome, slow.outcome, "{body}");
            }
        }
    }
}

/// Random registers.
fn warp(kernel: &Kernel, state: &mut u64) -> Warp {
    let mut warp = Warp::new(kernel.slots32, kernel.slots64, kernel.preds);
    let mut left = Vec::new();
    let mut word = || {
        if left.is_empty() {
            left = words(state);
        }
        left.pop().unwrap_or_default()
    };
    for file in warp.regs32.iter_mut() {
        file.fill_with(&mut word);
    }
    for file in warp.regs64.iter_mut() {
        file.fill_with(|| u64::from(word()) << 32 | u64::from(word()));
    }
    warp.preds.fill_with(&mut word);
    warp
}

/// Slots of integers of 16 bits that hold no more.
fn narrow(step: &Step) -> Vec<Slot> {
    match *step {
        Step::Short { a, b, .. } => vec![a, b],
        _ => Vec::new(),
    }
}

#[test]
fn every_width_computes_the_same() {
    let mut state = 9;
    for body in BODIES {
        let kernel = kernel(body);
        for quick in &kernel.quicks {
            for mask in [u32::MAX, 0x8001_f0f3, 1 << 31, 0x7fff_ffff] {
                let mut plain = warp(&kernel, &mut state);
                for slot in narrow(&quick.step) {
                    plain.regs32[usize::from(slot)].iter_mut().for_each(|word| *word &= 0xffff);
                }
                let start = plain.clone();
                run::<4>(&mut plain, &quick.step, 0x1_2345_6789, mask);
                let same = |warp: &Warp| {
                    (&*warp.regs32, &*warp.regs64, &warp.preds)
                        == (&*plain.regs32, &*plain.regs64, &plain.preds)
                };
                #[cfg(target_arch = "x86_64")]
                {
                    use std::arch::is_x86_feature_detected as has;
                    if has!("avx2") && has!("fma") && has!("bmi2") {
                        let mut fast = start.clone();
                        run::<8>(&mut fast, &quick.step, 0x1_2345_6789, mask);
                        assert!(same(&fast), "{body}, 8 lanes at a time");
                    }
                    let wide = has!("avx512f") && has!("avx512bw") && has!("avx512dq");
                    if wide && has!("avx512vl") && has!("bmi2") && has!("fma") {
                        let mut fast = start.clone();
                        run::<16>(&mut fast, &quick.step, 0x1_2345_6789, mask);
                        assert!(same(&fast), "{body}, 16 lanes at a time");
                    }
                }
                assert!(mask == 0 || same(&plain) && !same(&start) || mask.count_ones() < 32);
            }
        }
    }
}
