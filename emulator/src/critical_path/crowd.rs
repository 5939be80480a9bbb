//! How the warps of a block get in each other's way.
//!
//! Behind a barrier all warps of a block start together, want the same unit at the same time,
//! and wait for the last of them at the next barrier. Over a whole launch, waiting of some warps and
//! work of others overlap; in a short stretch between two barriers hardly so. The timing model
//! joins them over a launch; here is how much longer the stretches take one by one.
//!
//! Formula, in cycles: the slowest warp of a stretch takes `waits` cycles, and is at work itself in
//! `own` of them. In the rest it may wait while others work: the `work` of all warps is joined to
//! that rest by a norm. The norm's exponent grows with the length of the stretch, as in the model.
//! Work is what the busiest scheduler issues, one instruction a cycle, or the wavefronts of
//! shared memory, whichever is more. Warps leave a barrier one after the other, so they are less in
//! each other's way: that much work is done before the last of them starts.
//!
//! A warp keeps to one scheduler, and the warps of a block have them in turn
//! (`benches/data/h200/schedulers.csv`). So the busiest scheduler has more than a quarter of the work
//! where warps are no multiple of four, or some of them do more than others.

use crate::critical_path::timeline::{NOMINAL, Wait};

/// Schedulers of a multiprocessor, which share out the warps of a block.
const SCHEDULERS: usize = 4;

/// How fast waiting and working come to overlap, with the length of the wait: about the factor
/// `overlap` of the timing model.
const OVERLAP: f64 = 0.2;

/// Cycles from one warp to the next that leaves a barrier: what a barrier takes longer with each warp
/// (the key `barrier` of the H200's profile).
const LEAVES: f64 = 2.0;

/// With fewer warps than this, blocks that end at different times even out what schedulers do.
const SEVERAL: usize = 3;

/// What one warp has done since it was at a barrier.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Stretch {
    /// When it left the barrier, in cycles.
    pub(crate) began: f64,
    /// Machine instructions since then.
    pub(crate) work: f32,
    /// Wavefronts of shared memory since then.
    pub(crate) wavefronts: f32,
}

/// The stretches of a block between barriers.
#[derive(Debug, Default)]
pub(crate) struct Crowd {
    /// Blocks that do so side by side on a multiprocessor.
    resident: f64,
    /// Cycles of all stretches one by one.
    one_by_one: f64,
    waits: f64,
    own: f64,
    work: f64,
    many: u32,
    /// Machine instructions by warp modulo four, and the warps.
    issued: [f64; SCHEDULERS],
    warps: usize,
}

impl Crowd {
    pub(crate) fn new(resident: u32) -> Self {
        Self { resident: f64::from(resident.max(1)), ..Self::default() }
    }

    /// Back to the start of a block.
    pub(crate) fn clear(&mut self) {
        *self = Self { resident: self.resident, ..Self::default() };
    }

    /// The warps of these numbers meet, the last of them at `end`.
    pub(crate) fn meet(&mut self, warps: impl Iterator<Item = (usize, Stretch)>, end: f64) {
        let mut schedulers = [0.0_f64; SCHEDULERS];
        let (mut began, mut wavefronts, mut own) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut met = 0.0;
        for (warp, stretch) in warps {
            let (work, passes) = (f64::from(stretch.work), f64::from(stretch.wavefronts));
            schedulers[warp % SCHEDULERS] += work;
            self.issued[warp % SCHEDULERS] += work;
            self.warps = self.warps.max(warp + 1);
            met += 1.0;
            began = began.max(stretch.began);
            wavefronts += passes;
            own = own.max(work).max(passes);
        }
        let waits = (end - began).max(1.0);
        let own = own.min(waits);
        let work = self.resident * schedulers.into_iter().fold(wavefronts, f64::max);
        let work = (work - LEAVES * (met - 1.0)).max(0.0);
        self.one_by_one += joined(waits, own, work);
        self.waits += waits;
        self.own += own;
        self.work += work;
        self.many += 1;
    }

    /// How much longer the stretches take than if all their waiting and work could overlap, as a
    /// part of it. Several blocks are not in step, so they fill each other's gaps.
    pub(crate) fn longer(&self) -> f32 {
        if self.many < 2 {
            return 0.0;
        }
        let at_once = joined(self.waits, self.own, self.work);
        ((self.one_by_one / at_once - 1.0).max(0.0) / self.resident.sqrt()) as f32
    }

