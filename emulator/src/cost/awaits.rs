//! Loops that go on until they read what somebody else has written.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use crate::cost::swaps::smallest_loop;
use crate::program::operands::{self, Register};
use crate::program::{Inst, Kernel, Op, Terminator, Transfer, Update, Window};

/// Per instruction: whether it reads global memory, by a load or an atomic, in a loop that only waits
/// for what it reads.
pub(crate) fn awaiting(kernel: &Kernel) -> Vec<bool> {
    let mut all = vec![false; kernel.insts.len()];
    let mut asks = Vec::new();
    for (at, block) in kernel.blocks.iter().enumerate() {
        for index in block.first as usize..block.end as usize {
            let op = kernel.insts[index].op;
            let polls = match op {
                Op::Atomic { update, .. } => update.window != Window::Shared,
                op => kernel.reads_afresh(op),
            };
            if polls && let Some(blocks) = smallest_loop(kernel, at) {
                asks.push((index, blocks));
            }
        }
    }
    for (index, blocks) in asks {
        if only_waits(kernel, &blocks, index) {
            all[index] = true;
            before(kernel, *blocks.start(), index, &mut all);
        }
    }
    all
}

/// A compiler may ask for the first time before the loop, so that who finds what it waits for skips it.
fn before(kernel: &Kernel, head: usize, asks: usize, all: &mut [bool]) {
    let place = |op: Op| match op {
        Op::Load(it) => Some((it.a, kernel.sites[usize::from(it.site)].offset)),
        _ => None,
    };
    let Some(wanted) = place(kernel.insts[asks].op) else { return };
    for block in &kernel.blocks[head.saturating_sub(BEFORE)..head] {
        let range = block.first as usize..block.end as usize;
        for (inst, waits) in kernel.insts[range.clone()].iter().zip(&mut all[range]) {
            *waits |= kernel.reads_afresh(inst.op) && place(inst.op) == Some(wanted);
        }
    }
}

/// How many basic blocks ahead of the loop it may do so.
const BEFORE: usize = 2;

/// Whether a loop stores nothing in global memory, reads the same place in each round, and goes on
/// until it reads there what it waits for.
fn only_waits(kernel: &Kernel, blocks: &RangeInclusive<usize>, asks: usize) -> bool {
    let changes = |(index, inst): (usize, &Inst)| match inst.op {
        Op::Store(it) => !matches!(it.window, Window::Shared | Window::Local | Window::Param),
        Op::Atomic { update, .. } => index != asks && update.window != Window::Shared,
        Op::Reduce(update) => update.window != Window::Shared,
        Op::Bulk { .. } | Op::Tensor { .. } => true,
        _ => false,
    };
    let address = match kernel.insts[asks].op {
        Op::Load(it) => it.a,
        Op::Atomic { update, .. } => update.a,
        _ => return false,
    };
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    operands::find(kernel, kernel.insts[asks], &mut reads, &mut writes);
    let read = writes.iter().copied().collect();
    !insts(kernel, blocks).any(changes)
        && fixed(kernel, blocks, Register::Double(address))
        && leaves_by(kernel, blocks, read)
}

/// The instructions of a loop, by index.
fn insts<'k>(
    kernel: &'k Kernel,
    blocks: &RangeInclusive<usize>,
) -> impl Iterator<Item = (usize, &'k Inst)> {
    kernel.blocks[blocks.clone()].iter().flat_map(|block| {
        let range = block.first as usize..block.end as usize;
        range.clone().zip(&kernel.insts[range])
    })
}

