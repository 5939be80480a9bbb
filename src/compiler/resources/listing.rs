//! The listing of the disassembler: basic blocks of machine code whose instructions name
//! their PTX line.

use std::collections::BTreeMap;

/// Instructions per PTX line.
pub(super) type Copies = BTreeMap<u32, u32>;

/// A machine instruction.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Instruction {
    /// Its PTX line.
    pub(super) line: u32,
    /// Whether it runs under a predicate.
    pub(super) guarded: bool,
    pub(super) mnemonic: String,
    pub(super) operands: String,
    /// Its bits 105 to 125, where it has that many.
    pub(super) control: Option<u32>,
    /// Cycles that it takes in a warp that runs alone.
    pub(super) cycles: f64,
    /// Of a load: cycles until its basic block first uses what it loads.
    pub(super) ahead: Option<f64>,
}

impl Instruction {
    /// Whether the mnemonic starts with one of these.
    pub(super) fn is(&self, starts: &[&str]) -> bool {
        starts.iter().any(|start| self.mnemonic.starts_with(start))
    }
}

/// A basic block.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Block {
    /// The labels that lead to it.
    pub(super) labels: Vec<String>,
    pub(super) instructions: Vec<Instruction>,
}

impl Block {
    /// Whether it ends with a branch to its own start.
    pub(super) fn loops(&self) -> bool {
        self.instructions.last().is_some_and(|last| {
            let to = |label: &String| last.operands.contains(&format!("({label})"));
            last.is(&["BRA"]) && self.labels.iter().any(to)
        })
    }
}

/// The basic blocks of each function.
pub(super) fn functions(listing: &str) -> BTreeMap<String, Vec<Block>> {
    let mut functions: BTreeMap<String, Vec<Block>> = BTreeMap::new();
    let (mut current, mut line) = (None, 0);
    for text in listing.lines().map(str::trim) {
        if let Some(name) = text.strip_prefix(".text.").and_then(|name| name.strip_suffix(':')) {
            functions.insert(name.to_owned(), vec![Block::default()]);
            current = Some(name);
            continue;
        }
        if let Some((_, rest)) = text.split_once("//## File \"k.ptx\", line ") {
            let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
            line = digits.parse().unwrap_or(line);
            continue;
        }
        let Some(blocks) = current.and_then(|name| functions.get_mut(name)) else { continue };
        let Some(last) = blocks.last_mut() else { continue };
        if text.starts_with('$') && text.ends_with(':') {
            // A function of the assembler, such as for a quotient: of no PTX line.
            line = 0;
            blocks.push(Block::default());
        } else if let Some(label) =
            text.strip_suffix(':').filter(|label| label.starts_with(".L_x_"))
        {
            let label = label.to_owned();
            if last.instructions.is_empty() {
                last.labels.push(label);
            } else {
                blocks.push(Block { labels: vec![label], instructions: Vec::new() });
            }
        } else if let Some((guarded, mnemonic, operands)) = instruction(text) {
            let (mnemonic, operands) = (mnemonic.to_owned(), operands.to_owned());
            let next = Instruction { line, guarded, mnemonic, operands, ..Instruction::default() };
            let ends = |last: &Instruction| last.is(&["BRA", "EXIT", "RET", "BRX"]);
            if last.instructions.last().is_some_and(ends) {
                blocks.push(Block { labels: Vec::new(), instructions: vec![next] });
            } else {
                last.instructions.push(next);
            }
        } else if let Some(instruction) = last.instructions.last_mut()
            && let Some(half) = second_half(text)
        {
            instruction.control = Some((half >> 41) as u32 & ((1 << 21) - 1));
        }
    }
    for blocks in functions.values_mut() {
        gather(blocks);
    }
    functions
}

