//! `warpscope export`: stored results in another format.

use std::fs;
use std::io::Write;

use anyhow::Context;

use super::{Exit, filter};
use crate::cli::export::{Export, Format};
use crate::report;

pub(super) fn run(export: &Export, out: &mut impl Write) -> anyhow::Result<Exit> {
    let records = filter::read(&export.files, &export.filter)?;
    let text = match export.format {
        Format::Csv => report::csv::render(&records)?,
        Format::Json => report::json::render(&records)?,
        Format::Markdown => report::markdown::render(&records),
    };
    if let Some(path) = &export.output {
        fs::write(path, text).with_context(|| {
            format!(
                "cannot write {}; name a file in a folder that exists and can be written",
                path.display()
            )
        })?;
    } else {
        out.write_all(text.as_bytes())?;
        out.flush()?;
    }
    Ok(Exit::Fine)
}
