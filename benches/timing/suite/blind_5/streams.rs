//! Streams, rows, structures and volumes: what moves more than it computes.

use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, doubles, floats, module, u32s};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_5/streams");

const F32: Element = Element::F32;

/// The numbers below `n`, each once, in an order that looks random: bits are mixed, and mixed
/// again until they are below `n`.
fn permutation(n: u32) -> HostBuffer {
    let mask = n.next_power_of_two() - 1;
    let half = mask.count_ones().div_ceil(2);
    let mixed = |bits: u32| {
        let bits = bits.wrapping_mul(0x9e37_79b1) & mask;
        let bits = (bits ^ bits >> half).wrapping_mul(0x85eb_ca6b) & mask;
        bits ^ bits >> half
    };
    let place = |at: u32| {
        let mut place = mixed(at);
        while place >= n {
            place = mixed(place);
        }
        place
    };
    HostBuffer::U32((0..n).map(place).collect())
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "complex_multiply",
        "streams",
        [100_000, 2_000_000, 14_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(floats(2 * n, -1.0, 1.0, 1));
            s.input(floats(2 * n, -1.0, 1.0, 2));
            s.output(F32, 2 * n, Check::Sum);
            s.float(0.5);
            s.int(n);
            s.blocks(n.div_ceil(s.block[0]).min(1_056));
        },
    ),
    kernel(
        "split_points",
        "strides",
        [150_000, 3_000_000, 16_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(floats(3 * n, -1.0, 1.0, 1));
            for _ in 0..3 {
                s.output(F32, n, Check::Bits);
            }
            s.each(n);
        },
    ),
    kernel(
        "reverse_words",
        "streams",
        [300_000, 5_000_000, 50_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(Element::U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "embed_positions",
        "gathers",
        [64, 4_000, 60_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            const WIDTH: u32 = 640;
            const WORDS: u32 = 8_000;
            const WINDOW: u32 = 512;
            s.input(below(n, WORDS, 1));
            s.input(floats(WORDS * WIDTH, -1.0, 1.0, 2));
            s.input(floats(WINDOW * WIDTH, -1.0, 1.0, 3));
            s.output(F32, WIDTH * n, Check::Sum);
            s.int(WIDTH);
            s.int(WINDOW);
            s.blocks(n);
        },
    ),
    kernel(
        "place_doubles",
        "scatters",
        [40_000, 1_500_000, 12_000_000],
        &[[256, 1, 1], [480, 1, 1]],
        |s, n| {
            s.input(doubles(n, 1));
            s.input(permutation(n));
            s.output(Element::F64, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "transpose_bytes",
        "transposes",
        [500, 3_000, 12_000],
        &[[32, 8, 1], [32, 6, 1]],
        |s, n| {
            s.input(bytes(n * n, 1));
            s.output(Element::U8, n * n, Check::Bits);
            s.int(n);
            s.tiles(n, n, 32);
        },
    ),
    kernel(
        "column_deviation",
        "columns",
        [640, 30_000, 200_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const ROWS: u32 = 160;
            s.input(floats(ROWS * n, 0.0, 1.0, 1));
            s.output(F32, n, Check::Sum);
            s.int(ROWS);
            s.each(n);
        },
    ),
    kernel(
        "reorder_particles",
        "gathers",
        [40_000, 800_000, 5_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(floats(8 * n, -1.0, 1.0, 1));
            s.input(permutation(n));
            s.output(F32, 8 * n, Check::Bits);
            s.output(F32, n, Check::Sum);
            s.each(n);
        },
    ),
    kernel("roll_volume", "volumes", [48, 160, 330], &[[32, 4, 2], [24, 4, 2]], |s, n| {
        s.input(floats(n * n * n, -1.0, 1.0, 1));
        s.output(F32, n * n * n, Check::Bits);
        s.int(5);
        s.int(n / 3);
        s.int(n - 2);
        s.int(n);
        s.volume(n, n, n);
    }),
    kernel(
        "momentum_step",
        "wide streams",
        [40_000, 800_000, 6_000_000],
        &[[256, 1, 1], [384, 1, 1]],
        |s, n| {
            s.changed(floats(4 * n, -1.0, 1.0, 1), Check::Sum);
            s.changed(floats(4 * n, -0.1, 0.1, 2), Check::Sum);
            s.input(floats(4 * n, -0.1, 0.1, 3));
            s.float(0.01);
            s.float(0.9);
            s.each(n);
        },
    ),
];
