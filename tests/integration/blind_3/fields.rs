//! References for `blind_3/fields.cu`.

use warpscope::work::HostBuffer;

use super::{Args, Reference, floats};

fn nearest_city(a: &Args) -> Vec<HostBuffer> {
    let (places, cities) = (a.f64s(0), a.f64s(1));
    let far = |p: &[f64], c: &[f64]| {
        let (u, v) = (((c[0] - p[0]) / 2.0).sin(), ((c[1] - p[1]) / 2.0).sin());
        12_742.0 * (u * u + p[0].cos() * c[0].cos() * v * v).sqrt().asin()
    };
    floats(
        places
            .chunks_exact(2)
            .map(|p| cities.chunks_exact(2).map(|c| far(p, c)).fold(f64::MAX, f64::min)),
    )
}

fn verlet_forces(a: &Args) -> Vec<HostBuffer> {
    let (atoms, list, many) = (a.f64s(0), a.sizes(1), a.sizes(2));
    let n = a.int(5);
    floats((0..n).flat_map(|i| {
        let mut sums = [0.0; 4];
        for k in 0..many[i] {
            let j = list[k * n + i];
            let d = [0, 1, 2].map(|axis| atoms[4 * i + axis] - atoms[4 * j + axis]);
            let r2 = d.iter().map(|x| x * x).sum::<f64>().max(0.7);
            if r2 <= f64::from(a.float(4)) {
                let force = 48.0 * r2.powi(-7) - 24.0 * r2.powi(-4);
                for axis in 0..3 {
                    sums[axis] += force * d[axis];
                }
                sums[3] += 4.0 * (r2.powi(-6) - r2.powi(-3));
            }
        }
        sums
    }))
}

fn inside_polygon(a: &Args) -> Vec<HostBuffer> {
    let (corners, points) = (a.f64s(0), a.f64s(2));
    let corners: Vec<_> = corners.chunks_exact(2).collect();
    let inside = |p: &[f64]| {
        let crosses = |k: usize| {
            let (u, v) = (corners[k], corners[(k + 1) % corners.len()]);
            let (low, high) = if u[1] < v[1] { (u, v) } else { (v, u) };
            let side = (high[0] - low[0]) * (p[1] - low[1]) - (high[1] - low[1]) * (p[0] - low[0]);
            low[1] <= p[1] && p[1] < high[1] && side > 0.0
        };
        (0..corners.len()).filter(|&k| crosses(k)).count() as u8 % 2
    };
    vec![HostBuffer::U8(points.chunks_exact(2).map(inside).collect())]
}

/// Where a ray meets a triangle, from Cramer's rule for o + t d = a + u e + v f.
fn meets(ray: &[f64], triangle: &[f64]) -> Option<f64> {
    let column = |from: usize, to: usize| [0, 1, 2].map(|k| triangle[to + k] - triangle[from + k]);
    let (e, f) = (column(0, 3), column(0, 6));
    let d = [3, 4, 5].map(|k| -ray[k]);
    let s = [0, 1, 2].map(|k| ray[k] - triangle[k]);
    let det = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    let whole = det(d, e, f);
    let (t, u, v) = (det(s, e, f) / whole, det(d, s, f) / whole, det(d, e, s) / whole);
    (t > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0).then_some(t)
}

fn bvh_hits(a: &Args) -> Vec<HostBuffer> {
    let (corners, rays) = (a.f64s(1), a.f64s(2));
    floats(rays.chunks_exact(6).map(|ray| {
        corners.chunks_exact(9).filter_map(|t| meets(ray, t)).reduce(f64::min).unwrap_or(0.0)
    }))
}

fn garch_likelihoods(a: &Args) -> Vec<HostBuffer> {
    let (returns, beta) = (a.f64s(0), a.f64s(1));
    let n = a.int(4);
    floats((0..n).map(|i| {
        let (mut h, mut sum) = (1.0_f64, 0.0);
        for day in returns.chunks_exact(n) {
            let square = day[i] * day[i];
            sum -= ((2.0 * std::f64::consts::PI).ln() + h.ln() + square / h) / 2.0;
            h = 0.05 + 0.08 * square + beta[i] * h;
        }
        sum
    }))
}

