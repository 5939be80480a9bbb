//! Loads and stores of warps whose lanes lie in a line, or in four rows: see
//! [`crate::exec::line`] and [`crate::exec::rows`].

use crate::exec::lanes::FULL;
use crate::exec::line::{InsideLine, Line};
use crate::exec::line_moves as moves;
use crate::exec::local::extended;
use crate::exec::rows::{Inside, Rows};
use crate::exec::scattered;
use crate::exec::vectors::vectors;
use crate::machine::{BlockContext, Register, Warp, ones, put};
use crate::program::{Cell, LOCAL_WINDOW, Site, SiteKind, Transfer, Window};

/// Where the lanes of a line go, if to the allocation that the site went to before; then it
/// is counted too.
#[inline(always)]
fn reach_line<'c>(
    context: &'c mut BlockContext,
    op: Transfer,
    line: Line,
    mask: u32,
) -> Option<InsideLine<'c>> {
    let site = usize::from(op.site);
    let Site { offset, kind, silent, rows: matrices, .. } = context.kernel.sites[site];
    let offset = offset.cast_unsigned();
    let tally = &mut context.tallies.sites[site];
    if op.window == Window::Shared {
        let inside = line.inside(&context.shared, context.peers.own().wrapping_sub(offset))?;
        if !silent {
            let load = kind == SiteKind::Load && !matrices;
            tally.shared += 1;
            tally.wavefronts += u64::from(inside.wavefronts(load));
        }
        Some(inside)
    } else {
        let allocation = context.memory.get(context.found[site])?;
        let inside = line.inside(&allocation.bytes, allocation.base.wrapping_sub(offset))?;
        if !silent {
            tally.global += 1;
            tally.global_lanes += u64::from(mask.count_ones());
            tally.sectors += u64::from(inside.sectors());
        }
        Some(inside)
    }
}

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

/// Whether the first lane of a generic access goes to local memory or constants, which lie above all
/// else.
#[inline(always)]
fn is_private(op: Transfer, base: &[u64; 32], mask: u32) -> bool {
    op.window == Window::Generic && base[mask.trailing_zeros() as usize & 31] >= LOCAL_WINDOW
}

/// Carries out a load from global or shared memory if its lanes lie in a line or in rows; gives
/// whether they do. Generic addresses may too: those that lie in the allocation where the site
/// went before lie in no other space. (No closures here: what they call would not be inlined.)
#[inline(always)]
pub(crate) fn load<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> bool {
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    if is_private(*op, base, mask) {
        return false;
    }
    // The commonest of all.
    match (op.cell, op.count) {
        (Cell::B32, 1) if mask == FULL => {
            if Line::maybe(base, 4, FULL) {
                if N >= 8
                    && Line::ends_well(base)
                    && let Some(line) = Line::find::<N>(base, 4, FULL)
                {
                    let Some(inside) = reach_line(context, *op, line, FULL) else { return false };
                    let [words] = moves::read_words::<N, 4, 1>(&inside);
                    warp.regs32[slot] = words.0;
                    return true;
                }
                if let Some(inside) = reach(context, *op, base, 4) {
                    [warp.regs32[slot]] = inside.cells::<N, 1, u32>();
                    return true;
                }
            }
            return scattered::words::<N>(warp, context, op, true);
        }
        (Cell::B64, 1) if mask == FULL => {
            if Line::maybe(base, 8, FULL) {
                if N >= 8
                    && Line::ends_well(base)
                    && let Some(line) = Line::find::<N>(base, 8, FULL)
                {
                    let Some(inside) = reach_line(context, *op, line, FULL) else { return false };
                    let [doubles] = moves::read_doubles::<N, 1>(&inside);
                    warp.regs64[slot] = doubles.0;
                    return true;
                }
                if let Some(inside) = reach(context, *op, base, 8) {
                    [warp.regs64[slot]] = inside.cells::<N, 1, u64>();
                    return true;
                }
            }
            return scattered::doubles::<N>(warp, context, op, true);
        }
        _ => {}
    }
    others::<N>(warp, context, op, mask, true)
}

