//! References for `blind_3/walks.cu`.

use warpscope::work::{Element, HostBuffer};

use super::{Args, Reference, floats};

fn sight_lines(a: &Args) -> Vec<HostBuffer> {
    let HostBuffer::I16(height) = a.cast(0, Element::I16) else { unreachable!() };
    let (side, ex, ey) = (a.int(2) as i32, a.int(3) as i32, a.int(4) as i32);
    let at = |x: i32, y: i32| i32::from(height[(y * side + x) as usize]);
    let eye = at(ex, ey) + 200;
    let seen = |cell: i32| {
        let (x, y) = (cell % side, cell / side);
        let (dx, dy) = (x - ex, y - ey);
        let steps = dx.abs().max(dy.abs());
        let slope = (at(x, y) - eye) as f32 / steps as f32;
        let above =
            |k: i32| (at(ex + dx * k / steps, ey + dy * k / steps) - eye) as f32 / k as f32 > slope;
        u8::from(!(1..steps).any(above))
    };
    vec![HostBuffer::U8((0..side * side).map(seen).collect())]
}

fn cube_cases(a: &Args) -> Vec<HostBuffer> {
    let (volume, level, side) = (a.f32s(0), a.float(4), a.int(5));
    let (mut cases, mut total) = (vec![0; side * side * side], 0);
    for (cell, case) in cases.iter_mut().enumerate() {
        let place = [cell % side, cell / side % side, cell / side / side];
        if place.iter().any(|&at| at + 1 == side) {
            continue;
        }
        let above = |k: usize| {
            volume[cell + (k & 1) + side * (k >> 1 & 1) + side * side * (k >> 2)] > level
        };
        *case = (0..8).filter(|&k| above(k)).map(|k| 1_u8 << k).sum();
        for bit in [1, 2, 4] {
            total += (0..8).filter(|k| k & bit == 0 && above(*k) != above(k | bit)).count() as i32;
        }
    }
    vec![HostBuffer::U8(cases), HostBuffer::I32(vec![total])]
}

fn codons(a: &Args) -> Vec<HostBuffer> {
    let letter = |codon: &[u8]| match codon {
        b"TTT" | b"TTC" => b'F',
        b"TTA" | b"TTG" | [b'C', b'T', _] => b'L',
        b"ATG" => b'M',
        [b'A', b'T', _] => b'I',
        [b'G', b'T', _] => b'V',
        [b'T', b'C', _] | b"AGT" | b"AGC" => b'S',
        [b'C', b'C', _] => b'P',
        [b'A', b'C', _] => b'T',
        [b'G', b'C', _] => b'A',
        b"TAT" | b"TAC" => b'Y',
        b"TAA" | b"TAG" | b"TGA" => b'*',
        b"CAT" | b"CAC" => b'H',
        b"CAA" | b"CAG" => b'Q',
        b"AAT" | b"AAC" => b'N',
        b"AAA" | b"AAG" => b'K',
        b"GAT" | b"GAC" => b'D',
        b"GAA" | b"GAG" => b'E',
        b"TGT" | b"TGC" => b'C',
        b"TGG" => b'W',
        [b'G', b'G', _] => b'G',
        _ => b'R',
    };
    vec![HostBuffer::U8(a.u8s(0).chunks_exact(3).map(letter).collect())]
}

fn voxel_walk(a: &Args) -> Vec<HostBuffer> {
    let (solid, width) = (a.u32s(0), a.int(2));
    let steps = |pixel: usize| {
        let slope = |at: usize| (2 * at + 1) as f32 / width as f32 - 1.0;
        let ways = [slope(pixel % width), slope(pixel / width), 0.8];
        let grow = ways.map(|way| (1.0 / way).abs());
        let mut next = grow.map(|by| 0.5 * by);
        let mut place = [64_i32, 64, 0];
        for count in 0.. {
            if place.iter().any(|at| !(0..128).contains(at)) {
                return count;
            }
            let bit = (place[2] * 128 + place[1]) * 128 + place[0];
            if solid[bit as usize / 32] >> (bit % 32) & 1 == 1 {
                return count;
            }
            let axis = match next {
                [x, y, z] if x < y && x < z => 0,
                [_, y, z] if y < z => 1,
                _ => 2,
            };
            place[axis] += if ways[axis] < 0.0 { -1 } else { 1 };
            next[axis] += grow[axis];
        }
        0
    };
    vec![HostBuffer::I32((0..width * width).map(steps).collect())]
}

