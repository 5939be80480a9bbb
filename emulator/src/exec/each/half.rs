//! 16-bit floats and pairs of them: computed in 32 bits, which are enough to round a
//! second time for sums, products and quotients; `fma` keeps what 32 bits lose as the
//! lowest bit.

use super::f16;
use super::family;
use super::whole::{flagged, one, put, three, two};
#[cfg(target_arch = "x86_64")]
use super::{half_avx2, half_host};
use crate::exec::vectors::vectors;
use crate::exec::{float, lanes};
use crate::lane::apply;
use crate::lane::approximate::{Approximate, Exp2, Tanh};
use crate::lane::half::{self, NAN, shortened};
use crate::machine::Register;
use crate::program::{Arithmetic, Clamp, Extreme, Float, Function, Mode, Outcomes, Round, Slot};

mod tables;

type Lanes = [u32; 32];
type File<'f> = &'f mut [Lanes];
type Floats = [f32; 32];

const SIGN: u32 = 0x8000;

/// A 16-bit format.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub(super) brain: bool,
    pub(super) smallest_normal: u32,
    pub(super) infinity: u32,
    pub(super) one: u32,
}

impl Format {
    pub(super) const F16: Self =
        Self { brain: false, smallest_normal: 0x400, infinity: 0x7c00, one: 0x3c00 };
    pub(super) const BF16: Self =
        Self { brain: true, smallest_normal: 0x80, infinity: 0x7f80, one: 0x3f80 };

    /// That of a type, and whether it is a pair.
    fn of(float: Float) -> Option<(Self, bool)> {
        match float {
            Float::F16 => Some((Self::F16, false)),
            Float::F16x2 => Some((Self::F16, true)),
            Float::Bf16 => Some((Self::BF16, false)),
            Float::Bf16x2 => Some((Self::BF16, true)),
            Float::F32 | Float::F64 => None,
        }
    }

    #[inline(always)]
    fn flushed<const N: usize>(self, values: Register<u32>) -> Register<u32> {
        let least = self.smallest_normal;
        one(&values, |bits| if bits & 0x7fff < least { bits & SIGN } else { bits })
    }

    /// An operand's half, flushed as the mode says.
    #[inline(always)]
    fn operand<const N: usize>(self, register: &Lanes, shift: u32, mode: Mode) -> Register<u32> {
        let values = one(register, |bits| bits >> shift & 0xffff);
        if mode.flush { self.flushed::<N>(values) } else { values }
    }

    #[inline(always)]
    fn floats<const N: usize>(self, values: &Lanes) -> Register<f32> {
        if self.brain {
            one(values, |bits| f32::from_bits(bits << 16))
        } else {
            f16::widened_all::<N>(values)
        }
    }

    #[inline(always)]
    fn bits<const N: usize>(self, values: &Floats) -> Register<u32> {
        if self.brain { one(values, shortened) } else { f16::narrowed_all::<N>(values) }
    }

    /// Flushes and clamps results.
    #[inline(always)]
    fn finish<const N: usize>(self, values: Register<u32>, mode: Mode) -> Register<u32> {
        let values = if mode.flush { self.flushed::<N>(values) } else { values };
        let (one_bits, infinity) = (self.one, self.infinity);
        match mode.clamp {
            Clamp::Unit => one(&values, |bits| {
                let bad = bits & SIGN != 0 || bits > infinity;
                if bad { 0 } else { bits.min(one_bits) }
            }),
            Clamp::Relu => one(&values, |bits| if bits & SIGN != 0 { 0 } else { bits }),
            _ => values,
        }
    }
}

