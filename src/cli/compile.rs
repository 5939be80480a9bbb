//! `warpscope compile`: a compiler in a process of its own, with limits; started by this
//! program.

use std::ffi::OsString;

use clap::Args;

use super::Exit;
use crate::compiler;

/// Host a compiler within limits.
#[derive(Debug, Clone, Args)]
pub struct Compile {
    /// Bytes that the program may write to one file
    #[arg(long, default_value_t = 0)]
    pub writes: u64,
    /// A program with its arguments; without one, an order for NVRTC comes on standard input
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub program: Vec<OsString>,
}

pub(super) fn run(compile: &Compile) -> anyhow::Result<Exit> {
    match compile.program.split_first() {
        Some((program, arguments)) => compiler::become_tool(program, arguments, compile.writes)?,
        None => compiler::serve()?,
    }
    Ok(Exit::Fine)
}
