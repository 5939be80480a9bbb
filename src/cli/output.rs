//! Where text goes: a file, standard output, or standard error. What reaches a terminal is
//! escaped: standard output is an [`Escaped`], and [`say`] escapes standard error.
//!
//! [`Escaped`]: crate::units::text::Escaped

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::units::text;

/// Work that takes longer shows its progress.
const LONG: Duration = Duration::from_secs(1);

/// Writes `text` to `file`, or to `out` where no file is named.
pub(super) fn deliver(text: &str, file: Option<&Path>, out: &mut impl Write) -> anyhow::Result<()> {
    stream(file, out, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Lets `write` write to `file`, or to `out` where no file is named.
pub(super) fn stream(
    file: Option<&Path>,
    out: &mut impl Write,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(path) = file else {
        let mut out = BufWriter::new(out);
        write(&mut out)?;
        return Ok(out.flush()?);
    };
    let to_file = || {
        let (out, bar) = (File::create(path)?, Bar::new("writing", None));
        let mut file = BufWriter::new(Shown { out, written: 0, bar });
        write(&mut file)?;
        anyhow::Ok(file.flush()?)
    };
    to_file().with_context(|| {
        format!("cannot write {}; name a file in a writable folder", path.display())
    })
}

/// Bytes done, on standard error while it takes long.
#[derive(Debug)]
pub(super) struct Bar {
    line: ProgressBar,
    began: Instant,
    shown: bool,
}

impl Bar {
    /// For `work` on `bytes` in total, where that is known.
    pub(super) fn new(work: &'static str, bytes: Option<u64>) -> Self {
        let line = ProgressBar::with_draw_target(bytes, ProgressDrawTarget::hidden());
        let template = match bytes {
            Some(_) => "{prefix} [{bar:20}] {decimal_bytes} of {decimal_total_bytes}",
            None => "{prefix} {decimal_bytes}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            line.set_style(style.progress_chars("█░"));
        }
        line.set_prefix(work);
        Self { line, began: Instant::now(), shown: false }
    }

    /// Shows the bytes done.
    pub(super) fn at(&mut self, bytes: u64) {
        if !self.shown && self.began.elapsed() >= LONG {
            self.shown = true;
            self.line.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.line.set_position(bytes);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.line.finish_and_clear();
    }
}

/// A writer that shows how much it has written.
struct Shown<W> {
    out: W,
    written: u64,
    bar: Bar,
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.written += written as u64;
        self.bar.at(self.written);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// A line on standard error, or several, if anybody reads it.
pub(super) fn say(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text::lines(text));
}
