//! Copies of many bytes by one thread.

use crate::lane::Word;
use crate::machine::{
    At, BlockContext, Bytes, Fault, LaneAddresses, SECTOR, TrapKind, Warp, access_of, lanes,
};
use crate::program::{
    Bulk, CLUSTER_WINDOW_BYTES, Cell, End, Rmw, SHARED_WINDOW, SHARED_WINDOW_BYTES, Window,
};

/// Addresses and sizes are multiples of this.
const UNIT: u64 = 16;

/// The hardware asks L2 for pieces of this size, counted from the start of the copy. From
/// sectors counted on an H200.
pub(crate) const PIECE: u64 = 128;

/// Where one end of a copy is.
pub(crate) struct Span {
    /// Index of the allocation; `None` for shared memory.
    allocation: Option<usize>,
    /// The other block of the cluster whose shared memory it is.
    peer: Option<u8>,
    pub(crate) offset: u64,
}

/// Carries out copy `index` of the kernel for the lanes of `mask`, one after the other.
pub(crate) fn run(
    warp: &Warp,
    context: &mut BlockContext,
    index: u16,
    mask: u32,
) -> Result<(), Fault> {
    let bulk = context.kernel.bulks[usize::from(index)];
    for lane in lanes(mask) {
        one(warp, context, bulk, lane)?;
    }
    Ok(())
}

fn one(warp: &Warp, context: &mut BlockContext, bulk: Bulk, lane: usize) -> Result<(), Fault> {
    let size = u64::from(warp.regs32[usize::from(bulk.bytes)][lane]);
    let from = span(warp, context, bulk.from, size, lane, None)?;
    let words: Vec<u64> = {
        let bytes = bytes(context, &from);
        (0..size / 8).map(|word| bytes.load(from.offset + 8 * word)).collect()
    };
    count(context, bulk.from, &from, size);
    let Some(blocks) = bulk.blocks else {
        return write(warp, context, bulk, &words, lane, None);
    };
    let blocks = warp.regs32[usize::from(blocks)][lane] & 0xffff;
    for rank in lanes(blocks) {
        write(warp, context, bulk, &words, lane, Some(rank as u64))?;
    }
    Ok(())
}

/// Writes what a copy has read, to block `rank` of the cluster if one is given, and tells the
/// barrier there.
fn write(
    warp: &Warp,
    context: &mut BlockContext,
    bulk: Bulk,
    words: &[u64],
    lane: usize,
    rank: Option<u64>,
) -> Result<(), Fault> {
    let size = 8 * words.len() as u64;
    let to = span(warp, context, bulk.to, size, lane, rank)?;
    let target = bytes(context, &to);
    let mut changed = false;
    for (word, &value) in (0..).zip(words) {
        let at = to.offset + 8 * word;
        changed |= context.watching && bulk.change.is_none() && target.load::<u64>(at) != value;
        match bulk.change {
            None => target.store(at, value),
            Some(change) => combine(target, at, value, change),
        }
    }
    context.changed |= to.allocation.is_some() && (changed || bulk.change.is_some());
    count(context, bulk.to, &to, size);
    bulk.barrier.map_or(Ok(()), |barrier| complete(warp, context, barrier, size, lane, rank))
}

/// Tells an `mbarrier` that `size` bytes have come.
pub(crate) fn complete(
    warp: &Warp,
    context: &BlockContext,
    barrier: End,
    size: u64,
    lane: usize,
    rank: Option<u64>,
) -> Result<(), Fault> {
    const BYTES: u64 = 8;
    let place = place(warp, context, barrier, BYTES, lane, rank)?;
    if !place.offset.is_multiple_of(BYTES) {
        let message = format!(
            "`{}` names an mbarrier at offset {}: it has to be a multiple of {BYTES}",
            context.kernel.word(barrier.site),
            place.offset
        );
        return Err(fault(TrapKind::Misaligned, barrier, lane, message));
    }
    let bytes = bytes(context, &place);
    let word: u64 = bytes.load(place.offset);
    bytes.store(place.offset, u64::rmw(Rmw::CompleteBytes, word, size, 0));
    Ok(())
}

pub(crate) fn bytes<'c>(context: &'c BlockContext, span: &Span) -> &'c Bytes {
    match (span.allocation, span.peer) {
        (Some(index), _) => &context.memory.allocation(index).bytes,
        (None, None) => &context.shared,
        (None, Some(rank)) => context.peers.shared(rank),
    }
}

