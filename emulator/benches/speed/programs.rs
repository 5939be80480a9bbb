//! The instruction families, and the program that repeats one.

/// An instruction: family, bits of its results, text. `%d16`, `%d32`, `%d64` are
/// written; the others are as [`program`] fills them. `$L` is a label of its own.
pub(crate) type Row = (&'static str, u32, &'static str);

/// Widths: 32 and 64 are compared with an `add` of that width, 128 and more with several of
/// 32: a matrix product with as many as a lane has multiply-adds. 320 and 640 say a special
/// function. A row may run several instructions: it tells what one of them takes.
pub(crate) const ROWS: &[Row] = &[
    ("add", 32, "add.u32 %d32, %i32, %j32;"),
    ("add", 64, "add.u64 %d64, %i64, %j64;"),
    ("sub", 32, "sub.s32 %d32, %i32, %j32;"),
    ("mul.lo", 32, "mul.lo.u32 %d32, %i32, %j32;"),
    ("mul.lo", 64, "mul.lo.u64 %d64, %i64, %j64;"),
    ("mul.hi", 32, "mul.hi.u32 %d32, %i32, %j32;"),
    ("mul.hi", 32, "mul.hi.s32 %d32, %i32, %j32;"),
    ("mul.hi", 64, "mul.hi.u64 %d64, %i64, %j64;"),
    ("mul.hi", 64, "mul.hi.s64 %d64, %i64, %j64;"),
    ("mul.wide", 64, "mul.wide.u32 %d64, %i32, %j32;"),
    ("mul24", 32, "mul24.lo.u32 %d32, %i32, %j32;"),
    ("mad", 32, "mad.lo.s32 %d32, %i32, %j32, %s32;"),
    ("mad", 64, "mad.lo.s64 %d64, %i64, %j64, %k64;"),
    ("mad.hi", 32, "mad.hi.u32 %d32, %i32, %j32, %s32;"),
    ("mad.wide", 64, "mad.wide.s32 %d64, %i32, %j32, %k64;"),
    ("div", 32, "div.u32 %d32, %i32, %m32;"),
    ("div", 32, "div.s32 %d32, %i32, %m32;"),
    ("rem", 32, "rem.u32 %d32, %i32, %m32;"),
    ("rem", 32, "rem.s32 %d32, %i32, %m32;"),
    ("div", 64, "div.u64 %d64, %i64, %m64;"),
    ("div", 64, "div.s64 %d64, %i64, %m64;"),
    ("rem", 64, "rem.u64 %d64, %k64, %m64;"),
    ("div small", 64, "div.u64 %d64, %z64, %m64;"),
    ("rem small", 64, "rem.s64 %d64, %z64, %m64;"),
    ("min", 32, "min.s32 %d32, %i32, %j32;"),
    ("max", 64, "max.u64 %d64, %i64, %j64;"),
    ("abs", 32, "abs.s32 %d32, %i32;"),
    ("neg", 32, "neg.s32 %d32, %i32;"),
    ("not", 32, "not.b32 %d32, %i32;"),
    ("not", 64, "not.b64 %d64, %i64;"),
    ("cnot", 32, "cnot.b32 %d32, %i32;"),
    ("sad", 32, "sad.u32 %d32, %i32, %j32, %s32;"),
    ("add.sat", 32, "add.sat.s32 %d32, %i32, %j32;"),
    ("add.cc", 32, "add.cc.u32 %d32, %i32, %j32;"),
    ("addc", 32, "addc.u32 %d32, %i32, %j32;"),
    ("and", 32, "and.b32 %d32, %i32, %j32;"),
    ("xor", 64, "xor.b64 %d64, %i64, %j64;"),
    ("shl", 32, "shl.b32 %d32, %i32, %s32;"),
    ("shl", 64, "shl.b64 %d64, %i64, %s32;"),
    ("shr", 32, "shr.s32 %d32, %i32, %s32;"),
    ("shr", 64, "shr.u64 %d64, %i64, %s32;"),
    ("shf", 32, "shf.l.wrap.b32 %d32, %i32, %j32, %s32;"),
    ("shf", 32, "shf.r.clamp.b32 %d32, %i32, %j32, %s32;"),
    ("bfe", 32, "bfe.u32 %d32, %i32, 5, 9;"),
    ("bfe", 32, "bfe.s32 %d32, %i32, %s32, 9;"),
    ("bfe", 64, "bfe.u64 %d64, %i64, 5, 9;"),
    ("bfi", 32, "bfi.b32 %d32, %i32, %j32, 5, 9;"),
    ("bfi", 64, "bfi.b64 %d64, %i64, %j64, 5, 9;"),
    ("brev", 32, "brev.b32 %d32, %i32;"),
    ("brev", 64, "brev.b64 %d64, %i64;"),
    ("popc", 32, "popc.b32 %d32, %i32;"),
    ("popc", 64, "popc.b64 %d32, %i64;"),
    ("clz", 32, "clz.b32 %d32, %i32;"),
    ("clz", 64, "clz.b64 %d32, %i64;"),
    ("bfind", 32, "bfind.u32 %d32, %i32;"),
    ("bfind", 64, "bfind.s64 %d32, %i64;"),
    ("fns", 32, "fns.b32 %d32, %i32, 0, 3;"),
    ("bmsk", 32, "bmsk.clamp.b32 %d32, %s32, 7;"),
    ("szext", 32, "szext.wrap.s32 %d32, %i32, %s32;"),
    ("prmt", 32, "prmt.b32 %d32, %i32, %j32, 0x2143;"),
    ("prmt", 32, "prmt.b32 %d32, %i32, %j32, %s32;"),
    ("lop3", 32, "lop3.b32 %d32, %i32, %j32, %s32, 0xe8;"),
    ("lop3", 32, "lop3.b32 %d32, %i32, %j32, %s32, 0x96;"),
    ("dp4a", 32, "dp4a.u32.u32 %d32, %i32, %j32, %s32;"),
    ("dp2a", 32, "dp2a.lo.s32.u32 %d32, %i32, %j32, %s32;"),
    ("add", 16, "add.u16 %d16, %a16, %b16;"),
    ("mul", 16, "mul.lo.s16 %d16, %a16, %b16;"),
    ("shr", 16, "shr.s16 %d16, %a16, %s32;"),
    ("video", 32, "vadd.s32.u32.s32 %d32, %i32, %j32;"),
    ("video", 32, "vabsdiff.s32.u32.s32.b0 %d32, %i32, %j32.b1;"),
    ("video", 32, "vadd4.u32.u32.u32 %d32, %i32, %j32, %s32;"),
    ("video", 32, "vabsdiff4.u32.u32.u32.add %d32, %i32, %j32, %s32;"),
    ("video", 32, "vmin2.s32.s32.s32 %d32, %i32, %j32, %s32;"),
    ("f32 add", 32, "add.f32 %d32, %a32, %b32;"),
    ("f32 add", 32, "add.ftz.f32 %d32, %a32, %b32;"),
    ("f32 add", 32, "add.sat.f32 %d32, %a32, %b32;"),
    ("f32 add", 32, "add.rz.f32 %d32, %a32, %b32;"),
    ("f32 mul", 32, "mul.f32 %d32, %a32, %b32;"),
    ("f32 mul", 32, "mul.ftz.f32 %d32, %a32, %b32;"),
    ("f32 mul", 32, "mul.rm.f32 %d32, %a32, %b32;"),
    ("f32 fma", 32, "fma.rn.f32 %d32, %a32, %b32, %c32;"),
    ("f32 fma", 32, "fma.rn.ftz.f32 %d32, %a32, %b32, %c32;"),
    ("f32 fma", 32, "fma.rp.f32 %d32, %a32, %b32, %c32;"),
    ("f32 fma", 32, "fma.rn.sat.f32 %d32, %a32, %b32, %c32;"),
    ("f32 min", 32, "min.f32 %d32, %a32, %b32;"),
    ("f32 max", 32, "max.ftz.f32 %d32, %a32, %b32;"),
    ("f32 neg", 32, "neg.f32 %d32, %a32;"),
    ("f32 abs", 32, "abs.f32 %d32, %a32;"),
    ("f32 copysign", 32, "copysign.f32 %d32, %a32, %b32;"),
    ("f32 testp", 32, "testp.normal.f32 %q, %a32;"),
    ("f32 div", 320, "div.rn.f32 %d32, %a32, %b32;"),
    ("f32 div", 320, "div.approx.f32 %d32, %a32, %b32;"),
    ("f32 div", 320, "div.approx.ftz.f32 %d32, %a32, %b32;"),
    ("f32 div", 320, "div.full.f32 %d32, %a32, %b32;"),
    ("f32 div", 320, "div.rz.f32 %d32, %a32, %b32;"),
    ("f32 sqrt", 320, "sqrt.rn.f32 %d32, %a32;"),
    ("f32 sqrt", 320, "sqrt.approx.ftz.f32 %d32, %a32;"),
    ("f32 rcp", 320, "rcp.rn.f32 %d32, %a32;"),
    ("f32 rcp", 320, "rcp.approx.ftz.f32 %d32, %a32;"),
    ("f32 rsqrt", 320, "rsqrt.approx.f32 %d32, %a32;"),
    ("f32 rsqrt", 320, "rsqrt.approx.ftz.f32 %d32, %a32;"),
    ("f32 sin", 320, "sin.approx.f32 %d32, %a32;"),
    ("f32 cos", 320, "cos.approx.ftz.f32 %d32, %a32;"),
    ("f32 ex2", 320, "ex2.approx.ftz.f32 %d32, %a32;"),
    ("f32 lg2", 320, "lg2.approx.f32 %d32, %a32;"),
    ("f32 tanh", 320, "tanh.approx.f32 %d32, %a32;"),
    ("f64 add", 64, "add.f64 %d64, %a64, %b64;"),
    ("f64 mul", 64, "mul.f64 %d64, %a64, %b64;"),
    ("f64 fma", 64, "fma.rn.f64 %d64, %a64, %b64, %c64;"),
    ("f64 add", 64, "add.rz.f64 %d64, %a64, %b64;"),
    ("f64 min", 64, "min.f64 %d64, %a64, %b64;"),
    ("f64 neg", 64, "neg.f64 %d64, %a64;"),
    ("f64 abs", 64, "abs.f64 %d64, %a64;"),
    ("f64 div", 640, "div.rn.f64 %d64, %a64, %b64;"),
    ("f64 sqrt", 640, "sqrt.rn.f64 %d64, %a64;"),
    ("f64 rcp", 640, "rcp.rn.f64 %d64, %a64;"),
    ("f64 rcp", 640, "rcp.approx.ftz.f64 %d64, %a64;"),
    ("f64 rsqrt", 640, "rsqrt.approx.f64 %d64, %a64;"),
    ("f16 add", 32, "add.f16 %d16, %a16, %b16;"),
    ("f16 mul", 32, "mul.f16 %d16, %a16, %b16;"),
    ("f16 fma", 32, "fma.rn.f16 %d16, %a16, %b16, %c16;"),
    ("f16x2 add", 32, "add.f16x2 %d32, %h32, %g32;"),
    ("f16x2 mul", 32, "mul.ftz.f16x2 %d32, %h32, %g32;"),
    ("f16x2 fma", 32, "fma.rn.f16x2 %d32, %h32, %g32, %h32;"),
    ("f16x2 max", 32, "max.f16x2 %d32, %h32, %g32;"),
    ("f16 ex2", 320, "ex2.approx.f16 %d16, %a16;"),
    ("f16 tanh", 320, "tanh.approx.f16x2 %d32, %h32;"),
    ("bf16 fma", 32, "fma.rn.bf16 %d16, %a16, %b16, %c16;"),
    ("bf16x2 add", 32, "add.bf16x2 %d32, %h32, %g32;"),
    ("bf16x2 fma", 32, "fma.rn.bf16x2 %d32, %h32, %g32, %h32;"),
    ("cvt", 64, "cvt.u64.u32 %d64, %i32;"),
    ("cvt", 32, "cvt.u32.u64 %d32, %i64;"),
    ("cvt", 32, "cvt.s32.s8 %d32, %i32;"),
    ("cvt", 32, "cvt.sat.u8.s32 %d32, %i32;"),
    ("cvt", 32, "cvt.rn.f32.u32 %d32, %i32;"),
    ("cvt", 32, "cvt.rn.f32.s32 %d32, %i32;"),
    ("cvt", 64, "cvt.rn.f32.s64 %d32, %i64;"),
    ("cvt", 64, "cvt.rn.f64.s32 %d64, %i32;"),
    ("cvt", 64, "cvt.rn.f64.u64 %d64, %i64;"),
    ("cvt", 32, "cvt.rzi.s32.f32 %d32, %a32;"),
    ("cvt", 32, "cvt.rzi.ftz.u32.f32 %d32, %a32;"),
    ("cvt", 32, "cvt.rni.s32.f32 %d32, %a32;"),
    ("cvt", 64, "cvt.rzi.s64.f32 %d64, %a32;"),
    ("cvt", 64, "cvt.rzi.s32.f64 %d32, %a64;"),
    ("cvt", 64, "cvt.rzi.u64.f64 %d64, %a64;"),
    ("cvt", 64, "cvt.f64.f32 %d64, %a32;"),
    ("cvt", 64, "cvt.rn.f32.f64 %d32, %a64;"),
    ("cvt", 32, "cvt.rmi.f32.f32 %d32, %a32;"),
    ("cvt", 32, "cvt.rni.ftz.f32.f32 %d32, %a32;"),
    ("cvt", 32, "cvt.sat.f32.f32 %d32, %a32;"),
    ("cvt", 32, "cvt.f32.f16 %d32, %a16;"),
    ("cvt", 32, "cvt.rn.f16.f32 %d16, %a32;"),
    ("cvt", 32, "cvt.rn.f16x2.f32 %d32, %a32, %b32;"),
    ("cvt", 32, "cvt.rn.bf16x2.f32 %d32, %a32, %b32;"),
    ("cvt", 32, "cvt.rna.tf32.f32 %d32, %a32;"),
    ("cvt", 32, "cvt.rn.satfinite.e4m3x2.f32 %d16, %a32, %b32;"),
    ("cvt", 32, "cvt.pack.sat.u16.s32 %d32, %i32, %j32;"),
    ("mov", 32, "mov.b32 %d32, %i32;"),
    ("mov", 64, "mov.b64 %d64, {%i32, %j32};"),
    ("mov", 64, "mov.b64 {%d32, %e32}, %i64;"),
    ("mov", 32, "mov.b32 %d32, {%a16, %b16};"),
    ("mov", 32, "mov.b32 {%d16, %e16}, %h32;"),
    ("setp", 32, "setp.lt.s32 %q, %i32, %j32;"),
    ("setp", 64, "setp.ge.u64 %q, %i64, %j64;"),
    ("setp", 32, "setp.lt.f32 %q, %a32, %b32;"),
    ("setp", 32, "setp.leu.ftz.f32 %q, %a32, %b32;"),
    ("setp", 64, "setp.gt.f64 %q, %a64, %b64;"),
    ("setp", 32, "setp.lt.f16 %q, %a16, %b16;"),
    ("setp", 32, "setp.lt.and.s32 %q, %i32, %j32, %p1;"),
    ("set", 32, "set.lt.u32.f32 %d32, %a32, %b32;"),
    ("selp", 32, "selp.b32 %d32, %i32, %j32, %p1;"),
    ("selp", 64, "selp.b64 %d64, %i64, %j64, %p1;"),
    ("slct", 32, "slct.f32.s32 %d32, %a32, %b32, %i32;"),
    ("predicates", 32, "and.pred %q, %p1, %p2;"),
    ("guarded", 32, "@%p1 add.u32 %d32, %i32, %j32;"),
    ("guarded", 32, "@%p1 mul.lo.u32 %d32, %i32, %j32;"),
    ("shfl", 32, "shfl.sync.bfly.b32 %d32, %i32, 1, 31, -1;"),
    ("shfl", 32, "shfl.sync.up.b32 %d32|%q, %i32, 4, 0, -1;"),
    ("shfl", 32, "shfl.sync.down.b32 %d32, %i32, 4, 31, -1;"),
    ("shfl", 32, "shfl.sync.idx.b32 %d32, %i32, 0, 31, -1;"),
    ("shfl", 32, "shfl.sync.idx.b32 %d32, %i32, %s32, 31, -1;"),
    ("vote", 32, "vote.sync.ballot.b32 %d32, %p1, -1;"),
    ("vote", 32, "vote.sync.all.pred %q, %p1, -1;"),
    ("match", 32, "match.any.sync.b32 %d32, %s32, -1;"),
    ("match", 32, "match.any.sync.b64 %d32, %i64, -1;"),
    ("match", 32, "match.all.sync.b32 %d32|%q, %s32, -1;"),
    ("redux", 32, "redux.sync.add.s32 %d32, %i32, -1;"),
    ("redux", 32, "redux.sync.min.u32 %d32, %i32, -1;"),
    ("activemask", 32, "activemask.b32 %d32;"),
    ("bar.warp", 32, "bar.warp.sync -1;"),
    ("ld.global row", 32, "ld.global.u32 %d32, [%near];"),
    ("ld.global row", 64, "ld.global.u64 %d64, [%near8];"),
    ("ld.global row", 64, "ld.global.v2.u32 {%d32, %e32}, [%near8];"),
    ("ld.global row", 128, "ld.global.v4.u32 {%d32, %e32, %f32, %g32}, [%near16];"),
    ("ld.global row", 128, "ld.global.v2.f64 {%d64, %e64}, [%near16];"),
    ("ld.global row", 32, "ld.global.u8 %d32, [%near1];"),
    ("ld.global row", 32, "ld.global.s16 %d32, [%near2];"),
    ("ld generic row", 32, "ld.u32 %d32, [%near];"),
    ("ld.global broadcast", 32, "ld.global.u32 %d32, [%data];"),
    ("ld.global strided", 32, "ld.global.u32 %d32, [%far];"),
    ("ld.global random", 32, "ld.global.u32 %d32, [%any];"),
    ("ld.global random", 64, "ld.global.u64 %d64, [%any];"),
    ("ld.global guarded", 32, "@%p1 ld.global.u32 %d32, [%near];"),
    ("st.global row", 32, "st.global.u32 [%near], %i32;"),
    ("st.global row", 64, "st.global.u64 [%near8], %i64;"),
    ("st.global row", 128, "st.global.v4.u32 [%near16], {%i32, %j32, %i32, %j32};"),
    ("st.global row", 32, "st.global.u8 [%near1], %i32;"),
    ("st.global random", 32, "st.global.u32 [%any], %i32;"),
    ("ld.shared row", 32, "ld.shared.u32 %d32, [%snear];"),
    ("ld.shared row", 64, "ld.shared.u64 %d64, [%snear8];"),
    ("ld.shared row", 128, "ld.shared.v4.u32 {%d32, %e32, %f32, %g32}, [%snear16];"),
    ("ld.shared row", 32, "ld.shared.u8 %d32, [%snear1];"),
    ("ld.shared broadcast", 32, "ld.shared.u32 %d32, [%szero];"),
    ("ld.shared broadcast", 128, "ld.shared.v4.u32 {%d32, %e32, %f32, %g32}, [%szero];"),
    ("ld.shared strided", 32, "ld.shared.u32 %d32, [%sfar];"),
    ("ld.shared random", 32, "ld.shared.u32 %d32, [%sany];"),
    ("st.shared row", 32, "st.shared.u32 [%snear], %i32;"),
    ("st.shared random", 32, "st.shared.u32 [%sany], %i32;"),
    ("ld.local", 32, "ld.local.u32 %d32, [%own];"),
    ("ld.local", 64, "ld.local.u64 %d64, [%own];"),
    ("ld.local", 128, "ld.local.v4.u32 {%d32, %e32, %f32, %g32}, [%own];"),
    ("ld.local any", 32, "ld.local.u32 %d32, [%ownany];"),
    ("st.local", 32, "st.local.u32 [%own], %i32;"),
    ("st.local any", 32, "st.local.u8 [%ownany], %i32;"),
    ("ld.const", 32, "ld.const.u32 %d32, [constants];"),
    ("ld.const", 32, "ld.const.u32 %d32, [%constany];"),
    ("ld.param", 64, "ld.param.u64 %d64, [data];"),
    ("atom.shared spread", 32, "atom.shared.add.u32 %d32, [%snear], 3;"),
    ("atom.shared random", 32, "red.shared.add.u32 [%sany], 1;"),
    ("atom.shared one", 32, "red.shared.add.u32 [%szero], %i32;"),
    ("atom.shared cas", 32, "atom.shared.cas.b32 %d32, [%sany], %i32, %j32;"),
    ("atom.shared f32", 32, "red.shared.add.f32 [%snear], %a32;"),
    ("atom.shared max64", 64, "atom.shared.max.u64 %d64, [%snear8], %i64;"),
    ("red.global spread", 32, "red.global.add.u32 [%near], %i32;"),
    ("red.global random", 32, "red.global.add.u32 [%any], %i32;"),
    ("red.global one", 32, "red.global.add.u32 [%data], 1;"),
    ("atom.global one", 32, "atom.global.add.u32 %d32, [%data], 1;"),
    ("atom.global f32", 32, "red.global.add.f32 [%any], %a32;"),
    ("atom.global cas", 32, "atom.global.cas.b32 %d32, [%any], %i32, %j32;"),
    ("atom.global max", 32, "atom.global.max.s32 %d32, [%any], %i32;"),
    ("branch uniform", 32, "bra $L; $L:"),
    ("branch uniform", 32, "@%p0 bra $L; add.u32 %d32, %i32, %j32; $L:"),
    ("branch divergent", 32, "@%p1 bra $L; add.u32 %d32, %i32, %j32; $L:"),
    ("brx.idx", 32, "brx.idx %two, list;"),
    ("call", 32, "call (%d32), twice, (%i32);"),
    ("call saves", 32, "call (%d32), again, (%i32, 0);"),
    (
        "call .param",
        32,
        "{ .param .b32 from; .param .b32 to; st.param.b32 [from], %i32; call (to), doubled, (from); ld.param.b32 %d32, [to]; }",
    ),
    ("bar.sync", 32, "bar.sync 0;"),
    (
        "mma",
        2048,
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%d32, %e32, %f32, %g32}, {%h32, %h32, %h32, %h32}, {%h32, %h32}, {%a32, %b32, %c32, %a32};",
    ),
    (
        "mma",
        2048,
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%d32, %e32, %f32, %g32}, {%h32, %h32, %h32, %h32}, {%h32, %h32}, {%a32, %b32, %c32, %a32};",
    ),
    (
        "mma",
        1024,
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d32, %e32, %f32, %g32}, {%a32, %b32, %a32, %b32}, {%a32, %b32}, {%a32, %b32, %c32, %a32};",
    ),
    (
        "mma",
        4096,
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%d32, %e32, %f32, %g32}, {%i32, %j32, %i32, %j32}, {%i32, %j32}, {%i32, %j32, %i32, %j32};",
    ),
    (
        "mma",
        8192,
        "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 {%d32, %e32, %f32, %g32}, {%i32, %j32, %i32, %j32}, {%i32, %j32}, {%i32, %j32, %i32, %j32};",
    ),
    (
        "mma",
        1024,
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%d32, %e32, %f32, %g32}, {%i32, %j32, %i32, %j32}, {%i32, %j32}, {%i32, %j32, %i32, %j32};",
    ),
    (
        "mma",
        4096,
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%d32, %e32, %f32, %g32}, {%o32, %o32, %o32, %o32}, {%o32, %o32}, {%a32, %b32, %c32, %a32};",
    ),
    (
        "mma",
        256,
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d64, %d64}, {%a64}, {%b64}, {%a64, %b64};",
    ),
    (
        "ldmatrix",
        128,
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%d32, %e32, %f32, %g32}, [%snear16];",
    ),
    (
        "ldmatrix",
        128,
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%d32, %e32, %f32, %g32}, [%snear16];",
    ),
    ("cp.async", 128, "cp.async.ca.shared.global [%snear16], [%near16], 16;"),
    ("mbarrier", 64, "mbarrier.arrive.shared.b64 %d64, [%barrier];"),
    ("mbarrier", 64, "mbarrier.test_wait.shared.b64 %q, [%barrier], %d64;"),
    (
        "cp.async.bulk",
        2048,
        "@%p3 cp.async.bulk.global.shared::cta.bulk_group [%data], [%szero], 8192;",
    ),
    ("membar", 32, "membar.gl;"),
    ("clock", 32, "mov.u32 %d32, %clock;"),
];

