//! PTX that is not quite right: texts with bytes, tokens and lines changed.

use super::Random;

/// Tokens that break assumptions.
const TOKENS: &[&str] = &[
    "0",
    "-1",
    "65535",
    "4294967296",
    "0xffffffffffffffff",
    "18446744073709551615",
    "0f7FC00000",
    "0dFFFFFFFFFFFFFFFF",
    "1e999",
    "%tid.x",
    "%r1",
    "%p1",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "<",
    ">",
    "=",
    ".reg",
    ".shared",
    ".local",
    ".const",
    ".global",
    ".param",
    ".entry",
    ".func",
    ".align",
    ".b8",
    ".b64",
    ".f16x2",
    ".pred",
    ".loc",
    ".file",
    ".section",
    ".extern",
    ".visible",
    ".version",
    ".target",
    ".maxntid",
    ".pragma",
    ".branchtargets",
    "add.s32",
    "mov.b64",
    "ld.shared.v4.u32",
    "st.local.v2.f64",
    "bra",
    "ret",
    "exit",
    "call",
    "call.uni",
    "brx.idx",
    "bar.sync",
    "shfl.sync.idx.b32",
    "atom.shared.cas.b64",
    "cvt.rni.s8.f64",
    "setp.lt.or.f32",
    "vote.sync.ballot.b32",
    "wgmma.fence.sync.aligned",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16",
    "wmma.load.a.sync.aligned.row.m16n16k16.f16",
    "mbarrier.try_wait.parity.shared.b64",
    "mbarrier.arrive.expect_tx.shared.b64",
    "cp.async.bulk.commit_group",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
    "barrier.cluster.arrive",
    "mapa.shared::cluster.u32",
    "elect.sync",
    "mov.v8.b32",
    "v.x",
    ".v2",
    ".v8",
    ".b128",
    "st.param.b32",
    "%clusterid.x",
    "\"",
    "/*",
    "*/",
    "//",
    "_",
    "$",
    "%",
    "WARP_SZ",
    "generic",
    "0x",
    "1U",
    "\u{e9}",
    "\0",
];

/// Words and the characters between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.');
    let mut previous = None;
    for (at, c) in text.char_indices() {
        if previous.is_some_and(|p: char| !(word(p) && word(c))) {
            tokens.push(&text[start..at]);
            start = at;
        }
        previous = Some(c);
    }
    tokens.push(&text[start..]);
    tokens
}

/// `text` changed in a few places; `other` lends lines.
pub(crate) fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        text = once(&text, other, random);
    }
    text
}

fn once(text: &str, other: &str, random: &mut Random) -> String {
    let mut pick = |n: usize| random.below(n.max(1) as u64) as usize;
    match pick(10) {
        0 => {
            // A byte of its own.
            let mut bytes = text.as_bytes().to_vec();
            let at = pick(bytes.len());
            if let Some(byte) = bytes.get_mut(at) {
                *byte = pick(256) as u8;
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => {
            // Ends early.
            let end = pick(text.len());
            text.chars().take(end).collect()
        }
        2 | 3 => {
            let mut lines: Vec<&str> = text.lines().collect();
            let (from, to) = (pick(lines.len()), pick(lines.len()));
            match pick(4) {
                0 if !lines.is_empty() => {
                    lines.remove(from);
                }
                1 if !lines.is_empty() => lines.insert(to, lines[from]),
                2 if !lines.is_empty() => lines.swap(from, to),
                _ => {
                    let lent: Vec<&str> = other.lines().collect();
                    lines.insert(to, lent.get(pick(lent.len())).copied().unwrap_or_default());
                }
            }
            lines.join("\n")
        }
        kind => {
            let mut tokens = tokens(text);
            let (at, from) = (pick(tokens.len()), pick(tokens.len()));
            match kind {
                4 => tokens[at] = TOKENS[pick(TOKENS.len())],
                5 => tokens.insert(at, TOKENS[pick(TOKENS.len())]),
                6 => tokens[at] = "",
                7 => tokens[at] = tokens[from],
                8 => tokens.swap(at, from),
                _ => {
                    // One part of an instruction's word: another type, or none.
                    let parts = [
                        ".u8", ".s16", ".u32", ".s64", ".f32", ".f64", ".pred", ".b16", ".v4",
                        ".sat", ".ftz", ".wide", ".f16", "",
                    ];
                    let part = parts[pick(parts.len())];
                    let dotted: Vec<usize> =
                        (0..tokens.len()).filter(|&at| tokens[at].contains('.')).collect();
                    if let Some(&at) = dotted.get(pick(dotted.len())) {
                        let cut = tokens[at].rfind('.').unwrap_or(0);
                        let changed = format!("{}{part}", &tokens[at][..cut]);
                        return [tokens[..at].concat(), changed, tokens[at + 1..].concat()]
                            .concat();
                    }
                }
            }
            tokens.concat()
        }
    }
}
