//! Atomics whose lanes are all at one place, in memory that no other host thread works on: it
//! changes once, and each lane gets what those before it have made of it.

use crate::cost::{Way, atomic};
use crate::exec::atomic::apply::each_function;
use crate::exec::atomic::function;
use crate::exec::atomic::line::count_shared;
use crate::exec::each::whole::in_vectors;
use crate::exec::lanes::{FULL, folded, those};
use crate::exec::line::one_place;
use crate::exec::scattered::Target;
use crate::exec::vectors::vectors;
use crate::lane::{Word, mbarrier};
use crate::machine::{BlockContext, Bytes, Register, SECTOR, Scalar, Tallies, Warp, lanes, put};
use crate::program::{Cell, Combines, Int2, Rmw, Slot, Update, Window};

vectors! {
    /// Carries out an atomic on a cell where all lanes are; gives whether they are.
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
    let (size, wide) = (u64::from(op.cell.bytes()), op.cell == Cell::B64);
    if op.count != 1 || size < 4 || context.watching && op.window != Window::Shared {
        return false;
    }
    let base = &warp.regs64[usize::from(op.a)];
    let Some(address) = one_place::<N>(base, mask) else { return false };
    let target = Target::find(context, (op.window, op.site), base, mask);
    let Some(Target { bytes, origin, allocation, alone, kernel, tallies }) = target else {
        return false;
    };
    let (site, number) = (&kernel.sites[usize::from(op.site)], usize::from(op.site));
    let way = Way::of(op.f, op.cell, site.increments);
    // What loops on 8 bytes cost is not known beforehand.
    let loops = allocation.is_none() && wide && matches!(way, Way::Loop | Way::Search);
    let at = address.wrapping_sub(origin);
    let inside = bytes.len().checked_sub(size).is_some_and(|last| at <= last);
    if loops || !alone || !inside || at & (size - 1) != 0 {
        return false;
    }
    let (f, place) = (function(*op, allocation.is_none()), (bytes, at));
    let (b, c) = (usize::from(op.b), usize::from(op.c));
    if !wide {
        change::<N, u32>(place, f, &mut warp.regs32, [b, c], d, mask);
    } else if f == Rmw::Arrive && adds(bytes.load(at), [&warp.regs64[b], &warp.regs64[c]], mask) {
        add::<N, u64>(place, &mut warp.regs64, (b, mbarrier::PENDING), d, mask);
    } else {
        change::<N, u64>(place, f, &mut warp.regs64, [b, c], d, mask);
    }
    let one = match site.combines {
        Combines::Never => false,
        Combines::Always => true,
        Combines::WholeWarp => mask == FULL,
    };
    if let Some(allocation) = allocation {
        count_global(tallies, (allocation, at / SECTOR), number, if one { 1 } else { mask });
    } else if one {
        count_shared(tallies, number, atomic::Cost { atomic: 1, loads: 0 });
    } else {
        count_shared(tallies, number, atomic::one_place_cost(way, wide, mask));
    }
    true
}

/// Changes the cell; `d` gets what each lane finds there.
#[inline(always)]
fn change<const N: usize, W: Word + Scalar + Default + From<u32>>(
    place: (&Bytes, u64),
    f: Rmw,
    registers: &mut [[W; 32]],
    [b, c]: [usize; 2],
    d: Option<Slot>,
    mask: u32,
) {
    if f == Rmw::Add && d.is_some() {
        return add::<N, W>(place, registers, (b, 0), d, mask);
    }
    let (bytes, at) = place;
    let (old, b, c): (W, _, _) = (bytes.load(at), &registers[b], &registers[c]);
    let Some(d) = d else { return bytes.store(at, last(f, old, [b, c], mask)) };
    let (before, last) = match f {
        Rmw::CompareExchange => compared::<N, W>(old, [b, c], mask),
        Rmw::Exchange if mask == FULL => {
            let mut before = Register(*b);
            before.copy_within(..31, 1);
            before[0] = old;
            (before, b[31])
        }
        _ => in_turn(f, old, [b, c], mask),
    };
    bytes.store(at, last);
    put::<N, _>(&mut registers[usize::from(d)], mask, &before);
}

/// As [`in_turn`] of a compare-and-swap. Mostly one lane changes the value at most, as of a lock.
#[inline(always)]
fn compared<const N: usize, W: Word + Default>(
    value: W,
    [b, c]: [&[W; 32]; 2],
    mask: u32,
) -> (Register<W>, W) {
    let (b, c) = (in_vectors(b), in_vectors(c));
    let changes = those::<N>(|lane| b[lane] == value) & !those::<N>(|lane| c[lane] == value) & mask;
    if changes == 0 {
        return (Register([value; 32]), value);
    }
    let first = changes.trailing_zeros() & 31;
    let (next, later) = (c[first as usize], u32::MAX << first << 1);
    let again = those::<N>(|lane| b[lane] == next) & !those::<N>(|lane| c[lane] == next);
    if again & mask & later != 0 {
        return in_turn(Rmw::CompareExchange, value, [b, c], mask);
    }
    let mut before = Register::default();
    for lane in 0..32 {
        before[lane] = if later >> lane & 1 != 0 { next } else { value };
    }
    (before, next)
}

