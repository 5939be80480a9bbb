//! The file of a class: its first line says what is asked, every other line is an event. It
//! is only ever appended to, and every line is written before its event counts, so a class
//! that was killed goes on where it was.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::question::Question;
use super::room::{Class, Event};

/// Version of the format.
pub const SCHEMA: u32 = 1;

/// Ending of the file's name.
pub const ENDING: &str = ".class.jsonl";

/// Most bytes of a line, and of a file that is read.
const MOST_LINE: u64 = 4 << 20;
const MOST_FILE: u64 = 256 << 20;

/// The first line: what is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Opened {
    /// Version of the format.
    pub schema: u32,
    /// When the class began.
    pub time: String,
    /// Name of the lesson.
    pub lesson: String,
    /// Its title.
    pub title: String,
    /// The four letters that students type to join.
    pub code: String,
    /// What is asked.
    pub questions: Vec<Question>,
}

/// Any other line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Line {
    time: String,
    event: Event,
}

/// Why a class cannot be kept or resumed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The system refused.
    #[error("cannot {verb} {}", path.display())]
    Io {
        /// What was tried: `read` or `write`.
        verb: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has it open.
    #[error("{}: another `warpscope class` writes to this file; end it first", .0.display())]
    Locked(PathBuf),
    /// A line means nothing.
    #[error("{}:{line}: {reason}; move the file away to begin a new class", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// The file of a class, open for writing.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Begins a file that must not exist.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path, opened: &Opened) -> Result<Self, JournalError> {
        let file = OpenOptions::new().append(true).create_new(true).open(path);
        let file = file.map_err(|source| write_error(path, source))?;
        lock(&file, path)?;
        let mut journal = Self { file, path: path.to_owned() };
        journal.write(opened)?;
        Ok(journal)
    }

    /// Opens a file to go on with it. What a crash left of a last line is cut off. `most` is
    /// how many seats the class has.
    ///
    /// # Errors
    /// If another process writes it, or it holds something else.
    pub fn resume(path: &Path, most: usize) -> Result<(Self, Opened, Class), JournalError> {
        let read_error = |source| JournalError::Io { verb: "read", path: path.to_owned(), source };
        let file = OpenOptions::new().read(true).write(true).open(path).map_err(read_error)?;
        lock(&file, path)?;
        let whole = whole_lines(&file).map_err(read_error)?;
        file.set_len(whole).map_err(|source| write_error(path, source))?;
        let (opened, class) = read(&file, path, most)?;
        let mut journal = Self { file, path: path.to_owned() };
        journal.file.seek(io::SeekFrom::End(0)).map_err(read_error)?;
        Ok((journal, opened, class))
    }

    /// Adds an event that happened at `time`.
    ///
    /// # Errors
    /// If the system refuses; then the event must not count.
    pub fn add(&mut self, time: &str, event: &Event) -> Result<(), JournalError> {
        self.write(&Line { time: time.to_owned(), event: event.clone() })
    }

    /// Waits until the disk has everything, so that even a power cut loses nothing.
    pub fn sync(&self) {
        // The lines are with the system already; a disk that refuses changes nothing here.
        let _ = self.file.sync_data();
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, line: &impl Serialize) -> Result<(), JournalError> {
        let failed = |source| write_error(&self.path, source);
        let mut bytes = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        bytes.push(b'\n');
        let before = self.file.stream_position().map_err(failed)?;
        let written = self.file.write_all(&bytes);
        if written.is_err() {
            // Half a line would end up inside the next one.
            let _ = self.file.set_len(before);
            let _ = self.file.seek(io::SeekFrom::Start(before));
        }
        written.map_err(failed)
    }
}

/// The class in a folder that has not ended, newest first, if it is of this lesson.
///
/// # Errors
/// If the folder cannot be read.
pub fn unfinished(folder: &Path, lesson: &str) -> Result<Option<PathBuf>, JournalError> {
    let error = |source| JournalError::Io { verb: "read", path: folder.to_owned(), source };
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(error)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(ENDING))
        .collect();
    // Names begin with the date.
    files.sort();
    Ok(files.into_iter().rev().find(|path| goes_on(path, lesson)))
}

/// Whether a file is of this lesson and its last line is not the end.
fn goes_on(path: &Path, lesson: &str) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut lines = BufReader::new(file.take(MOST_FILE)).lines().map_while(Result::ok);
    let opened = lines.next().and_then(|line| serde_json::from_str::<Opened>(&line).ok());
    let ended = || {
        let last = lines.last().and_then(|line| serde_json::from_str::<Line>(&line).ok());
        last.is_some_and(|line| line.event == Event::Ended)
    };
    opened.is_some_and(|opened| opened.lesson == lesson) && !ended()
}

fn write_error(path: &Path, source: io::Error) -> JournalError {
    JournalError::Io { verb: "write", path: path.to_owned(), source }
}

/// Keeps other processes from writing.
fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Err(std::fs::TryLockError::WouldBlock) => Err(JournalError::Locked(path.to_owned())),
        // Some network file systems have no locks.
        Ok(()) | Err(std::fs::TryLockError::Error(_)) => Ok(()),
    }
}

/// Bytes up to the end of the last whole line.
fn whole_lines(mut file: &File) -> io::Result<u64> {
    file.rewind()?;
    let mut reader = BufReader::new(file);
    let (mut whole, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)?;
        if read == 0 || line.last() != Some(&b'\n') {
            return Ok(whole);
        }
        whole += read as u64;
    }
}

/// Reads everything.
fn read(mut file: &File, path: &Path, most: usize) -> Result<(Opened, Class), JournalError> {
    let read_error = |source| JournalError::Io { verb: "read", path: path.to_owned(), source };
    file.rewind().map_err(read_error)?;
    let mut reader = BufReader::new(file.take(MOST_FILE));
    let mut number = 0;
    let mut next = || -> Result<Option<(usize, String)>, JournalError> {
        let mut line = String::new();
        number += 1;
        let read = reader.by_ref().take(MOST_LINE).read_line(&mut line).map_err(read_error)?;
        Ok((read > 0).then_some((number, line)))
    };
    let wrong = |line: usize, reason: String| {
        Err(JournalError::Line { path: path.to_owned(), line, reason })
    };
    let Some((_, first)) = next()? else { return wrong(1, "the file is empty".to_owned()) };
    let opened: Opened = match serde_json::from_str(&first) {
        Ok(opened) => opened,
        Err(error) => return wrong(1, format!("not the file of a class: {error}")),
    };
    if opened.schema != SCHEMA {
        return wrong(1, format!("schema {}; this program reads {SCHEMA}", opened.schema));
    }
    if let Some(error) = opened.questions.iter().find_map(|it| it.check().err()) {
        return wrong(1, error.to_string());
    }
    let mut class =
        Class::new(opened.title.clone(), opened.code.clone(), opened.questions.clone(), most);
    while let Some((number, line)) = next()? {
        match serde_json::from_str::<Line>(&line) {
            Ok(line) if class.apply(&line.event) => {}
            Ok(_) => return wrong(number, "an event that cannot happen here".to_owned()),
            Err(error) => return wrong(number, error.to_string()),
        }
    }
    Ok((opened, class))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
