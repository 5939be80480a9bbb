//! Loads and stores whose lanes lie anywhere in one allocation, the one that the site went to
//! before, or in the block's shared memory. What goes elsewhere, or wrong, takes the long way of
//! [`crate::exec::transfer`].

use crate::exec::transfer::{count_access, gather_cells, scatter_cells};
use crate::exec::vectors::vectors;
use crate::machine::{BlockContext, Bytes, LaneAddresses, Warp};
use crate::program::{CLUSTER_WINDOW_BYTES, SHARED_WINDOW, Transfer, Window};

/// Finds the lanes' places and counts the access, if all lie there.
#[inline(always)]
fn reach<'c, const N: usize>(
    places: &mut LaneAddresses,
    context: &'c mut BlockContext,
    op: Transfer,
    base: &[u64; 32],
    mask: u32,
) -> Option<&'c Bytes> {
    let site = usize::from(op.site);
    let offset = context.kernel.sites[site].offset.cast_unsigned();
    let first = base[mask.trailing_zeros() as usize & 31].wrapping_add(offset);
    let in_window = first.wrapping_sub(SHARED_WINDOW) < CLUSTER_WINDOW_BYTES;
    let (bytes, start, global) = if op.window == Window::Shared {
        (&context.shared, context.peers.own(), false)
    } else if op.window == Window::Generic && in_window {
        (&context.shared, SHARED_WINDOW + context.peers.own(), false)
    } else {
        let allocation = context.memory.get(context.found[site])?;
        (&allocation.bytes, allocation.base, true)
    };
    if !places.set::<N>(base, start.wrapping_sub(offset), mask) {
        return None;
    }
    places.check(bytes, op.bytes())?;
    let tally = &mut context.tallies.sites[site];
    count_access(context.kernel, tally, places, global, (op.bytes(), op.site));
    Some(bytes)
}

vectors! {
    /// Carries out a load, or a store that is not watched, if its lanes lie so; gives whether they
    /// do.
    transfer => transfer_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32, loads: bool,
    ) -> bool
}

#[inline(always)]
fn transfer_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> bool {
    let op = *op;
    let mut places = LaneAddresses::unset();
    let base = &warp.regs64[usize::from(op.a)];
    let Some(bytes) = reach::<N>(&mut places, context, op, base, mask) else { return false };
    let Some(checked) = places.check(bytes, op.bytes()) else { return false };
    if loads {
        gather_cells::<N>(warp, &checked, op, mask);
    } else {
        scatter_cells(warp, &checked, op);
    }
    true
}
