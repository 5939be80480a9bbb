//! `warpscope merge`: several files of results into one.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use super::{Exit, filter};
use crate::results::store::{self, LeftOut};

/// Merge files of results into one.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "If a case has several results, the last line of the last file wins, but a \
failed attempt (a dead worker, a time limit) never replaces a result. An existing output file is \
continued and counts as the first file. Merging the same files again adds nothing.

Examples:
  warpscope merge node1.jsonl node2.jsonl -o all.jsonl
  warpscope merge old.jsonl -o new.jsonl             convert to the newest schema"
)]
pub struct Merge {
    /// Files written by `warpscope sweep`
    #[arg(required = true, value_name = "FILE.jsonl")]
    pub files: Vec<PathBuf>,
    /// File to write or to continue
    #[arg(short, long, value_name = "FILE.jsonl")]
    pub output: PathBuf,
}

pub(super) fn run(merge: &Merge, out: &mut impl Write) -> anyhow::Result<Exit> {
    let merged = store::merge(&merge.files, &merge.output)?;
    let mut told = filter::LeftOutLines::default();
    for (path, line) in &merged.invalid {
        told.say(path, LeftOut::Invalid(line));
    }
    for (path, line) in &merged.torn {
        told.say(path, LeftOut::Torn(line));
    }
    told.end();
    writeln!(
        out,
        "{} lines in {} files: {} cases added, {} replaced; {} now has {} cases",
        merged.read,
        merge.files.len(),
        merged.added,
        merged.replaced,
        merge.output.display(),
        merged.cases
    )?;
    Ok(Exit::Fine)
}
