//! The state of a block, to see whether it comes back.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::machine::{BlockContext, Warp};
use crate::program::SiteKind;

/// Rounds within which a state may come back at least: loops of different length in several warps
/// need some.
const ROUNDS: u32 = 256;

/// Until how many warp instructions a state that is remembered after `spent` may come back: a search
/// that goes round in a full table needs many rounds.
fn until(spent: u64) -> u64 {
    spent.saturating_mul(2)
}

/// A remembered state.
#[derive(Debug)]
pub(super) struct Anchor {
    warps: Vec<Remembered>,
    /// The state beside the warps.
    beside: u64,
    /// What warps have done that others may see.
    seen: u64,
    /// Rounds in which it may come back, and until how many warp instructions beyond these.
    rounds: u32,
    until: u64,
    /// How often each basic block was entered before.
    entered: Vec<u64>,
}

/// A warp of it.
#[derive(Debug)]
struct Remembered {
    /// A part of the state that is cheap to compare and changes in most loops.
    key: u64,
    state: u64,
    /// Whether it can run and its state has not come back.
    away: bool,
}

impl Anchor {
    /// The state after this number of warp instructions, where `rest` is that beside `context` and
    /// `warps`.
    pub(super) fn new(
        (warps, rest): (&[Warp], impl Hash),
        spent: u64,
        context: &BlockContext,
    ) -> Self {
        Self {
            warps: warps.iter().map(Remembered::now).collect(),
            beside: beside(context, rest),
            seen: seen(context),
            rounds: ROUNDS,
            until: until(spent),
            entered: context.tallies.entries.iter().map(|entry| entry.0).collect(),
        }
    }

    /// Counts a round. Whether it is too late for the state to come back.
    pub(super) fn is_over(&mut self, spent: u64) -> bool {
        self.rounds = self.rounds.saturating_sub(1);
        self.rounds == 0 && spent >= self.until
    }

    /// The basic blocks that were entered since.
    pub(super) fn entered_since(&self, context: &BlockContext) -> Vec<usize> {
        let now = context.tallies.entries.iter().map(|entry| entry.0);
        let pairs = self.entered.iter().zip(now).enumerate();
        pairs.filter(|(_, (before, now))| *before < now).map(|(block, _)| block).collect()
    }

    /// Whether the state is that remembered, or each warp has been back in its own since.
    pub(super) fn is_back(
        &mut self,
        warps: &[Warp],
        context: &BlockContext,
        rest: impl Hash,
    ) -> bool {
        let mut all = true;
        let pairs = self.warps.iter_mut().zip(warps);
        for (remembered, warp) in pairs.filter(|(_, warp)| warp.others_ready()) {
            let back = remembered.is(warp);
            remembered.away &= !back;
            all &= back;
        }
        if !all && (self.warps.iter().any(|warp| warp.away) || self.seen != seen(context)) {
            return false;
        }
        let mut others = self.warps.iter().zip(warps).filter(|(_, warp)| !warp.others_ready());
        self.beside == beside(context, rest) && others.all(|(remembered, warp)| remembered.is(warp))
    }

    /// Waits for all of them to come back once more.
    pub(super) fn leave(&mut self, warps: &[Warp], spent: u64) {
        (self.rounds, self.until) = (ROUNDS, until(spent));
        for (remembered, warp) in self.warps.iter_mut().zip(warps) {
            remembered.away = warp.others_ready();
        }
    }
}

impl Remembered {
    fn now(warp: &Warp) -> Self {
        Self { key: key(warp), state: hash(warp), away: warp.others_ready() }
    }

    /// Whether the warp is as it was.
    fn is(&self, warp: &Warp) -> bool {
        key(warp) == self.key && hash(warp) == self.state
    }
}

/// The state of a block beside its warps, without global memory.
fn beside(context: &BlockContext, rest: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    rest.hash(&mut hasher);
    context.ticks.hash(&mut hasher);
    context.shared.hash(&mut hasher);
    context.peers.all().hash(&mut hasher);
    hasher.finish()
}

/// How often warps have waited for others, and written what others of the block may read.
fn seen(context: &BlockContext) -> u64 {
    let sites = context.kernel.sites.iter().zip(&context.tallies.sites);
    sites.fold(context.ticks, |seen, (site, tally)| {
        let writes = if site.kind == SiteKind::Load { 0 } else { tally.shared };
        seen.wrapping_add(tally.waits).wrapping_add(writes)
    })
}

fn hash(warp: &Warp) -> u64 {
    let mut hasher = DefaultHasher::new();
    warp.hash(&mut hasher);
    hasher.finish()
}

/// The registers of the first lane that can run.
fn key(warp: &Warp) -> u64 {
    let mut hasher = DefaultHasher::new();
    let lane = warp.ready_lanes().trailing_zeros() as usize & 31;
    for words in warp.regs32.iter() {
        words[lane].hash(&mut hasher);
    }
    for doubles in warp.regs64.iter() {
        doubles[lane].hash(&mut hasher);
    }
    hasher.finish()
}
