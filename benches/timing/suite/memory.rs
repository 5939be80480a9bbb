//! Streams, strides, gathers, transposes and stencils.

use warpscope::work::{Element, HostBuffer};

use super::setup::{below, bytes, floats, module};
use super::{Check, Half, Kernel};

module!("memory");

const F32: Element = Element::F32;

pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "copy_bytes",
        class: "stream",
        half: Half::Report,
        sizes: [20_000, 4_000_000, 16_000_000],
        blocks: &[[256, 1, 1], [1024, 1, 1]],
        make: |s, n| {
            s.input(bytes(n, 1));
            s.output(Element::U8, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "triad",
        class: "stream",
        half: Half::Fit,
        sizes: [10_000, 1_500_000, 12_000_000],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            s.input(floats(n, -1.0, 1.0, 1));
            s.input(floats(n, -1.0, 1.0, 2));
            s.output(F32, n, Check::Bits);
            s.float(0.4);
            s.each(n);
        },
    },
    Kernel {
        name: "rotate_points",
        class: "stream",
        half: Half::Fit,
        sizes: [10_000, 1_200_000, 10_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(2 * n, -1.0, 1.0, 1));
            s.output(F32, 2 * n, Check::Bits);
            s.float(0.6);
            s.float(0.8);
            s.each(n);
        },
    },
    Kernel {
        name: "add_float4",
        class: "stream",
        half: Half::Report,
        sizes: [4_000, 400_000, 4_000_000],
        blocks: &[[256, 1, 1], [64, 1, 1]],
        make: |s, n| {
            s.input(floats(4 * n, -1.0, 1.0, 1));
            s.input(floats(4 * n, -1.0, 1.0, 2));
            s.output(F32, 4 * n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "copy_int4",
        class: "stream",
        half: Half::Fit,
        sizes: [4_000, 600_000, 6_000_000],
        blocks: &[[256, 1, 1], [512, 1, 1]],
        make: |s, n| {
            s.input(below(4 * n, 1 << 31, 1));
            s.output(Element::U32, 4 * n, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1056));
        },
    },
    Kernel {
        name: "particle_energy",
        class: "stride",
        half: Half::Report,
        sizes: [5_000, 600_000, 5_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(7 * n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "read_strided",
        class: "stride",
        half: Half::Fit,
        sizes: [4_000, 500_000, 4_000_000],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            s.input(floats(8 * n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.int(8);
            s.each(n);
        },
    },
    Kernel {
        name: "row_sums",
        class: "stride",
        half: Half::Report,
        sizes: [2_000, 64_000, 500_000],
        blocks: &[[256, 1, 1], [64, 1, 1]],
        make: |s, n| {
            s.input(floats(64 * n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.int(64);
            s.each(n);
        },
    },
    Kernel {
        name: "gather",
        class: "gather and scatter",
        half: Half::Fit,
        sizes: [10_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1], [1024, 1, 1]],
        make: |s, n| {
            s.input(below(n, n, 1));
            s.input(floats(n, 0.0, 1.0, 2));
            s.output(F32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "scatter",
        class: "gather and scatter",
        half: Half::Report,
        sizes: [1 << 13, 1 << 21, 1 << 23],
        blocks: &[[256, 1, 1]],
        make: |s, n| {
            // Odd factors and shifted bits permute the words below a power of two.
            let mixed = |i: u32| {
                let turned = i.wrapping_mul(0x9e37_79b1) & (n - 1);
                (turned ^ turned >> 7).wrapping_mul(0x85eb_ca6b) & (n - 1)
            };
            s.input(HostBuffer::U32((0..n).map(mixed).collect()));
            s.input(floats(n, 0.0, 1.0, 2));
            s.output(F32, n, Check::Bits);
            s.each(n);
        },
    },
    Kernel {
        name: "transpose_naive",
        class: "transpose",
        half: Half::Fit,
        sizes: [120, 1500, 4000],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: |s, n| {
            transpose(s, n);
            s.plane(n, n - n / 4);
        },
    },
    Kernel {
        name: "transpose_shared",
        class: "transpose",
        half: Half::Report,
        sizes: [120, 1500, 4000],
        blocks: &[[32, 8, 1], [32, 32, 1]],
        make: transpose_tiles,
    },
    Kernel {
        name: "transpose_padded",
        class: "transpose",
        half: Half::Fit,
        sizes: [120, 1500, 4000],
        blocks: &[[32, 8, 1], [32, 32, 1]],
        make: transpose_tiles,
    },
    Kernel {
        name: "stencil_1d",
        class: "stencil",
        half: Half::Fit,
        sizes: [10_000, 2_000_000, 12_000_000],
        blocks: &[[256, 1, 1], [128, 1, 1]],
        make: |s, n| {
            s.input(floats(n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Bits);
            s.each(n);
            s.shared(4 * (s.block[0] + 8));
        },
    },
    Kernel {
        name: "heat_2d",
        class: "stencil",
        half: Half::Report,
        sizes: [100, 1400, 3800],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: |s, n| {
            s.input(floats(n * n, 0.0, 1.0, 1));
            s.output(F32, n * n, Check::Bits);
            s.int(n);
            s.int(n);
            s.plane(n, n);
        },
    },
    Kernel {
        name: "laplace_3d",
        class: "stencil",
        half: Half::Fit,
        sizes: [34, 130, 260],
        blocks: &[[16, 16, 1], [32, 4, 1]],
        make: |s, n| {
            s.input(floats(n * n * n, 0.0, 1.0, 1));
            s.output(F32, n * n * n, Check::Bits);
            s.int(n);
            s.plane(n, n);
        },
    },
];

/// A matrix of n columns and three quarters as many rows.
fn transpose(s: &mut super::Setup, n: u32) {
    let height = n - n / 4;
    s.input(floats(n * height, 0.0, 1.0, 1));
    s.output(F32, n * height, Check::Bits);
    s.int(n);
    s.int(height);
}

/// The same with a block per square of 32.
fn transpose_tiles(s: &mut super::Setup, n: u32) {
    transpose(s, n);
    s.tiles(n, n - n / 4, 32);
}
