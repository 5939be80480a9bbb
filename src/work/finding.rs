//! What a check of a kernel found.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::metric::{FailureKind, Metric};
use super::{HostBuffer, Trap};

/// An error in a kernel, found by the sanitizer, by a trap, or by comparing its output
/// with the reference.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Finding {
    /// Its kind: `race`, `uninitialised` and so on, or the name of a [`FailureKind`].
    pub kind: String,
    /// The kernel.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// Source file, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Index of the first block (x, y, z).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Linear indices of its threads that are concerned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<u32>,
    /// The details in words.
    pub message: String,
}

impl Finding {
    /// A finding of `kernel` without a place.
    pub fn new(kind: FailureKind, kernel: &str, message: String) -> Self {
        let (kind, kernel) = (kind.name().to_owned(), kernel.to_owned());
        Self { kind, kernel, message, ..Self::default() }
    }

    /// What was found, without its place: `race in kernel count, block (0, 0, 0): …`
    pub fn sentence(&self) -> String {
        Self { file: None, ..self.clone() }.to_string()
    }

    /// The same at `place`, a file and a line, if it has no place of its own.
    #[must_use]
    pub fn at(mut self, place: Option<(String, u32)>) -> Self {
        if let (None, Some((file, line))) = (self.line, place) {
            (self.file, self.line) = (Some(file), Some(line));
        }
        self
    }
}

impl From<Trap> for Finding {
    fn from(trap: Trap) -> Self {
        Self {
            kind: FailureKind::from(trap.kind).name().to_owned(),
            kernel: trap.kernel,
            file: trap.file,
            line: trap.line,
            block: trap.block,
            threads: trap.lanes,
            message: trap.message,
        }
    }
}

impl fmt::Display for Finding {
    /// `my.cu:12: race in kernel count, block (0, 0, 0), thread 3: …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}", self.kind)?;
        if !self.kernel.is_empty() {
            write!(f, " in kernel {}", self.kernel)?;
        }
        if let Some([x, y, z]) = self.block {
            write!(f, ", block ({x}, {y}, {z})")?;
        }
        match self.threads.as_slice() {
            [] => {}
            [only] => write!(f, ", thread {only}")?,
            [first, ..] => write!(f, ", thread {first} and {} more", self.threads.len() - 1)?,
        }
        write!(f, ": {}", self.message)
    }
}

/// What a checked run of some work gave.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// Errors, by line; empty if the run was clean.
    pub findings: Vec<Finding>,
    /// File and first line of the kernel of the last launch, if known.
    pub place: Option<(String, u32)>,
    /// Contents of the output buffers. Empty after a trap, or if only some blocks ran.
    pub outputs: Vec<HostBuffer>,
    /// Whether only some blocks ran, because the launch was too large.
    pub partial: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_a_sentence_that_begins_with_its_line() {
        let finding = Finding {
            kind: "race".to_owned(),
            kernel: "count".to_owned(),
            file: Some("my.cu".to_owned()),
            line: Some(12),
            block: Some([1, 0, 0]),
            threads: vec![3, 4, 5],
            message: "two threads write bins[0]".to_owned(),
        };
        assert_eq!(
            finding.to_string(),
            "my.cu:12: race in kernel count, block (1, 0, 0), thread 3 and 2 more: two threads \
             write bins[0]"
        );
        let elsewhere = finding.clone().at(Some(("other.cu".to_owned(), 1)));
        assert_eq!(elsewhere, finding, "its own place counts");
        let wrong = Finding::new(FailureKind::WrongAnswer, "count", "output[0] is 1".to_owned());
        assert_eq!(wrong.to_string(), "wrong-answer in kernel count: output[0] is 1");
        let placed = wrong.at(Some(("my.cu".to_owned(), 7)));
        assert!(placed.to_string().starts_with("my.cu:7: wrong-answer"), "{placed}");
    }
}
