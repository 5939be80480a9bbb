//! Loads and stores of a warp: addresses checked, costs counted, bytes moved.

use crate::cost::access;
use crate::exec::local;
use crate::exec::vectors::vectors;
use crate::machine::{
    At, BlockContext, Bytes, Checked, Fault, Gather, LaneAddresses, Peers, Reach, SiteTally,
    TrapKind, Warp, access_of, choose, lanes, put,
};
use crate::program::{
    CLUSTER_WINDOW_BYTES, Cell, Kernel, SHARED_WINDOW, SHARED_WINDOW_BYTES, Site, SiteKind,
    Transfer, Window,
};

/// Lanes of an access that go to one allocation, or to shared memory.
pub(crate) struct Part {
    pub(crate) places: LaneAddresses,
    /// Index of the allocation; `None` for shared memory.
    pub(crate) allocation: Option<usize>,
    /// The other block of the cluster whose shared memory it is.
    pub(crate) peer: Option<u8>,
}

impl Part {
    /// None, to be found by [`resolve`].
    #[inline(always)]
    pub(crate) fn unset() -> Self {
        Self { places: LaneAddresses::unset(), allocation: None, peer: None }
    }

    /// What the lanes go to.
    #[inline(always)]
    pub(crate) fn bytes<'c>(
        &self,
        memory: Reach<'c>,
        shared: &'c Bytes,
        peers: &'c Peers,
    ) -> &'c Bytes {
        match (self.allocation, self.peer) {
            (Some(index), _) => &memory.allocation(index).bytes,
            (None, None) => shared,
            (None, Some(rank)) => peers.shared(rank),
        }
    }
}

/// The bytes of global memory that an access of `size` bytes goes to, lane by lane; none of
/// shared memory, which is part of a block's state.
#[cold]
pub(crate) fn contents(part: &Part, bytes: &Bytes, size: u32) -> Vec<u8> {
    if part.allocation.is_none() {
        return Vec::new();
    }
    let offsets = part.places.offsets();
    let starts = lanes(part.places.mask()).map(|lane| u64::from(offsets[lane]));
    starts.flat_map(|start| (start..start + u64::from(size)).map(|at| bytes.load(at))).collect()
}

/// Finds where the first of the lanes goes, and which others go there too.
/// Nearly always that is all of them.
#[inline(always)]
pub(crate) fn resolve<const N: usize>(
    part: &mut Part,
    context: &mut BlockContext,
    window: Window,
    base: &[u64; 32],
    (size, site): (u32, u16),
    mask: u32,
) -> Result<(), Fault> {
    let offset = context.kernel.sites[usize::from(site)].offset.cast_unsigned();
    let first = base[mask.trailing_zeros() as usize & 31].wrapping_add(offset);
    let in_window = first.wrapping_sub(SHARED_WINDOW) < CLUSTER_WINDOW_BYTES;
    let (start, allocation) = if window == Window::Shared {
        (context.peers.own(), None)
    } else if window == Window::Generic && in_window {
        (SHARED_WINDOW + context.peers.own(), None)
    } else {
        let Some(index) = find(context, site, first) else {
            return Err(fault(context, window, base, size, site, mask, mask));
        };
        (context.memory.allocation(index).base, Some(index))
    };
    (part.allocation, part.peer) = (allocation, None);
    let end = part.bytes(context.memory, &context.shared, &context.peers).len();
    if part.places.set::<N>(base, start.wrapping_sub(offset), mask, (end, size)) {
        return Ok(());
    }
    *part = resolve_some(context, window, base, size, site, mask, (start, allocation))?;
    Ok(())
}

/// The allocation that `address` lies in: mostly where the site went before.
#[inline(always)]
fn find(context: &mut BlockContext, site: u16, address: u64) -> Option<usize> {
    let last = &mut context.found[usize::from(site)];
    if let Some(allocation) = context.memory.get(*last)
        && address.wrapping_sub(allocation.base) < allocation.bytes.len()
    {
        return Some(*last);
    }
    let index = context.memory.find(address)?;
    *last = index;
    Some(index)
}

