//! What the operands of the cases in `tests/ptx/` are: edge cases, every one
//! with every other, then random values.

/// Cells per operand column.
pub(crate) const CELLS: usize = 512;

/// A number that depends on nothing but `seed` (splitmix64).
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Zeros, ones, halves, limits, denormals, infinities, NaNs with payloads.
const F32: &[u64] = &[
    0,
    0x8000_0000,
    1,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0001,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc1_2345,
    0x7f81_2345,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x3fc0_0000,
    0xc020_0000,
    0x4049_0fdb,
    0x4f00_0000,
    0x5f80_0000,
];
const F64: &[u64] = &[
    0,
    1 << 63,
    1,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x8010_0000_0000_0001,
    0x7fef_ffff_ffff_ffff,
    0xffef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0xfff8_0123_4567_89ab,
    0x7ff0_0123_4567_89ab,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0xc004_0000_0000_0000,
    0x4009_21fb_5444_2d18,
    0x41e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
];
const F16: &[u64] = &[
    0, 0x8000, 1, 0x83ff, 0x0400, 0x8401, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe45, 0x7d23,
    0x3c00, 0xbc00, 0x3800, 0x3e00, 0xc100, 0x4248, 0x5c00, 0x7800,
];
const BF16: &[u64] = &[
    0, 0x8000, 1, 0x807f, 0x0080, 0x8081, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc5, 0x7f81,
    0x3f80, 0xbf80, 0x3f00, 0x3fc0, 0xc020, 0x4049, 0x4f00, 0x5f80,
];
/// Shift amounts, bit positions and lengths.
const AMOUNT: &[u64] = &[
    0,
    1,
    2,
    5,
    7,
    8,
    15,
    16,
    17,
    24,
    31,
    32,
    33,
    48,
    63,
    64,
    65,
    255,
    256,
    0x8000_0000,
    0xffff_ffff,
];

/// The edge cases of integers of this many bits.
fn integers(bits: u32) -> Vec<u64> {
    let top = 1_u64 << (bits - 1);
    let ones = top | (top - 1);
    let half = bits / 2;
    vec![
        0,
        1,
        ones,
        2,
        ones - 1,
        top - 1,
        top,
        top + 1,
        3,
        7,
        10,
        ones - 9,
        1 << half,
        (1 << half) - 1,
        top >> 1,
        0x55,
        mix(1) & ones,
        mix(2) & ones,
        mix(3) & ones,
        u64::from(bits),
        ones >> (half - 1),
    ]
}

/// The edge cases of a kind of operand.
fn edges(kind: &str) -> Vec<u64> {
    match kind {
        "f32" => F32.to_vec(),
        "f64" => F64.to_vec(),
        "f16" => F16.to_vec(),
        "bf16" => BF16.to_vec(),
        // The other half is another edge case.
        "f16x2" | "bf16x2" => {
            let halves = if kind == "f16x2" { F16 } else { BF16 };
            let n = halves.len();
            (0..n).map(|at| halves[at] | halves[(at * 8 + 3) % n] << 16).collect()
        }
        "angle" | "exponent" => F32[..18]
            .iter()
            .copied()
            .filter(|bits| bits & 0x7f00_0000 != 0x7f00_0000 || bits & 0x00ff_ffff >= 0x0080_0000)
            .collect(),
        "amount" => AMOUNT.to_vec(),
        "fields" => (0..21)
            .map(|at| (AMOUNT[at] & 0xffff) | (AMOUNT[(at * 8 + 3) % 19] & 0xff) << 16)
            .collect(),
        "lane" => (0..32).map(|at| at * 5 % 32).collect(),
        "small" => vec![0, 1, 2, 0xffff_ffff, 3, 0xffff_fffe, 5, 0xffff_fffd],
        _ => integers(kind[1..].parse().unwrap()),
    }
}

/// A random operand of a kind.
fn random(kind: &str, seed: u64) -> u64 {
    let bits = mix(seed);
    let choice = mix(seed ^ 0xabcd) % 4;
    let small = f64::from(bits as i16) / 2.0;
    match kind {
        "f32" if choice == 0 => u64::from((small as f32).to_bits()),
        "f32" if choice < 3 => (bits & 0x80ff_ffff) | (0x3d00_0000 + (bits >> 33 & 0x0780_0000)),
        "f64" if choice == 0 => small.to_bits(),
        "f64" if choice < 3 => {
            (bits & 0x800f_ffff_ffff_ffff) | (0x3fb0_0000_0000_0000 + ((mix(bits) & 0xff) << 50))
        }
        "f16" if choice < 3 => (bits & 0x83ff) | (0x2c00 + (bits >> 20 & 0x1c00)),
        "bf16" if choice < 3 => (bits & 0x80ff) | (0x3c00 + (bits >> 20 & 0x0700)),
        "f16x2" | "bf16x2" => {
            let half = &kind[..kind.len() - 2];
            random(half, bits) | random(half, !bits) << 16
        }
        // In the range for which the ISA states an error.
        "angle" => {
            u64::from(((bits >> 40) as f32 / 16_777_216.0 * 6.25).to_bits()) | (bits & 1) << 31
        }
        "exponent" => u64::from(((bits >> 40) as f32 / 16_777_216.0 * 270.0 - 140.0).to_bits()),
        "amount" => bits % 70,
        "fields" => (bits % 70) | (((bits >> 32) % 70) << 16),
        "lane" => bits % 32,
        "small" => u64::from(((bits % 9) as u32).wrapping_sub(4)),
        "f32" | "f64" | "f16" | "bf16" => bits,
        _ => bits >> (choice * bits_of(kind) / 4),
    }
}

fn bits_of(kind: &str) -> u64 {
    kind[1..].parse().unwrap_or(32)
}

/// The cells of all three columns of a case.
pub(crate) fn columns(kinds: &[&str]) -> Vec<u64> {
    let mut cells = vec![0; 3 * CELLS];
    for (column, kind) in kinds.iter().enumerate() {
        let edges = edges(kind);
        let n = edges.len();
        let crossed = if kinds.len() == 1 { n } else { (n * n).min(CELLS - 64) };
        for at in 0..CELLS {
            let value = if at >= crossed {
                random(kind, (at * 3 + column) as u64)
            } else {
                edges[match column {
                    0 => at % n,
                    1 => at / n % n,
                    _ => (at * 7 + at / n * 3) % n,
                }]
            };
            let width = match *kind {
                "f16x2" | "bf16x2" | "angle" | "exponent" | "amount" | "fields" | "lane"
                | "small" => 32,
                "bf16" => 16,
                _ => bits_of(kind),
            };
            cells[column * CELLS + at] = value & (u64::MAX >> (64 - width));
        }
    }
    cells
}
