//! Matrices whose elements are spread over the lanes of a warp.

use crate::lane::matrix;
use crate::lane::matrix::{Sum, Term};
use crate::machine::{Warp, lanes};
use crate::program::{Elements, Factor, Matrix, Product, Rows, Slot};

/// Columns of `b` and of the result.
const COLUMNS: usize = 8;

/// The most rows and the largest depth of a float product.
const ROWS: usize = 16;
const DEPTH: usize = 32;

/// Carries out one exchange; the lanes of `writers` get results.
pub(crate) fn perform(matrix: &Matrix, warp: &mut Warp, writers: u32) {
    match matrix {
        Matrix::Product(product) => multiply(product, warp, writers),
        Matrix::Spread(rows) => spread(rows, warp, writers),
        Matrix::Collect(rows) => collect(rows, warp, writers),
        Matrix::Transpose { d, a } => transpose(*d, *a, warp, writers),
    }
}

fn multiply(product: &Product, warp: &mut Warp, writers: u32) {
    match product.elements {
        Elements::Float { a, b, half } => floats(product, [a, b], half, warp, writers),
        Elements::Double => doubles(product, warp, writers),
        Elements::Integer { .. } | Elements::Bits { .. } => integers(product, warp, writers),
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

fn floats(product: &Product, factors: [Factor; 2], half: bool, warp: &mut Warp, writers: u32) {
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
    let results: Vec<[u32; 32]> = product
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
        .collect();
    for (&d, results) in product.d.iter().zip(&results) {
        put(&mut warp.regs32[usize::from(d)], writers, results);
    }
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
        put(&mut warp.regs64[usize::from(d)], writers, results);
    }
}

/// Products of integers and of bits. What two registers hold meets part by part.
fn integers(product: &Product, warp: &mut Warp, writers: u32) {
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
                        sum += matrix::integers(product.elements, a, b);
                    }
                }
                let c = kept(product, warp, c, lane);
                matrix::accumulated(product.elements, c, sum)
            })
        })
        .collect();
    for (&d, results) in product.d.iter().zip(&results) {
        put(&mut warp.regs32[usize::from(d)], writers, results);
    }
}

fn put<W: Copy>(d: &mut [W; 32], writers: u32, results: &[W; 32]) {
    for lane in lanes(writers) {
        d[lane] = results[lane];
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

fn spread(rows: &Rows, warp: &mut Warp, writers: u32) {
    let results: Vec<[u32; 32]> = (0..rows.registers.len())
        .map(|matrix| {
            std::array::from_fn(|lane| {
                let [low, high] = halves(lane, matrix, rows.transposed).map(|[from, at, half]| {
                    word(warp, rows.words + at as Slot, from) >> (16 * half) & 0xffff
                });
                low | high << 16
            })
        })
        .collect();
    for (&d, results) in rows.registers.iter().zip(&results) {
        put(&mut warp.regs32[usize::from(d)], writers, results);
    }
}

fn transpose(d: Slot, a: Slot, warp: &mut Warp, writers: u32) {
    let results = std::array::from_fn(|lane| {
        let [low, high] = halves(lane, 0, true)
            .map(|[row, at, half]| word(warp, a, 4 * row + at) >> (16 * half) & 0xffff);
        low | high << 16
    });
    put(&mut warp.regs32[usize::from(d)], writers, &results);
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
        put(&mut warp.regs32[usize::from(rows.words) + at], writers, words);
    }
}
