//! Which registers each instruction of a kernel names.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::program::operands::{self, Register};
use crate::program::{Kernel, NamedRegister};
use crate::ptx::{self, Item, Operand};
use crate::trace::labels::{self, Label};

/// A register that an instruction names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Named {
    /// Index in [`Kernel::registers`].
    pub(crate) register: usize,
    pub(crate) written: bool,
}

/// What the text of a kernel says about its instructions.
#[derive(Debug, Default)]
pub(crate) struct Symbols {
    /// Per instruction.
    named: Vec<Vec<Named>>,
    /// Per instruction: the registers that its ops read, and those they write.
    used: Vec<(Vec<Register>, Vec<Register>)>,
    /// Registers that some op writes, or that hold a value before the block starts. Others are
    /// folded away.
    real: HashSet<Register>,
    /// Per register of the kernel: what it holds, where the text says so.
    labels: Vec<Option<Label>>,
    /// The names of the parameters.
    parameters: Vec<String>,
}

/// Instructions whose first operand is no result.
const WRITE_NOTHING: [&str; 18] = [
    "st",
    "red",
    "bra",
    "brx",
    "ret",
    "exit",
    "call",
    "bar",
    "barrier",
    "membar",
    "fence",
    "cp",
    "prefetch",
    "prefetchu",
    "stmatrix",
    "trap",
    "discard",
    "nanosleep",
];

impl Symbols {
    /// Of a kernel that was compiled from `module` with the names of its registers.
    pub(crate) fn of(kernel: &Kernel, module: &ptx::Module) -> Self {
        let mut used = vec![(Vec::new(), Vec::new()); kernel.instructions.len()];
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let mut real = HashSet::new();
        for (inst, &origin) in kernel.insts.iter().zip(&kernel.origins) {
            operands::find(kernel, *inst, &mut reads, &mut writes);
            real.extend(&writes);
            if let Some((read, written)) = used.get_mut(origin as usize) {
                read.append(&mut reads);
                written.append(&mut writes);
            }
        }
        for fill in &kernel.fills {
            real.insert(if fill.wide {
                Register::Double(fill.slot)
            } else {
                Register::Word(fill.slot)
            });
        }
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, NamedRegister { name, .. }) in kernel.registers.iter().enumerate() {
            by_name.entry(name).or_default().push(index);
            // An instruction names the whole of what has parts: `%rq1` of `%rq1.lo`.
            if let Some((whole, _)) = name.split_once('.') {
                by_name.entry(whole).or_default().push(index);
            }
        }
        // Functions are compiled in an order of their own, instructions in that of the text.
        let mut texts: HashMap<(u32, &str), VecDeque<&ptx::Instruction>> = HashMap::new();
        let functions = module.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Variable(_) => None,
        });
        for instruction in functions.flat_map(ptx::Function::instructions) {
            let key = (instruction.position.line, instruction.word);
            texts.entry(key).or_default().push_back(instruction);
        }
        let mut named = vec![Vec::new(); kernel.instructions.len()];
        let mut found = vec![None; kernel.instructions.len()];
        for (index, instruction) in kernel.instructions.iter().enumerate() {
            let key = (instruction.line, instruction.word.as_str());
            let Some(text) = texts.get_mut(&key).and_then(VecDeque::pop_front) else { continue };
            found[index] = Some(text);
            let (read, written) = &used[index];
            let ops = |register: &Register| read.contains(register) || written.contains(register);
            each_name(text, |name, is_written| {
                let Some(known) = by_name.get(name) else { return };
                // Scopes may use a name again: the one that the ops use is meant.
                let by_ops =
                    known.iter().copied().filter(|&it| ops(&kernel.registers[it].register));
                let mut meant: Vec<usize> = by_ops.collect();
                if meant.is_empty() {
                    meant.extend(known.first());
                }
                for register in meant {
                    match named[index].iter_mut().find(|it: &&mut Named| it.register == register) {
                        Some(known) => known.written |= is_written,
                        None => named[index].push(Named { register, written: is_written }),
                    }
                }
            });
        }
        let labels = labels::labels(kernel, module, &found, &named);
        let names = labels::parameters(kernel, module).into_iter();
        let parameters =
            names.map(|name| name.replace(&format!("{}_param_", kernel.name), "parameter "));
        let parameters = parameters.collect();
        Self { named, used, real, labels, parameters }
    }

    /// The registers that an instruction names and that hold values.
    pub(crate) fn named<'s>(
        &'s self,
        kernel: &'s Kernel,
        instruction: usize,
    ) -> impl Iterator<Item = Named> + 's {
        let named = self.named.get(instruction).into_iter().flatten().copied();
        named.filter(|it| self.real.contains(&kernel.registers[it.register].register))
    }

    /// Calls the parameters as the source does.
    pub(crate) fn name_parameters(&mut self, names: &[String]) {
        if names.len() == self.parameters.len() {
            self.parameters = names.to_vec();
        }
    }

    /// What a register of the kernel holds, in terms of the source.
    pub(crate) fn label(&self, kernel: &Kernel, register: usize) -> Option<String> {
        let label = self.labels.get(register)?.as_ref()?;
        labels::in_words(label, &self.parameters, &kernel.registers[register])
    }

    /// Whether a register holds a value that some instruction gives it.
    pub(crate) fn is_real(&self, register: Register) -> bool {
        self.real.contains(&register)
    }

    /// The registers that the ops of an instruction read, and those they write.
    pub(crate) fn used(&self, instruction: usize) -> (&[Register], &[Register]) {
        self.used.get(instruction).map_or((&[], &[]), |(read, written)| (read, written))
    }
}

/// Calls `each` with every name of an instruction and whether it is written.
fn each_name<'a>(instruction: &ptx::Instruction<'a>, mut each: impl FnMut(&'a str, bool)) {
    let writes = !WRITE_NOTHING.contains(&instruction.opcode);
    for (index, operand) in instruction.operands.iter().enumerate() {
        let result = index == 0 && writes && !matches!(operand, Operand::Address(_));
        operand.each_name(&mut |name| each(name, result));
    }
    if let Some(guard) = instruction.guard {
        each(guard.register, false);
    }
}
