//! Layouts of records, pictures, sound and volumes; bits, whole numbers and halves.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, doubles, floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_9/layouts");

const F32: Element = Element::F32;
const U16: Element = Element::U16;
const U32: Element = Element::U32;
const I64: Element = Element::I64;

/// A prime that is at least `least`.
fn prime_from(least: u32) -> u32 {
    let prime = |number: &u32| (2..=number.isqrt()).all(|k| !number.is_multiple_of(k));
    (least..2 * least).find(prime).unwrap()
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "deinterleave_six",
        "sound",
        [10_000, 800_000, 10_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.input(HostBuffer::I16(words(6 * n, 1).map(|word| (word >> 16) as i16).collect()));
            s.output(F32, 6 * n, Check::Bits);
            s.float(1.0 / 32_768.0);
            s.each(n);
        },
    ),
    kernel(
        "swizzle_texture",
        "textures",
        [400, 2_000, 7_200],
        &[[32, 8, 1], [24, 8, 1]],
        |s, n| {
            s.input(u32s(n * n, 1));
            s.output(U32, n * n, Check::Bits);
            s.int(n);
            s.plane(n / 4, n);
        },
    ),
    kernel(
        "blend_shapes",
        "animation",
        [8_000, 180_000, 4_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(floats(4 * n, -1.0, 1.0, 1));
            s.input(floats(8 * 4 * n, -0.1, 0.1, 2));
            s.input(HostBuffer::F32(vec![0.5, 0.0, 0.25, 0.8, 0.1, 0.0, 0.6, 0.3]));
            s.output(F32, 4 * n, Check::Sum);
            s.each(n);
        },
    ),
    kernel(
        "raw10_unpack",
        "pictures",
        [10_000, 1_500_000, 16_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(bytes(5 * n, 1));
            s.output(U16, 4 * n, Check::Bits);
            s.int(64);
            s.each(n);
        },
    ),
    kernel(
        "swap_record_bytes",
        "tables",
        [10_000, 1_000_000, 16_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            s.input(u32s(4 * n, 1));
            s.output(U32, n, Check::Bits);
            s.output(U16, n, Check::Bits);
            s.output(U16, n, Check::Bits);
            s.output(Element::U64, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "coalesce_columns",
        "tables",
        [10_000, 1_200_000, 12_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let column = |stream: u64| {
                let value = |word: u32| i64::from(word) - 2_000_000_000;
                HostBuffer::I64(words(n, stream).map(value).collect())
            };
            // Most values of the first column exist, and half of those of the second.
            let often = words(n.div_ceil(32), 3).map(|word| word | word.rotate_left(7));
            s.input(column(1));
            s.input(HostBuffer::U32(often.collect()));
            s.input(column(2));
            s.input(u32s(n.div_ceil(32), 4));
            s.output(I64, n, Check::Bits);
            s.output(U32, n.div_ceil(32), Check::Bits);
            s.each(n);
        },
    ),
    kernel("skew_matrix", "strides", [200, 1_200, 4_000], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        s.input(doubles(n * n, 1));
        s.output(Element::F64, n * n, Check::Bits);
        s.int(n);
        s.plane(n, n);
    }),
    kernel("pack_faces", "volumes", [60, 1_000, 6_000], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        s.input(floats(4_096 * n, 0.0, 1.0, 1));
        s.output(F32, 6 * 512 * n, Check::Bits);
        s.blocks(n);
    }),
    kernel(
        "positional_counts",
        "bit tricks",
        [30_000, 2_000_000, 14_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            // Some bits are more frequent than others.
            let word = |word: u32| {
                word & (word.rotate_left(8) | 0x00f0_f0f0) | word.rotate_left(19) & 0x0f00_0f0f
            };
            s.input(HostBuffer::U32(words(4 * n, 1).map(word).collect()));
            s.output(U32, 32, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(63 * s.block[0]));
        },
    ),
    kernel(
        "pollard_rho",
        "64-bit integers",
        [1_500, 12_000, 80_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let product = |word: u32| {
                let small = prime_from(101 + fraction(word, 900));
                small * prime_from(1_009 + fraction(word.rotate_left(16), 50_000))
            };
            s.input(HostBuffer::U32(words(n, 1).map(product).collect()));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "counting_sort_block",
        "sorting",
        [30, 1_000, 8_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(u32s(2_048 * n, 1));
            s.output(U32, 2_048 * n, Check::Sorted);
            s.blocks(n);
        },
    ),
    kernel(
        "lion_step",
        "mixed precision",
        [8_000, 1_000_000, 12_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            // Halves between an eighth and one, of either sign.
            let half = |word: u32| (word >> 16) as u16 & 0x8bff | 0x3000;
            s.changed(floats(2 * n, -1.0, 1.0, 1), Check::Sum);
            s.changed(HostBuffer::U16(words(2 * n, 2).map(half).collect()), Check::Sum);
            s.input(HostBuffer::U16(words(2 * n, 3).map(half).collect()));
            s.output(U16, 2 * n, Check::Sum);
            s.float(0.001);
            s.float(0.1);
            s.each(n);
        },
    ),
];
