//! Where diverged lanes meet again, as `ptxas` arranges it.
//!
//! Lanes that part at a branch meet at its post-dominator. Two kinds of ways are left out of
//! account, so that a lane that takes one does not keep the others apart until the end: a way
//! that ends the thread, and inside a loop a way that leaves the loop. On the GPU, `EXIT` and
//! `BREAK` take such a lane off the barrier that the others wait at.
//!
//! Before that place, lanes meet where ways of both sides come together first, though others go
//! round it: of `if (a && b) { .. } else { .. }` those that lack `a` and those that lack `b` meet at
//! the `else`, and where an arm has a `goto` out, those that do not take it meet behind the arms.
//! `ptxas` opens a barrier of its own for them (`BSSY`), which the others leave (`BREAK`).

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::compile::flow::post_dominators;
use crate::compile::loops::{Loops, NO_LOOP};
use crate::program::{AT_END, NOWHERE, Region};

/// Steps spent on better meeting places than the plain ones, over all loops and branches: more
/// than any compiled kernel needs.
const MOST_STEPS: usize = 20_000_000;

/// The meeting place of each block's branch.
pub(crate) struct Meets {
    /// The block where its ways meet, or [`NOWHERE`].
    pub(crate) at: Vec<u32>,
    /// 1 + the region that they meet within; 0 where every way comes there; [`AT_END`].
    pub(crate) scope: Vec<u32>,
    pub(crate) regions: Vec<Region>,
}

/// The meeting places of blocks with these `successors`; `bare[b]`: `b` does nothing but end
/// the thread.
pub(crate) fn meets(successors: &[Vec<u32>], bare: &[bool]) -> Meets {
    let count = successors.len();
    let plain = post_dominators(successors);
    let mut found = Meets { at: plain.clone(), scope: vec![0; count], regions: Vec::new() };
    let branches: Vec<usize> = (0..count).filter(|&block| successors[block].len() > 1).collect();
    let loops = Loops::find(successors, MOST_STEPS);
    let ending = bare.contains(&true);
    let mut search = Search { successors, bare, ending, steps: MOST_STEPS };
    let ends = |at: u32| at == NOWHERE || bare[at as usize];
    let mut settled = vec![false; count];
    let mut within: Vec<Within> = Vec::with_capacity(loops.count());
    let mut used = BTreeSet::new();
    for index in 0..loops.count() {
        let header = loops.header(index);
        let inside: HashSet<u32> = loops.inside(index).iter().copied().collect();
        let inner = search.within(header, loops.members(index), &inside);
        for &block in loops.members(index) {
            let ends_inner = inside.contains(&block);
            let block = block as usize;
            let arms = successors[block].iter();
            let arms = arms.filter(|&&arm| inner.keeps(arm) && !(ends_inner && arm == header));
            if settled[block] || arms.collect::<BTreeSet<_>>().len() < 2 {
                continue;
            }
            settled[block] = true;
            let at = inner.after(block as u32);
            if at != plain[block] && at != NOWHERE {
                (found.at[block], found.scope[block]) = (at, index as u32 + 1);
                used.insert(index);
            }
        }
        within.push(inner);
    }
    for &block in branches.iter().filter(|&&block| !settled[block] && ends(plain[block])) {
        match search.first_common(&successors[block]) {
            Some(at) => found.at[block] = at,
            None => found.scope[block] = AT_END,
        }
    }
    // Where most ways come together before the last ones do, lanes of those meet there already.
    let mut parts = Vec::new();
    for &block in &branches {
        let (last, scope) = (found.at[block], found.scope[block]);
        if last == NOWHERE || scope == AT_END {
            continue;
        }
        let around = scope.checked_sub(1).map(|index| &within[index as usize]);
        if let Some((at, members)) = search.earlier(&successors[block], last, around) {
            parts.push((block, at, members));
        }
    }
    // Lanes that leave a loop early wait behind it for those that are still inside.
    let mut regions = vec![None; loops.count()];
    while let Some(index) = used.pop_first() {
        let (meet, outer) = exit(index, &loops, &within, &plain, &mut search);
        regions[index] = Some((meet, outer));
        if outer != NO_LOOP && regions[outer].is_none() {
            used.insert(outer);
        }
    }
    // Only the loops that are needed become regions.
    let mut number = vec![0; loops.count() + 1];
    let mut next = 0;
    for (index, region) in regions.iter().enumerate() {
        if region.is_some() {
            next += 1;
            number[index + 1] = next;
        }
    }
    for (index, region) in regions.iter().enumerate() {
        if let Some((meet, outer)) = *region {
            let scope = if outer == NO_LOOP { 0 } else { number[outer + 1] };
            found.regions.push(Region::new(loops.members(index), meet, scope));
        }
    }
    for scope in found.scope.iter_mut().filter(|scope| **scope != AT_END) {
        *scope = number[*scope as usize];
    }
    for (block, at, members) in parts {
        found.regions.push(Region::new(&members, found.at[block], found.scope[block]));
        (found.at[block], found.scope[block]) = (at, found.regions.len() as u32);
    }
    found
}

