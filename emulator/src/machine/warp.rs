//! A warp: its registers, and the fragments that its lanes run in.
//!
//! Lanes that take the same way run together as a fragment. At a branch where
//! they part, a token remembers who parted and where the ways meet again;
//! fragments that come to that place wait there until all of them have come or
//! ended. Fragments take turns, so a lane that spins on what another lane of
//! its warp will do does not hang.

use crate::machine::call_stack::CallStack;
use crate::machine::local::Local;
use crate::machine::registers::Registers;
use crate::program::{AT_END, NOWHERE, Region, Scopes};

/// No token: the fragment's lanes only meet the others at the end.
pub(crate) const NO_TOKEN: usize = usize::MAX;

/// Lanes that run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Fragment {
    /// Basic block.
    pub(crate) block: u32,
    /// Next op in the kernel's list; `None` to start the block.
    pub(crate) at: Option<u32>,
    pub(crate) mask: u32,
    /// Innermost place where it has to meet others.
    pub(crate) token: usize,
    /// Calls that it is inside of.
    pub(crate) depth: u32,
    /// What it waits for.
    pub(crate) waiting: Option<Waiting>,
}

impl Fragment {
    /// The lanes of `mask` at the start of a block.
    fn at_start(block: u32, mask: u32, token: usize, depth: u32) -> Self {
        Self { block, at: None, mask, token, depth, waiting: None }
    }
}

/// What a fragment waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Waiting {
    /// A barrier of the block.
    Barrier { id: u8, site: u16 },
    /// The barrier of its cluster.
    Cluster { site: u16 },
    /// Other lanes of the warp, at `meeting`; `lanes` of it take part.
    Lanes { meeting: u32, lanes: u32, site: u16 },
}

/// Lanes that parted and will meet again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Token {
    reconverge: u32,
    /// Calls that the meeting place is inside of.
    depth: u32,
    /// Lanes that parted and have not ended since.
    expected: u32,
    /// Of those, the ones that wait at the meeting place.
    arrived: u32,
    parent: usize,
    /// 1 + the region that it holds within: lanes that leave this are not waited for.
    scope: u32,
}

/// Where lanes that parted meet again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MeetingPlace {
    /// The basic block.
    pub(crate) block: u32,
    /// Lanes that parted and have not ended since.
    pub(crate) expected: u32,
    /// Of those, the ones that wait there.
    pub(crate) arrived: u32,
}

impl Token {
    fn place(&self) -> MeetingPlace {
        let Self { reconverge, expected, arrived, .. } = *self;
        MeetingPlace { block: reconverge, expected, arrived }
    }
}

/// Registers and fragments of one warp.
#[derive(Debug, Clone, Hash)]
pub(crate) struct Warp {
    pub(crate) regs32: Registers<u32>,
    pub(crate) regs64: Registers<u64>,
    pub(crate) preds: Vec<u32>,
    pub(crate) local: Local,
    pub(crate) calls: CallStack,
    fragments: Vec<Fragment>,
    tokens: Vec<Token>,
    /// Lanes that have not ended.
    pub(crate) live: u32,
}

impl Warp {
    pub(crate) fn new(slots32: usize, slots64: usize, preds: usize) -> Self {
        Self {
            regs32: Registers::new(slots32),
            regs64: Registers::new(slots64),
            preds: vec![0; preds],
            local: Local::default(),
            calls: CallStack::default(),
            fragments: Vec::new(),
            tokens: Vec::new(),
            live: 0,
        }
    }

    /// Bytes that it takes, nearly.
    pub(crate) fn bytes(&self) -> u64 {
        let registers = self.regs32.len() * 128 + self.regs64.len() * 256 + self.preds.len() * 4;
        registers as u64 + self.local.bytes * 32 + self.calls.bytes()
    }

    /// Puts the lanes of `mask` at the kernel's start.
    pub(crate) fn start(&mut self, mask: u32) {
        self.live = mask;
        self.tokens.clear();
        self.fragments.clear();
        self.calls.clear();
        self.fragments.push(Fragment::at_start(0, mask, NO_TOKEN, 0));
    }

