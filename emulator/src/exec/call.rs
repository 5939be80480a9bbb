//! Calls and returns: frames, saved registers, and lanes that call different
//! functions or return at different times.

use crate::cost::{groups_of_eight, local_sectors};
use crate::exec::lanes::those;
use crate::exec::vectors::vectors;
use crate::machine::{At, BlockContext, Fault, Fragment, TrapKind, Warp, lanes, put};
use crate::program::{FUNCTIONS, Kernel, Slots, Target};

/// Bytes of frames that one thread can have.
const MOST_FRAMES: u64 = 256 << 10;

/// 32-bit words of registers that one thread can save.
const MOST_SAVED: usize = 64 << 10;

/// Bytes of local memory and saved registers that a block of `threads` may need.
pub(crate) fn private_bytes(kernel: &Kernel, threads: u64) -> u64 {
    let frames = kernel.functions.iter().map(|function| function.frame).sum::<u64>();
    let stack = if kernel.recurses() { MOST_FRAMES + 4 * MOST_SAVED as u64 } else { 0 };
    (frames + stack).saturating_mul(threads.next_multiple_of(32))
}

fn overflow(context: &BlockContext, index: u16, lanes: u32, what: &str) -> Fault {
    Fault {
        kind: TrapKind::OutOfBounds,
        at: At::Site(context.kernel.calls[usize::from(index)].site),
        lanes,
        message: format!("the stack overflowed: {what}; calls are nested too deep"),
    }
}

vectors! {
    /// Carries out call `index` for `fragment`, which has ended its block and becomes the part
    /// that goes on running. Gives whether one does.
    enter => enter_body(
        warp: &mut Warp, context: &mut BlockContext, fragment: &mut Fragment, index: u16,
    ) -> Result<bool, Fault>
}

vectors! {
    /// Returns the lanes of `fragment` from their function. It becomes the part that goes on
    /// running; gives whether one does.
    leave => leave_body(
        warp: &mut Warp, context: &mut BlockContext, fragment: &mut Fragment,
    ) -> bool
}

vectors! {
    /// Sends the lanes of `fragment` to the targets that a register picks. As for [`leave`].
    pick => pick_body(
        warp: &mut Warp, context: &BlockContext, fragment: &mut Fragment, index: u16,
    ) -> Result<bool, Fault>
}

#[inline(always)]
fn enter_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    fragment: &mut Fragment,
    index: u16,
) -> Result<bool, Fault> {
    let kernel = context.kernel;
    let call = &kernel.calls[usize::from(index)];
    let Target::Indirect(slot) = call.target else {
        let Target::Direct(function) = call.target else { return Ok(false) };
        save::<N>(warp, context, index, fragment.mask)?;
        let way = prepare::<N>(warp, context, index, fragment.mask, function)?;
        let depth = fragment.depth + 1;
        return Ok(warp.scatter(&kernel.scopes, fragment, &[way], (call.back, 0), depth));
    };
    let mut groups: Vec<(u32, u16)> = Vec::new();
    let addresses = warp.regs64[usize::from(slot)];
    let together = alike::<N, _>(&addresses, fragment.mask);
    let asked = if together { fragment.mask & fragment.mask.wrapping_neg() } else { fragment.mask };
    for lane in lanes(asked) {
        let number = addresses[lane].wrapping_sub(FUNCTIONS) / 16;
        let found = usize::try_from(number).ok().and_then(|n| kernel.by_address.get(n));
        let Some(&Some(function)) = found else {
            return Err(Fault {
                kind: TrapKind::OutOfBounds,
                at: At::Site(call.site),
                lanes: 1 << lane,
                message: format!(
                    "a call of {:#x}, which is no function that it can reach",
                    addresses[lane]
                ),
            });
        };
        let lanes = if together { fragment.mask } else { 1 << lane };
        match groups.iter_mut().find(|group| group.1 == function) {
            Some(group) => group.0 |= lanes,
            None => groups.push((lanes, function)),
        }
    }
    save::<N>(warp, context, index, fragment.mask)?;
    let ways = groups
        .into_iter()
        .map(|(mask, function)| prepare::<N>(warp, context, index, mask, function));
    let ways = ways.collect::<Result<Vec<_>, Fault>>()?;
    let depth = fragment.depth + 1;
    Ok(warp.scatter(&kernel.scopes, fragment, &ways, (call.back, 0), depth))
}

/// The greatest value of the lanes of `mask`.
#[inline(never)]
fn greatest(values: &[u64; 32], mask: u32) -> u64 {
    lanes(mask).map(|lane| values[lane]).max().unwrap_or_default()
}

