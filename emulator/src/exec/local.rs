//! What each thread has alone: local memory with its stack of frames; and what
//! none may write: constants and the kernel's parameters.

use crate::cost::local_sectors;
use crate::machine::{At, BlockContext, Fault, TrapKind, Warp, lanes};
use crate::program::{CONST_WINDOW, Cell, LOCAL_WINDOW, Transfer, WINDOW_BYTES, Window};

/// A load or store, with the lanes that go to each of the spaces here.
struct Access {
    /// Offsets in the space that a lane goes to.
    at: [u64; 32],
    local: u32,
    constant: u32,
    /// Lanes that go elsewhere.
    rest: u32,
}

/// Where the lanes go.
#[inline(always)]
fn addresses(warp: &Warp, context: &BlockContext, op: Transfer) -> [u64; 32] {
    let offset = context.kernel.sites[usize::from(op.site)].offset.cast_unsigned();
    warp.regs64[usize::from(op.a)].map(|base| base.wrapping_add(offset))
}

/// An access to local memory alone, which is there and aligned: where its lanes go.
#[inline(always)]
fn own(warp: &Warp, context: &BlockContext, op: Transfer, mask: u32) -> Option<[u64; 32]> {
    let mut at = addresses(warp, context, op);
    match op.window {
        Window::Local | Window::Param => {}
        Window::Generic => at = at.map(|at| at.wrapping_sub(LOCAL_WINDOW)),
        _ => return None,
    }
    let size = u64::from(op.bytes());
    let (mut low, mut highest) = (0, 0);
    for (lane, &at) in at.iter().enumerate() {
        let at = if mask >> lane & 1 != 0 { at } else { 0 };
        low |= at;
        highest = if at > highest { at } else { highest };
    }
    (low & (size - 1) == 0 && warp.local.holds(highest, size)).then_some(at)
}

/// Whether no lane of a generic access can go to local memory or constants.
#[inline(always)]
fn elsewhere(warp: &Warp, context: &BlockContext, op: Transfer) -> bool {
    let mut near = 0;
    for at in addresses(warp, context, op) {
        near |= u32::from(at.wrapping_sub(LOCAL_WINDOW) < WINDOW_BYTES);
        near |= u32::from(at.wrapping_sub(CONST_WINDOW) < WINDOW_BYTES);
    }
    op.window == Window::Generic && near == 0
}

/// The place that all lanes of `mask` go to, if that is one.
#[inline(always)]
fn together(at: &[u64; 32], mask: u32) -> Option<u64> {
    let first = at[mask.trailing_zeros() as usize & 31];
    let mut apart = 0;
    for (lane, &at) in at.iter().enumerate() {
        apart |= if mask >> lane & 1 != 0 { at ^ first } else { 0 };
    }
    (apart == 0).then_some(first)
}

/// A cell's value as a 32-bit slot holds it.
#[inline(always)]
fn extended(cell: Cell, value: u64) -> u32 {
    match cell {
        Cell::S8 => i32::from(value as i8).cast_unsigned(),
        Cell::S16 => i32::from(value as i16).cast_unsigned(),
        _ => value as u32,
    }
}

/// Writes a slot in the lanes of `mask`.
#[inline(always)]
fn give(warp: &mut Warp, cell: Cell, slot: usize, mask: u32, values: &[u64; 32]) {
    if cell == Cell::B64 {
        let d = &mut warp.regs64[slot];
        for lane in 0..32 {
            d[lane] = if mask >> lane & 1 != 0 { values[lane] } else { d[lane] };
        }
        return;
    }
    let d = &mut warp.regs32[slot];
    macro_rules! all {
        ($cell:expr) => {
            for lane in 0..32 {
                let value = extended($cell, values[lane]);
                d[lane] = if mask >> lane & 1 != 0 { value } else { d[lane] };
            }
        };
    }
    match cell {
        Cell::S8 => all!(Cell::S8),
        Cell::S16 => all!(Cell::S16),
        _ => all!(Cell::B32),
    }
}

/// The bits of a slot.
#[inline(always)]
fn take(warp: &Warp, cell: Cell, slot: usize) -> [u64; 32] {
    if cell == Cell::B64 { warp.regs64[slot] } else { warp.regs32[slot].map(u64::from) }
}