/// Whether a register has the same value in each round of a loop: it is not written there, or once, from
/// others of which that holds.
fn fixed(kernel: &Kernel, blocks: &RangeInclusive<usize>, register: Register) -> bool {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut left: HashMap<Register, u32> = HashMap::new();
    for (_, inst) in insts(kernel, blocks) {
        operands::find(kernel, *inst, &mut reads, &mut writes);
        for &written in &writes {
            *left.entry(written).or_default() += 1;
        }
    }
    for (_, inst) in insts(kernel, blocks) {
        operands::find(kernel, *inst, &mut reads, &mut writes);
        let asks = match inst.op {
            Op::Load(it) => !matches!(it.window, Window::Param | Window::Const),
            Op::Atomic { .. } | Op::Collective { .. } | Op::Clock { .. } | Op::Service { .. } => {
                true
            }
            _ => false,
        };
        if !asks && reads.iter().all(|it| !left.contains_key(it)) {
            for written in &writes {
                if left.get(written) == Some(&1) {
                    left.remove(written);
                }
            }
        }
    }
    !left.contains_key(&register)
}

/// Per site: whether it asks for what some other block writes, in a loop that goes on until it reads that.
pub(crate) fn asking(kernel: &Kernel) -> Vec<bool> {
    let mut sites = vec![false; kernel.sites.len()];
    let waits = awaiting(kernel);
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (at, block) in kernel.blocks.iter().enumerate() {
        let range = block.first as usize..block.end as usize;
        for (inst, waits) in kernel.insts[range.clone()].iter().zip(&waits[range]) {
            let (Op::Load(Transfer { site, .. }) | Op::Atomic { update: Update { site, .. }, .. }) =
                inst.op
            else {
                continue;
            };
            let mut leaves = || {
                operands::find(kernel, *inst, &mut reads, &mut writes);
                smallest_loop(kernel, at)
                    .is_some_and(|it| leaves_by(kernel, &it, writes.iter().copied().collect()))
            };
            sites[usize::from(site)] |= *waits || kernel.reads_afresh(inst.op) && leaves();
        }
    }
    sites
}

/// Whether a loop goes on until it reads from global memory what some other block has written.
pub(crate) fn awaits_others(kernel: &Kernel) -> bool {
    awaits(kernel, |op| kernel.reads_afresh(op))
}

/// Whether one goes on until it reads from shared memory what some other warp has written.
pub(crate) fn awaits_warps(kernel: &Kernel) -> bool {
    awaits(kernel, |op| match op {
        Op::Load(it) => it.window == Window::Shared && kernel.asks_afresh(it.site),
        _ => false,
    })
}

/// Whether it hangs on what such loads give, when a loop is left.
fn awaits(kernel: &Kernel, is_load: impl Fn(Op) -> bool) -> bool {
    let mut loops: HashMap<RangeInclusive<usize>, HashSet<Register>> = HashMap::new();
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for (at, block) in kernel.blocks.iter().enumerate() {
        for inst in &kernel.insts[block.first as usize..block.end as usize] {
            if is_load(inst.op)
                && let Some(blocks) = smallest_loop(kernel, at)
            {
                operands::find(kernel, *inst, &mut reads, &mut writes);
                loops.entry(blocks).or_default().extend(&writes);
            }
        }
    }
    loops.into_iter().any(|(blocks, read)| leaves_by(kernel, &blocks, read))
}

/// Whether it hangs on some registers, when a loop is left.
fn leaves_by(
    kernel: &Kernel,
    blocks: &RangeInclusive<usize>,
    mut hanging: HashSet<Register>,
) -> bool {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let mut users: HashMap<Register, Vec<Register>> = HashMap::new();
    for block in &kernel.blocks[blocks.clone()] {
        for inst in &kernel.insts[block.first as usize..block.end as usize] {
            operands::find(kernel, *inst, &mut reads, &mut writes);
            for &register in &reads {
                users.entry(register).or_default().extend(&writes);
            }
        }
    }
    let mut new: Vec<Register> = hanging.iter().copied().collect();
    while let Some(register) = new.pop() {
        let users = users.remove(&register).unwrap_or_default();
        new.extend(users.into_iter().filter(|it| hanging.insert(*it)));
    }
    kernel.blocks[blocks.clone()].iter().any(|block| match block.terminator {
        Terminator::Branch { p, taken, other, .. } => {
            let inside = |to: u32| blocks.contains(&(to as usize));
            hanging.contains(&Register::Pred(p)) && !(inside(taken) && inside(other))
        }
        _ => false,
    })
}
