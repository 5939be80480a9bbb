//! Arithmetic in loops: fractals, rays, hashes, primes, random numbers, transforms.

use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, doubles, floats, module, u32s};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind/rounds");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    kernel("queens", "backtracking", [8, 11, 12], &[[64, 1, 1], [128, 1, 1]], |s, n| {
        s.output(Element::I32, n * n * n, Check::Bits);
        s.int(n);
        s.threads(n * n * n);
    }),
    kernel("ray_spheres", "rays", [64, 400, 1_200], &[[16, 16, 1], [8, 8, 1]], |s, n| {
        const SPHERES: u32 = 32;
        let HostBuffer::F32(mut all) = floats(8 * SPHERES, 0.0, 1.0, 1) else { return };
        for sphere in all.chunks_exact_mut(8) {
            sphere[..3].iter_mut().for_each(|place| *place = *place * 6.0 - 3.0);
            sphere[3] = 0.3 + 0.6 * sphere[3];
        }
        s.input(HostBuffer::F32(all));
        s.int(SPHERES);
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("julia_doubles", "fractal", [64, 400, 1_200], &[[16, 16, 1], [32, 4, 1]], |s, n| {
        s.output(F32, n * n, Check::Sum);
        s.int(n);
        s.int(200);
        s.plane(n, n);
    }),
    kernel(
        "mine_hashes",
        "hashes",
        [10_000, 1_000_000, 10_000_000],
        &[[256, 1, 1], [1024, 1, 1]],
        |s, n| {
            s.output(Element::U32, 1, Check::Bits);
            s.int(0x1234_5678);
            s.each(n);
        },
    ),
    kernel(
        "miller_rabin",
        "integer division",
        [4_000, 80_000, 600_000],
        &[[128, 1, 1], [256, 1, 1]],
        |s, n| {
            s.output(Element::U8, n, Check::Bits);
            s.long(3_000_000_001);
            s.each(n);
        },
    ),
    kernel(
        "random_walks",
        "random numbers",
        [4_000, 100_000, 1_000_000],
        &[[128, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(F32, n, Check::Sum);
            s.int(200);
            s.each(n);
        },
    ),
    kernel(
        "fft_pass",
        "transform",
        [1 << 13, 1 << 20, 1 << 23],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            s.input(floats(2 * n, -1.0, 1.0, 1));
            s.output(F32, 2 * n, Check::Sum);
            s.int(n);
            s.int(64);
            s.threads(n / 2);
        },
    ),
    kernel("dct_tiles", "transform", [96, 1_000, 4_000], &[[8, 8, 1]], |s, n| {
        s.input(bytes(n * n, 1));
        s.output(Element::I16, n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("haar_rows", "transform", [30, 2_000, 16_000], &[[256, 1, 1], [512, 1, 1]], |s, n| {
        s.input(floats(1024 * n, -1.0, 1.0, 1));
        s.output(F32, 1024 * n, Check::Bits);
        s.blocks(n);
    }),
    kernel("tanimoto", "bits", [128, 1_000, 3_000], &[[16, 16, 1], [32, 4, 1]], |s, n| {
        // The same kind of words on both sides.
        s.input(u32s(32 * n, 1));
        s.input(u32s(32 * n, 2));
        s.output(F32, n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "kahan_sums",
        "double precision",
        [40_000, 2_000_000, 12_000_000],
        &[[256, 1, 1], [64, 1, 1]],
        |s, n| {
            let blocks = 264;
            s.input(doubles(n, 1));
            s.output(Element::F64, blocks * s.block[0], Check::Bits);
            s.int(n);
            s.blocks(blocks);
        },
    ),
    kernel("cloth_step", "bodies", [64, 500, 1_800], &[[16, 16, 1], [32, 4, 1]], |s, n| {
        s.input(floats(4 * n * n, 0.0, 1.0, 1));
        s.input(floats(4 * n * n, -0.1, 0.1, 2));
        s.output(F32, 4 * n * n, Check::Bits);
        s.output(F32, 4 * n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
];
