//! `warpscope completions` and `warpscope man`, generated from the
//! command-line types.

use std::io::Write;

use anyhow::bail;
use clap::CommandFactory;

use super::Exit;
use crate::cli::complete::Completions;
use crate::cli::man::Man;
use crate::cli::{Cli, suggest};

pub(super) fn completions(asked: &Completions, out: &mut impl Write) -> anyhow::Result<Exit> {
    // The generator panics on a closed pipe, so it writes to memory first.
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut Cli::command(), "warpscope", &mut script);
    out.write_all(&script)?;
    Ok(Exit::Fine)
}

pub(super) fn manual(asked: &Man, out: &mut impl Write) -> anyhow::Result<Exit> {
    let mut program = Cli::command();
    program.build();
    let page = match &asked.command {
        None => program,
        Some(name) => {
            let Some(found) = program.find_subcommand(name) else {
                let names: Vec<&str> =
                    program.get_subcommands().map(clap::Command::get_name).collect();
                bail!(suggest::unknown("command", name, &names));
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