/// Gives the lanes of `mask` a frame of `function`, with the arguments of call `index`.
/// Returns them and where they go on.
#[inline(always)]
fn prepare<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    index: u16,
    mask: u32,
    function: u16,
) -> Result<(u32, u32), Fault> {
    let kernel = context.kernel;
    let call = &kernel.calls[usize::from(index)];
    let function = &kernel.functions[usize::from(function)];
    let from = &warp.regs64[usize::from(kernel.stack)];
    let together = alike::<N, _>(from, mask);
    let first = from[mask.trailing_zeros() as usize & 31];
    let advance = call.advance + kernel.saved_bytes();
    let highest = if together { first } else { greatest(from, mask) } + advance;
    if highest + function.frame > kernel.functions[0].frame + MOST_FRAMES {
        let what = format!("its frames take more than {} KiB", MOST_FRAMES >> 10);
        return Err(overflow(context, index, mask, &what));
    }
    warp.local.grow(highest + function.frame);
    let passed = call.arguments.iter().map(|copy| ([copy.caller, copy.callee], copy.bytes));
    if together {
        count(context, (function.saves, call.site), mask, None);
        move_together::<N>(warp, kernel, mask, advance, passed);
    } else {
        let frames = from.map(|from| from.wrapping_add(advance));
        count(context, (function.saves, call.site), mask, Some(&frames));
        move_apart::<N>(warp, kernel, mask, advance, passed);
    }
    Ok((mask, function.block))
}

/// Moves the frames of the lanes of `mask` by `advance`, all from one place. Copies what is
/// passed: from and to places in the frames before and after, and bytes.
#[inline(always)]
fn move_together<const N: usize>(
    warp: &mut Warp,
    kernel: &Kernel,
    mask: u32,
    advance: u64,
    passed: impl Iterator<Item = ([u64; 2], u64)>,
) {
    let stack = usize::from(kernel.stack);
    let before = warp.regs64[stack][mask.trailing_zeros() as usize & 31];
    let after = before.wrapping_add(advance);
    for ([from, to], bytes) in passed {
        let (from, to) = (before + from, after + to);
        let mut at = 0;
        while at < bytes {
            at += if is_word(from | to, bytes - at) {
                warp.local.copy_row::<N>(mask, from + at, to + at);
                4
            } else {
                copy_lanes(warp, mask, 1, |_| [from + at, to + at]);
                1
            };
        }
    }
    put::<N, _>(&mut warp.regs64[stack], mask, &[after; 32]);
}

/// The same where the lanes' frames are at different places.
#[inline(never)]
fn move_apart<const N: usize>(
    warp: &mut Warp,
    kernel: &Kernel,
    mask: u32,
    advance: u64,
    passed: impl Iterator<Item = ([u64; 2], u64)>,
) {
    let stack = usize::from(kernel.stack);
    let before = warp.regs64[stack];
    let after = before.map(|before| before.wrapping_add(advance));
    for ([from, to], bytes) in passed {
        let mut at = 0;
        while at < bytes {
            // Frames start at multiples of 8, so places are aligned alike in all lanes.
            let size = if is_word(from | to, bytes - at) { 4 } else { 1 };
            copy_lanes(warp, mask, size, |lane| [before[lane] + from + at, after[lane] + to + at]);
            at += u64::from(size);
        }
    }
    put::<N, _>(&mut warp.regs64[stack], mask, &after);
}

/// Whether a whole word can be copied: `left` bytes are still to copy, and `places` has all bits of
/// both addresses.
#[inline(always)]
fn is_word(places: u64, left: u64) -> bool {
    left >= 4 && places.is_multiple_of(4)
}

/// Copies within the local memory of each lane.
#[inline(never)]
fn copy_lanes(warp: &mut Warp, mask: u32, size: u32, places: impl Fn(usize) -> [u64; 2]) {
    for lane in lanes(mask) {
        let [from, to] = places(lane);
        let value = warp.local.load(lane, from, size);
        warp.local.store(lane, to, size, value);
    }
}

/// Counts the registers that a function saves in front of its frame or loads again: `words` of each
/// lane, which lie next to those of the other lanes. Without `frames`, all frames are at one place.
#[inline(always)]
fn count(
    context: &mut BlockContext,
    (words, site): (u32, u16),
    mask: u32,
    frames: Option<&[u64; 32]>,
) {
    if words == 0 {
        return;
    }
    let sectors = match frames {
        Some(frames) => local_sectors(&frames.map(|at| at as u32), mask, 4),
        None => groups_of_eight(mask),
    };
    let tally = &mut context.tallies.sites[usize::from(site)];
    tally.local += u64::from(words);
    tally.local_sectors += u64::from(words * sectors);
}

/// Whether the lanes of `mask` have one value.
#[inline(always)]
pub(crate) fn alike<const N: usize, W: Copy + PartialEq>(values: &[W; 32], mask: u32) -> bool {
    let first = values[mask.trailing_zeros() as usize & 31];
    those::<N>(|lane| values[lane] != first) & mask == 0
}

/// 32-bit words that the registers of a function take in the stack of calls.
fn saved_words(slots: &Slots) -> usize {
    slots.words.len() + 2 * slots.doubles.len() + slots.preds.len()
}

