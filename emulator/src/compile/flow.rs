//! Control flow: where diverged lanes meet again.

use crate::program::NOWHERE;

/// For every basic block, its immediate post-dominator: the first block that
/// every way from it to the end goes through. [`NOWHERE`] where the ways only
/// meet after the end, or where a block never gets there.
///
/// `successors[b]` lists the blocks that `b` can go on to; none means that it
/// ends the thread. Algorithm: Lengauer and Tarjan, "A Fast Algorithm for Finding
/// Dominators in a Flowgraph" (1979), the simple version, on the reversed graph with
/// one added end. Its steps grow with `m log n`, also for deeply nested loops.
pub(crate) fn post_dominators(successors: &[Vec<u32>]) -> Vec<u32> {
    let end = successors.len();
    let tree = Tree::from_end(successors);
    let count = tree.blocks.len();
    // From here on, blocks are named by their number in the tree.
    let mut semi: Vec<usize> = (0..count).collect();
    let mut dominator = vec![0; count];
    let mut bucket: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut forest = Forest { ancestor: vec![NONE; count], least: (0..count).collect() };
    for block in (1..count).rev() {
        let next = successors[tree.blocks[block]].iter().map(|&next| next as usize);
        let ends = successors[tree.blocks[block]].is_empty().then_some(end);
        for next in next.chain(ends).map(|next| tree.number[next]).filter(|&it| it != NONE) {
            semi[block] = semi[block].min(semi[forest.least(next, &semi)]);
        }
        bucket[semi[block]].push(block);
        let parent = tree.parent[block];
        forest.ancestor[block] = parent;
        for other in std::mem::take(&mut bucket[parent]) {
            let least = forest.least(other, &semi);
            dominator[other] = if semi[least] < semi[other] { least } else { parent };
        }
    }
    let mut found = vec![NOWHERE; end];
    for block in 1..count {
        if dominator[block] != semi[block] {
            dominator[block] = dominator[dominator[block]];
        }
        if dominator[block] != 0 {
            found[tree.blocks[block]] = tree.blocks[dominator[block]] as u32;
        }
    }
    found
}

/// No block.
const NONE: usize = usize::MAX;

/// The blocks that get to the end, numbered in the order of a depth-first walk from the end
/// backwards.
struct Tree {
    /// Number of each block; [`NONE`] if it never ends.
    number: Vec<usize>,
    /// Block of each number; the added end is number 0.
    blocks: Vec<usize>,
    /// By number: the number of the block that the walk came from.
    parent: Vec<usize>,
}

impl Tree {
    fn from_end(successors: &[Vec<u32>]) -> Self {
        let end = successors.len();
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); end + 1];
        for (block, next) in successors.iter().enumerate() {
            if next.is_empty() {
                predecessors[end].push(block);
            }
            for &successor in next {
                predecessors[successor as usize].push(block);
            }
        }
        let mut tree = Self { number: vec![NONE; end + 1], blocks: Vec::new(), parent: Vec::new() };
        tree.visit(end, 0);
        let mut stack = vec![(end, 0)];
        while let Some((block, next)) = stack.pop() {
            if let Some(&before) = predecessors[block].get(next) {
                stack.push((block, next + 1));
                if tree.number[before] == NONE {
                    tree.visit(before, tree.number[block]);
                    stack.push((before, 0));
                }
            }
        }
        tree
    }

    fn visit(&mut self, block: usize, parent: usize) {
        self.number[block] = self.blocks.len();
        self.blocks.push(block);
        self.parent.push(parent);
    }
}

/// Parts of the tree that are done, with shortened ways to their roots.
struct Forest {
    /// Towards the root; [`NONE`] at a root.
    ancestor: Vec<usize>,
    /// The block with the least semidominator on the way that was cut short.
    least: Vec<usize>,
}

impl Forest {
    /// The block with the least semidominator on the way from `block` to its root, without
    /// the root.
    fn least(&mut self, block: usize, semi: &[usize]) -> usize {
        let up = |ancestor: &[usize], at: usize| ancestor.get(ancestor[at]).copied();
        let (mut way, mut at) = (Vec::new(), block);
        while up(&self.ancestor, at).is_some_and(|above| above != NONE) {
            way.push(at);
            at = self.ancestor[at];
        }
        while let Some(at) = way.pop() {
            let above = self.ancestor[at];
            if semi[self.least[above]] < semi[self.least[at]] {
                self.least[at] = self.least[above];
            }
            self.ancestor[at] = self.ancestor[above];
        }
        self.least[block]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Nested loops, the deepest first to end: ways between blocks that meet are long.
    #[test]
    fn deeply_nested_loops_are_found_in_few_steps() {
        let depth: u32 = 100_000;
        let heads = (0..depth).map(|head| vec![head + 1]);
        let tails = (0..depth).map(|tail| vec![depth - 1 - tail, depth + tail + 1]);
        let successors: Vec<Vec<u32>> = heads.chain(tails).chain([vec![]]).collect();
        let expected: Vec<u32> = (1..=2 * depth).chain([NOWHERE]).collect();
        assert_eq!(post_dominators(&successors), expected);
    }

    /// The definition: block `other` is on every way from `block` to an end.
    fn is_on_every_way(successors: &[Vec<u32>], block: usize, other: usize) -> bool {
        let mut seen = vec![false; successors.len()];
        let mut stack = vec![block];
        while let Some(at) = stack.pop() {
            if at == other || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if successors[at].is_empty() {
                return false;
            }
            stack.extend(successors[at].iter().map(|&next| next as usize));
        }
        true
    }

    proptest! {
        #[test]
        fn it_is_the_first_block_on_every_way(
            successors in (1_usize..9).prop_flat_map(|count| {
                let next = proptest::collection::vec(0..count as u32, 0..3);
                proptest::collection::vec(next, count)
            })
        ) {
            let all = successors.len();
            for (block, &found) in post_dominators(&successors).iter().enumerate() {
                // A block that never ends meets nobody.
                let ends = !is_on_every_way(&successors, block, usize::MAX);
                let on_way: Vec<usize> = (0..all)
                    .filter(|&other| other != block && is_on_every_way(&successors, block, other))
                    .collect();
                let first = on_way.iter().copied().find(|&one| {
                    on_way.iter().all(|&other| {
                        other == one || is_on_every_way(&successors, one, other)
                    })
                });
                let expected = first.filter(|_| ends).map_or(NOWHERE, |first| first as u32);
                prop_assert_eq!(found, expected, "block {} of {:?}", block, successors);
            }
        }
    }

    #[test]
    fn an_if_meets_after_both_arms() {
        // 0 -> 1, 2; 1 -> 3; 2 -> 3; 3 ends.
        assert_eq!(post_dominators(&[vec![1, 2], vec![3], vec![3], vec![]]), [3, 3, 3, NOWHERE]);
    }

    #[test]
    fn a_loop_meets_at_its_exit() {
        // 0 -> 1, 3; 1 -> 2; 2 -> 1, 3; 3 ends.
        assert_eq!(post_dominators(&[vec![1, 3], vec![2], vec![1, 3], vec![]]), [3, 2, 3, NOWHERE]);
    }

    #[test]
    fn two_ends_never_meet() {
        assert_eq!(post_dominators(&[vec![1, 2], vec![], vec![]]), [NOWHERE; 3]);
    }

    #[test]
    fn an_endless_loop_is_survived() {
        // 0 -> 1, 2; 1 -> 1; 2 ends.
        assert_eq!(post_dominators(&[vec![1, 2], vec![1], vec![]]), [2, NOWHERE, NOWHERE]);
    }
}