fn viterbi_paths(a: &Args) -> Vec<HostBuffer> {
    let (seen, go, emit) = (a.u8s(0), a.f32s(1), a.f32s(2));
    let mut paths = Vec::new();
    for seen in seen.chunks_exact(a.int(5)) {
        let emitted = |word: u8, state: usize| emit[usize::from(word) * 32 + state];
        let mut score: Vec<f32> = (0..32).map(|state| emitted(seen[0], state)).collect();
        let mut back = Vec::new();
        for &word in &seen[1..] {
            let best = |to: usize| {
                let all = (0..32).map(|from| (from, score[from] + go[from * 32 + to]));
                all.reduce(|best, next| if next.1 > best.1 { next } else { best }).unwrap()
            };
            let bests: Vec<(usize, f32)> = (0..32).map(best).collect();
            score = (0..32).map(|to| bests[to].1 + emitted(word, to)).collect();
            back.push(bests);
        }
        let mut state = (0..32).max_by(|&a, &b| score[a].total_cmp(&score[b])).unwrap();
        let mut path = vec![state as u8];
        for bests in back.iter().rev() {
            state = bests[state].0;
            path.push(state as u8);
        }
        path.reverse();
        paths.extend(path);
    }
    vec![HostBuffer::U8(paths)]
}

fn spin_bodies(a: &Args) -> Vec<HostBuffer> {
    let dt = f64::from(a.float(1));
    floats(a.f64s(0).chunks_exact(13).flat_map(|body| {
        let mut b: Vec<f64> = body.to_vec();
        b[4] -= 9.81 * dt;
        for k in 0..3 {
            b[k] += dt * b[3 + k];
        }
        if b[1] < 0.0 {
            b[1] = -b[1];
            b[4] *= -0.5;
        }
        // Half the product of the quaternions of speed and of place.
        let (q, w) = (&body[6..10], &body[10..13]);
        let turn = [
            w[0] * q[3] + w[1] * q[2] - w[2] * q[1],
            w[1] * q[3] + w[2] * q[0] - w[0] * q[2],
            w[2] * q[3] + w[0] * q[1] - w[1] * q[0],
            -(w[0] * q[0] + w[1] * q[1] + w[2] * q[2]),
        ];
        let turned: Vec<f64> = (0..4).map(|k| q[k] + dt / 2.0 * turn[k]).collect();
        let length = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
        for k in 0..4 {
            b[6 + k] = turned[k] / length;
        }
        b
    }))
}

fn gray_scott(a: &Args) -> Vec<HostBuffer> {
    let (uv, side) = (a.f64s(0), a.int(4));
    let (feed, kill) = (f64::from(a.float(2)), f64::from(a.float(3)));
    let at = |x: usize, y: usize, k: usize| uv[2 * (y % side * side + x % side) + k];
    floats((0..side * side).flat_map(|cell| {
        let (x, y) = (cell % side + side, cell / side + side);
        let spread = |k| {
            at(x - 1, y, k) + at(x + 1, y, k) + at(x, y - 1, k) + at(x, y + 1, k)
                - 4.0 * at(x, y, k)
        };
        let (u, v) = (at(x, y, 0), at(x, y, 1));
        let u_next = u + 0.16 * spread(0) - u * v * v + feed * (1.0 - u);
        [u_next, v + 0.08 * spread(1) + u * v * v - (feed + kill) * v]
    }))
}

fn incircle(a: &Args) -> Vec<HostBuffer> {
    let (points, quads) = (a.doubles(0), a.sizes(1));
    let sign = |q: &[usize]| {
        // From the circle's centre rather than from the determinant.
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| (points[2 * q[k]], points[2 * q[k] + 1]));
        let (bx, by, cx, cy) = (b.0 - a.0, b.1 - a.1, c.0 - a.0, c.1 - a.1);
        let area = 2.0 * (bx * cy - by * cx);
        let (b2, c2) = (bx * bx + by * by, cx * cx + cy * cy);
        let (x, y) = ((cy * b2 - by * c2) / area, (bx * c2 - cx * b2) / area);
        let away = (d.0 - a.0 - x).hypot(d.1 - a.1 - y);
        if away < x.hypot(y) { 1 } else { -1 }
    };
    vec![HostBuffer::I8(quads.chunks_exact(4).map(sign).collect())]
}

fn kepler(a: &Args) -> Vec<HostBuffer> {
    let found = a.doubles(0).into_iter().zip(a.doubles(1)).map(|(m, e)| {
        let (m, e) = (2.0 * std::f64::consts::PI * m, 0.9 * e);
        // By halves: x - e sin x rises.
        let (mut low, mut high) = (m - 1.0, m + 1.0);
        for _ in 0..60 {
            let x = f64::midpoint(low, high);
            if x - e * x.sin() < m { low = x } else { high = x }
        }
        low
    });
    vec![HostBuffer::F64(found.collect())]
}

pub(super) const ALL: &[(&str, Reference)] = &[
    ("nearest_city", nearest_city),
    ("verlet_forces", verlet_forces),
    ("inside_polygon", inside_polygon),
    ("bvh_hits", bvh_hits),
    ("garch_likelihoods", garch_likelihoods),
    ("viterbi_paths", viterbi_paths),
    ("spin_bodies", spin_bodies),
    ("gray_scott", gray_scott),
    ("incircle", incircle),
    ("kepler", kepler),
];
