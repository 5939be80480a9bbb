//! Atomics of a warp: old values out, new values in, costs counted.

use std::sync::{Mutex, PoisonError};

use crate::cost::Way;
use crate::cost::{access, atomic};
use crate::exec::line::Line;
use crate::exec::line_moves as moves;
use crate::exec::transfer::{Part, contents, resolve};
use crate::exec::vectors::vectors;
use crate::lane::Word;
use crate::machine::lane_keys::distinct;
use crate::machine::{AtomicScalar, BlockContext, Checked, Fault, SECTOR, Tallies, Warp, blend};
use crate::program::{Cell, Combines, Kernel, Rmw, Slot, Update, Window};

/// Runs a loop for a function, with the commonest as constants in loops of their own.
macro_rules! each_function {
    ($f:expr, $name:ident, $body:block) => {
        each_function!(
            $f, $name, $body,
            [
                Add, AddFloat, AddFlushed, MinU, MinS, MaxU, MaxS, And, Or, Exchange, CompareExchange,
                Arrive
            ]
        )
    };
    ($f:expr, $name:ident, $body:block, [$($each:ident),*]) => {
        match $f {
            $(Rmw::$each => {
                const $name: Rmw = Rmw::$each;
                $body
            })*
            other => {
                #[allow(non_snake_case, reason = "a constant in the other loops")]
                let $name = other;
                $body
            }
        }
    };
}

vectors! {
    /// Carries out an atomic for the lanes of `mask`; `d` gets the old values.
    update => update_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Update, d: Option<Slot>, mask: u32,
    ) -> Result<(), Fault>
}

#[inline(always)]
fn update_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) -> Result<(), Fault> {
    let op = *op;
    if update_row::<N>(warp, context, op, d, mask) {
        return Ok(());
    }
    // Read first: the old value may go where the address is.
    let base = warp.regs64[usize::from(op.a)];
    let size = op.bytes();
    let mut left = mask;
    let mut part = Part::unset();
    while left != 0 {
        resolve::<N>(&mut part, context, op.window, &base, (size, op.site), left)?;
        left &= !part.places.mask();
        let bytes = part.bytes(context.memory, &context.shared, &context.peers);
        let Some(checked) = part.places.check(bytes, size) else { return Ok(()) };
        let alone = part.allocation.is_none();
        let before = context.watching.then(|| contents(&part, bytes, size));
        let one = one_for_all(context.kernel, &part, op.site);
        if part.peer.is_some() {
            // The memory of another block is behind no counter here.
        } else if alone {
            count_shared(context.kernel, &mut context.tallies, &checked, warp, op, one);
        } else {
            count_global(&mut context.tallies, &part, op.site, one);
        }
        let f = if op.f == Rmw::AddFloat && !alone { Rmw::AddFlushed } else { op.f };
        let (b, c) = (usize::from(op.b), usize::from(op.c));
        match (op.cell, op.count) {
            (Cell::B64, 1) => {
                let (b, c) = (warp.regs64[b], warp.regs64[c]);
                let old = d.map(|d| &mut warp.regs64[usize::from(d)]);
                read_modify_write(&checked, 0, alone, f, &b, &c, old);
            }
            (Cell::B32, 1) => {
                let (b, c) = (warp.regs32[b], warp.regs32[c]);
                let old = d.map(|d| &mut warp.regs32[usize::from(d)]);
                read_modify_write(&checked, 0, alone, f, &b, &c, old);
            }
            (Cell::B64, _) => b128s(warp, &checked, op, d),
            _ => several(warp, &checked, alone, op, d),
        }
        if before.is_some_and(|before| before != contents(&part, bytes, size)) {
            context.changed = true;
        }
    }
    Ok(())
}

