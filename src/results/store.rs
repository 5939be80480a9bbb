//! Append-only storage of records: one JSON line per case, written when it ends.
//!
//! A killed sweep loses at most the line that was being written, a power failure the
//! lines of the last second. [`Store::open`] cuts off a torn line and continues.

mod error;
pub mod files;
mod kept;
mod lines;
mod lock;
mod merge;

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use error::StoreError;
use hashbrown::HashTable;
pub use kept::{FILE_SCHEMA, KeptFile};
pub use merge::{Merged, merge};

use crate::own::OwnFile;
use crate::results::record::{Identity, Provenance, Record};
use lines::Digested;

/// Interval at which lines are synced to the disk.
const SYNC_EVERY: Duration = Duration::from_secs(1);

/// An incomplete last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// The line, counted from 1.
    pub line: usize,
    /// Its bytes.
    pub bytes: usize,
}

/// A record beyond the limits of the schema ([`Record::check`]).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The line, counted from 1.
    pub line: usize,
    /// The field and its value, in words.
    pub reason: String,
}

/// A line that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut<'a> {
    /// An incomplete last line.
    Torn(&'a Torn),
    /// A record beyond the limits of the schema.
    Invalid(&'a Invalid),
}

impl std::fmt::Display for LeftOut<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Torn(torn) => write!(f, "{}: incomplete line ignored", torn.line),
            Self::Invalid(invalid) => {
                write!(f, "{}: invalid line ignored: {}", invalid.line, invalid.reason)
            }
        }
    }
}

/// The contents of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// The records in the order in which their identities first appear. A later line
    /// replaces an earlier one of the same identity if it settles the case
    /// ([`Record::settles`]). Measured times are presented as recorded.
    pub records: Vec<Record>,
    /// The users' files that it holds, in their order.
    pub files: Vec<KeptFile>,
    /// The incomplete last line, which is not in `records`.
    pub torn: Option<Torn>,
    /// Lines beyond the limits of the schema, which are not in `records`.
    pub invalid: Vec<Invalid>,
}

impl Contents {
    /// The lines that are left out.
    pub fn left_out(&self) -> impl Iterator<Item = LeftOut<'_>> {
        left_out(&self.invalid, self.torn.as_ref())
    }
}

fn left_out<'a>(
    invalid: &'a [Invalid],
    torn: Option<&'a Torn>,
) -> impl Iterator<Item = LeftOut<'a>> {
    invalid.iter().map(LeftOut::Invalid).chain(torn.map(LeftOut::Torn))
}

/// A file of records, locked for appending by this process.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    file: File,
    records: Records,
    files: Vec<KeptFile>,
    /// Lines of files that are written with the next record.
    pending: String,
    torn: Option<Torn>,
    invalid: Vec<Invalid>,
    /// Bytes of whole lines.
    length: u64,
    /// Whether the file is new.
    created: bool,
    synced: Instant,
}

