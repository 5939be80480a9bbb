//! Calls and returns: frames, saved registers, and lanes that call different
//! functions or return at different times.

use crate::machine::{At, BlockContext, Fault, Fragment, TrapKind, Warp, lanes};
use crate::program::{Copy, FUNCTIONS, Kernel, Target};

/// Bytes of frames that one thread can have.
const MOST_FRAMES: u64 = 256 << 10;

/// 32-bit words of registers that one thread can save.
const MOST_SAVED: usize = 64 << 10;

/// Bytes of local memory and saved registers that a block of `threads` may need.
pub(crate) fn private_bytes(kernel: &Kernel, threads: u64) -> u64 {
    let frames = kernel.functions.iter().map(|function| function.frame).sum::<u64>();
    let recurses = kernel.calls.iter().any(|call| call.saves);
    let stack = if recurses { MOST_FRAMES + 4 * MOST_SAVED as u64 } else { 0 };
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

/// Carries out call `index` for `fragment`, which has ended its block. Gives
/// the part that goes on running.
pub(crate) fn enter(
    warp: &mut Warp,
    context: &mut BlockContext,
    fragment: Fragment,
    index: u16,
) -> Result<Option<Fragment>, Fault> {
    let kernel = context.kernel;
    let call = &kernel.calls[usize::from(index)];
    let Target::Indirect(slot) = call.target else {
        let Target::Direct(function) = call.target else { return Ok(None) };
        save(warp, context, index, fragment.mask)?;
        let way = prepare(warp, context, index, fragment.mask, function)?;
        return Ok(warp.scatter(fragment, &[way], call.back, fragment.depth + 1));
    };
    let mut groups: Vec<(u32, u16)> = Vec::new();
    let addresses = warp.regs64[usize::from(slot)];
    for lane in lanes(fragment.mask) {
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
        match groups.iter_mut().find(|group| group.1 == function) {
            Some(group) => group.0 |= 1 << lane,
            None => groups.push((1 << lane, function)),
        }
    }
    save(warp, context, index, fragment.mask)?;
    let ways =
        groups.into_iter().map(|(mask, function)| prepare(warp, context, index, mask, function));
    let ways = ways.collect::<Result<Vec<_>, Fault>>()?;
    Ok(warp.scatter(fragment, &ways, call.back, fragment.depth + 1))
}

/// Gives the lanes of `mask` a frame of `function`, with the arguments of call `index`.
/// Returns them and where they go on.
fn prepare(
    warp: &mut Warp,
    context: &BlockContext,
    index: u16,
    mask: u32,
    function: u16,
) -> Result<(u32, u32), Fault> {
    let kernel = context.kernel;
    let call = &kernel.calls[usize::from(index)];
    let function = &kernel.functions[usize::from(function)];
    let stack = usize::from(kernel.stack);
    let from = warp.regs64[stack];
    let highest = lanes(mask).map(|lane| from[lane]).max().unwrap_or_default() + call.advance;
    if highest + function.frame > kernel.functions[0].frame + MOST_FRAMES {
        let what = format!("its frames take more than {} KiB", MOST_FRAMES >> 10);
        return Err(overflow(context, index, mask, &what));
    }
    warp.local.grow(highest + function.frame);
    let to = from.map(|from| from.wrapping_add(call.advance));
    for &Copy { caller, callee, bytes } in &call.arguments {
        copy(warp, mask, [&from, &to], [caller, callee], bytes);
    }
    let pointers = &mut warp.regs64[stack];
    for lane in 0..32 {
        pointers[lane] = if mask >> lane & 1 != 0 { to[lane] } else { from[lane] };
    }
    Ok((mask, function.block))
}

/// Copies within the lanes' local memory, from and to a distance above two places.
fn copy(warp: &mut Warp, mask: u32, places: [&[u64; 32]; 2], above: [u64; 2], bytes: u64) {
    let first = mask.trailing_zeros() as usize & 31;
    let [from, to] = places.map(|places| places[first]);
    let moved = |lane: usize| mask >> lane & 1 != 0 && places[0][lane] != from;
    // The two places are as far from each other in every lane.
    let alike = !(0..32).any(moved);
    let mut at = 0;
    while at < bytes {
        let starts = (from + above[0] + at) | (to + above[1] + at);
        let room = bytes - at;
        // Both sides are aligned as the variable is.
        let fits = |size: &u64| room >= *size && starts.is_multiple_of(*size);
        let size = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
        if alike {
            let value = warp.local.row(from + above[0] + at, size as u32);
            warp.local.put_row(mask, to + above[1] + at, size as u32, &value);
        } else {
            for lane in lanes(mask) {
                let [from, to] = [0, 1].map(|side| places[side][lane] + above[side] + at);
                let step = if (from | to).is_multiple_of(size) { size } else { 1 };
                for part in (0..size).step_by(step as usize) {
                    let value = warp.local.load(lane, from + part, step as u32);
                    warp.local.store(lane, to + part, step as u32, value);
                }
            }
        }
        at += size;
    }
}

/// Pushes what the lanes come back to.
fn save(warp: &mut Warp, context: &BlockContext, index: u16, mask: u32) -> Result<(), Fault> {
    let kernel = context.kernel;
    let call = &kernel.calls[usize::from(index)];
    let Warp { calls, regs32, regs64, preds, .. } = warp;
    if call.saves {
        let slots = &kernel.functions[usize::from(call.caller)].slots;
        for slot in slots.words.clone() {
            calls.push(mask, &regs32[slot]);
        }
        for slot in slots.doubles.clone() {
            calls.push(mask, &regs64[slot].map(|value| value as u32));
            calls.push(mask, &regs64[slot].map(|value| (value >> 32) as u32));
        }
        for slot in slots.preds.clone() {
            let bits = preds[slot];
            calls.push(mask, &std::array::from_fn(|lane| bits >> lane & 1));
        }
    }
    calls.push(mask, &[u32::from(index); 32]);
    if calls.depth(mask) > MOST_SAVED {
        let what = format!("it saves more than {} KiB of registers", MOST_SAVED >> 8);
        return Err(overflow(context, index, mask, &what));
    }
    Ok(())
}

/// Writes the lanes of `mask`.
fn restore<D: std::marker::Copy>(register: &mut [D; 32], mask: u32, value: impl Fn(usize) -> D) {
    for (lane, d) in register.iter_mut().enumerate() {
        *d = if mask >> lane & 1 != 0 { value(lane) } else { *d };
    }
}

/// Returns the lanes of `fragment` from their function. Gives the part that
/// goes on running.
pub(crate) fn leave(kernel: &Kernel, warp: &mut Warp, fragment: Fragment) -> Option<Fragment> {
    let (mask, indices) = warp.calls.pop(fragment.mask);
    if mask == 0 {
        warp.exit(fragment);
        return None;
    }
    // Lanes that run together in a function have come from one call.
    let call = &kernel.calls[indices[mask.trailing_zeros() as usize & 31] as usize];
    let pointer = warp.regs64[usize::from(kernel.stack)];
    if call.saves {
        let slots = &kernel.functions[usize::from(call.caller)].slots;
        let Warp { calls, regs32, regs64, preds, .. } = warp;
        for slot in slots.preds.clone().rev() {
            let bits = calls.pop(mask).1;
            let set = lanes(mask).fold(0, |all, lane| all | (bits[lane] & 1) << lane);
            preds[slot] = preds[slot] & !mask | set;
        }
        for slot in slots.doubles.clone().rev() {
            let high = calls.pop(mask).1;
            let low = calls.pop(mask).1;
            let value = |lane: usize| u64::from(high[lane]) << 32 | u64::from(low[lane]);
            restore(&mut regs64[slot], mask, value);
        }
        for slot in slots.words.clone().rev() {
            let words = calls.pop(mask).1;
            restore(&mut regs32[slot], mask, |lane| words[lane]);
        }
    }
    let caller = pointer.map(|pointer| pointer.wrapping_sub(call.advance));
    for place in &call.results {
        copy(warp, mask, [&pointer, &caller], [place.callee, place.caller], place.bytes);
    }
    restore(&mut warp.regs64[usize::from(kernel.stack)], mask, |lane| caller[lane]);
    let block = call.back;
    let depth = fragment.depth.saturating_sub(1);
    warp.arrive(Fragment { block, at: None, depth, ..fragment })
}

/// Sends the lanes of `fragment` to the targets that a register picks.
pub(crate) fn pick(
    warp: &mut Warp,
    context: &BlockContext,
    fragment: Fragment,
    index: u16,
) -> Result<Option<Fragment>, Fault> {
    let table = &context.kernel.tables[usize::from(index)];
    let values = warp.regs32[usize::from(table.slot)];
    let mut ways: Vec<(u32, u32)> = Vec::new();
    for lane in lanes(fragment.mask) {
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
        match ways.iter_mut().find(|way| way.1 == block) {
            Some(way) => way.0 |= 1 << lane,
            None => ways.push((1 << lane, block)),
        }
    }
    Ok(warp.scatter(fragment, &ways, table.reconverge, fragment.depth))
}
