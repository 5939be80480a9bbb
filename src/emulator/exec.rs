//! Runs ops: one warp instruction for 32 lanes at a time.

use super::access::{self, Addresses, SECTOR};
use super::block::BlockContext;
use super::kernel::Kernel;
use super::lane::{self, Word};
use super::memory::{AtomicScalar, Bytes, SHARED_WINDOW, SHARED_WINDOW_BYTES, Scalar};
use super::op::{Cell, Guard, Inst, Op, Rmw, Slot, Terminator, Window};
use super::warp::{Fragment, Warp};
use crate::launch::TrapKind;

/// Every lane.
const FULL: u32 = u32::MAX;

/// Blocks a warp may enter before another one gets its turn.
const TURN: u32 = 4096;

/// The same for a kernel that polls, where a warp may be spinning.
const POLLING_TURN: u32 = 64;

/// What went wrong, before the block and the kernel are added.
#[derive(Debug, Clone)]
pub(super) struct Fault {
    pub(super) kind: TrapKind,
    pub(super) site: Option<u16>,
    /// Lanes of the warp, as a mask.
    pub(super) lanes: u32,
    pub(super) message: String,
}

/// Why a warp stopped running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pause {
    /// Its turn is over.
    Turn,
    /// Its running lanes came to this barrier.
    Barrier { id: u8, lanes: u32, threads: Option<u32> },
    /// Nothing of it can run: ended, or waiting.
    Idle,
}

/// Runs `warp` until it pauses. Picks the widest vector code that the machine
/// has.
pub(super) fn run(
    kernel: &Kernel,
    warp: &mut Warp,
    context: &mut BlockContext,
) -> Result<Pause, Fault> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the machine has these features, as just checked.
        return unsafe { run_avx2(kernel, warp, context) };
    }
    run_body(kernel, warp, context)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
fn run_avx2(kernel: &Kernel, warp: &mut Warp, context: &mut BlockContext) -> Result<Pause, Fault> {
    run_body(kernel, warp, context)
}

#[inline(always)]
fn run_body(kernel: &Kernel, warp: &mut Warp, context: &mut BlockContext) -> Result<Pause, Fault> {
    let Some(mut fragment) = warp.take() else { return Ok(Pause::Idle) };
    let mut turn = if kernel.polls { POLLING_TURN } else { TURN };
    loop {
        let block = &kernel.blocks[fragment.block as usize];
        let mut at = if let Some(at) = fragment.at.take() {
            at
        } else {
            let entry = &mut context.tallies.entries[fragment.block as usize];
            entry.0 += 1;
            entry.1 += u64::from(fragment.mask.count_ones());
            block.first
        };
        while at < block.end {
            let Inst { guard, op } = kernel.insts[at as usize];
            at += 1;
            let mask = match guard {
                Guard::Always => fragment.mask,
                Guard::If(p) => fragment.mask & warp.preds[usize::from(p)],
                Guard::Unless(p) => fragment.mask & !warp.preds[usize::from(p)],
            };
            if mask == 0 {
                continue;
            }
            if let Op::Barrier { id, threads, site } = op {
                context.tallies.sites[usize::from(site)].waits += 1;
                let threads = (threads != super::op::ALL_THREADS)
                    .then(|| warp.regs32[usize::from(threads)][mask.trailing_zeros() as usize]);
                fragment.at = Some(at);
                fragment.waiting = Some((id, site));
                let lanes = fragment.mask.count_ones();
                warp.put(fragment);
                return Ok(Pause::Barrier { id, lanes, threads });
            }
            step(warp, context, op, mask)?;
        }
        context.spend(u64::from(block.ptx.1) + 1, fragment.mask)?;
        match next(warp, context, fragment, block.terminator) {
            Some(ready) => fragment = ready,
            None => match warp.take() {
                Some(ready) => fragment = ready,
                None => return Ok(Pause::Idle),
            },
        }
        turn -= 1;
        if turn == 0 {
            // Lanes that left a loop wait for those still in it. Where the
            // kernel polls, those may be polling for what the first would do.
            if kernel.polls {
                warp.stop_waiting();
            }
            warp.put(fragment);
            return Ok(Pause::Turn);
        }
    }
}

