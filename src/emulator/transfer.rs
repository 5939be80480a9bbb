//! Loads, stores and atomics of a warp: addresses checked, costs counted,
//! bytes moved.

use super::access::{self, Addresses};
use super::block::BlockContext;
use super::exec::Fault;
use super::kernel::{Kernel, SiteKind};
use super::lane::Word;
use super::memory::{AtomicScalar, Bytes, SHARED_WINDOW, SHARED_WINDOW_BYTES, Scalar};
use super::op::{Cell, Rmw, Slot, Window};
use super::warp::Warp;
use crate::launch::TrapKind;

/// Every lane.
const FULL: u32 = u32::MAX;

/// The fields of a load or store.
#[derive(Clone, Copy)]
pub(super) struct Transfer {
    pub(super) window: Window,
    pub(super) cell: Cell,
    /// Cells per lane.
    pub(super) count: u8,
    /// Slot of the address.
    pub(super) a: Slot,
    /// First slot of the values.
    pub(super) slot: Slot,
    pub(super) site: u16,
}

impl Transfer {
    /// Bytes per lane.
    fn bytes(self) -> u64 {
        u64::from(self.cell.bytes()) * u64::from(self.count)
    }
}

/// Where the lanes of an access go, all checked.
struct Target<'m> {
    bytes: &'m Bytes,
    /// Offset of each active lane in `bytes`.
    offsets: [u64; 32],
    /// Index of the allocation; `None` for shared memory.
    allocation: Option<usize>,
    /// The lanes that go there.
    mask: u32,
}

/// Splits an access by where its lanes go, checks bounds and alignment, and
/// hands each part to `each`. Nearly always there is one part.
#[inline(always)]
fn split<'m>(
    context: &mut BlockContext<'m>,
    window: Window,
    base: &[u64; 32],
    size: u64,
    site: u16,
    mask: u32,
    mut each: impl FnMut(&mut BlockContext<'m>, &Target),
) -> Result<(), Fault> {
    let offset = context.kernel.sites[usize::from(site)].offset.cast_unsigned();
    let address = base.map(|base| base.wrapping_add(offset));
    let mut misaligned = 0;
    for (lane, address) in address.iter().enumerate() {
        misaligned |= u32::from(address & (size - 1) != 0) << lane;
    }
    if misaligned & mask != 0 {
        return Err(misaligned_fault(context.kernel, site, misaligned & mask, &address, size));
    }
    let mut left = mask;
    while left != 0 {
        let first = address[left.trailing_zeros() as usize];
        let in_window = first.wrapping_sub(SHARED_WINDOW) < SHARED_WINDOW_BYTES;
        let shared = window == Window::Shared || window == Window::Generic && in_window;
        let (start, len, allocation) = if shared {
            let start = if window == Window::Shared { 0 } else { SHARED_WINDOW };
            (start, context.shared.len(), None)
        } else {
            let Some(index) = context.memory.find(first) else {
                return Err(outside(context, site, left, &address, window, size));
            };
            let found = &context.memory.allocations()[index];
            (found.base, found.bytes.len(), Some(index))
        };
        let mut offsets = [0; 32];
        let mut inside = 0;
        for lane in 0..32 {
            offsets[lane] = address[lane].wrapping_sub(start);
            // Written so that neither side can overflow.
            inside |= u32::from(offsets[lane] < len && len - offsets[lane] >= size) << lane;
        }
        let part = left & inside;
        // The first lane may begin inside and end outside.
        if part >> left.trailing_zeros() & 1 == 0 {
            return Err(outside(context, site, left & !inside, &address, window, size));
        }
        if let Some(index) = allocation {
            let memory = context.memory;
            let bytes = &memory.allocations()[index].bytes;
            each(context, &Target { bytes, offsets, allocation, mask: part });
        } else {
            // The block's own memory is lent out for the access.
            let bytes = std::mem::take(&mut context.shared);
            each(context, &Target { bytes: &bytes, offsets, allocation, mask: part });
            context.shared = bytes;
        }
        left &= !part;
    }
    Ok(())
}

