//! How a class begins: a new file, or one that goes on.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::address;
use super::hall::Options;
use super::journal::{self, ENDING, Journal, JournalError, Opened, SCHEMA};
use super::lesson;
use super::report;
use super::room::Class;
use crate::lessons::Lesson;

/// Everything that a class needs to begin.
#[derive(Debug)]
pub struct Opening {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// The first line of its file.
    pub opened: Opened,
    /// Its state.
    pub class: Class,
    /// Its file.
    pub journal: Journal,
    /// Where students are listened to.
    pub listener: TcpListener,
    /// How the server serves.
    pub options: Options,
    /// The pages that students open, the best one first.
    pub pages: Vec<String>,
    /// Whether it goes on where it was.
    pub resumed: bool,
}

/// Why a class cannot begin.
#[derive(Debug, thiserror::Error)]
pub enum OpeningError {
    /// Its file.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The lesson asks nothing.
    #[error("lesson `{0}` has no question for a class: no predict, observe or why step")]
    NoQuestion(String),
    /// The file is of an older state of the lesson.
    #[error(
        "{}: the questions of lesson `{lesson}` have changed since; --new begins a new class",
        path.display()
    )]
    Changed {
        /// The file.
        path: PathBuf,
        /// The lesson.
        lesson: String,
    },
    /// No random numbers for the code.
    #[error("the system gives no random numbers for the room code")]
    NoCode,
    /// The listener.
    #[error("cannot read the address of the server")]
    Address(#[from] std::io::Error),
}

/// Opens a class of a lesson in a folder: the one that has not ended, or a new one if there is
/// none or `new` is set. `most` is how many seats it has.
///
/// # Errors
/// If its file cannot be used, or the lesson asks nothing.
pub fn open(
    lesson: Lesson,
    folder: &Path,
    new: bool,
    most: usize,
    listener: TcpListener,
    options: Options,
) -> Result<Opening, OpeningError> {
    let questions = lesson::questions(&lesson);
    if questions.is_empty() {
        return Err(OpeningError::NoQuestion(lesson.name));
    }
    let bound = listener.local_addr()?;
    let pages = address::pages(bound, &options.hosts, &address::interfaces());
    let found = if new { None } else { journal::unfinished(folder, &lesson.name)? };
    let resumed = found.is_some();
    let (journal, opened, class) = if let Some(path) = found {
        let (journal, opened, class) = Journal::resume(&path, most)?;
        if opened.questions != questions {
            return Err(OpeningError::Changed { path, lesson: lesson.name });
        }
        (journal, opened, class)
    } else {
        let now = jiff::Timestamp::now();
        let opened = Opened {
            schema: SCHEMA,
            time: now.to_string(),
            lesson: lesson.name.clone(),
            title: lesson.title.clone(),
            code: address::new_code().ok_or(OpeningError::NoCode)?,
            questions: questions.clone(),
        };
        let path = folder.join(format!("{}{ENDING}", stem(&opened)));
        let journal = Journal::create(&path, &opened)?;
        let class = Class::new(opened.title.clone(), opened.code.clone(), questions, most);
        (journal, opened, class)
    };
    let lesson = Arc::new(lesson);
    Ok(Opening { lesson, opened, class, journal, listener, options, pages, resumed })
}

/// `class-2026-11-23_083000`: names of all files of a class begin with it.
fn stem(opened: &Opened) -> String {
    let digits: String = opened.time.chars().take(19).filter(|c| *c != ':').collect();
    format!("class-{}", digits.replace('T', "_"))
}

/// Writes page and table of a class beside its file. Returns where they are.
///
/// # Errors
/// In words, if one cannot be written.
pub fn write_files(
    folder: &Path,
    opened: &Opened,
    class: &Class,
    names: bool,
) -> Result<Vec<PathBuf>, String> {
    let table = report::csv(class, names).map_err(|error| error.to_string())?;
    let files = [("html", report::html(opened, class).into_bytes()), ("csv", table)];
    let mut written = Vec::new();
    for (ending, bytes) in files {
        let path = folder.join(format!("{}.{ending}", stem(opened)));
        std::fs::write(&path, bytes)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        written.push(path);
    }
    Ok(written)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::class::room::{Command, Event};
    use crate::lessons::shelf;

    fn opening(folder: &Path, new: bool) -> Result<Opening, OpeningError> {
        let lesson = shelf::find("1", None).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        open(lesson, folder, new, 200, listener, Options::default())
    }

    #[test]
    fn the_same_command_goes_on_until_the_class_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let first = opening(folder.path(), false).unwrap();
        assert!(!first.resumed && first.pages[0].starts_with("http://127.0.0.1:"));
        let code = first.opened.code.clone();
        drop(first);
        let mut again = opening(folder.path(), false).unwrap();
        assert!(again.resumed && again.opened.code == code);
        let end = again.class.teach(Command::End).unwrap();
        assert_eq!(end, Event::Ended);
        again.journal.add("2026-11-23T09:00:00Z", &end).unwrap();
        assert!(again.class.apply(&end));
        let files = write_files(folder.path(), &again.opened, &again.class, false).unwrap();
        let named = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(named(&files[0]).starts_with("class-20") && named(&files[0]).contains(".html"));
        assert!(std::fs::read_to_string(&files[1]).unwrap().starts_with("question,id,round"));
        // The name has seconds: a class that begins in the same one needs another folder.
        drop(again);
        let other = tempfile::tempdir().unwrap();
        assert!(!opening(other.path(), true).unwrap().resumed);
    }
}