/// `f` of all lanes with the host's instructions for halves; false where it has none.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no such host"))]
#[inline(always)]
fn by_host<const N: usize>(
    f: Arithmetic,
    kind: (Float, Mode),
    operands: [&Lanes; 3],
    values: &mut Lanes,
) -> bool {
    #[cfg(target_arch = "x86_64")]
    match N {
        // SAFETY: the machine has these features, as `N` says.
        16 => return unsafe { half_host::arithmetic(f, kind, operands, values) },
        // SAFETY: the machine has AVX2 and F16C, as `N` says.
        8 => return unsafe { half_avx2::arithmetic(f, kind, operands, values) },
        _ => {}
    }
    false
}

/// The sums of halves, or of pairs of them, as atomics add them.
#[inline(always)]
pub(in crate::exec) fn sums<const N: usize, const BRAIN: bool, const PAIR: bool>(
    a: &Lanes,
    b: &Lanes,
) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // One by one, in a function without features: those that have them are inlined by their
        // size alone, and what is not goes through memory.
        // SAFETY: the machine has these features, as `N` says.
        return unsafe {
            let (a, b) = (half_host::load::<PAIR>(a), half_host::load::<PAIR>(b));
            let low = half_host::sum::<BRAIN>(a[0], b[0]);
            let high = half_host::sum::<BRAIN>(a[1], b[1]);
            if !PAIR {
                return half_host::store::<PAIR>([low, high, low, high]);
            }
            let next = half_host::sum::<BRAIN>(a[2], b[2]);
            let last = half_host::sum::<BRAIN>(a[3], b[3]);
            half_host::store::<PAIR>([low, high, next, last])
        };
    }
    let float = match (BRAIN, PAIR) {
        (false, false) => Float::F16,
        (false, true) => Float::F16x2,
        (true, false) => Float::Bf16,
        (true, true) => Float::Bf16x2,
    };
    let mut values = Register::default();
    if by_host::<N>(Arithmetic::Add, (float, Mode::PLAIN), [a, b, b], &mut values) {
        return values;
    }
    let sum = |a, b, shift| half::sum(BRAIN, a >> shift & 0xffff, b >> shift & 0xffff) << shift;
    two(a, b, |a, b| sum(a, b, 0_u32) | if PAIR { sum(a, b, 16) } else { 0 })
}

/// `d = f(a, b, c)`; false if no loop here computes it.
#[inline(always)]
fn arithmetic<const N: usize>(
    file: File,
    f: Arithmetic,
    (float, mode): (Float, Mode),
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) -> bool {
    // Aligned, so that vectors of it do not cross lines of the host's cache.
    let mut values = Register::default();
    let operands = [&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]];
    if by_host::<N>(f, (float, mode), operands, &mut values) {
        put::<N, _>(file, d, mask, &values);
        return true;
    }
    let Some((format, pair)) = Format::of(float) else { return false };
    let known = matches!(mode.clamp, Clamp::None | Clamp::Unit | Clamp::Relu);
    let integral = f == Arithmetic::Integral;
    if !known || mode.round != Round::Nearest && !integral {
        return false;
    }
    if matches!(f, Arithmetic::Negate | Arithmetic::Absolute) {
        return turned::<N>(file, f, (format, pair), mode, [d, a], mask);
    }
    if matches!(f, Arithmetic::Exp2 | Arithmetic::Tanh)
        && let Some(table) = tables::of(f, format.brain)
    {
        let mut all = Register::default();
        for shift in if pair { &[0_u32, 16][..] } else { &[0][..] } {
            let mut values = format.operand::<N>(&file[usize::from(a)], *shift, mode);
            for value in values.iter_mut() {
                *value = u32::from(table[usize::from(*value as u16)]);
            }
            let values = format.finish::<N>(values, mode);
            all = two(&all, &values, |all, bits| all | bits << shift);
        }
        put::<N, _>(file, d, mask, &all);
        return true;
    }
    computed::<N>(file, f, (float, mode), [d, a, b, c], mask)
}

