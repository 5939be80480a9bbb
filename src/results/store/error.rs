//! Errors of files of records.

use std::io;
use std::path::PathBuf;

use super::kept::FILE_SCHEMA;

/// Why a file of records could not be read, opened or continued.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error(
        "there is no file {}; check the name, or create it with `warpscope sweep ALGORITHM -o {}`",
        .0.display(),
        .0.display()
    )]
    Missing(PathBuf),
    /// The path is a folder, a pipe or a device.
    #[error("{} is not a regular file; name a .jsonl file", .0.display())]
    NotAFile(PathBuf),
    /// It cannot be read.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It cannot be created, opened or written.
    #[error("cannot write {}; name a file in a folder that exists and can be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A line cannot be appended.
    #[error(
        "cannot store a result in {}; earlier results are kept: free some space and run the same \
         command to continue",
        path.display()
    )]
    Append {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// It cannot be moved.
    #[error("cannot move {}; move it by hand", path.display())]
    Move {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// Another file replaced it.
    #[error(
        "another file replaced {} while it was being written; {}",
        path.display(),
        saved.as_ref().map_or_else(
            || "the results cannot be saved beside it".to_owned(),
            |saved| format!("the results up to now are in {}", saved.display())
        )
    )]
    Replaced {
        /// The file.
        path: PathBuf,
        /// The file with the results, if they could be saved.
        saved: Option<PathBuf>,
    },
    /// A line is not a record.
    #[error(
        "{}:{line} is not a record of warpscope ({reason}); remove that line, or name another file",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// A line has a newer schema.
    #[error(
        "{}:{line} has schema {schema}, this program reads up to {FILE_SCHEMA}; update warpscope, or name another file",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Its schema.
        schema: u64,
    },
    /// Another process writes it.
    #[error(
        "another process is writing {}; wait until it ends, or name another file",
        .0.display()
    )]
    Locked(PathBuf),
}
