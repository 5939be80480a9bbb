//! How many machine instructions a kernel issues, by basic block of its PTX. The rules and
//! their reasons are in `kernels/issues.py`; this is the same for a user's file.

use std::collections::{BTreeMap, BTreeSet};

use super::alone;
use super::listing::{self, Instruction};
use super::loads::{instruction, label};

/// Machine instructions that PTX has one to one.
const SINGLE: [&str; 18] = [
    "LDG", "LDS", "LDL", "LD", "STG", "STS", "STL", "ST", "ATOMG", "ATOMS", "ATOM", "REDG", "RED",
    "SHFL", "BAR", "HMMA", "IMMA", "DMMA",
];

/// PTX instructions that machine code has one to one, where a block has none of these:
/// arithmetic on 32 bits or on doubles.
const SIMPLE: [&str; 14] = [
    "setp", "selp", "add", "sub", "mul", "fma", "min", "max", "and", "or", "xor", "shl", "shr",
    "not",
];

/// Of [`Kinds`]: floats.
const FLOATS: usize = 4;

/// So many of those tell how often a block is there; if it has fewer, its rarest instruction does.
const ENOUGH: usize = 3;

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

/// Of the unit for floats, which also takes pairs of halves.
const FLOAT: [&str; 6] = ["FADD", "FMUL", "FFMA", "HADD2", "HMUL2", "HFMA2"];

/// Of the unit for doubles.
const DOUBLE: [&str; 5] = ["DADD", "DMUL", "DFMA", "DSETP", "DMNMX"];

/// Machine instructions: all, and those of the five units; and the cycles that a warp takes for
/// them that runs alone.
type Kinds = [f64; 7];

/// The basic blocks of PTX.
#[derive(Default)]
struct Starts {
    /// Per line of an instruction: the line that its basic block is known by, its first
    /// instruction without a guard.
    block_of: BTreeMap<u32, u32>,
    /// Lines of arithmetic on 32 bits or on doubles.
    simple: BTreeSet<u32>,
    /// Lines of sums and products of floats among them.
    floats: BTreeSet<u32>,
    /// Basic blocks that end with a branch to their own start.
    loops: BTreeSet<u32>,
    /// Lines of loads from shared and constant memory.
    shared: BTreeSet<u32>,
    /// Lines of the block so far, and whether they have a guard.
    open: Vec<(u32, bool)>,
}