/// The same by arithmetic.
#[inline(always)]
fn computed<const N: usize>(
    file: File,
    f: Arithmetic,
    (float, mode): (Float, Mode),
    [d, a, b, c]: [Slot; 4],
    mask: u32,
) -> bool {
    let Some((format, pair)) = Format::of(float) else { return false };
    let (a, b, c) = (&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]);
    let mut all = Register::default();
    let mut doubts = Register::default();
    for shift in if pair { &[0_u32, 16][..] } else { &[0][..] } {
        let x = format.operand::<N>(a, *shift, mode);
        let y = format.floats::<N>(&format.operand::<N>(b, *shift, mode));
        let z = match f {
            Arithmetic::Fma => format.floats::<N>(&format.operand::<N>(c, *shift, mode)),
            _ => Register::default(),
        };
        let x = format.floats::<N>(&x);
        let mut values = Register::default();
        if !compute::<N>(f, mode.round, format, [&x, &y, &z], (&mut values, &mut doubts)) {
            return false;
        }
        let values = format.finish::<N>(format.bits::<N>(&values), mode);
        all = two(&all, &values, |all, bits| all | bits << shift);
    }
    let in_doubt = flagged(&doubts) & mask;
    if in_doubt != 0 {
        let f = Function::Arithmetic(f, float, mode);
        lanes::each(in_doubt, |lane| {
            let operands = [u64::from(a[lane]), u64::from(b[lane]), u64::from(c[lane])];
            all[lane] = apply(f, operands) as u32;
        });
    }
    put::<N, _>(file, d, mask, &all);
    true
}

/// Results that a second rounding, to 16 bits, makes right; false if no loop here computes them.
#[inline(always)]
fn compute<const N: usize>(
    f: Arithmetic,
    round: Round,
    format: Format,
    [x, y, z]: [&Floats; 3],
    (values, doubts): (&mut Register<f32>, &mut Lanes),
) -> bool {
    // Products of `bf16` that are subnormal in 32 bits would be rounded there.
    macro_rules! check {
        ($least:expr, $most:expr) => {
            if format.brain {
                let odd = two(x, y, |x, y| {
                    let size = (x * y).abs();
                    u32::from((size < $least) & (x != 0.0) & (y != 0.0) | (size > $most))
                });
                *doubts = *two(doubts, &odd, |doubt, odd| doubt | odd);
            }
        };
    }
    *values = match f {
        Arithmetic::Add => two(x, y, |x, y| x + y),
        Arithmetic::Sub => two(x, y, |x, y| x - y),
        Arithmetic::Mul => {
            check!(2.0 * f32::MIN_POSITIVE, f32::INFINITY);
            two(x, y, |x, y| x * y)
        }
        Arithmetic::Fma => {
            // Beyond the range of 32 bits the sum may still be inside.
            check!(2.0 * f32::MIN_POSITIVE, f32::MAX / 4.0);
            three(x, y, z, |x, y, z| sticky_sum(x * y, z))
        }
        Arithmetic::Integral => match round {
            Round::Nearest => one(x, f32::round_ties_even),
            Round::Zero => one(x, f32::trunc),
            Round::Down => one(x, f32::floor),
            Round::Up => one(x, f32::ceil),
            Round::Away => return false,
        },
        Arithmetic::Exp2 | Arithmetic::Tanh => {
            let mut values = Register::default();
            // Bits below the place of rounding.
            let below = if format.brain { 16 } else { 13 };
            let least = if format.brain { f32::MIN_POSITIVE } else { 1.0 / 16384.0 };
            for lane in 0..32 {
                let argument = f64::from(x[lane]);
                let value = match (f == Arithmetic::Tanh, N >= 8) {
                    (true, true) => Tanh::of::<true>(argument),
                    (true, false) => Tanh::of::<false>(argument),
                    (false, true) => Exp2::of::<true>(argument),
                    (false, false) => Exp2::of::<false>(argument),
                } as f32;
                let low = value.to_bits() & ((1 << below) - 1);
                let between = low.wrapping_sub((1 << (below - 1)) - 1) <= 2;
                let small = value.abs() < least && value != 0.0;
                values[lane] = if argument.is_nan() { f32::NAN } else { value };
                doubts[lane] |= u32::from(between | small);
            }
            values
        }
        _ => return false,
    };
    true
}

