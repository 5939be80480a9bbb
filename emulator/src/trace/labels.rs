//! What registers hold in terms of the source, as far as the PTX tells: parameters, the indices
//! of threads and blocks, the addresses of variables. PTX has no names for other variables.

use crate::program::{Kernel, NamedRegister};
use crate::ptx::{self, Address, Operand};
use crate::trace::symbols::Named;

/// What a register that is written once holds from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Label {
    /// The parameter with this number.
    Parameter(usize),
    /// A built-in variable, or the address of a variable.
    Variable(String),
}

/// Per register of the kernel: its label. `texts` and `named` are per instruction.
pub(crate) fn labels(
    kernel: &Kernel,
    module: &ptx::Module,
    texts: &[Option<&ptx::Instruction>],
    named: &[Vec<Named>],
) -> Vec<Option<Label>> {
    let mut writers = vec![0_u32; kernel.registers.len()];
    for it in named.iter().flatten().filter(|it| it.written) {
        writers[it.register] += 1;
    }
    let params = parameters(kernel, module);
    let mut labels: Vec<Option<Label>> = vec![None; kernel.registers.len()];
    // In the order of the text: what is copied has its label by then.
    for (text, named) in texts.iter().zip(named) {
        let written = named.iter().find(|it| it.written && writers[it.register] == 1);
        let (Some(text), Some(written)) = (text, written) else { continue };
        labels[written.register] = match (text.opcode, text.operands.as_slice()) {
            ("ld", [_, Operand::Address(Address { base: Some(name), offset: 0 })])
                if text.has("param") =>
            {
                params.iter().position(|it| it == name).map(Label::Parameter)
            }
            ("mov" | "cvta", [_, Operand::Name(name)]) => {
                let is_it = |it: &&Named| kernel.registers[it.register].name == *name;
                match named.iter().find(is_it) {
                    Some(copied) => labels[copied.register].clone(),
                    None => variable(name).map(Label::Variable),
                }
            }
            _ => None,
        };
    }
    labels
}

/// The names of the kernel's parameters in the PTX.
pub(crate) fn parameters<'a>(kernel: &Kernel, module: &ptx::Module<'a>) -> Vec<&'a str> {
    let entry = module.items.iter().find_map(|item| match item {
        ptx::Item::Function(it) if it.entry && it.name == kernel.name => Some(it),
        _ => None,
    });
    entry.into_iter().flat_map(|it| &it.params).map(|param| param.name).collect()
}

/// A special register or a variable of the PTX as CUDA C++ writes it.
fn variable(name: &str) -> Option<String> {
    if let Some(special) = name.strip_prefix('%') {
        let (what, axis) = special.split_once('.')?;
        let built_in = match what {
            "tid" => "threadIdx",
            "ctaid" => "blockIdx",
            "ntid" => "blockDim",
            "nctaid" => "gridDim",
            _ => return None,
        };
        return Some(format!("{built_in}.{axis}"));
    }
    Some(local_name(name).unwrap_or(name).to_owned())
}

/// The name of a variable of a function, as `_ZZ9transposePfE4tile` spells it.
fn local_name(mangled: &str) -> Option<&str> {
    let rest = mangled.strip_prefix("_ZZ")?;
    rest.match_indices('E').find_map(|(at, _)| {
        let name = &rest[at + 1..];
        let digits = name.find(|c: char| !c.is_ascii_digit())?;
        let long: usize = name[..digits].parse().ok()?;
        let end = digits.checked_add(long)?;
        // Behind it is nothing, or the number of a name that is used again.
        let last = name.get(end..).is_some_and(|more| more.is_empty() || more.starts_with('_'));
        name.get(digits..end).filter(|_| last)
    })
}

/// What a register holds: with the names of the parameters.
pub(crate) fn in_words(
    label: &Label,
    parameters: &[String],
    register: &NamedRegister,
) -> Option<String> {
    let text = match label {
        Label::Parameter(index) => parameters.get(*index)?,
        Label::Variable(name) => name,
    };
    (*text != register.name).then(|| text.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_called_as_in_the_source() {
        for (name, word) in [
            ("%tid.x", Some("threadIdx.x")),
            ("%nctaid.z", Some("gridDim.z")),
            ("%clock", None),
            ("tile", Some("tile")),
            ("_ZZ9transposePfE4tile", Some("tile")),
            ("_ZZ6EEEE1EPfE4tile_0", Some("tile")),
            ("_ZZ9transposePfE99tile", Some("_ZZ9transposePfE99tile")),
        ] {
            assert_eq!(variable(name).as_deref(), word, "{name}");
        }
    }
}