/// Gives what makes the lanes of a branch meet again (`BSSY` before it, `BSYNC` where it leads) the line
/// of the branch. `ptxas` gives both that of an instruction before them, and so to a way that not
/// all warps go.
fn gather(blocks: &mut [Block]) {
    // By the label of the next block: a block that ends with a meeting, and what it is called.
    let mut ends: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for (at, pair) in blocks.windows(2).enumerate() {
        if let Some(last) = pair[0].instructions.last().filter(|last| last.is(&["BSYNC"])) {
            let label = |label: &String| (label.clone(), (at, last.operands.clone()));
            ends.extend(pair[1].labels.iter().map(label));
        }
    }
    for at in 0..blocks.len() {
        let Some(line) = blocks[at].instructions.last().filter(|last| last.is(&["BRA"])) else {
            continue;
        };
        let line = line.line;
        let mut met = Vec::new();
        for it in &mut blocks[at].instructions {
            if it.is(&["BSSY"])
                && let Some((name, label)) = it.operands.split_once(", `(")
            {
                it.line = line;
                let end = ends.get(label.trim_end_matches(')'));
                met.extend(end.filter(|(_, called)| called == name).map(|(end, _)| *end));
            }
        }
        for end in met {
            if let Some(last) = blocks[end].instructions.last_mut() {
                last.line = line;
            }
        }
    }
}

/// The second half of an instruction: `/* 0x000ea2000c1e1900 */`.
fn second_half(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("/* 0x")?.strip_suffix(" */")?;
    u64::from_str_radix(digits, 16).ok()
}

/// Guard, mnemonic and operands of `/*0010*/  @!P0 LDG.E R2, [R2.64] ;`.
fn instruction(text: &str) -> Option<(bool, &str, &str)> {
    let (address, rest) = text.strip_prefix("/*")?.split_once("*/")?;
    if !address.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let mut rest = rest.trim_start();
    let guarded = rest.starts_with('@');
    if guarded {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    let rest = rest.split(';').next()?.trim();
    let (mnemonic, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let named = mnemonic.starts_with(|c: char| c.is_ascii_uppercase());
    named.then_some((guarded, mnemonic, operands.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_becomes_blocks() {
        let listing = ".text.k:\n  //## File \"k.ptx\", line 7\n\
            /*0000*/   LDG.E R2, [R2.64] ;  /* 0x1 */\n.L_x_1:\n//## File \"k.ptx\", line 9\n\
            /*0010*/  @!P0 IADD3 R2, R2, 0x1, RZ ; /* 0x0000000102027810 */\n\
            /* 0x004fe20007ffe0ff */\n/*0020*/  @P0 BRA `(.L_x_1) ;\n/*0030*/ EXIT ;\n";
        let functions = functions(listing);
        let blocks = &functions["k"];
        let all: Vec<Vec<&str>> = blocks
            .iter()
            .map(|block| block.instructions.iter().map(|it| it.mnemonic.as_str()).collect())
            .collect();
        assert_eq!(all, [vec!["LDG.E"], vec!["IADD3", "BRA"], vec!["EXIT"]]);
        assert_eq!(blocks.iter().map(Block::loops).collect::<Vec<_>>(), [false, true, false]);
        assert_eq!(blocks[1].instructions[0].line, 9);
        assert_eq!(blocks[1].instructions[0].operands, "R2, R2, 0x1, RZ");
        // One cycle with a hint, no scoreboard of its own, the third one to wait for.
        assert_eq!(blocks[1].instructions[0].control, Some(4 << 11 | 7 << 8 | 7 << 5 | 1 << 4 | 1));
        assert_eq!(blocks[2].instructions[0].control, None);
    }

    #[test]
    fn where_lanes_meet_has_the_line_of_their_branch() {
        let listing = ".text.k:\n//## File \"k.ptx\", line 7\n/*00*/ BSSY B0, `(.L_x_2) ;\n\
            //## File \"k.ptx\", line 8\n/*10*/ @P0 BRA `(.L_x_1) ;\n\
            //## File \"k.ptx\", line 9\n/*20*/ IADD3 R2, R2, 0x1, RZ ;\n\
            .L_x_1:\n/*30*/ BSYNC B0 ;\n.L_x_2:\n/*40*/ EXIT ;\n";
        let lines: Vec<u32> = functions(listing)["k"]
            .iter()
            .flat_map(|block| block.instructions.iter().map(|it| it.line))
            .collect();
        assert_eq!(lines, [8, 8, 9, 8, 9]);
    }
}