fn net_integral(a: &Args) -> Vec<HostBuffer> {
    let (directions, n) = (a.u32s(0), a.int(3));
    let mut sum = 0.0;
    for i in 0..n as u32 {
        let away = directions.chunks_exact(32).map(|direction| {
            let gray = i ^ i >> 1;
            let chosen = direction.iter().enumerate().filter(|(bit, _)| gray >> bit & 1 == 1);
            let point = chosen.fold(0, |point, (_, word)| point ^ word);
            (f64::from(point) / 4_294_967_296.0 - 0.5).powi(2)
        });
        sum += (-4.0 * away.sum::<f64>()).exp();
    }
    floats([sum / n as f64])
}

/// A product of matrices of `inner` columns and rows.
fn product(a: &[f64], b: &[f64], inner: usize) -> Vec<f64> {
    let (rows, columns) = (a.len() / inner, b.len() / inner);
    let cell = |at: usize| {
        (0..inner).map(|k| a[at / columns * inner + k] * b[k * columns + at % columns]).sum()
    };
    (0..rows * columns).map(cell).collect()
}

fn kalman_tracks(a: &Args) -> Vec<HostBuffer> {
    let (seen, noise, n) = (a.f64s(0), a.f64s(1), a.int(4));
    let moves: Vec<f64> = (0..36)
        .map(|at| match at % 6 {
            column if column == at / 6 => 1.0,
            column if column == at / 6 + 2 => f64::from(0.1_f32),
            _ => 0.0,
        })
        .collect();
    let transposed: Vec<f64> = (0..36).map(|at| moves[at % 6 * 6 + at / 6]).collect();
    floats((0..n).flat_map(|i| {
        let (mut s, r) = (vec![0.0; 6], f64::from(0.1_f32) + noise[i]);
        let mut p: Vec<f64> = (0..36).map(|at| if at % 7 == 0 { 10.0 } else { 0.0 }).collect();
        for t in 0..a.int(3) {
            s = product(&moves, &s, 6);
            p = product(&product(&moves, &p, 6), &transposed, 6);
            p[28] += 0.01;
            p[35] += 0.01;
            // Both places at once: the gain is P H' (H P H' + R)^-1.
            let (q, w, e) = (p[0] + r, p[7] + r, p[1]);
            let det = q * w - e * e;
            let miss = [0, 1].map(|k| seen[2 * (t * n + i) + k] - s[k]);
            let gain = |row: usize| {
                let (x, y) = (p[row * 6], p[row * 6 + 1]);
                [(x * w - y * e) / det, (y * q - x * e) / det]
            };
            let gains: Vec<[f64; 2]> = (0..6).map(gain).collect();
            let before = p.clone();
            for (row, gain) in gains.iter().enumerate() {
                s[row] += gain[0] * miss[0] + gain[1] * miss[1];
                for column in 0..6 {
                    p[row * 6 + column] -= gain[0] * before[column] + gain[1] * before[6 + column];
                }
            }
        }
        [s[0], s[1]]
    }))
}

pub(super) const ALL: &[(&str, Reference)] = &[
    ("sight_lines", sight_lines),
    ("cube_cases", cube_cases),
    ("codons", codons),
    ("voxel_walk", voxel_walk),
    ("net_integral", net_integral),
    ("kalman_tracks", kalman_tracks),
];
