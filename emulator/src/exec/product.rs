//! Products of matrices of 16-bit and `tf32` floats whose elements are all finite, in 64-bit
//! floats: every term of a sum is scaled so that what a tensor core cuts off lies behind its
//! point. What comes out is that of [`crate::lane::matrix`], which does the others.

use crate::exec::each::f16::widened_all;
use crate::exec::vectors::vectors;
use crate::lane::matrix::KEPT;
use crate::machine::Warp;
use crate::program::{Elements, Factor, Product};

/// Columns of `b` and of the result.
const COLUMNS: usize = 8;

/// Rows, and the largest depth here.
const ROWS: usize = 16;
const DEPTH: usize = 16;

/// Exponent of zeros: below that of any product.
const NOTHING: i32 = -10_000;

type Row = [f64; COLUMNS];
type Exponents = [i32; COLUMNS];

/// The factors, and their exponents.
struct Factors {
    a: [[f64; DEPTH]; ROWS],
    a_exponents: [[i32; DEPTH]; ROWS],
    b: [Row; DEPTH],
    b_exponents: [Exponents; DEPTH],
}

/// Registers of the result, by lane.
pub(crate) type Results = [[u32; 32]; 4];

vectors! {
    /// `c + a * b`; none if it is not computed here.
    multiply => multiply_body(product: &Product, warp: &Warp) -> Option<Results>
}

#[inline(always)]
fn multiply_body<const N: usize>(product: &Product, warp: &Warp) -> Option<Results> {
    let Elements::Float { a, b, half } = product.elements else { return None };
    let known = matches!(a, Factor::F16 | Factor::Bf16 | Factor::Tf32);
    if !known || a != b || product.depth > DEPTH || product.rows != ROWS {
        return None;
    }
    // Loops in which elements per register are constants.
    match (product.elements.per_register(), half) {
        (1, false) => multiply_in::<N, 1, false>(product, a, warp),
        (2, false) => multiply_in::<N, 2, false>(product, a, warp),
        (2, true) => multiply_in::<N, 2, true>(product, a, warp),
        _ => None,
    }
}

/// As [`multiply`], with `P` elements in a register and 16-bit sums if `HALF`.
#[inline(always)]
fn multiply_in<const N: usize, const P: usize, const HALF: bool>(
    product: &Product,
    factor: Factor,
    warp: &Warp,
) -> Option<Results> {
    let factors = factors::<N, P>(product, factor, &warp.regs32)?;
    let (c, c_exponents) = sums::<N, HALF>(product, warp)?;
    let (mut totals, mut exponents) = ([[0.0; COLUMNS]; ROWS], [[0; COLUMNS]; ROWS]);
    for row in 0..ROWS {
        let (c, own) = (&c[row], &c_exponents[row]);
        (totals[row], exponents[row]) = sum_row::<N>(&factors, row, product.depth, (c, own));
    }
    Some(registers::<HALF>(product, &packed::<HALF>(&totals, &exponents)))
}

/// The lower or upper halves of words, as floats.
#[inline(always)]
fn halves<const N: usize>(words: &[u32; 32], shift: u32) -> [f32; 32] {
    let mut bits = [0; 32];
    for lane in 0..32 {
        bits[lane] = words[lane] >> shift & 0xffff;
    }
    *widened_all::<N>(&bits)
}

/// Exponents of the leading bits of floats, were they normal in their format, whose least
/// exponent is `least`; and whether all are finite.
#[inline(always)]
fn exponents(values: &[f32], exponents: &mut [i32], least: i32) -> bool {
    let mut odd = 0;
    for (value, exponent) in values.iter().zip(exponents) {
        let biased = (value.to_bits() >> 23 & 0xff).cast_signed();
        odd |= i32::from(biased == 0xff);
        let own = if biased - 127 > least { biased - 127 } else { least };
        *exponent = if *value == 0.0 { NOTHING } else { own };
    }
    odd == 0
}

/// The elements in a register, the lower part of each lane first.
#[inline(always)]
fn parts<const N: usize>(factor: Factor, register: &[u32; 32]) -> [[f32; 32]; 2] {
    let mut parts = [[0.0; 32]; 2];
    match factor {
        Factor::F16 => return [halves::<N>(register, 0), halves::<N>(register, 16)],
        Factor::Bf16 => {
            for lane in 0..32 {
                parts[0][lane] = f32::from_bits(register[lane] << 16);
                parts[1][lane] = f32::from_bits(register[lane] & 0xffff_0000);
            }
        }
        // The low bits of `tf32` do not count.
        _ => {
            for lane in 0..32 {
                parts[0][lane] = f32::from_bits(register[lane] & 0xffff_e000);
            }
        }
    }
    parts
}

