//! What the kernel takes: registers from `--regs`, from `ptxas`, or estimated.

use serde::Serialize;

use crate::compiler;
use crate::emulator::MachineCode;
use crate::emulator::ptx::Function;
use crate::own::estimate_registers;
use crate::work::{ResourceTable, Resources};

/// A number of registers and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(super) struct Registers {
    /// Registers per thread.
    pub(super) count: u32,
    /// `--regs`, `ptxas` or `estimate`.
    pub(super) from: &'static str,
}

/// What the kernel takes on one architecture.
pub(super) struct Facts {
    pub(super) registers: Registers,
    pub(super) stack: u32,
    pub(super) machine_code: MachineCode,
}

/// The facts of `function` of the PTX `text` on compute capability `cc`.
pub(super) fn find(given: Option<u32>, text: &str, function: &Function, cc: u32) -> Facts {
    let alone = |count, from| Facts {
        registers: Registers { count, from },
        stack: 0,
        machine_code: MachineCode::default(),
    };
    if let Some(count) = given {
        return alone(count, "--regs");
    }
    let table = compiler::resources(text, cc);
    let table = ResourceTable(&table);
    match table.resources(function.name, cc) {
        Some(Resources { registers, stack, .. }) => {
            let machine_code = table.machine_code(function.name, cc);
            Facts { stack, machine_code, ..alone(registers, "ptxas") }
        }
        None => alone(estimate_registers(function), "estimate"),
    }
}
