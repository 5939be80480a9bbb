//! Registers per thread: from `--regs`, from `ptxas`, or estimated.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::emulator::ptx::{Function, Instruction, Operand, Statement};

/// A number of registers and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Registers {
    /// Registers per thread.
    pub(super) count: u32,
    /// `--regs`, `ptxas` or `estimate`.
    pub(super) from: &'static str,
}

/// Registers per thread of `function` in `file` on compute capability `cc`.
pub(super) fn find(given: Option<u32>, file: &Path, function: &Function, cc: u32) -> Registers {
    if let Some(count) = given {
        return Registers { count, from: "--regs" };
    }
    if let Some(count) = assembled(file, function.name, cc) {
        return Registers { count, from: "ptxas" };
    }
    Registers { count: estimate(function), from: "estimate" }
}

/// What `ptxas` reports, if it is on the PATH and assembles the file.
fn assembled(file: &Path, entry: &str, cc: u32) -> Option<u32> {
    let file = std::path::absolute(file).ok()?;
    let mut child = Command::new("ptxas")
        .arg("-v")
        .arg(format!("-arch=sm_{cc}"))
        .arg(format!("--entry={entry}"))
        .arg("-o")
        .arg(if cfg!(windows) { "NUL" } else { "/dev/null" })
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    let mut report = String::new();
    child.stderr.take()?.read_to_string(&mut report).ok()?;
    if !child.wait().ok()?.success() {
        return None;
    }
    reported(&report, entry)
}

/// The registers of `entry` in the output of `ptxas -v`.
fn reported(report: &str, entry: &str) -> Option<u32> {
    let start = report.find(&format!("Compiling entry function '{entry}'"))?;
    let after = &report[start..];
    let used = &after[after.find("Used ")? + "Used ".len()..];
    used[..used.find(' ')?].parse().ok()
}

/// The largest number of live 32-bit values, with loops taken whole.
///
/// An estimate: `ptxas` moves, merges and recomputes values.
fn estimate(function: &Function) -> u32 {
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
                names(instruction, &mut |name| {
                    let range = ranges.entry(name).or_insert((at, at));
                    range.1 = at;
                });
            }
            _ => {}
        }
    }
    let mut steps = vec![0_i64; body.len() + 1];
    for (name, (first, mut last)) in ranges {
        // A value defined before a loop and used in it lives until its end.
        for &(start, end) in &loops {
            if first < start && last > start && last < end {
                last = end;
            }
        }
        let kind = declared
            .iter()
            .filter(|(prefix, _)| name.starts_with(prefix))
            .max_by_key(|(prefix, _)| prefix.len());
        let Some((_, words)) = kind else { continue };
        steps[first] += i64::from(*words);
        steps[last] -= i64::from(*words);
    }
    let mut live = 0;
    let mut most = 0;
    for step in steps {
        live += step;
        most = most.max(live);
    }
    // Addresses in flight and the calling convention take some more.
    ((most as u32 + 6).next_multiple_of(2)).clamp(16, 255)
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

fn names<'a>(instruction: &Instruction<'a>, each: &mut impl FnMut(&'a str)) {
    fn operand<'a>(operand_: &Operand<'a>, each: &mut impl FnMut(&'a str)) {
        match operand_ {
            Operand::Name(name) | Operand::Not(name) => each(name),
            Operand::Pair(a, b) => {
                each(a);
                each(b);
            }
            Operand::Address(address) => address.base.into_iter().for_each(each),
            Operand::Vector(parts) | Operand::List(parts) => {
                for part in parts {
                    operand(part, each);
                }
            }
            _ => {}
        }
    }
    for part in &instruction.operands {
        operand(part, each);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::emulator::ptx::{Item, parse};

    #[test]
    fn the_assemblers_report_is_read_by_kernel() {
        let report = "ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
                      ptxas info    : Used 12 registers, used 0 barriers\n\
                      ptxas info    : Compiling entry function 'b' for 'sm_90'\n\
                      ptxas info    : Function properties for b\n\
                      ptxas info    : Used 40 registers, 400 bytes cmem[0]\n";
        assert_eq!(reported(report, "a"), Some(12));
        assert_eq!(reported(report, "b"), Some(40));
        assert_eq!(reported(report, "c"), None);
    }

    #[test]
    fn estimates_of_our_kernels_are_near_what_ptxas_says() {
        let text = include_str!("../../../kernels/ptx/histogram.ptx");
        let table = include_str!("../../../kernels/ptx/histogram.csv");
        let module = parse(text, "histogram.ptx").unwrap();
        let mut compared = 0;
        for item in &module.items {
            let Item::Function(function) = item else { continue };
            let row =
                table.lines().find(|line| line.starts_with(&format!("{},sm_90,", function.name)));
            let ptxas: u32 = row.unwrap().split(',').nth(2).unwrap().parse().unwrap();
            let found = estimate(function);
            assert!(found.abs_diff(ptxas) <= 12, "{}: {found}, ptxas says {ptxas}", function.name);
            compared += 1;
        }
        assert_eq!(compared, 4);
    }
}
