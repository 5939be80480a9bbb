//! What the ops of a block work on beside their warp's registers.

use crate::machine::bytes::Bytes;
use crate::machine::cluster::Peers;
use crate::machine::fault::{At, Fault};
use crate::machine::memory::{Allocation, Reach};
use crate::machine::tallies::Tallies;
use crate::machine::tensor_map::{TENSOR_MAP_BYTES, TensorMap};
use crate::machine::trap::TrapKind;
use crate::machine::warp::Warp;
use crate::program::{
    CLUSTER_WINDOW_BYTES, CONST_WINDOW, Kernel, LOCAL_WINDOW, PARAMS, SHARED_WINDOW,
    SHARED_WINDOW_BYTES, WINDOW_BYTES, Window,
};

/// Bytes that a launch can print: what `printf` on a GPU buffers by default.
pub(crate) const PRINT_BYTES: usize = 1 << 20;

/// Calls of `printf` by the threads of a block, and bytes that they print, after which the
/// block prints without end: far more than is kept.
pub(crate) const MOST_PRINTS: u64 = 1 << 20;
pub(crate) const MOST_PRINTED: u64 = 64 << 20;

/// What the ops of a block work on beside their warp's registers.
#[derive(Debug)]
pub(crate) struct BlockContext<'m> {
    pub(crate) kernel: &'m Kernel,
    pub(crate) memory: Reach<'m>,
    /// The kernel's parameters, as the constant bank holds them.
    pub(crate) params: &'m [u8],
    /// What the block has printed, as far as it is kept.
    pub(crate) printed: Vec<u8>,
    /// How often the block has printed, and how many bytes.
    pub(crate) prints: (u64, u64),
    /// Whether only this host thread works on global memory.
    pub(crate) alone: bool,
    /// Whether stores and atomics on global memory are watched, and whether one of them has
    /// changed a value since.
    pub(crate) watching: bool,
    pub(crate) changed: bool,
    pub(crate) shared: Bytes,
    /// The other blocks of its cluster.
    pub(crate) peers: Peers,
    pub(crate) tallies: Tallies,
    /// Per site: the allocation that it went to last.
    pub(crate) found: Vec<usize>,
    /// Warp instructions that the block may still issue, of those granted.
    pub(crate) budget: u64,
    pub(crate) granted: u64,
    /// Readings of the clock so far.
    pub(crate) ticks: u64,
    /// How a warp has come to a barrier last.
    /// The same of the barrier of the cluster: whether it waits there or goes on, its lanes, and
    /// the site.
    pub(crate) cluster_arrival: (bool, u32, u16),
}

impl<'m> BlockContext<'m> {
    /// The allocation at an address of global memory, and its number.
    pub(crate) fn locate(&self, address: u64) -> Option<(usize, &'m Allocation)> {
        let index = self.memory.find(address)?;
        Some((index, self.memory.allocation(index)))
    }

    /// What lies at an address that an access of the running block may not go to.
    pub(crate) fn describe(&self, window: Window, address: u64) -> String {
        let (own, len) = (self.peers.own(), self.shared.len());
        let reaches = self.kernel.cluster.reaches;
        let at = match window {
            Window::Shared if !reaches => {
                return format!("offset {address} in {len} bytes of shared memory");
            }
            Window::Shared => address,
            Window::Generic
                if reaches && address.wrapping_sub(SHARED_WINDOW) < CLUSTER_WINDOW_BYTES =>
            {
                address - SHARED_WINDOW
            }
            _ => return self.memory.describe(address),
        };
        if at.wrapping_sub(own) < SHARED_WINDOW_BYTES {
            return format!("offset {} in {len} bytes of shared memory", at - own);
        }
        match self.peers.find(at) {
            Ok((rank, offset)) => format!(
                "offset {offset} in {len} bytes of shared memory of block {rank} of the cluster"
            ),
            Err(why) => why,
        }
    }

    /// The byte at a generic address, as one lane sees it.
    pub(crate) fn byte(&self, warp: &Warp, lane: usize, address: u64) -> Option<u8> {
        let offset = address.wrapping_sub(LOCAL_WINDOW);
        if offset < WINDOW_BYTES {
            return warp.local.holds(offset, 1).then(|| warp.local.load(lane, offset, 1) as u8);
        }
        let offset = address.wrapping_sub(CONST_WINDOW);
        if offset < WINDOW_BYTES {
            return self.bank(offset, 1)?.first().copied();
        }
        let offset = address.wrapping_sub(SHARED_WINDOW + self.peers.own());
        if offset < SHARED_WINDOW_BYTES {
            return (offset < self.shared.len()).then(|| self.shared.load(offset));
        }
        let (_, found) = self.locate(address)?;
        let offset = address - found.base;
        (offset < found.bytes.len()).then(|| found.bytes.load(offset))
    }

    /// The tensor map at a generic address, and the address of its tensor.
    pub(crate) fn tensor_map(
        &self,
        warp: &Warp,
        lane: usize,
        address: u64,
    ) -> Option<(TensorMap, u64)> {
        let mut bytes = [0; TENSOR_MAP_BYTES];
        for (at, byte) in (0..).zip(&mut bytes) {
            *byte = self.byte(warp, lane, address.wrapping_add(at))?;
        }
        TensorMap::decode(&bytes)
    }

    /// Bytes of the constant bank, if they are all there.
    pub(crate) fn bank(&self, at: u64, size: u64) -> Option<&'m [u8]> {
        let (bytes, at) = match at.checked_sub(PARAMS) {
            Some(at) => (self.params, at),
            None => (self.kernel.data.constants.as_slice(), at),
        };
        let at = usize::try_from(at).ok()?;
        bytes.get(at..at.checked_add(size as usize)?)
    }

    /// Prints, up to the size of the buffer that a launch has. Returns whether the block may
    /// go on: one that prints without end does so until here.
    pub(crate) fn print(&mut self, text: &[u8]) -> bool {
        let room = PRINT_BYTES.saturating_sub(self.printed.len());
        self.printed.extend_from_slice(&text[..text.len().min(room)]);
        let (times, bytes) = &mut self.prints;
        *times += 1;
        *bytes += text.len() as u64;
        *times <= MOST_PRINTS && *bytes <= MOST_PRINTED
    }

    /// What a clock shows: the warp instructions that the block has issued. It
    /// is the same in every run, and no two readings of it are equal, since
    /// kernels divide by differences of clocks.
    pub(crate) fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.granted - self.budget + self.ticks
    }

    /// Takes the cost of a basic block from the budget: its first PTX instruction, and
    /// how many there are.
    #[inline(always)]
    pub(crate) fn spend(&mut self, (first, count): (u32, u32), lanes: u32) -> Result<(), Fault> {
        match self.budget.checked_sub(u64::from(count) + 1) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => Err(runaway(first, lanes)),
        }
    }
}

#[cold]
fn runaway(instruction: u32, lanes: u32) -> Fault {
    Fault {
        kind: TrapKind::RunawayLoop,
        at: At::Instruction(instruction),
        lanes,
        message: "the block used up its budget of warp instructions".to_owned(),
    }
}
