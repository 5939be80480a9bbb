//! Instructions in which the lanes of a warp exchange values: shuffles, votes,
//! matches, reductions, and the barrier of a warp.
//!
//! The `.sync` forms name the lanes that take part. Named lanes that diverged
//! are waited for: a fragment that comes first is parked until the others come
//! to the same instruction. Lanes that have ended, or that the block never
//! had, are not waited for.

use crate::exec::lanes::{FULL, folded};
use crate::exec::matrix;
use crate::exec::permute::permuted;
use crate::exec::vectors::vectors;
use crate::machine::lane_keys::{alike, alike_doubles};
use crate::machine::{Fragment, Waiting, Warp, put};
use crate::program::{Collective, Combine, Exchange, From, Kernel, Op, Slot, Vote};

/// The lane that a shuffle reads, and whether it lies within the bounds. PTX
/// ISA, "shfl.sync": `c` holds the clamp in bits 0 to 4 and the segment mask in
/// bits 8 to 12.
#[inline(always)]
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

/// The lanes that all lanes name, if all name the same.
#[inline(always)]
fn alone(members: &[u32; 32], mask: u32) -> Option<u32> {
    let named = members[mask.trailing_zeros() as usize & 31];
    let mut apart = 0;
    for lane in 0..32 {
        apart |= members[lane] ^ named;
    }
    (apart == 0).then_some(named)
}

