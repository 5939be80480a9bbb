//! Matrices whose elements are spread over the lanes of a warp.

mod rows;

use crate::exec::product;
use crate::exec::vectors::vectors;
use crate::lane::matrix;
use crate::lane::matrix::{Sum, Term};
use crate::machine::{Warp, blend};
use crate::program::{Elements, Factor, Matrix, Product, Slot};

/// Columns of `b` and of the result.
const COLUMNS: usize = 8;

/// The most rows and the largest depth of a float product.
const ROWS: usize = 16;
const DEPTH: usize = 32;

/// Carries out one exchange; the lanes of `writers` get results.
pub(crate) fn perform<const N: usize>(matrix: &Matrix, warp: &mut Warp, writers: u32) {
    match matrix {
        Matrix::Product(product) => multiply::<N>(product, warp, writers),
        Matrix::Spread(rows) => rows::spread::<N>(rows, warp, writers),
        Matrix::Collect(rows) => rows::collect(rows, warp, writers),
        Matrix::Transpose { d, a } => rows::transpose(*d, *a, warp, writers),
    }
}

fn multiply<const N: usize>(product: &Product, warp: &mut Warp, writers: u32) {
    match product.elements {
        Elements::Float { a, b, half } => {
            if let Some(results) = product::multiply::<N>(product, warp) {
                for (&d, results) in product.d.iter().zip(&results) {
                    blend(&mut warp.regs32[usize::from(d)], writers, results);
                }
                return;
            }
            let results = floats(product, [a, b], half, warp);
            for (&d, results) in product.d.iter().zip(&results) {
                blend(&mut warp.regs32[usize::from(d)], writers, results);
            }
        }
        Elements::Double => doubles(product, warp, writers),
        Elements::Integer { bits, a_signed, b_signed, .. } => {
            integers::<N>(product, bits, [a_signed, b_signed], warp, writers);
        }
        Elements::Bits { .. } => bits(product, warp, writers),
    }
}

/// Calls `each` with every lane, register and part of `a`, and its row and depth.
fn each_a(product: &Product, mut each: impl FnMut([usize; 3], [usize; 2])) {
    let (p, halves) = (product.elements.per_register(), product.rows / 8);
    for lane in 0..32 {
        for register in 0..product.a.len() {
            for part in 0..p {
                let row = lane / 4 + 8 * (register % halves);
                let depth = p * (lane % 4) + part + 4 * p * (register / halves);
                each([lane, register, part], [row, depth]);
            }
        }
    }
}

/// The same of `b`: its column and depth.
fn each_b(product: &Product, mut each: impl FnMut([usize; 3], [usize; 2])) {
    let p = product.elements.per_register();
    for lane in 0..32 {
        for register in 0..product.b.len() {
            for part in 0..p {
                each([lane, register, part], [lane / 4, p * (lane % 4) + part + 4 * p * register]);
            }
        }
    }
}

/// The row and first column of a register of `c` and `d`.
fn place(lane: usize, register: usize, sums: usize) -> (usize, usize) {
    let halves = 2 / sums;
    (lane / 4 + 8 * (register / halves), 2 * (lane % 4) + register % halves)
}

fn word(warp: &Warp, slot: Slot, lane: usize) -> u32 {
    warp.regs32[usize::from(slot)][lane]
}

/// A register of `c`, if the product adds to it.
fn kept(product: &Product, warp: &Warp, slot: Slot, lane: usize) -> u32 {
    match product.group {
        Some(group) if warp.preds[usize::from(group.keeps)] >> lane & 1 == 0 => 0,
        _ => word(warp, slot, lane),
    }
}