impl Store {
    /// Creates `path`, or opens it to continue: reads its records and cuts off a torn
    /// last line. Keeps other writers out until dropped. A new file without lines is
    /// removed then.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        refuse_other_than_files(path)?;
        let write = |source| StoreError::Write { path: path.to_owned(), source };
        let created = !path.exists();
        let mut file = lock::open(path)?;
        let mut records = Records::default();
        let parsed = lines::parse(&mut file, path, &mut |more, _| records.merge(more))?;
        if parsed.torn.is_some() {
            file.set_len(parsed.whole_bytes).map_err(write)?;
        }
        if !parsed.ended {
            append(&mut file, b"\n").map_err(write)?;
        }
        kept::remember(&parsed.files);
        let length = file.metadata().map_err(write)?.len();
        let (path, synced) = (path.to_owned(), Instant::now());
        let (files, torn, invalid) = (parsed.files, parsed.torn, parsed.invalid);
        let pending = String::new();
        Ok(Self { path, file, records, files, pending, torn, invalid, length, created, synced })
    }

    /// Every record: from the file (measured times as recorded), and appended since.
    pub fn records(&self) -> &[Record] {
        &self.records.list
    }

    /// The record with this [`Record::identity`].
    pub fn get(&self, identity: &Identity) -> Option<&Record> {
        self.records.get(identity)
    }

    /// The torn last line that was cut off when the file was opened.
    pub fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    /// The lines that were left out when the file was opened. Invalid ones stay in the file.
    pub fn left_out(&self) -> impl Iterator<Item = LeftOut<'_>> {
        left_out(&self.invalid, self.torn.as_ref())
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The users' files: from the file, and kept since.
    pub fn files(&self) -> &[KeptFile] {
        &self.files
    }

    /// Keeps a user's file at `path`, before the next record. A version that is there is not
    /// kept again.
    ///
    /// # Errors
    /// If it cannot be written as JSON.
    pub fn keep_file(&mut self, file: &OwnFile, path: Option<&str>) -> Result<(), StoreError> {
        let kept = KeptFile::new(file, path);
        if self.files.iter().any(|there| there.is_like(&kept)) {
            return Ok(());
        }
        let line = serde_json::to_string(&kept).map_err(|error| self.refused(error.into()))?;
        self.pending.extend([line.as_str(), "\n"]);
        self.files.push(kept);
        Ok(())
    }

    /// Appends one line in one write, which survives this process. If the file was
    /// deleted meanwhile, it is restored with all its lines.
    pub fn append(&mut self, record: &Record) -> Result<(), StoreError> {
        let mut line = serde_json::to_string(record).map_err(|error| self.refused(error.into()))?;
        line.push('\n');
        line.insert_str(0, &self.pending);
        self.keep_place()?;
        if let Err(source) = append(&mut self.file, line.as_bytes()) {
            // Remove the torn line.
            let _ = self.file.set_len(self.length);
            return Err(self.refused(source));
        }
        self.length += line.len() as u64;
        self.pending.clear();
        self.records.put(record.clone());
        if self.synced.elapsed() >= SYNC_EVERY {
            self.synced = Instant::now();
            // Some file systems report only now that they are full. Others cannot sync,
            // which is not an error.
            match self.file.sync_data() {
                Err(source) if is_full(&source) => return Err(self.refused(source)),
                _ => {}
            }
        }
        Ok(())
    }

    fn refused(&self, source: io::Error) -> StoreError {
        StoreError::Append { path: self.path.clone(), source }
    }

    /// Checks that the file is still at its path, and restores it if it was deleted.
    fn keep_place(&mut self) -> Result<(), StoreError> {
        let there = match self.path.metadata() {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let path = self.path.clone();
                let mut file = lock::create(&path).map_err(|error| match error {
                    StoreError::Write { source, .. } => self.refused(source),
                    error => error,
                })?;
                self.copy_to(&mut file).map_err(|source| self.refused(source))?;
                self.file = file;
                return Ok(());
            }
            // The write reports what is wrong.
            Err(_) => return Ok(()),
        };
        if self.file.metadata().is_ok_and(|ours| !same_file(&ours, &there)) {
            let mut name = self.path.file_name().unwrap_or_default().to_owned();
            name.push(".saved");
            let saved = self.path.with_file_name(name);
            let mut copy = File::create_new(&saved);
            let done = copy.as_mut().is_ok_and(|copy| self.copy_to(copy).is_ok());
            let saved = done.then_some(saved);
            return Err(StoreError::Replaced { path: self.path.clone(), saved });
        }
        Ok(())
    }

    /// Writes all lines to a new file.
    fn copy_to(&mut self, copy: &mut File) -> io::Result<()> {
        let mut bytes = Vec::new();
        self.file.rewind()?;
        self.file.read_to_end(&mut bytes)?;
        bytes.truncate(self.length as usize);
        copy.write_all(&bytes)
    }
}

impl Drop for Store {
    /// Syncs the last lines to the disk: a sync per line takes longer than many cases.
    fn drop(&mut self) {
        // An error here cannot be handled; the system has accepted every line.
        let _ = self.file.sync_data();
        let ours = |there: Metadata| {
            self.file.metadata().is_ok_and(|ours| same_file(&ours, &there) && ours.len() == 0)
        };
        let unused = self.created && self.length == 0 && self.path.metadata().is_ok_and(ours);
        lock::release_and(&mut self.file, || {
            if unused {
                let _ = std::fs::remove_file(&self.path);
            }
        });
    }
}

/// Writes at the end of the file.
fn append(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::End(0))?;
    file.write_all(bytes)
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;
    matches!(error.kind(), Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge)
}

