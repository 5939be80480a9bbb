//! A cluster of blocks: their shared memory, and the barrier where they meet.

use crate::machine::bytes::Bytes;
use crate::program::SHARED_WINDOW_BYTES;

/// The blocks of a cluster as the running one sees them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peers {
    /// Number of the running block in its cluster.
    rank: usize,
    /// Address of its shared memory in the shared window.
    own: u64,
    /// The shared memory of all blocks; of the running one, an empty place.
    shared: Vec<Bytes>,
    /// Blocks that have ended, as a mask.
    pub(crate) ended: u32,
}

impl Peers {
    /// Of a cluster of `blocks` blocks with `bytes` of shared memory each.
    pub(crate) fn new(blocks: usize, bytes: u64) -> Self {
        let shared =
            (0..blocks).map(|rank| Bytes::zeroed(if rank == 0 { 0 } else { bytes })).collect();
        Self { rank: 0, own: 0, shared, ended: 0 }
    }

    /// Number of the running block in its cluster.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Where the running block's shared memory starts in the window: 0 unless the kernel reaches
    /// other blocks.
    #[inline(always)]
    pub(crate) fn own(&self) -> u64 {
        self.own
    }

    /// Block `rank` runs from now on; `shared` is the memory of the running block. `apart` tells
    /// whether addresses name their block.
    pub(crate) fn switch(&mut self, shared: &mut Bytes, rank: usize, apart: bool) {
        if rank != self.rank {
            std::mem::swap(shared, &mut self.shared[self.rank]);
            std::mem::swap(shared, &mut self.shared[rank]);
            self.rank = rank;
        }
        self.own = if apart { rank as u64 * SHARED_WINDOW_BYTES } else { 0 };
    }

    /// The other block that has offset `at` of the shared window, and what it has from there.
    pub(crate) fn find(&self, at: u64) -> Result<(u8, u64), String> {
        let (rank, offset) = (at / SHARED_WINDOW_BYTES, at % SHARED_WINDOW_BYTES);
        let blocks = self.shared.len();
        if rank as usize >= blocks.max(1) {
            return Err(format!("block {rank} of a cluster of {} blocks", blocks.max(1)));
        }
        if self.ended >> rank & 1 != 0 {
            return Err(format!(
                "block {rank} of the cluster has ended, and its shared memory with it"
            ));
        }
        Ok((rank as u8, offset))
    }

    /// The shared memory of another block.
    #[inline(always)]
    pub(crate) fn shared(&self, rank: impl Into<usize>) -> &Bytes {
        &self.shared[rank.into()]
    }

    /// The shared memory of all blocks but the running one.
    pub(crate) fn all(&self) -> &[Bytes] {
        &self.shared
    }
}

/// The barrier of a cluster: every thread arrives, later waits for all others to have arrived,
/// and may then arrive for the next phase. Threads that have ended are not waited for.
#[derive(Debug, Clone, Default, Hash)]
pub(crate) struct Meeting {
    /// Per warp of the cluster: lanes that have arrived in this phase.
    arrived: Vec<u32>,
    /// Per warp: lanes that have arrived and not waited since.
    owing: Vec<u32>,
}

impl Meeting {
    /// For a cluster of `warps` warps.
    pub(crate) fn new(warps: usize) -> Self {
        Self { arrived: vec![0; warps], owing: vec![0; warps] }
    }

    /// Lanes of a warp arrive. Gives those of them that have not waited since they last did.
    pub(crate) fn arrive(&mut self, warp: usize, lanes: u32) -> u32 {
        let again = self.owing[warp] & lanes;
        self.owing[warp] |= lanes;
        self.arrived[warp] |= lanes;
        again
    }

    /// Lanes of a warp wait. Gives all of the warp that have to, those that came earlier too, or
    /// else those of `lanes` that never arrived.
    pub(crate) fn wait(&mut self, warp: usize, lanes: u32) -> Result<u32, u32> {
        let never = lanes & !self.owing[warp];
        if never != 0 {
            return Err(never);
        }
        self.owing[warp] &= !lanes;
        Ok(self.arrived[warp] & !self.owing[warp])
    }

    /// Begins the next phase if all of these lanes have arrived that are alive, warp by warp;
    /// gives whether it does.
    pub(crate) fn opens(&mut self, live: impl Iterator<Item = u32>) -> bool {
        let nobody = self.arrived.iter().all(|arrived| *arrived == 0);
        if nobody || live.zip(&self.arrived).any(|(live, arrived)| live & !arrived != 0) {
            return false;
        }
        self.arrived.fill(0);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_end_when_all_that_live_have_arrived() {
        let mut meeting = Meeting::new(2);
        assert_eq!(meeting.arrive(0, 0b11), 0);
        assert!(!meeting.opens([0b11, 0b1].into_iter()));
        assert_eq!(meeting.wait(0, 0b01), Ok(0b01));
        assert_eq!(meeting.wait(1, 0b1), Err(0b1));
        assert_eq!(meeting.arrive(0, 0b10), 0b10, "it has not waited");
        assert!(meeting.opens([0b11, 0].into_iter()), "the other warp has ended");
        // The lane that did not wait in the first phase need not wait for the second.
        assert_eq!(meeting.arrive(0, 0b01), 0);
        assert_eq!(meeting.wait(0, 0b11), Ok(0b01));
        assert!(!meeting.opens([0b11, 0].into_iter()));
    }

    #[test]
    fn lanes_that_wait_already_go_on_waiting() {
        let mut meeting = Meeting::new(2);
        meeting.arrive(0, 0b01);
        assert_eq!(meeting.wait(0, 0b01), Ok(0b01));
        meeting.arrive(0, 0b10);
        assert_eq!(meeting.wait(0, 0b10), Ok(0b11));
    }

    #[test]
    fn the_running_block_has_its_own_memory() {
        let mut shared = Bytes::zeroed(8);
        let mut peers = Peers::new(3, 8);
        for rank in 0..3 {
            peers.switch(&mut shared, rank, true);
            shared.store(0, rank as u64 + 10);
        }
        peers.switch(&mut shared, 1, true);
        assert_eq!((shared.load::<u64>(0), peers.own()), (11, SHARED_WINDOW_BYTES));
        assert_eq!(peers.shared(2_usize).load::<u64>(0), 12);
        assert_eq!(peers.find(2 * SHARED_WINDOW_BYTES + 4), Ok((2, 4)));
        assert!(peers.find(3 * SHARED_WINDOW_BYTES).is_err());
        peers.ended = 0b100;
        assert!(peers.find(2 * SHARED_WINDOW_BYTES).is_err());
    }
}
