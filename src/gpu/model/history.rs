//! What earlier launches of a pipeline left in L2, by footprint.
//!
//! A pipeline starts with a cold L2: that is how times are measured. L2 is then
//! full of other data. Part of it is dirty (the measurement writes to evict everything
//! else) and goes to DRAM when it is evicted. What a
//! launch touches of an allocation stays in L2 for the next, unless all that was
//! touched is more than L2 holds. The footprint in an allocation is the smaller
//! of its size and of the sectors that accesses moved; DRAM gives two of them where one
//! is wanted.

use super::rates::Rates;
use crate::emulator::{Outcome, Touched};
use crate::gpu::GpuSpec;

/// Bytes of a sector and of a line.
const SECTOR: f64 = 32.0;
const LINE: f64 = 128.0;

/// Of L2, what it holds of data that all multiprocessors read: both of its halves keep a copy
/// (loads at random places in 32 MiB to 16 GiB on an H200: `gather` of
/// `benches/data/h200/classes.csv`).
const READ_SHARE: f64 = 0.5;

/// Sectors read from random places in the time of one that L2 lacks for an atomic, and later
/// writes back: 20 billion a second (a table of 32 to 512 MiB: `benches/data/h200/hot.csv`).
pub(super) const UPDATE: f64 = 2.5;

/// How many of `sectors` atomics on random sectors of `bytes` bytes miss L2, which keeps `held` of
/// these bytes. The first atomic on a sector misses, and so does a later one if L2 has given the
/// sector up.
fn missed_updates(sectors: f64, bytes: f64, held: f64) -> f64 {
    let first = bytes / SECTOR * (1.0 - (-sectors * SECTOR / bytes.max(1.0)).exp());
    first + (sectors - first) * (1.0 - held / bytes.max(held))
}

/// Of `sectors` loads at random places in so many bytes, the share that L2 lacks: at first
/// because nobody asked for it (DRAM gives two sectors for one), then because L2 has `held` bytes.
fn miss(sectors: f64, bytes: f64, held: f64) -> f64 {
    if sectors <= 0.0 || bytes <= 0.0 {
        return 0.0;
    }
    let each = 2.0 * SECTOR * sectors / bytes;
    let first = (1.0 - (-each).exp()) / each;
    first.max(1.0 - held / bytes.max(held))
}

/// Stores at places in no order to one allocation, and the bytes over which they spread.
type Spread = (f64, f64);

/// How `stores` at places in no order are spread over allocations, each over `span` bytes at most.
/// An allocation that is written in order gets one store for each sector. So the stores beyond one for each
/// sector tell which allocations are written in no order, and how much.
fn spread(outcome: &Outcome, stores: f64, span: f64) -> Vec<Spread> {
    let once = |it: &Touched| (it.bytes as f64 / SECTOR).min(it.stores as f64);
    let beyond: f64 = outcome.touched.iter().map(|it| it.stores as f64 - once(it)).sum();
    let all: u64 = outcome.touched.iter().map(|it| it.stores).sum();
    let part = |it: &Touched| {
        let own = it.stores as f64;
        stores * if beyond > 0.0 { (own - once(it)) / beyond } else { own / all.max(1) as f64 }
    };
    let of = |it: &Touched| (part(it), span.min(it.bytes as f64).min(part(it) * SECTOR));
    outcome.touched.iter().map(of).filter(|&(stores, _)| stores > 0.0).collect()
}

/// Sectors that such stores push out of `room` bytes of L2, through which `others` bytes pass once at the
/// same time.
///
/// A line stays until those that were used later fill L2: as long for all, so that of few lines that
/// are stored to often it keeps more (the approximation of Che, Tung and Wang for caches that give up
/// what was not used longest). Where a store finds its line with the chance `h`, a line of four sectors
/// gets 1 / (1 - h) stores until it goes, which leave 1 / (1 - 3 h / 4) different sectors to write.
/// Single words at random places in 33 MB to 1 GB bear that out (`scatter` of
/// `benches/data/h200/classes.csv`: 0, 0.60, 0.86, 0.94, 0.98 of the stores; 0, 0.53, 0.86, 0.94,
/// 0.97 by this).
fn pushed_out(spread: &[Spread], room: f64, others: f64) -> f64 {
    // Of a launch, the part that a line stays.
    let gone = |&(stores, bytes): &Spread, part: f64| (-stores * LINE / bytes * part).exp();
    let held = |part: f64| {
        let lines = spread.iter().map(|it| it.1 * (1.0 - gone(it, part)));
        lines.sum::<f64>() + others * part
    };
    if held(1.0) <= room {
        return 0.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = f64::midpoint(low, high);
        if held(middle) < room {
            low = middle;
        } else {
            high = middle;
        }
    }
    let pushed = |it: &Spread| {
        let gone = gone(it, high);
        it.0 * gone / (1.0 - 0.75 * (1.0 - gone))
    };
    spread.iter().map(pushed).sum()
}

