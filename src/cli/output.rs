//! Where a command's text goes: a file, or standard output.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::Context;

/// Writes `text` to `file`, or to `out` where no file is named.
pub(super) fn deliver(text: &str, file: Option<&Path>, out: &mut impl Write) -> anyhow::Result<()> {
    if let Some(path) = file {
        return fs::write(path, text).with_context(|| {
            format!(
                "cannot write {}; name a file in a folder that exists and can be written",
                path.display()
            )
        });
    }
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
