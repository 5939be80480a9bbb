//! Compare-and-swap on global memory: what a launch does with it, as far as its code tells.
//!
//! The emulator runs one block after the other, so that few swaps fail. On a GPU, threads of
//! many blocks meet at a word, and those that fail try again. How many threads come to such a
//! loop is counted here; how often they fail there is the timing model's to say.

use std::collections::HashSet;
use std::ops::RangeInclusive;

use crate::machine::Tallies;
use crate::program::operands::{self, Register};
use crate::program::{Cell, Kernel, Op, Rmw, Terminator, Update, Window};

/// Compare-and-swaps on global memory, by lane.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swaps {
    /// All of them.
    pub all: u64,
    /// Lanes that come to a loop which computes a new value for a word until it is swapped in.
    pub updates: u64,
    /// Compare-and-swaps in such loops.
    pub tries: u64,
    /// Lanes that come to a loop which waits until a word has a fixed value: a lock.
    pub locks: u64,
    /// How many words blocks share there, taken as spread evenly over them; 0 where the followed
    /// blocks do not tell.
    pub words: u64,
}

/// The share of a request's float sums that go to the same sector as the sum before them: 1 if the
/// request has one sector, 0 from three sectors on, since its passes take the sectors in turn
/// (`benches/data/h200/sums.csv`).
pub fn sums_meet(sectors: f64) -> f64 {
    ((3.0 - sectors) / 2.0).clamp(0.0, 1.0)
}

/// Passes of global sums of floats: all, and those in which a request adds to a word that it
/// added to just before.
pub(crate) fn float_sums(kernel: &Kernel, tallies: &Tallies) -> (u64, u64) {
    let sums = kernel.insts.iter().filter_map(|inst| match inst.op {
        Op::Atomic { update, .. } | Op::Reduce(update) => {
            Some(update).filter(|it| adds_floats(it.f))
        }
        _ => None,
    });
    sums.fold((0, 0), |(all, repeated), update| {
        let tally = tallies.sites[usize::from(update.site)];
        let again = tally.passes.saturating_sub(tally.sectors) as f64;
        let each = tally.sectors as f64 / tally.global.max(1) as f64;
        let part = if update.cell == Cell::B64 { 1.0 } else { sums_meet(each) };
        (all + tally.passes, repeated + (again * part) as u64)
    })
}

/// Whether it adds floats.
fn adds_floats(f: Rmw) -> bool {
    matches!(f, Rmw::AddFloat | Rmw::AddFlushed | Rmw::AddF16 | Rmw::AddBf16)
}

/// What a lane does if its swap fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Retry {
    /// Goes on, perhaps at another word.
    Never,
    /// Tries the same word with the value that it found.
    Update,
    /// Tries the same word with the same value.
    Lock,
}

/// The compare-and-swaps of a launch that counted `tallies`.
pub(crate) fn of(kernel: &Kernel, tallies: &Tallies) -> Swaps {
    let mut swaps = Swaps::default();
    let mut locked: Vec<RangeInclusive<usize>> = Vec::new();
    for (at, block) in kernel.blocks.iter().enumerate() {
        for inst in &kernel.insts[block.first as usize..block.end as usize] {
            let (Op::Atomic { update, .. } | Op::Reduce(update)) = inst.op else { continue };
            if update.window == Window::Shared {
                continue;
            }
            let lanes = tallies.sites[usize::from(update.site)].global_lanes;
            if update.f == Rmw::Exchange && matches!(inst.op, Op::Atomic { .. }) {
                // A lock that is taken by an exchange is also released by one in its loop.
                if let Some(blocks) = smallest_loop(kernel, at).filter(|_| lanes > 0)
                    && retry(kernel, &blocks, update) == Retry::Lock
                    && !locked.contains(&blocks)
                {
                    swaps.all += lanes;
                    swaps.locks += entering(kernel, tallies, &blocks);
                    locked.push(blocks);
                }
                continue;
            }
            // One that takes a bit of a word tells by what it gives back who was first.
            let swap = update.f == Rmw::CompareExchange;
            let bit =
                matches!(update.f, Rmw::Or | Rmw::And) && matches!(inst.op, Op::Atomic { .. });
            if !swap && !bit {
                continue;
            }
            let way = smallest_loop(kernel, at).filter(|_| lanes > 0);
            let way = way.map(|blocks| (retry(kernel, &blocks, update), blocks));
            if swap || way.as_ref().is_some_and(|(retry, _)| *retry != Retry::Never) {
                swaps.all += lanes;
            }
            let Some((retry, blocks)) = way else { continue };
            match retry {
                Retry::Never => {}
                Retry::Update => {
                    swaps.updates += entering(kernel, tallies, &blocks);
                    swaps.tries += lanes;
                }
                Retry::Lock => swaps.locks += entering(kernel, tallies, &blocks),
            }
        }
    }
    swaps
}

