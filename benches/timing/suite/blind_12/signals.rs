//! Radar, filters, spectra, codes of channels, satellites, checksums, ultrasound, frames of a film
//! and depth from two pictures.

use std::f32::consts::PI;

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_12/signals");

const F32: Element = Element::F32;
const U32: Element = Element::U32;

/// The four tables of a checksum that takes four bytes at a time.
fn tables() -> Vec<u32> {
    let first = |byte: u32| {
        (0..8).fold(byte, |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0xedb8_8320 } else { 0 })
    };
    let mut tables: Vec<u32> = (0..256).map(first).collect();
    for at in 256..1_024 {
        let before = tables[at - 256];
        tables.push(before >> 8 ^ tables[before as usize & 255]);
    }
    tables
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel("corner_turn", "transposes", [60, 2_000, 36_000], &[[32, 8, 1], [32, 6, 1]], |s, n| {
        const PULSES: u32 = 100;
        let window = (0..PULSES).map(|k| 0.54 - 0.46 * (2.0 * PI * k as f32 / 99.0).cos());
        s.input(floats(2 * 8 * PULSES * n, -1.0, 1.0, 1));
        s.input(HostBuffer::F32(window.collect()));
        s.output(F32, 2 * 8 * PULSES * n, Check::Bits);
        s.long(u64::from(n));
        s.int(PULSES);
        s.grid([n.div_ceil(32), PULSES.div_ceil(32), 8]);
    }),
    kernel(
        "temporal_medians",
        "sorting networks",
        [6_000, 500_000, 14_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            for stream in 1..10 {
                s.input(u32s(n, stream));
            }
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("polyphase_bank", "filters", [6, 250, 5_000], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        s.input(bytes(2 * 256 * (32 * n + 7), 1));
        s.input(floats(8 * 256, -1.0, 1.0, 2));
        s.output(F32, 2 * 256 * 32 * n, Check::Sum);
        s.grid([n, 256_u32.div_ceil(s.block[0]), 1]);
    }),
    kernel(
        "walsh_spectra",
        "transforms",
        [100, 4_000, 70_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let sample = |word: u32| (word as i32 >> 20) as u16;
            s.input(HostBuffer::U16(words(1_024 * n, 1).map(sample).collect()));
            s.output(Element::I32, 1_024 * n, Check::Bits);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "ldpc_checks",
        "sparse matrices",
        [50, 2_500, 50_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let entries = rows(s, n, 6, 3);
            s.input(floats(64 * n, -4.0, 4.0, 1));
            s.input(floats(64 * entries, -2.0, 2.0, 2));
            s.output(F32, 64 * entries, Check::Sum);
            s.int(n);
            s.threads(64 * n);
        },
    ),
    kernel("gold_correlate", "bit tricks", [4, 100, 1_500], &[[128, 1, 1], [96, 1, 1]], |s, n| {
        s.input(u32s(32 * n, 1));
        s.input(u32s(32 * 32, 2));
        s.output(U32, 32 * n, Check::Bits);
        s.grid([n, 32, 1]);
    }),
    kernel(
        "crc_slices",
        "shared tables",
        [500, 20_000, 250_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            let (mut starts, mut lengths, mut total) = (Vec::new(), Vec::new(), 0);
            for word in words(n, 1).collect::<Vec<_>>() {
                let many = 16 + fraction(word, 360);
                starts.push(total);
                lengths.push((4 * many - (word & 3)) as u16);
                total += many;
            }
            s.input(u32s(total, 2));
            s.input(HostBuffer::U32(starts));
            s.input(HostBuffer::U16(lengths));
            s.input(HostBuffer::U32(tables()));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "lms_filters",
        "adaptive filters",
        [200, 6_000, 80_000],
        &[[64, 1, 1], [96, 1, 1]],
        |s, n| {
            const STEPS: u32 = 200;
            s.input(floats(STEPS * n, -1.0, 1.0, 1));
            s.input(floats(STEPS * n, -1.0, 1.0, 2));
            s.output(F32, STEPS * n, Check::Sum);
            s.output(F32, 16 * n, Check::Sum);
            s.float(0.3);
            s.int(STEPS);
            s.each(n);
        },
    ),
    kernel("ultrasound_beams", "gathers", [40, 350, 1_800], &[[32, 8, 1], [24, 8, 1]], |s, n| {
        s.input(floats(64 * 2_048, -1.0, 1.0, 1));
        s.output(F32, n * n, Check::Sum);
        s.float(900.0);
        s.int(n);
        s.plane(n, n);
    }),
    kernel(
        "aggregate_disparities",
        "dynamic programming",
        [16, 400, 3_200],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const WIDTH: u32 = 400;
            s.input(bytes(64 * WIDTH * n, 1));
            s.output(Element::U16, 64 * WIDTH * n, Check::Bits);
            s.int(7);
            s.int(70);
            s.int(WIDTH);
            s.int(n);
            s.threads(32 * n);
        },
    ),
];
