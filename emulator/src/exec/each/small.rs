//! Floats of 8 and 16 bits of those of 32, and back, all lanes at once.

use super::f16;
use super::single::flushed;
use super::whole::{one, two};
#[cfg(target_arch = "x86_64")]
use super::{half_host, half_native};
use crate::lane::half::shortened;
#[cfg(target_arch = "x86_64")]
use crate::machine::HostVectors;
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

/// `$value` with a format that the compiler knows.
macro_rules! known {
    ($format:ident => $value:expr) => {
        if $format.infinity.is_some() {
            let $format = Eight::E5M2;
            $value
        } else {
            let $format = Eight::E4M3;
            $value
        }
    };
}

/// A result; 0 instead if `relu` and `sign`, a number whose sign `up` bits would move to the top, is
/// negative. By bits, as the compiler packs and unpacks vectors of booleans.
#[inline(always)]
fn kept(sign: u32, up: u32, relu: bool, result: u32) -> u32 {
    let negative = ((sign << up).cast_signed() >> 31).cast_unsigned();
    result & !(negative & if relu { u32::MAX } else { 0 })
}

/// The nearest finite number of 8 bits to floats of 32; negative ones are 0 if `relu`.
#[inline(always)]
pub(in crate::exec) fn of_floats(format: Eight, relu: bool, values: &Lanes) -> Register<u32> {
    known!(format => of_floats_in(format, relu, values))
}

#[inline(always)]
fn of_floats_in(format: Eight, relu: bool, values: &Lanes) -> Register<u32> {
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
        let signed = kept(bits, 0, relu, rounded | bits >> 24 & 0x80);
        if size > 0x7f80_0000 { NAN } else { signed }
    })
}

/// The same of both halves of words, 16-bit floats, in the lower two bytes.
#[inline(always)]
pub(in crate::exec) fn of_pairs<const N: usize>(
    format: Eight,
    relu: bool,
    pairs: &Lanes,
) -> Register<u32> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && format.infinity.is_none() && HostVectors::here() >= HostVectors::Avx512Half {
        // SAFETY: the machine has these features, as just checked.
        return unsafe { half_native::bytes(relu, pairs) };
    }
    let low = of_halves::<N>(format, relu, &one(pairs, |both| both & 0xffff));
    let high = of_halves::<N>(format, relu, &one(pairs, |both| both >> 16));
    two(&low, &high, |low, high| low | high << 8)
}

/// The same of floats of 16 bits, in the lower halves of words.
#[inline(always)]
pub(in crate::exec) fn of_halves<const N: usize>(
    format: Eight,
    relu: bool,
    halves: &Lanes,
) -> Register<u32> {
    known!(format => of_halves_in::<N>(format, relu, halves))
}

#[inline(always)]
fn of_halves_in<const N: usize>(format: Eight, relu: bool, halves: &Lanes) -> Register<u32> {
    if format.bias != 15 {
        return of_floats_in(format, relu, &one(&f16::widened_all::<N>(halves), f32::to_bits));
    }
    // The upper half of a number of 16 bits, rounded.
    one(halves, |half| {
        let size = half & 0x7fff;
        let rounded = ((size + 0x7f + (size >> 8 & 1)) >> 8).min(format.largest);
        let signed = kept(half, 16, relu, rounded | half >> 8 & 0x80);
        if size > 0x7c00 { NAN } else { signed }
    })
}

/// As floats of 16 bits, which hold every value.
#[inline(always)]
pub(in crate::exec) fn to_halves(format: Eight, relu: bool, values: &Lanes) -> Register<u32> {
    known!(format => to_halves_in(format, relu, values))
}

#[inline(always)]
fn to_halves_in(format: Eight, relu: bool, values: &Lanes) -> Register<u32> {
    let Eight { fraction, bias, largest, infinity } = format;
    // What is larger is a NaN.
    let most = infinity.unwrap_or(largest);
    let (up, rebias) = (10 - fraction, (15 - bias) << 10);
    let unit = f32::from_bits((128 - bias - fraction) << 23);
    // Subnormal numbers are normal ones of 16 bits, if those have more exponents.
    let least = if rebias == 0 { 0 } else { 1 << fraction };
    one(values, |bits| {
        let size = bits & 0x7f;
        let float = (size.cast_signed() as f32 * unit).to_bits().cast_signed();
        let small = (float - (112 << 23)).max(0).cast_unsigned() >> 13;
        let normal = (size << up) + rebias;
        let half = if size < least { small } else { normal };
        let signed = kept(bits, 24, relu, half | (bits & 0x80) << 8);
        if size > most { NAN_HALF } else { signed }
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
