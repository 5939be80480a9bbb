//! What each thread has alone: local memory with its stack of frames; and what
//! none may write: constants and the kernel's parameters.

use super::TrapKind;
use super::access::SECTOR;
use super::block::BlockContext;
use super::data::{CONST_WINDOW, LOCAL_WINDOW, PARAMS, WINDOW_BYTES};
use super::fault::Fault;
use super::op::{Cell, Window};
use super::transfer::Transfer;
use super::warp::Warp;

/// Local memory of the 32 lanes of a warp: 8-byte words of the lanes next to
/// each other, so that it can grow.
#[derive(Debug, Default)]
pub(super) struct Local {
    words: Vec<[u64; 32]>,
    /// Bytes that each lane has.
    bytes: u64,
}

impl Local {
    /// Makes it `bytes` zeroed bytes per lane.
    pub(super) fn reset(&mut self, bytes: u64) {
        self.bytes = bytes;
        self.words.clear();
        self.words.resize(bytes.div_ceil(8) as usize, [0; 32]);
    }

    /// Makes it at least `bytes` per lane.
    pub(super) fn grow(&mut self, bytes: u64) {
        if bytes > self.bytes {
            self.bytes = bytes;
            self.words.resize(bytes.div_ceil(8) as usize, [0; 32]);
        }
    }

    /// Whether an access lies inside.
    pub(super) fn holds(&self, at: u64, size: u64) -> bool {
        at.checked_add(size).is_some_and(|end| end <= self.bytes)
    }

    /// The value of an aligned access of 1, 2, 4 or 8 bytes; 0 outside.
    pub(super) fn load(&self, lane: usize, at: u64, size: u32) -> u64 {
        let Some(word) = self.words.get((at / 8) as usize) else { return 0 };
        word[lane] >> (8 * (at % 8)) & mask(size)
    }

    pub(super) fn store(&mut self, lane: usize, at: u64, size: u32, value: u64) {
        let Some(word) = self.words.get_mut((at / 8) as usize) else { return };
        let shift = 8 * (at % 8);
        word[lane] = word[lane] & !(mask(size) << shift) | (value & mask(size)) << shift;
    }
}

/// The bits of `size` bytes.
fn mask(size: u32) -> u64 {
    if size >= 8 { u64::MAX } else { (1 << (8 * size)) - 1 }
}

/// Sectors that an access touches: the 4-byte words of the lanes lie next to
/// each other, so 32 lanes at one offset are 128 bytes in a row.
fn sectors(at: &[u64; 32], lanes: u32, size: u64) -> u32 {
    let mut touched = [0; 32 * 8];
    let mut count = 0;
    for (lane, &at) in at.iter().enumerate().filter(|(lane, _)| lanes >> lane & 1 != 0) {
        for word in at / 4..(at + size).div_ceil(4) {
            touched[count] = (word * 128 + lane as u64 * 4) / SECTOR;
            count += 1;
        }
    }
    let touched = &mut touched[..count];
    touched.sort_unstable();
    touched.chunk_by(|a, b| a == b).count() as u32
}

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
    lanes: u32,
    write: bool,
) -> Result<Access, Fault> {
    let offset = context.kernel.sites[usize::from(op.site)].offset.cast_unsigned();
    let address = warp.regs64[usize::from(op.a)].map(|base| base.wrapping_add(offset));
    let mut access = Access { at: address, local: 0, constant: 0, rest: 0 };
    for lane in (0..32).filter(|lane| lanes >> lane & 1 != 0) {
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
        Err(Fault { kind, site: Some(op.site), lanes, message })
    };
    let (mut outside, mut misaligned) = (0, 0);
    for lane in (0..32).filter(|lane| (access.local | access.constant) >> lane & 1 != 0) {
        let at = access.at[lane];
        let local = access.local >> lane & 1 != 0;
        let inside =
            if local { warp.local.holds(at, size) } else { bank(context, at, size).is_some() };
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

/// Bytes of the constant bank, if they are all there.
pub(super) fn bank<'m>(context: &BlockContext<'m>, at: u64, size: u64) -> Option<&'m [u8]> {
    let (bytes, at) = match at.checked_sub(PARAMS) {
        Some(at) => (context.params, at),
        None => (context.kernel.data.constants.as_slice(), at),
    };
    let at = usize::try_from(at).ok()?;
    bytes.get(at..at.checked_add(size as usize)?)
}

/// Counts an access to local memory.
fn count(context: &mut BlockContext, op: Transfer, access: &Access) {
    if access.local != 0 && op.window != Window::Param {
        let tally = &mut context.tallies.sites[usize::from(op.site)];
        tally.local += 1;
        tally.local_sectors += u64::from(sectors(&access.at, access.local, u64::from(op.bytes())));
    }
}

/// Loads for the lanes that read local memory or constants; gives the others.
pub(super) fn load(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    lanes: u32,
) -> Result<u32, Fault> {
    let access = split(warp, context, op, lanes, false)?;
    count(context, op, &access);
    let size = op.cell.bytes();
    for index in 0..u16::from(op.count) {
        let slot = usize::from(op.slot + index);
        for lane in (0..32).filter(|lane| (access.local | access.constant) >> lane & 1 != 0) {
            let at = access.at[lane] + u64::from(index) * u64::from(size);
            let value = if access.local >> lane & 1 != 0 {
                warp.local.load(lane, at, size)
            } else {
                let bytes = bank(context, at, u64::from(size)).unwrap_or_default();
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
pub(super) fn store(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    lanes: u32,
) -> Result<u32, Fault> {
    let access = split(warp, context, op, lanes, true)?;
    count(context, op, &access);
    let size = op.cell.bytes();
    for index in 0..u16::from(op.count) {
        let slot = usize::from(op.slot + index);
        for lane in (0..32).filter(|lane| access.local >> lane & 1 != 0) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_at_one_offset_are_one_row() {
        let same = |at: u64| [at; 32];
        assert_eq!(sectors(&same(8), u32::MAX, 4), 4);
        assert_eq!(sectors(&same(9), u32::MAX, 1), 4);
        assert_eq!(sectors(&same(8), 0xff, 4), 1);
        assert_eq!(sectors(&same(16), u32::MAX, 16), 16);
        let apart: [u64; 32] = std::array::from_fn(|lane| lane as u64 * 4);
        assert_eq!(sectors(&apart, u32::MAX, 4), 32);
    }

    #[test]
    fn narrow_values_keep_their_neighbours() {
        let mut local = Local::default();
        local.reset(12);
        local.store(3, 8, 4, 0x0102_0304);
        local.store(3, 9, 1, 0xff);
        assert_eq!(
            (local.load(3, 8, 4), local.load(3, 10, 2), local.load(2, 8, 8)),
            (0x0102_ff04, 0x0102, 0)
        );
        assert!(local.holds(8, 4) && !local.holds(9, 4) && !local.holds(u64::MAX, 4));
    }
}
