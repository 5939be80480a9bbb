//! How the cycles of a launch join into its time: the last step of the model.

/// What the time of a launch is made of, in cycles unless it says otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parts {
    /// Seconds of the launch, whatever its blocks do.
    pub(super) launch: f64,
    /// All rounds of blocks on the busiest multiprocessor, were it only for their chains.
    pub(super) alone: f64,
    /// The longest chain of a block.
    pub(super) longest: f64,
    /// The multiprocessor's units, of which the busiest one decides.
    pub(super) busiest: f64,
    /// Rounds of resident blocks.
    pub(super) rounds: f64,
    /// Looking back of the first blocks.
    pub(super) look_far: f64,
    /// Looking back of later rounds.
    pub(super) look_back: f64,
    /// DRAM.
    pub(super) dram: f64,
    /// The whole L2.
    pub(super) l2: f64,
    /// Atomics at the slices of L2.
    pub(super) atomics: f64,
    /// Starting all blocks.
    pub(super) starts: f64,
    /// How many times as long waiting and working take where warps do the same at the same time.
    pub(super) crowd: f64,
    /// Whether the blocks have barriers.
    pub(super) barriers: bool,
    /// Until all of the GPU is at work, at most.
    pub(super) fill: f64,
    /// A load that hits L2.
    pub(super) turn: f64,
    /// How fast waiting and working come to overlap.
    pub(super) overlap: f64,
    /// Exponent of the norm that joins a busy DRAM and the chains that wait for it.
    pub(super) queue: f64,
    /// Cycles per second.
    pub(super) clock: f64,
}

impl Parts {
    /// Seconds of the launch.
    pub(super) fn seconds(&self) -> f64 {
        let turns = self.alone / self.turn;
        let exponent = 1.0 + self.overlap * (1.0 + turns).ln();
        let looks = self.look_far + self.look_back;
        let multiprocessor = self.rounds(exponent) * self.crowd + looks;
        // A slice that is busy with atomics holds up the loads that come by it.
        // Behind a barrier they come last: those of the last round follow all else.
        let multiprocessor = if self.barriers {
            multiprocessor + self.atomics / self.rounds
        } else {
            multiprocessor
        };
        let memory = norm(self.dram.max(self.l2), self.atomics, HOLDS_UP);
        let all = self.longest.min(self.fill) + memory.max(self.starts);
        // The busier DRAM is, the longer loads wait for it. Blocks that wait for one another
        // load at the same time and wait at the same time.
        let apart = (self.look_back / (LOOKS * self.alone).max(1.0)).min(1.0);
        let queue = self.queue + apart * (IN_STEP - self.queue);
        let queued = norm(multiprocessor, self.dram, queue);
        self.launch + norm(queued, all, SLOWER) / self.clock
    }

    /// Cycles of all rounds of blocks on the busiest multiprocessor.
    ///
    /// A last round that is not full has less work, but waits as long as any other. So it is while blocks
    /// are in step: the more rounds come before, the more do the last blocks start one by one, beside
    /// others.
    fn rounds(&self, exponent: f64) -> f64 {
        let all = norm(self.alone, self.busiest, exponent);
        let full = self.rounds.floor();
        let rest = self.rounds - full;
        if full < 1.0 || rest <= 0.0 {
            return all;
        }
        let last = norm(self.alone, self.busiest * rest, exponent) / self.rounds;
        all + (last - all * rest / self.rounds) / full.powi(2)
    }
}

/// Exponent of the norm that picks the slower of two, without a corner.
pub(super) const SLOWER: f64 = 8.0;

/// Exponent of the norm that joins a busy DRAM and the chains of blocks that wait for one
/// another: nearly one after the other.
pub(super) const IN_STEP: f64 = 1.12;

/// From this share of the chains on that looking back takes, blocks go in step.
const LOOKS: f64 = 0.3;

/// Exponent of the norm that joins loads and atomics of the same L2: between one after
/// the other, 1, and side by side (set by hand on the fitting half).
const HOLDS_UP: f64 = 1.5;

/// Units of a multiprocessor that work side by side: a little longer than the busiest one, where
/// others are nearly as busy. The exponent was set by hand on the fitting half.
pub(super) fn side_by_side(units: [f64; 4]) -> f64 {
    let busiest = units.into_iter().fold(0.0, f64::max);
    let sum: f64 = units.iter().map(|unit| (unit / busiest.max(1.0)).powi(4)).sum();
    busiest * sum.max(1.0).powf(0.25)
}

/// Two times as one: their sum for exponent 1, towards the larger for more.
pub(super) fn norm(a: f64, b: f64, exponent: f64) -> f64 {
    let larger = a.max(b);
    if larger <= 0.0 {
        return 0.0;
    }
    larger * ((a / larger).powf(exponent) + (b / larger).powf(exponent)).powf(1.0 / exponent)
}
