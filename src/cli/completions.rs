//! `warpscope completions`: a completion script, made from the command-line types.

use std::io::Write;

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::{Cli, Exit};

/// Print a completion script.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope completions bash > ~/.local/share/bash-completion/completions/warpscope
  warpscope completions zsh > \"${fpath[1]}/_warpscope\"
  warpscope completions fish > ~/.config/fish/completions/warpscope.fish")]
pub struct Completions {
    /// Shell to complete for
    #[arg(value_enum)]
    pub shell: Shell,
}

pub(super) fn run(completions: &Completions, out: &mut impl Write) -> anyhow::Result<Exit> {
    // The generator panics on a closed pipe, so it writes to memory first.
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut Cli::command(), "warpscope", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Fine)
}
