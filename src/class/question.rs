//! What a class is asked, and what is an answer to it.

use serde::{Deserialize, Serialize};

use crate::experiment::Experiment;

/// Most choices of a question.
pub const MOST_CHOICES: usize = 9;

/// Most sizes of a drawn curve.
pub const MOST_SIZES: usize = 16;

/// Most heights of a drawn curve.
pub const MOST_HEIGHTS: usize = 64;

/// A question to a class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its name in files, unique in the class.
    pub id: String,
    /// What is said before it: paragraphs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
    /// What is asked.
    pub text: String,
    /// What can be answered.
    pub answers: Answers,
    /// What is measured when the answer is revealed.
    pub experiment: Option<Experiment>,
    /// Whether the measurement is shown with the question, because it is about what was seen.
    #[serde(default)]
    pub seen: bool,
}

/// What can be answered to a question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answers {
    /// One of several sentences.
    Choice(Vec<String>),
    /// A height at each of several sizes.
    Curve(Grid),
}

/// Where a curve is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grid {
    /// What the sizes are: `input size n`.
    pub across: String,
    /// The sizes as text, from left to right.
    pub sizes: Vec<String>,
    /// What the heights are: `time`.
    pub up: String,
    /// The heights as text, from the bottom up.
    pub heights: Vec<String>,
}

/// Why a question cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("question `{id}`: {reason}")]
pub struct QuestionError {
    /// Which one.
    pub id: String,
    /// What is wrong with it.
    pub reason: String,
}

impl Question {
    /// Checks that it can be asked.
    ///
    /// # Errors
    /// If it has too few or too many answers.
    pub fn check(&self) -> Result<(), QuestionError> {
        let wrong = |reason: String| Err(QuestionError { id: self.id.clone(), reason });
        match &self.answers {
            Answers::Choice(choices) if !(2..=MOST_CHOICES).contains(&choices.len()) => {
                wrong(format!("{} choices; 2 to {MOST_CHOICES} are possible", choices.len()))
            }
            Answers::Curve(grid) if !(2..=MOST_SIZES).contains(&grid.sizes.len()) => {
                wrong(format!("{} sizes; 2 to {MOST_SIZES} are possible", grid.sizes.len()))
            }
            Answers::Curve(grid) if !(2..=MOST_HEIGHTS).contains(&grid.heights.len()) => {
                wrong(format!("{} heights; 2 to {MOST_HEIGHTS} are possible", grid.heights.len()))
            }
            _ => Ok(()),
        }
    }
}
