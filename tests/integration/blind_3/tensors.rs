//! References for `blind_3/tensors.cu`.

use std::collections::HashMap;

use warpscope::work::{Element, HostBuffer};

use super::{Args, Reference, floats};

fn entropy_gradient(a: &Args) -> Vec<HostBuffer> {
    let (logits, label, classes) = (a.f64s(0), a.sizes(1), a.int(4));
    let (mut gradients, mut losses) = (Vec::new(), Vec::new());
    for (row, label) in logits.chunks_exact(classes).zip(label) {
        let sum: f64 = row.iter().map(|x| x.exp()).sum();
        losses.push(sum.ln() - row[label]);
        let gradient = |(k, x): (usize, &f64)| x.exp() / sum - f64::from(u8::from(k == label));
        gradients.extend(row.iter().enumerate().map(gradient));
    }
    [floats(gradients), floats(losses)].concat()
}

fn unpool_gradient(a: &Args) -> Vec<HostBuffer> {
    let (gradient, which) = (a.f64s(0), a.u8s(1));
    let (side, pooled) = (a.int(3), a.int(4));
    let mut out = vec![0.0; gradient.len() / (pooled * pooled) * side * side];
    for (from, k) in which.into_iter().map(usize::from).enumerate() {
        let (x, y, channel) = (from % pooled, from / pooled % pooled, from / (pooled * pooled));
        out[(channel * side + 2 * y + k / 3) * side + 2 * x + k % 3] += gradient[from];
    }
    floats(out)
}

fn dilated_conv(a: &Args) -> Vec<HostBuffer> {
    let (input, weights, hole) = (a.f64s(0), a.f64s(1), a.int(3));
    floats((0..input.len()).map(|at| {
        let (t, channel) = (at / 32, at % 32);
        let tap = |tap: usize| {
            let from = t.checked_sub(tap * hole)?;
            let each = |c: usize| input[from * 32 + c] * weights[(tap * 32 + c) * 32 + channel];
            Some((0..32).map(each).sum::<f64>())
        };
        (0..2).filter_map(tap).sum::<f64>().tanh()
    }))
}

/// Numbers of half precision, none of them tiny or infinite, as they are.
fn halves(a: &Args, at: usize) -> Vec<f64> {
    let HostBuffer::U16(bits) = a.cast(at, Element::U16) else { unreachable!() };
    let value = |bits: u16| {
        let size =
            f64::from(1024 + (bits & 1023)) * f64::from(i32::from(bits >> 10 & 31) - 25).exp2();
        if bits >> 15 == 1 { -size } else { size }
    };
    bits.into_iter().map(value).collect()
}

/// The nearest number of half precision, as bits; tiny ones have fewer places.
fn half(value: f64) -> u16 {
    let exponent = value.abs().log2().floor().max(-14.0);
    let places = (value.abs() * (10.0 - exponent).exp2()).round_ties_even() as u16;
    let bits = ((exponent + 14.0) as u16) * 1024 + places;
    bits | u16::from(value < 0.0) << 15
}

fn swiglu_halves(a: &Args) -> Vec<HostBuffer> {
    let each = halves(a, 0).into_iter().zip(halves(a, 1));
    vec![HostBuffer::U16(each.map(|(g, u)| half(g / (1.0 + (-g).exp()) * u)).collect())]
}

fn stochastic_bf16(a: &Args) -> Vec<HostBuffer> {
    let rounded = |(i, bits): (u32, u32)| {
        let state = (i + a.int(2) as u32).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = (state >> ((state >> 28) + 4) ^ state).wrapping_mul(277_803_737);
        let random = (word >> 22 ^ word) % 65_536;
        (bits / 65_536 + u32::from(bits % 65_536 + random > 65_535)) as u16
    };
    vec![HostBuffer::U16((0..).zip(a.u32s(0)).map(rounded).collect())]
}

fn decode_attention(a: &Args) -> Vec<HostBuffer> {
    let (query, keys, values) = (a.f64s(0), halves(a, 1), halves(a, 2));
    let caches = keys.chunks_exact(64 * a.int(4)).zip(values.chunks_exact(64 * a.int(4)));
    floats(query.chunks_exact(64).zip(caches).flat_map(|(query, (keys, values))| {
        let score =
            |key: &[f64]| (key.iter().zip(query).map(|(k, q)| k * q).sum::<f64>() / 8.0).exp();
        let scores: Vec<f64> = keys.chunks_exact(64).map(score).collect();
        let all: f64 = scores.iter().sum();
        let mean = |k: usize| {
            scores.iter().zip(values.chunks_exact(64)).map(|(s, v)| s * v[k]).sum::<f64>() / all
        };
        (0..64).map(mean).collect::<Vec<_>>()
    }))
}

fn ctc_alphas(a: &Args) -> Vec<HostBuffer> {
    let (scores, texts) = (a.f64s(0), a.sizes(1));
    let (steps, symbols, letters) = (a.int(3), a.int(4), a.int(5));
    let pairs = scores.chunks_exact(steps * symbols).zip(texts.chunks_exact(letters));
    floats(pairs.map(|(scores, text)| {
        // With likelihoods themselves: by the letters said and whether a blank came last.
        let mut now: HashMap<(usize, bool), f64> = HashMap::from([((0, true), 1.0)]);
        for score in scores.chunks_exact(symbols) {
            let mut next = HashMap::new();
            for ((said, blank), p) in now {
                let mut add = |to, symbol: usize| {
                    *next.entry(to).or_insert(0.0) += p * score[symbol].exp();
                };
                add((said, true), 0);
                if !blank {
                    add((said, false), text[said - 1]);
                }
                if said < letters && (blank || text[said] != text[said - 1]) {
                    add((said + 1, false), text[said]);
                }
            }
            now = next;
        }
        -(now[&(letters, true)] + now[&(letters, false)]).ln()
    }))
}

