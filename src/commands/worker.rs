//! `warpscope worker`: a backend on standard input and output.

use super::Exit;

pub(super) fn run() -> anyhow::Result<Exit> {
    anyhow::bail!("the worker is not built yet")
}