/// The launches so far of one pipeline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    launches: u32,
    /// Sectors of each allocation that L2 may hold.
    held: Vec<f64>,
    /// Bytes that came into L2 so far.
    came: f64,
}

/// What one launch moves, as far as footprints tell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Traffic {
    /// Bytes that come out of DRAM.
    pub(super) cold: f64,
    /// Bytes that come out of DRAM again, since blocks drift apart ([`super::drift`]).
    pub(super) again: f64,
    /// Bytes read that an earlier launch left in L2.
    pub(super) warm: f64,
    /// Bytes written, each once.
    pub(super) written: f64,
    /// Written bytes that what comes into L2 pushes out of it.
    pub(super) pushed_out: f64,
    /// Single sectors of loads that come out of DRAM from places in no order.
    pub(super) random_loads: f64,
    /// The same of stores, pushed out.
    pub(super) random_stores: f64,
    /// Sectors at places in no order that L2 lacks for atomics.
    pub(super) updates: f64,
    /// Sectors that come out of DRAM and are changed in place by blocks that touch only half of the line.
    pub(super) in_pieces: f64,
    /// Written sectors of lines that L2 gives up before they are written as a whole.
    pub(super) torn: f64,
}

impl Traffic {
    /// Of what DRAM moves, the share that goes from and to places in no order.
    pub(super) fn random_share(&self) -> f64 {
        let random = self.random_loads + self.random_stores + self.updates * UPDATE;
        let random = random * 2.0 * SECTOR;
        let all = self.cold + self.pushed_out + random;
        if all > 0.0 { random / all } else { 0.0 }
    }

    /// Of what is read, the share that an earlier launch left in L2.
    pub(super) fn warm_share(&self) -> f64 {
        let all = self.cold + self.warm;
        if all > 0.0 { self.warm / all } else { 0.0 }
    }
}

impl History {
    /// Whether nothing was launched yet.
    pub(super) fn is_first(&self) -> bool {
        self.launches == 0
    }

