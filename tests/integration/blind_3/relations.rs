//! References for `blind_3/relations.cu`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use warpscope::work::HostBuffer;

use super::{Args, Reference, floats};

fn join_partitions(a: &Args) -> Vec<HostBuffer> {
    let (build, first, probe, begin) = (a.u32s(0), a.sizes(1), a.u32s(2), a.sizes(3));
    let sum = |k: usize| {
        let mut most: HashMap<u32, u32> = HashMap::new();
        for pair in build[2 * first[k]..2 * first[k + 1]].chunks_exact(2) {
            let value = most.entry(pair[0]).or_default();
            *value = pair[1].max(*value);
        }
        let found = probe[begin[k]..begin[k + 1]].iter().filter_map(|key| most.get(key));
        found.fold(0_u32, |sum, value| sum.wrapping_add(*value))
    };
    vec![HostBuffer::U32((0..first.len() - 1).map(sum).collect())]
}

fn label_votes(a: &Args) -> Vec<HostBuffer> {
    let (starts, targets, label) = (a.sizes(0), a.sizes(1), a.i32s(2));
    let winner = |v: usize| {
        let mut votes: BTreeMap<i32, usize> = BTreeMap::new();
        for &target in &targets[starts[v]..starts[v + 1]] {
            *votes.entry(label[target]).or_default() += 1;
        }
        let most = votes.values().copied().max().unwrap();
        *votes.iter().find(|(_, votes)| **votes == most).unwrap().0
    };
    vec![HostBuffer::I32((0..label.len()).map(winner).collect())]
}

fn columns_product(a: &Args) -> Vec<HostBuffer> {
    let (starts, rows, values, x) = (a.sizes(0), a.sizes(1), a.f64s(2), a.f64s(3));
    let mut y = vec![0.0; x.len()];
    for column in 0..x.len() {
        for k in starts[column]..starts[column + 1] {
            y[rows[k]] += values[k] * x[column];
        }
    }
    floats(y)
}

fn sampled_products(a: &Args) -> Vec<HostBuffer> {
    let (places, left, right) = (a.sizes(0), a.f64s(1), a.f64s(2));
    floats(places.chunks_exact(2).map(|at| {
        let (u, v) = (&left[64 * at[0]..][..64], &right[64 * at[1]..][..64]);
        u.iter().zip(v).map(|(u, v)| u * v).sum()
    }))
}

fn product_row_sizes(a: &Args) -> Vec<HostBuffer> {
    let (starts, columns) = (a.sizes(0), a.sizes(1));
    let row = |at: usize| &columns[starts[at]..starts[at + 1]];
    let size = |at: usize| {
        let all: BTreeSet<usize> = row(at).iter().flat_map(|&k| row(k)).copied().collect();
        all.len() as i32
    };
    vec![HostBuffer::I32((0..starts.len() - 1).map(size).collect())]
}

fn exchange_step(a: &Args) -> Vec<HostBuffer> {
    let (mut keys, apart, run) = (a.u32s(0), a.int(1), a.int(2));
    for pair in
        (0..keys.len()).filter(|at| at & apart == 0 && at + apart < keys.len()).collect::<Vec<_>>()
    {
        let (a, b) = (keys[pair], keys[pair + apart]);
        let rises = pair / run % 2 == 0;
        (keys[pair], keys[pair + apart]) =
            if rises { (a.min(b), a.max(b)) } else { (a.max(b), a.min(b)) };
    }
    vec![HostBuffer::U32(keys)]
}

fn loglog_registers(a: &Args) -> Vec<HostBuffer> {
    let mut registers = vec![0; 2048];
    for value in a.u32s(0) {
        let mut hash = value;
        hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
        hash ^= hash >> 16;
        // A one at the end stops the count at 21 zeros.
        let zeros = (hash >> 11 << 11 | 1 << 10).leading_zeros().min(21) as i32;
        let register: &mut i32 = &mut registers[hash as usize % 2048];
        *register = (*register).max(zeros + 1);
    }
    vec![HostBuffer::I32(registers)]
}

