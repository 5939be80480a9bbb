//! References for `blind_3/codes.cu`.

use std::num::Wrapping;

use warpscope::work::{Element, HostBuffer};

use super::{Args, Reference};

fn iso_times(a: &Args) -> Vec<HostBuffer> {
    let seconds = |text: &[u8]| {
        let text = std::str::from_utf8(text).unwrap();
        let part = |from: usize, to: usize| text[from..to].parse::<u32>().unwrap();
        let leap = |year: u32| {
            year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
        };
        let (year, month) = (part(0, 4), part(5, 7));
        let mut days = part(8, 10) - 1;
        days += (1970..year).map(|year| 365 + u32::from(leap(year))).sum::<u32>();
        days += (1..month)
            .map(|month| match month {
                2 => 28 + u32::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            })
            .sum::<u32>();
        ((days * 24 + part(11, 13)) * 60 + part(14, 16)) * 60 + part(17, 19)
    };
    vec![HostBuffer::U32(a.u8s(0).chunks_exact(20).map(seconds).collect())]
}

fn lz_unpack(a: &Args) -> Vec<HostBuffer> {
    let (packed, starts) = (a.u8s(0), a.sizes(1));
    let mut out = Vec::new();
    for start in starts {
        let (end, mut at) = (out.len() + 256, start);
        while out.len() < end {
            let (literals, copy) = (usize::from(packed[at] >> 4), usize::from(packed[at] & 15));
            out.extend_from_slice(&packed[at + 1..=at + literals]);
            at += 1 + literals;
            if copy > 0 {
                for _ in 0..copy + 2 {
                    out.push(out[out.len() - usize::from(packed[at])]);
                }
                at += 1;
            }
        }
    }
    vec![HostBuffer::U8(out)]
}

fn prefix_decode(a: &Args) -> Vec<HostBuffer> {
    let (bits, starts, each) = (a.u32s(0), a.sizes(1), a.int(4));
    let mut out = Vec::new();
    for mut at in starts {
        let mut take = |many: usize| {
            let bit = |at: usize| (bits[at / 32] >> (31 - at % 32) & 1) as u8;
            let value = (at..at + many).fold(0, |value, at| value << 1 | bit(at));
            at += many;
            value
        };
        for _ in 0..each {
            // Ones, at most three and ended by a zero, say how many bits come.
            let ones = (0..3).take_while(|_| take(1) == 1).count();
            let (first, many) = [(0, 2), (4, 3), (12, 4), (28, 6)][ones];
            out.push(first + take(many));
        }
    }
    vec![HostBuffer::U8(out)]
}

fn unpack_frames(a: &Args) -> Vec<HostBuffer> {
    let (packed, base) = (a.u32s(0), a.i32s(1));
    let bit = |at: usize| (packed[at / 32] >> (at % 32) & 1) as i32;
    let value = |i: usize| base[i / 128] + (0..13).map(|k| bit(13 * i + k) << k).sum::<i32>();
    vec![HostBuffer::I32((0..a.int(3)).map(value).collect())]
}

fn siphash(a: &Args) -> Vec<HostBuffer> {
    let keys = [a.long(2), a.long(3)];
    let hash = |message: &[u64]| {
        let mut v: Vec<Wrapping<u64>> = b"somepseudorandomlygeneratedbytes"
            .chunks_exact(8)
            .zip(keys.iter().cycle())
            .map(|(text, key)| Wrapping(u64::from_be_bytes(text.try_into().unwrap()) ^ key))
            .collect();
        let mut mix = |word: u64, before: u64, rounds: u32| {
            v[3] ^= word;
            v[2] ^= before;
            for _ in 0..rounds {
                for (a, b, by, turn) in
                    [(0, 1, 13, 32), (2, 3, 16, 0), (0, 3, 21, 0), (2, 1, 17, 32)]
                {
                    let more = v[b];
                    v[a] += more;
                    v[b] = Wrapping(v[b].0.rotate_left(by)) ^ v[a];
                    v[a] = Wrapping(v[a].0.rotate_left(turn));
                }
            }
            v[0] ^= word;
            v[0] ^ v[1] ^ v[2] ^ v[3]
        };
        for &word in message {
            mix(word, 0, 2);
        }
        mix(16 << 56, 0, 2);
        mix(0, 255, 4).0
    };
    vec![HostBuffer::U64(a.u64s(0).chunks_exact(2).map(hash).collect())]
}

fn field_tags(a: &Args) -> Vec<HostBuffer> {
    let (messages, n) = (a.u64s(0), a.int(5));
    let wide = |low: u64, high: u64| u128::from(high) << 64 | u128::from(low);
    let key = wide(a.long(2), a.long(3));
    let tag = |i: usize| {
        let mut y = 0;
        for block in messages.chunks_exact(2 * n) {
            let x = y ^ wide(block[2 * i], block[2 * i + 1]);
            // Horner's rule from the highest bit.
            y = (0..128).rev().fold(0_u128, |y, bit| {
                let double = y << 1 ^ if y >> 127 == 1 { 0x87 } else { 0 };
                double ^ if x >> bit & 1 == 1 { key } else { 0 }
            });
        }
        [y as u64, (y >> 64) as u64]
    };
    vec![HostBuffer::U64((0..n).flat_map(tag).collect())]
}

