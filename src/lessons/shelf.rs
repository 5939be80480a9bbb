//! The lessons that ship with the program, and those of a folder.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::lesson::Lesson;
use super::read::{LessonError, MOST_BYTES, read};
use crate::experiment::UnknownName;

/// Most files of a folder that are read.
const MOST_FILES: usize = 200;

/// A file with a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// Its name without the ending: `01-shared-memory`.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal)*) => {
        &[$(Shipped {
            name: $name,
            text: include_str!(concat!("../../assets/lessons/", $name, ".toml")),
        }),*]
    };
}

/// Every lesson that ships, in order.
pub const SHIPPED: &[Shipped] = shipped! {
    "01-shared-memory"
    "02-block-size"
    "03-coarsening"
    "04-contention"
    "05-divergence"
    "06-bank-conflicts"
    "07-cpu-or-gpu"
    "08-tiling"
    "09-partitioning"
    "10-two-body"
};

/// Reads a file with a lesson.
///
/// # Errors
/// If it cannot be read, is too long, or is not a lesson.
pub fn open(path: &Path) -> Result<Lesson, LessonError> {
    let name = path.display().to_string();
    let unreadable = |reason: String| LessonError {
        file: name.clone(),
        line: None,
        key: String::new(),
        reason: format!("cannot be read: {reason}"),
    };
    let file = File::open(path).map_err(|error| unreadable(error.to_string()))?;
    // A pipe or a device may never end.
    if !file.metadata().is_ok_and(|about| about.is_file()) {
        return Err(unreadable("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    let limited = file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes);
    limited.map_err(|error| unreadable(error.to_string()))?;
    read(&name, &bytes)
}

/// The lessons of a folder (its `.toml` files, by name), else those that ship. A file that is
/// not a lesson has its error in its place.
///
/// # Errors
/// If the folder cannot be read.
pub fn all(folder: Option<&Path>) -> Result<Vec<Result<Lesson, LessonError>>, LessonError> {
    let Some(folder) = folder else {
        let one = |it: &Shipped| read(&format!("{}.toml", it.name), it.text.as_bytes());
        return Ok(SHIPPED.iter().map(one).collect());
    };
    let entries = fs::read_dir(folder).map_err(|error| LessonError {
        file: folder.display().to_string(),
        line: None,
        key: String::new(),
        reason: format!("the folder cannot be read: {error}"),
    })?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|it| it.eq_ignore_ascii_case("toml")))
        .collect();
    paths.sort();
    Ok(paths.iter().take(MOST_FILES).map(|path| open(path)).collect())
}

/// The lesson that a word means: its number (`1`), its name (`01-shared-memory`), its name
/// without the number, or the path of a file.
///
/// # Errors
/// If there is no such lesson, or its file is wrong.
pub fn find(word: &str, folder: Option<&Path>) -> Result<Lesson, LessonError> {
    if Path::new(word).extension().is_some_and(|it| it.eq_ignore_ascii_case("toml")) {
        return open(Path::new(word));
    }
    let (mut names, mut lessons) = (Vec::new(), all(folder)?);
    for at in 0..lessons.len() {
        let name = match &lessons[at] {
            Ok(lesson) => lesson.name.clone(),
            Err(error) => super::read::stem(&error.file),
        };
        if is_meant(word, &name) {
            return lessons.swap_remove(at);
        }
        names.push(name);
    }
    let known: Vec<&str> = names.iter().map(String::as_str).collect();
    Err(LessonError {
        file: "learn".to_owned(),
        line: None,
        key: String::new(),
        reason: UnknownName::new("lesson", word, &known).to_string(),
    })
}

fn is_meant(word: &str, name: &str) -> bool {
    let (number, rest) = name.split_once('-').unwrap_or((name, name));
    let same = |number: &str| number.parse::<u32>().is_ok_and(|it| Ok(it) == word.parse());
    name == word || rest == word || same(number)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn every_lesson_that_ships_is_read() {
        for lesson in all(None).unwrap() {
            let lesson = lesson.unwrap_or_else(|error| panic!("{error}"));
            assert!(!lesson.claim.source.is_empty(), "{}", lesson.name);
        }
    }

    #[test]
    fn every_file_of_the_folder_ships() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/lessons");
        let there: Vec<String> =
            all(Some(&folder)).unwrap().into_iter().map(|it| it.unwrap().name).collect();
        let ships: Vec<&str> = SHIPPED.iter().map(|it| it.name).collect();
        assert_eq!(there, ships);
    }

    #[test]
    fn the_place_of_an_option_does_not_tell_whether_it_is_right() {
        let lessons: Vec<Lesson> = all(None).unwrap().into_iter().map(Result::unwrap).collect();
        let steps = lessons.iter().flat_map(|lesson| &lesson.steps);
        let questions: Vec<_> = steps
            .filter(|step| matches!(step.task.name(), "observe" | "why"))
            .filter_map(|step| step.task.question())
            .collect();
        let first = questions
            .iter()
            .filter(|it| it.expect.as_ref() == it.options.first().map(|option| &option.key));
        let share = first.count() as f64 / questions.len() as f64;
        assert!((0.1..=0.5).contains(&share), "{share} of {} questions", questions.len());
    }

    #[test]
    fn a_lesson_is_found_by_number_name_and_file() {
        for word in ["1", "01", "shared-memory", "01-shared-memory"] {
            assert_eq!(find(word, None).unwrap().name, "01-shared-memory", "{word}");
        }
        let error = find("shared-memry", None).unwrap_err().to_string();
        assert!(error.contains("did you mean `01-shared-memory`"), "{error}");
        assert!(find("nowhere/x.toml", None).unwrap_err().to_string().contains("cannot be read"));
    }
}
