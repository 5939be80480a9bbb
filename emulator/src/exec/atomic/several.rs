//! Atomics on several words of each lane, and on halves of words, whose lanes lie side by side.

use crate::exec::atomic::apply::each_function;
use crate::exec::atomic::function;
use crate::exec::atomic::line::{by_mask, changed, count_row, find, side_by_side};
use crate::exec::each::half;
use crate::exec::each::whole::one;
use crate::exec::lanes::FULL;
use crate::exec::line::InsideLine;
use crate::exec::line_moves as moves;
use crate::exec::vectors::vectors;
use crate::machine::{BlockContext, Register, Warp, put};
use crate::program::{Cell, Rmw, Slot, Update};

vectors! {
    /// As `line::words`, of them.
    several => several_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Update, d: Option<Slot>, mask: u32,
    ) -> bool
}

by_mask! {
    /// The same of a half alone.
    halves, halves_body, update::<2, 1>
}

#[inline(always)]
fn several_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) -> bool {
    // AVX-512 moves lanes of up to 16 bytes, AVX2 of 8, any host of 4: `N` says which.
    if op.cell == Cell::B64 || op.bytes() as usize > N {
        return false;
    }
    match op.bytes() {
        4 => update::<N, 4, 1>(warp, context, op, d, mask),
        8 if mask == FULL => update::<N, 8, 2>(warp, context, op, d, FULL),
        8 => update::<N, 8, 2>(warp, context, op, d, mask),
        _ => update::<N, 16, 4>(warp, context, op, d, mask),
    }
}

#[inline(always)]
fn update<const N: usize, const SIZE: usize, const WORDS: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) -> bool {
    let found = find::<N>(warp, context, op, SIZE as u64, mask);
    let Some((inside, target)) = found else { return false };
    // Halves of a word share a bank of shared memory.
    let Some(allocation) = target.allocation else { return false };
    change::<N, SIZE, WORDS>(warp, &inside, op, d, mask);
    count_row(target.tallies, allocation, usize::from(op.site), &inside);
    true
}

/// Changes the words of `WORDS` registers, or the halves that they hold.
#[inline(always)]
fn change<const N: usize, const SIZE: usize, const WORDS: usize>(
    warp: &mut Warp,
    inside: &InsideLine,
    op: &Update,
    d: Option<Slot>,
    mask: u32,
) {
    let f = function(*op, false);
    if WORDS == 2
        && f == Rmw::AddFlushed
        && moves::add_pairs::<N>(inside, &mut warp.regs32, (op.b.into(), d.map(usize::from)))
    {
        return;
    }
    // All within each function: values that cross a branch go through memory.
    macro_rules! within {
        ($($each:ident),*) => {
            each_function!(f, F, {
                let mut words = moves::read_words::<N, SIZE, WORDS>(inside);
                if SIZE == 2 {
                    alone::<N>(warp, &mut words[0], (op, F), d, mask);
                } else if op.cell == Cell::B32 {
                    for index in 0..WORDS {
                        one_word::<N>(warp, &mut words[index], index as u16, (op, F), d, mask);
                    }
                } else {
                    for index in 0..u16::from(op.count) {
                        one_half::<N>(warp, &mut words, index, (op, F), d, mask);
                    }
                }
                let words = std::array::from_fn(|index| &words[index].0);
                moves::write_words::<N, SIZE, WORDS>(inside, &words);
            }, [$($each),*])
        };
    }
    if SIZE == 2 {
        within!(AddF16, AddBf16, Exchange, CompareExchange);
    } else {
        within!(AddFlushed, AddF16, AddBf16);
    }
}

/// Changes one of the words of each lane.
#[inline(always)]
fn one_word<const N: usize>(
    warp: &mut Warp,
    word: &mut Register<u32>,
    index: u16,
    (op, f): (&Update, Rmw),
    d: Option<Slot>,
    mask: u32,
) {
    let old = *word;
    *word = changed::<N>(f, &old.0, &warp.regs32, [op.b + index, op.c + index]);
    if let Some(d) = d {
        put::<N, _>(&mut warp.regs32[usize::from(d + index)], mask, &old.0);
    }
}

/// Changes words whose upper halves are zero before, and do not matter then.
#[inline(always)]
fn alone<const N: usize>(
    warp: &mut Warp,
    word: &mut Register<u32>,
    (op, f): (&Update, Rmw),
    d: Option<Slot>,
    mask: u32,
) {
    let old = *word;
    *word = changed_half::<N>(warp, &old, 0, (op, f));
    if let Some(d) = d {
        put::<N, _>(&mut warp.regs32[usize::from(d)], mask, &old.0);
    }
}

/// The new values of halves in words of their own.
#[inline(always)]
fn changed_half<const N: usize>(
    warp: &Warp,
    old: &Register<u32>,
    index: u16,
    (op, f): (&Update, Rmw),
) -> Register<u32> {
    // Not by a closure, which would be a call here.
    let (b, c) = (usize::from(op.b + index), usize::from(op.c + index));
    let (b, c) = (&warp.regs32[b], &warp.regs32[c]);
    match f {
        Rmw::AddF16 => half::sums::<N, false, false>(&old.0, b),
        Rmw::AddBf16 => half::sums::<N, true, false>(&old.0, b),
        _ => side_by_side(f, &old.0, &[half_of(b, 0).0, half_of(c, 0).0], [0, 1]),
    }
}

/// Changes one of the halves that each lane's words hold.
#[inline(always)]
fn one_half<const N: usize>(
    warp: &mut Warp,
    words: &mut [Register<u32>],
    index: u16,
    (op, f): (&Update, Rmw),
    d: Option<Slot>,
    mask: u32,
) {
    let (word, shift) = (&mut words[usize::from(index / 2)], index % 2 * 16);
    let old = half_of(&word.0, shift);
    let new = changed_half::<N>(warp, &old, index, (op, f));
    for lane in 0..32 {
        word[lane] = word[lane] & !(0xffff << shift) | (new[lane] & 0xffff) << shift;
    }
    if let Some(d) = d {
        put::<N, _>(&mut warp.regs32[usize::from(d + index)], mask, &old.0);
    }
}

/// A half of what each lane has.
#[inline(always)]
fn half_of(values: &[u32; 32], shift: u16) -> Register<u32> {
    one(values, |value| value >> shift & 0xffff)
}
