//! Loops of a kernel that swap a word of shared memory until no other warp was faster, and locks there.
//!
//! The emulator runs one warp after the other, so few swaps fail. On a GPU all warps try at once: one
//! succeeds, which is its turn at the word, and the others fail and try again.
//!
//! Formula, in cycles: a try takes [`TRY`], and [`FURTHER`] for each pass beyond the first. A turn lasts as
//! long as a try, or until a lock is released; at least as long as shared memory needs for one try of
//! every warp, with a lock for two, as it is taken and released. A norm joins what a warp takes by itself and
//! the turns at the busiest word
//! (`benches/data/h200/shared_turns.csv`).

use std::collections::HashMap;

use crate::cost::access;
use crate::cost::swaps::{self, LOCK};
use crate::critical_path::crowd::norm;
use crate::critical_path::history::cycles;
use crate::critical_path::timeline::Wait;
use crate::machine::{BlockContext, LaneAddresses, Warp, lanes};
use crate::program::{Cell, Kernel, Rmw, Slot, Update, Window};

/// What a try takes, and each pass beyond the first.
const TRY: f64 = 140.0;
const FURTHER: f64 = 11.0;

/// What a try takes longer that fails in some lanes.
const FAILED: f64 = 40.0;

/// Cycles of shared memory for each pass of a try, and for a try at least.
const PASS: f64 = 2.4;
const LEAST: f64 = 6.0;

/// Wavefronts of a pass.
const WAVEFRONTS: f64 = 2.0;

/// From the instruction that releases a lock until another warp has it.
const HANDED: f64 = 60.0;

/// A word that several lanes swap.
#[derive(Debug, Default)]
struct Word {
    /// The warps that had a turn.
    warps: u32,
    /// How many turns, and tries of every warp in all of them.
    turns: f64,
    rounds: f64,
    /// Cycles of all turns.
    held: f64,
    /// Since when it is locked.
    locked: Option<f64>,
}

/// The turns since the last barrier.
#[derive(Debug)]
pub(crate) struct Turns {
    /// Per site: tries of every warp in a turn, 0 where no loop tries again.
    sites: Vec<u8>,
    words: HashMap<u64, Word>,
    /// Warps that tried, and in how many passes.
    warps: u32,
    passes: f64,
    /// Tries that gave a lane its turn, and their passes.
    tries: f64,
    tried: f64,
    /// When the warps began, in cycles since the block started.
    began: f64,
    /// Wavefronts of the failed tries of all warps of the block.
    pub(crate) again: f64,
}

impl Turns {
    pub(crate) fn new(kernel: &Kernel) -> Self {
        Self {
            sites: swaps::shared_turns(kernel),
            words: HashMap::new(),
            warps: 0,
            passes: 0.0,
            tries: 0.0,
            tried: 0.0,
            began: 0.0,
            again: 0.0,
        }
    }

