//! Images and signals.

use warpscope::work::{Element, HostBuffer};

use super::setup::{bytes, floats, module};
use super::{Check, Half, Kernel, Setup};

module!("image");

const F32: Element = Element::F32;
const U8: Element = Element::U8;

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "convolve_5x5",
        class: "image filter",
        half: Half::Report,
        sizes: [100, 1000, 2000],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: square,
    },
    Kernel {
        name: "bilateral",
        class: "image filter",
        half: Half::Fit,
        sizes: [64, 400, 1000],
        blocks: &[[16, 16, 1]],
        make: |s, n| {
            s.input(floats(n * n, 0.0, 1.0, 1));
            s.output(F32, n * n, Check::Sum);
            s.int(n);
            s.int(n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "sobel",
        class: "image filter",
        half: Half::Report,
        sizes: [120, 1500, 4000],
        blocks: &[[16, 16, 1]],
        make: |s, n| {
            s.input(bytes(n * n, 1));
            s.output(U8, n * n, Check::Bits);
            s.int(n);
            s.int(n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "image_histogram",
        class: "histogram",
        half: Half::Fit,
        sizes: [30_000, 3_000_000, 16_000_000],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            s.input(bytes(n, 1));
            s.output(Element::U32, 256, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(528));
        },
    },
    Kernel {
        name: "equalise",
        class: "table in shared memory",
        half: Half::Report,
        sizes: [8_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(bytes(4 * n, 1));
            s.input(HostBuffer::U8((0..=255).rev().collect()));
            s.output(U8, 4 * n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "resize_bilinear",
        class: "interpolation",
        half: Half::Report,
        sizes: [128, 1200, 3500],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: |s, n| {
            let from = 2 * n / 3;
            s.input(floats(from * from, 0.0, 1.0, 1));
            s.output(F32, n * n, Check::Bits);
            s.int(from);
            s.int(n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "rgb_to_grey",
        class: "stride",
        half: Half::Fit,
        sizes: [20_000, 3_000_000, 12_000_000],
        blocks: &[[256, 1, 1], [1024, 1, 1]],
        make: |s, n| {
            s.input(bytes(3 * n, 1));
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "fft_1024",
        class: "transform in shared memory",
        half: Half::Report,
        sizes: [16, 1_000, 6_000],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            s.input(floats(2048 * n, -1.0, 1.0, 1));
            s.output(F32, 2048 * n, Check::Sum);
            s.blocks(n);
        },
    },
    Kernel {
        name: "walsh_hadamard",
        class: "transform in shared memory",
        half: Half::Fit,
        sizes: [1 << 13, 1 << 20, 1 << 23],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.threads(n);
            s.shared(4 * s.block[0]);
        },
    },
    Kernel {
        name: "fir_filter",
        class: "signal",
        half: Half::Fit,
        sizes: [10_000, 500_000, 4_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.input(floats(32, -1.0, 1.0, 2));
            s.output(F32, n, Check::Bits);
            s.int(32);
            s.each(n);
        },
    },
    Kernel {
        name: "wave_step",
        class: "stencil",
        half: Half::Report,
        sizes: [100, 1200, 3200],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(n * n, -1.0, 1.0, 1));
            s.input(floats(n * n, -1.0, 1.0, 2));
            s.output(F32, n * n, Check::Bits);
            s.int(n);
            s.int(n);
            s.threads(n * n);
        },
    },
];

/// A square image, filtered exactly.
fn square(s: &mut Setup, n: u32) {
    s.input(floats(n * n, 0.0, 1.0, 1));
    s.output(F32, n * n, Check::Bits);
    s.int(n);
    s.int(n);
    s.plane(n, n);
}
