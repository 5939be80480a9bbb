//! `warpscope man`: a manual page, made from the command-line types.

use std::io::Write;

use anyhow::bail;
use clap::{Args, CommandFactory};

use super::{Cli, Exit};
use crate::experiment::UnknownName;

/// Print a manual page in roff.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope man | man -l -
  warpscope man sweep > warpscope-sweep.1")]
pub struct Man {
    /// Command to describe [default: the program itself]
    #[arg(value_name = "COMMAND")]
    pub command: Option<String>,
}

pub(super) fn run(man: &Man, out: &mut impl Write) -> anyhow::Result<Exit> {
    let mut program = Cli::command();
    program.build();
    let page = match &man.command {
        None => program,
        Some(name) => {
            let Some(found) = program.find_subcommand(name) else {
                let names: Vec<&str> =
                    program.get_subcommands().map(clap::Command::get_name).collect();
                bail!(UnknownName::new("command", name, &names));
            };
            let title: &'static str = Box::leak(format!("warpscope-{name}").into_boxed_str());
            found.clone().name(title)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).render(&mut text)?;
    out.write_all(&text)?;
    Ok(Exit::Fine)
}