/// Products of floats, element by element.
fn floats(product: &Product, factors: [Factor; 2], half: bool, warp: &Warp) -> Vec<[u32; 32]> {
    let mut a = [[Term::default(); DEPTH]; ROWS];
    let mut b = [[Term::default(); DEPTH]; COLUMNS];
    // Warpgroups multiply floats of 8 bits as they are.
    let grouped = product.group.is_some() && factors[0].bits() == 8;
    let part_of = |factor: Factor, slot: Slot, lane: usize, part: usize| {
        let bits = factor.bits();
        let word = word(warp, slot, lane) >> (part as u32 * bits);
        let bits = if bits == 32 { word } else { word & ((1 << bits) - 1) };
        if grouped { matrix::grouped_term(factor, bits).0 } else { matrix::term(factor, bits) }
    };
    // Floats of 8 bits are multiplied in two steps: first the low halves of the registers.
    let at = |depth: usize| match product.elements.per_register() {
        4 if !grouped => depth / 4 * 2 + depth % 2 + depth % 4 / 2 * (product.depth / 2),
        _ => depth,
    };
    each_a(product, |[lane, register, part], [row, depth]| {
        let term = part_of(factors[0], product.a[register], lane, part);
        let negative = product.group.is_some_and(|group| group.negative);
        a[row][at(depth)] = if negative { term.negated() } else { term };
    });
    each_b(product, |[lane, register, part], [column, depth]| {
        b[column][at(depth)] = part_of(factors[1], product.b[register], lane, part);
    });
    let sums = product.elements.sums_per_register();
    let fraction = |factor| {
        if grouped { matrix::grouped_term(factor, 0).1 } else { matrix::fraction(factor) }
    };
    let fraction = fraction(factors[0]) + fraction(factors[1]);
    let one = |c: u32, row: usize, column: usize| {
        // `ptxas` makes 16-bit floats of 8-bit ones, and adds `c` at the end.
        let apart = factors[0].bits() == 8 && !grouped;
        let mut sum = if apart { 0 } else { c };
        let (at_once, kept) = if grouped {
            (matrix::GROUPED_AT_ONCE, matrix::GROUPED_KEPT)
        } else {
            (matrix::AT_ONCE, matrix::KEPT)
        };
        for depth in (0..product.depth).step_by(at_once) {
            let depths = depth..product.depth.min(depth + at_once);
            let (c, own) = Sum::unpack(sum, half);
            let (a, b) = (&a[row][depths.clone()], &b[column][depths]);
            let next = matrix::step(c, a, b, [fraction, own], kept);
            sum = if grouped && !half { next.cut(kept) } else { next }.pack(half);
        }
        if apart { matrix::added_32(c, sum) } else { sum }
    };
    product
        .c
        .iter()
        .enumerate()
        .map(|(index, &c)| {
            std::array::from_fn(|lane| {
                let (row, column) = place(lane, index, sums);
                let c = kept(product, warp, c, lane);
                if half {
                    one(c & 0xffff, row, column) | one(c >> 16, row, column + 1) << 16
                } else {
                    one(c, row, column)
                }
            })
        })
        .collect()
}

/// Products of 64-bit floats: one fused multiply-add after the other along the depth.
fn doubles(product: &Product, warp: &mut Warp, writers: u32) {
    let of = |slot: Slot, lane: usize| f64::from_bits(warp.regs64[usize::from(slot)][lane]);
    let mut a = [[0.0; DEPTH]; ROWS];
    let mut b = [[0.0; DEPTH]; COLUMNS];
    each_a(product, |[lane, register, _], [row, depth]| {
        a[row][depth] = of(product.a[register], lane);
    });
    each_b(product, |[lane, register, _], [column, depth]| {
        b[column][depth] = of(product.b[register], lane);
    });
    let results: Vec<[u64; 32]> = product
        .c
        .iter()
        .enumerate()
        .map(|(index, &c)| {
            std::array::from_fn(|lane| {
                let (row, column) = place(lane, index, 1);
                let terms = a[row].iter().zip(&b[column]).take(product.depth);
                matrix::doubles(of(c, lane), terms.map(|(&a, &b)| (a, b)))
            })
        })
        .collect();
    for (&d, results) in product.d.iter().zip(&results) {
        blend(&mut warp.regs64[usize::from(d)], writers, results);
    }
}

vectors! {
    /// Products of integers of `bits` bits: sums of at most 64 products of at most 16 bits.
    integers => integers_body(
        product: &Product, bits: u32, signed: [bool; 2], warp: &mut Warp, writers: u32,
    )
}

/// The parts of each word with this number.
#[inline(always)]
fn parts(words: &[u32; 32], bits: u32, part: usize, signed: bool) -> [i32; 32] {
    let mut values = [0; 32];
    let (up, down) = (32 - bits * (part as u32 + 1), 32 - bits);
    for lane in 0..32 {
        let high = words[lane] << up;
        values[lane] =
            if signed { high.cast_signed() >> down } else { (high >> down).cast_signed() };
    }
    values
}

#[inline(always)]
fn integers_body<const N: usize>(
    product: &Product,
    bits: u32,
    [a_signed, b_signed]: [bool; 2],
    warp: &mut Warp,
    writers: u32,
) {
    const MOST: usize = 64;
    let (p, halves) = (product.elements.per_register(), product.rows / 8);
    let mut a = [[0_i32; MOST]; ROWS];
    for (register, &slot) in product.a.iter().enumerate() {
        for part in 0..p {
            let values = parts(&warp.regs32[usize::from(slot)], bits, part, a_signed);
            let start = 4 * p * (register / halves) + part;
            let first = 8 * (register % halves);
            for lane in 0..32 {
                a[(first + lane / 4) % ROWS][(start + p * (lane % 4)) % MOST] = values[lane];
            }
        }
    }
    let mut b = [[0_i32; COLUMNS]; MOST];
    for (register, &slot) in product.b.iter().enumerate() {
        for part in 0..p {
            let values = parts(&warp.regs32[usize::from(slot)], bits, part, b_signed);
            for lane in 0..32 {
                b[(4 * p * register + part + p * (lane % 4)) % MOST][lane / 4] = values[lane];
            }
        }
    }
    let mut sums = [[0_i32; COLUMNS]; ROWS];
    for (sums, a) in sums.iter_mut().zip(&a).take(product.rows) {
        for (&a, b) in a.iter().zip(&b).take(product.depth) {
            for (sum, &b) in sums.iter_mut().zip(b) {
                *sum = sum.wrapping_add(a.wrapping_mul(b));
            }
        }
    }
    // A register of the result can be one of `c`: all are read before one is written.
    let mut results = [[0; 32]; 4];
    for (index, (&c, words)) in product.c.iter().zip(&mut results).enumerate() {
        for (lane, word) in words.iter_mut().enumerate() {
            let (row, column) = place(lane, index, 1);
            let c = kept(product, warp, c, lane);
            *word = matrix::accumulated(product.elements, c, i64::from(sums[row][column]));
        }
    }
    for (&d, words) in product.d.iter().zip(&results) {
        blend(&mut warp.regs32[usize::from(d)], writers, words);
    }
}

