//! Streams, gathers, scatters, transposes, compaction, histograms, scans and reductions.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{bytes, floats, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_10/moves");

const F32: Element = Element::F32;
const U32: Element = Element::U32;

/// Random floats from 0 to 1.
fn share(word: u32) -> f32 {
    (word >> 8) as f32 / 16_777_216.0
}

/// Numbers in order; about two of three are equal to the one before.
fn sorted(n: u32) -> Vec<u32> {
    let mut value = 17;
    let steps: Vec<u32> = words(n, 1).collect();
    let next = |word: u32| {
        value += if word.is_multiple_of(3) { 1 + (word >> 28) } else { 0 };
        value
    };
    steps.into_iter().map(next).collect()
}

/// Prices of `days` days for each of `n` series.
fn prices(n: u32, days: u32) -> Vec<f32> {
    let series = |start: u32| {
        let mut price = 100.0_f32;
        words(days, 7 + u64::from(start)).collect::<Vec<_>>().into_iter().map(move |word| {
            price *= 0.9802 + 0.04 * share(word);
            price
        })
    };
    (0..n).into_par_iter().flat_map_iter(series).collect()
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "kick_drift",
        "wide streams",
        [8_000, 600_000, 9_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            s.changed(floats(4 * n, 0.5, 1.5, 1), Check::Sum);
            s.changed(floats(4 * n, -1.0, 1.0, 2), Check::Sum);
            s.input(floats(4 * n, -2.0, 2.0, 3));
            s.float(0.01);
            s.each(n);
        },
    ),
    kernel(
        "table_lerp",
        "gathers",
        [5_000, 400_000, 8_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.input(floats(4 * n, -1.0, 1.0, 2));
            s.output(F32, n, Check::Sum);
            s.int(4 * n);
            s.each(n);
        },
    ),
    kernel(
        "unsort_results",
        "scatters",
        [5_000, 500_000, 7_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            s.input(u32s(4 * n, 1));
            s.input(bytes(n, 3));
            let keys: Vec<u32> = words(n, 2).collect();
            let mut order: Vec<u32> = (0..n).collect();
            order.par_sort_unstable_by_key(|&at| (keys[at as usize], at));
            s.input(HostBuffer::U32(order));
            s.output(U32, 4 * n, Check::Bits);
            s.output(Element::U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "pick_columns",
        "strides",
        [4_000, 200_000, 5_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(24 * n, 1));
            s.output(U32, n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.int(2);
            s.int(3);
            s.int(17);
            s.each(n);
        },
    ),
    kernel(
        "transpose_shorts",
        "transposes",
        [256, 2_048, 8_192],
        &[[32, 8, 1], [32, 12, 1]],
        |s, n| {
            s.input(u32s(n * n / 2, 1));
            s.output(Element::U16, n * n, Check::Bits);
            s.int(n);
            s.tiles(n, n, 64);
        },
    ),
    kernel(
        "symmetrise_tiles",
        "transposes",
        [200, 1_500, 7_000],
        &[[32, 8, 1], [32, 16, 1]],
        |s, n| {
            s.changed(floats(n * n, -1.0, 1.0, 1), Check::Bits);
            s.int(n);
            s.tiles(n, n, 32);
        },
    ),
    kernel(
        "drop_repeats",
        "compaction",
        [10_000, 1_000_000, 24_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U32(sorted(n)));
            s.output(U32, n, Check::Sorted);
            s.output(U32, 1, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(4 * s.block[0]));
        },
    ),
    kernel(
        "latency_bins",
        "histograms",
        [20_000, 1_500_000, 20_000_000],
        &[[256, 1, 1], [480, 1, 1]],
        |s, n| {
            // Around 30 000 nanoseconds, a few up to 100 times as long.
            let time = |word: u32| {
                let (a, b) = (share(word), share(word.rotate_left(13)));
                (20_000.0 + 20_000.0 * a + 2_000_000.0 * b.powi(24)) as u32
            };
            s.input(HostBuffer::U32(words(4 * n, 1).map(time).collect()));
            s.output(U32, 256, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(4 * s.block[0]).min(528));
        },
    ),
    kernel(
        "logsumexp_last_block",
        "last block",
        [20_000, 2_000_000, 50_000_000],
        &[[256, 1, 1], [352, 1, 1]],
        |s, n| {
            let blocks = n.div_ceil(4 * s.block[0]).min(528);
            s.input(floats(n, -12.0, 6.0, 1));
            s.scratch(F32, 2 * blocks);
            s.scratch(U32, 1);
            s.output(F32, 1, Check::Sum);
            s.int(n);
            s.blocks(blocks);
        },
    ),
    kernel(
        "max_drawdown",
        "block scans",
        [40, 1_000, 12_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            const DAYS: u32 = 2_520;
            s.input(HostBuffer::F32(prices(n, DAYS)));
            s.output(F32, n, Check::Sum);
            s.int(DAYS);
            s.blocks(n);
        },
    ),
];
