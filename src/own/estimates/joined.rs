//! Loads of shared and constant memory that `ptxas` would join, found in the PTX alone.
//!
//! `ptxas` joins loads of neighbouring words to one load of 8 or 16 bytes. The loads must be in one
//! basic block, with no store to shared memory between them, and the first address must be a known
//! multiple of 8 or 16 bytes. Variables are aligned, because `ptxas` places them itself.

use std::collections::BTreeMap;

use super::origins::Origins;
use crate::emulator::ptx::{Address, Function, Instruction, Operand, Statement};

/// The lines of loads that `ptxas` would join to an earlier load. `placed` has the names of the
/// variables in shared and constant memory.
pub(super) fn joined(function: &Function, placed: &[&str]) -> Vec<u32> {
    let Some(origins) = Origins::of(function, placed) else { return Vec::new() };
    let (mut open, mut lines) = (Vec::new(), Vec::new());
    for statement in function.body.iter().flatten() {
        match statement {
            Statement::Instruction(instruction) => match load(&origins, instruction) {
                Some(load) => open.push(load),
                None if ends(instruction) => join(&mut open, &origins, &mut lines),
                None => {}
            },
            Statement::Label(..) => join(&mut open, &origins, &mut lines),
            _ => {}
        }
    }
    join(&mut open, &origins, &mut lines);
    lines.sort_unstable();
    lines
}

/// Whether an instruction keeps loads after it from being joined to loads before it: it branches, or
/// may write shared memory.
fn ends(instruction: &Instruction) -> bool {
    match instruction.opcode {
        "st" => !["global", "local", "param"].iter().any(|space| instruction.has(space)),
        opcode => [
            "bar", "barrier", "bra", "brx", "ret", "exit", "call", "atom", "red", "membar",
            "fence", "cp",
        ]
        .contains(&opcode),
    }
}

/// A load not yet joined: its line, its width in bytes, and its address as a base name plus an offset.
struct Load<'a> {
    line: u32,
    bytes: i64,
    base: &'a str,
    offset: i64,
}

/// Joins open loads of neighbouring words. Adds the lines of the joined loads to `lines`, except the
/// first of each group.
fn join(open: &mut Vec<Load>, origins: &Origins, lines: &mut Vec<u32>) {
    let mut places: BTreeMap<(&str, i64), BTreeMap<i64, Vec<u32>>> = BTreeMap::new();
    for load in open.drain(..) {
        let place = places.entry((load.base, load.bytes)).or_default();
        place.entry(load.offset).or_default().push(load.line);
    }
    for ((base, bytes), mut words) in places {
        for width in [16, 8] {
            if bytes >= width || origins.multiple(base) < width.trailing_zeros() {
                continue;
            }
            let starts: Vec<i64> = words.keys().copied().filter(|at| at % width == 0).collect();
            for start in starts {
                let all = (start..start + width).step_by(bytes as usize);
                if all.clone().all(|at| words.contains_key(&at)) {
                    let mut found: Vec<u32> =
                        all.filter_map(|at| words.remove(&at)).flatten().collect();
                    found.sort_unstable();
                    lines.extend(&found[1..]);
                }
            }
        }
    }
}