/// Where the lanes that leave a loop meet, and the loop that they meet within.
fn exit(
    index: usize,
    loops: &Loops,
    within: &[Within],
    plain: &[u32],
    search: &mut Search,
) -> (u32, usize) {
    let inside: BTreeSet<u32> = loops.members(index).iter().copied().collect();
    let successors = search.successors;
    let exits: BTreeSet<u32> = inside
        .iter()
        .flat_map(|&block| successors[block as usize].iter().copied())
        .filter(|next| !inside.contains(next) && !search.bare[*next as usize])
        .collect();
    let exits: Vec<u32> = exits.into_iter().collect();
    if let [only] = exits[..] {
        return (only, NO_LOOP);
    }
    let mut outer = loops.parent(index);
    while outer != NO_LOOP {
        let kept: Vec<u32> =
            exits.iter().copied().filter(|&exit| within[outer].keeps(exit)).collect();
        match kept[..] {
            [] => {}
            [only] => return (only, outer),
            _ => return (within[outer].common(&kept).unwrap_or(NOWHERE), outer),
        }
        outer = loops.parent(outer);
    }
    let meet = match common(plain, &exits) {
        Some(meet) if !search.bare[meet as usize] => Some(meet),
        _ => search.first_common(&exits),
    };
    (meet.unwrap_or(NOWHERE), NO_LOOP)
}

/// The blocks of a loop that can go on to its next round, and where their ways meet.
struct Within {
    header: u32,
    /// Sorted.
    blocks: Vec<u32>,
    /// For each of `blocks`, the place in it of the first that all ways to the next round pass;
    /// one past the end: the next round itself.
    next: Vec<u32>,
}

impl Within {
    fn place(&self, block: u32) -> Option<usize> {
        self.blocks.binary_search(&block).ok()
    }

    /// Whether a lane that goes to `block` can stay in the loop.
    fn keeps(&self, block: u32) -> bool {
        self.place(block).is_some()
    }

    fn block(&self, place: u32) -> u32 {
        self.blocks.get(place as usize).copied().unwrap_or(self.header)
    }

    /// Where the ways from `block` meet.
    fn after(&self, block: u32) -> u32 {
        let next = self.place(block).map_or(NOWHERE, |place| self.next[place]);
        if next == NOWHERE { NOWHERE } else { self.block(next) }
    }

    /// The first block that all ways from all of `blocks` pass.
    fn common(&self, blocks: &[u32]) -> Option<u32> {
        // The header starts the next round: nothing behind it counts.
        let round = self.blocks.len();
        let places = blocks.iter().filter_map(|&block| {
            if block == self.header { Some(round) } else { self.place(block) }
        });
        let places: Vec<u32> = places.map(|place| place as u32).collect();
        common(&self.next, &places).map(|place| self.block(place))
    }
}

/// The first of the blocks that come after all of `blocks`, one after the other as `next` says.
fn common(next: &[u32], blocks: &[u32]) -> Option<u32> {
    let chain = |&block: &u32| {
        std::iter::successors(Some(block), |&at| {
            next.get(at as usize).copied().filter(|&next| next != NOWHERE)
        })
    };
    let (first, rest) = blocks.split_first()?;
    let rest: Vec<BTreeSet<u32>> = rest.iter().map(|block| chain(block).collect()).collect();
    let mut chain = chain(first);
    chain.find(|block| rest.iter().all(|chain| chain.contains(block)))
}

struct Search<'a> {
    successors: &'a [Vec<u32>],
    bare: &'a [bool],
    /// Whether there is a block that only ends the thread.
    ending: bool,
    /// Steps left.
    steps: usize,
}

