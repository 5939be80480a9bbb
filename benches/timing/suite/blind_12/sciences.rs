//! Gravity, gases, genomes, families of species, orbits, clouds, eigenvalues, special functions,
//! divisors and ancestors.

use std::f64::consts::TAU;

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{doubles, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_12/sciences");

const F32: Element = Element::F32;
const F64: Element = Element::F64;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// Another word from a word.
fn again(word: u32) -> u32 {
    (word ^ word >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_add(0x9e37_79b9)
}

/// From 0 to 1.
fn share(word: u32) -> f64 {
    f64::from(word) / 4_294_967_296.0
}

/// A body of many, which follow a line that fills a cube and are denser in one of its corners.
fn body(at: usize, word: u32, n: u32) -> [f32; 4] {
    let code = ((at as u64) << 24) / u64::from(n);
    let place = |axis: u32| {
        let cell: u64 = (0..8).map(|bit| (code >> (3 * bit + axis) & 1) << bit).sum();
        let inside = (word >> (8 * axis) & 255) as f32 / 256.0;
        ((cell as f32 + inside) / 256.0).powf(1.5)
    };
    [place(0), place(1), place(2), 0.5 + (word >> 24) as f32 / 256.0]
}

/// A tree over bodies in the order of a walk: centres with masses, sizes and links.
#[derive(Default)]
struct Tree {
    centres: Vec<f32>,
    sizes: Vec<f32>,
    links: Vec<i32>,
}

impl Tree {
    /// Adds a node for some bodies, and all nodes below it.
    fn add(&mut self, bodies: &[[f32; 4]], first: usize, many: usize) {
        let own = &bodies[first..first + many];
        let mass: f32 = own.iter().map(|body| body[3]).sum();
        let centre = |axis: usize| own.iter().map(|body| body[axis] * body[3]).sum::<f32>() / mass;
        let side = |axis: usize| {
            let places = own.iter().map(|body| body[axis]);
            places.clone().fold(0.0, f32::max) - places.fold(1.0, f32::min)
        };
        let side = side(0).max(side(1)).max(side(2));
        let node = self.sizes.len();
        let leaf = many <= 8;
        self.centres.extend([centre(0), centre(1), centre(2), mass]);
        self.sizes.push(3.0 * side * side);
        self.links.extend([0, first as i32, if leaf { many as i32 } else { 0 }]);
        for part in 0..if leaf { 0 } else { 8 } {
            let (from, to) = (many * part / 8, many * (part + 1) / 8);
            self.add(bodies, first + from, to - from);
        }
        self.links[3 * node] = self.sizes.len() as i32;
    }
}

/// How particles in a cell leave after they met: two or three that meet head on turn.
fn collide(at: u8) -> u8 {
    let (state, turn) = (at & 63, at >> 6);
    match state {
        0b01_0101 | 0b10_1010 => state ^ 63,
        0b00_1001 | 0b01_0010 | 0b10_0100 => {
            let turned = if turn == 0 { state << 1 } else { state << 2 };
            turned & 63 | turned >> 6 | (if turn == 0 { state >> 5 } else { state >> 4 })
        }
        _ => state,
    }
}

/// How letters change along a branch of a family tree.
fn branch(word: u32) -> [f32; 16] {
    let kept = (0.4 + 0.5 * share(word)) as f32;
    std::array::from_fn(|k| if k % 5 == 0 { 0.25 + 0.75 * kept } else { 0.25 - 0.25 * kept })
}

/// Place and speed of an asteroid on a circle around the sun, seen from a turning room.
fn asteroid(word: u32) -> [f64; 4] {
    let (sine, cosine) = (TAU * share(again(word))).sin_cos();
    let radius = 0.3 + 0.4 * share(word);
    let speed = (1.0 / radius).sqrt() - radius;
    [radius * cosine - 0.01, radius * sine, -speed * sine, speed * cosine]
}

/// Layers of air, 40 of each column: a number from the height (0 on top, 1 below) and a share.
fn layers(n: u32, stream: u64, number: impl Fn(f32, f32) -> f32 + Sync + Send) -> HostBuffer {
    let each = |(at, word): (usize, u32)| number((at as u32 / n) as f32 / 40.0, share(word) as f32);
    HostBuffer::F32(words(40 * n, stream).enumerate().map(each).collect())
}

/// A number of the main diagonal, and the square of one beside it.
fn diagonals(at: usize, word: u32) -> [f64; 2] {
    [2.0 * share(word) - 1.0, if at.is_multiple_of(200) { 0.0 } else { share(again(word)) }]
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "tree_gravity",
        "n bodies",
        [1_000, 20_000, 250_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let bodies = words(n, 1).enumerate().map(|(at, word)| body(at, word, n));
            let bodies: Vec<[f32; 4]> = bodies.collect();
            let mut tree = Tree::default();
            tree.add(&bodies, 0, bodies.len());
            let nodes = tree.sizes.len() as u32;
            s.input(HostBuffer::F32(bodies.concat()));
            s.input(HostBuffer::F32(tree.centres));
            s.input(HostBuffer::F32(tree.sizes));
            s.input(HostBuffer::I32(tree.links));
            s.output(F32, 3 * n, Check::Sum);
            s.int(nodes);
            s.each(n);
        },
    ),
    kernel(
        "lattice_gas",
        "cellular automata",
        [150, 1_500, 9_000],
        &[[32, 8, 1], [48, 4, 1]],
        |s, n| {
            let cell = |word: u32| (word >> 26 & word >> 20 & 63) as u8;
            s.input(HostBuffer::U8(words(n * n, 1).map(cell).collect()));
            s.input(HostBuffer::U8((0..128).map(collide).collect()));
            s.output(U8, n * n, Check::Bits);
            s.int(0x1234_5678);
            s.int(n);
            s.plane(n, n);
        },
    ),
    kernel(
        "minimiser_windows",
        "strings",
        [8_000, 800_000, 20_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n + 29, 1).map(|word| (word >> 30) as u8).collect()));
            s.output(U32, n, Check::Bits);
            s.output(U8, n, Check::Bits);
            s.shared(4 * (s.block[0] + 15));
            s.each(n);
        },
    ),
    kernel(
        "site_likelihoods",
        "local arrays",
        [1_000, 60_000, 3_000_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(12 * n, 1).map(|word| (word >> 30) as u8).collect()));
            s.input(HostBuffer::F32(words(22, 2).flat_map_iter(branch).collect()));
            s.input(HostBuffer::I32((0..22).collect()));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "three_body_adaptive",
        "divergent loops",
        [200, 6_000, 80_000],
        &[[64, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::F64(words(n, 1).flat_map_iter(asteroid).collect()));
            s.output(F64, 4 * n, Check::Sum);
            s.output(U32, n, Check::Sum);
            s.float(0.01);
            s.float(3.0);
            s.each(n);
        },
    ),
    kernel(
        "cloud_columns",
        "columns",
        [300, 12_000, 250_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let vapour = |height: f32, share: f32| 0.0001 + 0.016 * height * height * share;
            s.changed(
                layers(n, 1, |height, share| 220.0 + 68.0 * height + 4.0 * share),
                Check::Sum,
            );
            s.changed(layers(n, 2, vapour), Check::Sum);
            s.changed(layers(n, 3, |_, share| 0.001 * share), Check::Sum);
            s.changed(layers(n, 4, |_, share| 0.0004 * share), Check::Sum);
            s.input(layers(n, 5, |height, share| 20_000.0 + 80_000.0 * height + 100.0 * share));
            s.input(layers(n, 6, |_, share| 190.0 + 20.0 * share));
            s.output(F32, n, Check::Sum);
            s.float(10.0);
            s.int(40);
            s.each(n);
        },
    ),
    kernel("sturm_bisect", "double precision", [2, 12, 150], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        let entries = words(200 * n, 1).enumerate();
        let entries = entries.flat_map_iter(|(at, word)| diagonals(at, word));
        s.input(HostBuffer::F64(entries.collect()));
        s.output(F64, 200 * n, Check::Sum);
        s.float(3.5);
        s.int(200);
        s.each(200 * n);
    }),
    kernel(
        "spherical_bessel",
        "special functions",
        [500, 30_000, 2_000_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.output(F64, 16 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "group_gcds",
        "CAS loops",
        [5_000, 300_000, 6_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let groups: Vec<u32> = words(n, 1).map(|word| fraction(word, n / 50)).collect();
            let number = |(&group, word): (&u32, u32)| {
                u64::from(1 + fraction(again(group), 5_000)) * (u64::from(word) + 1)
            };
            let numbers = groups.par_iter().zip(words(n, 2)).map(number).collect();
            s.input(HostBuffer::U32(groups));
            s.input(HostBuffer::U64(numbers));
            s.output(Element::U64, n / 50, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "coalescent_times",
        "random numbers",
        [1_000, 60_000, 2_000_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(F32, n, Check::Sum);
            s.output(F32, n, Check::Sum);
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
];
