//! Blocks that cannot end: what they wait for, in words.

use crate::exec::block::{BlockFault, Runner};
use crate::machine::{At, Fault, TrapKind, Waiting, Warp};
use crate::program::SiteKind;

impl Runner<'_> {
    /// The fault of a block that goes round in these basic blocks for ever.
    #[cold]
    pub(super) fn livelock(&self, blocks: &[usize]) -> (usize, Fault) {
        let kernel = self.shape.kernel;
        let inside = |instruction: u32| {
            blocks.iter().any(|&block| {
                let (first, count) = kernel.blocks[block].ptx;
                (first..first + count).contains(&instruction)
            })
        };
        // What waits is a load or an atomic, where there is one.
        let site = |polls: bool| {
            kernel.sites.iter().position(|site| {
                let reads = matches!(site.kind, SiteKind::Load | SiteKind::Atomic);
                (reads || !polls) && inside(site.instruction)
            })
        };
        let site = site(true).or_else(|| site(false)).map(|site| site as u16);
        let (at, mut message) = if let Some(site) = site {
            let message = format!(
                "all warps repeat their state and nothing changes memory: `{}` never gets another \
                 value",
                kernel.word(site)
            );
            (At::Site(site), message)
        } else {
            let at = blocks.iter().map(|&block| kernel.blocks[block].ptx.0).min();
            let message = "the loop repeats its state and nothing changes memory".to_owned();
            (At::Instruction(at.unwrap_or_default()), message)
        };
        let (started, all) = (self.shape.spins.started(), self.shape.grid.count());
        if started < all {
            message.push_str(&format!(
                "; {started} of {all} blocks have started, and only a GPU that runs them at the \
                 same time lets a later one end this"
            ));
        }
        let lanes = self.warps.iter().map(Warp::ready_lanes).enumerate();
        let (warp, lanes) = lanes.into_iter().find(|(_, lanes)| *lanes != 0).unwrap_or_default();
        (warp, Fault { kind: TrapKind::Livelock, at, lanes, message })
    }

    /// A block whose warps are all idle has ended, or waits for itself.
    pub(super) fn check_all_ended(&self) -> Result<(), BlockFault> {
        let mut waiting = 0;
        let mut first = None;
        let mut stuck = None;
        for (index, warp) in self.warps.iter().enumerate() {
            for fragment in warp.waiting() {
                let (id, site) = match fragment.waiting {
                    Some(Waiting::Barrier { id, site }) => (Some(id), site),
                    Some(Waiting::Cluster { site }) => (None, site),
                    Some(Waiting::Lanes { lanes, site, .. }) => {
                        stuck.get_or_insert((index, lanes, site));
                        continue;
                    }
                    None => continue,
                };
                let block = |index: usize| id.map(|_| index / self.shape.warps());
                let (other, _, shown, _) = *first.get_or_insert((index, fragment.mask, id, site));
                if id == shown && block(index) == block(other) {
                    waiting += fragment.mask.count_ones();
                }
            }
        }
        if let Some((index, lanes, site)) = stuck {
            let message = format!(
                "`{}` waits for lanes of its warp that it names and that wait elsewhere",
                self.shape.kernel.word(site)
            );
            let kind = TrapKind::DivergentBarrier;
            return Err(Box::new((index, Fault { kind, at: At::Site(site), lanes, message })));
        }
        let Some((index, lanes, id, site)) = first else { return Ok(()) };
        let threads = self.shape.block.count() as u32;
        let message = if let Some(id) = id {
            format!(
                "{waiting} threads wait at barrier {id}; {} others of the block wait elsewhere or have ended, and will never come",
                threads - waiting
            )
        } else {
            let others = threads * self.shape.blocks() as u32 - waiting;
            format!(
                "{waiting} threads wait at the barrier of the cluster; {others} others of it wait elsewhere or have ended, and will never come"
            )
        };
        Err(Box::new((
            index,
            Fault { kind: TrapKind::DivergentBarrier, at: At::Site(site), lanes, message },
        )))
    }
}
