//! What other blocks have brought into L2 before a block wants it.
//!
//! Blocks that read the same table in any order find in L2 what others of them have read a while
//! before: only the first of all waits for DRAM. Blocks that go through the same data in step all wait for it.
//!
//! A few blocks are followed, and many run. Formula: where blocks load in any order, another one has loaded
//! a sector by the time that a block wants it with a chance of 1 - (1 - e^-x) / x, if the others load it x
//! times until all end. The blocks that are followed tell x for as many; it grows with the others.

use crate::critical_path::timeline::{NOMINAL, Wait};
use crate::critical_path::trace::Trace;

/// One sector of a load.
struct Asked {
    sector: u64,
    cycles: f32,
    block: usize,
    /// The load it belongs to, counted over all blocks.
    load: usize,
}

/// What the load of a block waits for.
#[derive(Clone, Copy, PartialEq)]
enum Waits {
    /// Nothing: its block has had all of it.
    Not,
    /// Only for what another block loaded a while before.
    Before,
    /// For what no block has loaded.
    Dram,
}

/// Blocks that go through the same data are never wholly in step: those behind find in L2 what they
/// want, and so come to those in front. Loads less apart than this share of the whole time are in step.
const IN_STEP: f32 = 0.1;

/// Of the times that blocks wait for loads, all started together, the share in which another of the
/// `running` ones has loaded the same a while before, as these of them tell. Loads less than a wait apart
/// wait together.
pub(crate) fn loaded_before(blocks: &[Trace], running: u64) -> f32 {
    let others = running.saturating_sub(1) as f64 / blocks.len().saturating_sub(1).max(1) as f64;
    share(others.max(1.0) * times(f64::from(followed(blocks)))) as f32
}

/// The share of the loads of a sector that come behind one of `x` loads of it.
fn share(x: f64) -> f64 {
    // Half of it while it is small.
    if x < 1e-4 { x / 2.0 } else { 1.0 + (-x).exp_m1() / x }
}

/// The loads that make this share.
fn times(of: f64) -> f64 {
    let (mut less, mut more) = (0.0, 1e6);
    for _ in 0..60 {
        let between = 0.5 * (less + more);
        if share(between) < of { less = between } else { more = between }
    }
    less
}

/// The same among these blocks alone.
fn followed(blocks: &[Trace]) -> f32 {
    let far = NOMINAL[Wait::Dram as usize];
    let mut sectors = Vec::new();
    let mut loads = Vec::new();
    let mut end = 0.0_f32;
    for (block, trace) in blocks.iter().enumerate() {
        for (cycles, asked) in trace.first_loads() {
            end = end.max(cycles);
            let load = loads.len();
            loads.push((block, cycles, Waits::Not));
            sectors.extend(asked.iter().map(|&sector| Asked { sector, cycles, block, load }));
        }
    }
    let apart = far.max(IN_STEP * end);
    sectors.sort_unstable_by_key(|it| (it.sector, it.load));
    for same in sectors.chunk_by_mut(|a, b| a.sector == b.sector) {
        // Each block's first load of the sector, and the first of all and of all others.
        same.sort_by(|a, b| a.cycles.total_cmp(&b.cycles));
        let first = (same[0].block, same[0].cycles);
        let others = same.iter().find(|it| it.block != first.0).map_or(f32::MAX, |it| it.cycles);
        let mut had = 0_u128;
        for it in same {
            let own = 1 << (it.block % 128);
            if had & own != 0 {
                continue;
            }
            had |= own;
            let other = if it.block == first.0 { others } else { first.1 };
            let waits = &mut loads[it.load].2;
            if other + apart > it.cycles {
                *waits = Waits::Dram;
            } else if *waits == Waits::Not {
                *waits = Waits::Before;
            }
        }
    }
    let (mut times, mut before) = (0_u32, 0.0);
    let mut waits = loads.into_iter().filter(|(_, _, waits)| *waits != Waits::Not).peekable();
    while let Some((block, since, first)) = waits.next() {
        let (mut all, mut found) = (1_u32, u32::from(first == Waits::Before));
        let beside = |it: &(usize, f32, Waits)| it.0 == block && it.1 < since + far;
        while let Some((_, _, next)) = waits.next_if(beside) {
            all += 1;
            found += u32::from(next == Waits::Before);
        }
        times += 1;
        before += f64::from(found) / f64::from(all);
    }
    if times == 0 { 0.0 } else { (before / f64::from(times)) as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critical_path::trace::Kind;

    /// The share for blocks that load these sectors one by one, where `running` blocks run.
    fn before(blocks: &[&[u64]], running: u64) -> f32 {
        let trace = |sectors: &&[u64]| {
            let mut trace = Trace::default();
            trace.record(Some(1));
            for (number, sector) in sectors.iter().enumerate() {
                trace.begin(Kind::Load, number as f64 * 700.0);
                trace.add(*sector);
            }
            trace.take()
        };
        loaded_before(&blocks.iter().map(trace).collect::<Vec<_>>(), running)
    }

    #[test]
    fn only_the_first_waits_for_a_table_that_all_read_in_another_order() {
        let turned: [&[u64]; 4] = [&[0, 1, 2, 3], &[1, 2, 3, 0], &[2, 3, 0, 1], &[3, 0, 1, 2]];
        assert!((before(&turned, 4) - 0.75).abs() < 1e-4);
        assert!(before(&turned, 400) > 0.99, "the more there are, the less wait for DRAM");
    }

    #[test]
    fn blocks_in_step_and_blocks_apart_all_wait() {
        assert!(before(&[&[0, 1, 2, 3], &[0, 1, 2, 3]], 500).abs() < 1e-4);
        assert!(before(&[&[0, 1, 2, 3], &[4, 5, 6, 7]], 500).abs() < 1e-4);
        assert!(before(&[], 0).abs() < 1e-4);
    }

    #[test]
    fn blocks_that_lag_a_little_are_in_step() {
        let long: Vec<u64> = (0..100).collect();
        let lags: Vec<u64> = [500, 501].into_iter().chain(0..98).collect();
        assert!(before(&[&long, &lags], 500).abs() < 1e-4);
    }
}
