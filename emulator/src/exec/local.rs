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

/// Splits an access by space and checks it.
fn split(
    warp: &Warp,
    context: &BlockContext,
    op: Transfer,
    mask: u32,
    write: bool,
) -> Result<Access, Fault> {
    let offset = context.kernel.sites[usize::from(op.site)].offset.cast_unsigned();
    let address = warp.regs64[usize::from(op.a)].map(|base| base.wrapping_add(offset));
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
fn count(context: &mut BlockContext, op: Transfer, access: &Access) {
    if access.local != 0 && op.window != Window::Param {
        let tally = &mut context.tallies.sites[usize::from(op.site)];
        // Words of a thread lie 128 bytes apart, so each takes a request (ncu on an H200).
        tally.local += u64::from(op.bytes().div_ceil(4));
        tally.local_sectors +=
            u64::from(local_sectors(&access.at, access.local, u64::from(op.bytes())));
    }
}

/// Loads for the lanes that read local memory or constants; gives the others.
pub(crate) fn load(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    mask: u32,
) -> Result<u32, Fault> {
    let access = split(warp, context, op, mask, false)?;
    count(context, op, &access);
    let size = op.cell.bytes();
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
                Cell::S8 => warp.regs32[slot][lane] = i32::from(value as i8).cast_unsigned(),
                Cell::S16 => warp.regs32[slot][lane] = i32::from(value as i16).cast_unsigned(),
                _ => warp.regs32[slot][lane] = value as u32,
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
    let access = split(warp, context, op, mask, true)?;
    count(context, op, &access);
    let size = op.cell.bytes();
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