#[cold]
fn misaligned_fault(
    kernel: &Kernel,
    site: u16,
    lanes: u32,
    address: &[u64; 32],
    size: u64,
) -> Fault {
    let first = address[lanes.trailing_zeros() as usize];
    Fault {
        kind: TrapKind::Misaligned,
        site: Some(site),
        lanes,
        message: format!(
            "`{}` at address {first:#x}, which is not a multiple of {size}",
            kernel.word(site)
        ),
    }
}

#[cold]
fn outside(
    context: &BlockContext,
    site: u16,
    lanes: u32,
    address: &[u64; 32],
    window: Window,
    size: u64,
) -> Fault {
    let first = address[lanes.trailing_zeros() as usize];
    let word = context.kernel.word(site);
    let place = if window == Window::Shared {
        format!("offset {first} in {} bytes of shared memory", context.shared.len())
    } else {
        context.memory.describe(first)
    };
    Fault {
        kind: TrapKind::OutOfBounds,
        site: Some(site),
        lanes,
        message: format!("`{word}` of {size} bytes: {place}"),
    }
}

/// Counts a load or store.
#[inline(always)]
fn count_access(context: &mut BlockContext, target: &Target, size: u64, site: u16) {
    let load = context.kernel.sites[usize::from(site)].kind == SiteKind::Load;
    let tally = &mut context.tallies.sites[usize::from(site)];
    if target.allocation.is_some() {
        tally.global += 1;
        tally.global_lanes += u64::from(target.mask.count_ones());
        // Allocations start on a sector, so offsets fall into sectors as addresses do.
        let addresses = Addresses::new(&target.offsets, target.mask);
        tally.sectors += u64::from(access::sectors(&addresses, size));
    } else {
        let (passes, conflicts) = access::wavefronts(&target.offsets, target.mask, size, load);
        tally.shared += 1;
        tally.wavefronts += u64::from(passes);
        tally.conflicts += u64::from(conflicts);
    }
}