/// Carries out an atomic on words of the block's shared memory that lie in a row, where no two
/// lanes meet; gives whether they do.
#[inline(always)]
fn update_row<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Update,
    d: Option<Slot>,
    mask: u32,
) -> bool {
    if N != 16 || op.window != Window::Shared || (op.cell, op.count) != (Cell::B32, 1) {
        return false;
    }
    let base = &warp.regs64[usize::from(op.a)];
    let Some(line) = Line::find::<N>(base, 4, mask) else { return false };
    let site = &context.kernel.sites[usize::from(op.site)];
    let origin = context.peers.own().wrapping_sub(site.offset.cast_unsigned());
    let Some(inside) = line.inside(&context.shared, origin) else { return false };
    if inside.together() {
        return false;
    }
    let [old] = moves::read_words::<N, 4, 1>(&inside);
    let (b, c) = (&warp.regs32[usize::from(op.b)], &warp.regs32[usize::from(op.c)]);
    let mut new = old;
    each_function!(op.f, F, {
        for lane in 0..32 {
            new.0[lane] = u32::rmw(F, old.0[lane], b[lane], c[lane]);
        }
    });
    moves::write_words::<N, 4, 1>(&inside, &[new]);
    if let Some(d) = d {
        blend(&mut warp.regs32[usize::from(d)], mask, &old.0);
    }
    let cost = atomic::row_cost(Way::of(op.f, op.cell, site.increments));
    let tally = &mut context.tallies.sites[usize::from(op.site)];
    tally.shared += 1;
    tally.wavefronts += u64::from(cost.atomic);
    tally.loop_loads += u64::from(cost.loads);
    true
}

/// Cells that are halves of a word, and several of a lane.
#[inline(never)]
fn several(warp: &mut Warp, checked: &Checked, alone: bool, op: Update, d: Option<Slot>) {
    let f = if op.f == Rmw::AddFloat && !alone { Rmw::AddFlushed } else { op.f };
    for index in 0..u16::from(op.count) {
        let at = u32::from(index) * op.cell.bytes();
        let [b, c] = [op.b, op.c].map(|slot| warp.regs32[usize::from(slot + index)]);
        let old = d.map(|d| &mut warp.regs32[usize::from(d + index)]);
        if op.cell == Cell::B32 {
            read_modify_write(checked, at, alone, f, &b, &c, old);
        } else {
            halves(checked, at, f, &b, &c, old);
        }
    }
}

/// One at a time: no host has an atomic of 128 bits that works everywhere. What
/// accesses a half of such a number at the same time races.
static B128: Mutex<()> = Mutex::new(());

/// Two cells of 64 bits as one of 128.
#[inline(never)]
fn b128s(warp: &mut Warp, checked: &Checked, op: Update, d: Option<Slot>) {
    let pair = |slot: Slot| [slot, slot + 1].map(|slot| warp.regs64[usize::from(slot)]);
    let (b, c) = (pair(op.b), pair(op.c));
    let _alone = B128.lock().unwrap_or_else(PoisonError::into_inner);
    checked.each(|lane| {
        let here = |half: u32| checked.update(8 * half, lane, |old: u64| old);
        let (old, b) = ([here(0), here(1)], b.map(|half| half[lane]));
        let new = match op.f {
            Rmw::Exchange => b,
            _ if old == b => c.map(|half| half[lane]),
            _ => old,
        };
        for half in 0..2 {
            checked.update(8 * half, lane, |_: u64| new[half as usize]);
            if let Some(d) = d {
                warp.regs64[usize::from(d) + half as usize][lane] = old[half as usize];
            }
        }
    });
}

/// Carries out an atomic, lane by lane in order; `alone` where only this host
/// thread works on the memory: a block's shared memory.
#[inline(always)]
fn read_modify_write<W: Word + AtomicScalar>(
    checked: &Checked,
    at: u32,
    alone: bool,
    f: Rmw,
    b: &[W; 32],
    c: &[W; 32],
    mut d: Option<&mut [W; 32]>,
) {
    let mut keep = |lane: usize, old: W| {
        if let Some(d) = &mut d {
            d[lane] = old;
        }
    };
    match (alone, f) {
        (true, f) => each_function!(f, F, {
            checked.replace(at, |lane, old: W| {
                keep(lane, old);
                W::rmw(F, old, b[lane], c[lane])
            });
        }),
        // Lanes on one place add in one step: each gets what those before it have left.
        (false, Rmw::Add) if checked.places().together() => {
            let mask = checked.places().mask();
            let mut sum = W::default();
            checked.each(|lane| sum = W::rmw(Rmw::Add, sum, b[lane], c[lane]));
            let mut old = checked.add(at, mask.trailing_zeros() as usize & 31, sum);
            checked.each(|lane| {
                keep(lane, old);
                old = W::rmw(Rmw::Add, old, b[lane], c[lane]);
            });
        }
        (false, Rmw::Add) => checked.each(|lane| keep(lane, checked.add(at, lane, b[lane]))),
        (false, f) => each_function!(f, F, {
            checked.each(|lane| {
                keep(lane, checked.update(at, lane, |old| W::rmw(F, old, b[lane], c[lane])));
            });
        }),
    }
}

