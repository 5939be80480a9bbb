//! What the teacher's screen knows of the class.

use std::path::PathBuf;
use std::sync::Arc;

use crate::class::address::Qr;
use crate::class::{Opening, Overview};
use crate::figure::Picture;
use crate::lessons::Lesson;

/// The teacher's screen.
#[derive(Debug, Clone, Default)]
pub struct Desk {
    /// The class as the server told it last.
    pub overview: Overview,
    /// The lesson that the questions are from.
    pub lesson: Option<Arc<Lesson>>,
    /// The pages that students open, the best one first.
    pub pages: Vec<String>,
    /// Who can open them, in words.
    pub reach: String,
    /// The first page with the room code, to be photographed.
    pub qr: Option<Qr>,
    /// Whether address and code lie over the question.
    pub address: bool,
    /// Whether the end was asked for once: the second time ends the class.
    pub ending: bool,
    /// What was written at the end.
    pub files: Vec<PathBuf>,
    /// The answer as students see it.
    pub(crate) answered: Option<Arc<Answered>>,
    /// What it was made from.
    pub(crate) sent: Option<Sent>,
}

/// What an answer was made from: it is sent again when this changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sent {
    pub(crate) question: usize,
    /// How often the figure was drawn up.
    pub(crate) drawn: u64,
    pub(crate) running: bool,
    pub(crate) headline: String,
    pub(crate) explanation: Vec<String>,
    /// How many cases were begun to be counted, and whether one is being counted.
    pub(crate) counted: (u64, bool),
}

/// The answer to a question as the screen has it, for the students.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// Index of the question.
    pub(crate) question: usize,
    /// The right answer in words, where the results decide it.
    pub(crate) answer: String,
    /// The result in one sentence.
    pub(crate) sentence: String,
    /// The explanation, or why there is none; empty as long as cases are counted for it.
    pub(crate) explanation: Vec<String>,
    /// Index of the right choice, where the results decide it.
    pub(crate) right: Option<usize>,
    /// The chart.
    pub(crate) picture: Option<Picture>,
    /// Whether nothing runs, so that the file of the class takes it.
    pub(crate) settled: bool,
}

impl Answered {
    /// The right answer and the result.
    pub(crate) fn headline(&self) -> String {
        match (self.answer.as_str(), self.sentence.as_str()) {
            (answer, "") => answer.to_owned(),
            ("", sentence) => sentence.to_owned(),
            (answer, sentence) => format!("{answer} {sentence}"),
        }
    }
}

impl Desk {
    /// The screen of a class that begins.
    pub fn new(opening: &Opening) -> Self {
        let local = opening.listener.local_addr().is_ok_and(|it| it.ip().is_loopback());
        let reach = match (local && opening.options.hosts.is_empty(), opening.pages.is_empty()) {
            (true, _) => {
                "Only this computer can open it. --bind 0.0.0.0:7310 opens it to the network."
            }
            (false, true) => "This computer has no network address. Connect it, then start again.",
            (false, false) => "Open to everyone on this network who has the room code.",
        };
        let code = &opening.opened.code;
        let qr = opening.pages.first().and_then(|page| Qr::of(&format!("{page}#{code}")));
        Self {
            lesson: Some(Arc::clone(&opening.lesson)),
            pages: opening.pages.clone(),
            reach: reach.to_owned(),
            qr,
            overview: Overview {
                title: opening.opened.title.clone(),
                code: code.clone(),
                ..Overview::default()
            },
            ..Self::default()
        }
    }

    /// Whether the chart is for the class to see now.
    pub fn shows_chart(&self) -> bool {
        let of = &self.overview;
        of.at.is_some()
            && (of.phase.is_revealed() || of.question.as_ref().is_some_and(|it| it.seen))
    }
}
