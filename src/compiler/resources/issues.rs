//! How many machine instructions a kernel issues, by basic block of its PTX. The rules and
//! their reasons are in `kernels/issues.py`; this is the same for a user's file.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::blocks::{Blocks, Together};
use super::listing::{self, Block, Instruction};
use super::{alone, flow};
use kinds::{FLOATS, JUMPS, Kinds, further, kinds};

mod kinds;

/// Machine instructions that PTX has one to one.
const SINGLE: [&str; 18] = [
    "LDG", "LDS", "LDL", "LD", "STG", "STS", "STL", "ST", "ATOMG", "ATOMS", "ATOM", "REDG", "RED",
    "SHFL", "BAR", "HMMA", "IMMA", "DMMA",
];

/// So many of those tell how often a block is there; if it has fewer, its rarest instruction does.
const ENOUGH: usize = 3;

/// The lower one of the two in the middle; 0 of none.
fn low_median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Machine instructions by PTX line, and how many of them PTX has one to one.
#[derive(Default)]
struct Counts {
    lines: BTreeMap<u32, (Kinds, f64)>,
    /// By basic block: those of others that run as often as it does.
    moved: BTreeMap<u32, Kinds>,
    /// What counts beside those of a line, and of a basic block.
    further: [BTreeMap<u32, f64>; 2],
}

impl Counts {
    fn add(&mut self, other: &Self) {
        for (line, (kinds, single)) in &other.lines {
            let (sum, singles) = self.lines.entry(*line).or_default();
            add(sum, kinds);
            *singles += single;
        }
        for (start, kinds) in &other.moved {
            add(self.moved.entry(*start).or_default(), kinds);
        }
        for (sum, more) in self.further.iter_mut().zip(&other.further) {
            for (key, many) in more {
                *sum.entry(*key).or_default() += many;
            }
        }
    }

    /// How often machine code has a basic block with these lines.
    fn copies(&self, lines: &[u32], ptx: &Blocks) -> f64 {
        let there = || lines.iter().filter_map(|line| Some((line, self.lines.get(line)?)));
        let mut alike: Vec<f64> =
            there().map(|(_, (_, single))| *single).filter(|many| *many > 0.0).collect();
        if alike.is_empty() {
            if lines.first().is_some_and(|line| !ptx.inside.contains(&ptx.of[line])) {
                return 1.0;
            }
            let each: Vec<(u32, f64)> = there()
                .map(|(line, (kinds, _))| {
                    let sum: f64 = kinds[1..JUMPS].iter().sum();
                    let many = if sum > 0.0 { sum } else { kinds[0] };
                    (*line, if ptx.halves.contains(line) { many / 2.0 } else { many })
                })
                .collect();
            let of = |wanted: &dyn Fn(&u32) -> bool| -> Vec<f64> {
                each.iter().filter(|(line, _)| wanted(line)).map(|(_, many)| *many).collect()
            };
            alike = of(&|line| ptx.simple.contains(line));
            if alike.len() < ENOUGH {
                alike = of(&|line| ptx.simple.contains(line) || ptx.halves.contains(line));
            }
            if alike.len() < ENOUGH {
                let some = of(&|_| true).into_iter().filter(|many| *many > 0.0);
                alike = some.min_by(f64::total_cmp).into_iter().collect();
            }
        }
        let sums = there().filter(|(line, _)| ptx.floats.contains(line));
        let mut sums: Vec<f64> = sums.map(|(_, (kinds, _))| kinds[FLOATS]).collect();
        if sums.len() < ENOUGH {
            sums.clear();
        }
        low_median(&mut alike).max(low_median(&mut sums))
    }

    /// Machine instructions of one run through a basic block with these lines.
    fn each(&self, start: u32, lines: &[u32], copies: f64) -> Kinds {
        let mut sum = self.moved.get(&start).copied().unwrap_or_default();
        for (kinds, _) in lines.iter().filter_map(|line| self.lines.get(line)) {
            add(&mut sum, kinds);
        }
        let [by_line, by_block] = &self.further;
        let further = lines.iter().filter_map(|line| by_line.get(line)).chain(by_block.get(&start));
        sum[0] += further.sum::<f64>();
        sum.map(|many| (many / copies.max(1.0) * 10.0).round_ties_even() / 10.0)
    }
}