/// As [`resolve`], where lanes go to several places, or some go wrong.
#[cold]
fn resolve_some(
    context: &BlockContext,
    window: Window,
    base: &[u64; 32],
    size: u32,
    site: u16,
    mask: u32,
    (start, allocation): (u64, Option<usize>),
) -> Result<Part, Fault> {
    let offset = context.kernel.sites[usize::from(site)].offset.cast_unsigned();
    let first = mask.trailing_zeros() as usize & 31;
    let (mut start, mut peer) = (start, None);
    let len = if let Some(index) = allocation {
        context.memory.allocation(index).bytes.len()
    } else {
        let window = start - context.peers.own();
        let at = base[first].wrapping_add(offset).wrapping_sub(window);
        if at.wrapping_sub(context.peers.own()) >= SHARED_WINDOW_BYTES
            && let Ok((rank, at_peer)) = context.peers.find(at)
        {
            (start, peer) = (window + at - at_peer, Some(rank));
        }
        peer.map_or(&context.shared, |rank| context.peers.shared(rank)).len()
    };
    // LaneAddresses have 32 bits: of a larger allocation, they reach 2 GiB down and up
    // from the first lane.
    let at = |lane: usize| base[lane].wrapping_add(offset).wrapping_sub(start);
    // One that goes wrong says nothing about where the others may.
    let low = if at(first) < len { at(first).saturating_sub(1 << 31) / 256 * 256 } else { 0 };
    let high = len.min(low.saturating_add(u64::from(u32::MAX)));
    let mut inside = 0;
    let mut misaligned = 0;
    for lane in 0..32 {
        // Written so that neither side can overflow.
        let at = at(lane);
        let fits = at >= low && at < high && high - at >= u64::from(size);
        inside |= u32::from(fits) << lane;
        misaligned |= u32::from(at & u64::from(size - 1) != 0) << lane;
    }
    let part = mask & inside;
    // The first lane may begin inside and end outside.
    if misaligned & mask != 0 || part >> first & 1 == 0 {
        return Err(fault(context, window, base, size, site, mask, mask & !inside));
    }
    let origin = start.wrapping_add(low).wrapping_sub(offset);
    match LaneAddresses::new(base, origin, part) {
        Some(places) => Ok(Part { places: places.after(low), allocation, peer }),
        None => Err(fault(context, window, base, size, site, mask, mask)),
    }
}

/// What is wrong with an access: misaligned lanes of `mask`, else those `outside`.
#[cold]
fn fault(
    context: &BlockContext,
    window: Window,
    base: &[u64; 32],
    size: u32,
    site: u16,
    mask: u32,
    outside: u32,
) -> Fault {
    let offset = context.kernel.sites[usize::from(site)].offset.cast_unsigned();
    let address = base.map(|base| base.wrapping_add(offset));
    let first = |lanes: u32| address[lanes.trailing_zeros() as usize & 31];
    let word = context.kernel.word(site);
    let misaligned = choose(mask, |lane| !address[lane].is_multiple_of(u64::from(size)));
    let (kind, lanes, message) = if misaligned != 0 {
        let first = first(misaligned);
        let message = format!("`{word}` at address {first:#x}, which is not a multiple of {size}");
        (TrapKind::Misaligned, misaligned, message)
    } else {
        let first = first(outside);
        let place = context.describe(window, first);
        (TrapKind::OutOfBounds, outside, format!("{}: {place}", access_of(word, size)))
    };
    Fault { kind, at: At::Site(site), lanes, message }
}

/// Counts a load or store, of global memory or of the block's shared memory.
#[inline(always)]
pub(crate) fn count_access(
    kernel: &Kernel,
    tally: &mut SiteTally,
    places: &LaneAddresses,
    global: bool,
    (size, site): (u32, u16),
) {
    let Site { kind, rows, silent, .. } = kernel.sites[usize::from(site)];
    if silent {
        return;
    }
    if global {
        tally.global += 1;
        tally.global_lanes += u64::from(places.mask().count_ones());
        // Allocations start on a sector, so offsets fall into sectors as addresses do.
        tally.sectors += u64::from(access::sectors(places));
    } else {
        let load = kind == SiteKind::Load && !rows;
        let (passes, conflicts) = access::wavefronts(places, size, load);
        tally.shared += 1;
        tally.wavefronts += u64::from(passes);
        tally.conflicts += u64::from(conflicts);
    }
}

/// As [`count_access`], of some lanes.
#[inline(always)]
fn count_part(context: &mut BlockContext, part: &Part, size: u32, site: u16) {
    // The memory of another block is behind no counter here.
    if part.peer.is_none() {
        let tally = &mut context.tallies.sites[usize::from(site)];
        let global = part.allocation.is_some();
        count_access(context.kernel, tally, &part.places, global, (size, site));
    }
}

/// Reads a cell of every lane, `part` bytes on.
#[inline(always)]
fn gather<const N: usize, T: Gather, D: Copy + Default>(
    checked: &Checked,
    part: u32,
    d: &mut [D; 32],
    mask: u32,
    f: impl Fn(T) -> D,
) {
    let (read, mut values) = (checked.load::<N, T>(part), [D::default(); 32]);
    for lane in 0..32 {
        values[lane] = f(read[lane]);
    }
    put::<N, _>(d, mask, &values);
}

