//! What is told of a class: to its students as JSON, and to the teacher's screen.

use std::borrow::Cow;

use serde::Serialize;

use super::question::{Answers, Grid, Question};
use super::room::{Class, Phase};
use super::vote::{Tally, Vote};
use crate::units::superscript;

/// What every student may know.
#[derive(Debug, Serialize)]
pub(super) struct Sheet<'a> {
    title: &'a str,
    /// `lobby`, a [`Phase`], or `ended`.
    phase: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Asked<'a>>,
    /// The round whose vote is open.
    vote: Option<usize>,
    seats: usize,
    voted: usize,
    /// Number of the chart's version; 0 without a chart.
    chart: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<Outcome<'a>>,
}

#[derive(Debug, Serialize)]
struct Asked<'a> {
    index: usize,
    of: usize,
    context: Vec<Cow<'a, str>>,
    text: Cow<'a, str>,
    answers: Answers,
}

#[derive(Debug, Serialize)]
struct Outcome<'a> {
    tallies: [Tally; 2],
    headline: Cow<'a, str>,
    right: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explanation: Option<Vec<Cow<'a, str>>>,
}

/// What one student alone knows.
#[derive(Debug, Serialize)]
pub(super) struct You<'a> {
    /// Number of the seat, from 1.
    seat: usize,
    /// The votes on the question at hand.
    votes: [Option<&'a Vote>; 2],
}

impl<'a> Sheet<'a> {
    /// The sheet of a class, with the number of the chart's version.
    pub(super) fn of(class: &'a Class, chart: u64) -> Self {
        let current = class.current().filter(|_| !class.has_ended());
        let revealed = current.filter(|(_, round)| round.phase.is_revealed());
        Self {
            title: &class.title,
            phase: if class.has_ended() {
                "ended"
            } else {
                current.map_or("lobby", |(_, round)| round.phase.name())
            },
            question: current.map(|(question, _)| Asked {
                index: class.at().unwrap_or_default(),
                of: class.len(),
                context: question.context.iter().map(|it| superscript(it)).collect(),
                text: superscript(&question.text),
                answers: readable(&question.answers),
            }),
            vote: current.and_then(|(_, round)| round.phase.open_vote()),
            seats: class.seats().len(),
            voted: class.voted(),
            chart: if current.is_some_and(|(question, round)| round.chart(question).is_some()) {
                chart
            } else {
                0
            },
            result: revealed.map(|(question, round)| Outcome {
                tallies: round.tallies(question),
                headline: round
                    .shown
                    .as_ref()
                    .map_or(Cow::Borrowed(""), |shown| superscript(&shown.headline)),
                right: round.shown.as_ref().and_then(|shown| shown.right),
                explanation: round
                    .shown
                    .as_ref()
                    .filter(|_| round.phase == Phase::Explain)
                    .map(|shown| shown.explanation.iter().map(|it| superscript(it)).collect()),
            }),
        }
    }
}

/// The answers with powers set as `2²²`.
fn readable(answers: &Answers) -> Answers {
    let set = |texts: &[String]| texts.iter().map(|it| superscript(it).into_owned()).collect();
    match answers {
        Answers::Choice(choices) => Answers::Choice(set(choices)),
        Answers::Curve(grid) => Answers::Curve(Grid {
            sizes: set(&grid.sizes),
            heights: set(&grid.heights),
            ..grid.clone()
        }),
    }
}

impl<'a> You<'a> {
    /// What the student of a seat knows.
    pub(super) fn of(class: &'a Class, seat: usize) -> Self {
        let of = |round: usize| class.current()?.1.votes[round].get(&seat);
        Self { seat: seat + 1, votes: [of(0), of(1)] }
    }
}

impl Phase {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::First => "first",
            Self::Discuss => "discuss",
            Self::Second => "second",
            Self::Closed => "closed",
            Self::Reveal => "reveal",
            Self::Explain => "explain",
        }
    }
}

/// What the teacher's screen shows of a class.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Overview {
    /// What the class is called.
    pub title: String,
    /// The four letters that students type to join.
    pub code: String,
    /// Index of the question at hand; none in the lobby.
    pub at: Option<usize>,
    /// How many questions there are.
    pub of: usize,
    /// The question at hand.
    pub question: Option<Question>,
    /// How far it is.
    pub phase: Phase,
    /// How many seats are taken.
    pub seats: usize,
    /// How many browsers are connected now.
    pub online: usize,
    /// How many have voted in the round at hand.
    pub voted: usize,
    /// Both distributions, once they are revealed.
    pub tallies: Option<[Tally; 2]>,
    /// Whether the class has ended.
    pub ended: bool,
}

impl Overview {
    /// The overview of a class.
    pub(super) fn of(class: &Class, online: usize) -> Self {
        let current = class.current();
        let phase = current.map_or(Phase::Ask, |(_, round)| round.phase);
        let revealed = current.filter(|(_, round)| round.phase.is_revealed());
        Self {
            title: class.title.clone(),
            code: class.code.clone(),
            at: class.at(),
            of: class.len(),
            question: current.map(|(question, _)| question.clone()),
            phase,
            seats: class.seats().len(),
            online,
            voted: class.voted(),
            tallies: revealed.map(|(question, round)| round.tallies(question)),
            ended: class.has_ended(),
        }
    }
}