fn othello_moves(a: &Args) -> Vec<HostBuffer> {
    let found = a.u64s(0).into_iter().zip(a.u64s(1)).map(|(mine, theirs)| {
        let has = |board: u64, x: i32, y: i32| {
            (0..8).contains(&x) && (0..8).contains(&y) && board >> (8 * y + x) & 1 == 1
        };
        let turns = |x: i32, y: i32, dx: i32, dy: i32| {
            let many = (1..8).take_while(|k| has(theirs, x + k * dx, y + k * dy)).count() as i32;
            many > 0 && has(mine, x + (many + 1) * dx, y + (many + 1) * dy)
        };
        (0..64).fold(0_u64, |moves, at| {
            let ways = (0..9).filter(|way| *way != 4).map(|way| (way % 3 - 1, way / 3 - 1));
            let mut ways = ways.filter(|(dx, dy)| turns(at % 8, at / 8, *dx, *dy));
            let free = (mine | theirs) >> at & 1 == 0;
            moves | u64::from(free && ways.next().is_some()) << at
        })
    });
    let moves: Vec<u64> = found.collect();
    let choices = moves.iter().map(|moves| moves.count_ones() as i32).collect();
    vec![HostBuffer::U64(moves), HostBuffer::I32(choices)]
}

fn longest_rise(a: &Args) -> Vec<HostBuffer> {
    let longest = |row: &[i32]| {
        let mut ending: Vec<i32> = Vec::new();
        for (k, value) in row.iter().enumerate() {
            let before = (0..k).filter(|&j| row[j] < *value).map(|j| ending[j]).max();
            ending.push(1 + before.unwrap_or(0));
        }
        ending.into_iter().max().unwrap()
    };
    vec![HostBuffer::I32(a.i32s(0).chunks_exact(48).map(longest).collect())]
}

fn parse_sentences(a: &Args) -> Vec<HostBuffer> {
    let (words, rules) = (a.u8s(0), a.u8s(2));
    let HostBuffer::U16(lexicon) = a.cast(1, Element::U16) else { unreachable!() };
    let root = |sentence: &[u8]| {
        // Symbols of the words from one place to another, shorter ones first.
        let mut table = vec![[0_u16; 25]; 25];
        for length in 1..=24 {
            for from in 0..=24 - length {
                let to = from + length;
                if length == 1 {
                    table[from][to] = lexicon[usize::from(sentence[from])];
                }
                for rule in rules.chunks_exact(4) {
                    let fits = |middle: usize| {
                        table[from][middle] >> rule[1] & table[middle][to] >> rule[2] & 1 == 1
                    };
                    if (from + 1..to).any(fits) {
                        table[from][to] |= 1 << rule[0];
                    }
                }
            }
        }
        table[0][24]
    };
    vec![HostBuffer::U16(words.chunks_exact(24).map(root).collect())]
}

fn partitions(a: &Args) -> Vec<HostBuffer> {
    // Ways to pay each sum with coins of 1 to 6.
    let mut ways = [0; 32];
    ways[0] = 1;
    for coin in 1..=6 {
        for sum in coin..32 {
            ways[sum] += ways[sum - coin];
        }
    }
    vec![HostBuffer::I32(a.sizes(0).into_iter().map(|sum| ways[sum]).collect())]
}

fn ring_rule(a: &Args) -> Vec<HostBuffer> {
    let rule = a.int(1);
    let mut rings = a.u32s(0);
    for ring in rings.chunks_exact_mut(32) {
        let cell = |at: usize| (ring[at / 32] >> (at % 32) & 1) as usize;
        let mut cells: Vec<usize> = (0..1024).map(cell).collect();
        for _ in 0..64 {
            let next = |at: usize| {
                let near = cells[(at + 1023) % 1024] << 2 | cells[at] << 1 | cells[(at + 1) % 1024];
                rule >> near & 1
            };
            cells = (0..1024).map(next).collect();
        }
        for (at, word) in ring.iter_mut().enumerate() {
            *word = (0..32).map(|bit| (cells[32 * at + bit] as u32) << bit).sum();
        }
    }
    vec![HostBuffer::U32(rings)]
}

pub(super) const ALL: &[(&str, Reference)] = &[
    ("iso_times", iso_times),
    ("lz_unpack", lz_unpack),
    ("prefix_decode", prefix_decode),
    ("unpack_frames", unpack_frames),
    ("siphash", siphash),
    ("field_tags", field_tags),
    ("othello_moves", othello_moves),
    ("longest_rise", longest_rise),
    ("parse_sentences", parse_sentences),
    ("partitions", partitions),
    ("ring_rule", ring_rule),
];