/// As [`load`], for a store. What is watched goes the long way.
#[inline(always)]
pub(crate) fn store<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> bool {
    if context.watching {
        return false;
    }
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    if is_private(*op, base, mask) {
        return false;
    }
    match (op.cell, op.count) {
        (Cell::B32, 1) if mask == FULL => {
            if Line::maybe(base, 4, FULL) {
                if N >= 8
                    && Line::ends_well(base)
                    && let Some(line) = Line::find::<N>(base, 4, FULL)
                {
                    let Some(inside) = reach_line(context, *op, line, FULL) else { return false };
                    moves::write_words::<N, 4, 1>(&inside, &[&warp.regs32[slot]]);
                    return true;
                }
                if let Some(inside) = reach(context, *op, base, 4) {
                    inside.put_cells::<N, 1, u32>(&[warp.regs32[slot]]);
                    return true;
                }
            }
            return scattered::words::<N>(warp, context, op, false);
        }
        (Cell::B64, 1) if mask == FULL => {
            if Line::maybe(base, 8, FULL) {
                if N >= 8
                    && Line::ends_well(base)
                    && let Some(line) = Line::find::<N>(base, 8, FULL)
                {
                    let Some(inside) = reach_line(context, *op, line, FULL) else { return false };
                    moves::write_doubles::<N, 1>(&inside, &[&warp.regs64[slot]]);
                    return true;
                }
                if let Some(inside) = reach(context, *op, base, 8) {
                    inside.put_cells::<N, 1, u64>(&[warp.regs64[slot]]);
                    return true;
                }
            }
            return scattered::doubles::<N>(warp, context, op, false);
        }
        _ => {}
    }
    others::<N>(warp, context, op, mask, false)
}

/// What is not the commonest: in a line or in rows if the first two lanes lie so, else anywhere.
#[inline(always)]
fn others<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> bool {
    let base = &warp.regs64[usize::from(op.a)];
    let in_line = match (op.count, op.cell) {
        (1, Cell::B32) => some_words::<N>(warp, context, op, mask, loads),
        _ if !Line::maybe(base, u64::from(op.bytes()), mask) => false,
        (1, _) => one::<N>(warp, context, op, mask, loads),
        _ => far::<N>(warp, context, op, mask, loads),
    };
    in_line || scattered::transfer::<N>(warp, context, op, mask, loads)
}

vectors! {
    /// As [`load`] and [`store`], of a word of some lanes.
    some_words => some_words_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32, loads: bool,
    ) -> bool
}

#[inline(always)]
fn some_words_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> bool {
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    let Some(line) = Line::find::<N>(base, 4, mask) else { return false };
    // Whether no other thread of the host works on it.
    let alone = context.alone || op.window == Window::Shared;
    let Some(inside) = reach_line(context, *op, line, mask) else { return false };
    if loads {
        let [words] = moves::read_words::<N, 4, 1>(&inside);
        put::<N, _>(&mut warp.regs32[slot], mask, &words.0);
    } else if !alone || !moves::blend_words::<N>(&inside, &warp.regs32[slot]) {
        moves::write_words::<N, 4, 1>(&inside, &[&warp.regs32[slot]]);
    }
    true
}

vectors! {
    /// As [`far`], of one narrow or wide cell a lane.
    one => one_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32, loads: bool,
    ) -> bool
}

#[inline(always)]
fn one_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> bool {
    let (base, slot) = (&warp.regs64[usize::from(op.a)], usize::from(op.slot));
    let line = Line::find::<N>(base, op.cell.bytes().into(), mask);
    let Some(line) = line else { return far::<N>(warp, context, op, mask, loads) };
    let Some(inside) = reach_line(context, *op, line, mask) else { return false };
    macro_rules! words {
        ($size:literal, $signed:expr) => {
            if loads {
                let [mut words] = moves::read_words::<N, $size, 1>(&inside);
                if $signed {
                    let unused = 32 - 8 * $size;
                    for lane in 0..32 {
                        let top = (words[lane] << unused).cast_signed();
                        words[lane] = (top >> unused).cast_unsigned();
                    }
                }
                put::<N, _>(&mut warp.regs32[slot], mask, &words.0);
            } else {
                // Of each word, the low bytes that the cell has are written.
                moves::write_words::<N, $size, 1>(&inside, &[&warp.regs32[slot]]);
            }
        };
    }
    match op.cell {
        Cell::U8 | Cell::S8 => words!(1, op.cell == Cell::S8),
        Cell::U16 | Cell::S16 => words!(2, op.cell == Cell::S16),
        Cell::B32 => words!(4, false),
        Cell::B64 if loads => {
            let [doubles] = moves::read_doubles::<N, 1>(&inside);
            put::<N, _>(&mut warp.regs64[slot], mask, &doubles.0);
        }
        Cell::B64 => moves::write_doubles::<N, 1>(&inside, &[&warp.regs64[slot]]),
    }
    true
}

