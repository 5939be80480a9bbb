//! What a machine instruction counts as: units, turns of a scheduler, jumps. The rules and their
//! reasons are in `kernels/issues.py`.

use std::collections::BTreeMap;

use super::super::listing::{Block, Instruction};

/// Of [`Kinds`]: floats.
pub(super) const FLOATS: usize = 4;

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

/// Of [`Kinds`]: products of integers.
const PRODUCTS: usize = 2;

/// Of the unit for special functions and conversions.
const SPECIAL: [&str; 8] = ["MUFU", "POPC", "FLO", "BREV", "I2F", "F2I", "F2F", "FRND"];

/// Of the unit for floats, which also takes pairs of halves.
const FLOAT: [&str; 6] = ["FADD", "FMUL", "FFMA", "HADD2", "HMUL2", "HFMA2"];

/// Of the unit for doubles.
const DOUBLE: [&str; 5] = ["DADD", "DMUL", "DFMA", "DSETP", "DMNMX"];

/// Of [`Kinds`]: doubles.
const DOUBLES: usize = 5;

/// How many instructions of the unit for doubles a product of matrices takes as long as, by the
/// shape in its name: one for each 64 products, and eight at least (`benches/data/h200/modern_times.csv`).
fn products(mnemonic: &str) -> f64 {
    let shape = mnemonic.split('.').nth(1).unwrap_or_default();
    let sizes = shape.split('x').map(str::parse::<f64>);
    let products: f64 = sizes.map(|it| it.unwrap_or(0.0)).product();
    (products / 64.0).max(8.0)
}

/// Machine instructions: all, and those of the five units; how often a warp jumps; and the
/// cycles that it takes for them where it runs alone.
pub(super) type Kinds = [f64; ALONE + 1];

/// Of [`Kinds`]: where a warp jumps.
pub(super) const JUMPS: usize = 6;

/// Of [`Kinds`]: the cycles.
pub(super) const ALONE: usize = 7;

/// What makes lanes meet again. It has no PTX line of its own, so it tells nothing about copies.
const GATHER: [&str; 2] = ["BSSY", "BSYNC"];

/// What counts beside the line's own instructions.
pub(super) fn further(it: &Instruction) -> f64 {
    let mut words = it.mnemonic.split('.');
    match (words.next(), words.next()) {
        // Further turns of a scheduler.
        (Some("IMAD"), Some("WIDE" | "HI")) => 2.0,
        _ => f64::from(u8::from(it.is(&GATHER))),
    }
}

/// The blocks of a function by their labels.
pub(super) fn places(blocks: &[Block]) -> BTreeMap<&str, usize> {
    let mut places = BTreeMap::new();
    for (at, block) in blocks.iter().enumerate() {
        places.extend(block.labels.iter().map(|label| (label.as_str(), at)));
    }
    places
}

/// How many jumps take a scheduler as long as a return, and how many as long as a call whose address
/// is in a register (`benches/data/h200/calls.csv`).
const RETURN: f64 = 2.9;
const INDIRECT: f64 = 6.9;

/// How often a warp jumps behind this instruction of a block. Of branches ahead
/// with a condition, half do.
fn jumps(it: &Instruction, block: usize, places: &BTreeMap<&str, usize>) -> f64 {
    const JUMP: [&str; 6] = ["BRA", "BRX", "JMP", "JMX", "CALL", "BSYNC"];
    let name = it.mnemonic.split('.').next().unwrap_or_default();
    match name {
        "RET" => return RETURN,
        "CALL" if it.operands.starts_with('R') => return INDIRECT,
        _ if !JUMP.contains(&name) => return 0.0,
        _ => {}
    }
    let to = it.operands.split_once("`(").and_then(|(_, to)| to.split(')').next());
    let ahead = to.and_then(|to| places.get(to)).is_some_and(|to| *to > block);
    if it.guarded && ahead { 0.5 } else { 1.0 }
}

/// The units of a machine instruction. That for products takes twice as long for upper halves and for
/// all bits of a product.
pub(super) fn kinds(it: &Instruction, block: usize, places: &BTreeMap<&str, usize>) -> Kinds {
    let name = it.mnemonic.split('.').next().unwrap_or_default();
    let units = [INTEGER, &PRODUCT, &SPECIAL, &FLOAT, &DOUBLE];
    let mut kinds = [1.0; ALONE + 1];
    for (kind, names) in kinds[1..].iter_mut().zip(units) {
        *kind = f64::from(u8::from(names.contains(&name)));
    }
    if name == "IMAD"
        && it.mnemonic.split('.').nth(1).is_some_and(|way| matches!(way, "WIDE" | "HI"))
    {
        kinds[PRODUCTS] += 1.0;
    }
    if name == "DMMA" {
        kinds[DOUBLES] = products(&it.mnemonic);
    }
    if it.is(&GATHER) {
        kinds[0] = 0.0;
    }
    kinds[JUMPS] = jumps(it, block, places);
    kinds[ALONE] = it.cycles;
    kinds
}
