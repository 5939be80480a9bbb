//! Molecules, orbits, money, random numbers, special functions, genes.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, floats, fraction, ints, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_8/models");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// The direction numbers of Sobol's points in six dimensions: for each but the first the degree
/// and the coefficients of a polynomial, and the first numbers.
fn directions() -> Vec<u32> {
    const STARTS: [(usize, u32, &[u32]); 5] = [
        (1, 0, &[1]),
        (2, 1, &[1, 3]),
        (3, 1, &[1, 3, 1]),
        (3, 2, &[1, 1, 1]),
        (4, 1, &[1, 1, 3, 3]),
    ];
    let mut all: Vec<u32> = (0..32).map(|bit| 1 << (31 - bit)).collect();
    for (degree, polynomial, first) in STARTS {
        let mut own: Vec<u32> =
            first.iter().enumerate().map(|(bit, number)| number << (31 - bit)).collect();
        for bit in degree..32 {
            let mut number = own[bit - degree] ^ own[bit - degree] >> degree;
            for k in 1..degree {
                if polynomial >> (degree - 1 - k) & 1 == 1 {
                    number ^= own[bit - k];
                }
            }
            own.push(number);
        }
        all.extend(own);
    }
    all
}

/// For each kind the share of its column that is its own, and whose the rest is. Kinds are the
/// likelier the smaller their numbers are.
fn alias_table(kinds: u32) -> (Vec<f32>, Vec<u32>) {
    let weight = |kind: u32| 1.0 / f64::from(kind + 20);
    let sum: f64 = (0..kinds).map(weight).sum();
    let mut left: Vec<f64> = (0..kinds).map(|kind| weight(kind) * f64::from(kinds) / sum).collect();
    let (mut small, mut large): (Vec<u32>, Vec<u32>) =
        (0..kinds).partition(|&kind| left[kind as usize] < 1.0);
    let mut aliases: Vec<u32> = (0..kinds).collect();
    let mut shares = vec![1.0; kinds as usize];
    while let (Some(poor), Some(&rich)) = (small.pop(), large.last()) {
        shares[poor as usize] = left[poor as usize] as f32;
        aliases[poor as usize] = rich;
        left[rich as usize] -= 1.0 - left[poor as usize];
        if left[rich as usize] < 1.0 {
            large.pop();
            small.push(rich);
        }
    }
    (shares, aliases)
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "ewald_pairs",
        "molecules",
        [2_000, 30_000, 400_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const NEAR: u32 = 32;
            s.input(floats(4 * n, -1.0, 1.0, 1));
            // One of the next 300 atoms.
            let near =
                |(at, word): (usize, u32)| ((at as u32 % n + 1 + fraction(word, 300)) % n) as i32;
            s.input(HostBuffer::I32(words(NEAR * n, 2).enumerate().map(near).collect()));
            s.output(F32, 3 * n, Check::Sum);
            s.float(1.5);
            s.float(1.4);
            s.each(n);
        },
    ),
    kernel(
        "henon_heiles",
        "physics",
        [800, 10_000, 400_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            const STEPS: u32 = 150;
            let small = |word: u32| 0.4 * f64::from(word) / 4_294_967_296.0 - 0.2;
            s.changed(HostBuffer::F64(words(4 * n, 1).map(small).collect()), Check::Sum);
            s.output(U32, n, Check::Bits);
            s.long(0.05_f64.to_bits());
            s.int(STEPS);
            s.each(n);
        },
    ),
    kernel(
        "copula_losses",
        "finance",
        [2_000, 40_000, 1_200_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            const FIRMS: u32 = 64;
            s.input(floats(FIRMS, -2.4, -0.9, 1));
            s.output(U32, FIRMS + 1, Check::Bits);
            s.float(0.5);
            s.float(0.866);
            s.int(0x2468_ace1);
            s.each(n);
        },
    ),
    kernel(
        "sobol_points",
        "random numbers",
        [6_000, 200_000, 6_000_000],
        &[[256, 1, 1], [352, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U32(directions()));
            s.output(F32, 6 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "alias_draws",
        "Monte Carlo",
        [1_000, 20_000, 600_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            const KINDS: u32 = 1_000;
            let (shares, aliases) = alias_table(KINDS);
            s.input(HostBuffer::F32(shares));
            s.input(HostBuffer::U32(aliases));
            s.output(U32, KINDS, Check::Bits);
            s.int(4_711);
            s.each(n);
        },
    ),
    kernel(
        "poisson_draws",
        "random numbers",
        [4_000, 100_000, 5_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            // From half a call to 20 calls an hour.
            let limits: Vec<f32> =
                std::iter::successors(Some(0.606_530_7), |last| Some(last * 0.606_530_7))
                    .take(40)
                    .collect();
            let limit = |word: u32| limits[fraction(word, 40) as usize];
            s.input(HostBuffer::F32(words(n, 1).map(limit).collect()));
            s.output(U8, n, Check::Bits);
            s.int(0x0bad_cafe);
            s.each(n);
        },
    ),
    kernel(
        "agm_periods",
        "f64 numerics",
        [4_000, 60_000, 4_000_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let sine = |word: u32| f64::from(word) / 4_295_000_000.0;
            s.input(HostBuffer::F64(words(n, 1).map(sine).collect()));
            s.input(doubles(n, 2));
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "motif_scores",
        "genes",
        [3_000, 60_000, 1_500_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(u32s(n + 1, 1));
            s.input(ints(48, 100, 2));
            s.output(Element::I32, n, Check::Bits);
            s.output(U32, 1, Check::Bits);
            s.int(420);
            s.each(n);
        },
    ),
    kernel(
        "fitch_sites",
        "genes",
        [2_000, 40_000, 1_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            const SPECIES: u32 = 64;
            // Most species have the same letter at a place.
            let leaf = |(at, word): (usize, u32)| {
                let common = (at as u32 % n).wrapping_mul(0x9e37_79b9) >> 30;
                let own = if word.is_multiple_of(4) { word >> 30 } else { common };
                1_u8 << own
            };
            s.input(HostBuffer::U8(words(SPECIES * n, 1).enumerate().map(leaf).collect()));
            let mut roots: Vec<u8> = (0..SPECIES as u8).collect();
            let mut branches = Vec::new();
            for (k, word) in words(SPECIES - 1, 2).collect::<Vec<_>>().into_iter().enumerate() {
                let first = roots.swap_remove(fraction(word, roots.len() as u32) as usize);
                let turned = word.rotate_left(16);
                let second = fraction(turned, roots.len() as u32) as usize;
                branches.extend([first, roots[second]]);
                roots[second] = (SPECIES as usize + k) as u8;
            }
            s.input(HostBuffer::U8(branches));
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
];
