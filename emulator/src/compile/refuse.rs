//! What instructions are refused for, and what all of them check.

use crate::compile::types::Type;

use crate::ptx;

/// Why an instruction was refused; becomes a [`LoadError`](crate::LoadError) with its place.
pub(crate) type Refusal = String;

/// Refuses an instruction that this version does not execute.
pub(crate) fn unsupported<T>(instruction: &ptx::Instruction) -> Result<T, Refusal> {
    Err(format!("`{}` is not supported yet", instruction.word))
}

/// The operands, if there are exactly as many as expected.
pub(crate) fn operands<'i, 'a, const N: usize>(
    instruction: &'i ptx::Instruction<'a>,
) -> Result<&'i [ptx::Operand<'a>; N], Refusal> {
    instruction.operands.as_slice().try_into().map_err(|_| {
        format!("`{}` takes {N} operands, not {}", instruction.word, instruction.operands.len())
    })
}

/// The type that an instruction names last: `add.sat.s32` works on `s32`.
pub(crate) fn last_type(instruction: &ptx::Instruction) -> Result<Type, Refusal> {
    instruction
        .modifiers()
        .filter_map(Type::parse)
        .last()
        .ok_or_else(|| format!("`{}` names no type", instruction.word))
}