/// One end of `size` bytes, a multiple of 16 at a multiple of 16.
fn span(
    warp: &Warp,
    context: &BlockContext,
    end: End,
    size: u64,
    lane: usize,
    rank: Option<u64>,
) -> Result<Span, Fault> {
    let found = place(warp, context, end, size, lane, rank)?;
    if size.is_multiple_of(UNIT) && found.offset.is_multiple_of(UNIT) {
        return Ok(found);
    }
    let word = context.kernel.word(end.site);
    let message = format!(
        "`{word}` copies {size} bytes at offset {}: both have to be multiples of {UNIT}",
        found.offset
    );
    Err(fault(TrapKind::Misaligned, end, lane, message))
}

/// Where an end is, if all its bytes are there.
pub(crate) fn place(
    warp: &Warp,
    context: &BlockContext,
    end: End,
    size: u64,
    lane: usize,
    rank: Option<u64>,
) -> Result<Span, Fault> {
    let offset = context.kernel.sites[usize::from(end.site)].offset.cast_unsigned();
    let mut address = warp.regs64[usize::from(end.a)][lane].wrapping_add(offset);
    if let Some(rank) = rank {
        // The same place of another block.
        address =
            address & !(CLUSTER_WINDOW_BYTES - SHARED_WINDOW_BYTES) | (rank * SHARED_WINDOW_BYTES);
    }
    let in_window = match end.window {
        Window::Shared => Some(address),
        Window::Generic => Some(address.wrapping_sub(SHARED_WINDOW)),
        _ => None,
    };
    let in_window = in_window.filter(|at| *at < CLUSTER_WINDOW_BYTES);
    let (span, len) = match in_window {
        Some(at) => {
            let own = at.wrapping_sub(context.peers.own());
            match context.peers.find(at) {
                _ if own < SHARED_WINDOW_BYTES => {
                    (Span { allocation: None, peer: None, offset: own }, context.shared.len())
                }
                Ok((rank, offset)) => {
                    let len = context.peers.shared(rank).len();
                    (Span { allocation: None, peer: Some(rank), offset }, len)
                }
                Err(_) => (Span { allocation: None, peer: None, offset: at }, 0),
            }
        }
        None => match context.locate(address) {
            Some((index, found)) => {
                let offset = address - found.base;
                (Span { allocation: Some(index), peer: None, offset }, found.bytes.len())
            }
            None => (Span { allocation: None, peer: None, offset: address }, 0),
        },
    };
    if span.offset <= len && len - span.offset >= size {
        return Ok(span);
    }
    let what = context.describe(end.window, address);
    let message = format!("{}: {what}", access_of(context.kernel.word(end.site), size));
    Err(fault(TrapKind::OutOfBounds, end, lane, message))
}

fn fault(kind: TrapKind, end: End, lane: usize, message: String) -> Fault {
    Fault { kind, at: At::Site(end.site), lanes: 1 << lane, message }
}

/// Changes the cells of 8 bytes.
fn combine(target: &Bytes, at: u64, value: u64, (f, cell): (Rmw, Cell)) {
    let places = LaneAddresses::new(&[at; 32], 0, 1);
    let Some(checked) = places.as_ref().and_then(|places| places.check(target, 8)) else { return };
    if cell == Cell::B64 {
        checked.update(0, 0, |old: u64| u64::rmw(f, old, value, 0));
        return;
    }
    for part in 0..2 {
        let value = (value >> (32 * part)) as u32;
        checked.update(4 * part, 0, |old: u32| u32::rmw(f, old, value, 0));
    }
}

/// Counts the sectors of global memory that one end touches; the units beside the memory
/// pipeline that copy have no passes through its banks.
fn count(context: &mut BlockContext, end: End, span: &Span, size: u64) {
    let Some(allocation) = span.allocation else { return };
    let tally = &mut context.tallies.sites[usize::from(end.site)];
    tally.global += 1;
    tally.global_lanes += 1;
    for piece in (0..size).step_by(PIECE as usize) {
        let first = span.offset + piece;
        let last = span.offset + size.min(piece + PIECE) - 1;
        tally.sectors += last / SECTOR - first / SECTOR + 1;
    }
    context.found[usize::from(end.site)] = allocation;
}