/// Tries of every warp in a turn at a lock in shared memory: it is taken and released.
pub(crate) const LOCK: u8 = 2;

/// Per site: tries of every warp in a turn at a word of shared memory which a loop there swaps until it
/// succeeds, 0 of other sites.
pub(crate) fn shared_turns(kernel: &Kernel) -> Vec<u8> {
    let mut turns = vec![0; kernel.sites.len()];
    for (at, block) in kernel.blocks.iter().enumerate() {
        for inst in &kernel.insts[block.first as usize..block.end as usize] {
            if let Op::Atomic { update, .. } = inst.op
                && update.window == Window::Shared
                && matches!(update.f, Rmw::CompareExchange | Rmw::Exchange)
                && matches!(update.cell, Cell::B32 | Cell::B64)
                && let Some(blocks) = smallest_loop(kernel, at)
            {
                let retry = retry(kernel, &blocks, update);
                turns[usize::from(update.site)] = match (retry, update.f) {
                    (Retry::Lock, _) => LOCK,
                    (Retry::Update, Rmw::CompareExchange) => 1,
                    _ => 0,
                };
            }
        }
    }
    turns
}

/// Where a block may go on, within its function.
fn targets(terminator: Terminator) -> [Option<u32>; 2] {
    match terminator {
        Terminator::Jump(to) => [Some(to), None],
        Terminator::Branch { taken, other, .. } => [Some(taken), Some(other)],
        _ => [None, None],
    }
}

/// The blocks of the smallest loop around block `at`, by the order of the text.
pub(super) fn smallest_loop(kernel: &Kernel, at: usize) -> Option<RangeInclusive<usize>> {
    let back = |(from, block): (usize, &crate::program::Block)| {
        let heads = targets(block.terminator).into_iter().flatten().map(|to| to as usize);
        heads.filter(|&to| to <= at && at <= from).max().map(|to| to..=from)
    };
    let loops = kernel.blocks.iter().enumerate().skip(at).filter_map(back);
    loops.min_by_key(|blocks| blocks.end() - blocks.start())
}

/// What lanes do in the loop `blocks` if `update` fails.
fn retry(kernel: &Kernel, blocks: &RangeInclusive<usize>, update: Update) -> Retry {
    let register = |wide, slot| if wide { Register::Double(slot) } else { Register::Word(slot) };
    let insts: Vec<_> = kernel.blocks[blocks.clone()]
        .iter()
        .flat_map(|block| &kernel.insts[block.first as usize..block.end as usize])
        .collect();
    // Addresses of shared memory are words, made longer where they are used.
    let address = insts.iter().find_map(|inst| match inst.op {
        Op::Widen { d, a, .. } if d == update.a => Some(Register::Word(a)),
        _ => None,
    });
    let address = address.unwrap_or(Register::Double(update.a));
    let compared = register(update.cell == Cell::B64, update.b);
    // What is there before the block starts, such as the place of a variable, and copies of it.
    let mut fixed: HashSet<Register> =
        kernel.fills.iter().map(|fill| register(fill.wide, fill.slot)).collect();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let (mut moves, mut changes) = (false, false);
    for inst in insts {
        operands::find(kernel, *inst, &mut reads, &mut writes);
        let copies = matches!(
            inst.op,
            Op::Move32 { .. } | Op::Move64 { .. } | Op::Truncate { .. } | Op::Widen { .. }
        );
        if copies && reads.iter().all(|it| fixed.contains(it)) {
            fixed.extend(&writes);
            continue;
        }
        moves |= writes.contains(&address);
        changes |= writes.contains(&compared);
    }
    match (moves, changes) {
        (true, _) => Retry::Never,
        (_, true) => Retry::Update,
        _ => Retry::Lock,
    }
}

/// Lanes that come to a loop from before it.
fn entering(kernel: &Kernel, tallies: &Tallies, blocks: &RangeInclusive<usize>) -> u64 {
    let head = *blocks.start();
    let before = kernel.blocks[..head].iter().zip(&tallies.entries);
    let comes = |terminator| targets(terminator).contains(&Some(head as u32));
    let lanes = before.filter(|(block, _)| comes(block.terminator)).map(|(_, (_, lanes))| lanes);
    lanes.sum::<u64>().min(tallies.entries[head].1)
}