    /// How much more than a quarter of all instructions the busiest scheduler issues, as a part of a
    /// quarter. Each block begins one scheduler behind where the block before ended, or if that has
    /// a multiple of four warps, one behind where it began.
    pub(crate) fn lopsided(&self) -> f32 {
        let all: f64 = self.issued.iter().sum();
        if self.warps < SEVERAL || all <= 0.0 {
            return 0.0;
        }
        let blocks = self.resident as usize;
        let turn = match self.warps % SCHEDULERS {
            0 => 1,
            rest => rest,
        };
        let issues = |scheduler: usize| -> f64 {
            (0..blocks)
                .map(|block| scheduler + SCHEDULERS - block * turn % SCHEDULERS)
                .map(|slot| self.issued[slot % SCHEDULERS])
                .sum()
        };
        let busiest = (0..SCHEDULERS).map(issues).fold(0.0, f64::max);
        (SCHEDULERS as f64 * busiest / (all * self.resident) - 1.0) as f32
    }
}

/// Cycles of a warp that waits so long, `own` of it for its own work, beside the `work` of all.
fn joined(waits: f64, own: f64, work: f64) -> f64 {
    let exponent = 1.0 + OVERLAP * (1.0 + waits / f64::from(NOMINAL[Wait::L2Hit as usize])).ln();
    let rest = waits - own;
    waits + norm(rest, work.max(own), exponent) - norm(rest, own, exponent)
}

/// Two times as one: their sum for exponent 1, towards the larger for more.
pub(super) fn norm(a: f64, b: f64, exponent: f64) -> f64 {
    (a.powf(exponent) + b.powf(exponent)).powf(exponent.recip())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How much longer it takes that stretches come one by one. Each has its cycles, its warps, and
    /// the work of each warp.
    fn longer(resident: u32, stretches: &[(f64, usize, f32)]) -> f32 {
        let mut crowd = Crowd::new(resident);
        let mut now = 0.0;
        for &(cycles, warps, work) in stretches {
            let stretch = Stretch { began: now, work, wavefronts: 0.0 };
            now += cycles;
            crowd.meet((0..warps).map(|warp| (warp, stretch)), now);
        }
        crowd.longer()
    }

    #[test]
    fn short_stretches_between_barriers_add_up() {
        let busy = (240.0, 32, 27.0);
        assert!(longer(1, &[busy]).abs() < 1e-6, "nothing to meet for");
        let many = longer(1, &[busy; 20]);
        assert!((0.1..0.6).contains(&many), "{many}");
        assert!(longer(4, &[busy; 20]) < many, "several blocks fill each other's gaps");
        let alone = longer(1, &[(240.0, 4, 27.0); 20]);
        assert!(alone.abs() < 1e-6, "a warp per scheduler is in nobody's way: {alone}");
    }

    /// How much more than its quarter the busiest scheduler issues, where each warp of `resident` blocks
    /// has this work.
    fn lopsided(resident: u32, work: &[f32]) -> f32 {
        let mut crowd = Crowd::new(resident);
        let stretch = |work| Stretch { work, ..Stretch::default() };
        crowd.meet(work.iter().map(|work| stretch(*work)).enumerate(), 100.0);
        crowd.lopsided()
    }

    #[test]
    fn the_busiest_scheduler_is_that_of_most_slots() {
        // Warps on it as measured: 2 of 5, 3 of 10, 4 of 15, 5 of 20; 14 of 54 in blocks of 9.
        for (warps, blocks, most) in
            [(5, 1, 2.0), (5, 2, 3.0), (5, 3, 4.0), (5, 4, 5.0), (9, 6, 14.0), (8, 3, 6.0)]
        {
            let expected = 4.0 * most / (warps as f32 * blocks as f32) - 1.0;
            let found = lopsided(blocks, &vec![10.0; warps]);
            assert!((found - expected).abs() < 1e-5, "{warps} {blocks}: {found} {expected}");
        }
        // One warp of each block works: four blocks of 8 have it on all schedulers, a fifth beside one.
        let one = [9.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert!(lopsided(4, &one).abs() < 1e-5);
        assert!((lopsided(5, &one) - 0.6).abs() < 1e-5);
        assert!((lopsided(2, &one) - 1.0).abs() < 1e-5);
        assert!(lopsided(5, &[9.0]).abs() < 1e-5, "single warps even out");
    }

    #[test]
    fn stretches_that_differ_take_longer_than_alike_ones() {
        let alike = longer(1, &[(1000.0, 32, 100.0); 2]);
        let apart = longer(1, &[(1700.0, 32, 5.0), (300.0, 32, 195.0)]);
        assert!(apart > alike, "{apart} {alike}");
    }
}