/// `x + y` with the lowest bit set if something is cut off below it.
#[inline(always)]
fn sticky_sum(x: f32, y: f32) -> f32 {
    let sum = x + y;
    let part = sum - x;
    let error = (x - (sum - part)) + (y - part);
    let bits = sum.to_bits();
    let closer = (error < 0.0) != (sum < 0.0);
    let odd = if closer { bits.wrapping_sub(1) } else { bits };
    let lost = error != 0.0 && error.abs() < f32::INFINITY && bits & 1 == 0;
    f32::from_bits(if lost { odd | 1 } else { bits })
}

/// `min` and `max`.
#[inline(always)]
fn extreme<const N: usize>(
    file: File,
    f: Extreme,
    float: Float,
    [d, a, b, _]: [Slot; 4],
    mask: u32,
) -> bool {
    let Some((format, pair)) = Format::of(float) else { return false };
    let (a, b) = (split(&file[usize::from(a)]), split(&file[usize::from(b)]));
    // Integers in the order of the floats, with -0 below +0.
    let ordered = |bits: u16| {
        let value = bits.cast_signed();
        value ^ (value >> 15) & 0x7fff
    };
    let (clear, keep_nan) = (if f.xorsign { SIGN as u16 } else { 0 }, f.nan);
    let (infinity, least) = (format.infinity as u16, format.smallest_normal as u16);
    let least = if f.flush { least } else { 0 };
    let turn = if f.max { -1 } else { 0 };
    let mut values = [0; 64];
    for at in 0..64 {
        let flushed = |bits: u16| if bits & 0x7fff < least { bits & 0x8000 } else { bits };
        let (x, y) = (flushed(a[at]), flushed(b[at]));
        let sign = (x ^ y) & clear;
        let (x, y) = (x & !clear, y & !clear);
        let (x_nan, y_nan) = (x & 0x7fff > infinity, y & 0x7fff > infinity);
        let chosen = if (ordered(x) ^ turn) < (ordered(y) ^ turn) { x } else { y };
        let one_nan = if x_nan { y } else { x };
        let number = if x_nan | y_nan { one_nan } else { chosen };
        let nan = x_nan & y_nan | keep_nan & (x_nan | y_nan);
        values[at] = if nan { NAN as u16 } else { number | sign };
    }
    put::<N, _>(file, d, mask, &words(&values, pair));
    true
}

/// Both halves of each word.
#[inline(always)]
fn split(words: &Lanes) -> [u16; 64] {
    // SAFETY: 32 words and 64 halves have one size, and any bits are a value.
    unsafe { std::mem::transmute::<Lanes, [u16; 64]>(*words) }
}

/// Words of such halves; of the lower ones alone where they are no pairs.
#[inline(always)]
fn words(halves: &[u16; 64], pair: bool) -> Register<u32> {
    // SAFETY: as in `split`.
    let words = unsafe { std::mem::transmute::<[u16; 64], Register<u32>>(*halves) };
    let kept = if pair { u32::MAX } else { 0xffff };
    one(&words, |word| word & kept)
}

