//! What instructions are refused for, and what all of them check.

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

/// The operands, if there are exactly as many as expected.
pub(crate) fn operands<'i, 'a, const N: usize>(
    instruction: &'i ptx::Instruction<'a>,
) -> Compiled<&'i [ptx::Operand<'a>; N]> {
    instruction.operands.as_slice().try_into().map_err(|_| {
        format!("`{}` takes {N} operands, not {}", instruction.word, instruction.operands.len())
    })
}

/// The type that an instruction names last: `add.sat.s32` works on `s32`.
pub(crate) fn last_type(instruction: &ptx::Instruction) -> Compiled<Type> {
    instruction
        .modifiers()
        .filter_map(Type::parse)
        .last()
        .ok_or_else(|| format!("`{}` names no type", instruction.word))
}
