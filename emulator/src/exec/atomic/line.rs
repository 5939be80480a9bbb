//! Atomics whose lanes lie side by side, in memory that no other host thread works on.

use crate::cost::{Way, atomic};
use crate::exec::atomic::apply::each_function;
use crate::exec::atomic::function;
use crate::exec::lanes::{self, FULL};
use crate::exec::line::{InsideLine, Line};
use crate::exec::line_moves as moves;
use crate::exec::vectors::vectors;
use crate::lane::Word;
use crate::machine::{BlockContext, CHUNK, Register, SECTOR, Tallies, Warp, put};
use crate::program::{Cell, Rmw, Slot, Update, Window};

vectors! {
    /// Carries out an atomic on cells that lie so; gives whether they do.
    update => update_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Update, d: Option<Slot>, mask: u32,
    ) -> bool
}

#[inline(always)]
fn update_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) -> bool {
    let (shared, wide) = (op.window == Window::Shared, op.cell == Cell::B64);
    let alone = shared || context.alone && !context.watching;
    if !alone || op.cell.bytes() < 4 || op.count != 1 {
        return false;
    }
    let base = &warp.regs64[usize::from(op.a)];
    let Some(line) = Line::find::<N>(base, u64::from(op.cell.bytes()), mask) else { return false };
    let number = usize::from(op.site);
    let site = &context.kernel.sites[number];
    let offset = site.offset.cast_unsigned();
    let (bytes, start) = if shared {
        (&context.shared, context.peers.own())
    } else {
        let Some(found) = context.memory.get(context.found[number]) else { return false };
        (&found.bytes, found.base)
    };
    let Some(inside) = line.inside(bytes, start.wrapping_sub(offset)) else { return false };
    let way = Way::of(op.f, op.cell, site.increments);
    // What loops on 8 bytes cost is known beforehand for a full row alone.
    let loops = shared && wide && matches!(way, Way::Loop | Way::Search);
    if loops && mask != u32::MAX {
        return false;
    }
    let f = function(*op, shared);
    let mut kept = 0;
    if wide {
        let [old] = moves::read_doubles::<N, 1>(&inside);
        let new = side_by_side::<N, u64>(f, &old.0, &warp.regs64, [op.b, op.c]);
        if way == Way::Search {
            kept = lanes::those::<N>(|lane| old.0[lane] == new[0].0[lane]);
        }
        moves::write_doubles::<N, 1>(&inside, &new);
        if let Some(d) = d {
            put::<N, _>(&mut warp.regs64[usize::from(d)], mask, &old.0);
        }
    } else {
        let [old] = moves::read_words::<N, 4, 1>(&inside);
        let new = side_by_side::<N, u32>(f, &old.0, &warp.regs32, [op.b, op.c]);
        moves::write_words::<N, 4, 1>(&inside, &new);
        if let Some(d) = d {
            put::<N, _>(&mut warp.regs32[usize::from(d)], mask, &old.0);
        }
    }
    if shared {
        let cost = atomic::row_cost(way, op.cell, mask, kept);
        count_shared(&mut context.tallies, number, cost);
    } else {
        count_row(&mut context.tallies, context.found[number], number, &inside);
    }
    true
}

/// The new values of lanes that do not meet: all old values are read before any is written.
#[inline(always)]
pub(super) fn side_by_side<const N: usize, W: Word + Default>(
    f: Rmw,
    old: &[W; 32],
    registers: &[[W; 32]],
    [b, c]: [Slot; 2],
) -> [Register<W>; 1] {
    let mut new = [Register::default()];
    each_function!(f, F, {
        for part in 0..32 / N {
            let mut values: [W; N] = old.as_chunks::<N>().0[part];
            let b: [W; N] = lanes::get(registers, b, part);
            let c: [W; N] = lanes::get(registers, c, part);
            for lane in 0..N {
                values[lane] = W::rmw(F, values[lane], b[lane], c[lane]);
            }
            new[0].0.as_chunks_mut::<N>().0[part] = values;
        }
    });
    new
}

/// Counts an atomic on shared memory.
#[inline(always)]
pub(super) fn count_shared(tallies: &mut Tallies, site: usize, cost: atomic::Cost) {
    let tally = &mut tallies.sites[site];
    tally.shared += 1;
    tally.wavefronts += u64::from(cost.atomic);
    tally.loop_loads += u64::from(cost.loads);
}

/// Counts an atomic on a row of global memory, where each lane has an address of its own.
#[inline(always)]
fn count_row(tallies: &mut Tallies, allocation: usize, site: usize, inside: &InsideLine) {
    let (mut sectors, mut chunks) = (0, tallies.atomics_on(allocation));
    if inside.mask() == FULL {
        // Side by side; a chunk has several.
        let (mut first, last) = (inside.first_sector(), inside.last_sector());
        sectors = last - first + 1;
        while first <= last {
            let end = last.min(first | (CHUNK / SECTOR - 1));
            chunks.add(first, (end - first + 1) as u32);
            first = end + 1;
        }
    } else {
        inside.each_sector(|sector| {
            sectors += 1;
            chunks.add(sector, 1);
        });
    }
    let lanes = u64::from(inside.mask().count_ones());
    let tally = &mut tallies.sites[site];
    tally.global += 1;
    tally.global_lanes += lanes;
    tally.sectors += sectors;
    tally.passes += sectors;
    tally.addresses += lanes;
    tally.deepest += 1;
}
