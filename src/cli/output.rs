//! Where text goes: a file, standard output, or standard error. What reaches a terminal is
//! escaped: standard output is an [`Escaped`], and [`say`] escapes standard error.
//!
//! [`Escaped`]: crate::units::text::Escaped

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;

use crate::units::text;

/// Writes `text` to `file`, or to `out` where no file is named.
pub(super) fn deliver(text: &str, file: Option<&Path>, out: &mut impl Write) -> anyhow::Result<()> {
    match file {
        Some(path) => fs::write(path, text).with_context(|| {
            format!("cannot write {}; name a file in a writable folder", path.display())
        }),
        None => Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?),
    }
}

/// A line on standard error, or several, if anybody reads it.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text::lines(text));
}