/// A kernel that runs `body` `copies` times per turn of a loop of `turns`.
pub(crate) fn program(body: &str, copies: u32, turns: u32) -> String {
    let mut repeated = String::new();
    for copy in 0..copies {
        if body.starts_with("brx") {
            repeated += &format!(
                "L{copy}list: .branchtargets L{copy}a, L{copy}b;\n\
                 brx.idx %two, L{copy}list;\nL{copy}a:\nL{copy}b:\n"
            );
        } else {
            repeated += &body.replace("$L", &format!("L{copy}"));
            repeated.push('\n');
        }
    }
    format!("{HEAD}mov.u32 %turn, {turns};\nLoop:\n{repeated}{TAIL}")
}

const HEAD: &str = "\
.version 8.0
.target sm_90a
.address_size 64
.const .align 8 .b32 constants[64] = {1, 2, 3};
.func (.reg .b32 result) twice(.reg .b32 value) { add.u32 result, value, value; ret; }
.func (.param .b32 result) doubled(.param .b32 value) {
.reg .b32 %r<3>;
ld.param.b32 %r1, [value];
add.u32 %r2, %r1, %r1;
st.param.b32 [result], %r2;
ret;
}
.func (.reg .b32 result) again(.reg .b32 value, .reg .b32 depth) {
.reg .pred %p; .reg .b32 %r<4>;
setp.eq.u32 %p, depth, 0;
@%p bra End;
sub.u32 %r1, depth, 1;
call (%r2), again, (value, %r1);
End: add.u32 result, value, depth; ret;
}
.visible .entry k(.param .u64 data, .param .u64 out) {
.reg .pred %p0, %p1, %p2, %p3, %q, %more;
.reg .b16 %a16, %b16, %c16, %d16, %e16, %f16, %g16;
.reg .b32 %tid, %t, %i32, %j32, %s32, %m32, %a32, %b32, %c32, %d32, %e32, %f32, %g32, %h32, %o32, %turn, %two;
.reg .b64 %data, %out, %w, %v, %i64, %j64, %k64, %m64, %z64, %a64, %b64, %c64, %d64, %e64;
.reg .b64 %near, %near1, %near2, %near8, %near16, %far, %any;
.reg .b64 %szero, %snear, %snear1, %snear8, %snear16, %sfar, %sany, %own, %ownany, %constany, %barrier, %tile;
.shared .align 16 .b8 block[16384];
.shared .align 8 .b64 phases;
.local .align 16 .b8 mine[128];
ld.param.u64 %data, [data];
ld.param.u64 %out, [out];
mov.u32 %tid, %tid.x;
mul.wide.u32 %w, %tid, 4;
add.u64 %near, %data, %w;
ld.global.u32 %i32, [%near];
ld.global.u32 %j32, [%near+4096];
and.b32 %s32, %j32, 31;
and.b32 %m32, %j32, 0xfffff;
or.b32 %m32, %m32, 1;
and.b32 %a32, %i32, 0x7fffff;
or.b32 %a32, %a32, 0x3f800000;
and.b32 %b32, %j32, 0x7fffff;
or.b32 %b32, %b32, 0x3f800000;
add.f32 %c32, %a32, %b32;
mov.b64 %i64, {%i32, %j32};
mov.b64 %j64, {%j32, %i32};
mul.lo.u64 %k64, %i64, %j64;
shr.u64 %m64, %k64, 30;
shr.u64 %z64, %k64, 20;
or.b64 %m64, %m64, 1;
shr.u64 %a64, %i64, 12;
or.b64 %a64, %a64, 0x3ff0000000000000;
shr.u64 %b64, %j64, 12;
or.b64 %b64, %b64, 0x3ff0000000000000;
add.f64 %c64, %a64, %b64;
and.b32 %h32, %i32, 0x03ff03ff;
or.b32 %h32, %h32, 0x3c003c00;
and.b32 %o32, %i32, 0x07070707;
or.b32 %o32, %o32, 0x38383838;
and.b32 %g32, %j32, 0x03ff03ff;
or.b32 %g32, %g32, 0x3c003c00;
mov.b32 {%a16, %b16}, %h32;
mov.b32 {%c16, %e16}, %g32;
mov.u16 %d16, %a16;
mov.u32 %d32, 0;
mov.u64 %d64, 0;
mov.u32 %two, 1;
setp.lt.u32 %p0, %tid, 9999;
and.b32 %t, %tid, 1;
setp.eq.u32 %p1, %t, 1;
setp.lt.s32 %p2, %i32, 0;
setp.lt.s32 %q, %i32, 0;
cvt.u64.u32 %w, %tid;
add.u64 %near1, %data, %w;
shl.b64 %v, %w, 1;
add.u64 %near2, %data, %v;
shl.b64 %v, %w, 3;
add.u64 %near8, %data, %v;
shl.b64 %v, %w, 4;
add.u64 %near16, %data, %v;
shl.b64 %v, %w, 7;
add.u64 %far, %data, %v;
and.b32 %t, %j32, 0xfff8;
cvt.u64.u32 %v, %t;
add.u64 %any, %data, %v;
mov.u64 %szero, block;
add.u64 %snear1, %szero, %w;
shl.b64 %v, %w, 2;
add.u64 %snear, %szero, %v;
shl.b64 %v, %w, 3;
add.u64 %snear8, %szero, %v;
shl.b64 %v, %w, 4;
add.u64 %snear16, %szero, %v;
and.b64 %v, %w, 31;
shl.b64 %v, %v, 7;
add.u64 %sfar, %szero, %v;
and.b32 %t, %j32, 0x3ff8;
cvt.u64.u32 %v, %t;
add.u64 %sany, %szero, %v;
mov.u64 %barrier, phases;
shr.u64 %tile, %szero, 4;
and.b64 %tile, %tile, 0x3fff;
or.b64 %tile, %tile, 0x1000080000;
mbarrier.init.shared.b64 [%barrier], 65536;
setp.eq.u32 %p3, %tid, 0;
mov.u64 %own, mine;
and.b32 %t, %j32, 0x7c;
cvt.u64.u32 %v, %t;
add.u64 %ownany, %own, %v;
st.local.u32 [%own], %i32;
st.local.u32 [%own+4], %i32;
mov.u64 %constany, constants;
add.u64 %constany, %constany, %v;
";

const TAIL: &str = "\
sub.u32 %turn, %turn, 1;
setp.ne.u32 %more, %turn, 0;
@%more bra Loop;
cvt.u32.u16 %t, %d16;
xor.b32 %d32, %d32, %t;
cvt.u32.u64 %t, %d64;
xor.b32 %d32, %d32, %t;
selp.b32 %t, 1, 2, %q;
xor.b32 %d32, %d32, %t;
mul.wide.u32 %w, %tid, 4;
add.u64 %w, %w, %out;
st.global.u32 [%w], %d32;
ret;
}
";
