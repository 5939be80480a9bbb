//! What an access means for the lanes before and after it.

use crate::machine::{BlockContext, Bytes, Warp, choose, lanes};
use crate::program::{LOCAL_WINDOW, SiteKind, WINDOW_BYTES, Window};
use crate::sanitizer::access::{Access, LOCAL, LanePlace, held, is_private, target};
use crate::sanitizer::finding::FindingKind;
use crate::sanitizer::monitor::{Monitor, Poll};
use crate::sanitizer::order::{Place, Record, rank_of};
use crate::sanitizer::shadow::Shadow;

impl Monitor {
    /// Checks an access of the lanes of `mask`; gives those that may go on.
    pub(crate) fn access(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        access: &Access,
        mask: u32,
    ) -> u32 {
        let Access { window, size, align, site, .. } = *access;
        let kernel = context.kernel;
        let address: [u64; 32] = std::array::from_fn(|lane| access.address(warp, context, lane));
        let aligned = |lane: usize| address[lane].is_multiple_of(align);
        let misaligned = choose(mask, |lane| !aligned(lane));
        if misaligned != 0 {
            self.report(FindingKind::Misaligned, site, misaligned, None, || {
                let first = address[misaligned.trailing_zeros() as usize];
                format!("`{}` at {first:#x}, not a multiple of {align}", kernel.word(site))
            });
        }
        let mut targets: [LanePlace; 32] = [None; 32];
        let (mut outside, mut strayed) = (0_u32, 0_u32);
        let owner = self.sites[usize::from(site)].owner;
        for lane in lanes(mask & !misaligned) {
            targets[lane] = target(warp, context, window, address[lane], size);
            match targets[lane] {
                None => outside |= 1 << lane,
                Some((index, _)) if index < LOCAL && owner.is_some_and(|own| own != index) => {
                    strayed |= 1 << lane;
                }
                Some(_) => {}
            }
        }
        if outside != 0 {
            self.report(FindingKind::OutOfBounds, site, outside, None, || {
                let first = address[outside.trailing_zeros() as usize];
                let place = match window {
                    Window::Local => format!("offset {first} is outside the thread's local memory"),
                    Window::Const => format!("offset {first} is outside every constant"),
                    _ if first.wrapping_sub(LOCAL_WINDOW) < WINDOW_BYTES => format!(
                        "offset {} is outside the thread's local memory",
                        first - LOCAL_WINDOW
                    ),
                    _ => context.describe(window, first),
                };
                format!("`{}` of {size} bytes: {place}", kernel.word(site))
            });
        }
        if let (Some(own), true) = (owner, strayed != 0) {
            self.report(FindingKind::WrongAllocation, site, strayed, None, || {
                let first = address[strayed.trailing_zeros() as usize];
                let base = context.memory.allocation(own).base;
                format!(
                    "`{}` goes through the buffer at {base:#x}, but {first:#x} lies in another one",
                    kernel.word(site)
                )
            });
        }
        let going = mask & !misaligned & !outside;
        self.remember(warp, context, access, &targets, going);
        self.remember_local(context, access, &targets, going);
        let alone = |lane: &usize| targets[*lane].is_some_and(|(index, _)| is_private(index));
        let common = lanes(going).filter(|lane| !alone(lane)).fold(0, |all, lane| all | 1 << lane);
        self.synchronise(context, access, &targets, common);
        going
    }

    /// Remembers which local memory was written, and reports reads of what was
    /// not. Where an access is wider than what was written, as for structures
    /// with gaps, it counts as written.
    fn remember_local(
        &mut self,
        context: &BlockContext,
        access: &Access,
        targets: &[LanePlace; 32],
        mask: u32,
    ) {
        let Access { size, site, .. } = *access;
        let Some(written) = self.local.as_mut().and_then(|local| local.get_mut(self.warp)) else {
            return;
        };
        let reads = context.kernel.sites[usize::from(site)].kind == SiteKind::Load;
        let mut unwritten = 0;
        for lane in lanes(mask) {
            let Some((LOCAL, at)) = targets[lane] else { continue };
            let (first, end) = (at as usize, (at + size) as usize);
            if reads {
                let known = written.get(first..written.len().min(end)).unwrap_or_default();
                unwritten |= u32::from(known.iter().all(|all| all >> lane & 1 == 0)) << lane;
                continue;
            }
            if written.len() < end {
                written.resize(end, 0);
            }
            for all in &mut written[first..end] {
                *all |= 1 << lane;
            }
        }
        if unwritten != 0 {
            self.report(FindingKind::Uninitialised, site, unwritten, None, || {
                format!(
                    "`{}` reads local memory that its thread has not written",
                    context.kernel.word(site)
                )
            });
        }
    }

