//! Products of matrices of 16-bit and `tf32` floats whose elements are all finite, in integers:
//! the 11 bits of two factors are multiplied, and shifted until what a tensor core cuts off is
//! gone. What comes out is that of [`crate::lane::matrix`], which does the others.

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

/// Least exponent that sums are scaled by: below those of products that are not zero.
const LOWEST: i32 = -400;

type Row = [i32; COLUMNS];

/// Numbers in units of `2^(exponent - BITS)`, with their signs, and their exponents: those of the
/// leading bits.
#[derive(Default)]
struct Operands {
    /// Of 16 bits; those above are not set.
    a: [[i32; DEPTH]; ROWS],
    a_exponents: [[i32; DEPTH]; ROWS],
    b: [Row; DEPTH],
    b_exponents: [Row; DEPTH],
    c: [Row; ROWS],
    c_exponents: [Row; ROWS],
}

/// Bits behind the point of `a`, `b` and `c`: a product has [`KEPT`], and both factors fit in 16
/// bits.
const BITS: [u32; 3] = [12, 13, 23];
const _: () = assert!(BITS[0] + BITS[1] == KEPT.cast_unsigned());

/// What the terms of each element come to, in units of `2^(exponent - KEPT)`, and these exponents:
/// those of the largest terms. Two sums, as 16 terms of up to 27 bits may need 32.
#[derive(Default)]
struct Sums {
    totals: [[Row; ROWS]; 2],
    exponents: [Row; ROWS],
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
    if a != b || product.depth > DEPTH || product.rows != ROWS {
        return None;
    }
    // Loops in which elements per register and the bits of their formats are constants.
    match (a, half) {
        (Factor::F16, false) => multiply_in::<N, 2, 10, 5, false>(product, warp),
        (Factor::F16, true) => multiply_in::<N, 2, 10, 5, true>(product, warp),
        (Factor::Bf16, false) => multiply_in::<N, 2, 7, 8, false>(product, warp),
        (Factor::Tf32, false) => multiply_in::<N, 1, 10, 8, false>(product, warp),
        _ => None,
    }
}

/// As [`multiply`], with `P` elements in a register, of `FRACTION` and `EXPONENT` bits behind
/// their sign, and 16-bit sums if `HALF`.
#[inline(always)]
fn multiply_in<
    const N: usize,
    const P: usize,
    const FRACTION: u32,
    const EXPONENT: u32,
    const HALF: bool,
>(
    product: &Product,
    warp: &Warp,
) -> Option<Results> {
    let mut operands = Operands::default();
    let mut finite = set_factors::<P, FRACTION, EXPONENT>(&mut operands, product, &warp.regs32)?;
    finite &= set_sums::<HALF>(&mut operands, product, warp)?;
    if !finite {
        return None;
    }
    let mut sums = Sums::default();
    add_products::<N>(&operands, product.depth, &mut sums);
    Some(registers::<HALF>(product, &packed::<HALF>(&sums)))
}

/// Splits floats, given as bits, into numbers with `behind` bits behind the point and exponents.
/// Gives whether all are finite.
#[inline(always)]
fn split<const FRACTION: u32, const EXPONENT: u32>(
    floats: &[u32],
    behind: u32,
    (numbers, exponents): (&mut [i32], &mut [i32]),
) -> bool {
    let most = (1 << EXPONENT) - 1;
    let mut largest = 0;
    for ((&bits, number), exponent) in floats.iter().zip(numbers).zip(exponents) {
        let biased = bits >> FRACTION & most;
        largest = if biased > largest { biased } else { largest };
        // Subnormals have the least exponent, and no leading bit.
        let leading = u32::from(biased != 0);
        let size = (bits & ((1 << FRACTION) - 1) | leading << FRACTION) << (behind - FRACTION);
        let sign = (bits << (31 - FRACTION - EXPONENT)).cast_signed();
        let own = (biased + 1 - leading).cast_signed() - (most / 2).cast_signed();
        *number = signed(size.cast_signed(), sign);
        *exponent = if size == 0 { NOTHING } else { own };
    }
    largest != most
}

/// What is left of a size below `2^31` when it is shifted down by a number that is not negative.
#[inline(always)]
fn cut(size: u32, by: i32) -> i32 {
    (size >> if by < 31 { by } else { 31 }).cast_signed()
}

/// A number with the sign of another.
#[inline(always)]
fn signed(number: i32, sign: i32) -> i32 {
    if sign < 0 { -number } else { number }
}

