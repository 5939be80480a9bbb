//! How many machine instructions a kernel issues, by basic block of its PTX. The rules and
//! their reasons are in `kernels/issues.py`; this is the same for a user's file.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::{self, Instruction};
use super::loads::{instruction, label};

/// PTX instructions that machine code has one to one.
const SINGLE: [&str; 8] = ["ld", "st", "atom", "red", "shfl", "bar", "mma", "wmma"];

/// The same where a block has none of these: arithmetic on 32 bits.
const SIMPLE: [&str; 13] =
    ["setp", "selp", "add", "sub", "mul", "min", "max", "and", "or", "xor", "shl", "shr", "not"];

/// Machine instructions of the unit for integers and comparisons.
const INTEGER: &[&str] = &[
    "IADD3",
    "LOP3",
    "SHF",
    "ISETP",
    "FSETP",
    "SEL",
    "FSEL",
    "FMNMX",
    "PRMT",
    "LEA",
    "VIMNMX",
    "VIADDMNMX",
    "IABS",
    "MOV",
    "I2FP",
    "PLOP3",
    "VABSDIFF",
    "BMSK",
    "SGXT",
    "IMNMX",
    "FCHK",
    "P2R",
    "R2P",
    "SHL",
    "SHR",
    "LOP",
    "IADD",
];

/// Of the unit for products of integers, at half the rate of floats.
const PRODUCT: [&str; 4] = ["IMAD", "IDP", "IMUL", "XMAD"];

/// Of the unit for special functions and conversions.
const SPECIAL: [&str; 8] = ["MUFU", "POPC", "FLO", "BREV", "I2F", "F2I", "F2F", "FRND"];

/// Machine instructions: all, and those of the three units.
type Kinds = [f64; 4];

/// The basic blocks of PTX.
#[derive(Default)]
struct Starts {
    /// Per line of an instruction: the line that its basic block is known by, its first
    /// instruction without a guard.
    block_of: BTreeMap<u32, u32>,
    /// Lines of instructions that machine code has one to one.
    single: BTreeSet<u32>,
    /// Lines of arithmetic on 32 bits.
    simple: BTreeSet<u32>,
    /// Lines of loads from shared memory.
    shared: BTreeSet<u32>,
    /// Lines of the block so far, and whether they have a guard.
    open: Vec<(u32, bool)>,
}

impl Starts {
    fn of(ptx: &str) -> Self {
        let mut starts = Self::default();
        for (at, line) in (1..).zip(ptx.split('\n')) {
            let text = line.split("//").next().unwrap_or_default().trim();
            let ends =
                matches!(text, "{" | "}") || text.contains(".entry") || text.contains(".func");
            if ends || label(text).is_some() {
                starts.close();
            } else if let Some((guard, word, _)) = instruction(text)
                && text.ends_with(';')
            {
                starts.open.push((at, guard.is_some()));
                let is_word = |start: &str| {
                    let rest = word.strip_prefix(start);
                    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    rest.is_some_and(|rest| !rest.starts_with(plain))
                };
                if SINGLE.into_iter().any(is_word) {
                    starts.single.insert(at);
                }
                if guard.is_none() && word.starts_with("ld.shared.") {
                    starts.shared.insert(at);
                }
                let mut parts = word.split('.');
                if parts.next().is_some_and(|first| SIMPLE.contains(&first))
                    && parts.next_back().is_some_and(|last| last.ends_with("32"))
                {
                    starts.simple.insert(at);
                }
                if ["bra", "brx", "ret", "exit"].into_iter().any(is_word) {
                    starts.close();
                }
            }
        }
        starts.close();
        starts
    }

    fn close(&mut self) {
        let plain = self.open.iter().find(|(_, guarded)| !guarded).or(self.open.first());
        if let Some(&(start, _)) = plain {
            self.block_of.extend(self.open.iter().map(|&(at, _)| (at, start)));
        }
        self.open.clear();
    }
}

