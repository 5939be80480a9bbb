//! Floats of 8 and 16 bits of those of 32, and back, all lanes at once.

use super::f16;
#[cfg(target_arch = "x86_64")]
use super::half_host;
use super::single::flushed;
use super::whole::{one, two};
use crate::lane::half::shortened;
use crate::machine::Register;
use crate::program::Small;

type Lanes = [u32; 32];

const SIGN: u32 = 1 << 31;
/// The NaN of both formats.
const NAN: u32 = 0x7f;
/// That of 16 bits.
const NAN_HALF: u32 = 0x7fff;

/// What a format of 8 bits is made of.
#[derive(Clone, Copy)]
pub(in crate::exec) struct Eight {
    /// Bits after the point.
    fraction: u32,
    /// That of the exponent.
    bias: u32,
    /// The largest finite number.
    largest: u32,
    /// Infinity, if the format has one.
    infinity: Option<u32>,
}

impl Eight {
    pub(in crate::exec) const E4M3: Self =
        Self { fraction: 3, bias: 7, largest: 0x7e, infinity: None };
    pub(in crate::exec) const E5M2: Self =
        Self { fraction: 2, bias: 15, largest: 0x7b, infinity: Some(0x7c) };

    /// `None` for the format of 32 bits.
    #[inline(always)]
    pub(in crate::exec) fn of(small: Small) -> Option<Self> {
        match small {
            Small::E4m3 => Some(Self::E4M3),
            Small::E5m2 => Some(Self::E5M2),
            Small::Tf32 => None,
        }
    }
}

/// The nearest finite number of 8 bits to floats of 32; negative ones are 0 if `relu`.
#[inline(always)]
pub(in crate::exec) fn of_floats(format: Eight, relu: bool, values: &Lanes) -> Register<u32> {
    let Eight { fraction, bias, largest, .. } = format;
    let below = 23 - fraction;
    // The unit of subnormal numbers is the last place of this one, where adding it rounds.
    let rounder = (127 + 24 - bias - fraction) << 23;
    let (rebias, least) = ((127 - bias) << 23, (128 - bias) << 23);
    let half = (1 << (below - 1)) - 1;
    one(values, |bits| {
        let size = bits & !SIGN;
        let small = (f32::from_bits(size) + f32::from_bits(rounder)).to_bits();
        let small = small.wrapping_sub(rounder);
        let normal = size.wrapping_add(half + (size >> below & 1)).wrapping_sub(rebias) >> below;
        let rounded = if size < least { small } else { normal };
        let rounded = if rounded > largest { largest } else { rounded };
        let negative = bits & SIGN != 0;
        let signed = if negative { rounded | 0x80 } else { rounded };
        let signed = if negative & relu { 0 } else { signed };
        if size > 0x7f80_0000 { NAN } else { signed }
    })
}

/// As floats of 16 bits, which hold every value.
#[inline(always)]
pub(in crate::exec) fn to_halves<const N: usize>(
    format: Eight,
    relu: bool,
    values: &Lanes,
) -> Register<u32> {
    let Eight { fraction, bias, largest, infinity } = format;
    // What is larger is a NaN.
    let most = infinity.unwrap_or(largest);
    let (up, infinite) = (23 - fraction, infinity.unwrap_or(NAN));
    let (rebias, unit) = ((127 - bias) << 23, f32::from_bits((128 - bias - fraction) << 23));
    let floats = one(values, |bits| {
        let (sign, size) = ((bits & 0x80) << 24, bits & 0x7f);
        // To multiply subnormal floats of 32 bits instead would be slow.
        let small = size.cast_signed() as f32 * unit;
        let normal = f32::from_bits((size << up) + rebias);
        let float = if size < 1 << fraction { small } else { normal };
        let float = if size == infinite { f32::INFINITY } else { float };
        f32::from_bits(float.to_bits() | sign)
    });
    let halves = f16::narrowed_all::<N>(&floats);
    two(values, &halves, |bits, half| {
        let negative = bits & 0x80 != 0;
        let half = if negative & relu { 0 } else { half };
        if bits & 0x7f > most { NAN_HALF } else { half }
    })
}

/// The nearest floats of 16 bits to floats of 32. With `flush`, subnormal floats of 32 bits count as 0.
#[inline(always)]
pub(in crate::exec) fn halves_of<const N: usize>(
    values: &Lanes,
    brain: bool,
    flush: bool,
) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        let [low, high] = [0, 1].map(|half| &values.as_chunks::<16>().0[half]);
        // SAFETY: the machine has these features, as `N` says.
        return unsafe {
            let (low, high) = (half_host::singles(low, flush), half_host::singles(high, flush));
            let (low, high) = if brain {
                (half_host::narrowed::<true>(low), half_host::narrowed::<true>(high))
            } else {
                (half_host::narrowed::<false>(low), half_host::narrowed::<false>(high))
            };
            half_host::store::<false>([low, high, low, high])
        };
    }
    let mut own = Register::default();
    let floats = one(flushed(values, flush, &mut own), f32::from_bits);
    if brain { one(&floats, shortened) } else { f16::narrowed_all::<N>(&floats) }
}

/// The 32-bit floats that halves of words are.
#[inline(always)]
pub(in crate::exec) fn floats_of<const N: usize>(words: &Lanes, shift: u32) -> Register<u32> {
    let halves = f16::widened_all::<N>(&one(words, |word| word >> shift));
    one(&halves, f32::to_bits)
}
