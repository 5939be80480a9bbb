//! `warpscope new`: a file with kernels to start from.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::Exit;
use crate::own;
use crate::runner::plan;

/// Write a commented file with kernels to start from; it runs as it is.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope new my.cu                    two kernels of your own, compared with each other
  warpscope new --like histogram h.cu    a kernel beside the built-in histograms")]
pub struct New {
    /// File to write; it must not exist
    #[arg(value_name = "FILE.cu")]
    pub file: PathBuf,
    /// Built-in algorithm that the kernel joins as a further variant
    #[arg(long, value_name = "ALGORITHM")]
    pub like: Option<String>,
}

pub(super) fn run(new: &New, out: &mut impl Write) -> anyhow::Result<Exit> {
    let path = new.file.display();
    if new.file.extension().is_none_or(|ending| ending != "cu") {
        bail!("`{path}`: the name of a CUDA file ends in .cu");
    }
    let text = match &new.like {
        None => own::plain_template().to_owned(),
        Some(like) => {
            let algorithm = plan::algorithm(like)?;
            let contract = algorithm.contract();
            let contract =
                contract.with_context(|| format!("{like} takes no kernels of a file"))?;
            own::like_template(algorithm, contract)
        }
    };
    let file = OpenOptions::new().write(true).create_new(true).open(&new.file);
    let mut file = match file {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("{path} exists already and stays as it is; choose another name");
        }
        file => file.with_context(|| format!("cannot write {path}"))?,
    };
    file.write_all(text.as_bytes()).with_context(|| format!("cannot write {path}"))?;
    writeln!(
        out,
        "written: {path}; `warpscope {path}` opens it, `warpscope list {path}` explains it"
    )?;
    Ok(Exit::Fine)
}
