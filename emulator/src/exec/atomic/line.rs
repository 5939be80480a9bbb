//! Atomics whose lanes lie side by side, or all at one place, in memory that no other host
//! thread works on.

use crate::cost::{Way, atomic};
use crate::exec::atomic::apply::each_function;
use crate::exec::atomic::function;
use crate::exec::line::{InsideLine, Line};
use crate::exec::line_moves as moves;
use crate::exec::vectors::vectors;
use crate::lane::{Word, mbarrier};
use crate::machine::{BlockContext, Register, Tallies, Warp, lanes, put};
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
    let together = inside.together();
    let way = Way::of(op.f, op.cell, site.increments);
    // What loops on 8 bytes cost is known beforehand for a full row alone.
    let loops = matches!(way, Way::Loop | Way::Search);
    if shared && wide && loops && (together || mask != u32::MAX) {
        return false;
    }
    let one = together
        && match site.combines {
            Combines::Never => false,
            Combines::Always => true,
            Combines::WholeWarp => mask == u32::MAX,
        };
    let f = function(*op, shared);
    let (b, c) = (usize::from(op.b), usize::from(op.c));
    let mut kept = 0;
    if wide {
        let [mut old] = moves::read_doubles::<N, 1>(&inside);
        let (b, c) = (&warp.regs64[b], &warp.regs64[c]);
        let new = if together {
            let added = (f == Rmw::Arrive).then(|| additions(old.0[0], [b, c], mask)).flatten();
            match added {
                Some(b) => in_turn(Rmw::Add, &mut old.0, [&b, c], mask),
                None => in_turn(f, &mut old.0, [b, c], mask),
            }
        } else {
            side_by_side(f, &old.0, [b, c])
        };
        moves::write_doubles::<N, 1>(&inside, &[new]);
        if let Some(d) = d {
            put::<N, _>(&mut warp.regs64[usize::from(d)], mask, &old.0);
        }
        for lane in 0..32 {
            kept |= u32::from(new.0[lane] == old.0[lane]) << lane;
        }
    } else {
        let [mut old] = moves::read_words::<N, 4, 1>(&inside);
        let (b, c) = (&warp.regs32[b], &warp.regs32[c]);
        let new = if together {
            in_turn(f, &mut old.0, [b, c], mask)
        } else {
            side_by_side(f, &old.0, [b, c])
        };
        moves::write_words::<N, 4, 1>(&inside, &[new]);
        if let Some(d) = d {
            put::<N, _>(&mut warp.regs32[usize::from(d)], mask, &old.0);
        }
    }
    if !shared {
        count_global(&mut context.tallies, context.found[number], number, &inside, one);
        return true;
    }
    let cost = if one {
        atomic::Cost { atomic: 1, loads: 0 }
    } else if together {
        atomic::one_place_cost(way, wide, mask)
    } else {
        atomic::row_cost(way, op.cell, mask, kept)
    };
    let tally = &mut context.tallies.sites[number];
    tally.shared += 1;
    tally.wavefronts += u64::from(cost.atomic);
    tally.loop_loads += u64::from(cost.loads);
    true
}

/// The new values of lanes that do not meet: all old values are read before any is written.
#[inline(always)]
fn side_by_side<W: Word + Default>(f: Rmw, old: &[W; 32], [b, c]: [&[W; 32]; 2]) -> Register<W> {
    let mut new = Register::default();
    each_function!(f, F, {
        for lane in 0..32 {
            new.0[lane] = W::rmw(F, old[lane], b[lane], c[lane]);
        }
    });
    new
}

/// The last value of lanes at one place, whose value `old` has; `old` gets what each finds there:
/// what those before it have made of it.
#[inline(always)]
fn in_turn<W: Word + Default>(
    f: Rmw,
    old: &mut [W; 32],
    [b, c]: [&[W; 32]; 2],
    mask: u32,
) -> Register<W> {
    let mut value = old[0];
    each_function!(f, F, {
        let mut next = |lane: usize| {
            old[lane] = value;
            value = W::rmw(F, value, b[lane], c[lane]);
        };
        if mask == u32::MAX {
            for lane in 0..32 {
                next(lane);
            }
        } else {
            for lane in lanes(mask) {
                next(lane);
            }
        }
    });
    Register([value; 32])
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

/// Counts an atomic on global memory: in a row, each lane has an address of its own. `one` tells
/// that the machine code sends one for all lanes.
#[inline(always)]
fn count_global(
    tallies: &mut Tallies,
    allocation: usize,
    site: usize,
    inside: &InsideLine,
    one: bool,
) {
    let mut lanes = inside.mask().count_ones();
    let mut chunks = tallies.atomics_on(allocation, inside.last_sector());
    let (mut sectors, mut depth) = (1, 1);
    if inside.together() {
        lanes = if one { 1 } else { lanes };
        depth = lanes;
        chunks.add(inside.last_sector(), depth);
    } else {
        sectors = 0;
        inside.each_sector(|sector| {
            sectors += 1;
            chunks.add(sector, 1);
        });
    }
    let addresses = if inside.together() { 1 } else { lanes };
    let tally = &mut tallies.sites[site];
    tally.global += 1;
    tally.global_lanes += u64::from(lanes);
    tally.sectors += sectors;
    tally.passes += sectors * u64::from(depth);
    tally.addresses += u64::from(addresses);
    tally.deepest += u64::from(depth);
}