/// The same, on cells of 16 bits.
fn halves(
    checked: &Checked,
    at: u32,
    f: Rmw,
    b: &[u32; 32],
    c: &[u32; 32],
    mut d: Option<&mut [u32; 32]>,
) {
    checked.each(|lane| {
        let [b, c] = [b[lane], c[lane]].map(|value| value & 0xffff);
        let old = checked.update(at, lane, |old: u16| u32::rmw(f, u32::from(old), b, c) as u16);
        if let Some(d) = &mut d {
            d[lane] = u32::from(old);
        }
    });
}

/// Whether the machine code sends one atomic for all lanes.
#[inline(always)]
fn one_for_all(kernel: &Kernel, part: &Part, site: u16) -> bool {
    let places = &part.places;
    match kernel.sites[usize::from(site)].combines {
        Combines::Never => false,
        Combines::Always => places.together(),
        Combines::WholeWarp => places.mask() == u32::MAX && places.together(),
    }
}

/// Counts an atomic on shared memory, before it is carried out.
#[inline(always)]
fn count_shared(
    kernel: &Kernel,
    tallies: &mut Tallies,
    checked: &Checked,
    warp: &Warp,
    op: Update,
    one: bool,
) {
    if one {
        let tally = &mut tallies.sites[usize::from(op.site)];
        tally.shared += 1;
        tally.wavefronts += 1;
        return;
    }
    let way = Way::of(op.f, op.cell, kernel.sites[usize::from(op.site)].increments);
    let cost = atomic::cost(checked.places(), op.bytes(), way, || kept(checked, warp, op));
    let tally = &mut tallies.sites[usize::from(op.site)];
    tally.shared += 1;
    tally.wavefronts += u64::from(cost.atomic);
    tally.loop_loads += u64::from(cost.loads);
}

/// The lanes that will leave a 64-bit value as it is.
#[cold]
fn kept(checked: &Checked, warp: &Warp, op: Update) -> u32 {
    let [b, c] = [op.b, op.c].map(|slot| &warp.regs64[usize::from(slot)]);
    let offsets = checked.places().offsets();
    let mut values: [u64; 32] = checked.load::<4, u64>(0);
    let mut kept = 0;
    if distinct(offsets, 0) == 32 {
        each_function!(op.f, F, {
            for lane in 0..32 {
                let new = u64::rmw(F, values[lane], b[lane], c[lane]);
                kept |= u32::from(values[lane] == new) << lane;
            }
        });
        return kept & checked.places().mask();
    }
    checked.each(|lane| {
        let old = values[lane];
        let new = u64::rmw(op.f, old, b[lane], c[lane]);
        kept |= u32::from(old == new) << lane;
        for other in lane..32 {
            if offsets[other] == offsets[lane] {
                values[other] = new;
            }
        }
    });
    kept
}

/// Counts an atomic on global memory.
#[inline(always)]
fn count_global(tallies: &mut Tallies, part: &Part, site: u16, one: bool) {
    let (places, Some(allocation)) = (&part.places, part.allocation) else { return };
    if one {
        let sector = (places.start() + u64::from(places.lowest())) / SECTOR;
        tallies.atomic_passes(allocation, sector, 1);
        let tally = &mut tallies.sites[usize::from(site)];
        for count in [
            &mut tally.global,
            &mut tally.global_lanes,
            &mut tally.sectors,
            &mut tally.passes,
            &mut tally.addresses,
            &mut tally.deepest,
        ] {
            *count += 1;
        }
        return;
    }
    let mut all = 0;
    let highest = (places.start() + u64::from(places.highest())) / SECTOR;
    let mut chunks = tallies.atomics_on(allocation, highest);
    let meeting = access::meeting(places, |sector, passes| {
        all += u64::from(passes);
        chunks.add(sector, passes);
    });
    let tally = &mut tallies.sites[usize::from(site)];
    tally.global += 1;
    tally.global_lanes += u64::from(places.mask().count_ones());
    tally.sectors += u64::from(meeting.sectors);
    tally.passes += all;
    tally.addresses += u64::from(meeting.addresses);
    tally.deepest += u64::from(meeting.deepest);
}
