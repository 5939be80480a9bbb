//! The instructions that generated kernels are made of, and what each computes:
//! one plain function of bits for one thread.

/// Which registers an operand lives in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// 16 bits.
    H,
    /// 32 bits.
    R,
    /// 64 bits.
    D,
    /// A 32-bit float.
    F,
    /// A 64-bit float.
    G,
    /// A predicate.
    P,
}

use Class::{D, F, G, H, P, R};

use super::forms::FORMS;

impl Class {
    pub(crate) const ALL: [Self; 6] = [H, R, D, F, G, P];

    /// Type and prefix of its registers.
    pub(crate) fn register(self) -> (&'static str, &'static str) {
        match self {
            H => ("b16", "%h"),
            R => ("b32", "%r"),
            D => ("b64", "%d"),
            F => ("f32", "%f"),
            G => ("f64", "%g"),
            P => ("pred", "%p"),
        }
    }

    /// The bits that a value of it has.
    pub(crate) fn mask(self) -> u64 {
        match self {
            H => 0xffff,
            R | F => 0xffff_ffff,
            D | G => u64::MAX,
            P => 1,
        }
    }
}

/// An instruction: `text d, a, b, c`; or a piece of PTX in braces (see [`super::forms`]).
pub(crate) struct Op {
    pub(crate) text: &'static str,
    pub(crate) d: Class,
    pub(crate) s: &'static [Class],
    pub(crate) f: fn(&[u64]) -> u64,
}

fn w(x: u64) -> u32 {
    x as u32
}
fn s(x: u64) -> i32 {
    x as i32
}
fn l(x: u64) -> i64 {
    x.cast_signed()
}
fn f(x: u64) -> f32 {
    f32::from_bits(x as u32)
}
fn g(x: u64) -> f64 {
    f64::from_bits(x)
}
fn of(x: f32) -> u64 {
    if x.is_nan() {
        return 0x7fff_ffff;
    }
    u64::from(x.to_bits())
}
fn og(x: f64) -> u64 {
    x.to_bits()
}
fn us(x: i32) -> u64 {
    u64::from(x.cast_unsigned())
}

/// The smaller of two floats as IEEE 754-2019 `minimumNumber`: -0 is below +0.
fn lesser(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a.total_cmp(&b).is_le() => a,
        _ => b,
    }
}

fn greater(a: f64, b: f64) -> f64 {
    -lesser(-a, -b)
}

macro_rules! ops {
    ($($text:literal $d:ident [$($s:ident)*] $f:expr;)*) => {
        &[$(Op { text: $text, d: $d, s: &[$($s),*], f: $f }),*]
    };
}

pub(crate) use ops;

/// The instruction or form with a number below [`count`].
pub(crate) fn op(number: usize) -> &'static Op {
    OPS.get(number).unwrap_or_else(|| &FORMS[number - OPS.len()])
}

/// How many instructions and forms there are.
pub(crate) fn count() -> usize {
    OPS.len() + FORMS.len()
}

