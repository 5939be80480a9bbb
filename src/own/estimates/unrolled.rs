//! How often machine code waits for loads and branches of loops that `ptxas` unrolls.
//!
//! After unrolling, the loads of several iterations are in flight at the same time, up to a limit set by
//! registers. Exceptions: loops that store to global memory, and loads whose address depends on an
//! earlier iteration's load.

use std::collections::HashSet;

use super::blocks::Block;
use crate::emulator::ptx::Instruction;

/// Iterations per unrolled iteration.
pub(super) const ROUNDS: f32 = 4.0;

/// Loads in flight at the same time.
const TOGETHER: f32 = 16.0;

/// Waits per iteration of an unrolled loop for its branch and its loads, by line.
pub(super) fn waits(blocks: &[Block]) -> Vec<(u32, f32)> {
    blocks.iter().filter(|it| it.unrolled).flat_map(of).collect()
}

fn of(block: &Block) -> Vec<(u32, f32)> {
    let global = |it: &Instruction| !["shared", "local", "param"].iter().any(|space| it.has(space));
    let stores = block.body.iter().any(|it| it.opcode == "st" && global(it));
    let loads = block.body.iter().enumerate().filter(|(_, it)| it.opcode == "ld" && global(it));
    let each = (loads.clone().count() as f32 / TOGETHER).clamp(1.0 / ROUNDS, 1.0);
    let apart = loads.filter(|(at, _)| !stores && !carried(block, *at));
    let branch = block.body.last().map(|it| (it.position.line, 1.0 / ROUNDS));
    apart.map(|(_, it)| (it.position.line, each)).chain(branch).collect()
}

/// Whether the address of a load depends on a load of an earlier iteration.
fn carried(block: &Block, load: usize) -> bool {
    // A register, where it is read, and whether that is in an earlier iteration.
    let mut left: Vec<(&str, usize, bool)> = Vec::new();
    let mut seen = HashSet::new();
    let (mut reader, mut before) = (load, false);
    loop {
        if seen.insert((reader, before)) {
            for operand in block.body[reader].operands.iter().skip(1) {
                operand.each_name(&mut |name| left.push((name, reader, before)));
            }
        }
        let Some((name, at, earlier)) = left.pop() else { return false };
        let Some(writers) = block.writers.get(name) else { continue };
        let here = writers.iter().rfind(|writer| **writer < at);
        let Some(&writer) = here.or(writers.last()) else { continue };
        (reader, before) = (writer, earlier || here.is_none());
        if before && block.body[writer].opcode == "ld" {
            return true;
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::blocks::blocks;
    use super::super::tests::in_kernel;
    use super::*;

    /// What is found for a loop with this body; lines from its label on.
    fn found(body: &str) -> Vec<(u32, f32)> {
        in_kernel(&format!("L:\n{body}\n@%p1 bra L;"), |function| {
            waits(&blocks(function)).into_iter().map(|(line, waits)| (line - 6, waits)).collect()
        })
    }

    const SUM: &str = "ld.global.f32 %f1, [%rd1];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %rd1, %rd1, 4;\n\
                       add.s32 %r1, %r1, 1;\nsetp.lt.s32 %p1, %r1, %r2;";

    #[test]
    fn loads_of_four_rounds_of_a_counted_loop_are_on_their_way_together() {
        assert_eq!(found(SUM), [(1, 0.25), (6, 0.25)]);
        let loads = "ld.global.f32 %f3, [%rd1+4];\n".repeat(7);
        let eight = found(&format!("{loads}{SUM}"));
        assert_eq!((eight.len(), eight[0], eight[8]), (9, (1, 0.5), (13, 0.25)));
    }

    #[test]
    fn other_loops_stay_as_they_are() {
        let none: [(u32, f32); 0] = [];
        assert_eq!(found(&format!(".pragma \"nounroll\";\n{SUM}")), none);
        assert_eq!(found(&format!("bar.sync 0;\n{SUM}")), none);
        assert_eq!(found(&SUM.replace("%r1, 1;", "%r1, %r3;")), none);
        assert_eq!(found(&SUM.replace("%r1, %r2;", "%r1, %r4;\nadd.s32 %r4, %r4, 1;")), none);
        let long = "mul.f32 %f2, %f2, %f2;\n".repeat(40);
        assert_eq!(found(&format!("{long}{SUM}")), none);
    }

    #[test]
    fn loads_that_wait_for_earlier_rounds_wait_in_each() {
        // A list: the next address is loaded.
        let list = SUM.replace("add.s64 %rd1, %rd1, 4;", "ld.global.u64 %rd1, [%rd1+8];");
        assert_eq!(found(&list), [(6, 0.25)]);
        let stores = SUM.replace("add.f32", "st.global.f32 [%rd2], %f1; add.f32");
        assert_eq!(found(&stores), [(6, 0.25)]);
        // An address from an index that is loaded does not, nor one that is a row further.
        let gather = "ld.global.u32 %r5, [%rd1];\nmul.wide.u32 %rd2, %r5, 4;\nadd.s64 %rd3, %rd4, %rd2;\n\
                      ld.global.f32 %f3, [%rd3];\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\n\
                      setp.ne.s32 %p1, %r1, 64;";
        assert_eq!(found(gather), [(1, 0.25), (4, 0.25), (8, 0.25)]);
        assert_eq!(found(&SUM.replace("%rd1, 4;", "%rd1, %rd2;")), [(1, 0.25), (6, 0.25)]);
    }
}
