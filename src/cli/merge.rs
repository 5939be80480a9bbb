//! `warpscope merge`: several files of results into one.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::{Exit, filter};
use crate::results::store;

/// Put stored results into one file.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Of several results of a case the one in the last file counts, of one \
file the last line; but a failed attempt (a worker that died, a time limit) never replaces a \
result. FILE is continued if it exists, its cases counting as the earliest; merging the same \
files again adds nothing.

Examples:
  warpscope merge node1.jsonl node2.jsonl -o all.jsonl
  warpscope merge old.jsonl -o new.jsonl             the same in the newest schema, tidied up")]
pub struct Merge {
    /// Files that `warpscope sweep` wrote
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// File to write or to continue
    #[arg(short, long, value_name = "FILE.jsonl")]
    pub output: PathBuf,
}

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
