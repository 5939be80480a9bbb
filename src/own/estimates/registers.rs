//! Registers per thread, estimated from PTX.

use std::collections::HashMap;

use crate::emulator::ptx::{Function, Operand, Statement};

/// The largest number of live 32-bit values, with loops taken whole.
///
/// An estimate: `ptxas` moves, merges and recomputes values.
pub(super) fn estimate(function: &Function) -> u32 {
    let body = function.body.as_deref().unwrap_or_default();
    let mut ranges: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut loops: Vec<(usize, usize)> = Vec::new();
    let mut declared: Vec<(&str, u32)> = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        match statement {
            Statement::Label(name, _) => {
                labels.insert(name, at);
            }
            Statement::Registers(decl) => declared.push((decl.name, words(decl.ty))),
            Statement::Instruction(instruction) => {
                if let ("bra", [Operand::Name(label)]) =
                    (instruction.opcode, instruction.operands.as_slice())
                    && let Some(&start) = labels.get(label)
                {
                    loops.push((start, at));
                }
                for operand in &instruction.operands {
                    operand.each_name(&mut |name| ranges.entry(name).or_insert((at, at)).1 = at);
                }
            }
            _ => {}
        }
    }
    let mut steps = vec![0_i64; body.len() + 1];
    for (name, (first, mut last)) in ranges {
        let kind = declared
            .iter()
            .filter(|(prefix, _)| name.starts_with(prefix))
            .max_by_key(|(prefix, _)| prefix.len());
        // Labels and predicates need no registers.
        let Some((_, words)) = kind.filter(|(_, words)| *words > 0) else { continue };
        // A value defined before a loop and used in it lives until its end.
        for &(start, end) in &loops {
            if first < start && last > start && last < end {
                last = end;
            }
        }
        steps[first] += i64::from(*words);
        steps[last] -= i64::from(*words);
    }
    let mut live = 0;
    let mut most = 0;
    for step in steps {
        live += step;
        most = most.max(live);
    }
    // With this estimate, 104 of the 668 kernels of `benches/timing/suite` get a wrong occupancy with blocks of
    // 256 threads; with a margin of 6 registers, 183 do.
    (most as u32).next_multiple_of(2).clamp(16, 255)
}

/// 32-bit registers for a value of this type; predicates have their own file.
fn words(ty: &str) -> u32 {
    match ty {
        "pred" => 0,
        "b64" | "u64" | "s64" | "f64" => 2,
        "b128" => 4,
        _ => 1,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::emulator::ptx::{Item, parse};
    use crate::work::ResourceTable;

    #[test]
    fn estimates_of_our_kernels_are_near_what_ptxas_says() {
        let text = include_str!("../../../kernels/ptx/histogram.ptx");
        let table = ResourceTable(include_str!("../../../kernels/ptx/histogram.csv"));
        let module = parse(text, "histogram.ptx").unwrap();
        let mut compared = 0;
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            let ptxas = table.resources(function.name, 90).unwrap().registers;
            let found = estimate(function);
            assert!(found.abs_diff(ptxas) <= 12, "{}: {found}, ptxas says {ptxas}", function.name);
            compared += 1;
        }
        assert_eq!(compared, 4);
    }
}
