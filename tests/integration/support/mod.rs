//! What the end-to-end tests share: the real binary in a folder of its own.

#![allow(dead_code, reason = "each test program uses its part")]

pub(crate) mod builders;
pub(crate) mod compilers;
pub(crate) mod counters;
#[cfg(unix)]
pub(crate) mod workers;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use warpscope::results::store::Store;

/// A folder to run the binary in.
pub(crate) struct Place(TempDir);

impl Place {
    /// An empty one.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The contents of a file in it.
    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The binary, not started yet.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpscope"));
        // Whatever a test does, the user's own folders stay as they are.
        command.env("WARPSCOPE_CONFIG", "none").env("WARPSCOPE_RUNS", "none");
        command.env("WARPSCOPE_CACHE", "none");
        command.args(arguments.split_whitespace()).current_dir(self.0.path());
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &str) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Stores what an emulated sweep over 2^10 to 2^16 might have given.
    pub(crate) fn store_sweep(&self, name: &str) {
        let mut store = Store::open(self.path(name)).unwrap();
        for power in 10..=16 {
            for (variant, rate) in [("global", 8e-11), ("shared", 4e-12)] {
                store.append(&builders::record(variant, 1 << power, rate)).unwrap();
            }
        }
    }
}

/// What the binary did.
#[derive(Debug)]
pub(crate) struct Ran {
    /// Exit code; none if a signal ended it.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Fails the test unless all went well.
    #[track_caller]
    pub(crate) fn fine(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:?}");
        self
    }

    /// Fails the test unless it was refused as bad usage or input, in words
    /// that hold each of `parts`, and without a panic.
    #[track_caller]
    pub(crate) fn refused(self, parts: &[&str]) {
        assert_eq!(self.code, Some(2), "{self:?}");
        assert!(self.err.starts_with("error: "), "{}", self.err);
        for part in parts {
            assert!(self.err.contains(part), "`{part}` is missing from: {}", self.err);
        }
    }
}

/// Says on the terminal that the running test is skipped, and why. `.ci/run` counts
/// these lines. The test harness captures `println!` but not this.
pub(crate) fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {reason}\n", thread.name().unwrap_or("a test"));
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

/// Decodes a PNG: width, height, and its pixels.
pub(crate) fn decode_png(path: &Path) -> (u32, u32, Vec<[u8; 3]>) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut buffer).unwrap();
    let pixels = buffer.chunks_exact(3).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    (info.width, info.height, pixels)
}
