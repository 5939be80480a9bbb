//! Terrain, volumes, genes, integrals and tracks.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{floats, fraction, module, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_3/walks");

const F32: Element = Element::F32;
const I32: Element = Element::I32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("sight_lines", "maps", [90, 600, 1_600], &[[16, 16, 1], [64, 2, 1]], |s, n| {
        let hill = |(at, word): (usize, u32)| {
            let (x, y) = ((at as u32 % n) as i32, (at as u32 / n) as i32);
            let slopes = (3 * x % 400 - 200).abs() + ((5 * y + x) % 600 - 300).abs();
            (slopes + fraction(word, 20) as i32) as i16
        };
        s.input(HostBuffer::I16(words(n * n, 1).enumerate().map(hill).collect()));
        s.output(Element::U8, n * n, Check::Bits);
        s.int(n);
        s.int(n / 3);
        s.int(n / 2);
        s.plane(n, n);
    }),
    kernel("cube_cases", "volumes", [24, 150, 460], &[[8, 8, 4], [32, 4, 1]], |s, n| {
        let crossed = |case: u8| {
            let edges = (0..8).flat_map(|a| [1, 2, 4].map(|way| (a, a | way)));
            edges.filter(|&(a, b)| a != b && case >> a & 1 != case >> b & 1).count() as u8
        };
        s.input(floats(n * n * n, 0.0, 1.0, 1));
        s.input(HostBuffer::U8((0..=255).map(crossed).collect()));
        s.output(Element::U8, n * n * n, Check::Bits);
        s.output(I32, 1, Check::Bits);
        s.float(0.7);
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel(
        "codons",
        "bioinformatics",
        [10_000, 3_000_000, 50_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            let bases = words(3 * n, 1).map(|word| b"TCAG"[word as usize >> 30]);
            s.input(HostBuffer::U8(bases.collect()));
            s.output(Element::U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("voxel_walk", "rays", [48, 400, 1_600], &[[16, 8, 1], [8, 8, 1]], |s, n| {
        let mut solid: Vec<u32> = words(1 << 16, 1).collect();
        for stream in 2..8 {
            solid.par_iter_mut().zip(words(1 << 16, stream)).for_each(|(bits, more)| *bits &= more);
        }
        s.input(HostBuffer::U32(solid));
        s.output(I32, n * n, Check::Bits);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "net_integral",
        "random numbers",
        [4_000, 800_000, 40_000_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            const EACH: u32 = 16;
            let direction = |(at, word): (usize, u32)| {
                let last = 1 << (31 - at % 32);
                word & !(last - 1) | last
            };
            s.input(HostBuffer::U32(words(256, 1).enumerate().map(direction).collect()));
            s.output(F32, 1, Check::Sum);
            s.int(EACH);
            s.int(n);
            s.threads(n.div_ceil(EACH));
        },
    ),
    kernel(
        "kalman_tracks",
        "small matrices",
        [300, 40_000, 800_000],
        &[[128, 1, 1], [64, 1, 1]],
        |s, n| {
            const STEPS: u32 = 30;
            s.input(floats(2 * STEPS * n, -1.0, 1.0, 1));
            s.input(floats(n, 0.0, 1.0, 2));
            s.output(F32, 2 * n, Check::Sum);
            s.int(STEPS);
            s.each(n);
        },
    ),
];
