//! Atomics of a warp: old values out, new values in, costs counted.

mod apply;
mod count;
pub(crate) mod line;
mod one_place;
mod several;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use std::sync::{Mutex, PoisonError};

use crate::exec::atomic::apply::{halves, read_modify_write, replace_words};
use crate::exec::atomic::count::{count_global, count_shared, kept, one_for_all};
use crate::exec::atomic::line::side_by_side;
use crate::exec::lanes::FULL;
use crate::exec::line::Line;
use crate::exec::scattered::Target;
use crate::exec::transfer::{Part, contents, resolve};
use crate::exec::vectors::vectors;
use crate::lane::Word;
use crate::machine::{AllLanes, BlockContext, Checked, Fault, LaneAddresses, Register, Warp, put};
use crate::program::{Cell, Rmw, Slot, Update};

/// Carries out an atomic for the lanes of `mask`; `d` gets the old values.
#[inline(always)]
pub(crate) fn update<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) -> Result<(), Fault> {
    let base = &warp.regs64[usize::from(op.a)];
    let side_by_side = match Line::away(base, mask) {
        0 => one_place::update::<N>(warp, context, op, d, mask),
        _ if Line::maybe(base, u64::from(op.bytes()), mask) => match (op.cell, op.count) {
            (Cell::B32, 1) => line::words::<N>(warp, context, op, d, mask),
            (Cell::B64, 1) => line::doubles::<N>(warp, context, op, d, mask),
            (Cell::U16, 1) => several::halves::<N>(warp, context, op, d, mask),
            _ => several::several::<N>(warp, context, op, d, mask),
        },
        _ => false,
    };
    if side_by_side {
        return Ok(());
    }
    let done = match (op.cell, op.count) {
        _ if context.watching => false,
        (Cell::B32, 1) if mask == FULL => words::<N>(warp, context, op, d),
        (Cell::B64, 2..) => false,
        _ => scattered::<N>(warp, context, op, d, mask),
    };
    if done { Ok(()) } else { update_some(warp, context, *op, d, mask) }
}

/// As [`update`], where lanes go to several places, or some go wrong.
#[inline(never)]
fn update_some(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Update,
    d: Option<Slot>,
    mask: u32,
) -> Result<(), Fault> {
    let mut left = mask;
    let mut part = Part::unset();
    while left != 0 {
        // The old value may go where the address is: those lanes are done with it.
        let base = &warp.regs64[usize::from(op.a)];
        resolve::<4>(&mut part, context, op.window, base, (op.bytes(), op.site), left)?;
        left &= !part.places.mask();
        update_part(warp, context, op, d, &part);
    }
    Ok(())
}

vectors! {
    /// The same where all lanes go to the allocation that the site went to before, or to the
    /// block's shared memory: gives whether they do.
    scattered => scattered_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Update, d: Option<Slot>, mask: u32,
    ) -> bool
}

#[inline(always)]
fn scattered_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) -> bool {
    let base = &warp.regs64[usize::from(op.a)];
    let target = Target::find(context, (op.window, op.site), base, mask);
    let Some(Target { bytes, origin, allocation, alone, kernel, tallies }) = target else {
        return false;
    };
    let (mut places, within) = (LaneAddresses::unset(), (bytes, op.bytes()));
    let Some(checked) = places.enter::<N>(base, origin, mask, within) else { return false };
    let places = checked.places();
    let one = one_for_all(kernel, places, op.site);
    let known = if let Some(allocation) = allocation {
        Some(count_global(tallies, places, allocation, op.site, one))
    } else {
        count_shared::<N>(kernel, tallies, places, *op, (one, || kept::<N>(&checked, warp, *op)));
        None
    };
    let f = function(*op, allocation.is_none());
    if f.is_float_sum() && known.unwrap_or_else(|| places.apart()) {
        for index in 0..u16::from(op.count) {
            apart::<N>(warp, &checked, alone, (*op, index), f, d.map(|d| d + index));
        }
    } else if op.count != 1 || op.cell.bytes() < 4 {
        several(warp, &checked, alone, (*op, f), d);
    } else {
        one_cell(warp, &checked, alone, (*op, f), d);
    }
    true
}

vectors! {
    /// The same on a word of each lane of a full warp.
    words => words_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Update, d: Option<Slot>,
    ) -> bool
}

#[inline(always)]
fn words_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
) -> bool {
    let base = &warp.regs64[usize::from(op.a)];
    let target = Target::find(context, (op.window, op.site), base, FULL);
    let Some(Target { bytes, origin, allocation, alone, kernel, tallies }) = target else {
        return false;
    };
    let f = function(*op, allocation.is_none());
    if !alone || f.is_float_sum() {
        return scattered::<N>(warp, context, op, d, FULL);
    }
    let Some(all) = AllLanes::find::<N>(base, origin, (bytes, 4)) else { return false };
    let one = one_for_all(kernel, all.places(), op.site);
    if let Some(allocation) = allocation {
        count_global(tallies, all.places(), allocation, op.site, one);
    } else {
        count_shared::<N>(kernel, tallies, all.places(), *op, (one, || 0));
    }
    let (b, c) = (usize::from(op.b), usize::from(op.c));
    if let Some(d) = d {
        // The old values may go where an operand is.
        let (b, c) = (Register(warp.regs32[b]), Register(warp.regs32[c]));
        let old = Some(&mut warp.regs32[usize::from(d)]);
        replace_words(&all, f, [&b.0, &c.0], old);
    } else {
        replace_words(&all, f, [&warp.regs32[b], &warp.regs32[c]], None);
    }
    true
}

