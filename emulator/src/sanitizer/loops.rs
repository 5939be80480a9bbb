//! Loops in which lanes may wait for others: those that read a place again and
//! again in a way that synchronises.

use crate::program::{Kernel, Op, Terminator};

/// Per basic block: whether it lies in a loop that holds an op for which
/// `polls` is true, or leads straight into one.
pub(crate) fn waiting(kernel: &Kernel, polls: impl Fn(Op) -> bool) -> Vec<bool> {
    let holds: Vec<bool> = kernel
        .blocks
        .iter()
        .map(|block| {
            let ops = &kernel.insts[block.first as usize..block.end as usize];
            ops.iter().any(|inst| polls(inst.op))
        })
        .collect();
    // A backward jump closes a loop over the blocks in between, as compilers
    // lay loops out.
    let mut waits = vec![false; kernel.blocks.len()];
    for (at, block) in kernel.blocks.iter().enumerate() {
        for to in successors(block.terminator) {
            if let Some(inside) = waits.get_mut(to as usize..=at)
                && holds[to as usize..=at].contains(&true)
            {
                inside.fill(true);
            }
        }
    }
    // Ways without a choice lead there as well.
    for at in (0..waits.len()).rev() {
        if let Terminator::Jump(to) = kernel.blocks[at].terminator
            && waits.get(to as usize) == Some(&true)
        {
            waits[at] = true;
        }
    }
    waits
}

fn successors(terminator: Terminator) -> Vec<u32> {
    match terminator {
        Terminator::Jump(to) => vec![to],
        Terminator::Branch { taken, other, .. } => vec![taken, other],
        _ => Vec::new(),
    }
}
