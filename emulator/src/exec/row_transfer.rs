//! Loads and stores of full warps by the row: see [`crate::exec::rows`].

use crate::exec::rows::{Inside, Rows};
use crate::exec::vectors::vectors;
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
    let Site { offset, kind, silent, rows: matrices, .. } = context.kernel.sites[site];
    if silent {
        return None;
    }
    let offset = offset.cast_unsigned();
    let tally = &mut context.tallies.sites[site];
    if op.window == Window::Shared {
        let inside = rows.inside(&context.shared, context.peers.own().wrapping_sub(offset))?;
        let load = kind == SiteKind::Load && !matrices;
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

/// Carries out a load if its lanes lie in rows; gives whether they do. (No closures here:
/// what they call would not be inlined.)
#[inline(always)]
pub(crate) fn load<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> bool {
    if !by_row(*op, mask) {
        return false;
    }
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    match (op.cell, op.count) {
        (Cell::B32, 1) => {
            let Some(inside) = reach(context, *op, base, 4) else { return false };
            warp.regs32[slot] = inside.load::<N, u32>();
            true
        }
        (Cell::B64, 1) => {
            let Some(inside) = reach(context, *op, base, 8) else { return false };
            warp.regs64[slot] = inside.load::<N, u64>();
            true
        }
        _ => by_cell::<N>(warp, context, op, true),
    }
}

/// As [`load`], for a store. What is watched goes the long way.
#[inline(always)]
pub(crate) fn store<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> bool {
    if context.watching || !by_row(*op, mask) {
        return false;
    }
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    match (op.cell, op.count) {
        (Cell::B32, 1) => {
            let Some(inside) = reach(context, *op, base, 4) else { return false };
            inside.store::<N, u32>(&warp.regs32[slot]);
            true
        }
        (Cell::B64, 1) => {
            let Some(inside) = reach(context, *op, base, 8) else { return false };
            inside.store::<N, u64>(&warp.regs64[slot]);
            true
        }
        _ => by_cell::<N>(warp, context, op, false),
    }
}

vectors! {
    /// Carries out a load or store of several cells a lane, or of narrow ones, if its lanes
    /// lie in rows; gives whether they do.
    by_cell => by_cell_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, loads: bool,
    ) -> bool
}

#[inline(always)]
fn by_cell_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    loads: bool,
) -> bool {
    let base = &warp.regs64[usize::from(op.a)];
    let Some(inside) = reach(context, *op, base, u64::from(op.bytes())) else { return false };
    if loads {
        load_cells::<N>(warp, inside, *op);
    } else {
        store_cells::<N>(warp, inside, *op);
    }
    true
}

#[inline(always)]
fn load_cells<const N: usize>(warp: &mut Warp, inside: Inside, op: Transfer) {
    let slot = usize::from(op.slot);
    macro_rules! narrow {
        ($ty:ty, $f:expr) => {{
            let values = inside.load::<N, $ty>();
            for lane in 0..32 {
                warp.regs32[slot][lane] = $f(values[lane]);
            }
        }};
    }
    match op.cell {
        Cell::U16 if op.count == 1 => return narrow!(u16, u32::from),
        Cell::U8 if op.count == 1 => return narrow!(u8, u32::from),
        Cell::S16 if op.count == 1 => {
            return narrow!(u16, |value: u16| i32::from(value.cast_signed()).cast_unsigned());
        }
        Cell::S8 if op.count == 1 => {
            return narrow!(u8, |value: u8| i32::from(value.cast_signed()).cast_unsigned());
        }
        _ => {}
    }
    for index in 0..u16::from(op.count) {
        let part = u64::from(index) * u64::from(op.cell.bytes());
        let slot = usize::from(op.slot + index);
        macro_rules! cells {
            ($ty:ty, $f:expr) => {
                inside.cells(part, |lane, value: $ty| warp.regs32[slot][lane] = $f(value))
            };
        }
        match op.cell {
            Cell::B64 => inside.cells(part, |lane, value| warp.regs64[slot][lane] = value),
            Cell::B32 => cells!(u32, |value| value),
            Cell::U16 => cells!(u16, u32::from),
            Cell::U8 => cells!(u8, u32::from),
            Cell::S16 => {
                cells!(u16, |value: u16| i32::from(value.cast_signed()).cast_unsigned());
            }
            Cell::S8 => cells!(u8, |value: u8| i32::from(value.cast_signed()).cast_unsigned()),
        }
    }
}

#[inline(always)]
fn store_cells<const N: usize>(warp: &mut Warp, inside: Inside, op: Transfer) {
    macro_rules! narrow {
        ($ty:ty) => {{
            let mut values = [0; 32];
            for lane in 0..32 {
                values[lane] = warp.regs32[usize::from(op.slot)][lane] as $ty;
            }
            inside.store::<N, $ty>(&values);
        }};
    }
    match op.cell.bytes() {
        1 if op.count == 1 => return narrow!(u8),
        2 if op.count == 1 => return narrow!(u16),
        _ => {}
    }
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
