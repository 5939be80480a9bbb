//! Append-only storage of records: one JSON line per case, written when it ends.
//!
//! A sweep that is interrupted, killed or unplugged loses at most the line that
//! was being written; [`Store::open`] cuts such a line off and continues.

mod lines;

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::measurement::{Provenance, Record, SCHEMA};

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

/// A last line that was cut off while it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// The line, counted from 1.
    pub line: usize,
    /// Bytes of it that are there.
    pub bytes: usize,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// The records, in the order in which each identity first appears; a later
    /// line of the same identity has replaced the earlier one. Measured times
    /// are presented as recorded.
    pub records: Vec<Record>,
    /// The last line, if it was cut off; it is left out of `records`.
    pub torn: Option<Torn>,
}

/// A file of records, open for appending by this process alone.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    records: Records,
    torn: Option<Torn>,
}

impl Store {
    /// Creates `path`, or opens it to continue: reads what is there and cuts
    /// off a torn last line. Holds an advisory lock until dropped.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        refuse_other_than_files(path)?;
        let write = |source| StoreError::Write { path: path.to_owned(), source };
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(path).map_err(write)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(StoreError::Locked(path.to_owned())),
            // Some network file systems have no locks; going without is then
            // better than not storing at all.
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        let bytes = read_bytes(&mut file, path)?;
        let parsed = lines::parse(&bytes, path)?;
        if parsed.torn.is_some() {
            file.set_len(parsed.whole_bytes as u64).map_err(write)?;
        }
        let whole = bytes.get(..parsed.whole_bytes).unwrap_or(&bytes);
        if whole.last().is_some_and(|last| *last != b'\n') {
            file.write_all(b"\n").map_err(write)?;
        }
        let records = Records::merged(parsed.records);
        Ok(Self { path: path.to_owned(), file, records, torn: parsed.torn })
    }

    /// Every record: those found in the file (measured times as recorded), and
    /// those appended since.
    pub fn records(&self) -> &[Record] {
        &self.records.list
    }

    /// The record with this [`Record::identity`], if there is one.
    pub fn get(&self, identity: &str) -> Option<&Record> {
        self.records.get(identity)
    }

    /// The torn last line that was found, and cut off, on opening.
    pub fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    /// Where the records go.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one line, in one write that has reached the operating system
    /// when this returns: it outlives this process.
    pub fn append(&mut self, record: &Record) -> Result<(), StoreError> {
        let write = |source| StoreError::Write { path: self.path.clone(), source };
        let mut line = serde_json::to_string(record).map_err(|error| write(error.into()))?;
        line.push('\n');
        self.file.write_all(line.as_bytes()).map_err(write)?;
        self.records.put(record.clone());
        Ok(())
    }
}

impl Drop for Store {
    /// Asks the system to put the lines on the disk, once per session: doing
    /// so per line would cost more than many a case.
    fn drop(&mut self) {
        // Nothing sensible can be done about a failure here; every line was
        // already accepted by the system.
        let _ = self.file.sync_data();
        // Closing is not enough: a process that another thread is just starting
        // holds a copy of the file, and with it the lock, until it is replaced.
        let _ = self.file.unlock();
    }
}

/// The records of `path`, see [`Contents::records`]; a torn last line is left out.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Record>, StoreError> {
    load(path).map(|contents| contents.records)
}

/// The records of several files as one list: a later line or file replaces an
/// earlier one of the same identity.
pub fn read_all<P: AsRef<Path>>(paths: &[P]) -> Result<Vec<Record>, StoreError> {
    let mut all = Vec::new();
    for path in paths {
        all.extend(read(path)?);
    }
    Ok(Records::merged(all).list)
}

/// What `path` holds. Takes no lock, so that a sweep can be watched while it
/// writes.
pub fn load(path: impl AsRef<Path>) -> Result<Contents, StoreError> {
    let path = path.as_ref();
    refuse_other_than_files(path)?;
    let mut file = File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        _ => StoreError::Read { path: path.to_owned(), source },
    })?;
    let bytes = read_bytes(&mut file, path)?;
    parse(&bytes, path)
}

/// What the text of a file holds; `path` is named in errors. For recordings
/// that the program carries inside itself.
pub fn parse(bytes: &[u8], path: &Path) -> Result<Contents, StoreError> {
    let parsed = lines::parse(bytes, path)?;
    Ok(Contents { records: Records::merged(parsed.records).list, torn: parsed.torn })
}

/// A folder opens on some systems and reads as nonsense, a pipe never ends.
fn refuse_other_than_files(path: &Path) -> Result<(), StoreError> {
    match path.metadata() {
        Ok(found) if !found.is_file() => Err(StoreError::NotAFile(path.to_owned())),
        _ => Ok(()),
    }
}

fn read_bytes(file: &mut File, path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)
        .map_err(|source| StoreError::Read { path: path.to_owned(), source })?;
    Ok(bytes)
}

/// Records in the order of first appearance, one per identity.
#[derive(Debug, Default)]
struct Records {
    list: Vec<Record>,
    by_identity: HashMap<String, usize>,
}

impl Records {
    /// Merges records read from a file: they were measured earlier, so they
    /// are presented as recorded.
    fn merged(records: Vec<Record>) -> Self {
        let mut merged = Self::default();
        for mut record in records {
            if record.provenance == Provenance::Measured {
                record.provenance = Provenance::Recorded;
            }
            merged.put(record);
        }
        merged
    }

    fn put(&mut self, record: Record) {
        let next = self.list.len();
        let index = *self.by_identity.entry(record.identity()).or_insert(next);
        match self.list.get_mut(index) {
            Some(earlier) => *earlier = record,
            None => self.list.push(record),
        }
    }

    fn get(&self, identity: &str) -> Option<&Record> {
        self.by_identity.get(identity).and_then(|index| self.list.get(*index))
    }
}

#[cfg(test)]
mod tests;