vectors! {
    /// As [`load`] and [`store`], of any cells, with a function of its own.
    far => far_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32, loads: bool,
    ) -> bool
}

/// Whether lanes of so many cells are moved by the line, if of no more bytes than a line has.
/// With narrower vectors, rows move what has more than 8 bytes.
#[inline(always)]
fn by_line<const N: usize>(op: Transfer) -> bool {
    matches!(op.count, 2 | 4) && (N == 16 || N == 8 && op.bytes() <= 8)
}

#[inline(always)]
fn far_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> bool {
    let size = u64::from(op.bytes());
    if by_line::<N>(*op) {
        // A full warp needs no masks: the compiler makes it a case of its own.
        let done = if mask == FULL {
            of_size::<N>(warp, context, op, FULL, loads)
        } else {
            of_size::<N>(warp, context, op, mask, loads)
        };
        if let Some(done) = done {
            return done;
        }
    }
    let base = &warp.regs64[usize::from(op.a)];
    // Rows are moved in these numbers of cells.
    if mask != FULL || !matches!(op.count, 1 | 2 | 4 | 8) {
        return false;
    }
    let Some(inside) = reach(context, *op, base, size) else { return false };
    if loads {
        load_cells::<N>(warp, inside, *op);
    } else {
        store_cells::<N>(warp, inside, *op);
    }
    true
}

/// Moves the cells of lanes in a line; gives whether it did. `None` where they are in none.
#[inline(always)]
fn of_size<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> Option<bool> {
    match op.bytes() {
        2 => move_line::<N, 2, 1>(warp, context, op, mask, loads),
        4 => move_line::<N, 4, 1>(warp, context, op, mask, loads),
        8 => move_line::<N, 8, 2>(warp, context, op, mask, loads),
        16 => move_line::<N, 16, 4>(warp, context, op, mask, loads),
        _ => None,
    }
}

#[inline(always)]
fn move_line<const N: usize, const SIZE: usize, const WORDS: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> Option<bool> {
    let base = &warp.regs64[usize::from(op.a)];
    let line = Line::find::<N>(base, SIZE as u64, mask)?;
    let Some(inside) = reach_line(context, *op, line, mask) else { return Some(false) };
    if loads {
        load_line::<N, SIZE, WORDS>(warp, &inside, *op, mask);
    } else {
        store_line::<N, SIZE, WORDS>(warp, &inside, *op);
    }
    Some(true)
}

/// Loads the cells of lanes in a line.
#[inline(always)]
fn load_line<const N: usize, const SIZE: usize, const WORDS: usize>(
    warp: &mut Warp,
    inside: &InsideLine,
    op: Transfer,
    mask: u32,
) {
    let (Warp { regs32, regs64, .. }, slot) = (warp, usize::from(op.slot));
    if SIZE == 16 && op.cell == Cell::B64 {
        let doubles = moves::read_doubles::<N, 2>(inside);
        for index in 0..2 {
            put::<N, _>(&mut regs64[slot + index], mask, &doubles[index].0);
        }
        return;
    }
    let words = moves::read_words::<N, SIZE, WORDS>(inside);
    if op.cell == Cell::B32 {
        for index in 0..WORDS {
            put::<N, _>(&mut regs32[slot + index], mask, &words[index].0);
        }
    } else {
        load_narrow::<N, SIZE>(&mut regs32[slot..], &words, op, mask);
    }
}

