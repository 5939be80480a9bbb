//! `warpscope show`: stored results in the terminal interface.

use super::{Exit, filter};
use crate::cli::show::Show;
use crate::experiment::Experiment;
use crate::tui;

pub(super) fn run(show: &Show, ascii: bool) -> anyhow::Result<Exit> {
    let shown = filter::read(&show.files, &show.filter)?;
    let names: Vec<String> = show
        .files
        .iter()
        .map(|file| file.file_name().unwrap_or(file.as_os_str()).display().to_string())
        .collect();
    let algorithm = shown.first().map(|record| record.algorithm.clone()).unwrap_or_default();
    tui::run(tui::Start {
        experiment: Experiment { algorithm, ..Experiment::default() },
        shown,
        source: names.join(", "),
        read_only: true,
        ascii,
        ..tui::Start::default()
    })?;
    Ok(Exit::Fine)
}
