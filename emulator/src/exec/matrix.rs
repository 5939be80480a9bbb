//! Matrices whose elements are spread over the lanes of a warp.

use crate::exec::product;
use crate::exec::vectors::vectors;
use crate::lane::matrix;
use crate::lane::matrix::{Sum, Term};
use crate::machine::{Warp, blend};
use crate::program::{Elements, Factor, Matrix, Product, Rows, Slot};

/// Columns of `b` and of the result.
const COLUMNS: usize = 8;

/// The most rows and the largest depth of a float product.
const ROWS: usize = 16;
const DEPTH: usize = 32;

/// Carries out one exchange; the lanes of `writers` get results.
pub(crate) fn perform<const N: usize>(matrix: &Matrix, warp: &mut Warp, writers: u32) {
    match matrix {
        Matrix::Product(product) => multiply::<N>(product, warp, writers),
        Matrix::Spread(rows) => spread::<N>(rows, warp, writers),
        Matrix::Collect(rows) => collect(rows, warp, writers),
        Matrix::Transpose { d, a } => transpose(*d, *a, warp, writers),
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

/// The two halves that lane `lane` holds of a matrix: index of the lane that has their row,
/// of the word in it, and of the half in the word.
fn halves(lane: usize, matrix: usize, transposed: bool) -> [[usize; 3]; 2] {
    let (outer, inner) = (lane / 4, 2 * (lane % 4));
    [inner, inner + 1].map(|inner| {
        let (row, column) = if transposed { (inner, outer) } else { (outer, inner) };
        [matrix * 8 + row, column / 2, column % 2]
    })
}

/// Where the halves of the words come from that lanes get: of a matrix as it is, and transposed.
/// Half `at % 2` of word `at / 2`, where word `8 * quarter + row` is of a quarter of a row.
const HALVES: [[u16; 64]; 2] = [sources(false), sources(true)];

const fn sources(transposed: bool) -> [u16; 64] {
    let mut table = [0; 64];
    let mut to = 0;
    while to < 64 {
        let (outer, inner) = (to / 8, to % 8);
        let (row, column) = if transposed { (inner, outer) } else { (outer, inner) };
        table[to] = (2 * (8 * (column / 2) + row) + column % 2) as u16;
        to += 1;
    }
    table
}

/// The words whose halves come from these places.
#[inline(always)]
fn permute(words: &[u32; 32], halves: &[u16; 64]) -> [u32; 32] {
    let half = |at: u16| words[usize::from(at / 2) & 31] >> (16 * u32::from(at % 2)) & 0xffff;
    let mut results = [0; 32];
    for lane in 0..32 {
        results[lane] = half(halves[2 * lane]) | half(halves[2 * lane + 1]) << 16;
    }
    results
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{__m512i, _mm512_permutex2var_epi16};

    /// As [`super::permute`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn permute(words: &[u32; 32], halves: &[u16; 64]) -> [u32; 32] {
        // SAFETY: the arrays and the pairs of vectors have one size, and any bits are a value.
        unsafe {
            let [low, high] = std::mem::transmute::<[u32; 32], [__m512i; 2]>(*words);
            let [first, second] = std::mem::transmute::<[u16; 64], [__m512i; 2]>(*halves);
            std::mem::transmute::<[__m512i; 2], [u32; 32]>([
                _mm512_permutex2var_epi16(low, first, high),
                _mm512_permutex2var_epi16(low, second, high),
            ])
        }
    }
}

vectors! {
    /// Gives the lanes the elements of the rows that they have loaded.
    spread => spread_body(rows: &Rows, warp: &mut Warp, writers: u32)
}

#[inline(always)]
fn spread_body<const N: usize>(rows: &Rows, warp: &mut Warp, writers: u32) {
    let mut results = [[0; 32]; 4];
    for (matrix, results) in results.iter_mut().enumerate().take(rows.registers.len()) {
        // Of each quarter of the rows, eight words.
        let mut words = [0; 32];
        for at in 0..4 {
            for row in 0..8 {
                words[8 * at + row] = warp.regs32[usize::from(rows.words) + at][8 * matrix + row];
            }
        }
        #[cfg(target_arch = "x86_64")]
        if N == 16 {
            // SAFETY: the machine has AVX-512, as `N` says.
            *results = unsafe { host::permute(&words, &HALVES[usize::from(rows.transposed)]) };
            continue;
        }
        *results = permute(&words, &HALVES[usize::from(rows.transposed)]);
    }
    for (&d, results) in rows.registers.iter().zip(&results) {
        blend(&mut warp.regs32[usize::from(d)], writers, results);
    }
}

fn transpose(d: Slot, a: Slot, warp: &mut Warp, writers: u32) {
    let results = std::array::from_fn(|lane| {
        let [low, high] = halves(lane, 0, true)
            .map(|[row, at, half]| word(warp, a, 4 * row + at) >> (16 * half) & 0xffff);
        low | high << 16
    });
    blend(&mut warp.regs32[usize::from(d)], writers, &results);
}

fn collect(rows: &Rows, warp: &mut Warp, writers: u32) {
    let mut words = [[0_u32; 32]; 4];
    for (matrix, &register) in rows.registers.iter().enumerate() {
        for lane in 0..32 {
            let value = word(warp, register, lane);
            let places = halves(lane, matrix, rows.transposed);
            for ([to, at, half], value) in places.into_iter().zip([value & 0xffff, value >> 16]) {
                words[at][to] |= value << (16 * half);
            }
        }
    }
    // Of rows of one matrix at one address, the first is stored.
    let address = &warp.regs64[usize::from(rows.a)];
    for lane in (0..32).rev() {
        let same = (lane / 8 * 8..lane).find(|&other| address[other] == address[lane]);
        if let Some(first) = same {
            for words in &mut words {
                words[lane] = words[first];
            }
        }
    }
    for (at, words) in words.iter().enumerate() {
        blend(&mut warp.regs32[usize::from(rows.words) + at], writers, words);
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
    fn lanes_get_the_halves_of_their_row_or_column() {
        let words: [u32; 32] =
            std::array::from_fn(|at| (at as u32).wrapping_mul(0x9e37_79b9) ^ 0x0102_0408);
        for transposed in [false, true] {
            let table = &super::HALVES[usize::from(transposed)];
            let plain = super::permute(&words, table);
            for lane in 0..32 {
                for (half, [row, at, from]) in
                    super::halves(lane, 0, transposed).into_iter().enumerate()
                {
                    let wanted = words[8 * at + row] >> (16 * from) & 0xffff;
                    assert_eq!(plain[lane] >> (16 * half) & 0xffff, wanted, "{lane} {half}");
                }
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512bw") {
                // SAFETY: the machine has AVX-512, as just checked.
                assert_eq!(unsafe { super::host::permute(&words, table) }, plain);
            }
        }
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
            if std::arch::is_x86_feature_detected!("avx512dq")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                compare::<16>(&product, half, a);
            }
        }
    }
}