/// Loads narrow cells from the words that they are parts of.
#[inline(always)]
fn load_narrow<const N: usize, const SIZE: usize>(
    regs: &mut [[u32; 32]],
    words: &[Register<u32>],
    op: Transfer,
    mask: u32,
) {
    macro_rules! narrow {
        ($cell:expr, $bytes:literal) => {
            for index in 0..SIZE / $bytes {
                let at = index * $bytes;
                let (mut values, shift) = (words[at / 4 % words.len()].0, 8 * (at % 4));
                for lane in 0..32 {
                    values[lane] = extended($cell, values[lane] >> shift);
                }
                put::<N, _>(&mut regs[index], mask, &values);
            }
        };
    }
    match op.cell {
        Cell::U8 => narrow!(Cell::U8, 1),
        Cell::S8 => narrow!(Cell::S8, 1),
        Cell::U16 => narrow!(Cell::U16, 2),
        Cell::S16 => narrow!(Cell::S16, 2),
        Cell::B32 | Cell::B64 => {}
    }
}

/// Stores the cells of lanes in a line.
#[inline(always)]
fn store_line<const N: usize, const SIZE: usize, const WORDS: usize>(
    warp: &Warp,
    inside: &InsideLine,
    op: Transfer,
) {
    let slot = usize::from(op.slot);
    if SIZE == 16 && op.cell == Cell::B64 {
        let doubles = [&warp.regs64[slot], &warp.regs64[slot + 1]];
        return moves::write_doubles::<N, 2>(inside, &doubles);
    }
    if op.cell == Cell::B32 {
        let words = std::array::from_fn(|index| &warp.regs32[slot + index]);
        return moves::write_words::<N, SIZE, WORDS>(inside, &words);
    }
    let mut words = [Register::default(); WORDS];
    join_narrow(&mut words, &warp.regs32[slot..], op);
    let words = std::array::from_fn(|index| &words[index].0);
    moves::write_words::<N, SIZE, WORDS>(inside, &words);
}

/// Puts narrow cells into the words that they are parts of.
#[inline(always)]
fn join_narrow(words: &mut [Register<u32>], regs: &[[u32; 32]], op: Transfer) {
    for index in 0..usize::from(op.count) {
        let at = index * op.cell.bytes() as usize;
        let (word, shift) = (at / 4 % words.len(), 8 * (at % 4));
        let ones = ones(op.cell.bytes());
        for lane in 0..32 {
            words[word].0[lane] |= (regs[index][lane] & ones) << shift;
        }
    }
}

#[inline(always)]
fn load_cells<const N: usize>(warp: &mut Warp, inside: Inside, op: Transfer) {
    let slot = usize::from(op.slot);
    macro_rules! cells {
        ($file:ident, $ty:ty, $f:expr) => { cells!($file, $ty, $f, 1 2 4 8) };
        ($file:ident, $ty:ty, $f:expr, $($count:literal)*) => {
            match op.count {
                $($count => {
                    let cells = inside.cells::<N, $count, $ty>();
                    for (cells, register) in cells.iter().zip(&mut warp.$file[slot..]) {
                        for lane in 0..32 {
                            register[lane] = $f(cells[lane]);
                        }
                    }
                })*
                _ => {}
            }
        };
    }
    match op.cell {
        Cell::B64 => cells!(regs64, u64, |value| value),
        Cell::B32 => cells!(regs32, u32, |value| value),
        Cell::U16 => cells!(regs32, u16, u32::from),
        Cell::U8 => cells!(regs32, u8, u32::from),
        Cell::S16 => {
            cells!(regs32, u16, |value: u16| value.cast_signed() as u32);
        }
        Cell::S8 => {
            cells!(regs32, u8, |value: u8| value.cast_signed() as u32);
        }
    }
}

#[inline(always)]
fn store_cells<const N: usize>(warp: &mut Warp, inside: Inside, op: Transfer) {
    let slot = usize::from(op.slot);
    macro_rules! cells {
        ($file:ident, $ty:ty) => { cells!($file, $ty, 1 2 4 8) };
        ($file:ident, $ty:ty, $($count:literal)*) => {
            match op.count {
                $($count => {
                    let mut cells = [[0; 32]; $count];
                    for (cells, register) in cells.iter_mut().zip(&warp.$file[slot..]) {
                        for lane in 0..32 {
                            cells[lane] = register[lane] as $ty;
                        }
                    }
                    inside.put_cells::<N, $count, $ty>(&cells);
                })*
                _ => {}
            }
        };
    }
    match op.cell.bytes() {
        8 => cells!(regs64, u64),
        4 => cells!(regs32, u32),
        2 => cells!(regs32, u16),
        _ => cells!(regs32, u8),
    }
}
