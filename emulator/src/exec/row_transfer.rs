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

/// Whether an access may go by the row: of a full warp. Generic addresses may too: those
/// that lie in the allocation where the site went before lie in no other space.
#[inline(always)]
fn by_row(op: Transfer, mask: u32) -> bool {
    mask == u32::MAX && matches!(op.window, Window::Global | Window::Shared | Window::Generic)
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
    let done = match (op.cell, op.count) {
        _ if !by_row(op, mask) => None,
        (Cell::B32, 1) => {
            reach(context, op, base, 4).map(|it| warp.regs32[slot] = it.load::<N, u32>())
        }
        (Cell::B64, 1) => {
            reach(context, op, base, 8).map(|it| warp.regs64[slot] = it.load::<N, u64>())
        }
        _ => return by_cell::<N>(warp, context, op, load_cells),
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
    let done = match (op.cell, op.count) {
        // What is watched goes the long way.
        _ if context.watching || !by_row(op, mask) => None,
        (Cell::B32, 1) => {
            reach(context, op, base, 4).map(|it| it.store::<N, _>(&warp.regs32[slot]))
        }
        (Cell::B64, 1) => {
            reach(context, op, base, 8).map(|it| it.store::<N, _>(&warp.regs64[slot]))
        }
        _ => return by_cell::<N>(warp, context, op, store_cells),
    };
    done.is_some()
}

/// Carries out an access of several cells a lane, or of narrow ones, if its lanes lie in
/// rows; gives whether they do.
#[inline(always)]
fn by_cell<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    carry_out: fn(&mut Warp, Inside, Transfer),
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if N >= 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { by_cell_avx2(warp, context, op, carry_out) };
    }
    by_cell_body(warp, context, op, carry_out)
}

#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2")]
fn by_cell_avx2(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    carry_out: fn(&mut Warp, Inside, Transfer),
) -> bool {
    by_cell_body(warp, context, op, carry_out)
}

#[inline(always)]
fn by_cell_body(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    carry_out: fn(&mut Warp, Inside, Transfer),
) -> bool {
    let base = &warp.regs64[usize::from(op.a)];
    let Some(inside) = reach(context, op, base, u64::from(op.bytes())) else { return false };
    carry_out(warp, inside, op);
    true
}

fn load_cells(warp: &mut Warp, inside: Inside, op: Transfer) {
    for index in 0..u16::from(op.count) {
        let part = u64::from(index) * u64::from(op.cell.bytes());
        let slot = usize::from(op.slot + index);
        match op.cell {
            Cell::B64 => warp.regs64[slot] = inside.cells(part),
            Cell::B32 => warp.regs32[slot] = inside.cells(part),
            Cell::U16 => warp.regs32[slot] = inside.cells::<u16>(part).map(u32::from),
            Cell::U8 => warp.regs32[slot] = inside.cells::<u8>(part).map(u32::from),
            Cell::S16 => {
                let extend = |value: u16| i32::from(value.cast_signed()).cast_unsigned();
                warp.regs32[slot] = inside.cells(part).map(extend);
            }
            Cell::S8 => {
                let extend = |value: u8| i32::from(value.cast_signed()).cast_unsigned();
                warp.regs32[slot] = inside.cells(part).map(extend);
            }
        }
    }
}

fn store_cells(warp: &mut Warp, inside: Inside, op: Transfer) {
    for index in 0..u16::from(op.count) {
        let part = u64::from(index) * u64::from(op.cell.bytes());
        let slot = usize::from(op.slot + index);
        match op.cell {
            Cell::B64 => inside.put_cells(part, |lane| warp.regs64[slot][lane]),
            Cell::B32 => inside.put_cells(part, |lane| warp.regs32[slot][lane]),
            Cell::U16 | Cell::S16 => {
                inside.put_cells(part, |lane| warp.regs32[slot][lane] as u16);
            }
            Cell::U8 | Cell::S8 => inside.put_cells(part, |lane| warp.regs32[slot][lane] as u8),
        }
    }
}
