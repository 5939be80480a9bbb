//! Instructions of halves, bytes and bits, and pieces of PTX with declarations of their own:
//! vector registers, registers packed into others, jumps through tables, calls.
//!
//! In a piece `<d>` stands for the result, `<a>`, `<b>`, `<c>` for the sources, and `<n>` for
//! a number that no other piece has.

use super::half::{add, extreme, fma, mul, narrow, pairs, wide};
use super::ops::Class::{D, F, H, P, R};
use super::ops::{Op, ops};

/// Functions that pieces call.
pub(crate) const FUNCTIONS: &str = "\
.func (.param .b32 sum, .param .b64 wide) both(.param .b32 a, .param .b32 b)
{
.reg .u32 x, y, t;
.reg .u64 z;
.reg .pred p;
ld.param.b32 x, [a];
ld.param.b32 y, [b];
setp.lt.u32 p, x, y;
@p bra KEEP;
mov.u32 t, x;
mov.u32 x, y;
mad.lo.u32 y, t, 3, 1;
KEEP:
add.u32 t, x, y;
mul.wide.u32 z, x, y;
st.param.b32 [sum], t;
st.param.b64 [wide], z;
ret;
}
.func (.reg .u32 r, .reg .u32 rest) steps(.reg .u32 a, .reg .u32 b)
{
.reg .pred p;
.reg .u32 n;
and.b32 n, b, 7;
mov.u32 r, a;
AGAIN:
setp.eq.u32 p, n, 0;
@p bra DONE;
mad.lo.u32 r, r, 5, n;
sub.u32 n, n, 1;
and.b32 rest, r, 64;
setp.ne.u32 p, rest, 0;
@p ret;
bra AGAIN;
DONE:
mov.u32 rest, 1;
ret;
}
.func (.param .b64 result) deep(.param .b64 value, .param .b32 count)
{
.reg .u64 v;
.reg .u32 n;
.reg .pred p;
ld.param.b64 v, [value];
ld.param.b32 n, [count];
setp.eq.u32 p, n, 0;
@p bra OUT;
mad.lo.u64 v, v, 3, 7;
sub.u32 n, n, 1;
{
.param .b64 deeper; .param .b32 fewer; .param .b64 back;
st.param.b64 [deeper], v;
st.param.b32 [fewer], n;
call (back), deep, (deeper, fewer);
ld.param.b64 v, [back];
}
cvt.u64.u32 v, v;
add.u64 v, v, 1;
OUT:
st.param.b64 [result], v;
ret;
}
";

fn byte(word: u64, at: u32) -> u64 {
    word >> (8 * at) & 0xff
}

fn signed(word: u64, bits: u32) -> i64 {
    (word << (64 - bits)).cast_signed() >> (64 - bits)
}

/// The low word of a sum.
fn low(sum: i64) -> u64 {
    u64::from(sum as u32)
}

/// `bfe` of a word: `length` bits from `start`, with their last bit repeated if `sign`.
fn field(a: &[u64], sign: bool) -> u64 {
    let (start, length) = ((a[1] & 0xff) as u32, (a[2] & 0xff) as u32);
    let last = if sign { a[0] >> (start + length).saturating_sub(1).min(31) & 1 } else { 0 };
    let bit = |at: u32| {
        let inside = at < length && start + at < 32;
        if inside { a[0] >> (start + at) & 1 } else { last }
    };
    let all = (0..32).map(|at| bit(at) << at).sum();
    if length == 0 { 0 } else { all }
}

/// `prmt` without a mode.
fn permute(a: &[u64]) -> u64 {
    let both = a[1] << 32 | a[0];
    let one = |at: u32| {
        let code = a[2] >> (4 * at) & 15;
        let chosen = byte(both, code as u32 & 7);
        if code & 8 == 0 { chosen } else { (chosen >> 7) * 0xff }
    };
    (0..4).map(|at| one(at) << (8 * at)).sum()
}

/// `deep`, with its recursion.
fn deep(value: u64, count: u64) -> u64 {
    if count == 0 {
        return value;
    }
    (deep(value.wrapping_mul(3).wrapping_add(7), count - 1) & 0xffff_ffff) + 1
}