fn min_hashes(a: &Args) -> Vec<HostBuffer> {
    let (items, starts, factors) = (a.u32s(0), a.sizes(1), a.u32s(2));
    let mut out = Vec::new();
    for set in starts.windows(2) {
        for factor in factors.chunks_exact(2).take(a.block) {
            let hash = |item: &u32| factor[0].wrapping_mul(*item).wrapping_add(factor[1]);
            out.push(items[set[0]..set[1]].iter().map(hash).min().unwrap());
        }
    }
    vec![HostBuffer::U32(out)]
}

fn twister(a: &Args) -> Vec<HostBuffer> {
    let (mut states, mut out) = (a.u32s(0), Vec::new());
    for s in states.chunks_exact_mut(624) {
        for _ in 0..a.int(2) {
            for k in 0..624 {
                let y = s[k] & 0x8000_0000 | s[(k + 1) % 624] & 0x7fff_ffff;
                s[k] = s[(k + 397) % 624] ^ y >> 1 ^ if y % 2 == 1 { 0x9908_b0df } else { 0 };
            }
            out.extend(s.iter().map(|&word| {
                let mut y = word ^ word >> 11;
                y ^= y << 7 & 0x9d2c_5680;
                y ^= y << 15 & 0xefc6_0000;
                y ^ y >> 18
            }));
        }
    }
    vec![HostBuffer::U32(states), HostBuffer::U32(out)]
}

fn flow_tiles(a: &Args) -> Vec<HostBuffer> {
    let (cost, side) = (a.u8s(0), a.int(2));
    let mut distance = vec![1 << 20; side * side];
    for tile in 0..side * side / 256 {
        let corner = tile / (side / 16) * 16 * side + tile % (side / 16) * 16;
        let at = |x: usize, y: usize| corner + y * side + x;
        // Each step is as dear as the cell that it enters: Bellman and Ford's rounds.
        distance[at(8, 8)] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (x, y) in (0..256).map(|cell| (cell % 16, cell / 16)) {
                let mut near = Vec::new();
                near.extend((x > 0).then(|| at(x - 1, y)));
                near.extend((x < 15).then(|| at(x + 1, y)));
                near.extend((y > 0).then(|| at(x, y - 1)));
                near.extend((y < 15).then(|| at(x, y + 1)));
                let here = at(x, y);
                let least = near.into_iter().map(|other| distance[other]).min().unwrap();
                let through = least + i32::from(cost[here]);
                if cost[here] < 250 && through < distance[here] {
                    distance[here] = through;
                    changed = true;
                }
            }
        }
    }
    vec![HostBuffer::I32(distance)]
}

fn shell_rows(a: &Args) -> Vec<HostBuffer> {
    let mut rows = a.f32s(0);
    for row in rows.chunks_exact_mut(a.int(1)) {
        row.sort_by(f32::total_cmp);
    }
    vec![HostBuffer::F32(rows)]
}

fn chunk_entropy(a: &Args) -> Vec<HostBuffer> {
    floats(a.u8s(0).chunks_exact(64).map(|chunk| {
        let share = |low: u8| chunk.iter().filter(|byte| **byte & 15 == low).count() as f64 / 64.0;
        (0..16).map(share).filter(|p| *p > 0.0).map(|p| -p * p.log2()).sum()
    }))
}

pub(super) const ALL: &[(&str, Reference)] = &[
    ("join_partitions", join_partitions),
    ("label_votes", label_votes),
    ("columns_product", columns_product),
    ("sampled_products", sampled_products),
    ("product_row_sizes", product_row_sizes),
    ("exchange_step", exchange_step),
    ("loglog_registers", loglog_registers),
    ("min_hashes", min_hashes),
    ("twister", twister),
    ("flow_tiles", flow_tiles),
    ("shell_rows", shell_rows),
    ("chunk_entropy", chunk_entropy),
];