fn add(sum: &mut Kinds, more: &Kinds) {
    for (sum, more) in sum.iter_mut().zip(more) {
        *sum += more;
    }
}

/// The machine instructions of a function, by block. `often` has the basic block of PTX that each one
/// runs as often as.
fn counts(blocks: &[Block], ptx: &Blocks, often: &BTreeMap<u32, u32>) -> Vec<Counts> {
    let depths = flow::nested(blocks);
    let places = kinds::places(blocks);
    let rare = flow::rare(blocks);
    let start_of = |it: &Instruction| ptx.of.get(&it.line).map(|start| often[start]);
    let known = |number: usize| {
        let is_rare = rare[number];
        let all = blocks[number].instructions.iter().filter(move |it| !it.is(&["NOP"]) && !is_rare);
        all.filter_map(|it| Some((it, start_of(it)?)))
    };
    // The depth at which most of a basic block's lines are.
    let mut at_depth: BTreeMap<u32, BTreeMap<usize, BTreeSet<u32>>> = BTreeMap::new();
    for (number, &depth) in depths.iter().enumerate() {
        for (it, start) in known(number) {
            at_depth.entry(start).or_default().entry(depth).or_default().insert(it.line);
        }
    }
    let most = |(start, many): (&u32, &BTreeMap<usize, BTreeSet<u32>>)| {
        let most = many.iter().max_by_key(|(_, lines)| lines.len());
        (*start, most.map_or(0, |(depth, _)| *depth))
    };
    let depth_of: BTreeMap<u32, usize> = at_depth.iter().map(most).collect();
    let mut around: BTreeMap<usize, u32> = BTreeMap::new();
    let count = |(number, depth): (usize, &usize)| {
        let mut owners: BTreeMap<u32, (usize, Reverse<usize>)> = BTreeMap::new();
        for (at, (_, start)) in
            known(number).enumerate().filter(|(_, (_, start))| depth_of[start] == *depth)
        {
            owners.entry(start).or_insert((0, Reverse(at))).0 += 1;
        }
        let owner = owners.iter().max_by_key(|(_, many)| **many).map(|(start, _)| *start);
        let alone = blocks[number].instructions.len() == 1;
        let owner = owner.or_else(|| around.get(depth).copied().filter(|_| alone));
        around.extend(owner.map(|owner| (*depth, owner)));
        let mut counts = Counts::default();
        for (it, start) in known(number) {
            // What is moved out of a loop, or into one, runs as often as what is around it.
            if let Some(owner) = owner.filter(|_| depth_of[&start] != *depth) {
                add(counts.moved.entry(owner).or_default(), &kinds(it, number, &places));
                *counts.further[1].entry(owner).or_default() += further(it);
                continue;
            }
            *counts.further[0].entry(it.line).or_default() += further(it);
            let (sum, singles) = counts.lines.entry(it.line).or_default();
            add(sum, &kinds(it, number, &places));
            let name = it.mnemonic.split('.').next().unwrap_or_default();
            let several =
                ptx.matrices.contains(&it.line) || name == "SHFL" && ptx.atomics.contains(&it.line);
            *singles += f64::from(u8::from(SINGLE.contains(&name) && !several));
        }
        counts
    };
    depths.iter().enumerate().map(count).collect()
}

/// Kernel, PTX line of a load and cycles of machine code until its result is used, by kernel and line.
pub(super) fn ahead(listing: &str) -> Vec<(String, u32, f64)> {
    let functions = listing::functions(listing).into_iter();
    let of = |(kernel, mut blocks): (String, Vec<listing::Block>)| {
        alone::time(&mut blocks);
        let lines = alone::ahead(&blocks).into_iter();
        lines.map(move |(line, cycles)| (kernel.clone(), line, cycles))
    };
    functions.flat_map(of).collect()
}

