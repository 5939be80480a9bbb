//! `warpscope show`: stored results in the terminal interface.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;

use super::Exit;
use super::filter::{self, Filter};
use crate::experiment::Experiment;
use crate::tui;

/// Show stored results.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope show h.jsonl
  warpscope show laptop.jsonl h200.jsonl --bins 256")]
pub struct Show {
    /// Files written by `warpscope sweep`
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// Which cases to use.
    #[command(flatten)]
    pub filter: Filter,
}

pub(super) fn run(show: &Show, start: tui::Start) -> anyhow::Result<Exit> {
    let shown = filter::read(&show.files, &show.filter)?;
    let names: Vec<String> = show
        .files
        .iter()
        .map(|file| file.file_name().unwrap_or(file.as_os_str()).display().to_string())
        .collect();
    let algorithm = shown.first().map(|record| record.algorithm.to_string()).unwrap_or_default();
    open(tui::Start {
        experiment: Experiment { algorithm, ..Experiment::default() },
        shown: shown.into(),
        source: names.join(", "),
        read_only: true,
        ..start
    })
}

/// Opens the terminal interface, where there is a terminal.
pub(super) fn open(start: tui::Start) -> anyhow::Result<Exit> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        bail!(
            "the terminal interface needs a terminal on standard input and output; \
             `warpscope --help` lists commands that work without one"
        );
    }
    tui::run(start)?;
    Ok(Exit::Fine)
}
