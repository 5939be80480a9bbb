//! The loads and loops of PTX: what a basic block alone would wait for.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::Copies;

/// A line without its comment and the space around it.
fn bare(line: &str) -> &str {
    line.split("//").next().unwrap_or_default().trim()
}

/// The PTX with a `.loc` before every instruction, naming its own line.
pub(super) fn located(ptx: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut depth = 0_i32;
    // Whether a statement ended before this line: a call has several lines.
    let mut ended = true;
    for (number, line) in (1..).zip(ptx.split('\n')) {
        let text = bare(line);
        // Not `.local`, which declares.
        if matches!(text.split_whitespace().next(), Some(".loc" | ".file")) {
            out.push(String::new());
            continue;
        }
        let inside = depth > 0;
        depth += text.matches('{').count() as i32 - text.matches('}').count() as i32;
        if inside && ended && text.ends_with(';') && !text.starts_with(['.', '{']) {
            out.push(format!(".loc 1 {number} 0"));
        }
        if !text.is_empty() {
            ended = text.ends_with([';', '{', '}', ':']);
        }
        out.push(line.to_owned());
        if text.starts_with(".address_size") {
            out.push(".file 1 \"k.ptx\"".to_owned());
        }
    }
    out.join("\n")
}

/// A label at the start of a line.
pub(super) fn label(text: &str) -> Option<&str> {
    let end = text.find(':')?;
    let name = &text[..end];
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// An instruction: its guard's register, its word, its operands.
pub(super) fn instruction(text: &str) -> Option<(Option<&str>, &str, &str)> {
    let end = text.rfind(';')?;
    let mut rest = &text[..end];
    let mut guard = None;
    if let Some(guarded) = rest.strip_prefix('@') {
        let (name, after) = guarded.split_once(char::is_whitespace)?;
        guard = Some(name.trim_start_matches('!'));
        rest = after.trim_start();
    }
    let word = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'));
    let (word, operands) = rest.split_at(rest.find(word).unwrap_or(rest.len()));
    word.starts_with(|c: char| c.is_ascii_lowercase()).then_some((guard, word, operands.trim()))
}

/// The registers in a text: `%r1`.
fn names(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices('%') {
        let rest = &text[at + 1..];
        let plain = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let end = rest.find(plain).unwrap_or(rest.len());
        if end > 0 {
            found.push(&text[at..at + 1 + end]);
        }
    }
    found
}

/// Whether a word may load from global memory.
fn is_load(word: &str) -> bool {
    let others = ["shared", "param", "const", "local"];
    (word.starts_with("ld.") || word.starts_with(MATRIX))
        && !others.iter().any(|space| word.contains(space))
}

/// What loads a fragment of a matrix: several loads of machine code.
const MATRIX: &str = "wmma.load.";

/// The PTX lines that load fragments of matrices.
pub(super) fn of_matrices(ptx: &str) -> BTreeSet<u32> {
    let word = |text: &str| instruction(text.trim()).is_some_and(|it| it.1.starts_with(MATRIX));
    (1..).zip(ptx.split('\n')).filter(|(_, text)| word(text)).map(|(line, _)| line).collect()
}

/// The target of a branch.
fn branch(text: &str) -> Option<&str> {
    let (_, word, target) = instruction(text)?;
    (word == "bra" || word == "bra.uni").then_some(target)
}

/// Per PTX line of a branch back to the start of its own basic block: rounds of the PTX that
/// one round of the machine code stands for.
pub(super) fn rounds(ptx: &str, loops: &[Copies]) -> BTreeMap<u32, u32> {
    let mut found = BTreeMap::new();
    let (mut start, mut current) = (0, None);
    for (at, line) in (1..).zip(ptx.split('\n')) {
        let text = line.trim();
        if let Some(name) = label(text) {
            (start, current) = (at, Some(name));
        }
        let target = branch(text);
        if target.is_some() && target == current {
            let share =
                |copies: &Copies| -> u32 { copies.range(start..=at).map(|(_, many)| many).sum() };
            let shares: Vec<u32> = loops.iter().map(share).collect();
            let most = shares.iter().copied().max().unwrap_or(0);
            if most > 0
                && let Some(index) = shares.iter().position(|&share| share == most)
            {
                let mut many: Vec<u32> =
                    loops[index].range(start..=at).map(|(_, &many)| many).collect();
                many.sort_unstable();
                found.insert(at, many[(many.len() - 1) / 2]);
            }
        }
        if target.is_some() {
            current = None;
        }
    }
    found
}

/// Loads of one basic block.
#[derive(Default)]
struct Block<'a> {
    /// How many loads each register hangs on.
    levels: BTreeMap<&'a str, u32>,
    /// The same for what was stored.
    memory: u32,
    /// Line and level of each load.
    loads: Vec<(u32, u32)>,
}