    /// Compares with the accesses before it, and joins them.
    fn remember(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        access: &Access,
        targets: &[LanePlace; 32],
        mask: u32,
    ) {
        let Access { size, site, value, .. } = *access;
        let kind = context.kernel.sites[usize::from(site)].kind;
        let (reads, writes) = (kind != SiteKind::Store, kind != SiteKind::Load);
        let stored = |lane: usize| -> Option<u64> {
            let (slot, wide) = value?;
            let all = if wide {
                warp.regs64[usize::from(slot)][lane]
            } else {
                u64::from(warp.regs32[usize::from(slot)][lane])
            };
            Some(if size >= 8 { all } else { all & ((1 << (8 * size)) - 1) })
        };
        let mut unwritten = 0_u32;
        let mut races: Vec<(u16, u32)> = Vec::new();
        let mut first: Option<(usize, Record, bool)> = None;
        for lane in lanes(mask) {
            let Some((index, offset)) = targets[lane] else { continue };
            if is_private(index) {
                continue;
            }
            let now = self.order.now(self.warp, lane, site);
            let bytes = match rank_of(index) {
                Some(rank) => shared_of(context, rank),
                None => &context.memory.allocation(index).bytes,
            };
            // Writing what is there already: whichever comes last, the result is
            // the same. A lane before this one may have just written it.
            let same = writes && !reads && {
                let before = (0..lane)
                    .rev()
                    .find(|&other| mask >> other & 1 != 0 && targets[other] == targets[lane]);
                let there = match before {
                    Some(other) => stored(other),
                    None => Some(held(bytes, offset, size)),
                };
                size <= 8 && stored(lane).is_some_and(|value| Some(value) == there)
            };
            let shadow = if let Some(rank) = rank_of(index) {
                &mut self.shared[rank]
            } else {
                // Variables of the module come behind the buffers; all hold something.
                while self.global.len() <= index {
                    let next = context.memory.get(self.global.len());
                    let bytes = next.map_or(0, |next| next.bytes.len());
                    self.global.push(Shadow::new(bytes, true));
                }
                &mut self.global[index]
            };
            for cell in shadow.cells(offset, size) {
                if reads && !cell.written {
                    unwritten |= 1 << lane;
                }
                let mut conflict = |earlier: Record| {
                    let (old, new) = (usize::from(earlier.site), usize::from(site));
                    let both = self.sites[old].synchronises && self.sites[new].synchronises;
                    // What a loop of compare-and-swap begins with may be out of date: the swap
                    // finds that, and the loop goes on with what it found.
                    let guess = |load: usize, swap: usize| {
                        context.kernel.sites[load].kind == SiteKind::Load && self.sites[swap].swaps
                    };
                    if both
                        || guess(old, new)
                        || guess(new, old)
                        || self.order.before(earlier, self.warp, lane)
                    {
                        return;
                    }
                    match races.iter_mut().find(|(other, _)| *other == earlier.site) {
                        Some((_, lanes)) => *lanes |= 1 << lane,
                        None => races.push((earlier.site, 1 << lane)),
                    }
                    first.get_or_insert((lane, earlier, rank_of(index).is_some()));
                };
                if !same {
                    conflict(cell.writer);
                    conflict(cell.atomic);
                }
                if writes {
                    cell.readers.into_iter().for_each(&mut conflict);
                    cell.written_by(now, self.sites[usize::from(site)].synchronises);
                } else {
                    cell.read_by(now);
                }
            }
        }
        if unwritten != 0 {
            self.report(FindingKind::Uninitialised, site, unwritten, None, || {
                format!("`{}` reads what nobody wrote", context.kernel.word(site))
            });
        }
        for (other, lanes) in races {
            let Some((lane, earlier, shared)) = first else { continue };
            let block = self.order.now(self.warp, lane, site).block;
            self.report(FindingKind::Race, site, lanes, Some(other), || {
                describe_race(context, site, other, lane, earlier, shared, earlier.block == block)
            });
        }
    }

