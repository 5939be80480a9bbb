//! Products of matrices of 16-bit and `tf32` floats whose elements are all finite. Floats of 32 bits
//! hold the product of two of them; scaled and made an integer, it loses what a tensor core cuts
//! off. What comes out is that of [`crate::lane::matrix`], which does the others.

mod factors;
#[cfg(target_arch = "x86_64")]
mod host;
pub(crate) mod integers;
mod numbers;
mod results;
#[cfg(target_arch = "x86_64")]
mod wide;

use factors::Factors;
use numbers::{Kind, NOT_FINITE, floats, number, power_32};
use results::packed;

use crate::exec::vectors::vectors;
use crate::lane::matrix::{GROUPED_KEPT, KEPT};
use crate::machine::{Register, Warp};
use crate::program::{Elements, Factor, Product};

/// Columns of `b` and of the result: the even ones come first here, as registers hold them.
const COLUMNS: usize = 8;
const ORDER: [usize; COLUMNS] = [0, 2, 4, 6, 1, 3, 5, 7];

const ROWS: usize = 16;

/// Exponent of zeros: below that of any product.
const NOTHING: i32 = -5_000;

/// Exponents of factors and of sums that are scaled in one step.
const NEAR_FACTORS: [i32; 2] = [-50, 60];
const NEAR_SUMS: [i32; 2] = [-102, 127];

/// Least exponent that sums are scaled by, in one step and otherwise.
const LOWEST: [i32; 2] = [NEAR_SUMS[0], -400];

/// What a result is that is no number.
const NAN: u32 = 0x7fff_ffff;

type Row = [i32; COLUMNS];
type Words = [u32; 32];

/// Numbers and their exponents: those of the leading bits. [`number`] says how a number is scaled.
/// `a` has registers for each half of the rows.
struct Operands<const A: usize, const B: usize> {
    /// By register, part of the word, and lane.
    a: [[Register<f32>; 2]; A],
    /// Those of both parts in a word.
    a_exponents: [Register<u32>; A],
    /// By register and part; then by lane of a row, and column.
    b: [[Register<f32>; 2]; B],
    b_exponents: [Register<u32>; B],
    /// By half of the rows, and whether the column is odd; then by lane.
    c: [[Register<f32>; 2]; 2],
    c_exponents: [[Register<i32>; 2]; 2],
}

/// What the terms of each element come to, in units of the last bit that is kept, and the exponents:
/// those of the largest terms. Two sums, as 16 terms of up to 27 bits may need 32.
#[derive(Default)]
struct Sums {
    totals: [[Row; ROWS]; 2],
    exponents: [Row; ROWS],
}

/// Registers of the result, by lane.
pub(crate) type Results = [Words; 4];

vectors! {
    /// `c + a * b` of floats; gives whether it is computed here.
    multiply => multiply_body(product: &Product, warp: &Warp, results: &mut Results) -> bool
}

#[inline(always)]
fn multiply_body<const N: usize>(product: &Product, warp: &Warp, results: &mut Results) -> bool {
    if product.b.len() > 2 || product.rows != ROWS {
        return false;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the machine has AVX-512, as `N` says.
    if N == 16 && unsafe { multiply_wide(product, warp, results) } {
        return true;
    }
    let found = multiply_any::<N>(product, warp);
    if let Some(found) = &found {
        *results = *found;
    }
    found.is_some()
}

/// The same of numbers that need not be near.
#[inline(always)]
fn multiply_any<const N: usize>(product: &Product, warp: &Warp) -> Option<Results> {
    let Elements::Float { a, b, half } = product.elements else { return None };
    let (factors, c) = (Factors::of(product, warp), added(product, warp));
    match (a, half) {
        (Factor::F16, false) => {
            multiply_in::<N, 2, false, 4, 2, KEPT>([Kind::F16; 2], &factors, &c)
        }
        (Factor::F16, true) => multiply_in::<N, 2, true, 4, 2, KEPT>([Kind::F16; 2], &factors, &c),
        (Factor::Bf16, false) => {
            multiply_in::<N, 2, false, 4, 2, KEPT>([Kind::Bf16; 2], &factors, &c)
        }
        (Factor::Tf32, false) => {
            multiply_in::<N, 1, false, 4, 2, KEPT>([Kind::Tf32; 2], &factors, &c)
        }
        (Factor::E4m3 | Factor::E5m2, false) if product.group.is_some() => {
            // As they are, all at once.
            let factors = factors.as_halves::<N, 8, 4>([a, b], &[false, true]);
            let kind = |factor| if factor == Factor::E4m3 { Kind::E4m3 } else { Kind::F16 };
            multiply_in::<N, 2, false, 8, 4, GROUPED_KEPT>([kind(a), kind(b)], &factors, &c)
        }
        (Factor::E4m3 | Factor::E5m2, false) => {
            // As floats of 16 bits, in two steps, and `c` is added at the end, as `ptxas` does.
            let mut sums = [[0; 32]; 4];
            for last in [false, true] {
                let factors = factors.as_halves::<N, 4, 2>([a, b], &[last]);
                let kinds = [Kind::F16; 2];
                sums = multiply_in::<N, 2, false, 4, 2, KEPT>(kinds, &factors, &sums)?;
            }
            for (sum, c) in sums.as_flattened_mut().iter_mut().zip(c.as_flattened()) {
                let exact = f32::from_bits(*sum) + f32::from_bits(*c);
                *sum = if exact.is_nan() { NAN } else { exact.to_bits() };
            }
            Some(sums)
        }
        _ => None,
    }
}

/// The same with AVX-512, of finite and near numbers that are added to 32-bit floats.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn multiply_wide(product: &Product, warp: &Warp, results: &mut Results) -> bool {
    use wide::{BF16, F16, TF32};
    let Elements::Float { a, half: false, .. } = product.elements else { return false };
    match (a, product.b.len()) {
        (Factor::F16, 1) => wide::multiply::<F16, 1>(product, warp, results),
        (Factor::F16, _) => wide::multiply::<F16, 2>(product, warp, results),
        (Factor::Bf16, 1) => wide::multiply::<BF16, 1>(product, warp, results),
        (Factor::Bf16, _) => wide::multiply::<BF16, 2>(product, warp, results),
        (Factor::Tf32, 1) => wide::multiply::<TF32, 1>(product, warp, results),
        (Factor::Tf32, _) => wide::multiply::<TF32, 2>(product, warp, results),
        _ => false,
    }
}