impl Block<'_> {
    fn close(&mut self, number: &mut u32, found: &mut BTreeMap<u32, (u32, u32)>) {
        let depth = self.loads.iter().map(|&(_, level)| level).max().unwrap_or(0);
        found.extend(self.loads.iter().map(|&(line, _)| (line, (*number, depth))));
        *self = Self::default();
        *number += 1;
    }
}

/// Per PTX line of a load from global memory: the number of its basic block, and how many
/// loads hang on each other in that block.
pub(super) fn depths(ptx: &str) -> BTreeMap<u32, (u32, u32)> {
    let (mut found, mut block, mut number) = (BTreeMap::new(), Block::default(), 0);
    for (at, line) in (1..).zip(ptx.split('\n')) {
        let text = line.trim();
        if label(text).is_some() || text.is_empty() || text.starts_with(".entry") {
            block.close(&mut number, &mut found);
            continue;
        }
        let Some((guard, word, operands)) = instruction(text) else { continue };
        let store = word.starts_with("st.") || word.starts_with("red.");
        let first = match operands.strip_prefix('{') {
            Some(_) => operands.split('}').next(),
            None => operands.split(',').next(),
        };
        let results = if store || word.starts_with("bra") { "" } else { first.unwrap_or("") };
        let targets = names(results);
        let sources = names(operands).into_iter().filter(|name| !targets.contains(name));
        let levels = sources.chain(guard).filter_map(|name| block.levels.get(name));
        let mut level = levels.copied().max().unwrap_or(0);
        if is_load(word) {
            if !word.contains(".nc") {
                level = level.max(block.memory);
            }
            level += 1;
            block.loads.push((at, level));
        } else if store && !["shared", "local"].iter().any(|it| word.contains(it)) {
            block.memory = block.memory.max(level);
        }
        for name in targets {
            block.levels.insert(name, level);
        }
        // Rounded quotients and roots branch in machine code, as the emulator has it.
        if ["bra", "ret", "bar", "sqrt.rn", "div.rn"].iter().any(|start| word.starts_with(start)) {
            block.close(&mut number, &mut found);
        }
    }
    block.close(&mut number, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_gets_its_line() {
        let ptx = ".version 7.8\n.address_size 64\n.entry k(\n.param .u64 p\n)\n{\n.reg .b32 %r<2>;\n\
                   .local .align 4 .b8 depot[8];\n.loc 1 3 4\nmov.u32 %r1, 1; // x\n{ // callseq\ncall.uni (r),\nf,\n(p);\n}\nret;\n}";
        let expected = ".version 7.8\n.address_size 64\n.file 1 \"k.ptx\"\n.entry k(\n.param .u64 p\n)\n{\n\
                        .reg .b32 %r<2>;\n.local .align 4 .b8 depot[8];\n\n.loc 1 10 0\nmov.u32 %r1, 1; // x\n{ // callseq\n\
                        call.uni (r),\nf,\n(p);\n}\n.loc 1 16 0\nret;\n}";
        assert_eq!(located(ptx), expected);
    }

    #[test]
    fn loads_that_hang_on_each_other_are_counted() {
        let ptx = "ld.global.u32 %r1, [%rd1];\nadd.s32 %r2, %r1, 1;\nld.global.u32 %r3, [%r2];\n\
                   ld.global.nc.u32 %r4, [%rd9];\n$L1:\nld.shared.u32 %r5, [%r1];\nld.u32 %r6, [%r5];\n\
                   st.local.u32 [%rd2], %r6;\nld.volatile.shared.u32 %r7, [%r1];\nld.u32 %r8, [%r7];\n\
                   st.u32 [%rd3], %r8;\nld.u32 %r9, [%rd4];";
        let expected =
            [(1, (0, 2)), (3, (0, 2)), (4, (0, 2)), (7, (1, 2)), (10, (1, 2)), (12, (1, 2))];
        assert_eq!(depths(ptx), BTreeMap::from(expected));
    }
}
