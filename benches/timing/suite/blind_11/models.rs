//! Random numbers, games, loans, molecules, fields of physics, distances, series, folding and
//! tours.

use std::f32::consts::PI;

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_11/models");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U8: Element = Element::U8;

/// Another word from a word.
fn again(word: u32) -> u32 {
    (word ^ word >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_add(0x9e37_79b9)
}

/// From 0 to 1.
fn share(word: u32) -> f64 {
    f64::from(word) / 4_294_967_296.0
}

/// Two different cards.
fn hand(word: u32) -> [u8; 2] {
    let (first, other) = (fraction(word, 52), fraction(again(word), 51));
    [first as u8, (if other < first { other } else { other + 1 }) as u8]
}

/// A loan: yearly interest, months, and the shares of a year that pay back early and fail.
fn loan(word: u32) -> [f32; 4] {
    let part = |shift: u32| (word >> shift & 255) as f32 / 256.0;
    let months = [120.0, 180.0, 240.0, 360.0][word as usize & 3] - (60.0 * part(16)).floor();
    [0.02 + 0.06 * part(24), months, 0.02 + 0.3 * part(8), 0.001 + 0.02 * part(2)]
}

/// Atoms of a chain that winds, with some noise.
fn atom(at: usize, word: u32) -> [f32; 4] {
    let (angle, noise) = (at as f32 % 360.0 * 1.7, |shift: u32| (word >> shift & 255) as f32);
    let x = angle.cos() + noise(0) / 600.0;
    let y = angle.sin() + noise(8) / 600.0;
    [x, y, at as f32 % 1_000.0 * 0.6 + noise(16) / 600.0, 1.0]
}

/// Quaternions of length 1, close to 1.
fn link(word: u32) -> [f32; 4] {
    let [x, y, z] = [0, 10, 20].map(|shift| (word >> shift & 1_023) as f32 / 1_024.0 - 0.5);
    let part = 1.0 / (1.0 + x * x + y * y + z * z).sqrt();
    [part, x * part, y * part, z * part]
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "gamma_draws",
        "random numbers",
        [2_000, 60_000, 1_500_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(floats(n, 0.3, 9.0, 1));
            s.input(u32s(n, 2));
            s.output(F32, 8 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "poker_odds",
        "Monte Carlo",
        [1_000, 30_000, 500_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(hand).collect()));
            s.input(u32s(n, 2));
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "mortgage_values",
        "finance",
        [500, 20_000, 300_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            let balance = |word: u32| 50_000.0 + 400_000.0 * share(word);
            let factor = |month: i32| (-0.03 * f64::from(month + 1) / 12.0).exp();
            s.input(HostBuffer::F64(words(n, 1).map(balance).collect()));
            s.input(HostBuffer::F32(words(n, 2).flat_map_iter(loan).collect()));
            s.input(HostBuffer::F64((0..360).map(factor).collect()));
            s.output(F64, n, Check::Sum);
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "torsion_forces",
        "chemistry",
        [3_000, 100_000, 3_000_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let torsion = |(at, word): (usize, u32)| {
                let first = at as i32;
                let branch = (word >> 31) as i32;
                [first, first + 1, first + 2, first + 3 + branch]
            };
            let kinds = [[0.5, 1.0, 0.0, 0.0], [1.2, 2.0, PI, 0.0], [0.3, 3.0, 0.0, 0.0]];
            s.input(HostBuffer::F32(
                words(n + 4, 1).enumerate().flat_map_iter(|(at, word)| atom(at, word)).collect(),
            ));
            s.input(HostBuffer::I32(words(n, 2).enumerate().flat_map_iter(torsion).collect()));
            s.input(HostBuffer::F32(kinds.concat()));
            s.input(HostBuffer::U8(words(n, 3).map(|word| fraction(word, 3) as u8).collect()));
            s.output(F32, 3 * (n + 4), Check::Sum);
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("plaquette_sums", "physics", [8, 20, 44], &[[128, 1, 1], [192, 1, 1]], |s, n| {
        let sites = n * n * n * n;
        s.input(HostBuffer::F32(words(4 * sites, 1).flat_map_iter(link).collect()));
        s.output(F32, sites, Check::Sum);
        s.output(F64, 1, Check::Sum);
        s.int(n);
        s.threads(sites);
    }),
    kernel(
        "triangle_distances",
        "geometry",
        [2_000, 80_000, 2_000_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let cells = n / 8;
            let mut starts = vec![0];
            for word in words(cells, 3).collect::<Vec<_>>() {
                starts.push(starts.last().unwrap() + 1 + fraction(word, 12) as i32);
            }
            let triangles = *starts.last().unwrap() as u32;
            let corners = triangles / 2 + 3;
            let triangle = |(at, word): (usize, u32)| {
                let first = at as u32 / 2;
                [first, (first + 1 + (word & 1)) % corners, (first + 3 + (word >> 30)) % corners]
            };
            s.input(floats(4 * n, -1.0, 1.0, 1));
            s.input(below(n, cells, 2));
            s.input(HostBuffer::I32(starts));
            s.input(HostBuffer::U32(
                words(triangles, 4).enumerate().flat_map_iter(triangle).collect(),
            ));
            s.input(floats(4 * corners, -1.0, 1.0, 5));
            s.output(F32, n, Check::Sum);
            s.output(Element::I32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "riemann_siegel",
        "double precision",
        [300, 10_000, 100_000],
        &[[64, 1, 1], [96, 1, 1]],
        |s, n| {
            let height = |word: u32| 200.0 + 100_000.0 * share(word);
            s.input(HostBuffer::F64(words(n, 1).map(height).collect()));
            s.input(HostBuffer::F64((0..200).map(|k| f64::from(k.max(1)).ln()).collect()));
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "nussinov_folds",
        "dynamic programming",
        [40, 1_000, 12_000],
        &[[64, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(72 * n, 1).map(|word| (word >> 30) as u8).collect()));
            s.output(U8, n, Check::Bits);
            s.blocks(n);
        },
    ),
    kernel(
        "knights_tours",
        "local arrays",
        [1_000, 30_000, 500_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(U8, 64 * n, Check::Bits);
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
];
