//! `warpscope worker`: a backend on standard input and output.

use super::Exit;
use crate::worker;

pub(super) fn run() -> anyhow::Result<Exit> {
    worker::serve_stdio()?;
    Ok(Exit::Fine)
}
