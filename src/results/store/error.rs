//! What can be wrong with a file of records, in words for the user.

use std::io;
use std::path::PathBuf;

use crate::results::record::SCHEMA;

/// Why a file of records could not be read, opened or continued.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no such file.
    #[error(
        "there is no file {}; check the name, or make it with `warpscope sweep ALGORITHM -o {}`",
        .0.display(),
        .0.display()
    )]
    Missing(PathBuf),
    /// The path is a folder, a pipe or a device.
    #[error("{} is not a regular file; name a .jsonl file", .0.display())]
    NotAFile(PathBuf),
    /// The operating system refused to read it.
    #[error("cannot read {}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system refused to create, open or write it.
    #[error("cannot write {}; name a file in a folder that exists and can be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system refused to take one more line.
    #[error(
        "cannot store a result in {}; what was stored before is kept: make room, and the same \
         command continues",
        path.display()
    )]
    Append {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The operating system refused to move it.
    #[error("cannot move {}; move it by hand", path.display())]
    Move {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another file has taken the place of ours.
    #[error(
        "another file took the place of {} while it was being written; {}",
        path.display(),
        saved.as_ref().map_or_else(
            || "the results cannot be saved beside it".to_owned(),
            |saved| format!("the results up to now are in {}", saved.display())
        )
    )]
    Replaced {
        /// The file.
        path: PathBuf,
        /// Where the results are now, if they could be written.
        saved: Option<PathBuf>,
    },
    /// A line that no version of this program wrote.
    #[error(
        "{}:{line} is not a record of warpscope ({reason}); remove that line, or name another file",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// A line that a newer version of this program wrote.
    #[error(
        "{}:{line} has schema {schema}, this program reads up to {SCHEMA}; update warpscope, or name another file",
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
    /// Another process appends to it.
    #[error(
        "another process is writing {}; wait until it ends, or name another file",
        .0.display()
    )]
    Locked(PathBuf),
}
