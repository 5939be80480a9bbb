//! 16-bit floats and pairs of them: computed in 32 bits, which are enough to round a
//! second time for sums, products and quotients; `fma` keeps what 32 bits lose as the
//! lowest bit.

use super::f16;
use super::whole::{one, put, two};
#[cfg(target_arch = "x86_64")]
use super::{half_avx2, half_host};
use crate::exec::float;
use crate::exec::vectors::vectors;
use crate::lane::half::{self, shortened};
use crate::machine::{Register, Warp};
use crate::program::{Arithmetic, Clamp, Float, Function, Mode, Op, Outcomes, Slot};

mod computed;
pub(super) mod order;
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
    let float = match (BRAIN, PAIR) {
        (false, false) => Float::F16,
        (false, true) => Float::F16x2,
        (true, false) => Float::Bf16,
        (true, true) => Float::Bf16x2,
    };
    let mut values = Register::default();
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has these features, as `N` says.
        unsafe { half_host::sums::<BRAIN, PAIR>([a, b], &mut values) };
        return values;
    }
    if by_host::<N>(Arithmetic::Add, (float, Mode::PLAIN), [a, b, b], &mut values) {
        return values;
    }
    let sum = |a, b, shift| half::sum(BRAIN, a >> shift & 0xffff, b >> shift & 0xffff) << shift;
    two(a, b, |a, b| sum(a, b, 0_u32) | if PAIR { sum(a, b, 16) } else { 0 })
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

vectors! {
    /// Arithmetic of 16-bit floats.
    halves => halves_body(warp: &mut Warp, op: &Op, mask: u32)
}

#[inline(always)]
fn halves_body<const N: usize>(warp: &mut Warp, op: &Op, mask: u32) {
    let Op::Each { f: Function::Arithmetic(f, float, mode), d, a, b, c, .. } = *op else { return };
    let file = &warp.regs32;
    let operands = [&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]];
    // Aligned, so that vectors of it do not cross lines of the host's cache.
    let mut values = Register::default();
    if by_host::<N>(f, (float, mode), operands, &mut values) {
        put::<N, _>(&mut warp.regs32, d, mask, &values);
    } else {
        computed::computed::<N>(warp, op, mask);
    }
}