/// Whether that way computes a product; none where `N` does not take it.
#[cfg(test)]
pub(crate) fn multiplied_wide<const N: usize>(product: &Product, warp: &Warp) -> Option<bool> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return Some(unsafe { multiply_wide(product, warp, &mut [[0; 32]; 4]) });
    }
    None
}

/// The words that products are added to.
#[inline(always)]
fn added(product: &Product, warp: &Warp) -> Results {
    // Lanes in which `c` counts as zero.
    let zero = product.group.map_or(0, |group| !warp.preds[usize::from(group.keeps)]);
    let mut all = [[0; 32]; 4];
    for (words, &slot) in all.iter_mut().zip(&product.c) {
        *words = warp.regs32[usize::from(slot)];
        for (lane, word) in words.iter_mut().enumerate() {
            *word = if zero >> lane & 1 != 0 { 0 } else { *word };
        }
    }
    all
}

/// As [`multiply`], of finite floats of these kinds, `P` of them in a register, and with 16-bit
/// sums if `HALF`. Of each term `KEEP` bits behind the first of the largest one are kept.
#[inline(always)]
fn multiply_in<
    const N: usize,
    const P: usize,
    const HALF: bool,
    const A: usize,
    const B: usize,
    const KEEP: i32,
>(
    kinds: [Kind; 2],
    factors: &Factors<A, B>,
    c: &Results,
) -> Option<Results> {
    let mut operands = Operands {
        a: [[Register::default(); 2]; A],
        a_exponents: [Register::default(); A],
        b: [[Register::default(); 2]; B],
        b_exponents: [Register::default(); B],
        c: Default::default(),
        c_exponents: Default::default(),
    };
    let mut sums = Sums::default();
    let odd = set_operands::<N, P, HALF, false, A, B>(kinds, factors, c, &mut operands);
    if odd == 0 {
        add_products::<N, P, false, A, B, KEEP>(&operands, factors.registers, &mut sums);
    } else if odd & NOT_FINITE == 0 {
        set_operands::<N, P, HALF, true, A, B>(kinds, factors, c, &mut operands);
        add_products::<N, P, true, A, B, KEEP>(&operands, factors.registers, &mut sums);
    } else {
        return None;
    }
    Some(registers::<HALF>(&packed::<HALF, KEEP>(&sums)))
}

/// Sets the numbers and, packed into one word, the exponents of the factors in a register.
#[inline(always)]
fn set_factors<const N: usize, const P: usize, const WIDE: bool>(
    kind: Kind,
    words: &Words,
    (numbers, exponents): (&mut [Register<f32>; 2], &mut Register<u32>),
    odd: &mut Words,
) {
    let mut packed = [(NOTHING << 16).cast_unsigned(); 32];
    for part in 0..P {
        let floats = floats::<N>(kind, words, part);
        for lane in 0..32 {
            let (number, exponent) =
                number::<WIDE>(kind, floats[lane], NEAR_FACTORS, &mut odd[lane]);
            numbers[part][lane] = number;
            let exponent = exponent.cast_unsigned();
            packed[lane] = if part == 0 {
                packed[lane] & 0xffff_0000 | exponent & 0xffff
            } else {
                packed[lane] & 0xffff | exponent << 16
            };
        }
    }
    exponents.0 = packed;
}

