//! `warpscope merge`: several files of results into one.

use std::io::Write;

use super::{Exit, filter};
use crate::cli::merge::Merge;
use crate::results::store;

pub(super) fn run(merge: &Merge, out: &mut impl Write) -> anyhow::Result<Exit> {
    let merged = store::merge(&merge.files, &merge.output)?;
    for (path, torn) in &merged.torn {
        filter::tell_torn(path, torn);
    }
    writeln!(
        out,
        "{} lines of {} files: {} cases added, {} replaced; {} now holds {} cases",
        merged.read,
        merge.files.len(),
        merged.added,
        merged.replaced,
        merge.output.display(),
        merged.cases
    )?;
    Ok(Exit::Fine)
}