#[inline(always)]
fn each_lane(mask: u32, mut f: impl FnMut(usize)) {
    if mask == FULL {
        for lane in 0..32 {
            f(lane);
        }
    } else {
        let mut left = mask;
        while left != 0 {
            f(left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

#[inline(always)]
fn gather<T: Scalar, D>(target: &Target, part: u64, d: &mut [D; 32], f: impl Fn(T) -> D) {
    each_lane(target.mask, |lane| d[lane] = f(target.bytes.load(target.offsets[lane] + part)));
}

#[inline(always)]
pub(super) fn load(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    mask: u32,
) -> Result<(), Fault> {
    let base = warp.regs64[usize::from(op.a)];
    let size = op.bytes();
    split(context, op.window, &base, size, op.site, mask, |context, target| {
        count_access(context, target, size, op.site);
        for index in 0..u16::from(op.count) {
            let part = u64::from(index) * u64::from(op.cell.bytes());
            let slot = usize::from(op.slot + index);
            if op.cell == Cell::B64 {
                gather(target, part, &mut warp.regs64[slot], |x: u64| x);
                continue;
            }
            let d = &mut warp.regs32[slot];
            match op.cell {
                Cell::U8 => gather(target, part, d, |x: u8| u32::from(x)),
                Cell::S8 => {
                    gather(target, part, d, |x: u8| i32::from(x.cast_signed()).cast_unsigned());
                }
                Cell::U16 => gather(target, part, d, |x: u16| u32::from(x)),
                Cell::S16 => {
                    gather(target, part, d, |x: u16| i32::from(x.cast_signed()).cast_unsigned());
                }
                _ => gather(target, part, d, |x: u32| x),
            }
        }
    })
}

#[inline(always)]
pub(super) fn store(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Transfer,
    mask: u32,
) -> Result<(), Fault> {
    let base = warp.regs64[usize::from(op.a)];
    let size = op.bytes();
    split(context, op.window, &base, size, op.site, mask, |context, target| {
        count_access(context, target, size, op.site);
        for index in 0..u16::from(op.count) {
            let part = u64::from(index) * u64::from(op.cell.bytes());
            let slot = usize::from(op.slot + index);
            if op.cell == Cell::B64 {
                let values = &warp.regs64[slot];
                each_lane(target.mask, |lane| {
                    target.bytes.store(target.offsets[lane] + part, values[lane]);
                });
                continue;
            }
            let values = &warp.regs32[slot];
            each_lane(target.mask, |lane| {
                let (at, value) = (target.offsets[lane] + part, values[lane]);
                match op.cell.bytes() {
                    1 => target.bytes.store(at, value as u8),
                    2 => target.bytes.store(at, value as u16),
                    _ => target.bytes.store(at, value),
                }
            });
        }
    })
}

/// The fields of an atomic op.
#[derive(Clone, Copy)]
pub(super) struct Update {
    pub(super) window: Window,
    pub(super) f: Rmw,
    pub(super) wide: bool,
    pub(super) a: Slot,
    pub(super) b: Slot,
    pub(super) c: Slot,
    pub(super) site: u16,
}

#[inline(always)]
pub(super) fn update(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Update,
    d: Option<Slot>,
    mask: u32,
) -> Result<(), Fault> {
    let base = warp.regs64[usize::from(op.a)];
    let size = if op.wide { 8 } else { 4 };
    split(context, op.window, &base, size, op.site, mask, |context, target| {
        count_atomic(context, target, size, op.site);
        let (b, c) = (usize::from(op.b), usize::from(op.c));
        if op.wide {
            let (b, c) = (warp.regs64[b], warp.regs64[c]);
            let old = d.map(|d| &mut warp.regs64[usize::from(d)]);
            read_modify_write(target, op.f, &b, &c, old);
        } else {
            let (b, c) = (warp.regs32[b], warp.regs32[c]);
            let old = d.map(|d| &mut warp.regs32[usize::from(d)]);
            read_modify_write(target, op.f, &b, &c, old);
        }
    })
}

/// Carries out an atomic, lane by lane in order.
#[inline(always)]
fn read_modify_write<W: Word + AtomicScalar>(
    target: &Target,
    f: Rmw,
    b: &[W; 32],
    c: &[W; 32],
    mut d: Option<&mut [W; 32]>,
) {
    each_lane(target.mask, |lane| {
        let at = target.offsets[lane];
        let old = if target.allocation.is_none() {
            // Only this host thread works on the block's shared memory.
            let old: W = target.bytes.load(at);
            target.bytes.store(at, W::rmw(f, old, b[lane], c[lane]));
            old
        } else if f == Rmw::Add {
            target.bytes.add(at, b[lane])
        } else {
            target.bytes.update(at, |old| W::rmw(f, old, b[lane], c[lane]))
        };
        if let Some(d) = &mut d {
            d[lane] = old;
        }
    });
}

/// Counts an atomic.
#[inline(always)]
fn count_atomic(context: &mut BlockContext, target: &Target, size: u64, site: u16) {
    let increments = context.kernel.sites[usize::from(site)].increments;
    let lanes = u64::from(target.mask.count_ones());
    let Some(allocation) = target.allocation else {
        let passes = access::atomic_wavefronts(&target.offsets, target.mask, increments);
        let tally = &mut context.tallies.sites[usize::from(site)];
        tally.shared += 1;
        tally.wavefronts += u64::from(passes);
        return;
    };
    let addresses = Addresses::new(&target.offsets, target.mask);
    let tallies = &mut context.tallies;
    let mut all = 0;
    let meeting = access::meeting(&addresses, |sector, passes| {
        all += u64::from(passes);
        tallies.atomic_passes(allocation, sector, passes);
    });
    let tally = &mut context.tallies.sites[usize::from(site)];
    tally.global += 1;
    tally.global_lanes += lanes;
    tally.sectors += u64::from(access::sectors(&addresses, size));
    tally.passes += all;
    tally.addresses += u64::from(meeting.addresses);
    tally.deepest += u64::from(meeting.deepest);
}
