//! The state of a block between two turns of its warps, kept to go back to it.

use crate::exec::block::{Runner, Shape, Turns};
use crate::machine::{BlockContext, Bytes, Peers, Warp};

/// Everything that what a block does next depends on, but for global memory.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    warps: Vec<Warp>,
    shared: Bytes,
    peers: Peers,
    turns: Turns,
    /// Warp instructions left, readings of the clock, calls of `printf` and their bytes.
    counts: (u64, u64, (u64, u64)),
    /// Bytes of its output so far.
    printed: usize,
}

impl<'m> Runner<'m> {
    /// Keeps the state.
    pub(crate) fn save(&self, turns: &Turns) -> Saved {
        let BlockContext { shared, peers, budget, ticks, prints, printed, .. } = &self.context;
        Saved {
            warps: self.warps.clone(),
            shared: shared.clone(),
            peers: peers.clone(),
            turns: turns.clone(),
            counts: (*budget, *ticks, *prints),
            printed: printed.len(),
        }
    }

    /// Goes back to a state that a runner of the same launch kept. Global memory has to be as
    /// it was then.
    pub(crate) fn restore(&mut self, saved: &Saved) -> Turns {
        let context = &mut self.context;
        self.warps.clone_from(&saved.warps);
        context.shared.clone_from(&saved.shared);
        context.peers.clone_from(&saved.peers);
        (context.budget, context.ticks, context.prints) = saved.counts;
        context.printed.truncate(saved.printed);
        context.watching = false;
        saved.turns.clone()
    }

    /// Bytes that its state takes, nearly.
    pub(crate) fn state_bytes(&self) -> u64 {
        let warps: u64 = self.warps.iter().map(Warp::bytes).sum();
        let peers: u64 = self.context.peers.all().iter().map(Bytes::len).sum();
        warps + self.context.shared.len() + peers + size_of::<Saved>() as u64
    }

    /// What all blocks of the launch share.
    pub(crate) fn shape(&self) -> &'m Shape<'m> {
        self.shape
    }

    /// What the running block works on.
    pub(crate) fn context(&self) -> &BlockContext<'m> {
        &self.context
    }
}