/// Sets the factors of the product. Where their elements lie: [`crate::program::Product`].
#[inline(always)]
fn set_factors<const P: usize, const FRACTION: u32, const EXPONENT: u32>(
    operands: &mut Operands,
    product: &Product,
    file: &[[u32; 32]],
) -> Option<bool> {
    // The low bits of `tf32` do not count.
    let part_of = |word: u32, part| {
        if P == 2 { word >> (16 * part) & 0xffff } else { word >> (31 - FRACTION - EXPONENT) }
    };
    let negative = product.group.is_some_and(|group| group.negative);
    let sign = u32::from(negative) << (FRACTION + EXPONENT);
    let mut a = [[0; DEPTH]; ROWS];
    for (register, &slot) in product.a.iter().enumerate() {
        let words = file.get(usize::from(slot))?;
        let (_, rows) = a.split_at_mut(8 * (register % 2));
        let start = 4 * P * (register / 2);
        for part in 0..P {
            for lane in 0..32 {
                let at = (start + P * (lane % 4) + part) % DEPTH;
                rows[lane / 4][at] = part_of(words[lane], part) ^ sign;
            }
        }
    }
    let mut b = [[0; COLUMNS]; DEPTH];
    for (register, &slot) in product.b.iter().enumerate() {
        let words = file.get(usize::from(slot))?;
        let start = 4 * P * register;
        for part in 0..P {
            for lane in 0..32 {
                let at = (start + P * (lane % 4) + part) % DEPTH;
                b[at][lane / 4] = part_of(words[lane], part);
            }
        }
    }
    let a_parts = (operands.a.as_flattened_mut(), operands.a_exponents.as_flattened_mut());
    let b_parts = (operands.b.as_flattened_mut(), operands.b_exponents.as_flattened_mut());
    let finite = split::<FRACTION, EXPONENT>(a.as_flattened(), BITS[0], a_parts)
        & split::<FRACTION, EXPONENT>(b.as_flattened(), BITS[1], b_parts);
    // A product of 16 bits is that of lower halves if one of the upper ones is nothing.
    operands.a.as_flattened_mut().iter_mut().for_each(|a| *a &= 0xffff);
    Some(finite)
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

/// Sets what the products are added to.
#[inline(always)]
fn set_sums<const HALF: bool>(
    operands: &mut Operands,
    product: &Product,
    warp: &Warp,
) -> Option<bool> {
    let mut c = [[0; COLUMNS]; ROWS];
    // Lanes in which `c` counts as zero.
    let zero = product.group.map_or(0, |group| !warp.preds[usize::from(group.keeps)]);
    for (register, &slot) in product.c.iter().enumerate() {
        let words = warp.regs32.get(usize::from(slot))?;
        for lane in 0..32 {
            let (row, column) = place::<HALF>(register, lane);
            let word = if zero >> lane & 1 != 0 { 0 } else { words[lane] };
            if HALF {
                c[row][column] = word & 0xffff;
                c[row][column + 1] = word >> 16;
            } else {
                c[row][column] = word;
            }
        }
    }
    let parts = (operands.c.as_flattened_mut(), operands.c_exponents.as_flattened_mut());
    Some(if HALF {
        split::<10, 5>(c.as_flattened(), BITS[2], parts)
    } else {
        split::<23, 8>(c.as_flattened(), BITS[2], parts)
    })
}

/// `2^exponent`.
#[inline(always)]
fn power(exponent: i32) -> f64 {
    f64::from_bits(u64::from((exponent + 1023).cast_unsigned()) << 52)
}

#[inline(always)]
fn add_products<const N: usize>(operands: &Operands, depth: usize, sums: &mut Sums) {
    #[cfg(target_arch = "x86_64")]
    if N >= 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { host::add_products(operands, depth, sums) };
    }
    let Operands { a, a_exponents, b, b_exponents, c, c_exponents } = operands;
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let exponent = |k: usize| a_exponents[row][k] + b_exponents[k][column];
            let (number, own) = (c[row][column], c_exponents[row][column]);
            let highest = (0..depth).map(exponent).fold(own.max(LOWEST), i32::max);
            let scaled = number.unsigned_abs() << (KEPT.cast_unsigned() - BITS[2]);
            sums.totals[0][row][column] = signed(cut(scaled, highest - own), number);
            for k in 0..depth {
                let product = i32::from(a[row][k] as i16) * b[k][column];
                let size = cut(product.unsigned_abs(), highest - exponent(k));
                sums.totals[k / 8 % 2][row][column] += signed(size, product);
            }
            sums.exponents[row][column] = highest;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod host;

/// The sums as 32-bit floats, cut off, or as 16-bit ones, rounded to nearest.
#[inline(always)]
fn packed<const HALF: bool>(sums: &Sums) -> [[u32; COLUMNS]; ROWS] {
    /// The first power of two beyond the finite floats.
    const END: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
    let mut all = [[0; COLUMNS]; ROWS];
    let [one, other] = &sums.totals;
    let totals = one.as_flattened().iter().zip(other.as_flattened());
    let sums = totals.zip(sums.exponents.as_flattened());
    for (bits, ((&one, &other), exponent)) in all.as_flattened_mut().iter_mut().zip(sums) {
        let sum = (f64::from(one) + f64::from(other)) * power(exponent - KEPT);
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