fn boost_histograms(a: &Args) -> Vec<HostBuffer> {
    let (bins, gradients, n) = (a.u8s(0), a.f64s(1), a.int(3));
    floats(bins.chunks_exact(n).flat_map(|bins| {
        let mut sums = vec![0.0; 128];
        for (bin, gradient) in bins.iter().zip(gradients.chunks_exact(2)) {
            for k in 0..2 {
                sums[2 * usize::from(bin % 64) + k] += gradient[k];
            }
        }
        sums
    }))
}

fn census_shift(a: &Args) -> Vec<HostBuffer> {
    let (left, right, width, height) = (a.u8s(0), a.u8s(1), a.int(3), a.int(4));
    let darker = |picture: &[u8], x: usize, y: usize| -> Vec<bool> {
        let around = (0..25).map(|k| picture[(y + k / 5 - 2) * width + x + k % 5 - 2]);
        around.map(|value| value < picture[y * width + x]).collect()
    };
    let mut shift = vec![0; width * height];
    for (x, y) in (2..height - 2).flat_map(|y| (26..width - 2).map(move |x| (x, y))) {
        let here = darker(&left, x, y);
        let cost =
            |d: &usize| darker(&right, x - d, y).iter().zip(&here).filter(|(a, b)| a != b).count();
        shift[y * width + x] = (0..24).min_by_key(cost).unwrap() as u8;
    }
    vec![HostBuffer::U8(shift)]
}

fn adpcm(a: &Args) -> Vec<HostBuffer> {
    // Each step is a tenth more than the one before, rounded down.
    let steps: Vec<i32> = vec![
        7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60,
        66, 73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371,
        408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878,
        2066, 2272, 2499, 2749, 3024,
    ];
    let mut sound = Vec::new();
    for block in a.u8s(0).chunks_exact(32) {
        let (mut value, mut index) = (0_i32, 16_i32);
        for code in block.iter().flat_map(|byte| [byte & 15, byte >> 4]) {
            let step = steps[index as usize];
            let parts = [(1, 2), (2, 1), (4, 0)].into_iter().filter(|(bit, _)| code & bit != 0);
            let change = step / 8 + parts.map(|(_, by)| step >> by).sum::<i32>();
            value = (value + if code >= 8 { -change } else { change }).clamp(-32_768, 32_767);
            let by = match code % 8 {
                0..4 => -1,
                more => 2 * (i32::from(more) - 3),
            };
            index = (index + by).clamp(0, 63);
            sound.push(value as i16);
        }
    }
    vec![HostBuffer::I16(sound)]
}

fn comb_reverb(a: &Args) -> Vec<HostBuffer> {
    let (mut y, delay, channels) = (a.f64s(0), a.sizes(1), a.int(4));
    for at in 0..y.len() {
        let before = at.checked_sub(delay[at % channels] * channels);
        y[at] += 0.7 * before.map_or(0.0, |before| y[before]);
    }
    floats(y)
}

fn permute_axes(a: &Args) -> Vec<HostBuffer> {
    let (input, sizes) = (a.u32s(0), a.sizes(2));
    let mut out = Vec::new();
    for third in 0..31 {
        for first in 0..sizes[1] {
            for fourth in 0..17 {
                for second in 0..12 {
                    out.push(input[((first * 12 + second) * 31 + third) * 17 + fourth]);
                }
            }
        }
    }
    vec![HostBuffer::U32(out)]
}

fn normal_matrix(a: &Args) -> Vec<HostBuffer> {
    let rows = a.f64s(0);
    let sum = |(r, c): (usize, usize)| rows.chunks_exact(8).map(|row| row[r] * row[c]).sum();
    floats((0..8).flat_map(|r| (0..=r).map(move |c| (r, c))).map(sum))
}

fn thin_edges(a: &Args) -> Vec<HostBuffer> {
    let (dx, dy, width, height) = (a.f64s(0), a.f64s(1), a.int(4), a.int(5));
    let steep = |at: usize| dx[at].hypot(dy[at]);
    let kept = |at: usize| {
        let (x, y) = (at % width, at / width);
        let inner = x > 0 && y > 0 && x + 1 < width && y + 1 < height;
        if !inner || steep(at) <= f64::from(a.float(3)) {
            return 0;
        }
        // The slope of the line across, from the tangent's sign and size.
        let (flat, upright) = (
            dy[at].abs() < 0.414_213_56 * dx[at].abs(),
            dx[at].abs() < 0.414_213_56 * dy[at].abs(),
        );
        let step = match (flat, upright) {
            (true, _) => 1,
            (_, true) => width,
            _ if dx[at] * dy[at] > 0.0 => width + 1,
            _ => width - 1,
        };
        if steep(at) >= steep(at - step) && steep(at) >= steep(at + step) { 255 } else { 0 }
    };
    vec![HostBuffer::U8((0..width * height).map(kept).collect())]
}

pub(super) const ALL: &[(&str, Reference)] = &[
    ("entropy_gradient", entropy_gradient),
    ("unpool_gradient", unpool_gradient),
    ("dilated_conv", dilated_conv),
    ("swiglu_halves", swiglu_halves),
    ("stochastic_bf16", stochastic_bf16),
    ("decode_attention", decode_attention),
    ("ctc_alphas", ctc_alphas),
    ("boost_histograms", boost_histograms),
    ("census_shift", census_shift),
    ("adpcm", adpcm),
    ("comb_reverb", comb_reverb),
    ("permute_axes", permute_axes),
    ("normal_matrix", normal_matrix),
    ("thin_edges", thin_edges),
];
