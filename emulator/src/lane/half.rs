//! 16-bit floats and those of 32 bits.

/// The NaN that GPUs give, in both formats of 16 bits.
pub(crate) const NAN: u32 = 0x7fff;
const SIGN: u32 = 0x8000;

/// The value of `f16` bits: subnormals are scaled exactly, as all others.
#[inline(always)]
pub(crate) fn widened(bits: u32) -> f32 {
    const SCALE: f32 = f32::from_bits((127 + 112) << 23);
    let magnitude = f32::from_bits((bits & 0x7fff) << 13) * SCALE;
    // Infinities and NaNs.
    let special = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(magnitude.to_bits() | special | (bits & SIGN) << 16)
}

/// The `f16` nearest to a value.
#[inline(always)]
pub(crate) fn narrowed(value: f32) -> u32 {
    // Adding it rounds at the place where subnormals end.
    const MAGIC: u32 = 0x3f00_0000;
    let bits = value.to_bits();
    let (sign, size) = (bits >> 16 & SIGN, bits & 0x7fff_ffff);
    let small = (f32::from_bits(size) + f32::from_bits(MAGIC)).to_bits().wrapping_sub(MAGIC);
    let normal = size.wrapping_add(0xfff + (size >> 13 & 1)).wrapping_sub(112 << 23) >> 13;
    let result = if size < 113 << 23 { small } else { normal };
    let result = if size >= 0x477f_f000 { 0x7c00 } else { result };
    if size > 0x7f80_0000 { NAN } else { result | sign }
}

/// The `bf16` nearest to a value.
#[inline(always)]
pub(crate) fn shortened(value: f32) -> u32 {
    let bits = value.to_bits();
    if value.is_nan() { NAN } else { bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16 }
}

/// The sum of two, which 32 bits hold closely enough to be rounded again.
#[inline(always)]
pub(crate) fn sum(brain: bool, a: u32, b: u32) -> u32 {
    if brain {
        shortened(f32::from_bits(a << 16) + f32::from_bits(b << 16))
    } else {
        narrowed(widened(a) + widened(b))
    }
}