/// Changes one of the cells of each lane, which do not meet, all at once; `alone` where only this
/// host thread works on the memory.
#[inline(always)]
fn apart<const N: usize>(
    warp: &mut Warp,
    checked: &Checked,
    alone: bool,
    (op, index): (Update, u16),
    f: Rmw,
    d: Option<Slot>,
) {
    let at = u32::from(index) * op.cell.bytes();
    macro_rules! change {
        ($registers:expr, $ty:ty) => {{
            let mut old = Register(checked.load::<N, $ty>(at));
            let operands = [op.b + index, op.c];
            let new = side_by_side(f, &old.0, &$registers, operands);
            if alone {
                checked.store(at, |lane| new[lane]);
            } else {
                let b = &$registers[usize::from(op.b + index)];
                checked.each(|lane| {
                    if !checked.swap(at, lane, [old.0[lane], new[lane]]) {
                        // Another host thread was faster.
                        old.0[lane] =
                            checked.update(at, lane, |old| <$ty>::rmw(f, old, b[lane], 0));
                    }
                });
            }
            if let Some(d) = d {
                put::<N, _>(&mut $registers[usize::from(d)], checked.places().mask(), &old.0);
            }
        }};
    }
    if op.cell == Cell::B64 { change!(warp.regs64, u64) } else { change!(warp.regs32, u32) }
}

/// The same for lanes that go to one allocation, or to shared memory.
#[inline(never)]
fn update_part(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Update,
    d: Option<Slot>,
    part: &Part,
) {
    let size = op.bytes();
    let bytes = part.bytes(context.memory, &context.shared, &context.peers);
    let Some(checked) = part.places.check(bytes, size) else { return };
    let shared = part.allocation.is_none();
    let before = context.watching.then(|| contents(part, bytes, size));
    let one = one_for_all(context.kernel, &part.places, op.site);
    if part.peer.is_some() {
        // The memory of another block is behind no counter here.
    } else if let Some(allocation) = part.allocation {
        count_global(&mut context.tallies, &part.places, allocation, op.site, one);
    } else {
        let kept = || kept::<4>(&checked, warp, op);
        count_shared::<4>(context.kernel, &mut context.tallies, &part.places, op, (one, kept));
    }
    let (f, alone) = (function(op, shared), shared || context.alone);
    match (op.cell, op.count) {
        (Cell::B32 | Cell::B64, 1) => one_cell(warp, &checked, alone, (op, f), d),
        (Cell::B64, _) => b128s(warp, &checked, op, d),
        _ => several(warp, &checked, alone, (op, f), d),
    }
    if before.is_some_and(|before| before != contents(part, bytes, size)) {
        context.changed = true;
    }
}

/// The function of an atomic: global memory flushes floats.
#[inline(always)]
fn function(op: Update, shared: bool) -> Rmw {
    if op.f == Rmw::AddFloat && !shared { Rmw::AddFlushed } else { op.f }
}

/// A cell of 4 or 8 bytes of each lane.
#[inline(always)]
fn one_cell(
    warp: &mut Warp,
    checked: &Checked,
    alone: bool,
    (op, f): (Update, Rmw),
    d: Option<Slot>,
) {
    let (b, c) = (usize::from(op.b), usize::from(op.c));
    macro_rules! update {
        ($registers:expr) => {
            if let Some(d) = d {
                // The old values may go where an operand is.
                let (b, c) = ($registers[b], $registers[c]);
                let old = Some(&mut $registers[usize::from(d)]);
                read_modify_write(checked, (0, alone), f, [&b, &c], old);
            } else {
                let operands = [&$registers[b], &$registers[c]];
                read_modify_write(checked, (0, alone), f, operands, None);
            }
        };
    }
    if op.cell == Cell::B64 {
        update!(warp.regs64);
    } else {
        update!(warp.regs32);
    }
}

/// Cells that are halves of a word, and several of a lane.
#[inline(never)]
fn several(
    warp: &mut Warp,
    checked: &Checked,
    alone: bool,
    (op, f): (Update, Rmw),
    d: Option<Slot>,
) {
    for index in 0..u16::from(op.count) {
        let at = u32::from(index) * op.cell.bytes();
        let [b, c] = [op.b, op.c].map(|slot| warp.regs32[usize::from(slot + index)]);
        let old = d.map(|d| &mut warp.regs32[usize::from(d + index)]);
        if op.cell == Cell::B32 {
            read_modify_write(checked, (at, alone), f, [&b, &c], old);
        } else {
            halves(checked, (at, alone), f, [&b, &c], old);
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