/// The factors of the product, if all are finite. Where their elements lie:
/// [`crate::program::Product`].
#[inline(always)]
fn factors<const N: usize, const P: usize>(
    product: &Product,
    factor: Factor,
    file: &[[u32; 32]],
) -> Option<Factors> {
    let mut a = [[0.0; DEPTH]; ROWS];
    for (register, &slot) in product.a.iter().enumerate() {
        let parts = parts::<N>(factor, file.get(usize::from(slot))?);
        let (_, rows) = a.split_at_mut(8 * (register % 2));
        let start = 4 * P * (register / 2);
        for part in 0..P {
            for lane in 0..32 {
                rows[lane / 4][(start + P * (lane % 4) + part) % DEPTH] = parts[part][lane];
            }
        }
    }
    let mut b = [[0.0; COLUMNS]; DEPTH];
    for (register, &slot) in product.b.iter().enumerate() {
        let parts = parts::<N>(factor, file.get(usize::from(slot))?);
        let start = 4 * P * register;
        for part in 0..P {
            for lane in 0..32 {
                b[(start + P * (lane % 4) + part) % DEPTH][lane / 4] = parts[part][lane];
            }
        }
    }
    if product.group.is_some_and(|group| group.negative) {
        a.as_flattened_mut().iter_mut().for_each(|value| *value = -*value);
    }
    let least = if factor == Factor::F16 { -14 } else { -126 };
    let mut factors = Factors {
        a: [[0.0; DEPTH]; ROWS],
        a_exponents: [[0; DEPTH]; ROWS],
        b: [[0.0; COLUMNS]; DEPTH],
        b_exponents: [[0; COLUMNS]; DEPTH],
    };
    let finite = exponents(a.as_flattened(), factors.a_exponents.as_flattened_mut(), least)
        & exponents(b.as_flattened(), factors.b_exponents.as_flattened_mut(), least);
    for (wide, value) in factors.a.as_flattened_mut().iter_mut().zip(a.as_flattened()) {
        *wide = f64::from(*value);
    }
    for (wide, value) in factors.b.as_flattened_mut().iter_mut().zip(b.as_flattened()) {
        *wide = f64::from(*value);
    }
    finite.then_some(factors)
}

/// Row and first column of what a lane holds in a register of sums.
#[inline(always)]
fn place<const HALF: bool>(register: usize, lane: usize) -> (usize, usize) {
    if HALF {
        ((lane / 4 + 8 * register) & 15, 2 * (lane % 4))
    } else {
        ((lane / 4 + 8 * (register / 2)) & 15, 2 * (lane % 4) + register % 2)
    }
}

/// The sums that the products are added to, and their exponents, if all are finite.
#[inline(always)]
fn sums<const N: usize, const HALF: bool>(
    product: &Product,
    warp: &Warp,
) -> Option<([Row; ROWS], [Exponents; ROWS])> {
    let mut c = [[0.0; COLUMNS]; ROWS];
    // Lanes in which `c` counts as zero.
    let zero = product.group.map_or(0, |group| !warp.preds[usize::from(group.keeps)]);
    for (register, &slot) in product.c.iter().enumerate() {
        let mut words = *warp.regs32.get(usize::from(slot))?;
        for lane in 0..32 {
            words[lane] = if zero >> lane & 1 != 0 { 0 } else { words[lane] };
        }
        let words = &words;
        let parts =
            if HALF { [halves::<N>(words, 0), halves::<N>(words, 16)] } else { [[0.0; 32]; 2] };
        for lane in 0..32 {
            let (row, column) = place::<HALF>(register, lane);
            if HALF {
                c[row][column] = parts[0][lane];
                c[row][column + 1] = parts[1][lane];
            } else {
                c[row][column] = f32::from_bits(words[lane]);
            }
        }
    }
    let mut own = [[0; COLUMNS]; ROWS];
    let least = if HALF { -14 } else { -126 };
    let finite = exponents(c.as_flattened(), own.as_flattened_mut(), least);
    let mut wide = [[0.0; COLUMNS]; ROWS];
    for (wide, value) in wide.as_flattened_mut().iter_mut().zip(c.as_flattened()) {
        *wide = f64::from(*value);
    }
    finite.then_some((wide, own))
}

