//! Dense linear algebra, bodies, rows and reductions.

use warpscope::work::Element;

use super::setup::{doubles, floats, ints, module};
use super::{Check, Half, Kernel, Setup};

module!("dense");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "matmul_naive",
        class: "matrix product",
        half: Half::Fit,
        sizes: [47, 301, 601],
        blocks: &[[16, 16, 1]],
        make: |s, n| {
            product(s, n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "matmul_tiled",
        class: "matrix product",
        half: Half::Report,
        sizes: [53, 315, 717],
        blocks: &[[16, 16, 1]],
        make: |s, n| {
            product(s, n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "gemv_thread",
        class: "matrix times vector",
        half: Half::Report,
        sizes: [200, 2000, 6000],
        blocks: &[[128, 1, 1], [32, 1, 1]],
        make: |s, n| {
            gemv(s, n);
            s.threads(n);
        },
    },
    Kernel {
        name: "gemv_warp",
        class: "matrix times vector",
        half: Half::Fit,
        sizes: [200, 2000, 6000],
        blocks: &[[128, 1, 1], [256, 1, 1]],
        make: |s, n| {
            gemv(s, n);
            s.threads(32 * n);
        },
    },
    Kernel {
        name: "nbody",
        class: "bodies",
        half: Half::Fit,
        sizes: [500, 3000, 8000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(4 * n, 0.0, 1.0, 1));
            s.output(F32, 4 * n, Check::Sum);
            s.each(n);
            s.shared(16 * s.block[0]);
        },
    },
    Kernel {
        name: "coulomb_grid",
        class: "bodies",
        half: Half::Report,
        sizes: [64, 256, 512],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: |s, n| {
            s.input(floats(4 * 256, 0.0, 32.0, 1));
            s.output(F32, n * n, Check::Sum);
            s.int(256);
            s.int(n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "layer_norm",
        class: "rows",
        half: Half::Report,
        sizes: [16, 4000, 20_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(768 * n, -1.0, 1.0, 1));
            s.output(F32, 768 * n, Check::Sum);
            s.int(768);
            s.blocks(n);
        },
    },
    Kernel {
        name: "softmax_rows",
        class: "rows",
        half: Half::Fit,
        sizes: [16, 2500, 15_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(1000 * n, -4.0, 4.0, 1));
            s.output(F32, 1000 * n, Check::Sum);
            s.int(1000);
            s.blocks(n);
        },
    },
    Kernel {
        name: "rms_norm_warp",
        class: "short rows",
        half: Half::Fit,
        sizes: [300, 25_000, 150_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(100 * n, -1.0, 1.0, 1));
            s.output(F32, 100 * n, Check::Sum);
            s.int(n);
            s.int(100);
            s.threads(32 * n);
        },
    },
    Kernel {
        name: "argmax_warp",
        class: "short rows",
        half: Half::Report,
        sizes: [500, 60_000, 500_000],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            s.input(floats(50 * n, -1.0, 1.0, 1));
            s.output(Element::I32, n, Check::Bits);
            s.int(n);
            s.int(50);
            s.threads(32 * n);
        },
    },
    Kernel {
        name: "sum_last_block",
        class: "last block",
        half: Half::Fit,
        sizes: [20_000, 4_000_000, 16_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            let blocks = n.div_ceil(s.block[0]).min(528);
            s.input(ints(n, 1000, 1));
            s.output(Element::I32, blocks, Check::Bits);
            s.output(Element::I32, 1, Check::Bits);
            s.scratch(Element::U32, 1);
            s.int(n);
            s.blocks(blocks);
        },
    },
    Kernel {
        name: "extent_last_block",
        class: "last block",
        half: Half::Report,
        sizes: [10_000, 1_000_000, 8_000_000],
        blocks: &[[256, 1, 1], [1024, 1, 1]],
        make: |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.output(F32, 2 * n.div_ceil(s.block[0]), Check::Bits);
            s.output(F32, 2, Check::Bits);
            s.scratch(Element::U32, 1);
            s.each(n);
        },
    },
    Kernel {
        name: "reduce_interleaved",
        class: "bank conflicts",
        half: Half::Fit,
        sizes: [10_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.output(F32, n.div_ceil(s.block[0]), Check::Bits);
            s.each(n);
            s.shared(4 * s.block[0]);
        },
    },
    Kernel {
        name: "polynomial_f64",
        class: "64-bit floats",
        half: Half::Fit,
        sizes: [5_000, 800_000, 6_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(doubles(n, 1));
            s.output(Element::F64, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "dot_f64",
        class: "64-bit floats",
        half: Half::Report,
        sizes: [8_000, 1_000_000, 6_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            let blocks = n.div_ceil(s.block[0]).min(264);
            s.input(doubles(n, 1));
            s.input(doubles(n, 2));
            s.output(Element::F64, blocks, Check::Bits);
            s.int(n);
            s.blocks(blocks);
        },
    },
];

fn product(s: &mut Setup, n: u32) {
    s.input(floats(n * n, -1.0, 1.0, 1));
    s.input(floats(n * n, -1.0, 1.0, 2));
    s.output(F32, n * n, Check::Bits);
    s.int(n);
}

fn gemv(s: &mut Setup, n: u32) {
    s.input(floats(n * n, -1.0, 1.0, 1));
    s.input(floats(n, -1.0, 1.0, 2));
    s.output(F32, n, Check::Bits);
    s.int(n);
    s.int(n);
}