/// Pushes what the lanes come back to: the registers of the caller, if it may run again
/// before, and which call it was.
#[inline(always)]
fn save<const N: usize>(
    warp: &mut Warp,
    context: &BlockContext,
    index: u16,
    mask: u32,
) -> Result<(), Fault> {
    let kernel = context.kernel;
    let call = &kernel.calls[usize::from(index)];
    let Warp { calls, regs32, regs64, preds, .. } = warp;
    if call.saves {
        let slots = &kernel.functions[usize::from(call.caller)].slots;
        let mut saved = calls.open(mask, saved_words(slots));
        for slot in slots.words.clone() {
            saved.put::<N>(&regs32[slot]);
        }
        for slot in slots.doubles.clone() {
            for shift in [0, 32] {
                let mut half = [0; 32];
                for lane in 0..32 {
                    half[lane] = (regs64[slot][lane] >> shift) as u32;
                }
                saved.put::<N>(&half);
            }
        }
        for slot in slots.preds.clone() {
            let mut bits = [0; 32];
            for lane in 0..32 {
                bits[lane] = preds[slot] >> lane & 1;
            }
            saved.put::<N>(&bits);
        }
    }
    calls.open(mask, 1).put::<N>(&[u32::from(index); 32]);
    if calls.depth(mask) > MOST_SAVED {
        let what = format!("it saves more than {} KiB of registers", MOST_SAVED >> 8);
        return Err(overflow(context, index, mask, &what));
    }
    Ok(())
}

#[inline(always)]
fn leave_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    fragment: &mut Fragment,
) -> bool {
    let kernel = context.kernel;
    let mask = warp.calls.within(fragment.mask);
    if mask == 0 {
        warp.exit(*fragment);
        return false;
    }
    // Lanes that run together in a function have come from one call.
    let index = warp.calls.close(mask, 1).peek(mask.trailing_zeros() as usize & 31);
    let call = &kernel.calls[index as usize];
    let saves = if kernel.saved == 0 { 0 } else { kernel.function_of(fragment.block).saves };
    let frames = &warp.regs64[usize::from(kernel.stack)];
    let back = (call.advance + kernel.saved_bytes()).wrapping_neg();
    let passed = call.results.iter().map(|copy| ([copy.callee, copy.caller], copy.bytes));
    if alike::<N, _>(frames, mask) {
        count(context, (saves, call.restore), mask, None);
        move_together::<N>(warp, kernel, mask, back, passed);
    } else {
        count(context, (saves, call.restore), mask, Some(frames));
        move_apart::<N>(warp, kernel, mask, back, passed);
    }
    if call.saves {
        let slots = &kernel.functions[usize::from(call.caller)].slots;
        let Warp { calls, regs32, regs64, preds, .. } = warp;
        let mut saved = calls.close(mask, saved_words(slots));
        for slot in slots.words.clone() {
            put::<N, _>(&mut regs32[slot], mask, &saved.take());
        }
        for slot in slots.doubles.clone() {
            let (low, high) = (saved.take(), saved.take());
            let mut values = [0; 32];
            for lane in 0..32 {
                values[lane] = u64::from(low[lane]) | u64::from(high[lane]) << 32;
            }
            put::<N, _>(&mut regs64[slot], mask, &values);
        }
        for slot in slots.preds.clone() {
            let bits = saved.take();
            let mut set = 0;
            for lane in 0..32 {
                set |= (bits[lane] & 1) << lane;
            }
            preds[slot] = preds[slot] & !mask | set & mask;
        }
    }
    (fragment.block, fragment.at) = (call.back, None);
    fragment.depth = fragment.depth.saturating_sub(1);
    warp.arrive(fragment)
}

#[inline(always)]
fn pick_body<const N: usize>(
    warp: &mut Warp,
    context: &BlockContext,
    fragment: &mut Fragment,
    index: u16,
) -> Result<bool, Fault> {
    let scopes = &context.kernel.scopes;
    let table = &context.kernel.tables[usize::from(index)];
    let values = warp.regs32[usize::from(table.slot)];
    let mut ways: Vec<(u32, u32)> = Vec::new();
    let together = alike::<N, _>(&values, fragment.mask);
    let asked = if together { fragment.mask & fragment.mask.wrapping_neg() } else { fragment.mask };
    for lane in lanes(asked) {
        let Some(&block) = table.targets.get(values[lane] as usize) else {
            return Err(Fault {
                kind: TrapKind::OutOfBounds,
                at: At::Site(table.site),
                lanes: 1 << lane,
                message: format!(
                    "a branch to target {} of a list of {}",
                    values[lane],
                    table.targets.len()
                ),
            });
        };
        let lanes = if together { fragment.mask } else { 1 << lane };
        match ways.iter_mut().find(|way| way.1 == block) {
            Some(way) => way.0 |= lanes,
            None => ways.push((lanes, block)),
        }
    }
    if let ([(_, block)], true) = (ways.as_slice(), together) {
        // All go one way.
        (fragment.block, fragment.at) = (*block, None);
        return Ok(warp.go(scopes, fragment));
    }
    let meeting = (table.reconverge, scopes.of(fragment.block));
    let depth = fragment.depth;
    Ok(warp.scatter(scopes, fragment, &ways, meeting, depth))
}