impl Starts {
    fn of(ptx: &str) -> Self {
        let mut starts = Self::default();
        // The label of the basic block, if it has one.
        let mut name = None;
        for (at, line) in (1..).zip(ptx.split('\n')) {
            let text = line.split("//").next().unwrap_or_default().trim();
            let ends = text.contains(".entry") || text.contains(".func");
            if ends || label(text).is_some() {
                starts.close();
                name = label(text);
            } else if let Some((guard, word, target)) = instruction(text)
                && text.ends_with(';')
            {
                starts.open.push((at, guard.is_some()));
                let is_word = |start: &str| {
                    let rest = word.strip_prefix(start);
                    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
                    rest.is_some_and(|rest| !rest.starts_with(plain))
                };
                if guard.is_none()
                    && ["ld.shared.", "ld.const."].iter().any(|start| word.starts_with(start))
                {
                    starts.shared.insert(at);
                }
                let (first, last) = (word.split('.').next(), word.rsplit('.').next());
                let last = last.filter(|last| *last != word).unwrap_or_default();
                if first.is_some_and(|first| SIMPLE.contains(&first))
                    && (last.ends_with("32") || last == "f64")
                {
                    starts.simple.insert(at);
                    if last == "f32" && ["add", "sub", "mul", "fma"].into_iter().any(is_word) {
                        starts.floats.insert(at);
                    }
                }
                if ["bra", "brx", "ret", "exit"].into_iter().any(is_word) {
                    let loops = word.starts_with("bra") && name == Some(target);
                    starts.close();
                    if loops {
                        starts.loops.extend(starts.block_of.get(&at).copied());
                    }
                    name = None;
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

/// The lower one of the two in the middle; 0 of none.
fn low_median(numbers: &mut [f64]) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Machine instructions per PTX line, and how many of them PTX has one to one.
#[derive(Default)]
struct Counts(BTreeMap<u32, (Kinds, f64)>);

impl Counts {
    /// Of these machine instructions.
    fn of<'a>(instructions: impl Iterator<Item = &'a Instruction>, starts: &Starts) -> Self {
        let mut counts = Self::default();
        let known = |it: &&Instruction| starts.block_of.contains_key(&it.line) && !it.is(&["NOP"]);
        for it in instructions.filter(known) {
            let name = it.mnemonic.split('.').next().unwrap_or_default();
            let (kinds, single) = counts.0.entry(it.line).or_default();
            kinds[0] += 1.0;
            *single += f64::from(u8::from(SINGLE.contains(&name)));
            let units = [INTEGER, &PRODUCT, &SPECIAL, &FLOAT, &DOUBLE];
            for (kind, names) in units.into_iter().enumerate() {
                kinds[kind + 1] += f64::from(u8::from(names.contains(&name)));
            }
            kinds[6] += it.cycles;
        }
        counts
    }

    /// How often machine code has a basic block with these lines.
    fn copies(&self, lines: &[u32], starts: &Starts) -> f64 {
        let sums = lines.iter().filter(|line| starts.floats.contains(line));
        let mut sums: Vec<f64> =
            sums.filter_map(|line| Some(self.0.get(line)?.0[FLOATS])).collect();
        if sums.len() < ENOUGH {
            sums.clear();
        }
        self.alike(lines, starts).max(low_median(&mut sums))
    }

    /// The same by what PTX has one to one. Copies of a block may share some of it, such as loads.
    fn alike(&self, lines: &[u32], starts: &Starts) -> f64 {
        let there = || lines.iter().filter_map(|line| Some((line, self.0.get(line)?)));
        let mut alike: Vec<f64> =
            there().map(|(_, (_, single))| *single).filter(|many| *many > 0.0).collect();
        if alike.is_empty() {
            let simple = there().filter(|(line, _)| starts.simple.contains(line));
            alike = simple.map(|(_, (kinds, _))| kinds[0]).collect();
            if alike.len() < ENOUGH {
                alike = there()
                    .map(|(_, (kinds, _))| kinds[0])
                    .min_by(f64::total_cmp)
                    .into_iter()
                    .collect();
            }
        }
        low_median(&mut alike)
    }

    /// Machine instructions of one run through a basic block with these lines.
    fn each(&self, lines: &[u32], copies: f64) -> Kinds {
        std::array::from_fn(|kind| {
            let there = lines.iter().filter_map(|line| self.0.get(line));
            let sum: f64 = there.map(|(kinds, _)| kinds[kind]).sum();
            (sum / copies.max(1.0) * 10.0).round_ties_even() / 10.0
        })
    }
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

/// Kernel, PTX line and machine instructions of one run through its basic block, by kernel
/// and line.
pub(super) fn issues(ptx: &str, listing: &str) -> Vec<(String, u32, Kinds)> {
    let starts = Starts::of(ptx);
    let mut found = Vec::new();
    for (kernel, mut blocks) in listing::functions(listing) {
        alone::time(&mut blocks);
        let usual = || blocks.iter().filter(|block| !alone::is_rare(block));
        let counts = Counts::of(usual().flat_map(|block| &block.instructions), &starts);
        let loops: Vec<Counts> = usual()
            .filter(|block| block.loops())
            .map(|block| Counts::of(block.instructions.iter(), &starts))
            .collect();
        let mut by_block: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for line in counts.0.keys() {
            by_block.entry(starts.block_of[line]).or_default().push(*line);
        }
        // Such a load without machine code beside one with it was joined to it.
        let mut of_kernel: BTreeMap<u32, Kinds> = starts
            .shared
            .iter()
            .filter(|line| !counts.0.contains_key(line))
            .filter_map(|line| {
                let start = starts.block_of.get(line).filter(|start| *start != line)?;
                let beside = by_block.get(start)?.iter().any(|it| starts.shared.contains(it));
                beside.then_some((*line, [0.0; 7]))
            })
            .collect();
        for (start, lines) in by_block {
            let (mut there, mut copies) = (&counts, counts.copies(&lines, &starts));
            if starts.loops.contains(&start) {
                // A loop of its own in machine code is what most rounds run through.
                let mut most = 0.0;
                let has_most = |own: &&Counts| {
                    2 * lines.iter().filter(|line| own.0.contains_key(line)).count() > lines.len()
                };
                for own in loops.iter().filter(has_most) {
                    let many = own.copies(&lines, &starts);
                    if many > most {
                        (there, copies, most) = (own, many, many);
                    }
                }
            }
            of_kernel.insert(start, there.each(&lines, copies));
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
        let expected = [
            ("k".to_owned(), 4, [2.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]),
            ("k".to_owned(), 7, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
        ];
        assert_eq!(found, expected);
    }
}
