//! The basic blocks of PTX, and which of them machine code has as one.

use std::collections::{BTreeMap, BTreeSet};

use super::loads::{instruction, label};

/// PTX instructions that machine code has one to one: arithmetic on 32 bits or on doubles. Those on
/// 64 bits up to [`HALVES`] take two, one for each half.
const SIMPLE: [&str; 14] = [
    "setp", "selp", "add", "sub", "and", "or", "xor", "not", "mul", "fma", "min", "max", "shl",
    "shr",
];
const HALVES: usize = 8;

/// A branch: its line, whether it has a guard, its function and the label that it leads to.
struct Branch {
    line: u32,
    guarded: bool,
    target: (u32, String),
}

/// Which basic blocks machine code has as one.
pub(super) struct Together {
    /// To the block that each runs as often as.
    pub(super) often: BTreeMap<u32, u32>,
    /// To the block that each has as many copies as.
    pub(super) copies: BTreeMap<u32, u32>,
    /// By their blocks: lines of the branches that machine code does without.
    pub(super) gone: BTreeMap<u32, u32>,
}

/// The basic blocks of PTX.
#[derive(Default)]
pub(super) struct Blocks {
    /// Per line of an instruction: the line that its basic block is known by, its first
    /// instruction without a guard.
    pub(super) of: BTreeMap<u32, u32>,
    /// Lines of arithmetic on 32 bits or on doubles.
    pub(super) simple: BTreeSet<u32>,
    /// Lines of arithmetic on 64 bits that takes two instructions.
    pub(super) halves: BTreeSet<u32>,
    /// Lines of sums and products of floats.
    pub(super) floats: BTreeSet<u32>,
    /// Lines of atomics.
    pub(super) atomics: BTreeSet<u32>,
    /// Lines of instructions on matrices, which machine code has several of.
    pub(super) matrices: BTreeSet<u32>,
    /// Lines of loads from shared and constant memory.
    pub(super) shared: BTreeSet<u32>,
    /// Basic blocks that end with a branch to their own start.
    pub(super) own_loops: BTreeSet<u32>,
    /// Basic blocks in loops.
    pub(super) inside: BTreeSet<u32>,
    /// Basic blocks by function and label.
    labels: BTreeMap<(u32, String), u32>,
    /// The branches that basic blocks end with.
    ends: BTreeMap<u32, Branch>,
    /// Lines of the block so far, and whether they have a guard.
    open: Vec<(u32, bool)>,
}

impl Blocks {
    pub(super) fn of(ptx: &str) -> Self {
        let mut blocks = Self::default();
        let (mut function, mut waiting) = (0, Vec::new());
        for (at, line) in (1..).zip(ptx.split('\n')) {
            let text = line.split("//").next().unwrap_or_default().trim();
            let begins = text.contains(".entry") || text.contains(".func");
            if begins || label(text).is_some() {
                blocks.close(&mut waiting);
                if begins {
                    function += 1;
                    waiting.clear();
                }
                waiting.extend(label(text).map(|name| (function, name.to_owned())));
            } else if let Some((guard, word, operands)) = instruction(text)
                && text.ends_with(';')
            {
                blocks.open.push((at, guard.is_some()));
                if guard.is_none()
                    && ["ld.shared.", "ld.const."].iter().any(|start| word.starts_with(start))
                {
                    blocks.shared.insert(at);
                }
                blocks.arithmetic(at, word);
                let first = word.split('.').next().unwrap_or_default();
                if ["bra", "brx", "ret", "exit"].contains(&first) {
                    let start = blocks.close(&mut waiting);
                    if first == "bra" {
                        let target = (function, operands.to_owned());
                        blocks.branch(start, Branch { line: at, guarded: guard.is_some(), target });
                    }
                }
            }
        }
        blocks.close(&mut waiting);
        blocks
    }

    /// What kind of arithmetic an instruction is.
    fn arithmetic(&mut self, at: u32, word: &str) {
        let mut parts = word.split('.');
        let (first, last) =
            (parts.next().unwrap_or_default(), parts.next_back().unwrap_or_default());
        let place = SIMPLE.iter().position(|name| *name == first);
        if place.is_some() && (last.ends_with("32") || last == "f64") {
            self.simple.insert(at);
        } else if place.is_some_and(|place| place < HALVES) && last.ends_with("64") {
            self.halves.insert(at);
        }
        if last == "f32" && ["add", "sub", "mul", "fma"].contains(&first) {
            self.floats.insert(at);
        }
        if ["atom", "red"].contains(&first) {
            self.atomics.insert(at);
        } else if first == "wmma" {
            self.matrices.insert(at);
        }
    }

    fn branch(&mut self, start: u32, branch: Branch) {
        if let Some(&first) = self.labels.get(&branch.target) {
            if first == start {
                self.own_loops.insert(start);
            }
            self.inside.extend(
                self.of
                    .range(..=branch.line)
                    .rev()
                    .map(|(_, &of)| of)
                    .take_while(|of| *of >= first),
            );
        }
        self.ends.insert(start, branch);
    }

    /// Ends a basic block, which the labels before it lead to. Its name.
    fn close(&mut self, waiting: &mut Vec<(u32, String)>) -> u32 {
        let plain = self.open.iter().find(|(_, guarded)| !guarded).or(self.open.first());
        let start = plain.map_or(0, |&(start, _)| start);
        if start != 0 {
            self.of.extend(self.open.drain(..).map(|(at, _)| (at, start)));
            self.labels.extend(waiting.drain(..).map(|name| (name, start)));
        }
        start
    }

    /// Which basic blocks machine code has as one. `left` has the lines of the branches that are
    /// left in it.
    ///
    /// Where a branch over some blocks is not, those run under predicates: every warp that reaches
    /// the branch issues them. What follows is there as often, if nothing else leads to it.
    pub(super) fn together(&self, left: &BTreeSet<u32>) -> Together {
        let order: BTreeSet<u32> = self.of.values().copied().collect();
        let itself: BTreeMap<u32, u32> = order.iter().map(|&start| (start, start)).collect();
        let (mut often, mut copies, mut gone) = (itself.clone(), itself, BTreeMap::new());
        let mut leads: BTreeMap<&(u32, String), u32> = BTreeMap::new();
        for branch in self.ends.values() {
            *leads.entry(&branch.target).or_default() += 1;
        }
        let goal = |branch: &Branch| self.labels.get(&branch.target).copied().unwrap_or_default();
        for &start in &order {
            let Some(branch) = self.ends.get(&start) else { continue };
            if !branch.guarded || left.contains(&branch.line) || goal(branch) <= start {
                continue;
            }
            gone.insert(start, branch.line);
            let (mut after, mut targets) = (goal(branch), vec![&branch.target]);
            let mut ended = true;
            for &inside in order.range(start + 1..) {
                if inside >= after {
                    break;
                }
                often.insert(inside, often[&start]);
                copies.insert(inside, copies[&start]);
                let Some(branch) = self.ends.get(&inside) else { continue };
                if left.contains(&branch.line) {
                    ended = false;
                    break;
                }
                gone.insert(inside, branch.line);
                if goal(branch) > inside {
                    // Beyond `else`, if the way before it jumps over that.
                    after = after.max(goal(branch));
                    targets.push(&branch.target);
                }
            }
            targets.dedup();
            if ended && targets.iter().all(|target| leads[target] == 1) {
                copies.insert(after, copies[&start]);
            }
        }
        Together { often, copies, gone }
    }
}