    /// Takes the next fragment that can run: the one that has waited longest.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> Option<Fragment> {
        if let [Fragment { waiting: None, .. }] = self.fragments[..] {
            return self.fragments.pop();
        }
        self.take_first()
    }

    /// The same into `fragment`, if there is but one: gives whether it did. Field by field: as a
    /// whole, the copy would wait for what was written last.
    #[inline(always)]
    pub(crate) fn take_only(&mut self, fragment: &mut Fragment) -> bool {
        let [Fragment { block, at, mask, token, depth, waiting: None }] = self.fragments[..] else {
            return false;
        };
        (fragment.block, fragment.at, fragment.mask) = (block, at, mask);
        (fragment.token, fragment.depth, fragment.waiting) = (token, depth, None);
        self.fragments.clear();
        true
    }

    #[inline(never)]
    fn take_first(&mut self) -> Option<Fragment> {
        let index = self.fragments.iter().position(|fragment| fragment.waiting.is_none())?;
        Some(self.fragments.remove(index))
    }

    /// Puts a fragment at the end of the queue.
    pub(crate) fn put(&mut self, fragment: Fragment) {
        self.fragments.push(fragment);
    }

    /// Puts a fragment at the end of the queue that goes on at op `at`, or waits there. Field by
    /// field: as a whole, the copy would wait for what was changed last.
    #[inline(always)]
    pub(crate) fn put_at(&mut self, fragment: &Fragment, at: u32, waiting: Option<Waiting>) {
        let &Fragment { block, mask, token, depth, .. } = fragment;
        self.fragments.push(Fragment { block, at: Some(at), mask, token, depth, waiting });
    }

    /// Puts a fragment at the start of the queue.
    pub(crate) fn put_first(&mut self, fragment: Fragment) {
        self.fragments.insert(0, fragment);
    }

    /// Whether other fragments could run too.
    pub(crate) fn others_ready(&self) -> bool {
        self.fragments.iter().any(|fragment| fragment.waiting.is_none())
    }

    /// The lanes that could run.
    pub(crate) fn ready_lanes(&self) -> u32 {
        let ready = self.fragments.iter().filter(|fragment| fragment.waiting.is_none());
        ready.fold(0, |lanes, fragment| lanes | fragment.mask)
    }

    /// All fragments but the running one.
    pub(crate) fn fragments(&self) -> &[Fragment] {
        &self.fragments
    }

    /// The places where the lanes of a fragment meet others, from the innermost on.
    pub(crate) fn meetings(&self, fragment: &Fragment) -> impl Iterator<Item = MeetingPlace> {
        let mut at = fragment.token;
        std::iter::from_fn(move || {
            let token = self.tokens.get(at)?;
            at = token.parent;
            Some(token.place())
        })
    }

    /// Every place where lanes of the warp meet.
    pub(crate) fn places(&self) -> impl Iterator<Item = MeetingPlace> {
        self.tokens.iter().map(Token::place)
    }

    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Fragment> {
        self.fragments.iter().filter(|fragment| fragment.waiting.is_some())
    }

    /// Lets the fragments that wait at barrier `id` go on; gives whether there are any.
    /// `each` gets the op after theirs and their lanes.
    #[inline(always)]
    pub(crate) fn release(&mut self, id: u8, mut each: impl FnMut(u32, u32, &mut Self)) -> bool {
        let mut any = false;
        for index in 0..self.fragments.len() {
            let Fragment { waiting, at, mask, .. } = self.fragments[index];
            if matches!(waiting, Some(Waiting::Barrier { id: waits, .. }) if waits == id) {
                self.fragments[index].waiting = None;
                each(at.unwrap_or(1), mask, self);
                any = true;
            }
        }
        any
    }

    /// Lets the lanes of `going` that wait at the barrier of the cluster go on.
    pub(crate) fn release_cluster(&mut self, going: u32) {
        for index in 0..self.fragments.len() {
            let fragment = &mut self.fragments[index];
            let Some(Waiting::Cluster { .. }) = fragment.waiting else { continue };
            let free = Fragment { mask: fragment.mask & going, waiting: None, ..*fragment };
            fragment.mask &= !going;
            if fragment.mask == 0 {
                *fragment = free;
            } else if free.mask != 0 {
                self.fragments.push(free);
            }
        }
    }

    /// Whether some fragments wait for other lanes of the warp.
    pub(crate) fn any_parked(&self) -> bool {
        self.fragments
            .iter()
            .any(|fragment| matches!(fragment.waiting, Some(Waiting::Lanes { .. })))
    }

    /// The lanes of each fragment that waits at `meeting`.
    pub(crate) fn parked(&self, meeting: u32) -> impl Iterator<Item = u32> {
        self.fragments.iter().filter_map(move |fragment| match fragment.waiting {
            Some(Waiting::Lanes { meeting: at, lanes, .. }) if at == meeting => Some(lanes),
            _ => None,
        })
    }

    /// Lets the fragments of `all` that wait at `meeting` go on.
    pub(crate) fn unpark(&mut self, meeting: u32, all: u32) {
        for fragment in &mut self.fragments {
            if matches!(fragment.waiting, Some(Waiting::Lanes { meeting: at, lanes, .. }) if at == meeting && lanes & all != 0)
            {
                fragment.waiting = None;
            }
        }
    }

    /// Takes the fragments that are where `fragment` is and meet the same
    /// lanes next; gives their lanes.
    pub(crate) fn take_alike(&mut self, fragment: Fragment) -> u32 {
        let mut lanes = 0;
        self.fragments.retain(|other| {
            let alike = Fragment { mask: other.mask, ..fragment } == *other;
            if alike {
                lanes |= other.mask;
            }
            !alike
        });
        lanes
    }

    /// The token for lanes of `fragment` that part and meet at `reconverge`, those of them that
    /// do not leave `scope`.
    #[inline(always)]
    fn token(&mut self, scopes: &Scopes, fragment: Fragment, reconverge: u32, scope: u32) -> usize {
        let Fragment { token, depth, .. } = fragment;
        if self.is_left(scopes, fragment, reconverge) {
            // Who stays meets the others as before, who leaves goes on to an outer token.
            return token;
        }
        // A loop's lanes leave one after the other for the same place: they
        // share one token.
        let known = token != NO_TOKEN
            && self.tokens[token].reconverge == reconverge
            && self.tokens[token].depth == depth;
        // Who ends does not hide the others that those who go on will meet before.
        let ends = scope == AT_END && token != NO_TOKEN;
        if reconverge == NOWHERE || known || ends {
            return token;
        }
        let scope = if scope == AT_END { 0 } else { scope };
        // Who leaves the region waits behind it for those that stay.
        let parent = match scopes.region(scope) {
            Some(region) => self.outer_token(scopes, fragment, region),
            None => token,
        };
        let expected = fragment.mask;
        self.tokens.push(Token { reconverge, depth, expected, arrived: 0, parent, scope });
        self.tokens.len() - 1
    }

    /// The token for lanes of `fragment` that leave a region.
    #[inline(never)]
    fn outer_token(&mut self, scopes: &Scopes, fragment: Fragment, region: &Region) -> usize {
        self.token(scopes, fragment, region.meet, region.scope)
    }

    /// Whether `block` lies outside of the region that the innermost meeting of `fragment` holds
    /// within.
    #[inline(always)]
    fn is_left(&self, scopes: &Scopes, fragment: Fragment, block: u32) -> bool {
        if scopes.regions.is_empty() {
            return false;
        }
        let token = self.tokens.get(fragment.token);
        token.is_some_and(|token| {
            token.scope != 0 && token.depth == fragment.depth && scopes.leaves(token.scope, block)
        })
    }

    /// The lanes of `fragment` part as `ways` say, lanes and block, into
    /// `depth` calls, and meet again at `reconverge`. It becomes the part that goes
    /// on running; gives whether one does.
    pub(crate) fn scatter(
        &mut self,
        scopes: &Scopes,
        fragment: &mut Fragment,
        ways: &[(u32, u32)],
        (reconverge, scope): (u32, u32),
        depth: u32,
    ) -> bool {
        let token = self.token(scopes, *fragment, reconverge, scope);
        let mut running = false;
        for &(mask, block) in ways {
            let mut part = Fragment::at_start(block, mask, token, depth);
            if !self.go(scopes, &mut part) {
                continue;
            }
            if running {
                self.put(part);
            } else {
                *fragment = part;
                running = true;
            }
        }
        running
    }

    /// The lanes of `fragment` part: `taken` go to one block, the rest to
    /// another. As for [`Self::scatter`].
    pub(crate) fn part(
        &mut self,
        scopes: &Scopes,
        fragment: &mut Fragment,
        (taken, to): (u32, u32),
        other: u32,
        reconverge: u32,
    ) -> bool {
        let ways = [(taken, to), (fragment.mask & !taken, other)];
        let meeting = (reconverge, scopes.of(fragment.block));
        let depth = fragment.depth;
        self.scatter(scopes, fragment, &ways, meeting, depth)
    }

    /// Whether `fragment` has to meet others at `block`, or to leave them.
    #[inline(always)]
    pub(crate) fn meets(&self, scopes: &Scopes, fragment: Fragment, block: u32) -> bool {
        fragment.token != NO_TOKEN
            && (self.tokens[fragment.token].reconverge == block
                && self.tokens[fragment.token].depth == fragment.depth
                || self.is_left(scopes, fragment, block))
    }

    /// `fragment` comes to its block: the others inside of a region that it leaves do not wait
    /// for it any more, and at a meeting place it waits as for [`Self::arrive`].
    #[inline(always)]
    pub(crate) fn go(&mut self, scopes: &Scopes, fragment: &mut Fragment) -> bool {
        while self.is_left(scopes, *fragment, fragment.block) {
            let parent = self.tokens[fragment.token].parent;
            self.forget(fragment.token, fragment.mask);
            fragment.token = parent;
            self.drop_idle_tokens();
        }
        self.arrive(fragment)
    }

    /// `fragment` comes to its block. If it has to meet others there, it waits,
    /// or, as the last to come, goes on with all of them.
    #[inline(always)]
    pub(crate) fn arrive(&mut self, fragment: &mut Fragment) -> bool {
        while fragment.token != NO_TOKEN {
            let token = &mut self.tokens[fragment.token];
            if token.reconverge != fragment.block || token.depth != fragment.depth {
                break;
            }
            token.arrived |= fragment.mask;
            if token.arrived != token.expected {
                return false;
            }
            fragment.mask = token.arrived;
            fragment.token = token.parent;
            self.drop_idle_tokens();
        }
        true
    }

    /// The lanes of `fragment` end. Whoever only waited for them goes on.
    pub(crate) fn exit(&mut self, fragment: Fragment) {
        self.live &= !fragment.mask;
        let mut at = fragment.token;
        while at != NO_TOKEN {
            let parent = self.tokens[at].parent;
            self.forget(at, fragment.mask);
            at = parent;
        }
        self.drop_idle_tokens();
    }

    /// Nobody waits for `lanes` any more: if the others of the token are there, they go on.
    fn forget(&mut self, token: usize, lanes: u32) {
        let token = &mut self.tokens[token];
        token.expected &= !lanes;
        if token.expected != 0 && token.arrived == token.expected {
            let Token { reconverge, arrived, parent, depth, .. } = *token;
            let mut resumed = Fragment::at_start(reconverge, arrived, parent, depth);
            (token.expected, token.arrived) = (0, 0);
            if self.arrive(&mut resumed) {
                self.put(resumed);
            }
        }
    }

    /// Lets lanes that wait at a meeting place go on without the others, which
    /// may be waiting for them. Gives whether there were any.
    pub(crate) fn stop_waiting(&mut self) -> bool {
        let mut any = false;
        for index in 0..self.tokens.len() {
            let token = &mut self.tokens[index];
            if token.arrived == 0 || token.arrived == token.expected {
                continue;
            }
            any = true;
            let mut going =
                Fragment::at_start(token.reconverge, token.arrived, token.parent, token.depth);
            token.expected &= !token.arrived;
            token.arrived = 0;
            if self.arrive(&mut going) {
                self.put(going);
            }
        }
        any
    }

    /// Tokens are made and done with like a stack, nearly: those at the end
    /// that nobody refers to any more are dropped.
    fn drop_idle_tokens(&mut self) {
        while let Some(last) = self.tokens.last() {
            let index = self.tokens.len() - 1;
            let done = last.expected == 0 || last.arrived == last.expected;
            let held = self.fragments.iter().any(|fragment| fragment.token == index);
            if !done || held {
                break;
            }
            self.tokens.pop();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const NONE: Scopes = Scopes { of_block: Vec::new(), regions: Vec::new() };

    fn warp() -> (Warp, Fragment) {
        let mut warp = Warp::new(0, 0, 0);
        warp.start(0b1111);
        let fragment = warp.take().unwrap();
        (warp, fragment)
    }

    fn part(
        warp: &mut Warp,
        mut all: Fragment,
        taken: (u32, u32),
        other: u32,
        reconverge: u32,
    ) -> Fragment {
        assert!(warp.part(&NONE, &mut all, taken, other, reconverge));
        all
    }

    fn arrive(warp: &mut Warp, mut fragment: Fragment) -> Option<Fragment> {
        warp.arrive(&mut fragment).then_some(fragment)
    }

    #[test]
    fn arms_of_an_if_meet() {
        let (mut warp, all) = warp();
        let taken = part(&mut warp, all, (0b0011, 1), 2, 3);
        assert_eq!((taken.mask, taken.block), (0b0011, 1));
        assert_eq!(arrive(&mut warp, Fragment { block: 3, ..taken }), None);
        let other = warp.take().unwrap();
        assert_eq!((other.mask, other.block), (0b1100, 2));
        let met = arrive(&mut warp, Fragment { block: 3, ..other }).unwrap();
        assert_eq!((met.mask, met.token), (0b1111, NO_TOKEN));
        assert!(warp.tokens.is_empty());
    }

    #[test]
    fn lanes_that_leave_a_loop_share_one_token() {
        let (mut warp, mut looping) = warp();
        for leaving in [0b0001, 0b0010, 0b0100] {
            looping = part(&mut warp, looping, (leaving, 9), 5, 9);
            assert_eq!(warp.tokens.len(), 1);
        }
        let met = arrive(&mut warp, Fragment { block: 9, ..looping }).unwrap();
        assert_eq!(met.mask, 0b1111);
    }

    #[test]
    fn a_lane_that_ends_is_not_waited_for() {
        let (mut warp, all) = warp();
        let taken = part(&mut warp, all, (0b0001, 1), 2, 3);
        let other = warp.take().unwrap();
        assert_eq!(arrive(&mut warp, Fragment { block: 3, ..other }), None);
        warp.exit(taken);
        let resumed = warp.take().unwrap();
        assert_eq!((resumed.mask, resumed.block, warp.live), (0b1110, 3, 0b1110));
    }

    #[test]
    fn nested_ifs_that_meet_at_one_place_unwind() {
        let (mut warp, all) = warp();
        // Outer parts at 3; inner, among the taken, at 2.
        let taken = part(&mut warp, all, (0b0011, 1), 3, 3);
        assert_eq!(taken.mask, 0b0011);
        let inner = part(&mut warp, taken, (0b0001, 4), 2, 2);
        assert_eq!(inner.mask, 0b0001);
        let both = arrive(&mut warp, Fragment { block: 2, ..inner }).unwrap();
        assert_eq!(both.mask, 0b0011);
        assert_eq!(arrive(&mut warp, Fragment { block: 3, ..both }).unwrap().mask, 0b1111);
    }
}
