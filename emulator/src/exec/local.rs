//! What each thread has alone: local memory with its stack of frames; and what
//! none may write: constants and the kernel's parameters.

use crate::cost::{groups_of_eight, local_sectors};
use crate::exec::lanes::FULL;
use crate::exec::line::one_place;
use crate::exec::vectors::vectors;
use crate::machine::{
    At, BlockContext, Fault, Gather, LaneAddresses, Local, TrapKind, Warp, access_of, lanes, ones,
    put,
};
use crate::program::{CONST_WINDOW, Cell, LOCAL_WINDOW, PARAMS, Transfer, WINDOW_BYTES, Window};

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
fn addresses(warp: &Warp, context: &BlockContext, op: &Transfer) -> [u64; 32] {
    let offset = context.kernel.sites[usize::from(op.site)].offset.cast_unsigned();
    let base = &warp.regs64[usize::from(op.a)];
    let mut at = [0; 32];
    for lane in 0..32 {
        at[lane] = base[lane].wrapping_add(offset);
    }
    at
}

/// Finds where the lanes of `mask` lie above `origin`, if each is aligned and has what it accesses
/// below `end`.
#[inline(always)]
fn find<const N: usize>(
    places: &mut LaneAddresses,
    warp: &Warp,
    context: &BlockContext,
    op: &Transfer,
    mask: u32,
    (origin, end): (u64, u64),
) -> bool {
    let offset = context.kernel.sites[usize::from(op.site)].offset.cast_unsigned();
    let (base, size) = (&warp.regs64[usize::from(op.a)], op.bytes());
    places.set::<N>(base, origin.wrapping_sub(offset), mask, (end, size))
}

/// Finds where the lanes of an access go, if to local memory alone, which is there and aligned.
#[inline(always)]
fn own<const N: usize>(
    places: &mut LaneAddresses,
    warp: &Warp,
    context: &BlockContext,
    op: &Transfer,
    mask: u32,
) -> bool {
    let origin = match op.window {
        Window::Local | Window::Param => 0,
        Window::Generic => LOCAL_WINDOW,
        _ => return false,
    };
    find::<N>(places, warp, context, op, mask, (origin, warp.local.bytes))
}

/// As [`own`], where all lanes go to one place: what threads do that use their memory alike.
#[inline(always)]
fn own_together<const N: usize>(
    warp: &Warp,
    context: &BlockContext,
    op: &Transfer,
    mask: u32,
) -> Option<u64> {
    let at = together::<N>(warp, context, op, mask)?;
    let at = match op.window {
        Window::Local | Window::Param => at,
        Window::Generic => at.wrapping_sub(LOCAL_WINDOW),
        _ => return None,
    };
    let size = u64::from(op.bytes());
    (at & (size - 1) == 0 && warp.local.holds(at, size)).then_some(at)
}

/// The address of all lanes, if they have but one.
#[inline(always)]
fn together<const N: usize>(
    warp: &Warp,
    context: &BlockContext,
    op: &Transfer,
    mask: u32,
) -> Option<u64> {
    let offset = context.kernel.sites[usize::from(op.site)].offset.cast_unsigned();
    let first = one_place::<N>(&warp.regs64[usize::from(op.a)], mask)?;
    Some(first.wrapping_add(offset))
}

/// Whether no lane of a generic access can go to local memory or constants.
#[inline(always)]
fn elsewhere(warp: &Warp, context: &BlockContext, op: &Transfer) -> bool {
    if op.window != Window::Generic {
        return false;
    }
    let at = addresses(warp, context, op);
    let mut near = 0;
    for lane in 0..32 {
        near |= u32::from(at[lane].wrapping_sub(LOCAL_WINDOW) < WINDOW_BYTES);
        near |= u32::from(at[lane].wrapping_sub(CONST_WINDOW) < WINDOW_BYTES);
    }
    near == 0
}

/// A cell's value as a 32-bit slot holds it.
#[inline(always)]
pub(crate) fn extended(cell: Cell, value: u32) -> u32 {
    match cell {
        Cell::U8 => value & 0xff,
        Cell::U16 => value & 0xffff,
        Cell::S8 => i32::from(value as i8).cast_unsigned(),
        Cell::S16 => i32::from(value as i16).cast_unsigned(),
        Cell::B32 | Cell::B64 => value,
    }
}