/// `2^exponent`.
#[inline(always)]
fn power(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).cast_unsigned()) << 52)
}

/// One row of the sums, in units of `2^(exponent - KEPT)`, and these exponents: those of the
/// largest terms. Products, their scaling and the sums of what is left are exact.
#[inline(always)]
fn sum_row<const N: usize>(
    factors: &Factors,
    row: usize,
    depth: usize,
    (c, own): (&Row, &Exponents),
) -> (Row, Exponents) {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::sum_row(factors, row, depth, (c, own)) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { host::sum_row_avx2(factors, row, depth, (c, own)) };
    }
    let (mut totals, mut highest) = ([0.0; COLUMNS], *own);
    for column in 0..COLUMNS {
        for k in 0..depth {
            let exponent = factors.a_exponents[row][k] + factors.b_exponents[k][column];
            highest[column] = highest[column].max(exponent);
        }
        highest[column] = highest[column].max(LOWEST);
        let scale = power(KEPT - highest[column]);
        totals[column] = (c[column] * scale).trunc();
        for k in 0..depth {
            totals[column] += (factors.a[row][k] * factors.b[k][column] * scale).trunc();
        }
    }
    (totals, highest)
}

/// Least exponent that sums are scaled by: below those of products that are not zero.
const LOWEST: i32 = -400;

#[cfg(target_arch = "x86_64")]
mod host;

/// The sums as 32-bit floats, cut off, or as 16-bit ones, rounded to nearest.
#[inline(always)]
fn packed<const HALF: bool>(
    totals: &[Row; ROWS],
    exponents: &[Exponents; ROWS],
) -> [[u32; COLUMNS]; ROWS] {
    /// The first power of two beyond the finite floats.
    const END: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    let mut all = [[0; COLUMNS]; ROWS];
    let sums = totals.as_flattened().iter().zip(exponents.as_flattened());
    for (bits, (total, exponent)) in all.as_flattened_mut().iter_mut().zip(sums) {
        let sum = total * power(exponent - KEPT);
        let near = sum as f32;
        let beyond = f64::from(near).abs() > sum.abs();
        let cut = near.to_bits().wrapping_sub(u32::from(beyond));
        *bits = if HALF {
            // The lowest bit says that something was cut off, so that rounding again is right.
            let inexact = f64::from(f32::from_bits(cut)).to_bits() != sum.to_bits();
            rounded_half(cut | u32::from(inexact))
        } else if sum.abs() >= END {
            0x7f80_0000 | cut & 1 << 31
        } else {
            cut
        };
        // Zeros are positive.
        let magnitude = if HALF { 0x7fff } else { 0x7fff_ffff };
        *bits = if *bits & magnitude == 0 { 0 } else { *bits };
    }
    all
}

/// The 16-bit float nearest to a finite 32-bit one.
#[inline(always)]
fn rounded_half(bits: u32) -> u32 {
    // Added to a small value, it rounds at the place where subnormals end.
    const MAGIC: u32 = 0x3f00_0000;
    let (sign, size) = (bits >> 16 & 0x8000, bits & 0x7fff_ffff);
    let small = (f32::from_bits(size) + f32::from_bits(MAGIC)).to_bits().wrapping_sub(MAGIC);
    let normal = size.wrapping_add(0xfff + (size >> 13 & 1)).wrapping_sub(112 << 23) >> 13;
    let result = if size < 113 << 23 { small } else { normal };
    sign | if size >= 0x477f_f000 { 0x7c00 } else { result }
}

/// The registers of the result.
#[inline(always)]
fn registers<const HALF: bool>(product: &Product, sums: &[[u32; COLUMNS]; ROWS]) -> Results {
    let mut results = [[0; 32]; 4];
    for (register, words) in results.iter_mut().enumerate().take(product.d.len()) {
        for (lane, word) in words.iter_mut().enumerate() {
            let (row, column) = place::<HALF>(register, lane);
            *word = sums[row][column];
            if HALF {
                *word |= sums[row][column + 1] << 16;
            }
        }
    }
    results
}