/// Ends a basic block; gives the fragment that goes on, if it does not have to
/// wait.
#[inline(always)]
fn next(
    warp: &mut Warp,
    context: &mut BlockContext,
    fragment: Fragment,
    terminator: Terminator,
) -> Option<Fragment> {
    let to = match terminator {
        Terminator::Jump(to) => to,
        Terminator::Branch { p, when, taken, other, reconverge } => {
            let pred = warp.preds[usize::from(p)];
            let go = fragment.mask & if when { pred } else { !pred };
            if go == fragment.mask {
                taken
            } else if go == 0 {
                other
            } else {
                context.tallies.diverged[fragment.block as usize] += 1;
                return warp.part(fragment, go, taken, other, reconverge);
            }
        }
        Terminator::Exit => {
            warp.exit(fragment);
            return None;
        }
    };
    // Backward jumps of a lane that spins must let the lane it waits for run.
    let backward = to <= fragment.block;
    let ready = warp.arrive(Fragment { block: to, at: None, ..fragment })?;
    if backward && warp.others_ready() {
        warp.put(ready);
        return warp.take();
    }
    Some(ready)
}

#[inline(always)]
fn map1<A: Copy, D: Copy>(d: &mut [D; 32], a: [A; 32], mask: u32, f: impl Fn(A) -> D) {
    if mask == FULL {
        for lane in 0..32 {
            d[lane] = f(a[lane]);
        }
    } else {
        for lane in 0..32 {
            let value = f(a[lane]);
            d[lane] = if mask >> lane & 1 != 0 { value } else { d[lane] };
        }
    }
}

#[inline(always)]
fn map2<A: Copy, B: Copy, D: Copy>(
    d: &mut [D; 32],
    a: [A; 32],
    b: [B; 32],
    mask: u32,
    f: impl Fn(A, B) -> D,
) {
    if mask == FULL {
        for lane in 0..32 {
            d[lane] = f(a[lane], b[lane]);
        }
    } else {
        for lane in 0..32 {
            let value = f(a[lane], b[lane]);
            d[lane] = if mask >> lane & 1 != 0 { value } else { d[lane] };
        }
    }
}

/// `f` picked once, so that each loop has a single function to vectorise.
macro_rules! pick {
    ($f:expr, $call:ident, [$($kind:ident :: $name:ident),* $(,)?]) => {
        match $f {
            $($kind::$name => $call($kind::$name),)*
        }
    };
}

#[inline(always)]
fn binary<W: Word>(d: &mut [W; 32], a: [W; 32], b: [W; 32], mask: u32, f: super::op::Int2) {
    use super::op::Int2;
    let mut each = |f: Int2| map2(d, a, b, mask, |x, y| W::int2(f, x, y));
    pick!(
        f,
        each,
        [
            Int2::Add,
            Int2::Sub,
            Int2::MulLow,
            Int2::MulHighU,
            Int2::MulHighS,
            Int2::DivU,
            Int2::DivS,
            Int2::RemU,
            Int2::RemS,
            Int2::MinU,
            Int2::MinS,
            Int2::MaxU,
            Int2::MaxS,
            Int2::And,
            Int2::Or,
            Int2::Xor,
            Int2::ShiftLeft,
            Int2::ShiftRightU,
            Int2::ShiftRightS,
        ]
    );
}

#[inline(always)]
fn compare<W: Word>(a: &[W; 32], b: &[W; 32], f: super::op::Compare) -> u32 {
    use super::op::Compare;
    let each = |f: Compare| {
        let mut bits = 0;
        for lane in 0..32 {
            bits |= u32::from(lane::compare(f, a[lane], b[lane])) << lane;
        }
        bits
    };
    pick!(
        f,
        each,
        [
            Compare::Equal,
            Compare::NotEqual,
            Compare::LessU,
            Compare::LessEqualU,
            Compare::LessS,
            Compare::LessEqualS,
        ]
    )
}

/// Sets the bits of `mask` in `d` as in `value`.
#[inline(always)]
fn blend(d: &mut u32, value: u32, mask: u32) {
    *d = *d & !mask | value & mask;
}

