//! Clusters of blocks that see each other's shared memory: every block here is
//! a cluster of its own, and what needs more is refused.

use crate::compile::refuse::{Compiled, Refusal};
use crate::ptx::{Function, Instruction, Position};

/// Refuses a kernel that wants clusters of several blocks.
pub(crate) fn check(function: &Function) -> Result<(), (Position, Refusal)> {
    let Some(cluster) = function.cluster else { return Ok(()) };
    let message = match cluster.blocks {
        Some(1) => return Ok(()),
        Some(blocks) => format!(
            "`{}` runs in clusters of {blocks} blocks, which are not supported yet: every block \
             is a cluster of its own",
            function.name
        ),
        None => format!(
            "`{}` wants its launch to give a cluster size (`.explicitcluster`), which is not \
             supported yet: every block is a cluster of its own",
            function.name
        ),
    };
    Err((cluster.position, message))
}

/// Refuses an instruction that reaches other blocks of a cluster.
pub(crate) fn refuse(instruction: &Instruction) -> Compiled {
    let reaches = match instruction.opcode {
        "mapa" | "getctarank" => true,
        "barrier" => instruction.has("cluster"),
        "mbarrier" | "cp" | "fence" => false,
        _ => instruction.modifiers().any(|word| word == "shared::cluster"),
    };
    if reaches {
        return Err(format!(
            "`{}` is not supported yet: it reaches other blocks of a cluster",
            instruction.word
        ));
    }
    Ok(())
}
