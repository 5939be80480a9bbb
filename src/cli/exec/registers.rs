//! What the kernel takes: registers from `--regs`, from `ptxas`, or estimated.

use serde::Serialize;

use crate::compiler;
use crate::emulator::MachineCode;
use crate::emulator::ptx::Module;
use crate::own::estimates;
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

/// The facts of the kernel `name` of a module, whose text is `text`, on compute capability `cc`.
pub(super) fn find(given: Option<u32>, text: &str, module: &Module, name: &str, cc: u32) -> Facts {
    let mut table = if given.is_some() { String::new() } else { compiler::resources(text, cc) };
    if table.is_empty() {
        table += ResourceTable::HEADER;
    }
    table += &estimates(module);
    let table = ResourceTable(&table);
    let Resources { registers, stack, estimated, .. } =
        table.resources(name, cc).unwrap_or_default();
    let (count, from) = match given {
        Some(count) => (count, "--regs"),
        None => (registers, if estimated { "estimate" } else { "ptxas" }),
    };
    let machine_code = table.machine_code(name, cc);
    Facts { registers: Registers { count, from }, stack, machine_code }
}