/// The load, if an instruction loads one word of shared or constant memory. A constant with a fixed
/// address is an operand in machine code, not a load.
fn load<'a>(origins: &Origins<'a, '_>, instruction: &Instruction<'a>) -> Option<Load<'a>> {
    let has = |space| instruction.has(space);
    let plain = instruction.opcode == "ld"
        && instruction.guard.is_none()
        && (has("shared") || has("const"));
    let [Operand::Name(_), Operand::Address(Address { base: Some(base), offset })] =
        instruction.operands[..]
    else {
        return None;
    };
    let bits = instruction.word.rsplit('.').next()?.get(1..)?.parse::<i64>().ok()?;
    let (base, further) = origins.base(base);
    let (offset, bytes) = (offset.checked_add(further)?, bits / 8);
    let plain = plain && (has("shared") || origins.is_written(base));
    let sound = bytes > 0 && u32::try_from(offset.unsigned_abs()).is_ok();
    (plain && sound).then_some(Load { line: instruction.position.line, bytes, base, offset })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::tests::{built_in, in_kernel};
    use super::*;
    use crate::emulator::ptx::{Item, Space, parse};
    use crate::work::ResourceTable;

    /// What is found in a kernel with the shared array `tile` and this body.
    fn found(body: &str) -> Vec<u32> {
        in_kernel(body, |function| joined(function, &["tile"]))
            .iter()
            .map(|line| line - 5)
            .collect()
    }

    const ROW: &str =
        "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 5; mov.u32 %r3, tile; add.s32 %r4, %r3, %r2;\n";

    #[test]
    fn four_words_at_a_multiple_of_16_bytes_are_one_load() {
        let loads = "ld.shared.f32 %f1, [%r4+16];\nld.shared.f32 %f2, [%r4+20];\nadd.f32 %f3, %f1, %f2;\n\
                     ld.shared.f32 %f4, [%r4+28];\nld.shared.f32 %f5, [%r4+24];\n";
        assert_eq!(found(&format!("{ROW}{loads}")), [3, 5, 6]);
        let two = loads.replace(", 5;", ", 3;");
        assert_eq!(found(&format!("{}{two}", ROW.replace(", 5;", ", 3;"))), [3, 6]);
        assert_eq!(found(&format!("{}{loads}", ROW.replace(", 5;", ", 2;"))), [0; 0]);
    }

    #[test]
    fn what_is_behind_a_store_a_barrier_or_a_label_is_another_load() {
        for between in ["st.shared.f32 [%r4], %f1;", "bar.sync 0;", "L:", "@%p1 bra L; L:"] {
            let text =
                format!("{ROW}ld.shared.f32 %f1, [%r4];\n{between}\nld.shared.f32 %f2, [%r4+4];");
            assert_eq!(found(&text), [0; 0], "{between}");
        }
        // Constants are operands, where their places are known.
        let constants =
            |from: &str| format!("{ROW}ld.const.f32 %f1, [{from}];\nld.const.f32 %f2, [{from}+4];");
        assert_eq!((found(&constants("%r4")), found(&constants("tile"))), (vec![3], vec![]));
        for between in ["st.global.f32 [%rd1], %f1;", "mul.f32 %f3, %f1, %f1;"] {
            let text =
                format!("{ROW}ld.shared.f32 %f1, [%r4];\n{between}\nld.shared.f32 %f2, [%r4+4];");
            assert_eq!(found(&text), [4], "{between}");
        }
    }

    #[test]
    fn an_address_that_a_loop_raises_by_16_stays_a_multiple_of_it() {
        let round = |step: u32| {
            format!(
                "{ROW}mov.u32 %r5, %r4;\nL:\nadd.s32 %r6, %r5, 8;\nld.shared.f32 %f1, [%r5+8];\n\
                 ld.shared.f32 %f2, [%r6+4];\nadd.s32 %r5, %r5, {step};\nbra L;"
            )
        };
        assert_eq!(found(&round(16)), [6]);
        assert_eq!(found(&round(4)), [0; 0]);
    }

    #[test]
    fn it_finds_nearly_what_ptxas_joins_in_the_kernels_of_the_systems() {
        let (mut right, mut missed, mut wrong) = (0, 0, 0);
        for (ptx, table) in built_in!("matmul", "radix_sweep", "reduce", "scan_lookback") {
            let parsed = parse(ptx, "k.ptx").unwrap();
            for item in &parsed.items {
                let Item::Function(kernel) = item else { continue };
                let code = ResourceTable(table).machine_code(kernel.name, 90);
                let is_load = |line| {
                    kernel.instructions().any(|it| it.position.line == line && it.has("shared"))
                };
                let truth: Vec<u32> = code
                    .issues
                    .iter()
                    .filter(|(line, kinds)| kinds[0] == 0.0 && is_load(*line))
                    .map(|(line, _)| *line)
                    .collect();
                let variables =
                    kernel.variables().chain(parsed.items.iter().filter_map(|it| match it {
                        Item::Variable(it) => Some(it),
                        Item::Function(_) => None,
                    }));
                let names: Vec<&str> =
                    variables.filter(|it| it.space == Space::Shared).map(|it| it.name).collect();
                let found = joined(kernel, &names);
                right += found.iter().filter(|line| truth.contains(line)).count();
                wrong += found.iter().filter(|line| !truth.contains(line)).count();
                missed += truth.iter().filter(|line| !found.contains(line)).count();
            }
        }
        assert!(right >= 90 && missed <= 5 && wrong <= 10, "{right} {missed} {wrong}");
    }
}
