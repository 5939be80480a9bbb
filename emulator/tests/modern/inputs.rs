//! Inputs of the recorded kernels: a hash of trial, operand and index, as
//! `benches/h200/modern/inputs.py` computes it.

/// Bits of exponent and fraction, and bytes, of a float.
fn format(name: &str) -> (u32, u32, usize) {
    match name {
        "f16" => (5, 10, 2),
        "bf16" => (8, 7, 2),
        "tf32" | "f32" => (8, 23, 4),
        "f64" => (11, 52, 8),
        "e4m3" => (4, 3, 1),
        "e5m2" => (5, 2, 1),
        other => panic!("no format {other}"),
    }
}

fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ x >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ x >> 31
}

/// A float of one of eight classes: near one, spread, of any size, tiny, huge, with infinities
/// and NaNs, mostly zero, small beside the sum.
fn float(name: &str, accumulator: bool, trial: u64, r: u64) -> Vec<u8> {
    let (exponents, fraction, bytes) = format(name);
    let (highest, bias) = ((1_i64 << exponents) - 1, (1_i64 << (exponents - 1)) - 1);
    let (sign, x, pick, class) = (r & 1, (r >> 32 & 0xffff) as i64, r >> 56, (trial % 8) as usize);
    let mut part =
        if fraction > 23 { mix(r) >> 12 } else { r >> 1 & 0x7f_ffff & ((1 << fraction) - 1) };
    let (mut exponent, zero) = if accumulator {
        let all = [
            bias - 2 + x % 4,
            bias - 12 + x % 24,
            bias - 20 + x % 40,
            x % 4,
            highest - 1 - x % 4,
            bias - 8 + x % 16,
            bias - 16 + x % 32,
            bias - 8 + x % 24,
        ];
        (all[class], (class == 3 || class == 6) && pick < 128)
    } else {
        let all = [
            bias - 2 + x % 4,
            bias - 8 + x % 16,
            x % highest,
            x % 4,
            highest - 1 - x % 4,
            bias - 8 + x % 16,
            bias - 12 + x % 24,
            bias - 8 + x % 8,
        ];
        (all[class], class == 6 && pick >= 64)
    };
    exponent = exponent.clamp(0, highest - 1);
    if class == 5 && pick < 64 {
        (exponent, part) = match pick {
            0..4 => (highest, 0),
            4..8 => (highest, (1 << fraction) - 1),
            _ => (0, 0),
        };
    }
    if zero {
        (exponent, part) = (0, 0);
    }
    let bits = (sign << exponents | exponent as u64) << fraction | part;
    bits.to_le_bytes()[..bytes].to_vec()
}

fn integer(accumulator: bool, trial: u64, r: u64) -> Vec<u8> {
    if accumulator {
        let largest = if r & 1 != 0 { 0x7fff_ffff } else { 0x8000_0000 };
        let all =
            [(r >> 32) as u32, largest ^ (r >> 40) as u32 & 0xfff, (r >> 40) as u32 & 0xff, 0];
        return all[(trial % 4) as usize].to_le_bytes().to_vec();
    }
    let all = [
        (r >> 32) as u8,
        [0x80, 0x7f, 0xff, 0x88][(r >> 8 & 3) as usize],
        (r >> 16 & 3) as u8,
        [0x80, 0x7f][(trial >> 2 & 1) as usize],
    ];
    vec![all[(trial % 4) as usize]]
}

/// The operands of products, by trial and lane; `kinds` are `registers:type`, in order.
pub(crate) fn product(kinds: &[&str], trials: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for trial in 0..trials {
        for lane in 0..32 {
            for (which, kind) in kinds.iter().enumerate() {
                let (registers, ty) = kind.split_once(':').unwrap();
                let registers: u64 = registers.parse().unwrap();
                let (ty, per) = match ty.split_once('x') {
                    Some((ty, per)) => (ty, per.parse().unwrap()),
                    None if ty == "i8" => (ty, 4),
                    None => (ty, 1),
                };
                for register in 0..registers {
                    for part in 0..per {
                        let index = (lane * registers + register) * per + part;
                        let r = mix(trial << 32 | (which as u64) << 24 | index);
                        out.extend(match ty {
                            "i8" => integer(false, trial, r),
                            "i32" => integer(true, trial, r),
                            ty => float(ty, which == 2, trial, r),
                        });
                    }
                }
            }
        }
    }
    out
}

/// Three runs of matrices in memory: their places as numbers, then random ones.
pub(crate) fn stored(factor: &str, sum: &str) -> Vec<u8> {
    let size = |ty: &str| match ty {
        "s8" | "u8" => 1,
        "s32" => 4,
        ty => format(ty).2,
    };
    let mut out = Vec::new();
    for run in 0..3_u64 {
        for (which, ty, room) in [(0, factor, 4096), (1, factor, 4096), (2, sum, 8192)] {
            for index in 0..(room / size(ty)) as u64 {
                let r = mix(run << 32 | which << 24 | index);
                out.extend(match (run, ty) {
                    (0, "tf32") => ((index as u32 + 1) << 13).to_le_bytes().to_vec(),
                    (0, "s8" | "u8") => vec![(index * 7 + which) as u8],
                    (0, ty) => (index + 1).to_le_bytes()[..size(ty)].to_vec(),
                    (_, "s8" | "u8") => vec![(r >> 32) as u8],
                    (_, "s32") => ((r >> 44) as u32).to_le_bytes().to_vec(),
                    (_, ty) => float(ty, which == 2, run - 1, r),
                });
            }
        }
    }
    out
}

/// The elements of each operand, one after another, by trial; `kinds` are `count:type`, in order.
pub(crate) fn cells(kinds: &[&str], trials: u64) -> Vec<u8> {
    let mut out = Vec::new();
    for trial in 0..trials {
        for (which, kind) in kinds.iter().enumerate() {
            let (count, ty) = kind.split_once(':').unwrap();
            for index in 0..count.parse::<u64>().unwrap() {
                let r = mix(trial << 32 | (which as u64) << 24 | index);
                out.extend(match ty {
                    "i8" => integer(false, trial, r),
                    "i32" => integer(true, trial, r),
                    ty => float(ty, which == 2, trial, r),
                });
            }
        }
    }
    out
}

/// Any bits.
pub(crate) fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes as u64 / 8).flat_map(|index| mix(index).to_le_bytes()).collect()
}