/// Sets what is multiplied and added; gives the flags of all numbers. Where elements lie:
/// [`crate::program::Product`].
#[inline(always)]
fn set_operands<
    const N: usize,
    const P: usize,
    const HALF: bool,
    const WIDE: bool,
    const A: usize,
    const B: usize,
>(
    kinds: [Kind; 2],
    factors: &Factors<A, B>,
    c: &Results,
    operands: &mut Operands<A, B>,
) -> u32 {
    let mut odd = [0; 32];
    let Operands { a, a_exponents, b, b_exponents, .. } = operands;
    for ((words, numbers), exponents) in factors.a.iter().zip(a).zip(a_exponents) {
        set_factors::<N, P, WIDE>(kinds[0], words, (numbers, exponents), &mut odd);
    }
    for ((words, numbers), exponents) in factors.b.iter().zip(b).zip(b_exponents) {
        set_factors::<N, P, WIDE>(kinds[1], words, (numbers, exponents), &mut odd);
    }
    let kind = if HALF { Kind::F16 } else { Kind::F32 };
    for (register, words) in c.iter().enumerate().take(if HALF { 2 } else { 4 }) {
        for part in 0..if HALF { 2 } else { 1 } {
            let (half, odd_column) =
                if HALF { (register % 2, part) } else { (register / 2 % 2, register % 2) };
            let floats = floats::<N>(kind, words, part);
            let numbers = &mut operands.c[half][odd_column];
            let exponents = &mut operands.c_exponents[half][odd_column];
            for lane in 0..32 {
                (numbers[lane], exponents[lane]) =
                    number::<WIDE>(kind, floats[lane], NEAR_SUMS, &mut odd[lane]);
            }
        }
    }
    odd.iter().fold(0, |all, odd| all | odd)
}

/// What is left of a number in units of `2^exponent` when it is scaled by `2^up`.
#[inline(always)]
fn cut(number: f32, up: i32) -> i32 {
    (number * if up < -126 { 0.0 } else { power_32(up) }) as i32
}

/// The sums of all elements, from `registers` of `b`.
#[inline(always)]
fn add_products<
    const N: usize,
    const P: usize,
    const WIDE: bool,
    const A: usize,
    const B: usize,
    const KEEP: i32,
>(
    operands: &Operands<A, B>,
    registers: usize,
    sums: &mut Sums,
) {
    #[cfg(target_arch = "x86_64")]
    if N >= 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { host::add_products::<P, WIDE, A, B, KEEP>(operands, registers, sums) };
    }
    let Operands { a, a_exponents, b, b_exponents, c, c_exponents } = operands;
    let exponent = |pair: u32, part| i32::from((pair >> (16 * part)) as i16);
    for row in 0..ROWS {
        let (half, first) = (row / 8, row % 8 * 4);
        for column in 0..COLUMNS {
            let terms = (0..4 * P * registers).map(|k| {
                let (register, lane, part) = (k / (4 * P), k / P % 4, k % P);
                let (at_a, at_b) = (first + lane, COLUMNS * lane + column);
                let number = a[2 * register + half][part][at_a] * b[register][part][at_b];
                let of_a = exponent(a_exponents[2 * register + half][at_a], part);
                (number, of_a + exponent(b_exponents[register][at_b], part))
            });
            let (odd, at) = (column / 4, first + column % 4);
            let own = c_exponents[half][odd][at];
            let least = own.max(LOWEST[usize::from(WIDE)]);
            let highest = terms.clone().map(|(_, exponent)| exponent).fold(least, i32::max);
            let up = |exponent: i32| KEEP - highest + if WIDE { exponent } else { 0 };
            sums.totals[0][row][column] = cut(c[half][odd][at], up(own));
            for (k, (number, exponent)) in terms.enumerate() {
                sums.totals[k / 8 % 2][row][column] += cut(number, up(exponent));
            }
            sums.exponents[row][column] = highest;
        }
    }
}

/// The registers of the result.
#[inline(always)]
fn registers<const HALF: bool>(sums: &[[u32; COLUMNS]; ROWS]) -> Results {
    let mut results = [[0; 32]; 4];
    for (row, sums) in sums.iter().enumerate() {
        let (half, first) = (row / 8, row % 8 * 4);
        for lane in 0..4 {
            let (even, odd) = (sums[lane], sums[lane + 4]);
            if HALF {
                results[half][first + lane] = even | odd << 16;
            } else {
                results[2 * half][first + lane] = even;
                results[2 * half + 1][first + lane] = odd;
            }
        }
    }
    results
}
