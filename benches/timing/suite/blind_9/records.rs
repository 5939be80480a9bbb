//! Filters, texts, graphs, trees, indexes and codes.

use std::collections::VecDeque;

use rayon::prelude::*;
use warpscope::work::{Element, HostBuffer};

use super::super::setup::{below, bytes, floats, fraction, module, rows, u32s, words};
use super::super::{Check, Kernel, Setup};
use super::kernel;

module!("blind_9/records");

const F32: Element = Element::F32;
const U8: Element = Element::U8;
const U32: Element = Element::U32;

/// Another word from a word.
fn again(word: u32) -> u32 {
    (word ^ word >> 15).wrapping_mul(0x2c1b_3c6d).rotate_left(13).wrapping_add(0x9e37_79b9)
}

/// Letters that look random; the early ones are more frequent.
fn letters(word: u32, count: u32) -> impl Iterator<Item = u8> {
    let next = |last: &u32| Some(again(*last));
    std::iter::successors(Some(word), next).take(count as usize).map(|word| {
        let square = fraction(word, 26) * fraction(word.rotate_left(16), 26) / 26;
        b'a' + square as u8
    })
}

/// The words that are looked for: three to nine letters each.
fn dictionary() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> =
        words(120, 9).map(|word| letters(word, 3 + word % 7).collect()).collect();
    all.sort();
    all.dedup();
    all
}

/// For each state and letter the next state, and for each state how many words end there.
fn automaton(dictionary: &[Vec<u8>]) -> (Vec<u16>, Vec<u8>) {
    let mut next = vec![[0_u16; 32]];
    let mut ends = vec![0_u8];
    for word in dictionary {
        let mut state = 0;
        for letter in word {
            let class = usize::from(letter - b'a');
            if next[state][class] == 0 {
                next[state][class] = next.len() as u16;
                next.push([0; 32]);
                ends.push(0);
            }
            state = usize::from(next[state][class]);
        }
        ends[state] += 1;
    }
    let mut back = vec![0; next.len()];
    let mut queue: VecDeque<usize> =
        next[0].into_iter().filter(|&child| child > 0).map(usize::from).collect();
    while let Some(state) = queue.pop_front() {
        let shorter: usize = back[state];
        ends[state] += ends[shorter];
        let others = next[shorter];
        for (child, other) in next[state].iter_mut().zip(others) {
            if *child > 0 {
                back[usize::from(*child)] = usize::from(other);
                queue.push_back(usize::from(*child));
            } else {
                *child = other;
            }
        }
    }
    (next.concat(), ends)
}

/// A record of 1024 bytes in JSON, with spaces at its end.
fn record(word: u32) -> Vec<u8> {
    let mut text = vec![b'{'];
    let mut word = word;
    while text.len() < 940 {
        word = again(word);
        if text.len() > 1 {
            text.push(b',');
        }
        let value = match word % 4 {
            0 => format!("\"id{}\": {}", word % 97, word >> 8),
            1 => format!("\"name{}\": \"a, b: {{{}}}\"", word % 97, word >> 12),
            2 => format!("\"list\": [{}, {}, {}]", word % 89, word % 83, word % 79),
            _ => format!("\"part\": {{\"x\": {}, \"y\": null}}", word >> 20),
        };
        text.extend(value.bytes());
    }
    text.push(b'}');
    text.resize(1_024, b' ');
    text
}

/// A line of a table: number, name, price, quantity.
fn line(word: u32) -> String {
    let second = again(word);
    let name = String::from_utf8(letters(second, 3 + second % 9).collect()).unwrap();
    let name = if word.is_multiple_of(5) { format!("\"{name}, {}\"", word % 31) } else { name };
    let sign = if second.is_multiple_of(16) { "-" } else { "" };
    let units = (second >> 8) % 2_000;
    let price = match word >> 30 {
        0 => format!("{units}"),
        1 => format!("{units}.{}", second % 10),
        _ => format!("{units}.{:02}", second % 100),
    };
    format!("{},{name},{sign}{price},{}\n", word % 1_000_000, 1 + (word >> 8) % 150)
}

