//! What a student has answered, in a file beside the settings. A file of answers to grade
//! has the same form.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize};

use super::grade::{Answer, Mark};
use crate::experiment::ParamValue;
use crate::settings::{self, KeptError};

/// What a student has answered in one lesson.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// Name of the lesson.
    #[serde(default)]
    pub lesson: String,
    /// The step where the student was.
    #[serde(default)]
    pub step: String,
    /// Hints shown, by step.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hints: BTreeMap<String, usize>,
    /// Answers by step, in the order in which they were given.
    #[serde(default)]
    pub answers: BTreeMap<String, Answers>,
}

/// The answers to one step. A file may have one table or a list of tables.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct Answers(pub Vec<Given>);

impl<'de> Deserialize<'de> for Answers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(
            untagged,
            expecting = "an answer (choice, curve, change or kernel) or a list of them"
        )]
        enum Form {
            One(Given),
            Several(Vec<Given>),
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::One(given) => Self(vec![given]),
            Form::Several(given) => Self(given),
        })
    }
}

/// One answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(into = "Row", try_from = "Row")]
pub struct Given {
    /// The answer.
    pub answer: Answer,
    /// How sure the student was: 1 guessed, 2 fairly, 3 sure.
    pub confidence: Option<u8>,
    /// When it was given, RFC 3339 in UTC; empty if nobody noted it.
    pub time: String,
    /// What it was worth, where that was known at once.
    pub mark: Option<Mark>,
}

/// An answer as a file has it: one key for its kind.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Vec<(u64, f64)>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<BTreeMap<String, ParamValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kernel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<u8>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    time: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<Mark>,
}

impl From<Given> for Row {
    fn from(given: Given) -> Self {
        let Given { answer, confidence, time, mark } = given;
        let mut row =
            Self { choice: None, curve: None, change: None, kernel: None, confidence, time, mark };
        match answer {
            Answer::Choice(key) => row.choice = Some(key),
            Answer::Curve(points) => row.curve = Some(points),
            Answer::Change { axis, value } => {
                row.change = Some(BTreeMap::from([(axis, ParamValue::Word(value))]));
            }
            Answer::Kernel(path) => row.kernel = Some(path),
        }
        row
    }
}

impl TryFrom<Row> for Given {
    type Error = String;

    fn try_from(row: Row) -> Result<Self, String> {
        let Row { choice, curve, change, kernel, confidence, time, mark } = row;
        let answer = match (choice, curve, change, kernel) {
            (Some(key), None, None, None) => Answer::Choice(key),
            (None, Some(points), None, None) => Answer::Curve(points),
            (None, None, Some(change), None) if change.len() == 1 => {
                let mut change = change.into_iter();
                let (axis, value) = change.next().ok_or("a change has an axis")?;
                Answer::Change { axis, value: value.to_string() }
            }
            (None, None, None, Some(path)) => Answer::Kernel(path),
            _ => return Err("an answer has one of choice, curve, change, kernel".to_owned()),
        };
        if confidence.is_some_and(|it| !(1..=3).contains(&it)) {
            return Err("confidence is 1, 2 or 3".to_owned());
        }
        Ok(Self { answer, confidence, time, mark })
    }
}

/// What its files have, in errors.
const WHAT: &str = "answers";

/// The folder of progress: `lessons` beside the settings file; `None` where settings are
/// not kept.
pub fn folder(config: Option<&str>) -> Option<PathBuf> {
    Some(settings::file(config)?.parent()?.join("lessons"))
}

/// Reads a file of answers; `None` if there is none.
///
/// # Errors
/// If it cannot be read or understood.
pub fn read(path: &Path) -> Result<Option<Progress>, KeptError> {
    settings::read_as(path, WHAT)
}

/// Where the progress of one lesson is kept. A file that is not understood is never
/// overwritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeper {
    path: Option<PathBuf>,
}

impl Keeper {
    /// Opens the file of a lesson in a folder; without a folder nothing is kept. The error
    /// says why an existing file is left alone.
    pub fn open(
        folder: Option<&Path>,
        lesson: &str,
    ) -> (Self, Result<Option<Progress>, KeptError>) {
        // A lesson of a user's folder can have any file name.
        let plain = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
        let name: String = lesson.chars().take(100).map(plain).collect();
        let path = folder.map(|folder| folder.join(format!("{name}.toml")));
        match path.as_deref().map(read).transpose() {
            Ok(found) => (Self { path }, Ok(found.flatten())),
            Err(error) => (Self { path: None }, Err(error)),
        }
    }

    /// Writes the progress whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, progress: &Progress) -> Result<(), KeptError> {
        let Some(path) = &self.path else { return Ok(()) };
        settings::write_as(path, progress, WHAT)
    }

    /// The file; `None` where nothing is kept.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The file for the student's kernel of a `write` step, beside the progress.
    pub fn kernel(&self, step: &str) -> Option<PathBuf> {
        self.path.as_ref().map(|path| path.with_extension("").join(format!("{step}.cu")))
    }

    /// The file for the results of the lesson, beside its progress: a sweep that stores there
    /// does not run its cases again after a restart.
    pub fn results(&self) -> Option<PathBuf> {
        self.path.as_ref().map(|path| path.with_extension("jsonl"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn given(answer: Answer) -> Given {
        Given { answer, confidence: Some(2), time: "2026-11-23T02:00:00Z".to_owned(), mark: None }
    }

    #[test]
    fn progress_survives_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let (keeper, found) = Keeper::open(Some(folder.path()), "../01 lesson");
        assert_eq!(found.unwrap(), None);
        let answers = [
            ("a", Answer::Choice("10x".to_owned())),
            ("b", Answer::Curve(vec![(1024, 0.5), (4096, 2.0)])),
            ("c", Answer::Change { axis: "bins".to_owned(), value: "256".to_owned() }),
            ("d", Answer::Kernel("my.cu".to_owned())),
        ];
        let answers =
            answers.map(|(id, it)| (id.to_owned(), Answers(vec![given(it.clone()), given(it)])));
        let progress = Progress {
            lesson: "01".to_owned(),
            step: "b".to_owned(),
            hints: BTreeMap::from([("a".to_owned(), 2)]),
            answers: answers.into_iter().collect(),
        };
        keeper.save(&progress).unwrap();
        assert_eq!(keeper.path().unwrap().parent(), Some(folder.path()));
        assert_eq!(Keeper::open(Some(folder.path()), "../01 lesson").1.unwrap(), Some(progress));
    }

    #[test]
    fn a_damaged_file_is_reported_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("01.toml");
        for (text, part) in [
            ("lesson = \"01\"\nanswers = 3\n", "01.toml:2"),
            ("[answers.a]\nchoise = \"1x\"\n", "choice, curve, change or kernel"),
            ("[answers.a]\nchoice = \"1x\"\nconfidence = 4\n", "an answer"),
            ("\0", "01.toml:1"),
        ] {
            std::fs::write(&path, text).unwrap();
            let (keeper, found) = Keeper::open(Some(folder.path()), "01");
            let error = found.unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("stays as it is"), "{error}");
            keeper.save(&Progress::default()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }
}
