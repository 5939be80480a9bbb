//! Control flow: where diverged lanes meet again.

use crate::program::NOWHERE;

/// For every basic block, its immediate post-dominator: the first block that
/// every way from it to the end goes through. [`NOWHERE`] where the ways only
/// meet after the end, or where a block never gets there.
///
/// `successors[b]` lists the blocks that `b` can go on to; none means that it
/// ends the thread. Algorithm: Cooper, Harvey and Kennedy, "A Simple, Fast
/// Dominance Algorithm" (2001), on the reversed graph with one added end.
pub(crate) fn post_dominators(successors: &[Vec<u32>]) -> Vec<u32> {
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
    // Postorder of the reversed graph from the end.
    let mut order = vec![usize::MAX; end + 1];
    let mut sequence = Vec::with_capacity(end + 1);
    let mut seen = vec![false; end + 1];
    let mut stack = vec![(end, 0)];
    seen[end] = true;
    while let Some((block, next)) = stack.pop() {
        if let Some(&before) = predecessors[block].get(next) {
            stack.push((block, next + 1));
            if !seen[before] {
                seen[before] = true;
                stack.push((before, 0));
            }
        } else {
            order[block] = sequence.len();
            sequence.push(block);
        }
    }
    let mut dominator = vec![usize::MAX; end + 1];
    dominator[end] = end;
    let meet = |dominator: &[usize], mut a: usize, mut b: usize| {
        while a != b {
            while order[a] < order[b] {
                a = dominator[a];
            }
            while order[b] < order[a] {
                b = dominator[b];
            }
        }
        a
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &block in sequence.iter().rev().filter(|&&block| block != end) {
            let ends = successors[block].is_empty().then_some(end);
            let known = successors[block].iter().map(|&next| next as usize).chain(ends);
            let found = known
                .filter(|&next| dominator[next] != usize::MAX)
                .reduce(|a, b| meet(&dominator, a, b));
            if let Some(found) = found
                && dominator[block] != found
            {
                dominator[block] = found;
                changed = true;
            }
        }
    }
    dominator[..end]
        .iter()
        .map(|&found| if found == usize::MAX || found == end { NOWHERE } else { found as u32 })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
