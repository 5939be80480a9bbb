//! Instructions in which the lanes of a warp exchange values: shuffles, votes,
//! matches, reductions, and the barrier of a warp.
//!
//! The `.sync` forms name the lanes that take part. Named lanes that diverged
//! are waited for: a fragment that comes first is parked until the others come
//! to the same instruction. Lanes that have ended, or that the block never
//! had, are not waited for.

use crate::exec::matrix;
use crate::machine::{Fragment, Waiting, Warp, choose, lanes};
use crate::program::{Collective, Combine, Exchange, From, Kernel, Op, Slot, Vote};

/// The lane that a shuffle reads, and whether it lies within the bounds. PTX
/// ISA, "shfl.sync": `c` holds the clamp in bits 0 to 4 and the segment mask in
/// bits 8 to 12.
fn source(from: From, lane: u32, b: u32, c: u32) -> (u32, bool) {
    let (b, clamp, segment) = (b & 31, c & 31, c >> 8 & 31);
    let highest = lane & segment | clamp & !segment;
    let lowest = lane & segment;
    let (other, inside) = match from {
        From::Up => {
            let other = lane.cast_signed() - b.cast_signed();
            (other, other >= highest.cast_signed())
        }
        From::Down => {
            let other = lane + b;
            (other.cast_signed(), other <= highest)
        }
        From::Butterfly => {
            let other = lane ^ b;
            (other.cast_signed(), other <= highest)
        }
        From::Index => {
            let other = lowest | b & !segment;
            (other.cast_signed(), other <= highest)
        }
    };
    if inside { ((other & 31).cast_unsigned(), true) } else { (lane, false) }
}

/// Sets a predicate's bits for the lanes of `mask`.
fn set(pred: &mut u32, mask: u32, value: bool) {
    *pred = if value { *pred | mask } else { *pred & !mask };
}

/// The lanes that `mask` has to meet: those that it names and that live.
fn needed(collective: &Collective, warp: &Warp, mask: u32) -> u32 {
    let Some(members) = collective.members else { return mask };
    let members = &warp.regs32[usize::from(members)];
    lanes(mask).fold(0, |all, lane| all | members[lane]) & warp.live
}

/// The lanes that can go on together with those of `start`, if everybody
/// that they name, directly or through others, is there.
fn complete(collective: &Collective, warp: &Warp, meeting: u32, start: u32) -> Option<u32> {
    let mut all = start;
    loop {
        let missing = needed(collective, warp, all) & !all;
        if missing == 0 {
            return Some(all);
        }
        let before = all;
        for lanes in warp.parked(meeting) {
            if lanes & missing != 0 {
                all |= lanes;
            }
        }
        if all == before {
            return None;
        }
    }
}

/// Which place fragments meet at: the instruction itself, or any barrier
/// of the warp.
fn meeting(collective: &Collective, at: u32) -> u32 {
    if matches!(collective.exchange, Exchange::Barrier) { u32::MAX } else { at }
}

/// Carries it out for the lanes of `mask`, group by group.
fn perform(kernel: &Kernel, collective: &Collective, warp: &mut Warp, mask: u32) {
    if let Exchange::Matrix { index } = collective.exchange {
        return matrix::perform(&kernel.matrices[usize::from(index)], warp, mask);
    }
    let Some(members) = collective.members else {
        return exchange_in(collective.exchange, warp, mask, mask);
    };
    let members = warp.regs32[usize::from(members)];
    let mut left = mask;
    while left != 0 {
        let named = members[left.trailing_zeros() as usize];
        let writers = choose(left, |lane| members[lane] == named);
        exchange_in(collective.exchange, warp, named & mask, writers);
        left &= !writers;
    }
}