/// Kernel, PTX line and machine instructions of one run through its basic block, by kernel
/// and line.
pub(super) fn issues(ptx: &str, listing: &str) -> Vec<(String, u32, Kinds)> {
    let starts = Starts::of(ptx);
    let mut found = Vec::new();
    for (kernel, blocks) in listing::functions(listing) {
        let mut counts: BTreeMap<u32, Kinds> = BTreeMap::new();
        let rare = |it: &Instruction| it.is(&["CALL"]) && it.operands.contains("_slowpath");
        for it in blocks
            .iter()
            .filter(|block| !block.instructions.iter().any(rare))
            .flat_map(|block| &block.instructions)
            .filter(|it| starts.block_of.contains_key(&it.line) && !it.is(&["NOP"]))
        {
            let name = it.mnemonic.split('.').next().unwrap_or_default();
            let kinds = counts.entry(it.line).or_default();
            kinds[0] += 1.0;
            for (kind, names) in [INTEGER, &PRODUCT, &SPECIAL].into_iter().enumerate() {
                kinds[kind + 1] += f64::from(u8::from(names.contains(&name)));
            }
        }
        let mut by_block: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for line in counts.keys() {
            by_block.entry(starts.block_of[line]).or_default().push(*line);
        }
        // A load of shared memory without machine code beside one with it was joined to it.
        let mut of_kernel: BTreeMap<u32, Kinds> = starts
            .shared
            .iter()
            .filter(|line| !counts.contains_key(line))
            .filter_map(|line| {
                let start = starts.block_of.get(line).filter(|start| *start != line)?;
                let beside = by_block.get(start)?.iter().any(|it| starts.shared.contains(it));
                beside.then_some((*line, [0.0; 4]))
            })
            .collect();
        for (start, lines) in by_block {
            let copies = |lines: &mut dyn Iterator<Item = &u32>| {
                let mut all: Vec<f64> = lines.map(|line| counts[line][0]).collect();
                all.sort_by(f64::total_cmp);
                all.get(all.len().saturating_sub(1) / 2).copied()
            };
            let among =
                |set: &BTreeSet<u32>| copies(&mut lines.iter().filter(|line| set.contains(line)));
            let least = || lines.iter().map(|line| counts[line][0]).min_by(f64::total_cmp);
            let copies = among(&starts.single)
                .or_else(|| among(&starts.simple))
                .or_else(least)
                .unwrap_or(1.0);
            let kinds = std::array::from_fn(|kind| {
                let sum: f64 = lines.iter().map(|line| counts[line][kind]).sum();
                (sum / copies * 10.0).round_ties_even() / 10.0
            });
            of_kernel.insert(start, kinds);
        }
        found.extend(of_kernel.into_iter().map(|(line, kinds)| (kernel.clone(), line, kinds)));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unrolled_loop_counts_once() {
        let ptx = ".entry k()\n{\nLOOP:\nld.global.f32 %f1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\n\
            @%p1 bra LOOP;\nret;\n}\n";
        let listing = ".text.k:\n.L_x_1:\n//## File \"k.ptx\", line 4\n/*0000*/ LDG.E R2, [R4.64] ;\n\
            /*0010*/ LDG.E R3, [R4.64+0x4] ;\n//## File \"k.ptx\", line 5\n\
            /*0020*/ IADD3 R4, R4, 0x8, RZ ;\n//## File \"k.ptx\", line 6\n\
            /*0030*/ @P0 BRA `(.L_x_1) ;\n//## File \"k.ptx\", line 7\n/*0040*/ EXIT ;\n\
            /*0050*/ NOP ;\n$__internal_0:\n/*0060*/ MOV R2, R3 ;\n";
        let found = issues(ptx, listing);
        let expected =
            [("k".to_owned(), 4, [2.0, 0.5, 0.0, 0.0]), ("k".to_owned(), 7, [1.0, 0.0, 0.0, 0.0])];
        assert_eq!(found, expected);
    }
}
