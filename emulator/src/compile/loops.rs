//! The loops of a control-flow graph.

use std::collections::BTreeSet;

/// No loop.
pub(crate) const NO_LOOP: usize = usize::MAX;

/// Natural loops, the inner before the outer.
#[derive(Default)]
pub(crate) struct Loops {
    headers: Vec<u32>,
    /// The loop around each.
    parents: Vec<usize>,
    /// The blocks of each, those of inner loops too, sorted.
    members: Vec<Vec<u32>>,
    /// For each, the blocks that end a round of another loop inside it with the same header.
    inside: Vec<Vec<u32>>,
}

impl Loops {
    /// The loops of blocks with these `successors`, from block 0. Gives none where their blocks
    /// are more than `most` together, an inner loop's counted again for every loop around it.
    pub(crate) fn find(successors: &[Vec<u32>], most: usize) -> Self {
        let count = successors.len();
        let (order, back) = walk(successors);
        let mut before = vec![Vec::new(); count];
        for (block, next) in successors.iter().enumerate() {
            for &next in next {
                before[next as usize].push(block as u32);
            }
        }
        let mut found = Self::default();
        let mut left = most;
        // The loop around each block that was found last.
        let mut outer = vec![NO_LOOP; count];
        // Blocks are done after all that they lead to: inner headers come first.
        for &header in order.iter().filter(|&&block| !back[block as usize].is_empty()) {
            let latches = &back[header as usize];
            let mut loops = Vec::with_capacity(latches.len());
            for latch in latches {
                match natural(&before, header, &[*latch], &mut left) {
                    Some(members) => loops.push((members, *latch)),
                    None => return Self::default(),
                }
            }
            // If each loop lies inside the next, they are nested loops with one header. Otherwise it
            // is one loop, whose rounds end in several places.
            loops.sort_by_key(|(members, _)| members.len());
            let nested = loops.windows(2).all(|pair| {
                let ((inner, _), (outer, latch)) = (&pair[0], &pair[1]);
                inner.is_subset(outer) && !inner.contains(latch)
            });
            if !nested {
                match natural(&before, header, latches, &mut left) {
                    Some(members) => loops = vec![(members, header)],
                    None => return Self::default(),
                }
            }
            let mut inside = Vec::new();
            for (members, latch) in loops {
                let index = found.headers.len();
                found.parents.push(NO_LOOP);
                for &block in &members {
                    let mut top = std::mem::replace(&mut outer[block as usize], index);
                    if top == NO_LOOP {
                        continue;
                    }
                    while found.parents[top] != NO_LOOP {
                        top = found.parents[top];
                    }
                    if top != index {
                        found.parents[top] = index;
                    }
                }
                found.headers.push(header);
                found.members.push(members.into_iter().collect());
                found.inside.push(inside.clone());
                inside.push(latch);
            }
        }
        found
    }

    pub(crate) fn count(&self) -> usize {
        self.headers.len()
    }

    pub(crate) fn header(&self, index: usize) -> u32 {
        self.headers[index]
    }

    /// The loop around loop `index`, or [`NO_LOOP`].
    pub(crate) fn parent(&self, index: usize) -> usize {
        self.parents[index]
    }

    /// The blocks that end a round of a loop inside loop `index` with the same header.
    pub(crate) fn inside(&self, index: usize) -> &[u32] {
        &self.inside[index]
    }

    /// The blocks of loop `index`, sorted.
    pub(crate) fn members(&self, index: usize) -> &[u32] {
        &self.members[index]
    }
}

/// The blocks that lead to one of `latches` without passing `header`, and the header. None once
/// nothing is `left` of the blocks that may be looked at.
fn natural(
    before: &[Vec<u32>],
    header: u32,
    latches: &[u32],
    left: &mut usize,
) -> Option<BTreeSet<u32>> {
    let mut members = BTreeSet::from([header]);
    let mut stack = latches.to_vec();
    while let Some(block) = stack.pop() {
        if members.insert(block) {
            *left = left.checked_sub(1 + before[block as usize].len())?;
            stack.extend(&before[block as usize]);
        }
    }
    Some(members)
}

/// A depth-first walk from block 0: the blocks in the order in which it is done with them, and
/// for each block the blocks that jump back to it.
fn walk(successors: &[Vec<u32>]) -> (Vec<u32>, Vec<Vec<u32>>) {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; successors.len()];
    let mut back = vec![Vec::new(); successors.len()];
    let mut order = Vec::new();
    let mut stack = vec![(0_u32, 0)];
    if let Some(first) = state.first_mut() {
        *first = State::Open;
    } else {
        stack.clear();
    }
    while let Some((block, index)) = stack.pop() {
        let Some(&next) = successors[block as usize].get(index) else {
            state[block as usize] = State::Done;
            order.push(block);
            continue;
        };
        stack.push((block, index + 1));
        match state[next as usize] {
            State::New => {
                state[next as usize] = State::Open;
                stack.push((next, 0));
            }
            State::Open => back[next as usize].push(block),
            State::Done => {}
        }
    }
    (order, back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_loops_are_found_from_inside_out() {
        // 1 { 2 { 3 } 4 } 5
        let next: Vec<Vec<u32>> = vec![vec![1], vec![2], vec![3], vec![2, 4], vec![1, 5], vec![]];
        let loops = Loops::find(&next, 100);
        assert_eq!(loops.count(), 2);
        assert_eq!((loops.members(0), loops.parent(0)), (&[2, 3][..], 1));
        assert_eq!((loops.members(1), loops.parent(1)), (&[1, 2, 3, 4][..], NO_LOOP));
        assert_eq!(Loops::find(&next, 3).count(), 0, "more than asked for");
    }
}
