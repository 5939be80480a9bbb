//! What is read off the PTX: which argument each access goes through, and
//! whether lanes may rely on progressing by themselves.

use std::collections::{HashMap, HashSet};

use crate::ptx::{Function, Instruction, Module, Operand};

/// What a register's value was made of.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Origin {
    /// Parameters, by the 8-byte words of all of them.
    params: HashSet<u16>,
    /// Also of something that may be a pointer from anywhere.
    unknown: bool,
}

impl Origin {
    fn join(&mut self, other: &Self) -> bool {
        let before = (self.params.len(), self.unknown);
        self.params.extend(&other.params);
        self.unknown |= other.unknown;
        before != (self.params.len(), self.unknown)
    }
}

/// The first of the 8-byte words of every parameter.
fn words<'a>(function: &Function<'a>) -> HashMap<&'a str, u16> {
    let mut next: u64 = 0;
    let mut words = HashMap::new();
    for param in &function.params {
        words.insert(param.name, next.min(u64::from(u16::MAX)) as u16);
        let bits = param.ty.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let bytes = bits.parse::<u64>().map_or(8, |bits| bits / 8);
        next = next.saturating_add(bytes.saturating_mul(param.count).div_ceil(8));
    }
    words
}

/// For every line with one memory access of `function`: the words of parameters
/// that its address was computed from. Lines whose address may hold a pointer that was
/// loaded from memory are left out.
pub(crate) fn origins(function: &Function) -> HashMap<u32, Vec<u16>> {
    let index = words(function);
    let instructions: Vec<&Instruction> = function.instructions().collect();
    let mut known: HashMap<&str, Origin> = HashMap::new();
    // Registers only gain origins, so this ends.
    let mut changed = true;
    while changed {
        changed = false;
        for instruction in &instructions {
            let Some((first, rest)) = instruction.operands.split_first() else { continue };
            if matches!(first, Operand::Address(_))
                || matches!(instruction.opcode, "red" | "bra" | "bar" | "barrier")
            {
                continue;
            }
            let origin = value_of(instruction, rest, &index, &known);
            first.each_name(&mut |name| {
                changed |= known.entry(name).or_default().join(&origin);
            });
        }
    }
    let mut found: HashMap<u32, Option<Vec<u16>>> = HashMap::new();
    for instruction in &instructions {
        let address = instruction.operands.iter().find_map(|operand| match operand {
            Operand::Address(address) => address.base,
            _ => None,
        });
        let Some(base) = address.filter(|_| !instruction.has("param")) else { continue };
        let params = known
            .get(base)
            .filter(|origin| !origin.unknown)
            .map(|origin| origin.params.iter().copied().collect());
        found
            .entry(instruction.position.line)
            .and_modify(|several| *several = None)
            .or_insert(params);
    }
    found.into_iter().filter_map(|(line, params)| Some((line, params?))).collect()
}

/// What an instruction's result is made of.
fn value_of<'a>(
    instruction: &Instruction<'a>,
    rest: &[Operand<'a>],
    index: &HashMap<&str, u16>,
    known: &HashMap<&str, Origin>,
) -> Origin {
    let mut origin = Origin::default();
    match instruction.opcode {
        "ld" | "ldu" if instruction.has("param") => {
            if let [Operand::Address(address)] = rest {
                let first = address.base.and_then(|name| index.get(name));
                let word = u16::try_from(address.offset / 8).ok();
                origin
                    .params
                    .extend(first.zip(word).map(|(first, word)| first.saturating_add(word)));
            }
        }
        // A number of 32 bits is no pointer.
        "ld" | "ldu" | "atom" => {
            origin.unknown = ["b64", "u64", "s64"].iter().any(|ty| instruction.has(ty));
        }
        "call" => origin.unknown = true,
        _ => {
            for operand in rest {
                operand.each_name(&mut |name| {
                    if let Some(other) = known.get(name) {
                        origin.join(other);
                    }
                });
            }
        }
    }
    origin
}

/// Whether lanes of a warp progress by themselves on the module's target: from
/// `sm_70` on.
pub(crate) fn independent_lanes(module: &Module) -> bool {
    let digits: String = module
        .target
        .chars()
        .skip_while(|c| !c.is_ascii_digit())
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse::<u32>().is_ok_and(|number| number >= 70)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::ptx::{Item, parse};

    #[test]
    fn addresses_are_traced_to_their_arguments() {
        let text = ".version 7.8\n.target sm_61\n.address_size 64\n\
            .entry k(.param .u64 a, .param .u64 b, .param .u32 n) {\n\
            .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;\n\
            ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];\n\
            ld.global.u32 %r2, [%rd1];\n\
            mad.wide.u32 %rd3, %r2, %r1, %rd2;\n\
            st.global.u32 [%rd3], %r2;\n\
            selp.b64 %rd4, %rd1, %rd2, %p1;\n\
            st.global.u32 [%rd4], %r2;\n\
            ld.global.u64 %rd5, [%rd1]; \n\
            st.global.u32 [%rd5], %r2;\n\
            ret; }";
        let module = parse(text, "t").unwrap();
        assert!(!independent_lanes(&module));
        let Some(Item::Function(function)) = module.items.last() else { panic!("no kernel") };
        let origins = origins(function);
        let at = |line| {
            origins.get(&line).map(|params| {
                let mut params = params.clone();
                params.sort_unstable();
                params
            })
        };
        assert_eq!(at(7), Some(vec![0]));
        assert_eq!(at(9), Some(vec![1, 2]));
        assert_eq!(at(11), Some(vec![0, 1]));
        assert_eq!(at(13), None);
    }
}
