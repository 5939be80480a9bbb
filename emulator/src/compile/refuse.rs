//! What instructions are refused for, and what all of them check.

use std::fmt::Display;

use crate::compile::types::Type;
use crate::ptx;

/// Why an instruction was refused; becomes a [`LoadError`](crate::LoadError) with its place.
pub(crate) type Refusal = String;

/// The result of compiling something.
pub(crate) type Compiled<T = ()> = Result<T, Refusal>;

/// Refuses an instruction that this version does not execute.
pub(crate) fn unsupported<T>(instruction: &ptx::Instruction) -> Compiled<T> {
    Err(format!("`{}` is not supported yet", instruction.word))
}

/// Refuses an instruction that does not have `expected` operands.
pub(crate) fn miscounted<T>(instruction: &ptx::Instruction, expected: impl Display) -> Compiled<T> {
    let (word, found) = (instruction.word, instruction.operands.len());
    Err(format!("`{word}` takes {expected} operands, not {found}"))
}

/// The operands, if there are exactly `N`.
pub(crate) fn operands<'i, 'a, const N: usize>(
    instruction: &'i ptx::Instruction<'a>,
) -> Compiled<&'i [ptx::Operand<'a>; N]> {
    instruction.operands.as_slice().try_into().or_else(|_| miscounted(instruction, N))
}

/// The first `N` operands, and one more if there is one.
pub(crate) fn operands_and_more<'i, 'a, const N: usize>(
    instruction: &'i ptx::Instruction<'a>,
) -> Compiled<(&'i [ptx::Operand<'a>; N], Option<&'i ptx::Operand<'a>>)> {
    match instruction.operands.split_first_chunk() {
        Some((first, [])) => Ok((first, None)),
        Some((first, [more])) => Ok((first, Some(more))),
        _ => miscounted(instruction, format_args!("{N} or {}", N + 1)),
    }
}

/// The destination and exactly `count` sources.
pub(crate) fn sources<'i, 'a>(
    instruction: &'i ptx::Instruction<'a>,
    count: usize,
) -> Compiled<(&'i ptx::Operand<'a>, &'i [ptx::Operand<'a>])> {
    match instruction.operands.split_first() {
        Some((d, sources)) if sources.len() == count => Ok((d, sources)),
        _ => miscounted(instruction, count + 1),
    }
}

/// The type that an instruction names last: `add.sat.s32` works on `s32`.
pub(crate) fn last_type(instruction: &ptx::Instruction) -> Compiled<Type> {
    instruction
        .modifiers()
        .filter_map(Type::parse)
        .last()
        .ok_or_else(|| format!("`{}` names no type", instruction.word))
}
