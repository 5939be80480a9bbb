//! Special functions, random numbers, simulations and puzzles.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{fraction, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_9/formulas");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// From 0 to 1.
fn share(word: u32) -> f64 {
    f64::from(word) / 4_294_967_296.0
}

/// The tables of a ziggurat with 128 layers: what is accepted at once, how wide a layer is per
/// step of the random number, and how high the curve is there.
fn ziggurat() -> (Vec<u32>, Vec<f32>, Vec<f32>) {
    const STEPS: f64 = 2_147_483_648.0;
    const AREA: f64 = 9.912_563_035_262_17e-3;
    let height = |x: f64| (-0.5 * x * x).exp();
    let mut edge = 3.442_619_855_899_f64;
    let base = AREA / height(edge);
    let mut limits = vec![0; 128];
    let mut widths = vec![0.0; 128];
    let mut heights = vec![1.0; 128];
    limits[0] = (edge / base * STEPS) as u32;
    widths[0] = (base / STEPS) as f32;
    widths[127] = (edge / STEPS) as f32;
    heights[127] = height(edge) as f32;
    for layer in (1..127).rev() {
        let next = (-2.0 * (AREA / edge + height(edge)).ln()).sqrt();
        limits[layer + 1] = (next / edge * STEPS) as u32;
        widths[layer] = (next / STEPS) as f32;
        heights[layer] = height(next) as f32;
        edge = next;
    }
    (limits, widths, heights)
}

/// A cell of a sudoku that has one solution or more: a grid that is known to be right, with
/// digits and neighbouring rows swapped, and a third of the cells empty.
fn clue(puzzle: u32, cell: u32, word: u32) -> u8 {
    if fraction(word, 81) < 27 {
        return 0;
    }
    let hash = (puzzle + 1).wrapping_mul(0x9e37_79b9);
    let (row, column) = (cell / 9, cell % 9);
    let row = row / 3 * 3 + (row + (hash >> (4 * (row / 3))) % 3) % 3;
    let digit = (row * 3 + row / 3 + column) % 9;
    // Multiplying by 1, 2, 4, 5, 7 or 8 and adding permutes the residues of 9.
    let factor = [1, 2, 4, 5, 7, 8][((hash >> 20) % 6) as usize];
    1 + ((digit * factor + (hash >> 24)) % 9) as u8
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "lambert_w",
        "special functions",
        [3_000, 60_000, 1_200_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            // From about 0.007 to 20 000.
            let x = |word: u32| (15.0 * share(word) - 5.0).exp();
            s.input(HostBuffer::F64(words(n, 1).map(x).collect()));
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "vincenty_distances",
        "f64 numerics",
        [1_500, 25_000, 400_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            // Places up to 60 degrees north or south, and up to 80 degrees of longitude apart.
            let angle = |(at, word): (usize, u32)| {
                if at % 2 == 0 { 2.1 * share(word) - 1.05 } else { 1.4 * share(word) }
            };
            s.input(HostBuffer::F64(words(4 * n, 1).enumerate().map(angle).collect()));
            s.output(F64, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "voigt_lines",
        "spectra",
        [2_000, 20_000, 160_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            // Fifty frequencies for each line.
            let line = |(at, word): (usize, u32)| {
                let half = |shift: u32| f64::from(word >> shift & 0x3ff) / 1_024.0;
                let place = at as f64 - 12.0 + half(0);
                [place, half(10).powi(3), 0.3 + 0.35 * half(20), 0.0].map(|number| number as f32)
            };
            let lines = words(n / 50 + 30, 1).enumerate().flat_map_iter(line);
            s.input(HostBuffer::F32(lines.collect()));
            s.output(F32, n, Check::Sum);
            s.float(0.02);
            s.float(3.0);
            s.each(n);
        },
    ),
    kernel(
        "queue_waits",
        "Monte Carlo",
        [2_000, 25_000, 160_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.output(F32, n, Check::Sum);
            s.output(F32, n, Check::Sum);
            s.float(0.8);
            s.int(0x0bad_5eed);
            s.each(n);
        },
    ),
    kernel(
        "gillespie_reactions",
        "Monte Carlo",
        [1_500, 16_000, 90_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let many = |word: u32| 10 + fraction(word, 40) as u8;
            s.input(HostBuffer::U8(words(n, 1).map(many).collect()));
            s.output(U32, n, Check::Sum);
            s.float(0.01);
            s.float(0.1);
            s.float(0.1);
            s.float(5.0);
            s.int(2_718);
            s.each(n);
        },
    ),
    kernel(
        "ziggurat_normals",
        "random numbers",
        [3_000, 60_000, 750_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let (limits, widths, heights) = ziggurat();
            s.input(HostBuffer::U32(limits));
            s.input(HostBuffer::F32(widths));
            s.input(HostBuffer::F32(heights));
            s.output(F32, 16 * n, Check::Sum);
            s.int(31_415);
            s.each(n);
        },
    ),
    kernel(
        "combined_generators",
        "random numbers",
        [3_000, 40_000, 400_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            // Below both primes.
            let state = |word: u32| fraction(word, 4_294_944_443);
            s.input(HostBuffer::U32(words(6 * n, 1).map(state).collect()));
            s.output(F32, 24 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "sudoku_search",
        "backtracking",
        [400, 6_000, 45_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let cell = |(at, word): (usize, u32)| clue(at as u32 % n, at as u32 / n, word);
            s.input(HostBuffer::U8(words(81 * n, 1).enumerate().map(cell).collect()));
            s.output(U8, 81 * n, Check::Bits);
            s.each(n);
        },
    ),
];
