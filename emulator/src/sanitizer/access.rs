//! A memory access of a warp: where its lanes go, and what that means for the
//! lanes before and after it.

use crate::machine::{BlockContext, Bytes, Warp};
use crate::program::{
    CLUSTER_WINDOW_BYTES, CONST_WINDOW, Cell, LOCAL_WINDOW, Op, SHARED_WINDOW, SHARED_WINDOW_BYTES,
    Slot, WINDOW_BYTES, Window,
};
use crate::sanitizer::order::{MOST_TOGETHER, shared};

/// What an op does to memory.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Access {
    pub(crate) window: Window,
    /// Bytes per lane.
    pub(crate) size: u64,
    /// What the address is a multiple of.
    pub(crate) align: u64,
    /// Slot of the address.
    pub(crate) a: Slot,
    pub(crate) site: u16,
    /// Slot of the value, and whether it has 64 bits, of a store of one cell.
    pub(crate) value: Option<(Slot, bool)>,
    /// Whether an old value is used, for an atomic.
    pub(crate) returns: bool,
    /// The block of the cluster that it goes to, whatever its address says.
    pub(crate) rank: Option<u64>,
}

impl Access {
    /// Where a lane goes.
    pub(crate) fn address(&self, warp: &Warp, context: &BlockContext, lane: usize) -> u64 {
        let offset = context.kernel.sites[usize::from(self.site)].offset.cast_unsigned();
        let address = warp.regs64[usize::from(self.a)][lane].wrapping_add(offset);
        match self.rank {
            Some(rank) => {
                address & !(CLUSTER_WINDOW_BYTES - SHARED_WINDOW_BYTES)
                    | (rank * SHARED_WINDOW_BYTES)
            }
            None => address,
        }
    }
}

/// The access that `op` makes, if it makes one.
pub(crate) fn of(op: Op) -> Option<Access> {
    Some(match op {
        Op::Load(it) => Access {
            window: it.window,
            size: u64::from(it.bytes()),
            align: u64::from(it.bytes()).next_power_of_two(),
            a: it.a,
            site: it.site,
            value: None,
            returns: false,
            rank: None,
        },
        Op::Store(it) => Access {
            value: (it.count == 1).then_some((it.slot, it.cell == Cell::B64)),
            ..of(Op::Load(it))?
        },
        Op::Reduce(it) => Access {
            window: it.window,
            size: u64::from(it.bytes()),
            align: u64::from(it.bytes()).next_power_of_two(),
            a: it.a,
            site: it.site,
            value: None,
            returns: false,
            rank: None,
        },
        // An arrival releases, and its old value orders nothing.
        Op::Atomic { update, .. } => {
            Access { returns: !update.f.is_arrival(), ..of(Op::Reduce(update))? }
        }
        _ => return None,
    })
}

/// In a [`LanePlace`]: constants and parameters, which nobody writes.
const CONSTANT: usize = usize::MAX - MOST_TOGETHER;

/// In a [`LanePlace`]: a thread's local memory.
pub(crate) const LOCAL: usize = CONSTANT - 1;

/// Where one lane goes: an allocation, [`shared`], [`LOCAL`] or [`CONSTANT`],
/// and the offset in it.
pub(crate) type LanePlace = Option<(usize, u64)>;

/// Whether it is a place where threads do not meet.
pub(crate) fn is_private(index: usize) -> bool {
    matches!(index, LOCAL | CONSTANT)
}

/// Finds the allocation of an address, if all `size` bytes lie in it.
pub(crate) fn target(
    warp: &Warp,
    context: &BlockContext,
    window: Window,
    address: u64,
    size: u64,
) -> LanePlace {
    let inside = |offset: u64, len: u64| offset < len && len - offset >= size;
    let in_window = address.wrapping_sub(SHARED_WINDOW) < CLUSTER_WINDOW_BYTES;
    if window == Window::Shared || window == Window::Generic && in_window {
        let at = if window == Window::Shared { address } else { address - SHARED_WINDOW };
        let own = at.wrapping_sub(context.peers.own());
        if own < SHARED_WINDOW_BYTES {
            let here = shared(context.peers.rank());
            return inside(own, context.shared.len()).then_some((here, own));
        }
        let (rank, offset) = context.peers.find(at).ok()?;
        let bytes = context.peers.shared(rank);
        return inside(offset, bytes.len()).then_some((shared(usize::from(rank)), offset));
    }
    let within = |start: u64| {
        Some(address.wrapping_sub(start))
            .filter(|at| window == Window::Generic && *at < WINDOW_BYTES)
    };
    let local = if window == Window::Local { Some(address) } else { within(LOCAL_WINDOW) };
    if let Some(at) = local {
        return warp.local.holds(at, size).then_some((LOCAL, at));
    }
    let constant = if window == Window::Const { Some(address) } else { within(CONST_WINDOW) };
    if let Some(at) = constant {
        return context.bank(at, size).map(|_| (CONSTANT, at));
    }
    if window == Window::Param {
        return Some((CONSTANT, address));
    }
    let index = context.memory.find(address)?;
    let allocation = context.memory.allocation(index);
    let offset = address - allocation.base;
    inside(offset, allocation.bytes.len()).then_some((index, offset))
}

/// The number at `offset`, of up to 8 bytes.
pub(crate) fn held(bytes: &Bytes, offset: u64, size: u64) -> u64 {
    (0..size.min(8)).fold(0, |all, at| all | u64::from(bytes.load::<u8>(offset + at)) << (8 * at))
}