/// Products of bits. What two registers hold meets part by part.
fn bits(product: &Product, warp: &mut Warp, writers: u32) {
    let halves = product.rows / 8;
    let results: Vec<[u32; 32]> = product
        .c
        .iter()
        .enumerate()
        .map(|(index, &c)| {
            std::array::from_fn(|lane| {
                let (row, column) = place(lane, index, 1);
                let mut sum = 0;
                for (register, &b) in product.b.iter().enumerate() {
                    let a = product.a[register * halves + row / 8];
                    for t in 0..4 {
                        let (a, b) =
                            (word(warp, a, row % 8 * 4 + t), word(warp, b, column * 4 + t));
                        sum += matrix::bits(product.elements, a, b);
                    }
                }
                let c = kept(product, warp, c, lane);
                matrix::accumulated(product.elements, c, sum)
            })
        })
        .collect();
    for (&d, results) in product.d.iter().zip(&results) {
        blend(&mut warp.regs32[usize::from(d)], writers, results);
    }
}

#[cfg(test)]
mod tests {
    use super::{floats, parts, product};
    use crate::machine::Warp;
    use crate::program::{Elements, Factor, Group, Product};

    /// Registers of all kinds of floats: near 1, of any size, small, cancelling.
    fn fill(warp: &mut Warp, mut state: u64, kind: usize) {
        for (slot, lane) in (0..10).flat_map(|slot| (0..32).map(move |lane| (slot, lane))) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let any = (state >> 32) as u32;
            warp.regs32[slot][lane] = match (kind, slot) {
                (0, 0..6) => any & 0x83ff_83ff | 0x3c00_3c00,
                (0, _) => any & 0x807f_ffff | 0x4080_0000,
                (1, 0..6) => any & 0xbfff_bfff,
                (2, _) => any & 0x83ff_83ff,
                (3, _) => {
                    if any.trailing_zeros() >= 2 {
                        any & 0x8000_8000
                    } else {
                        any & 0xbbff_bbff
                    }
                }
                _ => any,
            };
        }
    }

    fn compare<const N: usize>(product: &Product, half: bool, a: Factor) {
        let mut computed = 0;
        for round in 0..40 {
            let mut warp = Warp::new(10, 0, 1);
            warp.preds[0] = 0x0f0f_ff31;
            fill(&mut warp, 7 + round, round as usize % 5);
            let expected = floats(product, [a, a], half, &warp);
            if let Some(found) = product::multiply::<N>(product, &warp) {
                computed += 1;
                assert_eq!(found[..expected.len()], expected, "{a:?}, {half}, {N}, {round}");
            }
        }
        assert!(computed > 10, "{a:?}");
    }

    #[test]
    fn parts_of_words_have_their_sign() {
        let words = [0x8001_ff7f; 32];
        assert_eq!([0, 1, 2, 3].map(|part| parts(&words, 8, part, true)[9]), [127, -1, 1, -128]);
        assert_eq!([0, 1, 2, 3].map(|part| parts(&words, 8, part, false)[9]), [127, 255, 1, 128]);
        assert_eq!([1, 7].map(|part| parts(&words, 4, part, true)[31]), [7, -8]);
    }

    #[test]
    fn finite_products_are_those_of_the_plain_way() {
        for (a, half, depth) in [
            (Factor::F16, false, 16),
            (Factor::F16, true, 16),
            (Factor::F16, true, 8),
            (Factor::Bf16, false, 16),
            (Factor::Bf16, false, 8),
            (Factor::Tf32, false, 8),
            (Factor::Tf32, false, 4),
        ] {
            let elements = Elements::Float { a, b: a, half };
            let registers = 2 * depth / (4 * elements.per_register());
            let c = (6..if half { 8 } else { 10 }).collect::<Vec<_>>();
            let mut product = Product {
                rows: 16,
                depth,
                elements,
                d: c.clone(),
                a: (0..registers as u16).collect(),
                b: (4..4 + registers as u16 / 2).collect(),
                c,
                group: None,
            };
            compare::<4>(&product, half, a);
            product.group = Some(Group { keeps: 0, negative: true });
            compare::<4>(&product, half, a);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("f16c")
                && std::arch::is_x86_feature_detected!("fma")
            {
                compare::<8>(&product, half, a);
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512dq")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                compare::<16>(&product, half, a);
            }
        }
    }
}