#[cfg(unix)]
fn same_file(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// On Windows nobody can replace a file that [`lock::open`] opened.
#[cfg(not(unix))]
fn same_file(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// The records of `path`, see [`Contents::records`]; a torn last line is left out.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<Record>, StoreError> {
    load(path).map(|contents| contents.records)
}

/// The records of several files as one list: a later line or file replaces an earlier
/// one of the same identity. `on_left_out` gets each line that is left out, `on_progress` the
/// bytes read so far.
pub fn read_all<P: AsRef<Path>>(
    paths: &[P],
    on_left_out: &mut dyn FnMut(&Path, LeftOut<'_>),
    on_progress: &mut dyn FnMut(u64),
) -> Result<Vec<Record>, StoreError> {
    let mut all = Records::default();
    let mut bytes = 0;
    for path in paths {
        let path = path.as_ref();
        let mut take = |more, read: u64| {
            all.merge(more);
            bytes += read;
            on_progress(bytes);
        };
        let rest = lines::parse(&mut open_file(path)?, path, &mut take)?;
        kept::remember(&rest.files);
        left_out(&rest.invalid, rest.torn.as_ref()).for_each(|line| on_left_out(path, line));
    }
    Ok(all.list)
}

/// The contents of `path`. Takes no lock, so that a running sweep can be watched.
pub fn load(path: impl AsRef<Path>) -> Result<Contents, StoreError> {
    let path = path.as_ref();
    contents(&mut open_file(path)?, path)
}

fn open_file(path: &Path) -> Result<File, StoreError> {
    refuse_other_than_files(path)?;
    File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => StoreError::Missing(path.to_owned()),
        _ => StoreError::Read { path: path.to_owned(), source },
    })
}

/// The contents of a file from its bytes; `path` is for errors. For built-in recordings.
pub fn parse(mut bytes: &[u8], path: &Path) -> Result<Contents, StoreError> {
    contents(&mut bytes, path)
}

fn contents(input: &mut dyn Read, path: &Path) -> Result<Contents, StoreError> {
    let mut records = Records::default();
    let rest = lines::parse(input, path, &mut |more, _| records.merge(more))?;
    kept::remember(&rest.files);
    let (files, torn, invalid) = (rest.files, rest.torn, rest.invalid);
    Ok(Contents { records: records.list, files, torn, invalid })
}

/// On some systems a folder can be opened; a pipe never ends.
fn refuse_other_than_files(path: &Path) -> Result<(), StoreError> {
    match path.metadata() {
        Ok(found) if !found.is_file() => Err(StoreError::NotAFile(path.to_owned())),
        _ => Ok(()),
    }
}

/// A record from a file: a measured time is presented as recorded.
fn presented(mut record: Record) -> Record {
    if record.provenance == Provenance::Measured {
        record.provenance = Provenance::Recorded;
    }
    record
}

/// Records in the order of first appearance, one per identity.
#[derive(Debug, Default)]
struct Records {
    list: Vec<Record>,
    /// Digests of identities, with places in the list.
    places: HashTable<(u32, u32)>,
}

/// Spreads a digest over the bits that the table uses.
fn spread((digest, _): (u32, u32)) -> u64 {
    u64::from(digest).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl Records {
    /// Merges records read from a file.
    fn merge(&mut self, records: Vec<Digested>) {
        for (digest, record) in records {
            self.put_digested(digest, presented(record));
        }
    }

    /// Adds a record, or replaces an earlier one of its identity.
    fn put(&mut self, record: Record) {
        self.put_digested(record.identity().digest(), record);
    }

    fn put_digested(&mut self, digest: u32, record: Record) {
        match self.find(digest, &record.identity()).and_then(|place| self.list.get_mut(place)) {
            Some(earlier) if earlier.settles() && !record.settles() => {}
            Some(earlier) => *earlier = record,
            None => {
                let entry = (digest, self.list.len() as u32);
                self.places.insert_unique(spread(entry), entry, |entry| spread(*entry));
                self.list.push(record);
            }
        }
    }

    fn find(&self, digest: u32, identity: &Identity) -> Option<usize> {
        let is = |entry: &(u32, u32)| {
            let known = self.list.get(entry.1 as usize);
            entry.0 == digest && known.is_some_and(|known| known.identity() == *identity)
        };
        self.places.find(spread((digest, 0)), is).map(|entry| entry.1 as usize)
    }

    fn get(&self, identity: &Identity) -> Option<&Record> {
        self.find(identity.digest(), identity).and_then(|place| self.list.get(place))
    }
}

#[cfg(test)]
mod tests;
