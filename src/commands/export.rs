//! `warpscope export`: stored results in another format.

use std::io::Write;

use super::deliver::deliver;
use super::{Exit, filter};
use crate::cli::export::{Export, Format};
use crate::export::report;

pub(super) fn run(export: &Export, out: &mut impl Write) -> anyhow::Result<Exit> {
    let records = filter::read(&export.files, &export.filter)?;
    let text = match export.format {
        Format::Csv => report::csv::render(&records)?,
        Format::Json => report::json::render(&records)?,
        Format::Markdown => report::markdown::render(&records),
        Format::Html => {
            let sources: Vec<String> =
                export.files.iter().map(|file| file.display().to_string()).collect();
            report::html::render(&records, &sources)?
        }
    };
    deliver(&text, export.output.as_deref(), out)?;
    Ok(Exit::Fine)
}
