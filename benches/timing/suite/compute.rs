//! Arithmetic: fractals, integers, bits, random numbers, mixed precision, local arrays.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::setup::{below, bytes, floats, module, u32s, words};
use super::{Check, Half, Kernel};

module!("compute");

const F32: Element = Element::F32;
const I32: Element = Element::I32;
const U32: Element = Element::U32;

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "mandelbrot",
        class: "fractal",
        half: Half::Report,
        sizes: [64, 300, 1000],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: |s, n| {
            s.output(I32, n * n, Check::Bits);
            s.int(n);
            s.int(n);
            s.int(256);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "collatz",
        class: "divergent loop",
        half: Half::Fit,
        sizes: [5_000, 200_000, 1_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.output(I32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "digit_sums",
        class: "integer division",
        half: Half::Fit,
        sizes: [10_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(u32s(n, 1));
            s.output(U32, n, Check::Bits);
            s.int(10);
            s.each(n);
        },
    },
    Kernel {
        name: "gcd_pairs",
        class: "integer division",
        half: Half::Report,
        sizes: [10_000, 500_000, 3_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(u32s(n, 1));
            s.input(u32s(n, 2));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "waves",
        class: "special functions",
        half: Half::Fit,
        sizes: [10_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(n, -10.0, 10.0, 1));
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    },
    Kernel {
        name: "black_scholes",
        class: "special functions",
        half: Half::Report,
        sizes: [10_000, 800_000, 5_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(n, 5.0, 30.0, 1));
            s.input(floats(n, 1.0, 100.0, 2));
            s.input(floats(n, 0.25, 10.0, 3));
            s.output(F32, n, Check::Sum);
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    },
    Kernel {
        name: "hamming",
        class: "bits",
        half: Half::Fit,
        sizes: [5_000, 200_000, 1_500_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(u32s(16 * n, 1));
            s.input(u32s(16, 2));
            s.output(I32, n, Check::Bits);
            s.int(8);
            s.each(n);
        },
    },
    Kernel {
        name: "morton_codes",
        class: "bits",
        half: Half::Report,
        sizes: [10_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            for stream in 1..=3 {
                s.input(floats(n, 0.0, 1.0, stream));
            }
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "bit_reverse",
        class: "gather and scatter",
        half: Half::Fit,
        sizes: [1 << 12, 1 << 20, 1 << 24],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.int(n.ilog2());
            s.threads(n);
        },
    },
    Kernel {
        name: "crc32",
        class: "bits",
        half: Half::Report,
        sizes: [1_000, 100_000, 1_000_000],
        blocks: &[[256, 1, 1], [64, 1, 1]],
        make: |s, n| {
            s.input(bytes(64 * n, 1));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "xorshift_fill",
        class: "random numbers",
        half: Half::Fit,
        sizes: [2_000, 100_000, 1_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.changed(HostBuffer::U32(words(n, 1).map(|word| word | 1).collect()), Check::Bits);
            s.output(U32, 16 * n, Check::Bits);
            s.int(16);
            s.each(n);
        },
    },
    Kernel {
        name: "philox_normal",
        class: "random numbers",
        half: Half::Report,
        sizes: [10_000, 1_000_000, 6_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.output(F32, 2 * n, Check::Sum);
            s.int(42);
            s.each(n);
        },
    },
    Kernel {
        name: "monte_carlo_pi",
        class: "Monte Carlo",
        half: Half::Fit,
        sizes: [1 << 12, 1 << 16, 1 << 19],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.output(U32, 1, Check::Bits);
            s.int(100);
            s.threads(n);
        },
    },
    Kernel {
        name: "option_paths",
        class: "Monte Carlo",
        half: Half::Report,
        sizes: [2_000, 50_000, 300_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.output(F32, n, Check::Sum);
            s.int(64);
            s.each(n);
        },
    },
    Kernel {
        name: "half2_axpy",
        class: "mixed precision",
        half: Half::Fit,
        sizes: [10_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            // Halves from 0.5 to 1, two in a word.
            let halves = |stream| {
                HostBuffer::U32(
                    words(n, stream).map(|word| word & 0x03ff_03ff | 0x3800_3800).collect(),
                )
            };
            s.input(halves(1));
            s.changed(halves(2), Check::Bits);
            s.int(0x3a00_3a00);
            s.each(n);
        },
    },
    Kernel {
        name: "half_to_float",
        class: "mixed precision",
        half: Half::Report,
        sizes: [20_000, 3_000_000, 14_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            let half = |word: u32| (word & 0x3ff | 0x3800) as u16;
            s.input(HostBuffer::U16(words(n, 1).map(half).collect()));
            s.output(F32, n, Check::Bits);
            s.float(1.5);
            s.each(n);
        },
    },
    Kernel {
        name: "dot_int8",
        class: "8-bit dot product",
        half: Half::Report,
        sizes: [4_000, 200_000, 1_500_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(u32s(16 * n, 1));
            s.input(u32s(16, 2));
            s.output(I32, n, Check::Bits);
            s.int(16);
            s.each(n);
        },
    },
    Kernel {
        name: "kmeans_assign",
        class: "clustering",
        half: Half::Fit,
        sizes: [5_000, 500_000, 4_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(2 * n, 0.0, 1.0, 1));
            s.input(floats(64, 0.0, 1.0, 2));
            s.output(I32, n, Check::Bits);
            s.int(32);
            s.each(n);
        },
    },
    Kernel {
        name: "sha_rounds",
        class: "integer rounds",
        half: Half::Report,
        sizes: [4_000, 200_000, 800_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(u32s(16 * n, 1));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "local_histogram",
        class: "local arrays",
        half: Half::Fit,
        sizes: [2_000, 100_000, 500_000],
        blocks: &[[256, 1, 1], [64, 1, 1]],
        make: |s, n| {
            s.input(bytes(64 * n, 1));
            s.output(I32, n, Check::Bits);
            s.int(64);
            s.each(n);
        },
    },
    Kernel {
        name: "heap_sort_local",
        class: "local arrays",
        half: Half::Report,
        sizes: [500, 10_000, 100_000],
        blocks: &[[128, 1, 1]],
        make: |s, n| {
            s.input(u32s(64 * n, 1));
            s.output(U32, 64 * n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "median_7x7",
        class: "local arrays",
        half: Half::Fit,
        sizes: [64, 256, 500],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: |s, n| {
            s.input(bytes(n * n, 1));
            s.output(Element::U8, n * n, Check::Bits);
            s.int(n);
            s.int(n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "solve_local",
        class: "local arrays",
        half: Half::Report,
        sizes: [1_000, 30_000, 200_000],
        blocks: &[[128, 1, 1], [64, 1, 1]],
        make: |s, n| {
            s.input(floats(72 * n, -1.0, 1.0, 1));
            s.output(F32, 8 * n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "lookup_palette",
        class: "gather and scatter",
        half: Half::Report,
        sizes: [10_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(below(n, 4096, 1));
            s.input(floats(4096, 0.0, 1.0, 2));
            s.output(F32, n, Check::Bits);
            s.each(n);
        },
    },
];