    /// Adds a launch; tells what it moves.
    pub(super) fn add(&mut self, outcome: &Outcome, spec: &GpuSpec, rates: &Rates) -> Traffic {
        self.launches += 1;
        if self.held.len() < outcome.touched.len() {
            self.held.resize(outcome.touched.len(), 0.0);
        }
        let mut traffic = Traffic::default();
        let (mut came, mut written) = (0.0, 0.0);
        let (scatter, _) = super::cache::scatter(outcome);
        let (loads, stores, span) = super::cache::scattered(outcome);
        let updates = super::cache::scattered_atomics(outcome);
        let lost = super::cache::lost(outcome);
        let l2 = spec.l2_bytes as f64;
        // What is written in no order shares L2.
        let parts = spread(outcome, stores, span);
        let spread: f64 = parts.iter().map(|&(_, bytes)| bytes).sum();
        let updated = outcome.touched.iter().filter(|it| it.atomics > 0);
        let both = spread + updated.map(|it| it.bytes as f64).sum::<f64>();
        for (touched, held) in outcome.touched.iter().zip(&mut self.held) {
            let size = touched.bytes as f64 / SECTOR;
            let footprint = |sectors: u64, times: f64| size.min(sectors as f64 * times);
            let (loads, stores) =
                (footprint(touched.loads, scatter), footprint(touched.stores, 1.0));
            let atomics = footprint(touched.atomics, 1.0);
            traffic.cold += (loads - *held).max(0.0) * SECTOR;
            if touched.atomics > 0 && *held < size {
                let (many, bytes) = (updates * touched.atomics as f64, touched.bytes as f64);
                traffic.cold += (1.0 - updates) * (atomics - *held).max(0.0) * SECTOR;
                let room = l2 * bytes / both;
                traffic.updates += missed_updates(many, bytes, room);
            }
            traffic.warm += held.min(loads) * SECTOR;
            let now = held.max(loads).max(stores).max(atomics);
            came += (now - *held) * SECTOR;
            written += stores.max(atomics) * SECTOR;
            *held = now;
        }
        let share = |part: f64, all: f64| (part / all.max(1.0)).min(1.0);
        // What other blocks have just loaded is in L2, however large the array is.
        let others = 1.0 - super::cache::loaded_before(outcome);
        traffic.random_loads += others * loads * miss(loads, span, READ_SHARE * l2);
        traffic.cold *= 1.0 - share(loads, outcome.counters.global_load_sectors as f64);
        let room = l2 * if spread > 0.0 { spread / both } else { 1.0 };
        let pushed = pushed_out(&parts, room, traffic.cold + traffic.warm);
        traffic.random_stores += pushed;
        traffic.torn = (lost.stores - pushed).max(0.0);
        if pushed > 0.0 {
            written *= 1.0 - share(stores, super::cache::stored(outcome));
        }
        // First it takes the place of what was there at the start, then of its own.
        let before = self.came;
        self.came += came;
        let pushed = |came: f64| rates.dirty * (1.0 - (-rates.pushes * came / rates.dirty).exp());
        let others = pushed(self.came) - pushed(before);
        let own = (self.came - before.max(l2)).max(0.0);
        // What came last stays, written or read alike.
        let stays = (l2 / self.came.max(l2)).min(1.0);
        traffic.random_loads += lost.loads * (scatter - 1.0).min(1.0);
        traffic.cold += lost.loads * (2.0 - scatter).max(0.0) * SECTOR;
        traffic.cold += lost.local.0 * SECTOR;
        traffic.in_pieces = traffic.cold / SECTOR * super::cache::in_pieces(outcome);
        traffic.written = written;
        // What L2 loses of local memory was written.
        traffic.pushed_out =
            others + own.min(written * (1.0 - stays)) + (lost.local.0 + lost.local.1) * SECTOR;
        if self.held.iter().sum::<f64>() * SECTOR > spec.l2_bytes as f64 {
            self.held.fill(0.0);
        }
        traffic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const L2: f64 = (50 << 20) as f64;

    #[test]
    fn l2_gives_up_lines_of_four_sectors() {
        let share = |megabytes: u32| {
            let bytes = f64::from(megabytes << 20);
            pushed_out(&[(1e9, bytes)], L2, 0.0) / 1e9
        };
        for (megabytes, expected) in [(32, 0.0), (64, 0.53), (128, 0.86), (256, 0.94), (512, 0.97)]
        {
            let found = share(megabytes);
            assert!((found - expected).abs() < 0.01, "{megabytes} MiB: {found}");
        }
    }

    #[test]
    fn l2_keeps_what_is_stored_to_often_and_less_beside_what_passes() {
        let [large, small] = [(7e6, 112e6), (7e6, 7e6)];
        let alone = pushed_out(&[large], L2, 0.0);
        let both = pushed_out(&[large, small], L2, 0.0);
        assert!((alone..1.1 * alone).contains(&both), "{alone}, {both}");
        let beside = pushed_out(&[large], L2, 500e6);
        assert!(beside > 1.05 * alone, "{alone}, {beside}");
    }

    #[test]
    fn stores_in_no_order_go_where_sectors_are_stored_to_again() {
        let touched = |bytes, stores| Touched { bytes, stores, ..Touched::default() };
        let in_order = touched(32 << 20, 1 << 20);
        let again = touched(64 << 20, 8 << 20);
        let outcome = Outcome { touched: vec![in_order, again], ..Outcome::default() };
        assert_eq!(spread(&outcome, 1e6, 1e9), [(1e6, 32e6)]);
        let alone = Outcome { touched: vec![in_order], ..Outcome::default() };
        assert_eq!(spread(&alone, 1e6, 1e6), [(1e6, 1e6)]);
    }
}
