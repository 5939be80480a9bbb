//! `warpscope completions`.

use clap::Args;
use clap_complete::Shell;

/// Print a completion script.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope completions bash > ~/.local/share/bash-completion/completions/warpscope
  warpscope completions zsh > \"${fpath[1]}/_warpscope\"
  warpscope completions fish > ~/.config/fish/completions/warpscope.fish")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}
