//! Atomics whose lanes lie side by side, or all at one place, in memory that no other host
//! thread works on.

use crate::cost::{Way, atomic};
use crate::exec::atomic::apply::each_function;
use crate::exec::atomic::function;
use crate::exec::lanes;
use crate::exec::line::{InsideLine, Line};
use crate::exec::line_moves as moves;
use crate::exec::vectors::vectors;
use crate::lane::{Word, mbarrier};
use crate::machine::{BlockContext, Register, Tallies, Warp, lanes as lanes_of, put};
use crate::program::{Cell, Combines, Rmw, Slot, Update, Window};

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
    if N != 16 || !alone || op.cell.bytes() < 4 || op.count != 1 {
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
    if loops && (inside.together() || mask != u32::MAX) {
        return false;
    }
    let f = function(*op, shared);
    if inside.together() {
        one_place::<N>(warp, &inside, *op, f, d);
        let one = match site.combines {
            Combines::Never => false,
            Combines::Always => true,
            Combines::WholeWarp => mask == u32::MAX,
        };
        if !shared {
            count_one_place(&mut context.tallies, context.found[number], number, &inside, one);
            return true;
        }
        let cost = if one {
            atomic::Cost { atomic: 1, loads: 0 }
        } else {
            atomic::one_place_cost(way, wide, mask)
        };
        count_shared(&mut context.tallies, number, cost);
        return true;
    }
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

vectors! {
    /// The same where all lanes are at one place.
    one_place => one_place_body(
        warp: &mut Warp, inside: &InsideLine, op: Update, f: Rmw, d: Option<Slot>,
    )
}

#[inline(always)]
fn one_place_body<const N: usize>(
    warp: &mut Warp,
    inside: &InsideLine,
    op: Update,
    f: Rmw,
    d: Option<Slot>,
) {
    let (b, c, mask) = (usize::from(op.b), usize::from(op.c), inside.mask());
    if op.cell == Cell::B64 {
        let [mut old] = moves::read_doubles::<N, 1>(inside);
        let (b, c) = (&warp.regs64[b], &warp.regs64[c]);
        let added = (f == Rmw::Arrive).then(|| additions(old.0[0], [b, c], mask)).flatten();
        let new = match added {
            Some(b) => in_turn(Rmw::Add, &mut old.0, [&b, c], mask, d.is_some()),
            None => in_turn(f, &mut old.0, [b, c], mask, d.is_some()),
        };
        moves::write_doubles::<N, 1>(inside, &new);
        if let Some(d) = d {
            put::<N, _>(&mut warp.regs64[usize::from(d)], mask, &old.0);
        }
    } else {
        let [mut old] = moves::read_words::<N, 4, 1>(inside);
        let operands = [&warp.regs32[b], &warp.regs32[c]];
        let new = in_turn(f, &mut old.0, operands, mask, d.is_some());
        moves::write_words::<N, 4, 1>(inside, &new);
        if let Some(d) = d {
            put::<N, _>(&mut warp.regs32[usize::from(d)], mask, &old.0);
        }
    }
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

/// The last value of lanes at one place, whose value `old` has. If it is to `keep` what each finds
/// there, what those before it have made of it, `old` gets that.
#[inline(always)]
fn in_turn<W: Word + Default>(
    f: Rmw,
    old: &mut [W; 32],
    [b, c]: [&[W; 32]; 2],
    mask: u32,
    keep: bool,
) -> [Register<W>; 1] {
    let mut value = old[0];
    each_function!(f, F, {
        if !keep {
            // Without branches: of most functions, vectors put the operands together.
            for lane in 0..32 {
                let next = W::rmw(F, value, b[lane], c[lane]);
                value = if mask >> lane & 1 != 0 { next } else { value };
            }
            return [Register([value; 32])];
        }
        let mut next = |lane: usize| {
            old[lane] = value;
            value = W::rmw(F, value, b[lane], c[lane]);
        };
        if mask == u32::MAX {
            for lane in 0..32 {
                next(lane);
            }
        } else {
            for lane in lanes_of(mask) {
                next(lane);
            }
        }
    });
    [Register([value; 32])]
}

/// What arrivals at a barrier add to its word, if they expect no bytes and its phase goes on
/// after them.
#[inline(always)]
fn additions(word: u64, [b, c]: [&[u64; 32]; 2], mask: u32) -> Option<[u64; 32]> {
    let (mut arrivals, mut others) = (0_u64, 0);
    let mut added = [0; 32];
    for lane in 0..32 {
        let on = if mask >> lane & 1 != 0 { u64::MAX } else { 0 };
        added[lane] = b[lane] << mbarrier::PENDING;
        // The sum of 32 numbers of up to 20 bits, or more than there can be arrivals.
        arrivals += b[lane] & on & mbarrier::MOST;
        others |= (b[lane] & !mbarrier::MOST | c[lane]) & on;
    }
    (others == 0 && arrivals < mbarrier::pending(word)).then_some(added)
}

/// Counts an atomic on shared memory.
#[inline(always)]
fn count_shared(tallies: &mut Tallies, site: usize, cost: atomic::Cost) {
    let tally = &mut tallies.sites[site];
    tally.shared += 1;
    tally.wavefronts += u64::from(cost.atomic);
    tally.loop_loads += u64::from(cost.loads);
}

/// Counts an atomic on a row of global memory, where each lane has an address of its own.
#[inline(always)]
fn count_row(tallies: &mut Tallies, allocation: usize, site: usize, inside: &InsideLine) {
    let mut sectors = 0;
    let mut chunks = tallies.atomics_on(allocation);
    inside.each_sector(|sector| {
        sectors += 1;
        chunks.add(sector, 1);
    });
    let lanes = u64::from(inside.mask().count_ones());
    let tally = &mut tallies.sites[site];
    tally.global += 1;
    tally.global_lanes += lanes;
    tally.sectors += sectors;
    tally.passes += sectors;
    tally.addresses += lanes;
    tally.deepest += 1;
}

/// Counts an atomic on one place of global memory; `one` tells that the machine code sends one for
/// all lanes.
#[inline(always)]
fn count_one_place(
    tallies: &mut Tallies,
    allocation: usize,
    site: usize,
    inside: &InsideLine,
    one: bool,
) {
    let (sector, lanes) = (inside.last_sector(), if one { 1 } else { inside.mask().count_ones() });
    tallies.atomic_passes(allocation, sector, lanes);
    let tally = &mut tallies.sites[site];
    tally.global += 1;
    tally.sectors += 1;
    tally.addresses += 1;
    for count in [&mut tally.global_lanes, &mut tally.passes, &mut tally.deepest] {
        *count += u64::from(lanes);
    }
}