impl Search<'_> {
    /// Meeting places within a loop; blocks of `inside` end rounds of another loop inside it that
    /// has the same header.
    fn within(&mut self, header: u32, members: &[u32], inside: &HashSet<u32>) -> Within {
        let mut found = Within { header, blocks: Vec::new(), next: Vec::new() };
        if self.steps < members.len() {
            return found;
        }
        self.steps -= members.len();
        let place = |block: u32| members.binary_search(&block).ok();
        // Backwards from the header: who comes there again.
        let mut before = vec![Vec::new(); members.len()];
        for (from, &block) in members.iter().enumerate() {
            for to in self.successors[block as usize].iter().filter_map(|&next| place(next)) {
                before[to].push(from);
            }
        }
        let mut stays = vec![false; members.len()];
        let mut stack: Vec<usize> = place(header).into_iter().collect();
        while let Some(at) = stack.pop() {
            for &from in &before[at] {
                if !std::mem::replace(&mut stays[from], true) {
                    stack.push(from);
                }
            }
        }
        found.blocks = members.iter().zip(&stays).filter(|it| *it.1).map(|it| *it.0).collect();
        // The header stands for the next round too, which ends this one.
        let round = found.blocks.len() as u32;
        let mut successors: Vec<Vec<u32>> = found
            .blocks
            .iter()
            .map(|&block| {
                let next = self.successors[block as usize].iter().filter_map(|&next| match next {
                    _ if next != header => found.place(next).map(|at| at as u32),
                    _ if inside.contains(&block) => None,
                    _ => Some(round),
                });
                next.collect()
            })
            .collect();
        successors.push(Vec::new());
        found.next = post_dominators(&successors);
        found
    }

    /// The block before `last` where ways from all of `arms` come together first, and the blocks
    /// from which one comes there, itself with them; within a loop, if there is one around.
    fn earlier(
        &mut self,
        arms: &[u32],
        last: u32,
        around: Option<&Within>,
    ) -> Option<(u32, Vec<u32>)> {
        let Self { successors, bare, steps, .. } = self;
        let stops = |block: u32| {
            block == last
                || bare[block as usize]
                || around.is_some_and(|it| block == it.header || !it.keeps(block))
        };
        let at = first_common(successors, arms, &stops, steps)?;
        let mut members = BTreeSet::from([at]);
        let mut before: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut seen = BTreeSet::new();
        let mut stack: Vec<u32> = arms.iter().copied().filter(|&arm| !stops(arm)).collect();
        while let Some(block) = stack.pop() {
            if block == at || !seen.insert(block) {
                continue;
            }
            for &next in successors[block as usize].iter().filter(|next| !stops(**next)) {
                before.entry(next).or_default().push(block);
                stack.push(next);
            }
        }
        let mut stack = vec![at];
        while let Some(block) = stack.pop() {
            let from = before.get(&block).into_iter().flatten();
            stack.extend(from.filter(|from| members.insert(**from)));
        }
        *steps = steps.checked_sub(seen.len())?;
        Some((at, members.into_iter().collect()))
    }

    /// The one block where ways from all of `arms` come together first, of those that end
    /// together at all. None in a function, which has no block that only ends the thread: there,
    /// whoever returns early is waited for behind the call.
    fn first_common(&mut self, arms: &[u32]) -> Option<u32> {
        if !self.ending {
            return None;
        }
        let Self { successors, bare, steps, .. } = self;
        first_common(successors, arms, &|block| bare[block as usize], steps)
    }
}