/// The PTX lines of the branches of machine code.
fn branches(blocks: &[Block]) -> BTreeSet<u32> {
    let all = blocks.iter().flat_map(|block| &block.instructions);
    let branches = all.filter(|it| it.is(&["BRA", "BRX", "JMP", "JMX", "EXIT", "RET"]));
    branches.map(|it| it.line).collect()
}

/// Kernel, PTX line and 0: the branches that the machine code of a kernel does without.
pub(super) fn without(ptx: &str, listing: &str) -> Vec<(String, u32, f64)> {
    let ptx = Blocks::of(ptx);
    let next = |line: u32| ptx.of.range(line + 1..).next().map(|(_, start)| *start);
    let of = |(kernel, blocks): (String, Vec<Block>)| {
        let all = blocks.iter().flat_map(|block| &block.instructions);
        let there: BTreeSet<u32> = all.filter_map(|it| ptx.of.get(&it.line).copied()).collect();
        let gone = ptx.together(&branches(&blocks)).gone.into_iter();
        // A block may be nothing but its branch; then what that leads over has machine code.
        let gone = gone.filter(move |(start, line)| {
            there.contains(start) || next(*line).is_some_and(|next| there.contains(&next))
        });
        gone.map(move |(_, line)| (kernel.clone(), line, 0.0))
    };
    listing::functions(listing).into_iter().flat_map(of).collect()
}

/// Kernel, PTX line and machine instructions of one run through its basic block, by kernel
/// and line.
pub(super) fn issues(ptx: &str, listing: &str) -> Vec<(String, u32, Kinds)> {
    let ptx = Blocks::of(ptx);
    let mut found = Vec::new();
    for (kernel, mut blocks) in listing::functions(listing) {
        alone::time(&mut blocks);
        let Together { often, copies: alike, .. } = ptx.together(&branches(&blocks));
        let by_place = counts(&blocks, &ptx, &often);
        let mut all = Counts::default();
        for counts in &by_place {
            all.add(counts);
        }
        let loops = || by_place.iter().zip(&blocks).filter(|(_, block)| block.loops());
        let mut by_block: BTreeMap<u32, Vec<u32>> =
            all.moved.keys().map(|start| (*start, Vec::new())).collect();
        let mut by_copies: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for line in all.lines.keys() {
            let start = ptx.of[line];
            by_block.entry(often[&start]).or_default().push(*line);
            by_copies.entry(alike[&start]).or_default().push(*line);
        }
        // Such a load without machine code beside one with it was joined to it.
        let mut of_kernel: BTreeMap<u32, Kinds> = ptx
            .shared
            .iter()
            .filter(|line| !all.lines.contains_key(line))
            .filter_map(|line| {
                let start = ptx.of.get(line).filter(|start| *start != line)?;
                let beside = by_block.get(&often[start])?.iter().any(|it| ptx.shared.contains(it));
                beside.then_some((*line, Kinds::default()))
            })
            .collect();
        for (start, lines) in by_block {
            let like = by_copies.get(&alike[&start]).map(Vec::as_slice).unwrap_or_default();
            let (mut there, mut copies) = (&all, all.copies(like, &ptx));
            if ptx.own_loops.contains(&start) {
                // A loop of its own in machine code is what most rounds run through.
                let mut most = 0.0;
                for (own, _) in loops() {
                    let many = own.copies(like, &ptx);
                    let has = like.iter().filter(|line| own.lines.contains_key(line)).count();
                    if 2 * has > like.len() && many > most {
                        (there, copies, most) = (own, many, many);
                    }
                }
            }
            of_kernel.insert(start, there.each(start, &lines, copies));
        }
        found.extend(of_kernel.into_iter().map(|(line, kinds)| (kernel.clone(), line, kinds)));
    }
    found
}

#[cfg(test)]
mod tests;
