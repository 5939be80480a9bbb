//! Where text goes: a file, standard output, or standard error.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

/// Writes `text` to `file`, or to `out` where no file is named.
pub(super) fn deliver(text: &str, file: Option<&Path>, out: &mut impl Write) -> anyhow::Result<()> {
    match file {
        Some(path) => fs::write(path, text).with_context(|| {
            format!("cannot write {}; name a file in a writable folder", path.display())
        }),
        None => Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?),
    }
}

/// One line on standard error, if anybody reads it.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
