//! Loads and stores of full warps by the row: see [`crate::exec::rows`].

use crate::exec::rows::{Inside, Rows};
use crate::machine::{BlockContext, Warp};
use crate::program::{Cell, Site, SiteKind, Transfer, Window};

/// Where the lanes of an access go, if in rows and to the allocation that the
/// site went to before; then it is counted too.
#[inline(always)]
fn reach<'c>(
    context: &'c mut BlockContext,
    op: Transfer,
    base: &[u64; 32],
    size: u64,
) -> Option<Inside<'c>> {
    let rows = Rows::find(base, size)?;
    let site = usize::from(op.site);
    let Site { offset, kind, silent, .. } = context.kernel.sites[site];
    if silent {
        return None;
    }
    let offset = offset.cast_unsigned();
    let tally = &mut context.tallies.sites[site];
    if op.window == Window::Shared {
        let inside = rows.inside(&context.shared, context.peers.own().wrapping_sub(offset))?;
        let load = kind == SiteKind::Load;
        let (passes, conflicts) = inside.wavefronts(load);
        tally.shared += 1;
        tally.wavefronts += u64::from(passes);
        tally.conflicts += u64::from(conflicts);
        Some(inside)
    } else {
        let allocation = context.memory.get(context.found[site])?;
        let inside = rows.inside(&allocation.bytes, allocation.base.wrapping_sub(offset))?;
        tally.global += 1;
        tally.global_lanes += 32;
        tally.sectors += u64::from(inside.sectors());
        Some(inside)
    }
}

/// Whether an access may go by the row: of a full warp, one word per lane.
#[inline(always)]
fn by_row(op: Transfer, mask: u32) -> bool {
    mask == u32::MAX && op.count == 1 && matches!(op.window, Window::Global | Window::Shared)
}

/// Carries out a load if its lanes lie in rows; gives whether they do.
#[inline(always)]
pub(crate) fn load<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    mask: u32,
) -> bool {
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    let done = match op.cell {
        _ if !by_row(op, mask) => None,
        Cell::B32 => reach(context, op, base, 4).map(|it| warp.regs32[slot] = it.load::<N, u32>()),
        Cell::B64 => reach(context, op, base, 8).map(|it| warp.regs64[slot] = it.load::<N, u64>()),
        _ => None,
    };
    done.is_some()
}

/// As [`load`], for a store.
#[inline(always)]
pub(crate) fn store<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    mask: u32,
) -> bool {
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    let done = match op.cell {
        // What is watched goes the long way.
        _ if context.watching || !by_row(op, mask) => None,
        Cell::B32 => reach(context, op, base, 4).map(|it| it.store::<N, _>(&warp.regs32[slot])),
        Cell::B64 => reach(context, op, base, 8).map(|it| it.store::<N, _>(&warp.regs64[slot])),
        _ => None,
    };
    done.is_some()
}