    /// Another block starts.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.warps = 0;
        (self.passes, self.tries, self.tried) = (0.0, 0.0, 0.0);
        (self.began, self.again) = (0.0, 0.0);
    }

    /// A warp is about to run an atomic then. Gives how many swaps longer it takes than one pass does.
    pub(crate) fn tries(
        &mut self,
        context: &BlockContext,
        (index, warp): (usize, &Warp),
        update: Update,
        mask: u32,
        now: f64,
    ) -> f32 {
        let site = usize::from(update.site);
        let rounds = self.sites[site];
        let swaps = matches!(update.f, Rmw::CompareExchange | Rmw::Exchange);
        // One that is no try may release a lock.
        let none = rounds == 0 && self.words.is_empty();
        if update.window != Window::Shared || !swaps || none {
            return 0.0;
        }
        let offset = context.kernel.sites[site].offset.cast_unsigned();
        let origin = context.peers.own().wrapping_sub(offset);
        let base = &warp.regs64[usize::from(update.a)];
        let Some(places) = LaneAddresses::new(base, origin, mask) else { return 0.0 };
        let wide = if update.cell == Cell::B64 { 2.0 } else { 1.0 };
        let passes = wide * f64::from(access::atomic_wavefronts(&places, false));
        let (mut had, mut freed) = (Vec::new(), false);
        for lane in lanes(mask) {
            let place = base[lane].wrapping_sub(origin);
            if had.contains(&place) || !changes(context, warp, update, (lane, place)) {
                continue;
            }
            had.push(place);
            let word = self.words.entry(place).or_default();
            let released = update.f == Rmw::Exchange && word.release(now);
            freed |= released;
            if released || rounds == 0 {
                continue;
            }
            word.warps |= 1 << (index & 31);
            word.turns += 1.0;
            word.rounds += f64::from(rounds);
            if rounds == LOCK {
                word.locked = Some(now);
            } else {
                word.held += TRY + FURTHER * (passes - 1.0);
            }
        }
        if rounds == 0 || freed {
            return 0.0;
        }
        self.warps |= 1 << (index & 31);
        self.passes += passes;
        // The formula adds those that fail.
        if !had.is_empty() {
            self.tries += 1.0;
            self.tried += passes;
        }
        let failed = if had.len() < mask.count_ones() as usize { FAILED } else { 0.0 };
        ((passes - 1.0) * FURTHER + failed) as f32 / cycles(Wait::Swap, 1.0) as f32
    }

    /// A warp is about to store then: that may release a lock.
    pub(crate) fn stores(
        &mut self,
        context: &BlockContext,
        warp: &Warp,
        (a, site): (Slot, u16),
        mask: u32,
        now: f64,
    ) {
        if self.words.is_empty() {
            return;
        }
        let offset = context.kernel.sites[usize::from(site)].offset.cast_unsigned();
        for lane in lanes(mask) {
            let place = warp.regs64[usize::from(a)][lane].wrapping_add(offset);
            if let Some(word) = self.words.get_mut(&place.wrapping_sub(context.peers.own())) {
                word.release(now);
            }
        }
    }

    /// Swaps that the warps of a block wait longer at a barrier which they reach after `now` cycles.
    pub(crate) fn longer(&mut self, now: f64) -> f32 {
        let warps = f64::from(std::mem::take(&mut self.warps).count_ones());
        let each = std::mem::take(&mut self.tried) / std::mem::take(&mut self.tries).max(1.0);
        let passes = std::mem::take(&mut self.passes);
        let words = std::mem::take(&mut self.words);
        let words = words.values().filter(|word| word.warps.count_ones() > 1);
        let round = warps * PASS * each;
        let longest = words.map(|word| word.longest(round));
        let busiest = longest.fold(0.0, f64::max);
        if busiest == 0.0 {
            return 0.0;
        }
        let own = (now - self.began).max(1.0);
        let all = norm(own, busiest, 2.0);
        let tried = busiest / (TRY + FURTHER * (each - 1.0)).max(round);
        self.again += WAVEFRONTS * (tried * warps * each - passes).max(0.0);
        (all - own) as f32 / cycles(Wait::Swap, 1.0) as f32
    }

    /// They go on.
    pub(crate) fn begin(&mut self, now: f64) {
        self.began = now;
    }
}

impl Word {
    /// Cycles of all turns, where a try of every warp takes shared memory `round` cycles.
    fn longest(&self, round: f64) -> f64 {
        let least = LEAST * f64::from(self.warps.count_ones());
        self.held.max(self.rounds * round).max(self.turns * least)
    }

    /// Ends its lock, if there is one.
    fn release(&mut self, now: f64) -> bool {
        let since = self.locked.take();
        self.held += since.map_or(0.0, |since| now - since + HANDED);
        since.is_some()
    }
}

/// Whether an atomic of a lane is about to change the word at `place`.
fn changes(
    context: &BlockContext,
    warp: &Warp,
    update: Update,
    (lane, place): (usize, u64),
) -> bool {
    let bytes = u64::from(update.bytes());
    if place % bytes != 0 || place.saturating_add(bytes) > context.shared.len() {
        return false;
    }
    let (found, given) = if update.cell == Cell::B64 {
        (context.shared.load::<u64>(place), warp.regs64[usize::from(update.b)][lane])
    } else {
        let found = u64::from(context.shared.load::<u32>(place & !3));
        (found, u64::from(warp.regs32[usize::from(update.b)][lane]))
    };
    (found == given) == (update.f == Rmw::CompareExchange)
}