/// Reads the cells of every lane into the registers of those of `mask`.
#[inline(always)]
pub(crate) fn gather_cells<const N: usize>(
    warp: &mut Warp,
    checked: &Checked,
    op: Transfer,
    mask: u32,
) {
    match (op.cell, op.count) {
        // The commonest.
        (Cell::B32, 1) => {
            let d = &mut warp.regs32[usize::from(op.slot)];
            return put::<N, _>(d, mask, &checked.load::<N, u32>(0));
        }
        (Cell::B64, 1) => {
            let d = &mut warp.regs64[usize::from(op.slot)];
            return put::<N, _>(d, mask, &checked.load::<N, u64>(0));
        }
        _ => {}
    }
    for index in 0..u16::from(op.count) {
        let part = u32::from(index) * op.cell.bytes();
        let slot = usize::from(op.slot + index);
        if op.cell == Cell::B64 {
            gather::<N, _, _>(checked, part, &mut warp.regs64[slot], mask, |x: u64| x);
            continue;
        }
        let d = &mut warp.regs32[slot];
        match op.cell {
            Cell::U8 => gather::<N, _, _>(checked, part, d, mask, |x: u8| u32::from(x)),
            Cell::S8 => gather::<N, _, _>(checked, part, d, mask, |x: u8| {
                i32::from(x.cast_signed()).cast_unsigned()
            }),
            Cell::U16 => gather::<N, _, _>(checked, part, d, mask, |x: u16| u32::from(x)),
            Cell::S16 => gather::<N, _, _>(checked, part, d, mask, |x: u16| {
                i32::from(x.cast_signed()).cast_unsigned()
            }),
            _ => gather::<N, _, _>(checked, part, d, mask, |x: u32| x),
        }
    }
}

/// Writes the cells of every lane that takes part, in order.
#[inline(always)]
pub(crate) fn scatter_cells(warp: &Warp, checked: &Checked, op: Transfer) {
    for index in 0..u16::from(op.count) {
        let part = u32::from(index) * op.cell.bytes();
        let slot = usize::from(op.slot + index);
        if op.cell == Cell::B64 {
            let values = &warp.regs64[slot];
            checked.store(part, |lane| values[lane]);
            continue;
        }
        let values = &warp.regs32[slot];
        match op.cell.bytes() {
            1 => checked.store(part, |lane| values[lane] as u8),
            2 => checked.store(part, |lane| values[lane] as u16),
            _ => checked.store(part, |lane| values[lane]),
        }
    }
}

vectors! {
    /// Carries out a load for the lanes of `mask`.
    load => load_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32,
    ) -> Result<(), Fault>
}

vectors! {
    /// Carries out a store for the lanes of `mask`.
    store => store_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32,
    ) -> Result<(), Fault>
}

#[inline(always)]
fn load_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> Result<(), Fault> {
    let op = *op;
    let mask = match op.window {
        Window::Generic => local::load::<N>(warp, context, &op, mask)?,
        _ => mask,
    };
    let size = op.bytes();
    let mut part = Part::unset();
    // What is read may go where the address is: those lanes are done with it.
    let mut left = mask;
    while left != 0 {
        let base = &warp.regs64[usize::from(op.a)];
        resolve::<N>(&mut part, context, op.window, base, (size, op.site), left)?;
        count_part(context, &part, size, op.site);
        let bytes = part.bytes(context.memory, &context.shared, &context.peers);
        let Some(checked) = part.places.check(bytes, size) else { return Ok(()) };
        let mask = part.places.mask();
        left &= !mask;
        gather_cells::<N>(warp, &checked, op, mask);
    }
    Ok(())
}

#[inline(always)]
fn store_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
) -> Result<(), Fault> {
    let op = *op;
    let mask = match op.window {
        Window::Generic => local::store::<N>(warp, context, &op, mask)?,
        _ => mask,
    };
    let size = op.bytes();
    let mut part = Part::unset();
    let base = &warp.regs64[usize::from(op.a)];
    let mut left = mask;
    while left != 0 {
        resolve::<N>(&mut part, context, op.window, base, (size, op.site), left)?;
        count_part(context, &part, size, op.site);
        let bytes = part.bytes(context.memory, &context.shared, &context.peers);
        let Some(checked) = part.places.check(bytes, size) else { return Ok(()) };
        left &= !part.places.mask();
        let before = context.watching.then(|| contents(&part, bytes, size));
        scatter_cells(warp, &checked, op);
        if before.is_some_and(|before| before != contents(&part, bytes, size)) {
            context.changed = true;
        }
    }
    Ok(())
}