/// The low and high words of 64-bit values, and back.
#[inline(always)]
fn joined(low: &[u32; 32], high: &[u32; 32]) -> [u64; 32] {
    let mut values = [0; 32];
    for lane in 0..32 {
        values[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
    }
    values
}

#[inline(always)]
fn half(values: &[u64; 32], shift: u32) -> [u32; 32] {
    let mut words = [0; 32];
    for lane in 0..32 {
        words[lane] = (values[lane] >> shift) as u32;
    }
    words
}

/// Writes a slot in the lanes of `mask`, from the words that hold the cells at `at`, `part`
/// bytes on: `words` gives the bytes at that distance.
#[inline(always)]
fn give<const N: usize>(
    (regs32, regs64): (&mut [[u32; 32]], &mut [[u64; 32]]),
    (cell, slot): (Cell, usize),
    (at, part): (&[u32; 32], u32),
    mask: u32,
    mut words: impl FnMut(u32) -> [u32; 32],
) {
    macro_rules! narrow {
        ($cell:expr) => {{
            let mut values = words(part);
            for lane in 0..32 {
                let shift = 8 * (at[lane].wrapping_add(part) & 3);
                values[lane] = extended($cell, values[lane] >> shift);
            }
            put::<N, _>(&mut regs32[slot], mask, &values);
        }};
    }
    match cell {
        Cell::B64 => put::<N, _>(&mut regs64[slot], mask, &joined(&words(part), &words(part + 4))),
        Cell::B32 => put::<N, _>(&mut regs32[slot], mask, &words(part)),
        Cell::U8 => narrow!(Cell::U8),
        Cell::S8 => narrow!(Cell::S8),
        Cell::U16 => narrow!(Cell::U16),
        Cell::S16 => narrow!(Cell::S16),
    }
}

/// Loads from local memory at these places.
#[inline(always)]
fn load_own<const N: usize>(warp: &mut Warp, op: &Transfer, mask: u32, at: &[u32; 32]) {
    let Warp { regs32, regs64, local, .. } = warp;
    for index in 0..u16::from(op.count) {
        let (slot, part) = (usize::from(op.slot + index), u32::from(index) * op.cell.bytes());
        let words = |part: u32| local.words::<N>(at, part);
        give::<N>((regs32, regs64), (op.cell, slot), (at, part), mask, words);
    }
}

/// Loads from one place of local memory.
#[inline(always)]
fn load_together<const N: usize>(warp: &mut Warp, op: &Transfer, mask: u32, at: u64) {
    let Warp { regs32, regs64, local, .. } = warp;
    let row = |part: u32| local.row(at + u64::from(part)).copied().unwrap_or([0; 32]);
    for index in 0..u16::from(op.count) {
        let (slot, part) = (usize::from(op.slot + index), u32::from(index) * op.cell.bytes());
        give::<N>((regs32, regs64), (op.cell, slot), (&[at as u32; 32], part), mask, row);
    }
}

/// Writes the words of the lanes of `mask` at one place.
#[inline(always)]
fn put_words<const N: usize>(local: &mut Local, mask: u32, at: u64, values: &[u32; 32]) {
    if let Some(row) = local.row_mut(at) {
        put::<N, _>(row, mask, values);
    }
}

/// Stores to one place of local memory.
#[inline(always)]
fn store_together<const N: usize>(warp: &mut Warp, op: &Transfer, mask: u32, at: u64) {
    let Warp { regs32, regs64, local, .. } = warp;
    let size = op.cell.bytes();
    for index in 0..u16::from(op.count) {
        let (slot, at) = (usize::from(op.slot + index), at + u64::from(index) * u64::from(size));
        match op.cell {
            Cell::B32 => put_words::<N>(local, mask, at, &regs32[slot]),
            Cell::B64 => {
                put_words::<N>(local, mask, at, &half(&regs64[slot], 0));
                put_words::<N>(local, mask, at + 4, &half(&regs64[slot], 32));
            }
            _ => {
                let (shift, values) = (8 * (at as u32 & 3), &regs32[slot]);
                let ones = ones(size) << shift;
                let Some(row) = local.row_mut(at) else { continue };
                let mut words = *row;
                for lane in 0..32 {
                    words[lane] = words[lane] & !ones | values[lane] << shift & ones;
                }
                put::<N, _>(row, mask, &words);
            }
        }
    }
}

/// Stores to local memory at these places.
#[inline(always)]
fn store_own(warp: &mut Warp, op: &Transfer, mask: u32, at: &[u32; 32]) {
    let Warp { regs32, regs64, local, .. } = warp;
    let size = op.cell.bytes();
    for index in 0..u16::from(op.count) {
        let (slot, part) = (usize::from(op.slot + index), u32::from(index) * size);
        match op.cell {
            Cell::B64 => {
                local.put(at, (part, 4), mask, &half(&regs64[slot], 0));
                local.put(at, (part + 4, 4), mask, &half(&regs64[slot], 32));
            }
            _ => local.put(at, (part, size), mask, &regs32[slot]),
        }
    }
}

/// Loads for lanes that read one constant; gives whether they do.
#[inline(always)]
fn load_constant<const N: usize>(
    warp: &mut Warp,
    context: &BlockContext,
    op: &Transfer,
    mask: u32,
) -> bool {
    let Some(at) = together::<N>(warp, context, op, mask) else { return false };
    let size = u64::from(op.bytes());
    let Some(bytes) = context.bank(at, size).filter(|_| at & (size - 1) == 0) else { return false };
    let cells = bytes.chunks_exact(op.cell.bytes() as usize);
    for (slot, bytes) in (usize::from(op.slot)..).zip(cells) {
        if let Some(&bytes) = bytes.first_chunk() {
            put::<N, _>(&mut warp.regs64[slot], mask, &[u64::from_le_bytes(bytes); 32]);
            continue;
        }
        let value = bytes.iter().rev().fold(0, |value, &byte| value << 8 | u32::from(byte));
        put::<N, _>(&mut warp.regs32[slot], mask, &[extended(op.cell, value); 32]);
    }
    true
}

/// Loads for lanes that read constants and nothing else; gives whether they do.
#[inline(always)]
fn load_constants<const N: usize>(
    warp: &mut Warp,
    context: &BlockContext,
    op: &Transfer,
    mask: u32,
) -> bool {
    let offset = context.kernel.sites[usize::from(op.site)].offset.cast_unsigned();
    let base = &warp.regs64[usize::from(op.a)];
    let first = base[mask.trailing_zeros() as usize & 31].wrapping_add(offset);
    let params = first >= PARAMS;
    let (bank, origin) =
        if params { (context.params, PARAMS) } else { (&*context.kernel.data.constants, 0) };
    let end = bank.len() as u64;
    let mut places = LaneAddresses::unset();
    if !find::<N>(&mut places, warp, context, op, mask, (origin, end)) {
        return false;
    }
    let Warp { regs32, regs64, .. } = warp;
    let words = |part: u32| bank_words::<N>(bank, places.offsets(), (part, op.cell));
    for index in 0..u16::from(op.count) {
        let (slot, part) = (usize::from(op.slot + index), u32::from(index) * op.cell.bytes());
        if op.cell == Cell::B32 && N == 16 && mask == FULL {
            let start = bank.as_ptr().wrapping_add(part as usize).cast_mut();
            // SAFETY: `find` knows that all lanes' bytes lie in the bank. They are only read, in
            // assembly where `N` is 16, and nobody writes them.
            regs32[slot] = unsafe { u32::gather::<N, _>(start, places.offsets()) };
        } else if op.cell == Cell::B32 {
            put::<N, _>(&mut regs32[slot], mask, &words(part));
        } else {
            give::<N>((regs32, regs64), (op.cell, slot), (places.offsets(), part), mask, words);
        }
    }
    true
}

/// The words that hold cells of the bank, `part` on from these places.
#[inline(always)]
fn bank_words<const N: usize>(
    bank: &[u8],
    places: &[u32; 32],
    (part, cell): (u32, Cell),
) -> [u32; 32] {
    let (mut at, mut last) = ([0; 32], 0);
    for lane in 0..32 {
        at[lane] = (places[lane] + part) & !3;
        last = last.max(at[lane]);
    }
    if N == 16 && last as usize + 4 <= bank.len() {
        let start = bank.as_ptr().cast_mut();
        // SAFETY: the words lie in the bank, as just checked. They are only read, in assembly
        // where `N` is 16, and nobody writes them, so that they need not be aligned.
        return unsafe { u32::gather::<N, _>(start, &at) };
    }
    let size = cell.bytes().min(4);
    for lane in 0..32 {
        let inside = size + ((places[lane] + part) & 3);
        at[lane] = bank_word(bank, at[lane] as usize, inside as usize);
    }
    at
}

/// The word at `at`, or its first `inside` bytes where the bank ends within it.
fn bank_word(bank: &[u8], at: usize, inside: usize) -> u32 {
    if let Some(word) = bank.get(at..).and_then(<[u8]>::first_chunk) {
        return u32::from_le_bytes(*word);
    }
    let bytes = bank.get(at..at + inside).unwrap_or_default();
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// Splits an access by space and checks it.
fn split(
    warp: &Warp,
    context: &BlockContext,
    op: &Transfer,
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
        let message = format!("{}: {message}", access_of(word, size));
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

/// Counts an access to local memory of the lanes of `local`.
#[inline(always)]
fn count(context: &mut BlockContext, op: &Transfer, local: u32, sectors: u32) {
    if local != 0 && op.window != Window::Param {
        let tally = &mut context.tallies.sites[usize::from(op.site)];
        // Words of a thread lie 128 bytes apart, so each takes a request (ncu on an H200).
        tally.local += u64::from(op.bytes().div_ceil(4));
        tally.local_sectors += u64::from(sectors);
    }
}

/// Counts an access to one place of local memory: of each group of eight lanes, its words lie
/// next to each other.
#[inline(always)]
fn count_together(context: &mut BlockContext, op: &Transfer, mask: u32) {
    count(context, op, mask, groups_of_eight(mask) * op.bytes().div_ceil(4));
}

/// Counts an access to several places of local memory.
fn count_some(context: &mut BlockContext, op: &Transfer, access: &Access) {
    let sectors = local_sectors(&half(&access.at, 0), access.local, op.bytes());
    count(context, op, access.local, sectors);
}

vectors! {
    /// Loads for the lanes that read local memory or constants; gives the others.
    load => load_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32,
    ) -> Result<u32, Fault>
}

vectors! {
    /// Stores for the lanes that write local memory; gives the others.
    store => store_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32,
    ) -> Result<u32, Fault>
}

#[inline(always)]
fn load_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> Result<u32, Fault> {
    if op.window == Window::Const {
        let loaded = load_constant::<N>(warp, context, op, mask)
            || load_constants::<N>(warp, context, op, mask);
        return if loaded { Ok(0) } else { load_some(warp, context, op, mask) };
    }
    if let Some(at) = own_together::<N>(warp, context, op, mask) {
        count_together(context, op, mask);
        load_together::<N>(warp, op, mask, at);
        return Ok(0);
    }
    let mut places = LaneAddresses::unset();
    if own::<N>(&mut places, warp, context, op, mask) {
        count(context, op, mask, local_sectors(places.offsets(), mask, op.bytes()));
        load_own::<N>(warp, op, mask, places.offsets());
        return Ok(0);
    }
    if elsewhere(warp, context, op) {
        return Ok(mask);
    }
    load_some(warp, context, op, mask)
}

#[inline(always)]
fn store_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> Result<u32, Fault> {
    if let Some(at) = own_together::<N>(warp, context, op, mask) {
        count_together(context, op, mask);
        store_together::<N>(warp, op, mask, at);
        return Ok(0);
    }
    let mut places = LaneAddresses::unset();
    if own::<N>(&mut places, warp, context, op, mask) {
        count(context, op, mask, local_sectors(places.offsets(), mask, op.bytes()));
        store_own(warp, op, mask, places.offsets());
        return Ok(0);
    }
    if elsewhere(warp, context, op) {
        return Ok(mask);
    }
    store_some(warp, context, op, mask)
}

/// As [`load`], where lanes go to several spaces, or some go wrong.
#[inline(never)]
fn load_some(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> Result<u32, Fault> {
    let size = op.cell.bytes();
    let access = split(warp, context, op, mask, false)?;
    count_some(context, op, &access);
    for index in 0..u16::from(op.count) {
        let slot = usize::from(op.slot + index);
        for lane in lanes(access.local | access.constant) {
            let at = access.at[lane] + u64::from(index) * u64::from(size);
            let value = if access.local >> lane & 1 != 0 {
                warp.local.load(lane, at, size)
            } else {
                let bytes = context.bank(at, u64::from(size)).unwrap_or_default();
                bytes.iter().rev().fold(0, |value, &byte| value << 8 | u64::from(byte))
            };
            match op.cell {
                Cell::B64 => warp.regs64[slot][lane] = value,
                cell => warp.regs32[slot][lane] = extended(cell, value as u32),
            }
        }
    }
    Ok(access.rest)
}

/// As [`store`], where lanes go to several spaces, or some go wrong.
#[inline(never)]
fn store_some(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> Result<u32, Fault> {
    let size = op.cell.bytes();
    let access = split(warp, context, op, mask, true)?;
    count_some(context, op, &access);
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