/// The lanes that `mask` has to meet: those that it names and that live.
#[inline(always)]
fn needed(collective: &Collective, warp: &Warp, mask: u32) -> u32 {
    let Some(members) = collective.members else { return mask };
    let members = &warp.regs32[usize::from(members)];
    if let Some(named) = alone(members, mask) {
        return named & warp.live;
    }
    let mut all = 0;
    for lane in 0..32 {
        all |= if mask >> lane & 1 != 0 { members[lane] } else { 0 };
    }
    all & warp.live
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
#[inline(always)]
fn perform<const N: usize>(kernel: &Kernel, collective: &Collective, warp: &mut Warp, mask: u32) {
    match collective.exchange {
        Exchange::Matrix { index } => {
            matrix::perform::<N>(&kernel.matrices[usize::from(index)], warp, mask);
        }
        // Nothing is exchanged.
        Exchange::Barrier
        | Exchange::Align
        | Exchange::Fence
        | Exchange::Group
        | Exchange::Groups { .. }
        | Exchange::Copies => {}
        _ => exchange::<N>(collective, warp, mask),
    }
}

vectors! {
    /// Exchanges values among the lanes of `mask`, group by group.
    exchange => exchange_body(collective: &Collective, warp: &mut Warp, mask: u32)
}

#[inline(always)]
fn exchange_body<const N: usize>(collective: &Collective, warp: &mut Warp, mask: u32) {
    let Some(members) = collective.members else {
        return exchange_in::<N>(collective.exchange, warp, mask, mask);
    };
    if let Some(named) = alone(&warp.regs32[usize::from(members)], mask) {
        return exchange_in::<N>(collective.exchange, warp, named & mask, mask);
    }
    exchange_apart(collective, warp, mask);
}

/// As [`exchange`], where lanes name different groups.
#[inline(never)]
fn exchange_apart(collective: &Collective, warp: &mut Warp, mask: u32) {
    let Some(members) = collective.members else { return };
    let members = warp.regs32[usize::from(members)];
    let mut left = mask;
    while left != 0 {
        let named = members[left.trailing_zeros() as usize & 31];
        let writers = left & equal(&members, named);
        exchange_in::<4>(collective.exchange, warp, named & mask, writers);
        left &= !writers;
    }
}

/// The lanes with this value.
#[inline(always)]
fn equal<W: Copy + PartialEq>(values: &[W; 32], value: W) -> u32 {
    let mut found = 0;
    for lane in 0..32 {
        found |= if values[lane] == value { 1 << lane } else { 0 };
    }
    found
}

/// `d` = `a` of the lanes that a shuffle reads.
#[inline(always)]
fn shuffle<const N: usize>(
    warp: &mut Warp,
    from: From,
    (d, p): (Slot, Option<Slot>),
    [a, b, c]: [Slot; 3],
    (group, writers): (u32, u32),
) {
    let file = &warp.regs32;
    let (a, b, c) = (&file[usize::from(a)], &file[usize::from(b)], &file[usize::from(c)]);
    let mut others = [0; 32];
    let mut inside = [0_u32; 32];
    macro_rules! find {
        ($from:expr) => {
            for lane in 0..32 {
                let (other, within) = source($from, lane as u32, b[lane], c[lane]);
                others[lane] = other;
                inside[lane] = u32::from(within) << lane;
            }
        };
    }
    match from {
        From::Up => find!(From::Up),
        From::Down => find!(From::Down),
        From::Butterfly => find!(From::Butterfly),
        From::Index => find!(From::Index),
    }
    let mut values = permuted::<N>(a, &others);
    let taking_part = group | writers;
    if taking_part != u32::MAX {
        // A lane that takes no part has nothing to give; the ISA leaves the value open.
        for lane in 0..32 {
            let given = taking_part >> (others[lane] & 31) & 1 != 0;
            values[lane] = if given { values[lane] } else { 0 };
        }
    }
    put::<N, _>(&mut warp.regs32[usize::from(d)], writers, &values);
    if let Some(p) = p {
        let mut within = 0;
        for lane in 0..32 {
            within |= inside[lane];
        }
        let pred = &mut warp.preds[usize::from(p)];
        *pred = *pred & !writers | within & writers;
    }
}

/// All `values` of the group combined; 0 if it is empty.
#[inline(always)]
fn reduce(f: Combine, values: &[u32; 32], group: u32) -> u32 {
    macro_rules! fold {
        ($nothing:expr, $f:expr) => {{
            let mut left = *values;
            if group != FULL {
                for lane in 0..32 {
                    left[lane] = if group >> lane & 1 != 0 { left[lane] } else { $nothing };
                }
            }
            folded(&left, $f)
        }};
    }
    let signed = u32::cast_signed;
    match f {
        _ if group == 0 => 0,
        Combine::Add => fold!(0, u32::wrapping_add),
        Combine::MinU => fold!(u32::MAX, |a: u32, b: u32| a.min(b)),
        Combine::MaxU => fold!(0, |a: u32, b: u32| a.max(b)),
        Combine::MinS => {
            fold!(i32::MAX as u32, |a, b| signed(a).min(signed(b)).cast_unsigned())
        }
        Combine::MaxS => {
            fold!(i32::MIN as u32, |a, b| signed(a).max(signed(b)).cast_unsigned())
        }
        Combine::And => fold!(u32::MAX, |a, b| a & b),
        Combine::Or => fold!(0, |a, b| a | b),
        Combine::Xor => fold!(0, |a, b| a ^ b),
        Combine::Float { max, abs, nan } => extreme((max, abs, nan), values, group),
    }
}

/// The largest or smallest float of the group; one NaN stands for all.
#[inline(always)]
fn extreme((max, abs, nan): (bool, bool, bool), values: &[u32; 32], group: u32) -> u32 {
    const NAN: u32 = 0x7fff_ffff;
    // Integers in the order of the floats, with -0 below +0; and back.
    let ordered = |value: i32| value ^ (value >> 31) & i32::MAX;
    let nothing = if max { i32::MIN } else { i32::MAX };
    let (mut keys, mut odd) = ([0; 32], 0);
    for lane in 0..32 {
        let bits = if abs { values[lane] & !(1 << 31) } else { values[lane] };
        let inside = group >> lane & 1 != 0;
        let is_nan = bits & !(1 << 31) > 0x7f80_0000;
        odd |= if inside & is_nan { 1 << lane } else { 0 };
        let counts = inside && !is_nan;
        let key = if counts { ordered(bits.cast_signed()) } else { nothing };
        keys[lane] = key.cast_unsigned();
    }
    let found = if max {
        folded(&keys, |a, b| a.cast_signed().max(b.cast_signed()).cast_unsigned())
    } else {
        folded(&keys, |a, b| a.cast_signed().min(b.cast_signed()).cast_unsigned())
    };
    if nan && odd != 0 || odd == group {
        return NAN;
    }
    ordered(found.cast_signed()).cast_unsigned()
}

/// Exchanges among the lanes of `group`; those of `writers` get the result.
#[inline(always)]
fn exchange_in<const N: usize>(exchange: Exchange, warp: &mut Warp, group: u32, writers: u32) {
    match exchange {
        Exchange::Shuffle { from, d, p, a, b, c } => {
            shuffle::<N>(warp, from, (d, p), [a, b, c], (group, writers));
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
            write::<N>(warp, d, writers, yes);
        }
        Exchange::MatchAny { wide, d, a } => {
            let mut apart = [0; 32];
            let Warp { regs32, regs64, .. } = warp;
            let (a, d) = (usize::from(a), usize::from(d));
            let narrow = if wide { [0; 32] } else { regs32[a] };
            let d = &mut regs32[d];
            // Written where it belongs if all lanes get theirs.
            let found = if writers == FULL { &mut *d } else { &mut apart };
            if wide {
                alike_doubles(&regs64[a], group, found);
            } else {
                alike(&narrow, group, found);
            }
            if writers != FULL {
                put::<N, _>(d, writers, &apart);
            }
        }
        Exchange::MatchAll { wide, d, p, a } => {
            let first = group.trailing_zeros() as usize & 31;
            let same = if wide {
                let values = &warp.regs64[usize::from(a)];
                group & !equal(values, values[first]) == 0
            } else {
                let values = &warp.regs32[usize::from(a)];
                group & !equal(values, values[first]) == 0
            };
            write::<N>(warp, d, writers, if same { group } else { 0 });
            if let Some(p) = p {
                set(&mut warp.preds[usize::from(p)], writers, same);
            }
        }
        Exchange::Reduce { f, d, a } => {
            let combined = reduce(f, &warp.regs32[usize::from(a)], group);
            write::<N>(warp, d, writers, combined);
        }
        Exchange::Elect { d, p } => {
            let leader = group.trailing_zeros() & 31;
            if let Some(d) = d {
                write::<N>(warp, d, writers, leader);
            }
            let pred = &mut warp.preds[usize::from(p)];
            *pred = *pred & !writers | 1 << leader & writers;
        }
        Exchange::Active { d } => write::<N>(warp, d, writers, group),
        // Not exchanged by groups; see `perform`.
        _ => {}
    }
}

#[inline(always)]
fn write<const N: usize>(warp: &mut Warp, d: Slot, lanes_of: u32, value: u32) {
    put::<N, _>(&mut warp.regs32[usize::from(d)], lanes_of, &[value; 32]);
}

/// Carries out collective `index` for the lanes of `mask` out of `fragment`.
/// Gives back whether it is done; if not, the fragment has to park until
/// [`settle`] or another fragment frees it. `at` is the op after it. Fragments
/// that came earlier and go the same way join.
#[inline(always)]
pub(crate) fn run<const N: usize>(
    kernel: &Kernel,
    warp: &mut Warp,
    index: u16,
    fragment: &mut Fragment,
    at: u32,
    mask: u32,
) -> bool {
    let collective = &kernel.collectives[usize::from(index)];
    if mask == u32::MAX || needed(collective, warp, mask) & !mask == 0 {
        perform::<N>(kernel, collective, warp, mask);
        return true;
    }
    meet(kernel, warp, collective, fragment, at, mask)
}

/// As [`run`], where lanes are named that are not there.
#[inline(never)]
fn meet(
    kernel: &Kernel,
    warp: &mut Warp,
    collective: &Collective,
    fragment: &mut Fragment,
    at: u32,
    mask: u32,
) -> bool {
    let meeting = meeting(collective, at);
    if let Some(all) = complete(collective, warp, meeting, mask) {
        perform::<4>(kernel, collective, warp, all);
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
        perform::<4>(kernel, collective, warp, all);
        warp.unpark(meeting, all);
        any = true;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::lane::word;

    #[test]
    fn extremes_of_floats_are_those_of_pairs() {
        let odd = [0, 0x8000_0000, 0x7fc0_0001, 0xff80_0000, 0x3f80_0000, 0xbf80_0000, 0x7f80_0000];
        for round in 0..2000_u32 {
            let mix = |lane: u32| round.wrapping_mul(0x9e37_79b9).rotate_left(lane) ^ (lane * 77);
            let pick = |lane: u32| match round % 3 {
                0 => odd[mix(lane) as usize % odd.len()],
                1 => 0x7fff_0000 | lane,
                _ => mix(lane),
            };
            let values: [u32; 32] = std::array::from_fn(|lane| pick(lane as u32));
            let group = mix(40) | 1 << (round % 32);
            for (max, abs, nan) in
                [(true, false, false), (false, true, true), (false, false, false)]
            {
                let value =
                    |lane: usize| if abs { values[lane] & !(1 << 31) } else { values[lane] };
                let inside = (0..32).filter(|lane| group >> lane & 1 != 0).map(value);
                let wanted = inside.reduce(|a, b| word::float_extreme(max, nan, a, b)).unwrap();
                let wanted = if f32::from_bits(wanted).is_nan() { 0x7fff_ffff } else { wanted };
                assert_eq!(reduce(Combine::Float { max, abs, nan }, &values, group), wanted);
            }
        }
    }

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