/// `steps`, with both of its results.
fn steps(a: u64, b: u64) -> (u64, u64) {
    let mut r = a as u32;
    for n in (1..=b as u32 & 7).rev() {
        r = r.wrapping_mul(5).wrapping_add(n);
        if r & 64 != 0 {
            return (r.into(), 64);
        }
    }
    (r.into(), 1)
}

/// The small and the large argument of `both` as it uses them.
fn both(a: u64, b: u64) -> (u64, u64) {
    if a < b { (a, b) } else { (b, (3 * a + 1) & 0xffff_ffff) }
}

/// Every form.
pub(crate) const FORMS: &[Op] = ops![
    "add.rn.f16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| add(x, y));
    "sub.f16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| add(x, y ^ 0x8000));
    "mul.rn.f16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| mul(x, y));
    "fma.rn.f16x2" R [R R R] |a| pairs([a[0], a[1], a[2]], |[x, y, z]| fma(x, y, z));
    "min.f16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| extreme(x, y, false));
    "max.f16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| extreme(x, y, true));
    "add.f16" H [H H] |a| add(a[0] as u16, a[1] as u16).into();
    "mul.f16" H [H H] |a| mul(a[0] as u16, a[1] as u16).into();
    "fma.rn.f16" H [H H H] |a| fma(a[0] as u16, a[1] as u16, a[2] as u16).into();
    "cvt.f32.f16" F [H] |a| if wide(a[0] as u16).is_nan() { 0x7fff_ffff } else { u64::from((wide(a[0] as u16) as f32).to_bits()) };
    "cvt.rn.f16.f32" H [F] |a| narrow(f32::from_bits(a[0] as u32)).into();
    "setp.lt.f16" P [H H] |a| u64::from(wide(a[0] as u16) < wide(a[1] as u16));
    "add.u16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| x.wrapping_add(y));
    "min.s16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| x.cast_signed().min(y.cast_signed()).cast_unsigned());
    "max.u16x2" R [R R] |a| pairs([a[0], a[1]], |[x, y]| x.max(y));
    "dp4a.u32.u32" R [R R R] |a| low((0..4).map(|at| (byte(a[0], at) * byte(a[1], at)).cast_signed()).sum::<i64>() + a[2].cast_signed());
    "dp4a.s32.u32" R [R R R] |a| low((0..4).map(|at| signed(byte(a[0], at), 8) * byte(a[1], at).cast_signed()).sum::<i64>() + a[2].cast_signed());
    "dp2a.hi.s32.s32" R [R R R] |a| low((0..2).map(|at| signed(a[0] >> (16 * at) & 0xffff, 16) * signed(byte(a[1], at + 2), 8)).sum::<i64>() + a[2].cast_signed());
    "prmt.b32" R [R R R] permute;
    "bfe.u32" R [R R R] |a| field(a, false);
    "bfe.s32" R [R R R] |a| field(a, true);
    "mul24.lo.u32" R [R R] |a| ((a[0] & 0xff_ffff) * (a[1] & 0xff_ffff)) & 0xffff_ffff;
    "{lop3.b32 <d>, <a>, <b>, <c>, 0xCA;}" R [R R R] |a| (a[0] & a[1]) | (!a[0] & a[2]);
    "{.reg .u32 l; add.cc.u32 l, <a>, <b>; addc.u32 <d>, <c>, 5;}" R [R R R] |a| (a[2] + 5 + ((a[0] + a[1]) >> 32)) & 0xffff_ffff;
    "{.reg .u32 l; sub.cc.u32 l, <a>, <b>; subc.u32 <d>, <c>, l;}" R [R R R] |a| low(a[2].cast_signed() - low(a[0].cast_signed() - a[1].cast_signed()).cast_signed() - i64::from(a[0] < a[1]));
    "{.reg .b8 c<4>; mov.b32 {c0, c1, c2, c3}, <a>; mov.b32 <d>, {c2, c0, c3, c1};}" R [R] |a| byte(a[0], 2) | byte(a[0], 0) << 8 | byte(a[0], 3) << 16 | byte(a[0], 1) << 24;
    "{.reg .b16 k<4>; mov.b64 {k0, k1, k2, k3}, <a>; mov.b64 <d>, {k3, k0, k1, <b>};}" D [D H] |a| a[0] >> 48 | (a[0] & 0xffff_ffff) << 16 | a[1] << 48;
    "{.reg .b128 q; .reg .b32 e<4>; mov.b128 q, {<a>, <b>}; mov.b128 {e0, e1, e2, e3}, q; mov.b64 <d>, {e3, e0};}" D [D D] |a| a[1] >> 32 | a[0] << 32;
    "{.reg .v4 .u32 v, w; mov.v4.u32 v, {<a>, <b>, <c>, 7}; add.u32 v.y, v.x, v.w; mov.v4.u32 w, v; mad.lo.u32 w.a, w.g, w.b, v.x; mov.u32 <d>, w.w;}" R [R R R] |a| low(((a[0] + 7) & 0xffff_ffff).wrapping_mul(a[2]).wrapping_add(a[0]).cast_signed());
    "{.reg .v2 .u32 v; mov.b64 v, <a>; sub.u32 v.x, v.y, v.x; mov.b64 <d>, v;}" D [D] |a| (a[0] & !0xffff_ffff) | low((a[0] >> 32).cast_signed() - (a[0] & 0xffff_ffff).cast_signed());
    "{.reg .f16x2 v, w; mov.b32 v, <a>; mov.b32 w, <b>; add.f16x2 v, v, w; mov.b32 <d>, v;}" R [R R] |a| pairs([a[0], a[1]], |[x, y]| add(x, y));
    "{.reg .b32 e<9>; mov.v8.b32 {e1, e2, e3, e4, e5, e6, e7, e8}, {<a>, <b>, 3, <c>, <b>, 6, <a>, 8}; mov.v8.b32 {e8, e7, e6, e5, e4, e3, e2, e1}, {e1, e2, e3, e4, e5, e6, e7, e8}; sub.u32 e1, e7, e5; mad.lo.u32 <d>, e8, 3, e1;}" R [R R R] |a| low((3 * a[0] + a[1]).cast_signed() - a[2].cast_signed());
    "{.reg .u32 t; and.b32 t, <a>, 3; ts<n>: .branchtargets T0_<n>, T1_<n>, T2_<n>, T1_<n>; brx.idx t, ts<n>; T0_<n>: add.u32 <d>, <b>, 1; bra E_<n>; T1_<n>: xor.b32 <d>, <b>, <a>; bra E_<n>; T2_<n>: sub.u32 <d>, <b>, <a>; E_<n>:}" R [R R] |a| match a[0] & 3 { 0 => (a[1] + 1) & 0xffff_ffff, 2 => low(a[1].cast_signed() - a[0].cast_signed()), _ => a[0] ^ a[1] };
    "{.param .b32 x; .param .b32 y; .param .b32 s; .param .b64 w; .reg .u32 t; .reg .u64 u; st.param.b32 [x], <a>; st.param.b32 [y], <b>; call (s, w), both, (x, y); ld.param.b32 t, [s]; ld.param.b64 u, [w]; cvt.u64.u32 <d>, t; xor.b64 <d>, <d>, u;}" D [R R] |a| { let (x, y) = both(a[0], a[1]); ((x + y) & 0xffff_ffff) ^ (x * y) };
    "{.reg .u32 r, e; call (r, e), steps, (<a>, <b>); sub.u32 <d>, r, e;}" R [R R] |a| { let (r, rest) = steps(a[0], a[1]); low(r.cast_signed() - rest.cast_signed()) };
    "{.param .b64 v; .param .b32 k; .param .b64 back; .reg .u32 t; st.param.b64 [v], <a>; and.b32 t, <b>, 3; st.param.b32 [k], t; call (back), deep, (v, k); ld.param.b64 <d>, [back];}" D [D R] |a| deep(a[0], a[1] & 3);
];
