//! Codes, texts and sound.

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{floats, fraction, module, u32s, words};
use super::super::{Check, Kernel};
use super::kernel;

module!("blind_8/signals");

const F32: Element = Element::F32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;
const U64: Element = Element::U64;

/// A letter in UTF-8, most often of one byte; now and then its last byte is missing.
fn letter(word: u32) -> impl Iterator<Item = u8> {
    let code = match word % 32 {
        0..=21 => 32 + fraction(word, 95),
        22..=26 => 0x80 + fraction(word, 0x780),
        27..=30 => 0x800 + fraction(word, 0xd000),
        _ => 0x1_0000 + fraction(word, 0x10_0000),
    };
    let mut bytes = [0; 4];
    let many = char::from_u32(code).unwrap().encode_utf8(&mut bytes).len();
    let wrong = many > 1 && (word >> 5).is_multiple_of(500);
    bytes.into_iter().take(many - usize::from(wrong))
}

/// The seven masks of a code that mends one bit of 64: in which places of the code a bit counts.
fn masks() -> [u64; 7] {
    let mut masks = [0; 7];
    let places = (3_u32..).filter(|place| !place.is_power_of_two());
    for (bit, place) in places.take(64).enumerate() {
        for (k, mask) in masks.iter_mut().enumerate() {
            *mask |= u64::from(place >> k & 1) << bit;
        }
    }
    masks
}

/// A word with its check bits, of which none, one or two are wrong.
fn guarded(word: u32, masks: [u64; 7]) -> (u64, u8) {
    let mut data = u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut check = 0;
    for (k, mask) in masks.into_iter().enumerate() {
        check |= (((data & mask).count_ones() & 1) as u8) << k;
    }
    check |= (((data.count_ones() + check.count_ones()) & 1) as u8) << 7;
    let bits = [word >> 8, word >> 16].map(|at| at % 72);
    let wrong = match word % 8 {
        0 => 2,
        1 | 2 => 1,
        _ => 0,
    };
    for &bit in &bits[..wrong] {
        if bit < 64 {
            data ^= 1 << bit;
        } else {
            check ^= 1 << (bit - 64);
        }
    }
    (data, check)
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "leb128_sums",
        "codes",
        [4_000, 60_000, 3_000_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let mut bytes = Vec::new();
            let mut starts = vec![0];
            for word in words(n, 1).collect::<Vec<_>>() {
                for k in 0..=word % 12 {
                    let bits = word.rotate_left(5 * k).wrapping_mul(0x9e37_79b9);
                    let mut number = bits >> (bits % 31);
                    while number > 127 {
                        bytes.push(number as u8 | 128);
                        number >>= 7;
                    }
                    bytes.push(number as u8);
                }
                starts.push(bytes.len() as u32);
            }
            s.input(HostBuffer::U8(bytes));
            s.input(HostBuffer::U32(starts));
            s.output(U64, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "utf8_check",
        "text",
        [10_000, 300_000, 20_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let mut text: Vec<u8> = words(4 * n, 1).flat_map_iter(letter).collect();
            text.truncate(4 * n as usize);
            s.input(HostBuffer::U8(text));
            s.output(U32, 2, Check::Bits);
            s.int(n);
            s.blocks(n.div_ceil(4 * s.block[0]).min(792));
        },
    ),
    kernel(
        "hex_text",
        "text",
        [10_000, 300_000, 16_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(U32, 2 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("mel_bands", "sound", [50, 2_000, 70_000], &[[256, 1, 1], [160, 1, 1]], |s, n| {
        const BINS: u32 = 257;
        const BANDS: u32 = 40;
        // Even steps on the scale by which people hear: 8 kHz are 2,840 of its units.
        let mut corners: Vec<i32> = Vec::new();
        for k in 0..BANDS + 2 {
            let hertz = 700.0 * (10_f64.powf(2_840.0 * f64::from(k) / 41.0 / 2_595.0) - 1.0);
            let least = corners.last().map_or(0, |last| last + 1);
            corners.push(((hertz / 31.25) as i32).max(least).min(BINS as i32 - 1));
        }
        s.input(floats(BINS * n, 0.0, 4.0, 1));
        s.input(HostBuffer::I32(corners));
        s.output(F32, BANDS * n, Check::Sum);
        s.each(BANDS * n);
    }),
    kernel("levinson", "sound", [4_000, 80_000, 2_500_000], &[[128, 1, 1], [224, 1, 1]], |s, n| {
        const ORDER: u32 = 12;
        // The first lag is larger than all others together.
        let lag = |(at, word): (usize, u32)| {
            let share = (word >> 8) as f32 / 16_777_216.0;
            if at < n as usize { 1.0 + share } else { 0.08 * share - 0.04 }
        };
        let lags = words((ORDER + 1) * n, 1).enumerate().map(lag);
        s.input(HostBuffer::F32(lags.collect()));
        s.output(F32, ORDER * n, Check::Sum);
        s.output(F32, n, Check::Sum);
        s.each(n);
    }),
    kernel(
        "convolution_code",
        "codes",
        [5_000, 150_000, 4_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            s.input(u32s(n, 1));
            s.output(U64, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "secded_words",
        "bit tricks",
        [8_000, 250_000, 12_000_000],
        &[[256, 1, 1], [320, 1, 1]],
        |s, n| {
            let masks = masks();
            let (data, checks): (Vec<u64>, Vec<u8>) =
                words(n, 1).map(|word| guarded(word, masks)).unzip();
            s.input(HostBuffer::U64(data));
            s.input(HostBuffer::U8(checks));
            s.output(U64, n, Check::Bits);
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "glob_match",
        "strings",
        [4_000, 80_000, 1_500_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            const PATTERNS: [&str; 16] = [
                "*a*b*",
                "ab*ba",
                "?a*",
                "*abba*",
                "a??b*",
                "*aab*bb?",
                "b*",
                "*",
                "*aaaa*",
                "a*a*a*a*a",
                "*b?b?b*",
                "*ababa",
                "bb*aa*b",
                "*a?b*a?b*",
                "abab*",
                "*bbbbb",
            ];
            let text = |word: u32| {
                let length = 8 + word as usize % 24;
                let letter = move |k: usize| b'a' + (word.rotate_left(k as u32) >> 31) as u8;
                (0..32).map(move |k| if k < length { letter(k) } else { 0 })
            };
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(text).collect()));
            let mut patterns = vec![0; 256];
            for (place, pattern) in patterns.chunks_mut(16).zip(PATTERNS) {
                place[..pattern.len()].copy_from_slice(pattern.as_bytes());
            }
            s.input(HostBuffer::U8(patterns));
            s.input(HostBuffer::U8(words(n, 2).map(|word| (word >> 28) as u8).collect()));
            s.output(U8, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel("pitch_lags", "sound", [20, 400, 6_000], &[[192, 1, 1], [96, 1, 1]], |s, n| {
        // A saw whose period changes, and noise.
        let sample = |(at, word): (usize, u32)| {
            let period = 50 + at / 700 % 120;
            ((at % period * 30_000 / period) as i32 - 15_000 + (word >> 21) as i32) as i16
        };
        s.input(HostBuffer::I16(words(256 * (n + 1), 1).enumerate().map(sample).collect()));
        s.output(U32, n, Check::Bits);
        s.blocks(n);
    }),
];