/// The one block where ways from all of `arms` come together first, of those that do not stop
/// before. Takes from `steps`.
fn first_common(
    successors: &[Vec<u32>],
    arms: &[u32],
    stops: &impl Fn(u32) -> bool,
    steps: &mut usize,
) -> Option<u32> {
    let arms: BTreeSet<u32> = arms.iter().copied().filter(|&arm| !stops(arm)).collect();
    if arms.len() < 2 {
        return None;
    }
    *steps = steps.checked_sub(successors.len() * (arms.len() + 2))?;
    let mut reached = vec![0_usize; successors.len()];
    for (index, &arm) in arms.iter().enumerate() {
        let mut stack = vec![arm];
        let mut seen = vec![false; successors.len()];
        while let Some(at) = stack.pop() {
            if stops(at) || std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            *steps = steps.checked_sub(1)?;
            reached[at as usize] += usize::from(reached[at as usize] == index);
            stack.extend(&successors[at as usize]);
        }
    }
    let all = |block: u32| reached[block as usize] == arms.len();
    let mut doors: BTreeSet<u32> = arms.iter().copied().filter(|&arm| all(arm)).collect();
    let mut seen = vec![false; successors.len()];
    let mut stack: Vec<u32> = arms.iter().copied().filter(|&arm| !all(arm)).collect();
    while let Some(at) = stack.pop() {
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        for &next in &successors[at as usize] {
            if all(next) {
                doors.insert(next);
            } else if !stops(next) {
                stack.push(next);
            }
        }
    }
    let mut doors = doors.into_iter();
    doors.next().filter(|_| doors.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The meeting place of block `branch`, whether it holds within a loop only, and where the
    /// first region is left.
    fn meet(successors: &[&[u32]], branch: usize) -> (u32, bool, Option<u32>) {
        let successors: Vec<Vec<u32>> = successors.iter().map(|next| next.to_vec()).collect();
        let bare: Vec<bool> = successors.iter().map(Vec::is_empty).collect();
        let found = meets(&successors, &bare);
        let region = found.regions.first().map(|region| region.meet);
        (found.at[branch], found.scope[branch] != 0, region)
    }

    /// `for (;;) { 1; if (skip) continue; 2; if (found) break; 3; } 5; end`.
    const LOOP: &[&[u32]] = &[&[1, 5], &[2, 4], &[5, 3], &[4], &[1, 5], &[6], &[]];

    #[test]
    fn a_break_does_not_keep_lanes_apart() {
        assert_eq!(meet(LOOP, 1), (4, true, Some(5)));
        assert_eq!(meet(LOOP, 2), (5, false, Some(5)));
        assert_eq!(meet(LOOP, 4), (5, false, Some(5)));
    }

    #[test]
    fn a_return_in_a_loop_does_not_keep_lanes_apart() {
        let mut returns = LOOP.to_vec();
        returns[2] = &[6, 3];
        assert_eq!(meet(&returns, 1), (4, true, Some(5)));
        assert_eq!(meet(&returns, 4), (5, false, Some(5)));
        assert_eq!(meet(&returns, 2).0, 6, "who returns meets others at the end only");
    }

    #[test]
    fn a_return_in_an_arm_does_not_keep_lanes_apart() {
        // if (0) { 1; if (1) return; 2 } 3; end
        assert_eq!(meet(&[&[1, 3], &[4, 2], &[3], &[4], &[]], 0), (3, false, None));
    }

    #[test]
    fn lanes_meet_before_those_that_have_left_do() {
        // if (0 && 1) 3; else 2; 4: lanes of both conditions meet at 2.
        let both: &[&[u32]] = &[&[1, 2], &[3, 2], &[4], &[4], &[5], &[]];
        assert_eq!(meet(both, 0), (2, true, Some(4)));
        assert_eq!(meet(both, 1), (4, false, Some(4)));
        // if (0) 1; else { if (2) goto 5; 3 } 4; 5; end
        let early: &[&[u32]] = &[&[1, 2], &[4], &[5, 3], &[4], &[5], &[6], &[]];
        assert_eq!(meet(early, 0), (4, true, Some(5)));
        assert_eq!(meet(early, 2), (5, false, Some(5)));
    }

    #[test]
    fn arms_that_end_apart_never_meet() {
        assert_eq!(meet(&[&[1, 2], &[3], &[3], &[]], 0).0, 3);
    }

    #[test]
    fn lanes_that_leave_an_inner_loop_meet_behind_it_also_where_loops_share_a_header() {
        // do { do { 1 } while (again); 2 } while (more); 3
        let shared: &[&[u32]] = &[&[1], &[1, 2], &[1, 3], &[4], &[]];
        assert_eq!(meet(shared, 1), (2, false, None));
        assert_eq!(meet(shared, 2), (3, false, None));
    }

    #[test]
    fn a_break_out_of_two_loops_leaves_both() {
        // 1: outer head; 2: inner head, skips to 4 or goes to 3; 3: leaves both or goes on;
        // 4: inner latch; 5: outer latch; 6: behind.
        let nested: &[&[u32]] = &[&[1], &[2], &[3, 4], &[6, 4], &[2, 5], &[1, 6], &[7], &[]];
        let (at, within, region) = meet(nested, 2);
        assert_eq!((at, within), (4, true));
        assert_eq!(region, Some(5), "who leaves the inner loop meets at the outer latch");
    }
}