/// Runs one op for the lanes of `mask`.
#[inline(always)]
fn step(warp: &mut Warp, context: &mut BlockContext, op: Op, mask: u32) -> Result<(), Fault> {
    macro_rules! r32 {
        ($slot:expr) => {
            warp.regs32[usize::from($slot)]
        };
    }
    macro_rules! r64 {
        ($slot:expr) => {
            warp.regs64[usize::from($slot)]
        };
    }
    macro_rules! pred {
        ($slot:expr) => {
            warp.preds[usize::from($slot)]
        };
    }
    match op {
        Op::Move32 { d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| x);
        }
        Op::Move64 { d, a } => {
            let a = r64!(a);
            map1(&mut r64!(d), a, mask, |x| x);
        }
        Op::MovePred { d, a } => {
            let a = pred!(a);
            blend(&mut pred!(d), a, mask);
        }
        Op::Binary32 { f, d, a, b } => {
            let (a, b) = (r32!(a), r32!(b));
            binary(&mut r32!(d), a, b, mask, f);
        }
        Op::Binary64 { f, d, a, b } => {
            let (a, b) = (r64!(a), r64!(b));
            binary(&mut r64!(d), a, b, mask, f);
        }
        Op::Unary32 { f, d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| u32::int1(f, x));
        }
        Op::Unary64 { f, d, a } => {
            let a = r64!(a);
            map1(&mut r64!(d), a, mask, |x| u64::int1(f, x));
        }
        Op::Count32 { f, d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| u32::count(f, x));
        }
        Op::Count64 { f, d, a } => {
            let a = r64!(a);
            map1(&mut r32!(d), a, mask, |x| u64::count(f, x));
        }
        Op::MulAdd32 { d, a, b, c } => {
            let (a, b, c) = (r32!(a), r32!(b), r32!(c));
            let mut product = [0; 32];
            map2(&mut product, a, b, FULL, |x: u32, y| x.wrapping_mul(y));
            map2(&mut r32!(d), product, c, mask, u32::wrapping_add);
        }
        Op::MulAdd64 { d, a, b, c } => {
            let (a, b, c) = (r64!(a), r64!(b), r64!(c));
            let mut product = [0; 32];
            map2(&mut product, a, b, FULL, |x: u64, y| x.wrapping_mul(y));
            map2(&mut r64!(d), product, c, mask, u64::wrapping_add);
        }
        Op::WideMulAdd { signed, d, a, b, c } => {
            let (a, b, c) = (r32!(a), r32!(b), r64!(c));
            let mut product = [0_u64; 32];
            if signed {
                let wide = |x: u32| i64::from(x.cast_signed());
                map2(&mut product, a, b, FULL, |x, y| {
                    wide(x).wrapping_mul(wide(y)).cast_unsigned()
                });
            } else {
                map2(&mut product, a, b, FULL, |x, y| u64::from(x) * u64::from(y));
            }
            map2(&mut r64!(d), product, c, mask, u64::wrapping_add);
        }
        Op::ExtractU32 { d, a, b, c } => extract(warp, false, [d, a, b, c], mask),
        Op::ExtractS32 { d, a, b, c } => extract(warp, true, [d, a, b, c], mask),
        Op::Compare32 { f, d, a, b } => {
            let bits = compare(&r32!(a), &r32!(b), f);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Compare64 { f, d, a, b } => {
            let bits = compare(&r64!(a), &r64!(b), f);
            blend(&mut pred!(d), bits, mask);
        }
        Op::Logic { f, d, a, b } => {
            let bits = lane::logic(f, pred!(a), pred!(b));
            blend(&mut pred!(d), bits, mask);
        }
        Op::Select32 { d, a, b, p } => {
            let (a, b, p) = (r32!(a), r32!(b), pred!(p));
            map1(&mut r32!(d), b, mask & !p, |x| x);
            map1(&mut r32!(d), a, mask & p, |x| x);
        }
        Op::Select64 { d, a, b, p } => {
            let (a, b, p) = (r64!(a), r64!(b), pred!(p));
            map1(&mut r64!(d), b, mask & !p, |x| x);
            map1(&mut r64!(d), a, mask & p, |x| x);
        }
        Op::Narrow { f, d, a } => {
            let a = r32!(a);
            map1(&mut r32!(d), a, mask, |x| lane::narrow(f, x));
        }
        Op::Widen { signed, d, a } => {
            let a = r32!(a);
            if signed {
                map1(&mut r64!(d), a, mask, |x| i64::from(x.cast_signed()).cast_unsigned());
            } else {
                map1(&mut r64!(d), a, mask, u64::from);
            }
        }
        Op::Truncate { d, a } => {
            let a = r64!(a);
            map1(&mut r32!(d), a, mask, |x| x as u32);
        }
        Op::Load { window, cell, d, a, site } => {
            load(warp, context, window, cell, 1, d, a, site, mask)?;
        }
        Op::LoadVector { window, cell, count, d, a, site } => {
            load(warp, context, window, cell, count, d, a, site, mask)?;
        }
        Op::Store { window, cell, a, b, site } => {
            store(warp, context, window, cell, 1, a, b, site, mask)?;
        }
        Op::StoreVector { window, cell, count, a, b, site } => {
            store(warp, context, window, cell, count, a, b, site, mask)?;
        }
        Op::Atomic { window, f, wide, d, a, b, c, site } => {
            atomic(warp, context, Rmwing { window, f, wide, a, b, c, site }, Some(d), mask)?;
        }
        Op::Reduce { window, f, wide, a, b, c, site } => {
            atomic(warp, context, Rmwing { window, f, wide, a, b, c, site }, None, mask)?;
        }
        Op::Trap { site } => {
            return Err(Fault {
                kind: TrapKind::Trap,
                site: Some(site),
                lanes: mask,
                message: "the kernel executed `trap`".to_owned(),
            });
        }
        // Handled by the caller, which owns the fragment.
        Op::Barrier { .. } => {}
    }
    Ok(())
}