/// A sparse matrix with sorted rows: where they start, columns, values. Returns the number of
/// entries.
fn sorted_rows(s: &mut Setup, n: u32, stream: u64) -> u32 {
    let mut starts = vec![0_i32];
    let mut columns = Vec::new();
    for word in words(n, stream).collect::<Vec<_>>() {
        let mut bits = word;
        let mut column = 0;
        for _ in 0..4 + word % 14 {
            bits = again(bits);
            column += 1 + fraction(bits, 8);
            columns.push(column);
        }
        starts.push(columns.len() as i32);
    }
    let entries = columns.len() as u32;
    s.input(HostBuffer::I32(starts));
    s.input(HostBuffer::U32(columns));
    s.input(floats(entries, -1.0, 1.0, stream + 1));
    entries
}

/// Blocks of 64 letters of a genome: four counts of the letters before, and two bit planes.
/// Also how many letters are smaller than each letter.
fn genome(blocks: u32) -> (Vec<u64>, Vec<u32>) {
    let mut index = Vec::new();
    let mut counts = [0_u32; 4];
    let halves: Vec<u32> = words(4 * (blocks + 1), 1).collect();
    for four in halves.chunks(4) {
        let low = u64::from(four[0]) << 32 | u64::from(four[1]);
        let high = u64::from(four[2]) << 32 | u64::from(four[3]);
        index.push(u64::from(counts[1]) << 32 | u64::from(counts[0]));
        index.push(u64::from(counts[3]) << 32 | u64::from(counts[2]));
        index.extend([low, high]);
        if index.len() < 4 * blocks as usize + 4 {
            for (letter, same) in
                [!low & !high, low & !high, !low & high, low & high].into_iter().enumerate()
            {
                counts[letter] += same.count_ones();
            }
        }
    }
    let mut smaller = vec![0];
    for letter in 0..3 {
        smaller.push(smaller[letter] + counts[letter]);
    }
    (index, smaller)
}

/// How likely each of 40 symbols is, out of 1024, and how many are before it.
fn frequencies() -> Vec<(u32, u32)> {
    let mut shares: Vec<u32> = (0..40).map(|symbol| 220 / (symbol + 1)).collect();
    shares[0] += 1_024 - shares.iter().sum::<u32>();
    let before = |symbol: usize| shares[..symbol].iter().sum();
    (0..40).map(|symbol| (shares[symbol], before(symbol))).collect()
}

/// A text of 64 symbols, packed: the state first, then what the decoder takes in.
fn packed(word: u32, slots: &[u32], shares: &[(u32, u32)]) -> Vec<u16> {
    let mut state = 0x1_0000_u64;
    let mut out = Vec::new();
    let mut word = word;
    for _ in 0..64 {
        word = again(word);
        let (share, before) = shares[(slots[(word >> 22) as usize] >> 24) as usize];
        if state >= u64::from(share) << 22 {
            out.push(state as u16);
            state >>= 16;
        }
        let share = u64::from(share);
        state = (state / share) << 10 | (state % share + u64::from(before));
    }
    out.extend([(state >> 16) as u16, state as u16]);
    out.reverse();
    out
}

