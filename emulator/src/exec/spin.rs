//! Finds launches that can never end: every block that runs repeats its state, and nothing
//! that it does changes memory.
//!
//! After many instructions a block remembers its state at the top of a round of its warps:
//! registers, fragments, barriers, shared and local memory. From then on its stores and
//! atomics on global memory are watched. If the state comes back and none of them changed a
//! value, the block spins: with memory as it is, it goes round for ever. Where the warps of a block
//! leave each other alone, it is enough that the state of each comes back some time: of loops of
//! different length, all together may take very long. Only another block can end that. So the launch is lost once every host thread has a block that spins, and
//! each of them has gone round once more since all of them do: by then no block has changed
//! memory for a whole round of all.
//!
//! A loop that counts, reads the clock or changes memory never comes back to a state and is
//! left to the budget.

mod anchor;

use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::exec::spin::anchor::Anchor;
use crate::machine::{BlockContext, Warp};

/// Warp instructions of a block before it is looked at for the first time, more than most
/// blocks issue. Each time after, it is twice as many, up to [`MOST_BETWEEN`] more.
const FIRST_LOOK: u64 = 1 << 20;

/// Warp instructions between two looks, at most: less than a second. A look that finds a
/// block at work costs about a thousandth of that.
const MOST_BETWEEN: u64 = 1 << 25;

/// What the host threads of a launch know of each other's blocks.
#[derive(Debug)]
pub(crate) struct Spins {
    /// Blocks that have started.
    started: AtomicU64,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Host threads that run blocks, or will.
    live: usize,
    /// Of those, the ones whose block spins.
    spinning: usize,
    /// Of those, the ones that have gone round since all spin.
    confirmed: usize,
    /// Grows when a block begins or ends to spin: rounds before that do not count.
    generation: u64,
    /// Whether the launch can never end.
    lost: bool,
}

impl Spins {
    /// For a launch on this number of host threads.
    pub(crate) fn new(threads: usize) -> Self {
        let state = State { live: threads, spinning: 0, confirmed: 0, generation: 0, lost: false };
        Self { started: AtomicU64::new(0), state: Mutex::new(state) }
    }

    /// Number of host threads that run blocks.
    pub(crate) fn expect(&self, threads: usize) {
        self.state().live = threads.max(1);
    }

    /// A host thread has no more blocks.
    pub(crate) fn leave(&self) {
        let mut state = self.state();
        state.live = state.live.saturating_sub(1);
        state.begin();
    }

    /// Notes that `blocks` blocks of the launch ran before.
    pub(crate) fn go_on_after(&self, blocks: u64) {
        self.started.store(blocks, Ordering::Relaxed);
    }

    /// Blocks that have started.
    pub(crate) fn started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Begins a generation.
    fn begin(&mut self) {
        self.generation += 1;
        self.confirmed = 0;
    }
}

/// Looks at one block while it runs.
#[derive(Debug)]
pub(crate) struct Spin<'s> {
    spins: &'s Spins,
    /// Warp instructions after which it remembers a state.
    next: u64,
    anchor: Option<Anchor>,
    /// Whether it is counted among those that spin.
    spins_now: bool,
    /// The generation in which its round began, and whether it has confirmed it.
    round: Option<(u64, bool)>,
}

impl<'s> Spin<'s> {
    /// For a block that starts.
    pub(crate) fn start(spins: &'s Spins) -> Self {
        spins.started.fetch_add(1, Ordering::Relaxed);
        Self { spins, next: FIRST_LOOK, anchor: None, spins_now: false, round: None }
    }

    /// Whether to look at a block after this number of warp instructions.
    #[inline(always)]
    pub(crate) fn is_due(&self, spent: u64) -> bool {
        self.anchor.is_some() || spent >= self.next
    }

    /// Looks at the block at the top of a round, where `rest` is its state beside `context`
    /// and `warps`. Returns the basic blocks that it goes round in if the launch can never
    /// end.
    #[cold]
    pub(crate) fn look(
        &mut self,
        (warps, rest): (&[Warp], impl Hash),
        spent: u64,
        context: &mut BlockContext,
    ) -> Option<Vec<usize>> {
        let Some(anchor) = &mut self.anchor else {
            self.anchor = Some(Anchor::new((warps, rest), spent, context));
            (context.watching, context.changed) = (true, false);
            return None;
        };
        if context.changed || anchor.is_over(spent) {
            self.give_up();
            context.watching = false;
            self.next = spent.saturating_add(spent.min(MOST_BETWEEN));
            return None;
        }
        let lost = if anchor.is_back(warps, context, rest) {
            anchor.leave(warps, spent);
            self.has_gone_round()
        } else {
            self.spins_now && self.spins.state().lost
        };
        let anchor = self.anchor.as_ref().filter(|_| lost)?;
        Some(anchor.entered_since(context))
    }

    /// The state came back, and the block changed nothing. Whether that is true of all.
    fn has_gone_round(&mut self) -> bool {
        let mut state = self.spins.state();
        if !self.spins_now {
            self.spins_now = true;
            state.spinning += 1;
            state.begin();
        }
        if state.lost || state.spinning < state.live {
            return state.lost;
        }
        match &mut self.round {
            Some((generation, confirmed)) if *generation == state.generation => {
                state.confirmed += usize::from(!std::mem::replace(confirmed, true));
            }
            // This round may have begun before all were spinning.
            round => *round = Some((state.generation, false)),
        }
        state.lost = state.confirmed >= state.live;
        state.lost
    }

    /// It does not spin, or no more.
    fn give_up(&mut self) {
        self.anchor = None;
        if std::mem::take(&mut self.spins_now) {
            let mut state = self.spins.state();
            state.spinning -= 1;
            state.begin();
        }
    }
}

impl Drop for Spin<'_> {
    fn drop(&mut self) {
        self.give_up();
    }
}