/// Exchanges among the lanes of `group`; those of `writers` get the result.
fn exchange_in(exchange: Exchange, warp: &mut Warp, group: u32, writers: u32) {
    match exchange {
        Exchange::Shuffle { from, d, p, a, b, c } => {
            let [a, b, c] = [a, b, c].map(|slot| warp.regs32[usize::from(slot)]);
            let mut within = 0;
            for lane in lanes(writers) {
                let (other, inside) = source(from, lane as u32, b[lane], c[lane]);
                within |= u32::from(inside) << lane;
                // A lane that takes no part has nothing to give; the ISA
                // leaves the value open.
                let takes_part = (group | writers) >> other & 1 != 0;
                warp.regs32[usize::from(d)][lane] = if takes_part { a[other as usize] } else { 0 };
            }
            if let Some(p) = p {
                let pred = &mut warp.preds[usize::from(p)];
                *pred = *pred & !writers | within;
            }
        }
        Exchange::Vote { f, d, a } => {
            let yes = warp.preds[usize::from(a)] & group;
            let result = match f {
                Vote::All => yes == group,
                Vote::Any => yes != 0,
                Vote::Uniform => yes == group || yes == 0,
            };
            set(&mut warp.preds[usize::from(d)], writers, result);
        }
        Exchange::Ballot { d, a } => {
            let yes = warp.preds[usize::from(a)] & group;
            write(warp, d, writers, yes);
        }
        Exchange::MatchAny { wide, d, a } => {
            let values = values(warp, wide, a);
            for lane in lanes(writers) {
                let same = lanes(group).filter(|&other| values[other] == values[lane]);
                warp.regs32[usize::from(d)][lane] = same.fold(0, |all, other| all | 1 << other);
            }
        }
        Exchange::MatchAll { wide, d, p, a } => {
            let values = values(warp, wide, a);
            let first = values[group.trailing_zeros() as usize & 31];
            let same = lanes(group).all(|lane| values[lane] == first);
            write(warp, d, writers, if same { group } else { 0 });
            if let Some(p) = p {
                set(&mut warp.preds[usize::from(p)], writers, same);
            }
        }
        Exchange::Reduce { f, d, a } => {
            let a = warp.regs32[usize::from(a)];
            let combined = lanes(group).map(|lane| a[lane]).reduce(|a, b| match f {
                Combine::Add => a.wrapping_add(b),
                Combine::MinU => a.min(b),
                Combine::MaxU => a.max(b),
                Combine::MinS => a.cast_signed().min(b.cast_signed()).cast_unsigned(),
                Combine::MaxS => a.cast_signed().max(b.cast_signed()).cast_unsigned(),
                Combine::And => a & b,
                Combine::Or => a | b,
                Combine::Xor => a ^ b,
            });
            write(warp, d, writers, combined.unwrap_or(0));
        }
        Exchange::Elect { d, p } => {
            let leader = group.trailing_zeros() & 31;
            if let Some(d) = d {
                write(warp, d, writers, leader);
            }
            let pred = &mut warp.preds[usize::from(p)];
            *pred = *pred & !writers | 1 << leader & writers;
        }
        Exchange::Active { d } => write(warp, d, writers, group),
        // Matrices are not exchanged by groups.
        Exchange::Barrier | Exchange::Align | Exchange::Matrix { .. } => {}
    }
}

fn write(warp: &mut Warp, d: Slot, lanes_of: u32, value: u32) {
    for lane in lanes(lanes_of) {
        warp.regs32[usize::from(d)][lane] = value;
    }
}

fn values(warp: &Warp, wide: bool, a: Slot) -> [u64; 32] {
    if wide { warp.regs64[usize::from(a)] } else { warp.regs32[usize::from(a)].map(u64::from) }
}

/// Carries out collective `index` for the lanes of `mask` out of `fragment`.
/// Gives back whether it is done; if not, the fragment has to park until
/// [`settle`] or another fragment frees it. `at` is the op after it. Fragments
/// that came earlier and go the same way join.
pub(crate) fn run(
    kernel: &Kernel,
    warp: &mut Warp,
    index: u16,
    fragment: &mut Fragment,
    at: u32,
    mask: u32,
) -> bool {
    let collective = &kernel.collectives[usize::from(index)];
    if needed(collective, warp, mask) & !mask == 0 {
        perform(kernel, collective, warp, mask);
        return true;
    }
    let meeting = meeting(collective, at);
    if let Some(all) = complete(collective, warp, meeting, mask) {
        perform(kernel, collective, warp, all);
        warp.unpark(meeting, all);
        fragment.mask |= warp.take_alike(Fragment { at: Some(at), ..*fragment });
        return true;
    }
    fragment.at = Some(at);
    fragment.waiting = Some(Waiting::Lanes { meeting, lanes: mask, site: collective.site });
    false
}

/// Frees parked fragments that need not wait any longer, because the lanes that
/// they waited for have ended. Gives whether there were any.
pub(crate) fn settle(kernel: &Kernel, warp: &mut Warp) -> bool {
    let mut any = false;
    loop {
        let free = warp.waiting().find_map(|fragment| {
            let Some(Waiting::Lanes { meeting, lanes, .. }) = fragment.waiting else { return None };
            let op = kernel.insts[fragment.at? as usize - 1].op;
            let Op::Collective { index } = op else { return None };
            let collective = &kernel.collectives[usize::from(index)];
            let all = complete(collective, warp, meeting, lanes)?;
            Some((meeting, all, collective))
        });
        let Some((meeting, all, collective)) = free else { return any };
        perform(kernel, collective, warp, all);
        warp.unpark(meeting, all);
        any = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles_read_within_their_segment() {
        assert_eq!(source(From::Up, 5, 2, 0), (3, true));
        assert_eq!(source(From::Up, 1, 2, 0), (1, false));
        assert_eq!(source(From::Down, 30, 1, 31), (31, true));
        assert_eq!(source(From::Down, 31, 1, 31), (31, false));
        assert_eq!(source(From::Butterfly, 9, 16, 31), (25, true));
        assert_eq!(source(From::Index, 9, 40, 31), (8, true));
        // Segments of 8 lanes: the mask is 24, and the clamp 7.
        let eight = 24 << 8 | 7;
        assert_eq!(source(From::Index, 19, 3, eight), (19, true));
        assert_eq!(source(From::Down, 14, 1, eight), (15, true));
        assert_eq!(source(From::Down, 15, 1, eight), (15, false));
        assert_eq!(source(From::Up, 16, 1, 24 << 8), (16, false));
    }
}