pub(super) const KERNELS: &[Kernel] = &[
    kernel(
        "xor_filter_query",
        "sketches",
        [10_000, 600_000, 10_000_000],
        &[[256, 1, 1], [224, 1, 1]],
        |s, n| {
            let part = n * 41 / 100;
            let key = |word: u32| u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            s.input(HostBuffer::U64(words(n, 1).map(key).collect()));
            // Of random bytes, the filter answers yes to one key in 256.
            s.input(bytes(3 * part, 2));
            s.output(U32, n.div_ceil(32), Check::Bits);
            s.int(part);
            s.each(n);
        },
    ),
    kernel(
        "aho_matches",
        "strings",
        [2_000, 40_000, 800_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let dictionary = dictionary();
            let (next, ends) = automaton(&dictionary);
            let entry = |word: u32| {
                let known = &dictionary[fraction(word, dictionary.len() as u32) as usize];
                let other: Vec<u8> = letters(word, 3 + word % 7).collect();
                let mut word = if word.is_multiple_of(3) { known.clone() } else { other };
                word.push(b' ');
                word
            };
            let mut text: Vec<u8> = words(16 * n, 1).flat_map_iter(entry).collect();
            text.truncate(64 * n as usize);
            s.input(HostBuffer::U8(text));
            s.input(HostBuffer::U16(next));
            s.input(HostBuffer::U8(ends));
            s.output(U32, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "json_structure",
        "parsing",
        [200, 8_000, 50_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(HostBuffer::U8(words(n, 1).flat_map_iter(record).collect()));
            s.output(U32, 32 * n, Check::Bits);
            s.output(U32, n, Check::Bits);
            s.int(n);
            s.threads(32 * n);
        },
    ),
    kernel(
        "csv_prices",
        "parsing",
        [4_000, 60_000, 1_200_000],
        &[[256, 1, 1], [160, 1, 1]],
        |s, n| {
            let lines: Vec<String> = words(n, 1).map(line).collect();
            let mut starts = vec![0];
            for line in &lines {
                starts.push(starts.last().unwrap() + line.len() as u32);
            }
            s.input(HostBuffer::U8(lines.concat().into_bytes()));
            s.input(HostBuffer::U32(starts));
            s.output(Element::I64, n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "infect_contacts",
        "graphs",
        [5_000, 150_000, 2_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            rows(s, n, 4, 12);
            let state = |word: u32| match word % 20 {
                0..=2 => 1,
                3..=6 => 2,
                _ => 0,
            };
            s.input(HostBuffer::U8(words(n, 1).map(state).collect()));
            s.output(U8, n, Check::Bits);
            s.output(U32, 1, Check::Bits);
            s.int(0x3000_0000);
            s.int(17);
            s.each(n);
        },
    ),
    kernel(
        "add_sparse_rows",
        "sparse matrices",
        [2_000, 50_000, 700_000],
        &[[128, 1, 1], [160, 1, 1]],
        |s, n| {
            let entries = sorted_rows(s, n, 1) + sorted_rows(s, n, 3);
            s.output(U32, entries, Check::Bits);
            s.output(F32, entries, Check::Sum);
            s.output(Element::I32, n, Check::Bits);
            s.float(0.75);
            s.each(n);
        },
    ),
    kernel(
        "tree_inserts",
        "trees",
        [2_000, 60_000, 600_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(below(n, 4 * n, 1));
            s.scrambled(HostBuffer::I32(vec![-1; 2 * n as usize]));
            s.output(U32, 1, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "fm_index_search",
        "genes",
        [3_000, 50_000, 800_000],
        &[[128, 1, 1], [224, 1, 1]],
        |s, n| {
            let length = 64 * n;
            let (index, smaller) = genome(n);
            s.input(HostBuffer::U64(index));
            s.input(HostBuffer::U32(smaller));
            s.input(u32s(n, 2));
            let many = |word: u32| 8 + fraction(word, 8) as u8;
            s.input(HostBuffer::U8(words(n, 3).map(many).collect()));
            s.output(U32, n, Check::Bits);
            s.int(length);
            s.each(n);
        },
    ),
    kernel(
        "rans_streams",
        "compression",
        [1_500, 30_000, 450_000],
        &[[128, 1, 1], [96, 1, 1]],
        |s, n| {
            let shares = frequencies();
            let mut slots = Vec::new();
            for (symbol, &(share, _)) in shares.iter().enumerate() {
                slots.extend((0..share).map(|place| (symbol as u32) << 24 | share << 12 | place));
            }
            let texts: Vec<Vec<u16>> =
                words(n, 1).map(|word| packed(word, &slots, &shares)).collect();
            let mut starts = Vec::new();
            let mut end = 0;
            for text in &texts {
                starts.push(end);
                end += text.len() as u32;
            }
            s.input(HostBuffer::U32(slots));
            s.input(HostBuffer::U32(starts));
            s.input(HostBuffer::U16(texts.concat()));
            s.output(U8, 64 * n, Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "saturating_counts",
        "compare and swap",
        [6_000, 300_000, 5_000_000],
        &[[256, 1, 1], [192, 1, 1]],
        |s, n| {
            // Low keys are more frequent.
            let many = n / 4;
            let key = |word: u32| {
                fraction(fraction(word, 1 << 16) * fraction(again(word), 1 << 16), many)
            };
            s.input(HostBuffer::U32(words(n, 1).map(key).collect()));
            s.output(U32, many.div_ceil(4), Check::Bits);
            s.each(n);
        },
    ),
    kernel(
        "shuffle_records",
        "gathers",
        [5_000, 400_000, 6_000_000],
        &[[256, 1, 1], [96, 1, 1]],
        |s, n| {
            s.input(u32s(10 * n, 1));
            let keys: Vec<u32> = words(n, 2).collect();
            let mut order: Vec<u32> = (0..n).collect();
            order.par_sort_unstable_by_key(|&at| (keys[at as usize], at));
            s.input(HostBuffer::U32(order));
            s.output(U32, 10 * n, Check::Bits);
            s.each(n);
        },
    ),
];
