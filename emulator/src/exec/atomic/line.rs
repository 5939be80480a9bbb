//! Atomics whose lanes lie side by side, in memory that no other host thread works on.

use crate::cost::{Way, atomic};
use crate::exec::atomic::apply::each_function;
use crate::exec::atomic::function;
use crate::exec::each::half;
use crate::exec::each::whole::three;
use crate::exec::lanes::{self, FULL};
use crate::exec::line::{InsideLine, Line};
use crate::exec::line_moves as moves;
use crate::exec::scattered::Target;
use crate::exec::vectors::vectors;
use crate::lane::Word;
use crate::machine::{BlockContext, CHUNK, Register, SECTOR, Tallies, Warp, put};
use crate::program::{Rmw, Slot, Update, Window};

/// Defines `$name`, which carries out an atomic by `$update` and gives whether it did. A full warp
/// needs no masks: the compiler makes it a case of its own.
macro_rules! by_mask {
    ($(#[$doc:meta])* $name:ident, $body:ident, $update:ident::<$($of:tt),*>) => {
        vectors! {
            $(#[$doc])*
            $name => $body(
                warp: &mut Warp, context: &mut BlockContext, op: &Update, d: Option<Slot>, mask: u32,
            ) -> bool
        }

        #[inline(always)]
        fn $body<const N: usize>(
            warp: &mut Warp,
            context: &mut BlockContext,
            op: &Update,
            d: Option<Slot>,
            mask: u32,
        ) -> bool {
            if mask == FULL {
                $update::<N, $($of),*>(warp, context, op, d, FULL)
            } else {
                $update::<N, $($of),*>(warp, context, op, d, mask)
            }
        }
    };
}

pub(super) use by_mask;

by_mask! {
    /// Carries out an atomic on words that lie so.
    words, words_body, update::<false>
}

by_mask! {
    /// The same, of 8 bytes each.
    doubles, doubles_body, update::<true>
}

#[inline(always)]
fn update<const N: usize, const WIDE: bool>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) -> bool {
    let bytes = if WIDE { 8 } else { 4 };
    let Some(found) = find::<N>(warp, context, op, bytes, mask) else { return false };
    let (inside, Target { allocation, kernel, tallies, .. }) = found;
    let number = usize::from(op.site);
    let f = function(*op, allocation.is_none());
    let Some(allocation) = allocation else {
        let way = Way::of(op.f, op.cell, kernel.sites[number].increments);
        // What loops on 8 bytes cost is known beforehand for a full row alone.
        if WIDE && mask != FULL && way.loops() {
            return false;
        }
        let kept = change::<N, WIDE>(warp, &inside, op, f, d, mask);
        count_shared(tallies, number, atomic::row_cost(way, op.cell, mask, kept));
        return true;
    };
    change::<N, WIDE>(warp, &inside, op, f, d, mask);
    count_row(tallies, allocation, number, &inside);
    true
}

/// Puts the new values in place of the old ones. Gives for which lanes they are the same, where a
/// loop would leave them.
#[inline(always)]
fn change<const N: usize, const WIDE: bool>(
    warp: &mut Warp,
    inside: &InsideLine,
    op: &Update,
    f: Rmw,
    d: Option<Slot>,
    mask: u32,
) -> u32 {
    let mut kept = 0;
    // Read, changed and written within each function: values that cross a branch go through
    // memory. The register comes last, as it may be an operand.
    macro_rules! change {
        ($file:ident, $read:expr, $write:expr, $changed:expr, $f:ident) => {{
            let [old] = $read;
            let new = $changed($f, &old.0, &warp.$file, [op.b, op.c]);
            if WIDE && matches!($f, Rmw::MinU | Rmw::MinS | Rmw::MaxU | Rmw::MaxS) {
                kept = lanes::those::<N>(|lane| old.0[lane] == new.0[lane]);
            }
            $write(inside, &[&new.0]);
            if let Some(d) = d {
                put::<N, _>(&mut warp.$file[usize::from(d)], mask, &old.0);
            }
        }};
    }
    if WIDE {
        let slots = (usize::from(op.b), usize::from(op.c), d.map(usize::from));
        if let Some(same) = moves::change_doubles::<N>(inside, f, &mut warp.regs64, slots) {
            return same;
        }
        each_function!(f, F, {
            let write = moves::write_doubles::<N, 1>;
            change!(regs64, moves::read_doubles::<N, 1>(inside), write, side_by_side, F);
        });
    } else {
        each_function!(f, F, {
            let write = moves::write_words::<N, 4, 1>;
            change!(regs32, moves::read_words::<N, 4, 1>(inside), write, changed::<N>, F);
        });
    }
    kept
}

/// What the lanes go to, and where in it, if they lie side by side and no other host thread works
/// on it.
#[inline(always)]
pub(super) fn find<'c, const N: usize>(
    warp: &Warp,
    context: &'c mut BlockContext,
    op: &Update,
    bytes: u64,
    mask: u32,
) -> Option<(InsideLine<'c>, Target<'c>)> {
    if context.watching && op.window != Window::Shared {
        return None;
    }
    let base = &warp.regs64[usize::from(op.a)];
    // Those at one place do not come here; that they do not saves what follows a case.
    if Line::away(base, mask) == 0 {
        return None;
    }
    let line = Line::find::<N>(base, bytes, mask)?;
    let target = Target::find(context, (op.window, op.site), base, mask)?;
    let inside = line.inside(target.bytes, target.origin)?;
    target.alone.then_some((inside, target))
}

/// As [`side_by_side`], of words, which may be pairs of halves.
#[inline(always)]
pub(super) fn changed<const N: usize>(
    f: Rmw,
    old: &[u32; 32],
    registers: &[[u32; 32]],
    [b, c]: [Slot; 2],
) -> Register<u32> {
    match f {
        Rmw::AddF16 => half::sums::<N, false, true>(old, &registers[usize::from(b)]),
        Rmw::AddBf16 => half::sums::<N, true, true>(old, &registers[usize::from(b)]),
        _ => side_by_side(f, old, registers, [b, c]),
    }
}

/// The new values of lanes that do not meet: all old values are read before any is written.
#[inline(always)]
pub(super) fn side_by_side<W: Word + Default>(
    f: Rmw,
    old: &[W; 32],
    registers: &[[W; 32]],
    [b, c]: [Slot; 2],
) -> Register<W> {
    let (b, c) = (&registers[usize::from(b)], &registers[usize::from(c)]);
    each_function!(f, F, { three(old, b, c, |old, b, c| W::rmw(F, old, b, c)) })
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
pub(super) fn count_row(
    tallies: &mut Tallies,
    allocation: usize,
    site: usize,
    inside: &InsideLine,
) {
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