/// All ones in the halves for which a comparison of pairs holds.
#[inline(always)]
fn held<const N: usize>(
    file: File,
    f: Outcomes,
    (float, flush): (Float, bool),
    [d, a, b]: [Slot; 3],
    mask: u32,
) -> bool {
    let Some((format, _)) = Format::of(float) else { return false };
    let [a, b] = [a, b].map(|slot| split(&file[usize::from(slot)]));
    let infinity = format.infinity as u16;
    let least = if flush { format.smallest_normal as u16 } else { 0 };
    let when = |outcome| if f.has(outcome) { u16::MAX } else { 0 };
    let (less, equal) = (when(Outcomes::LESS), when(Outcomes::EQUAL));
    let (greater, unordered) = (when(Outcomes::GREATER), when(Outcomes::UNORDERED));
    // Numbers in the order of the floats; both zeros are 0.
    let ordered = |bits: u16| {
        let size = bits & 0x7fff;
        let size = if size < least { 0 } else { size.cast_signed() };
        if bits & 0x8000 != 0 { -size } else { size }
    };
    let mut values = [0; 64];
    for at in 0..64 {
        let (x, y) = (ordered(a[at]), ordered(b[at]));
        let unequal = if x < y { less } else { greater };
        let held = if x == y { equal } else { unequal };
        let nan = a[at] & 0x7fff > infinity || b[at] & 0x7fff > infinity;
        values[at] = if nan { unordered } else { held };
    }
    put::<N, _>(file, d, mask, &words(&values, true));
    true
}

/// `neg` and `abs`.
#[inline(always)]
fn turned<const N: usize>(
    file: File,
    f: Arithmetic,
    (format, pair): (Format, bool),
    mode: Mode,
    [d, a]: [Slot; 2],
    mask: u32,
) -> bool {
    let a = split(&file[usize::from(a)]);
    let (keep, turn) = if f == Arithmetic::Negate { (0xffff, 0x8000) } else { (0x7fff, 0) };
    let (infinity, one_bits) = (format.infinity as u16, format.one as u16);
    let least = if mode.flush { format.smallest_normal as u16 } else { 0 };
    let mut values = [0; 64];
    for at in 0..64 {
        let (bits, size) = (a[at], a[at] & 0x7fff);
        let kept = if size < least { bits & 0x8000 } else { bits };
        let turned = kept & keep ^ turn;
        values[at] = if size > infinity { NAN as u16 } else { turned };
    }
    match mode.clamp {
        Clamp::Unit => {
            for value in &mut values {
                *value = if *value > infinity { 0 } else { (*value).min(one_bits) };
            }
        }
        Clamp::Relu => {
            for value in &mut values {
                *value = if *value & 0x8000 != 0 { 0 } else { *value };
            }
        }
        _ => {}
    }
    put::<N, _>(file, d, mask, &words(&values, pair));
    true
}

vectors! {
    /// The lanes for which a comparison holds, of pairs for the upper halves.
    compare => compare_body(
        file: &[Lanes], f: Outcomes, slots: [Slot; 2], float: Float, flush: bool,
    ) -> u32
}

#[inline(always)]
fn compare_body<const N: usize>(
    file: &[Lanes],
    f: Outcomes,
    slots: [Slot; 2],
    float: Float,
    flush: bool,
) -> u32 {
    let Some((format, upper)) = Format::of(float) else { return 0 };
    let (shift, mode) = (if upper { 16 } else { 0 }, Mode { flush, ..Mode::PLAIN });
    let [a, b] = [&file[usize::from(slots[0])], &file[usize::from(slots[1])]];
    let a = format.floats::<N>(&format.operand::<N>(a, shift, mode));
    let b = format.floats::<N>(&format.operand::<N>(b, shift, mode));
    float::compare_by::<N, f32, f32>(&[a.0, b.0], f, [0, 1], |value| value)
}

family! {
    /// Functions of 16-bit floats.
    halves, halves_body, |warp, f, wide, slots, mask| match f {
        Function::Arithmetic(f, float, mode) => {
            arithmetic::<N>(&mut warp.regs32, f, (float, mode), slots, mask)
        }
        Function::Extreme(f, float) => extreme::<N>(&mut warp.regs32, f, float, slots, mask),
        Function::CompareHalves(f, float, flush) => {
            let [d, a, b, _] = slots;
            held::<N>(&mut warp.regs32, f, (float, flush), [d, a, b], mask)
        }
        _ => false,
    }
}
