//! Products of matrices of integers of 8 and 4 bits, and of bits.

use super::factors::by_columns;
#[cfg(target_arch = "x86_64")]
use super::host;
use super::{COLUMNS, ROWS, Results, Row, Words, added, registers};
use crate::exec::vectors::vectors;
use crate::machine::{Register, Warp};
use crate::program::{Elements, Product};

/// Words of two factors of 16 bits, by register, part of the register's words, and lane.
#[derive(Default)]
pub(super) struct Pairs {
    pub(super) a: [[Register<u32>; 4]; 4],
    pub(super) b: [[Register<u32>; 4]; 2],
}

vectors! {
    /// `c + a * b` of integers or bits.
    multiply => multiply_body(product: &Product, warp: &Warp) -> Results
}

#[inline(always)]
fn multiply_body<const N: usize>(product: &Product, warp: &Warp) -> Results {
    let mut sums = [[0; COLUMNS]; ROWS];
    let mut saturates = false;
    match product.elements {
        Elements::Integer { bits, a_signed, b_signed, saturate } => {
            saturates = saturate;
            let signed = [a_signed, b_signed];
            if bits == 8 {
                integers::<N, 8, 2>(product, warp, signed, &mut sums);
            } else {
                integers::<N, 4, 4>(product, warp, signed, &mut sums);
            }
        }
        Elements::Bits { xor } => bits(product, warp, xor, &mut sums),
        Elements::Float { .. } | Elements::Double => {}
    }
    let mut unsigned = [[0; COLUMNS]; ROWS];
    for (to, from) in unsigned.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
        *to = from.cast_unsigned();
    }
    let mut results = registers::<false>(&unsigned);
    let c = added(product, warp);
    for (sum, c) in results.as_flattened_mut().iter_mut().zip(c.as_flattened()) {
        let (one, other) = (sum.cast_signed(), c.cast_signed());
        let sum_of = if saturates { one.saturating_add(other) } else { one.wrapping_add(other) };
        *sum = sum_of.cast_unsigned();
    }
    results
}

/// Of each half of a word the element of `BITS` bits with this number, with 16 bits.
#[inline(always)]
fn pairs<const BITS: u32>(words: &Words, part: u32, signed: bool) -> Register<u32> {
    let mut pairs = Register::default();
    let up = 16 - BITS * (part + 1);
    for lane in 0..32 {
        let (low, high) = (words[lane] << (16 + up), words[lane] >> 16 << (16 + up));
        pairs[lane] = if signed {
            let down = |element: u32| (element.cast_signed() >> (32 - BITS)).cast_unsigned();
            down(low) & 0xffff | down(high) << 16
        } else {
            low >> (32 - BITS) | high >> (32 - BITS) << 16
        };
    }
    pairs
}

/// Adds products of integers, `P` pairs of which are in a register.
#[inline(always)]
fn integers<const N: usize, const BITS: u32, const P: usize>(
    product: &Product,
    warp: &Warp,
    [a_signed, b_signed]: [bool; 2],
    sums: &mut [Row; ROWS],
) {
    let mut all = Pairs::default();
    for (to, &slot) in all.a.iter_mut().zip(&product.a) {
        let words = &warp.regs32[usize::from(slot)];
        for part in 0..P {
            to[part] = pairs::<BITS>(words, part as u32, a_signed);
        }
    }
    for (to, &slot) in all.b.iter_mut().zip(&product.b) {
        let words = by_columns(&warp.regs32[usize::from(slot)]);
        for part in 0..P {
            to[part] = pairs::<BITS>(&words, part as u32, b_signed);
        }
    }
    #[cfg(target_arch = "x86_64")]
    if N >= 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        unsafe { host::add_pairs::<P>(&all, product, sums) };
        return;
    }
    let halves = product.rows / 8;
    for row in 0..product.rows {
        for register in 0..product.b.len() {
            for at in 0..4 * P {
                let (lane, part) = (at / P, at % P);
                let a = all.a[register * halves + row / 8][part][row % 8 * 4 + lane];
                let b = &all.b[register][part][COLUMNS * lane..];
                for (sum, &b) in sums[row].iter_mut().zip(b) {
                    let low = i32::from(a as i16) * i32::from(b as i16);
                    *sum += low + (a.cast_signed() >> 16) * (b.cast_signed() >> 16);
                }
            }
        }
    }
}

/// Adds the numbers of bits that meet.
#[inline(always)]
fn bits(product: &Product, warp: &Warp, xor: bool, sums: &mut [Row; ROWS]) {
    let halves = product.rows / 8;
    for (register, &slot) in product.b.iter().enumerate() {
        let b = by_columns(&warp.regs32[usize::from(slot)]);
        for half in 0..halves {
            let slot = product.a[register * halves + half];
            let a = &warp.regs32[usize::from(slot)];
            for (at, &a) in a.iter().enumerate() {
                let (row, lane) = (8 * half + at / 4, at % 4);
                for (sum, &b) in sums[row % ROWS].iter_mut().zip(&b[COLUMNS * lane..]) {
                    let met = if xor { a ^ b } else { a & b };
                    *sum += met.count_ones().cast_signed();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::pairs;

    #[test]
    fn parts_of_words_have_their_sign() {
        let words = [0x8001_ff7f; 32];
        let both = |pair: u32| [pair as i16, (pair >> 16) as i16];
        assert_eq!(
            [0, 1].map(|part| both(pairs::<8>(&words, part, true)[9])),
            [[127, 1], [-1, -128]]
        );
        assert_eq!(
            [0, 1].map(|part| both(pairs::<8>(&words, part, false)[9])),
            [[127, 1], [255, 128]]
        );
        assert_eq!([1, 3].map(|part| both(pairs::<4>(&words, part, true)[31])), [[7, 0], [-1, -8]]);
        assert_eq!(both(pairs::<4>(&words, 3, false)[31]), [15, 8]);
    }
}
