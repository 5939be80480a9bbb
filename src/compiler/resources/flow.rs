//! How a function's machine code goes from block to block.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::{Block, Instruction};

/// Calls of the slow ways of quotients and roots.
const SLOW: [&str; 3] = ["slowpath", "mediumpath", "rn_f64_full"];

/// The labels that an instruction names.
fn targets(instruction: &Instruction) -> impl Iterator<Item = &str> {
    let inside = instruction.operands.split('(').skip(1);
    inside.filter_map(|rest| rest.split(')').next()).filter(|name| name.starts_with(".L_x_"))
}

/// Whether each block hardly runs: it calls the slow way of a quotient or root, it is for a
/// shuffle that not all lanes take part in (`BRA.DIV` leads there), or it is the branch to itself
/// that ends each function.
pub(super) fn rare(blocks: &[Block]) -> Vec<bool> {
    let all = blocks.iter().flat_map(|block| &block.instructions);
    let apart: BTreeSet<&str> =
        all.filter(|it| it.mnemonic == "BRA.DIV").flat_map(targets).collect();
    let mut inside = false;
    let is_rare = |block: &Block| {
        inside |= block.labels.iter().any(|label| apart.contains(label.as_str()));
        let slow = |it: &Instruction| {
            it.is(&["CALL"]) && SLOW.iter().any(|name| it.operands.contains(name))
        };
        let to_itself = block.instructions.len() == 1 && block.loops();
        let rare = inside || to_itself || block.instructions.iter().any(slow);
        inside &= !block.instructions.last().is_some_and(leaves);
        rare
    };
    blocks.iter().map(is_rare).collect()
}

/// Whether nothing goes on behind an instruction.
fn leaves(last: &Instruction) -> bool {
    !last.guarded && ["BRA", "EXIT"].contains(&last.mnemonic.as_str())
}

/// How many loops each basic block is in. A branch back ends a loop if there is no way to it but
/// through where it leads; else it comes from code that was moved out of the way.
pub(super) fn nested(blocks: &[Block]) -> Vec<usize> {
    let labels: BTreeMap<&str, usize> = (0..)
        .zip(blocks)
        .flat_map(|(number, block)| block.labels.iter().map(move |label| (label.as_str(), number)))
        .collect();
    let (mut to, mut from) = (Vec::new(), vec![Vec::new(); blocks.len()]);
    for (number, block) in blocks.iter().enumerate() {
        let last = block.instructions.last();
        let named = last.into_iter().flat_map(targets).filter_map(|name| labels.get(name).copied());
        let mut leads: Vec<usize> = named.collect();
        let ends = last.is_some_and(|last| leaves(last) || last.is(&["RET"]) && !last.guarded);
        if !ends && number + 1 < blocks.len() {
            leads.push(number + 1);
        }
        for &other in &leads {
            from[other].push(number);
        }
        to.push(leads);
    }
    let mut bodies: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (number, leads) in to.iter().enumerate() {
        for &first in leads.iter().filter(|first| **first <= number) {
            if !reach(0, &to, first).contains(&number) {
                let body = bodies.entry(first).or_insert_with(|| [first].into());
                body.extend(reach(number, &from, first));
            }
        }
    }
    (0..blocks.len())
        .map(|number| bodies.values().filter(|body| body.contains(&number)).count())
        .collect()
}

/// The blocks that `edges` lead to from `first`, itself too, not through `without`.
fn reach(first: usize, edges: &[Vec<usize>], without: usize) -> BTreeSet<usize> {
    let (mut found, mut left) = (BTreeSet::new(), vec![first]);
    while let Some(at) = left.pop() {
        if at != without && found.insert(at) {
            left.extend(&edges[at]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block with a label and what it ends with.
    fn block(label: &str, end: (&str, &str, bool)) -> Block {
        let (mnemonic, operands, guarded) = (end.0.to_owned(), end.1.to_owned(), end.2);
        let first = Instruction { mnemonic: "FADD".to_owned(), ..Instruction::default() };
        let last = Instruction { guarded, mnemonic, operands, ..Instruction::default() };
        Block { labels: vec![label.to_owned()], instructions: vec![first, last] }
    }

    #[test]
    fn a_jump_back_from_code_apart_is_no_loop() {
        let blocks = [
            block(".L_x_0", ("BRA", "`(.L_x_4)", true)),
            block(".L_x_1", ("BRA", "`(.L_x_1)", true)),
            block(".L_x_2", ("BRA", "`(.L_x_1)", true)),
            block(".L_x_3", ("EXIT", "", false)),
            block(".L_x_4", ("BRA", "`(.L_x_3)", false)),
        ];
        assert_eq!(nested(&blocks), [0, 1, 1, 0, 0]);
        assert_eq!(rare(&blocks), [false; 5]);
    }

    #[test]
    fn what_only_some_lanes_need_is_rare() {
        let blocks = [
            block(".L_x_0", ("BRA.DIV", "UR4, `(.L_x_2)", false)),
            block(".L_x_1", ("EXIT", "", false)),
            block(".L_x_2", ("WARPSYNC.COLLECTIVE", "R1, `(.L_x_3)", false)),
            block(".L_x_3", ("BRA", "`(.L_x_1)", false)),
            block(".L_x_4", ("CALL.REL.NOINC", "`($__cuda_sm20_div_rn_f64_full)", false)),
        ];
        assert_eq!(rare(&blocks), [false, false, true, true, true]);
    }
}