/// Every plain instruction.
const OPS: &[Op] = ops![
    "add.u32" R [R R] |a| u64::from(w(a[0]).wrapping_add(w(a[1])));
    "sub.s32" R [R R] |a| u64::from(w(a[0]).wrapping_sub(w(a[1])));
    "mul.lo.u32" R [R R] |a| u64::from(w(a[0]).wrapping_mul(w(a[1])));
    "mul.hi.u32" R [R R] |a| (a[0] * a[1]) >> 32;
    "mul.hi.s32" R [R R] |a| ((i64::from(s(a[0])) * i64::from(s(a[1]))) >> 32) as u64 & 0xffff_ffff;
    "mad.lo.s32" R [R R R] |a| u64::from(w(a[0]).wrapping_mul(w(a[1])).wrapping_add(w(a[2])));
    "div.u32" R [R R] |a| a[0].checked_div(a[1]).unwrap_or(0xffff_ffff);
    "rem.u32" R [R R] |a| a[0].checked_rem(a[1]).unwrap_or(0xffff_ffff);
    "div.s32" R [R R] |a| us(s(a[0]).wrapping_div(if a[1] == 0 { 1 } else { s(a[1]) })) | if a[1] == 0 { 0xffff_ffff } else { 0 };
    "min.u32" R [R R] |a| a[0].min(a[1]);
    "max.u32" R [R R] |a| a[0].max(a[1]);
    "min.s32" R [R R] |a| us(s(a[0]).min(s(a[1])));
    "max.s32" R [R R] |a| us(s(a[0]).max(s(a[1])));
    "and.b32" R [R R] |a| a[0] & a[1];
    "or.b32" R [R R] |a| a[0] | a[1];
    "xor.b32" R [R R] |a| a[0] ^ a[1];
    "not.b32" R [R] |a| !a[0] & 0xffff_ffff;
    "shl.b32" R [R R] |a| if a[1] > 31 { 0 } else { (a[0] << a[1]) & 0xffff_ffff };
    "shr.u32" R [R R] |a| if a[1] > 31 { 0 } else { a[0] >> a[1] };
    "shr.s32" R [R R] |a| us(s(a[0]) >> a[1].min(31));
    "neg.s32" R [R] |a| us(s(a[0]).wrapping_neg());
    "abs.s32" R [R] |a| us(s(a[0]).wrapping_abs());
    "popc.b32" R [R] |a| u64::from(a[0].count_ones());
    "clz.b32" R [R] |a| u64::from(w(a[0]).leading_zeros());
    "brev.b32" R [R] |a| u64::from(w(a[0]).reverse_bits());
    "bfind.u32" R [R] |a| if a[0] == 0 { 0xffff_ffff } else { 63 - u64::from(a[0].leading_zeros()) };
    "sad.u32" R [R R R] |a| (a[0].abs_diff(a[1]) + a[2]) & 0xffff_ffff;
    "add.sat.s32" R [R R] |a| us(s(a[0]).saturating_add(s(a[1])));
    "sub.sat.s32" R [R R] |a| us(s(a[0]).saturating_sub(s(a[1])));
    "shf.l.wrap.b32" R [R R R] |a| ((a[1] << 32 | a[0]) << (a[2] & 31) >> 32) & 0xffff_ffff;
    "shf.r.clamp.b32" R [R R R] |a| ((a[1] << 32 | a[0]) >> a[2].min(32)) & 0xffff_ffff;
    "selp.b32" R [R R P] |a| if a[2] == 0 { a[1] } else { a[0] };
    "slct.u32.s32" R [R R R] |a| if s(a[2]) >= 0 { a[0] } else { a[1] };
    "mov.b32" R [R] |a| a[0];
    "cvt.u32.u64" R [D] |a| a[0] & 0xffff_ffff;
    "cvt.u32.u16" R [H] |a| a[0];
    "cvt.s32.s16" R [H] |a| us(i32::from(a[0] as i16));
    "cvt.s32.s8" R [R] |a| us(i32::from(a[0] as i8));
    "popc.b64" R [D] |a| u64::from(a[0].count_ones());
    "clz.b64" R [D] |a| u64::from(a[0].leading_zeros());
    "mul.wide.u32" D [R R] |a| a[0] * a[1];
    "mul.wide.s32" D [R R] |a| (i64::from(s(a[0])) * i64::from(s(a[1]))).cast_unsigned();
    "mad.wide.u32" D [R R D] |a| (a[0] * a[1]).wrapping_add(a[2]);
    "mad.wide.s32" D [R R D] |a| (i64::from(s(a[0])) * i64::from(s(a[1]))).cast_unsigned().wrapping_add(a[2]);
    "cvt.u64.u32" D [R] |a| a[0];
    "cvt.s64.s32" D [R] |a| i64::from(s(a[0])).cast_unsigned();
    "add.u64" D [D D] |a| a[0].wrapping_add(a[1]);
    "sub.u64" D [D D] |a| a[0].wrapping_sub(a[1]);
    "mul.lo.u64" D [D D] |a| a[0].wrapping_mul(a[1]);
    "mul.hi.u64" D [D D] |a| ((u128::from(a[0]) * u128::from(a[1])) >> 64) as u64;
    "mul.hi.s64" D [D D] |a| ((i128::from(l(a[0])) * i128::from(l(a[1]))) >> 64) as u64;
    "mad.lo.u64" D [D D D] |a| a[0].wrapping_mul(a[1]).wrapping_add(a[2]);
    "min.s64" D [D D] |a| l(a[0]).min(l(a[1])).cast_unsigned();
    "max.u64" D [D D] |a| a[0].max(a[1]);
    "and.b64" D [D D] |a| a[0] & a[1];
    "or.b64" D [D D] |a| a[0] | a[1];
    "xor.b64" D [D D] |a| a[0] ^ a[1];
    "not.b64" D [D] |a| !a[0];
    "shl.b64" D [D R] |a| if a[1] > 63 { 0 } else { a[0] << a[1] };
    "shr.u64" D [D R] |a| if a[1] > 63 { 0 } else { a[0] >> a[1] };
    "shr.s64" D [D R] |a| (l(a[0]) >> a[1].min(63)).cast_unsigned();
    "selp.b64" D [D D P] |a| if a[2] == 0 { a[1] } else { a[0] };
    "brev.b64" D [D] |a| a[0].reverse_bits();
    "mov.b64" D [D] |a| a[0];
    "add.u16" H [H H] |a| (a[0] + a[1]) & 0xffff;
    "sub.u16" H [H H] |a| a[0].wrapping_sub(a[1]) & 0xffff;
    "mul.lo.u16" H [H H] |a| (a[0] * a[1]) & 0xffff;
    "mul.wide.u16" R [H H] |a| a[0] * a[1];
    "min.s16" H [H H] |a| u64::from((a[0] as i16).min(a[1] as i16).cast_unsigned());
    "shr.s16" H [H R] |a| u64::from(((a[0] as i16) >> a[1].min(15)).cast_unsigned());
    "shl.b16" H [H R] |a| if a[1] > 15 { 0 } else { (a[0] << a[1]) & 0xffff };
    "xor.b16" H [H H] |a| a[0] ^ a[1];
    "cvt.u16.u32" H [R] |a| a[0] & 0xffff;
    "cvt.u16.u64" H [D] |a| a[0] & 0xffff;
    "setp.eq.u32" P [R R] |a| u64::from(a[0] == a[1]);
    "setp.ne.s32" P [R R] |a| u64::from(a[0] != a[1]);
    "setp.lt.u32" P [R R] |a| u64::from(a[0] < a[1]);
    "setp.ge.s32" P [R R] |a| u64::from(s(a[0]) >= s(a[1]));
    "setp.gt.s32" P [R R] |a| u64::from(s(a[0]) > s(a[1]));
    "setp.ls.u32" P [R R] |a| u64::from(a[0] <= a[1]);
    "setp.lt.s64" P [D D] |a| u64::from(l(a[0]) < l(a[1]));
    "setp.hi.u64" P [D D] |a| u64::from(a[0] > a[1]);
    "setp.le.s16" P [H H] |a| u64::from(a[0] as i16 <= a[1] as i16);
    "setp.lt.and.u32" P [R R P] |a| u64::from(a[0] < a[1]) & a[2];
    "setp.gt.xor.s32" P [R R P] |a| u64::from(s(a[0]) > s(a[1])) ^ a[2];
    "and.pred" P [P P] |a| a[0] & a[1];
    "or.pred" P [P P] |a| a[0] | a[1];
    "xor.pred" P [P P] |a| a[0] ^ a[1];
    "not.pred" P [P] |a| a[0] ^ 1;
    "mov.pred" P [P] |a| a[0];
    "add.rn.f32" F [F F] |a| of(f(a[0]) + f(a[1]));
    "sub.f32" F [F F] |a| of(f(a[0]) - f(a[1]));
    "mul.f32" F [F F] |a| of(f(a[0]) * f(a[1]));
    "fma.rn.f32" F [F F F] |a| of(f(a[0]).mul_add(f(a[1]), f(a[2])));
    "div.rn.f32" F [F F] |a| of(f(a[0]) / f(a[1]));
    "sqrt.rn.f32" F [F] |a| of(f(a[0]).sqrt());
    "rcp.rn.f32" F [F] |a| of(1.0 / f(a[0]));
    "min.f32" F [F F] |a| of(lesser(f64::from(f(a[0])), f64::from(f(a[1]))) as f32);
    "max.f32" F [F F] |a| of(greater(f64::from(f(a[0])), f64::from(f(a[1]))) as f32);
    "neg.f32" F [F] |a| of(-f(a[0]));
    "abs.f32" F [F] |a| of(f(a[0]).abs());
    "selp.f32" F [F F P] |a| if a[2] == 0 { a[1] } else { a[0] };
    "mov.f32" F [F] |a| a[0];
    "cvt.rn.f32.s32" F [R] |a| of(s(a[0]) as f32);
    "cvt.rn.f32.u64" F [D] |a| of(a[0] as f32);
    // Not cvt.rn.f32.f64: which NaN it gives depends on which NaN it gets.
    "cvt.rzi.f32.f32" F [F] |a| of(f(a[0]).trunc());
    "cvt.rni.f32.f32" F [F] |a| of(f(a[0]).round_ties_even());
    "cvt.rmi.f32.f32" F [F] |a| of(f(a[0]).floor());
    "cvt.rzi.s32.f32" R [F] |a| us(f(a[0]) as i32);
    "cvt.rzi.u32.f32" R [F] |a| u64::from(f(a[0]) as u32);
    "setp.lt.f32" P [F F] |a| u64::from(f(a[0]) < f(a[1]));
    "setp.geu.f32" P [F F] |a| u64::from(!matches!(f(a[0]).partial_cmp(&f(a[1])), Some(std::cmp::Ordering::Less)));
    "setp.nan.f32" P [F F] |a| u64::from(f(a[0]).is_nan() || f(a[1]).is_nan());
    "add.f64" G [G G] |a| og(g(a[0]) + g(a[1]));
    "mul.rn.f64" G [G G] |a| og(g(a[0]) * g(a[1]));
    "fma.rn.f64" G [G G G] |a| og(g(a[0]).mul_add(g(a[1]), g(a[2])));
    "div.rn.f64" G [G G] |a| og(g(a[0]) / g(a[1]));
    "sqrt.rn.f64" G [G] |a| og(g(a[0]).sqrt());
    "min.f64" G [G G] |a| og(lesser(g(a[0]), g(a[1])));
    "max.f64" G [G G] |a| og(greater(g(a[0]), g(a[1])));
    "neg.f64" G [G] |a| og(-g(a[0]));
    "cvt.f64.f32" G [F] |a| og(f64::from(f(a[0])));
    "cvt.rn.f64.s64" G [D] |a| og(l(a[0]) as f64);
    "cvt.rn.f64.u32" G [R] |a| og(w(a[0]).into());
    "cvt.rmi.f64.f64" G [G] |a| og(g(a[0]).floor());
    "setp.leu.f64" P [G G] |a| u64::from(!matches!(g(a[0]).partial_cmp(&g(a[1])), Some(std::cmp::Ordering::Greater)));
    "setp.neu.f64" P [G G] |a| u64::from(g(a[0]).partial_cmp(&g(a[1])) != Some(std::cmp::Ordering::Equal));
];