#[inline(always)]
fn extract(warp: &mut Warp, signed: bool, [d, a, b, c]: [Slot; 4], mask: u32) {
    let [a, b, c] = [a, b, c].map(|slot| warp.regs32[usize::from(slot)]);
    let d = &mut warp.regs32[usize::from(d)];
    for lane in 0..32 {
        if mask >> lane & 1 != 0 {
            d[lane] = lane::extract(signed, a[lane], b[lane], c[lane]);
        }
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
    let tally = &mut context.tallies.sites[usize::from(site)];
    if target.allocation.is_some() {
        tally.global += 1;
        tally.global_lanes += u64::from(target.mask.count_ones());
        // Allocations start on a sector, so offsets fall into sectors as addresses do.
        let addresses = Addresses::new(&target.offsets, target.mask);
        tally.sectors += u64::from(access::sectors(&addresses, size));
    } else {
        let (passes, conflicts) = access::wavefronts(&target.offsets, target.mask, size);
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
#[allow(clippy::too_many_arguments, reason = "the fields of one op")]
fn load(
    warp: &mut Warp,
    context: &mut BlockContext,
    window: Window,
    cell: Cell,
    count: u8,
    d: Slot,
    a: Slot,
    site: u16,
    mask: u32,
) -> Result<(), Fault> {
    let base = warp.regs64[usize::from(a)];
    let size = u64::from(cell.bytes()) * u64::from(count);
    split(context, window, &base, size, site, mask, |context, target| {
        count_access(context, target, size, site);
        for index in 0..u16::from(count) {
            let part = u64::from(index) * u64::from(cell.bytes());
            let slot = usize::from(d + index);
            if cell == Cell::B64 {
                gather(target, part, &mut warp.regs64[slot], |x: u64| x);
                continue;
            }
            let d = &mut warp.regs32[slot];
            match cell {
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
#[allow(clippy::too_many_arguments, reason = "the fields of one op")]
fn store(
    warp: &mut Warp,
    context: &mut BlockContext,
    window: Window,
    cell: Cell,
    count: u8,
    a: Slot,
    b: Slot,
    site: u16,
    mask: u32,
) -> Result<(), Fault> {
    let base = warp.regs64[usize::from(a)];
    let size = u64::from(cell.bytes()) * u64::from(count);
    split(context, window, &base, size, site, mask, |context, target| {
        count_access(context, target, size, site);
        for index in 0..u16::from(count) {
            let part = u64::from(index) * u64::from(cell.bytes());
            let slot = usize::from(b + index);
            if cell == Cell::B64 {
                let values = &warp.regs64[slot];
                each_lane(target.mask, |lane| {
                    target.bytes.store(target.offsets[lane] + part, values[lane]);
                });
                continue;
            }
            let values = &warp.regs32[slot];
            each_lane(target.mask, |lane| {
                let (at, value) = (target.offsets[lane] + part, values[lane]);
                match cell.bytes() {
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
struct Rmwing {
    window: Window,
    f: Rmw,
    wide: bool,
    a: Slot,
    b: Slot,
    c: Slot,
    site: u16,
}

#[inline(always)]
fn atomic(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: Rmwing,
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
            update(target, op.f, &b, &c, old);
        } else {
            let (b, c) = (warp.regs32[b], warp.regs32[c]);
            let old = d.map(|d| &mut warp.regs32[usize::from(d)]);
            update(target, op.f, &b, &c, old);
        }
    })
}

/// Carries out an atomic, lane by lane in order.
#[inline(always)]
fn update<W: Word + AtomicScalar>(
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
    let addresses = Addresses::new(&target.offsets, target.mask);
    let meeting = access::meeting(&addresses);
    let tally = &mut context.tallies.sites[usize::from(site)];
    tally.addresses += u64::from(meeting.addresses);
    tally.deepest += u64::from(meeting.deepest);
    let Some(allocation) = target.allocation else {
        tally.shared += 1;
        tally.wavefronts += u64::from(meeting.passes);
        return;
    };
    tally.global += 1;
    tally.global_lanes += u64::from(target.mask.count_ones());
    tally.sectors += u64::from(access::sectors(&addresses, size));
    // Lanes by sector, without allocating: each sector is counted at its first lane.
    let lanes = addresses.lanes();
    let mut done = 0_u32;
    for (index, &offset) in lanes.iter().enumerate() {
        if done >> index & 1 != 0 {
            continue;
        }
        let sector = offset / SECTOR;
        let mut together = 0;
        for (other, &offset) in lanes.iter().enumerate().skip(index) {
            let same = u32::from(offset / SECTOR == sector);
            together += same;
            done |= same << other;
        }
        context.tallies.atomic_on_sector(allocation, sector, together);
    }
}