/// Splits an access by space and checks it.
fn split(
    warp: &Warp,
    context: &BlockContext,
    op: Transfer,
    mask: u32,
    write: bool,
) -> Result<Access, Fault> {
    let address = addresses(warp, context, op);
    let mut access = Access { at: address, local: 0, constant: 0, rest: 0 };
    for lane in lanes(mask) {
        let (local, constant) = match op.window {
            Window::Local | Window::Param => (true, false),
            Window::Const => (false, true),
            _ => {
                let local = address[lane].wrapping_sub(LOCAL_WINDOW);
                let constant = address[lane].wrapping_sub(CONST_WINDOW);
                access.at[lane] = local.min(constant);
                (local < WINDOW_BYTES, constant < WINDOW_BYTES)
            }
        };
        let set = match (local, constant) {
            (true, _) => &mut access.local,
            (_, true) => &mut access.constant,
            _ => &mut access.rest,
        };
        *set |= 1 << lane;
    }
    let size = u64::from(op.bytes());
    let fault = |kind, lanes: u32, message: String| {
        let word = context.kernel.word(op.site);
        let message = format!("`{word}` of {size} bytes: {message}");
        Err(Fault { kind, at: At::Site(op.site), lanes, message })
    };
    let (mut outside, mut misaligned) = (0, 0);
    for lane in (0..32).filter(|lane| (access.local | access.constant) >> lane & 1 != 0) {
        let at = access.at[lane];
        let local = access.local >> lane & 1 != 0;
        let inside =
            if local { warp.local.holds(at, size) } else { context.bank(at, size).is_some() };
        outside |= u32::from(!inside) << lane;
        misaligned |= u32::from(!at.is_multiple_of(size)) << lane;
    }
    let first = |lanes: u32| access.at[lanes.trailing_zeros() as usize & 31];
    if misaligned != 0 {
        let place = first(misaligned);
        return fault(
            TrapKind::Misaligned,
            misaligned,
            format!("offset {place:#x} is not a multiple of {size}"),
        );
    }
    if write && access.constant != 0 {
        return fault(
            TrapKind::OutOfBounds,
            access.constant,
            "constants and parameters cannot be written".to_owned(),
        );
    }
    if outside != 0 {
        let place = if outside & access.local == 0 {
            "outside every constant and parameter".to_owned()
        } else {
            format!("in {} bytes of local memory", warp.local.bytes)
        };
        return fault(
            TrapKind::OutOfBounds,
            outside,
            format!("offset {:#x} {place}", first(outside)),
        );
    }
    Ok(access)
}

/// Counts an access to local memory.
#[inline(always)]
fn count(context: &mut BlockContext, op: Transfer, at: &[u64; 32], local: u32) {
    if local != 0 && op.window != Window::Param {
        let tally = &mut context.tallies.sites[usize::from(op.site)];
        // Words of a thread lie 128 bytes apart, so each takes a request (ncu on an H200).
        tally.local += u64::from(op.bytes().div_ceil(4));
        tally.local_sectors += u64::from(local_sectors(at, local, u64::from(op.bytes())));
    }
}

/// Loads for the lanes that read local memory or constants; gives the others.
pub(crate) fn load(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    mask: u32,
) -> Result<u32, Fault> {
    let size = op.cell.bytes();
    if let Some(at) = own(warp, context, op, mask) {
        count(context, op, &at, mask);
        let together = together(&at, mask);
        for index in 0..u16::from(op.count) {
            let (slot, part) = (usize::from(op.slot + index), u64::from(index) * u64::from(size));
            let values = if let Some(at) = together {
                warp.local.row(at + part, size)
            } else {
                let mut values = [0; 32];
                lanes(mask).for_each(|lane| {
                    values[lane] = warp.local.load(lane, at[lane] + part, size);
                });
                values
            };
            give(warp, op.cell, slot, mask, &values);
        }
        return Ok(0);
    }
    if elsewhere(warp, context, op) {
        return Ok(mask);
    }
    if op.window == Window::Const
        && let Some(at) = together(&addresses(warp, context, op), mask)
        && at.is_multiple_of(u64::from(op.bytes()))
        && let Some(bytes) = context.bank(at, u64::from(op.bytes()))
    {
        for (index, cell) in (op.slot..).zip(bytes.chunks_exact(size as usize)) {
            let value = cell.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte));
            give(warp, op.cell, usize::from(index), mask, &[value; 32]);
        }
        return Ok(0);
    }
    let access = split(warp, context, op, mask, false)?;
    count(context, op, &access.at, access.local);
    for index in 0..u16::from(op.count) {
        let slot = usize::from(op.slot + index);
        for lane in (0..32).filter(|lane| (access.local | access.constant) >> lane & 1 != 0) {
            let at = access.at[lane] + u64::from(index) * u64::from(size);
            let value = if access.local >> lane & 1 != 0 {
                warp.local.load(lane, at, size)
            } else {
                let bytes = context.bank(at, u64::from(size)).unwrap_or_default();
                bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
            };
            match op.cell {
                Cell::B64 => warp.regs64[slot][lane] = value,
                cell => warp.regs32[slot][lane] = extended(cell, value),
            }
        }
    }
    Ok(access.rest)
}

/// Stores for the lanes that write local memory; gives the others.
pub(crate) fn store(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    mask: u32,
) -> Result<u32, Fault> {
    let size = op.cell.bytes();
    if let Some(at) = own(warp, context, op, mask) {
        count(context, op, &at, mask);
        let together = together(&at, mask);
        for index in 0..u16::from(op.count) {
            let (slot, part) = (usize::from(op.slot + index), u64::from(index) * u64::from(size));
            let values = take(warp, op.cell, slot);
            if let Some(at) = together {
                warp.local.put_row(mask, at + part, size, &values);
            } else {
                lanes(mask).for_each(|lane| {
                    warp.local.store(lane, at[lane] + part, size, values[lane]);
                });
            }
        }
        return Ok(0);
    }
    if elsewhere(warp, context, op) {
        return Ok(mask);
    }
    let access = split(warp, context, op, mask, true)?;
    count(context, op, &access.at, access.local);
    for index in 0..u16::from(op.count) {
        let slot = usize::from(op.slot + index);
        for lane in lanes(access.local) {
            let value = if op.cell == Cell::B64 {
                warp.regs64[slot][lane]
            } else {
                u64::from(warp.regs32[slot][lane])
            };
            let at = access.at[lane] + u64::from(index) * u64::from(size);
            warp.local.store(lane, at, size, value);
        }
    }
    Ok(access.rest)
}