/// What the lanes make of `value`.
#[inline(always)]
fn last<W: Word + Default>(f: Rmw, mut value: W, [b, c]: [&[W; 32]; 2], mask: u32) -> W {
    // What may be done in any order, vectors do.
    macro_rules! all {
        ($($name:ident),*) => {
            match f {
                $(Rmw::$name if mask == FULL => {
                    let combined = |x, y| W::rmw(Rmw::$name, x, y, y);
                    return combined(value, folded(b, combined));
                })*
                _ => {}
            }
        };
    }
    all!(Add, MinU, MinS, MaxU, MaxS, And, Or, Xor);
    if f.is_float_sum()
        && let Some(total) = value.float_total(b, mask, f == Rmw::AddFlushed)
    {
        return total;
    }
    each_function!(f, F, {
        for lane in 0..32 {
            let next = W::rmw(F, value, b[lane], c[lane]);
            value = if mask >> lane & 1 != 0 { next } else { value };
        }
    });
    value
}

/// What each lane finds, and what the last leaves.
#[inline(always)]
fn in_turn<W: Word + Default>(
    f: Rmw,
    mut value: W,
    [b, c]: [&[W; 32]; 2],
    mask: u32,
) -> (Register<W>, W) {
    let mut before = Register::default();
    each_function!(f, F, {
        for lane in lanes(mask) {
            before[lane] = value;
            value = W::rmw(F, value, b[lane], c[lane]);
        }
    });
    (before, value)
}

/// Adds the lanes' numbers, moved up by `shift` bits, to the cell. Where all lanes add one
/// number, as to a counter, at once.
#[inline(always)]
fn add<const N: usize, W: Word + Scalar + Default + From<u32>>(
    (bytes, at): (&Bytes, u64),
    registers: &mut [[W; 32]],
    (b, shift): (usize, u32),
    d: Option<Slot>,
    mask: u32,
) {
    let moved = |number: W| W::int2(Int2::ShiftLeft, number, W::from(shift));
    let (value, b): (W, _) = (bytes.load(at), &registers[b]);
    let mut alike = mask == FULL;
    for lane in 0..32 {
        alike &= b[lane] == b[0];
    }
    if alike {
        let one = moved(b[0]);
        let after =
            |lanes: u32| W::int2(Int2::Add, value, W::int2(Int2::MulLow, one, W::from(lanes)));
        bytes.store(at, after(32));
        if let Some(d) = d {
            let d = &mut registers[usize::from(d)];
            for lane in 0..32 {
                d[lane] = after(lane as u32);
            }
        }
        return;
    }
    let mut numbers = Register::default();
    for lane in 0..32 {
        numbers[lane] = moved(b[lane]);
    }
    let (before, last) = in_turn(Rmw::Add, value, [&numbers, &numbers], mask);
    bytes.store(at, last);
    if let Some(d) = d {
        put::<N, _>(&mut registers[usize::from(d)], mask, &before);
    }
}

/// Whether arrivals at a barrier only add to its word: they expect no bytes, and its phase goes
/// on after them.
#[inline(always)]
fn adds(word: u64, [b, c]: [&[u64; 32]; 2], mask: u32) -> bool {
    let (mut arrivals, mut others) = (0_u64, 0);
    for lane in 0..32 {
        let on = if mask >> lane & 1 != 0 { u64::MAX } else { 0 };
        // The sum of 32 numbers of up to 20 bits, or more than there can be arrivals.
        arrivals += b[lane] & on & mbarrier::MOST;
        others |= (b[lane] & !mbarrier::MOST | c[lane]) & on;
    }
    others == 0 && arrivals < mbarrier::pending(word)
}

/// Counts an atomic on a place of global memory, of the lanes that the machine code sends.
#[inline(always)]
fn count_global(tallies: &mut Tallies, (allocation, sector): (usize, u64), site: usize, sent: u32) {
    let lanes = sent.count_ones();
    tallies.atomic_passes(allocation, sector, lanes);
    let tally = &mut tallies.sites[site];
    tally.global += 1;
    tally.sectors += 1;
    tally.addresses += 1;
    for count in [&mut tally.global_lanes, &mut tally.passes, &mut tally.deepest] {
        *count += u64::from(lanes);
    }
}
