//! Half-precision arithmetic in whole numbers: exact, then rounded once.

/// A half as multiples of 2^-24; it is finite.
fn units(h: u16) -> i128 {
    let (exponent, fraction) = (i128::from(h >> 10 & 31), i128::from(h & 0x3ff));
    let size = if exponent == 0 { fraction } else { (fraction | 0x400) << (exponent - 1) };
    if h >> 15 == 0 { size } else { -size }
}

/// A half as a double, which is exact.
pub(crate) fn wide(h: u16) -> f64 {
    match h & 0x7c00 {
        0x7c00 if h & 0x3ff != 0 => f64::NAN,
        0x7c00 if h >> 15 == 0 => f64::INFINITY,
        0x7c00 => f64::NEG_INFINITY,
        _ if h == 0x8000 => -0.0,
        _ => units(h) as f64 / 16_777_216.0,
    }
}

/// Multiples of 2^-48 as a half, to the nearest, ties to even.
fn round(sum: i128) -> u16 {
    let (sign, size) = (u16::from(sum < 0) << 15, sum.unsigned_abs());
    // Below 2^-14 the last bit of a half is 2^-24, which is 2^24 of these; every power of
    // two above doubles it.
    let shift = 24 + size.checked_ilog2().map_or(0, |log| log.saturating_sub(34));
    let (whole, rest) = (size >> shift, size & ((1 << shift) - 1));
    let up = rest * 2 > 1 << shift || (rest * 2 == 1 << shift && whole & 1 == 1);
    let bits = (u128::from(shift - 24) << 10) + whole + u128::from(up);
    sign | bits.min(0x7c00) as u16
}

/// `product` of two halves plus a third, rounded once: `special` is the same in doubles and
/// says what becomes of infinities, NaNs and the sign of zero.
fn rounded(exact: impl Fn() -> i128, special: f64, finite: bool) -> u16 {
    if special.is_nan() {
        0x7fff
    } else if !finite {
        if special > 0.0 { 0x7c00 } else { 0xfc00 }
    } else if special == 0.0 {
        if special.is_sign_negative() { 0x8000 } else { 0 }
    } else {
        round(exact())
    }
}

fn finite(values: &[u16]) -> bool {
    values.iter().all(|h| h & 0x7c00 != 0x7c00)
}

pub(crate) fn add(a: u16, b: u16) -> u16 {
    rounded(|| (units(a) + units(b)) << 24, wide(a) + wide(b), finite(&[a, b]))
}

pub(crate) fn mul(a: u16, b: u16) -> u16 {
    rounded(|| units(a) * units(b), wide(a) * wide(b), finite(&[a, b]))
}

pub(crate) fn fma(a: u16, b: u16, c: u16) -> u16 {
    let exact = || units(a) * units(b) + (units(c) << 24);
    rounded(exact, wide(a).mul_add(wide(b), wide(c)), finite(&[a, b, c]))
}

/// A float as a half.
pub(crate) fn narrow(x: f32) -> u16 {
    // Beyond the largest half and below half of the smallest one, powers of two do.
    let clamped = f64::from(x).clamp(-131_072.0, 131_072.0);
    let sign = if x.is_sign_negative() { -1 } else { 1 };
    let scaled = clamped.abs() * 2_f64.powi(48);
    let tiny = i128::from(scaled > 0.0 && scaled < 1.0);
    rounded(|| sign * (scaled as i128 + tiny), f64::from(x), x.is_finite())
}

/// The smaller of two, or the larger if `most`: a number before a NaN, -0 below +0.
pub(crate) fn extreme(a: u16, b: u16, most: bool) -> u16 {
    match (wide(a).is_nan(), wide(b).is_nan()) {
        (true, true) => 0x7fff,
        (true, false) => b,
        (false, true) => a,
        _ if wide(a).total_cmp(&wide(b)).is_lt() == most => b,
        _ => a,
    }
}

/// The same of both halves of words.
pub(crate) fn pairs<const N: usize>(words: [u64; N], each: impl Fn([u16; N]) -> u16) -> u64 {
    let low = each(words.map(|word| word as u16));
    let high = each(words.map(|word| (word >> 16) as u16));
    u64::from(high) << 16 | u64::from(low)
}

#[test]
fn halves_round_to_the_nearest() {
    assert_eq!(add(0x3c00, 0x1000), 0x3c00, "1 + 2^-11 is a tie");
    assert_eq!(add(0x3c01, 0x1000), 0x3c02, "a tie to even, upwards");
    assert_eq!(add(0x7bff, 0x4c00), 0x7c00, "65504 + 16 is infinite");
    assert_eq!(add(0x0001, 0x8001), 0);
    assert_eq!(mul(0x0400, 0x3800), 0x0200, "half of the smallest normal one");
    assert_eq!(mul(0x0001, 0x3800), 0, "half of the smallest one is a tie");
    assert_eq!(fma(0x3c01, 0x3c01, 0xbc02), 0x0010, "2^-20 is left");
    assert_eq!(narrow(65_520.0), 0x7c00);
    assert_eq!(narrow(-1.0 - 1.0 / 2048.0), 0xbc00);
    assert_eq!(extreme(0x8000, 0, true), 0);
    assert_eq!(extreme(0x7e00, 0x8000, true), 0x8000);
}
