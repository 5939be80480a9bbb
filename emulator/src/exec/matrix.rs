//! Matrices whose elements are spread over the lanes of a warp.

mod rows;

use crate::exec::product::{self, Results, integers};
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
        Matrix::Collect(rows) => rows::collect::<N>(rows, warp, writers),
        Matrix::Transpose { d, a } => rows::transpose::<N>(*d, *a, warp, writers),
    }
}

fn multiply<const N: usize>(product: &Product, warp: &mut Warp, writers: u32) {
    let mut results = [[0; 32]; 4];
    match product.elements {
        Elements::Float { a, b, half } => {
            if !product::multiply::<N>(product, warp, &mut results) {
                results = floats(product, [a, b], half, warp);
            }
        }
        Elements::Double => return doubles::<N>(product, warp, writers),
        Elements::Integer { .. } | Elements::Bits { .. } => {
            results = integers::multiply::<N>(product, warp);
        }
    }
    for (&d, results) in product.d.iter().zip(&results) {
        blend(&mut warp.regs32[usize::from(d)], writers, results);
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
fn floats(product: &Product, factors: [Factor; 2], half: bool, warp: &Warp) -> Results {
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
    let mut results = [[0; 32]; 4];
    for (index, (&c, results)) in product.c.iter().zip(&mut results).enumerate() {
        for (lane, result) in results.iter_mut().enumerate() {
            let (row, column) = place(lane, index, sums);
            let c = kept(product, warp, c, lane);
            *result = if half {
                one(c & 0xffff, row, column) | one(c >> 16, row, column + 1) << 16
            } else {
                one(c, row, column)
            };
        }
    }
    results
}

vectors! {
    /// Products of 64-bit floats: one fused multiply-add after the other along the depth.
    doubles => doubles_body(product: &Product, warp: &mut Warp, writers: u32)
}

#[inline(always)]
fn doubles_body<const N: usize>(product: &Product, warp: &mut Warp, writers: u32) {
    let halves = product.rows / 8;
    let of = |slot: Slot, lane: usize| f64::from_bits(warp.regs64[usize::from(slot)][lane]);
    let a = |row: usize, depth: usize| {
        of(product.a[depth / 4 * halves + row / 8], row % 8 * 4 + depth % 4)
    };
    let b = |depth: usize, column: usize| of(product.b[depth / 4], 4 * column + depth % 4);
    let mut sums = [[0.0; COLUMNS]; ROWS];
    for (register, &slot) in product.c.iter().enumerate() {
        for lane in 0..32 {
            let (row, column) = place(lane, register, 1);
            sums[row % ROWS][column % COLUMNS] = of(slot, lane);
        }
    }
    let before = sums;
    for depth in 0..product.depth {
        let mut factors = [0.0; COLUMNS];
        for (column, factor) in factors.iter_mut().enumerate() {
            *factor = b(depth, column);
        }
        for (row, sums) in sums.iter_mut().enumerate().take(product.rows) {
            let a = a(row, depth);
            for (sum, &b) in sums.iter_mut().zip(&factors) {
                *sum = a.mul_add(b, *sum);
            }
        }
    }
    let mut numbers = true;
    for &sum in sums.as_flattened() {
        numbers &= !sum.is_nan();
    }
    // A register of the result can be one of `c`: all are read before one is written.
    let mut results = [[0; 32]; 4];
    for (register, words) in results.iter_mut().enumerate().take(product.c.len()) {
        for (lane, word) in words.iter_mut().enumerate() {
            let (row, column) = place(lane, register, 1);
            let (row, column) = (row % ROWS, column % COLUMNS);
            *word = sums[row][column].to_bits();
            if !numbers {
                let terms = (0..product.depth).map(|depth| (a(row, depth), b(depth, column)));
                *word = matrix::doubles(before[row][column], terms);
            }
        }
    }
    for (&d, results) in product.d.iter().zip(&results) {
        blend(&mut warp.regs64[usize::from(d)], writers, results);
    }
}

#[cfg(test)]
mod tests {
    use super::{doubles, each_a, each_b, floats, integers, kept, place, product};
    use crate::lane::matrix;
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
                // Close to 2 all: the largest sums.
                (5, 0..6) => 0x3fff_3fff,
                (5, _) => 0x3fff_ffff,
                // Zeros times large numbers, which say nothing of how small a sum can be.
                (6, 0..4) => any & 0x8000_8000,
                (6, 4..6) => any & 0x83ff_83ff | 0x4a00_4a00,
                (6, _) => any & 0x83ff_ffff | 0x1400_0000,
                // Of many sizes.
                (7, 0..6) => any & 0x9fff_9fff | 0x3000_3000,
                (7, _) => any & 0x9fff_ffff | 0x3000_0000,
                _ => any,
            };
        }
    }

    fn compare<const N: usize>(product: &Product) {
        let Elements::Float { a, b, half } = product.elements else { unreachable!() };
        let mut computed = 0;
        for round in 0..48 {
            let mut warp = Warp::new(10, 0, 1);
            warp.preds[0] = 0x0f0f_ff31;
            fill(&mut warp, 7 + round, round as usize % 8);
            if a.bits() == 8 && round % 2 == 0 {
                // Most random words have a NaN among four numbers of 8 bits.
                warp.regs32[..6]
                    .as_flattened_mut()
                    .iter_mut()
                    .for_each(|word| *word &= 0xbfbf_bfbf);
            }
            let expected = floats(product, [a, b], half, &warp);
            let mut found = [[0; 32]; 4];
            if product::multiply::<N>(product, &warp, &mut found) {
                computed += 1;
                assert_eq!(found, expected, "{a:?}, {b:?}, {half}, {N}, {round}");
            }
            // What the quick way of AVX-512 has to compute, and what not.
            let quick = match round % 8 {
                _ if half => None,
                0 => Some(a.bits() > 8),
                5 => Some(a.bits() > 8 && (product.depth < 16 || product.group.is_some())),
                6 if a.bits() == 16 => Some(true),
                _ => None,
            };
            let computed = product::multiplied_wide::<N>(product, &warp);
            if let (Some(quick), Some(computed)) = (quick, computed) {
                assert_eq!(computed, quick, "{product:?}, {round}");
            }
        }
        assert!(computed > 10, "{a:?}, {b:?}, {computed}");
    }

    /// Calls `$f` in each width that this machine has.
    macro_rules! in_each_width {
        ($f:ident($($arg:expr),*)) => {{
            $f::<4>($($arg),*);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2")
                && std::arch::is_x86_feature_detected!("f16c")
                && std::arch::is_x86_feature_detected!("fma")
            {
                $f::<8>($($arg),*);
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512dq")
                && std::arch::is_x86_feature_detected!("avx512bw")
                && std::arch::is_x86_feature_detected!("avx512vl")
            {
                $f::<16>($($arg),*);
            }
        }};
    }

    /// A product of registers 0 to 9, the last of which are the sums.
    fn product(rows: usize, depth: usize, elements: Elements) -> Product {
        let registers = rows / 8 * depth / (4 * elements.per_register());
        let columns = depth / (4 * elements.per_register());
        let sums = rows / 4 / elements.sums_per_register();
        let c = (6..6 + sums as u16).collect::<Vec<_>>();
        Product {
            rows,
            depth,
            elements,
            d: c.clone(),
            a: (0..registers as u16).collect(),
            b: (4..4 + columns as u16).collect(),
            c,
            group: None,
        }
    }

    #[test]
    fn finite_products_are_those_of_the_plain_way() {
        for (a, b, half, depth) in [
            (Factor::F16, Factor::F16, false, 16),
            (Factor::F16, Factor::F16, true, 16),
            (Factor::F16, Factor::F16, true, 8),
            (Factor::Bf16, Factor::Bf16, false, 16),
            (Factor::Bf16, Factor::Bf16, false, 8),
            (Factor::Tf32, Factor::Tf32, false, 8),
            (Factor::Tf32, Factor::Tf32, false, 4),
            (Factor::E4m3, Factor::E4m3, false, 32),
            (Factor::E4m3, Factor::E5m2, false, 32),
            (Factor::E5m2, Factor::E5m2, false, 32),
        ] {
            let mut product = product(16, depth, Elements::Float { a, b, half });
            in_each_width!(compare(&product));
            product.group = Some(Group { keeps: 0, negative: true });
            in_each_width!(compare(&product));
        }
    }

    /// Element by element, in 64 bits.
    fn plain_integers(product: &Product, warp: &Warp) -> [[u32; 32]; 4] {
        let element = |slot: u16, lane: usize, part: usize, signed: bool| {
            let bits = 32 / product.elements.per_register() as u32;
            let up = warp.regs32[usize::from(slot)][lane] << (32 - bits * (part as u32 + 1));
            let down = 32 - bits;
            i64::from(if signed { up.cast_signed() >> down } else { (up >> down).cast_signed() })
        };
        let (signs, clamps, xor) = match product.elements {
            Elements::Integer { a_signed, b_signed, saturate, .. } => {
                ([a_signed, b_signed], saturate, false)
            }
            Elements::Bits { xor } => ([false; 2], false, xor),
            _ => unreachable!(),
        };
        let (mut a, mut b) = (vec![[0; 256]; 16], vec![[0; 256]; 8]);
        each_a(product, |[lane, register, part], [row, depth]| {
            a[row][depth] = element(product.a[register], lane, part, signs[0]);
        });
        each_b(product, |[lane, register, part], [column, depth]| {
            b[column][depth] = element(product.b[register], lane, part, signs[1]);
        });
        let mut results = [[0; 32]; 4];
        for (index, &c) in product.c.iter().enumerate() {
            for lane in 0..32 {
                let (row, column) = place(lane, index, 1);
                let terms = a[row].iter().zip(&b[column]).take(product.depth);
                let sum: i64 = terms.map(|(a, b)| if xor { a ^ b } else { a * b }).sum();
                let exact = i64::from(kept(product, warp, c, lane).cast_signed()) + sum;
                let most = i64::from(i32::MAX);
                results[index][lane] =
                    if clamps { exact.clamp(-most - 1, most) as u32 } else { exact as u32 };
            }
        }
        results
    }

    fn compare_integers<const N: usize>(product: &Product) {
        for kind in [1, 3, 4, 4, 4] {
            let mut warp = Warp::new(10, 0, 1);
            warp.preds[0] = 0x0f0f_ff31;
            fill(&mut warp, 3, kind);
            // Sums close to the ends.
            warp.regs32[6] = [0x7fff_fff0; 32];
            warp.regs32[7] = [0x8000_0008; 32];
            let expected = plain_integers(product, &warp);
            assert_eq!(integers::multiply::<N>(product, &warp), expected, "{product:?}, {N}");
        }
    }

    #[test]
    fn products_of_integers_are_those_of_the_plain_way() {
        let mut shapes = vec![];
        for bits in [8, 4] {
            for signs in 0..8 {
                let [a_signed, b_signed, saturate] = [1, 2, 4].map(|bit| signs & bit != 0);
                let elements = Elements::Integer { bits, a_signed, b_signed, saturate };
                let least = 128 / bits as usize;
                shapes.extend([(8, least), (16, least), (16, 2 * least)].map(|of| (of, elements)));
            }
        }
        for xor in [false, true] {
            let shapes_of_bits = [(8, 128), (16, 128), (16, 256)];
            shapes.extend(shapes_of_bits.map(|of| (of, Elements::Bits { xor })));
        }
        for ((rows, depth), elements) in shapes {
            let mut product = product(rows, depth, elements);
            in_each_width!(compare_integers(&product));
            product.group = Some(Group { keeps: 0, negative: false });
            in_each_width!(compare_integers(&product));
        }
    }

    fn compare_doubles<const N: usize>(product: &Product, nan: bool) {
        let mut warp = Warp::new(10, 24, 1);
        let mut state = 5_u64;
        for (slot, lane) in (0..16).flat_map(|slot| (0..32).map(move |lane| (slot, lane))) {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let near_one = state >> 12 | 0x3fe << 52 | state << 63;
            warp.regs64[slot][lane] =
                if nan && lane == 9 { 0x7ff8_0000_0000_1234 } else { near_one };
        }
        let (mut a, mut b) = (vec![[0.0; 16]; 16], vec![[0.0; 16]; 8]);
        let of = |slot: u16, lane: usize| f64::from_bits(warp.regs64[usize::from(slot)][lane]);
        each_a(product, |[lane, register, _], [row, depth]| {
            a[row][depth] = of(product.a[register], lane);
        });
        each_b(product, |[lane, register, _], [column, depth]| {
            b[column][depth] = of(product.b[register], lane);
        });
        let expected = std::array::from_fn::<_, 4, _>(|index| {
            std::array::from_fn::<_, 32, _>(|lane| {
                let Some(&c) = product.c.get(index) else { return 0 };
                let (row, column) = place(lane, index, 1);
                let terms = a[row].iter().zip(&b[column]).take(product.depth);
                matrix::doubles(of(c, lane), terms.map(|(&a, &b)| (a, b)))
            })
        });
        doubles::<N>(product, &mut warp, u32::MAX);
        for (&d, expected) in product.d.iter().zip(&expected) {
            assert_eq!(warp.regs64[usize::from(d)], *expected, "{product:?}, {N}, {nan}");
        }
    }

    #[test]
    fn products_of_doubles_are_fused_one_after_the_other() {
        for (rows, depth) in [(8, 4), (16, 4), (16, 8), (16, 16)] {
            let a = rows / 8 * depth / 4;
            let registers = |from, count| (from as u16..(from + count) as u16).collect::<Vec<_>>();
            let product = Product {
                rows,
                depth,
                elements: Elements::Double,
                d: registers(12, rows / 4),
                a: registers(0, a),
                b: registers(8, depth / 4),
                c: registers(12, rows / 4),
                group: None,
            };
            in_each_width!(compare_doubles(&product, false));
            in_each_width!(compare_doubles(&product, true));
        }
    }
}
