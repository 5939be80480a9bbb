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
    let mut groups: Vec<(u32, u16)> = Vec::new();
    match call.target {
        Target::Direct(function) => groups.push((fragment.mask, function)),
        Target::Indirect(slot) => {
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
        }
    }
    save(warp, context, index, fragment.mask)?;
    let mut ways = Vec::with_capacity(groups.len());
    for (mask, function) in groups {
        let function = &kernel.functions[usize::from(function)];
        let stack = usize::from(kernel.stack);
        for lane in lanes(mask) {
            let from = warp.regs64[stack][lane];
            let to = from + call.advance;
            if to + function.frame > kernel.functions[0].frame + MOST_FRAMES {
                let what = format!("its frames take more than {} KiB", MOST_FRAMES >> 10);
                return Err(overflow(context, index, mask, &what));
            }
            warp.local.grow(to + function.frame);
            for &Copy { caller, callee, bytes } in &call.arguments {
                copy(warp, lane, from + caller, to + callee, bytes);
            }
            warp.regs64[stack][lane] = to;
        }
        ways.push((mask, function.block));
    }
    Ok(warp.scatter(fragment, &ways, call.back, fragment.depth + 1))
}

/// Copies within a lane's local memory.
fn copy(warp: &mut Warp, lane: usize, from: u64, to: u64, bytes: u64) {
    let mut at = 0;
    while at < bytes {
        // Both sides are aligned as the variable is.
        let size = if bytes - at >= 8 && (from | to).is_multiple_of(8) { 8 } else { 1 };
        let value = warp.local.load(lane, from + at, size);
        warp.local.store(lane, to + at, size, value);
        at += u64::from(size);
    }
}

/// Pushes what the lanes come back to.
fn save(warp: &mut Warp, context: &BlockContext, index: u16, mask: u32) -> Result<(), Fault> {
    let kernel = context.kernel;
    let call = &kernel.calls[usize::from(index)];
    let mut stack = std::mem::take(&mut warp.calls);
    stack.lanes.resize_with(32, Vec::new);
    for lane in lanes(mask) {
        let saved = &mut stack.lanes[lane];
        if call.saves {
            let slots = &kernel.functions[usize::from(call.caller)].slots;
            saved.extend(slots.words.clone().map(|slot| warp.regs32[slot][lane]));
            for slot in slots.doubles.clone() {
                let value = warp.regs64[slot][lane];
                saved.extend([value as u32, (value >> 32) as u32]);
            }
            saved.extend(slots.preds.clone().map(|slot| warp.preds[slot] >> lane & 1));
        }
        saved.push(u32::from(index));
        if saved.len() > MOST_SAVED {
            let what = format!("it saves more than {} KiB of registers", MOST_SAVED >> 8);
            return Err(overflow(context, index, mask, &what));
        }
    }
    warp.calls = stack;
    Ok(())
}

/// Returns the lanes of `fragment` from their function. Gives the part that
/// goes on running.
pub(crate) fn leave(kernel: &Kernel, warp: &mut Warp, fragment: Fragment) -> Option<Fragment> {
    let mut stack = std::mem::take(&mut warp.calls);
    let mut back = None;
    for lane in lanes(fragment.mask) {
        let saved = stack.lanes.get_mut(lane);
        let Some(index) = saved.and_then(Vec::pop) else { continue };
        let call = &kernel.calls[index as usize];
        // Lanes that run together in a function have come from one call.
        back = Some(call.back);
        let pointer = warp.regs64[usize::from(kernel.stack)][lane];
        if call.saves {
            let slots = &kernel.functions[usize::from(call.caller)].slots;
            let saved = &mut stack.lanes[lane];
            let mut pop = || saved.pop().unwrap_or_default();
            for slot in slots.preds.clone().rev() {
                let bit = pop();
                warp.preds[slot] = warp.preds[slot] & !(1 << lane) | bit << lane;
            }
            for slot in slots.doubles.clone().rev() {
                let high = u64::from(pop());
                warp.regs64[slot][lane] = high << 32 | u64::from(pop());
            }
            for slot in slots.words.clone().rev() {
                warp.regs32[slot][lane] = pop();
            }
        }
        let caller = pointer.wrapping_sub(call.advance);
        for place in &call.results {
            copy(warp, lane, pointer + place.callee, caller + place.caller, place.bytes);
        }
        warp.regs64[usize::from(kernel.stack)][lane] = caller;
    }
    warp.calls = stack;
    let Some(block) = back else {
        warp.exit(fragment);
        return None;
    };
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