    /// Whether lanes that did this wait for others: those that read, or that found the same
    /// again although they write.
    fn waits_at(&self, poll: &Poll) -> bool {
        !self.sites[usize::from(poll.site)].always_writes || poll.rounds > 1
    }

    /// Publishes and learns order, and watches who waits for whom.
    fn synchronise(
        &mut self,
        context: &BlockContext,
        access: &Access,
        targets: &[LanePlace; 32],
        mask: u32,
    ) {
        let site = access.site;
        let kind = context.kernel.sites[usize::from(site)].kind;
        let synchronises = self.sites[usize::from(site)].synchronises;
        let warp = self.warp;
        if kind != SiteKind::Load && !self.independent {
            let waited: u32 = lanes(mask)
                .filter(|&lane| {
                    let poll = targets[lane].and_then(|place| self.polls.get(&(warp, place)));
                    poll.is_some_and(|poll| poll.lanes & mask == 0 && self.waits_at(poll))
                })
                .fold(0, |all, lane| all | 1 << lane);
            if waited != 0 {
                self.report(FindingKind::Progress, site, waited, None, || {
                    "lanes of the same warp wait for this; before sm_70 they may do so forever"
                        .to_owned()
                });
            }
        }
        if !synchronises {
            return;
        }
        let learns = kind == SiteKind::Load || access.returns;
        let mut places: Vec<Place> = lanes(mask).filter_map(|lane| targets[lane]).collect();
        places.sort_unstable();
        places.dedup();
        for place in places {
            if learns {
                let held = held_at(context, place, access.size);
                self.order.learn(warp, place);
                let here = lanes(mask).filter(|&lane| targets[lane] == Some(place));
                let here = here.fold(0, |all, lane| all | 1 << lane);
                let poll = self.polls.entry((warp, place)).or_insert(Poll {
                    site,
                    lanes: 0,
                    rounds: 0,
                    held,
                });
                // A lane that waits finds what it found before: an atomic that changes the
                // place, such as a counter, gets on.
                let again = poll.site == site && poll.lanes == here && poll.held == held;
                let rounds = if again { poll.rounds + 1 } else { 1 };
                *poll = Poll { site, lanes: here, rounds, held };
            }
            if kind != SiteKind::Load {
                self.order.publish(warp, place);
            }
        }
    }
}

/// The shared memory of block `rank` of the cluster.
fn shared_of<'c>(context: &'c BlockContext, rank: usize) -> &'c Bytes {
    if rank == context.peers.rank() { &context.shared } else { context.peers.shared(rank) }
}

/// What a place in shared or global memory holds, or the first 8 bytes of it.
fn held_at(context: &BlockContext, (index, at): Place, size: u64) -> u64 {
    let bytes = match rank_of(index) {
        Some(rank) => Some(shared_of(context, rank)),
        None => context.memory.get(index).map(|allocation| &allocation.bytes),
    };
    bytes.map_or(0, |bytes| held(bytes, at, size))
}

fn describe_race(
    context: &BlockContext,
    site: u16,
    other: u16,
    lane: usize,
    earlier: Record,
    shared: bool,
    same_block: bool,
) -> String {
    let kernel = context.kernel;
    let (_, line) = kernel.place(other);
    let space = if shared { "shared" } else { "global" };
    let thread = u32::from(earlier.warp) * 32 + u32::from(earlier.lane);
    let whose = if same_block {
        format!("thread {thread} of the same block")
    } else {
        format!("thread {thread} of block number {}", earlier.block)
    };
    format!(
        "`{}` by lane {lane} and `{}` (line {line}) by {whose}, in {space} memory with nothing \
         between them that orders them",
        kernel.word(site),
        kernel.word(other),
    )
}
