//! `warpscope compile`: NVRTC in a process of its own, started by this program.

use super::Exit;
use crate::compiler;

pub(super) fn run() -> anyhow::Result<Exit> {
    compiler::serve()?;
    Ok(Exit::Fine)
}
