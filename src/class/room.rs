//! The state of a class. Pure: what is asked for becomes an [`Event`] or is refused, and only
//! events change the state. The file of a class is its events, so reading them again gives
//! the same class.
//!
//! ```text
//! lobby -> question -> vote -> discussion -> second vote -> closed -> reveal -> explanation
//!              ^                                                                    |
//!              +------------------------------ next question <----------------------+
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::question::Question;
use super::vote::{Tally, Vote};

/// How far a question is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// It is read; nobody votes yet.
    #[default]
    Ask,
    /// The first vote is open.
    First,
    /// Students discuss in pairs; the vote is closed.
    Discuss,
    /// The second vote is open.
    Second,
    /// Both votes are closed; the result is hidden.
    Closed,
    /// Both distributions are shown beside the measurement.
    Reveal,
    /// The explanation is shown too.
    Explain,
}

impl Phase {
    const ALL: [Self; 7] = [
        Self::Ask,
        Self::First,
        Self::Discuss,
        Self::Second,
        Self::Closed,
        Self::Reveal,
        Self::Explain,
    ];

    /// The one after it.
    fn next(self) -> Option<Self> {
        Self::ALL.get(self as usize + 1).copied()
    }

    /// The one before it.
    fn previous(self) -> Option<Self> {
        (self as usize).checked_sub(1).and_then(|at| Self::ALL.get(at)).copied()
    }

    /// The vote that is open: 0 the first, 1 the second.
    pub fn open_vote(self) -> Option<usize> {
        match self {
            Self::First => Some(0),
            Self::Second => Some(1),
            _ => None,
        }
    }

    /// Whether distributions and measurement are shown.
    pub fn is_revealed(self) -> bool {
        self >= Self::Reveal
    }
}

/// What the teacher asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// One phase on; after the explanation the next question.
    Next,
    /// One phase back; before the question the one before it.
    Back,
    /// Open or close the vote.
    Vote,
    /// Show the result.
    Reveal,
    /// Hide the result.
    Hide,
    /// End the class.
    End,
}

/// A change of the class, as its file keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// A student took a seat.
    Joined {
        /// Hash of the token that the browser keeps.
        token: String,
        /// The seat, where it was another one's who left without a vote; else a new one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seat: Option<usize>,
        /// The student's name, where names are kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// The teacher went to a phase of a question.
    Moved {
        /// Index of the question.
        question: usize,
        /// Its new phase.
        phase: Phase,
    },
    /// A student voted, or changed a vote that is open.
    Voted {
        /// Whose vote, from 0.
        seat: usize,
        /// Index of the question.
        question: usize,
        /// 0 for the first vote, 1 for the second.
        round: usize,
        /// The vote.
        vote: Vote,
    },
    /// What the teacher's screen showed as the answer to a question.
    Shown {
        /// Index of the question.
        question: usize,
        /// What it showed.
        answer: Box<Shown>,
    },
    /// The teacher ended the class.
    Ended,
}

/// The answer to a question as the teacher's screen showed it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Shown {
    /// The result in one sentence.
    pub headline: String,
    /// The explanation, computed from the counters of the results shown.
    pub explanation: Vec<String>,
    /// Index of the right choice, where the results decide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub right: Option<usize>,
    /// The chart as SVG.
    #[serde(default)]
    pub chart: String,
    /// The chart in words.
    #[serde(default)]
    pub caption: String,
}

/// Why something was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The class has ended.
    #[error("the class has ended")]
    Ended,
    /// All seats are taken.
    #[error("the class is full; tell the teacher")]
    Full,
    /// The room code is another one.
    #[error("wrong room code; the teacher's screen shows it")]
    Code,
    /// The browser has no seat.
    #[error("join the class first")]
    NoSeat,
    /// No vote is open.
    #[error("the vote is closed")]
    Closed,
    /// The vote is for another question or round.
    #[error("this question is over; the page shows the current one")]
    Stale,
    /// It does not answer the question.
    #[error("not an answer to this question")]
    Invalid,
    /// The result was shown already.
    #[error("the result was shown, so the vote stays closed")]
    Revealed,
    /// There is nothing further on.
    #[error("this is the last question; E ends the class")]
    Last,
    /// There is nothing further back.
    #[error("this is the first question")]
    First,
    /// The class has not begun.
    #[error("press n to show the first question")]
    Lobby,
}

/// A student's seat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seat {
    /// Hash of the token that the browser keeps.
    pub token: String,
    /// The student's name, where names are kept.
    pub name: Option<String>,
}

/// What happened at one question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Round {
    /// How far it is.
    pub phase: Phase,
    /// Whether the result was ever shown: the vote stays closed then.
    pub was_revealed: bool,
    /// The first and the second vote by seat.
    pub votes: [BTreeMap<usize, Vote>; 2],
    /// The answer as it was shown last.
    pub shown: Option<Shown>,
}

/// A class.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// What it is called: the title of the lesson.
    pub title: String,
    /// The four letters that students type to join.
    pub code: String,
    /// Most seats.
    pub most: usize,
    questions: Vec<Question>,
    rounds: Vec<Round>,
    seats: Vec<Seat>,
    by_token: BTreeMap<String, usize>,
    /// Index of the question at hand; none in the lobby.
    at: Option<usize>,
    ended: bool,
}

impl Class {
    /// A class before its first question.
    pub fn new(title: String, code: String, questions: Vec<Question>, most: usize) -> Self {
        let rounds = vec![Round::default(); questions.len()];
        Self {
            title,
            code,
            most,
            questions,
            rounds,
            seats: Vec::new(),
            by_token: BTreeMap::new(),
            at: None,
            ended: false,
        }
    }

    /// All questions with what happened at each.
    pub fn rounds(&self) -> impl Iterator<Item = (&Question, &Round)> {
        self.questions.iter().zip(&self.rounds)
    }

    /// All seats, in the order in which they were taken.
    pub fn seats(&self) -> &[Seat] {
        &self.seats
    }

    /// The seat of the browser with this token.
    pub fn seat_of(&self, token: &str) -> Option<usize> {
        self.by_token.get(token).copied()
    }

    /// Index of the question at hand; none in the lobby.
    pub fn at(&self) -> Option<usize> {
        self.at
    }

    /// The question at hand with what happened there.
    pub fn current(&self) -> Option<(&Question, &Round)> {
        let at = self.at?;
        Some((self.questions.get(at)?, self.rounds.get(at)?))
    }

    /// How many questions it has.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Whether it has no question.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// Whether the teacher ended it.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// What a command of the teacher changes.
    ///
    /// # Errors
    /// If it means nothing now.
    pub fn teach(&self, command: Command) -> Result<Event, Refusal> {
        if self.ended {
            return Err(Refusal::Ended);
        }
        if command == Command::End {
            return Ok(Event::Ended);
        }
        let Some((question, (_, round))) = self.at.zip(self.current()) else {
            return match command {
                Command::Next if self.is_empty() => Err(Refusal::Last),
                Command::Next => Ok(Event::Moved { question: 0, phase: self.rounds[0].phase }),
                Command::Back => Err(Refusal::First),
                _ => Err(Refusal::Lobby),
            };
        };
        let to = |phase: Phase| {
            if round.was_revealed && phase.open_vote().is_some() {
                return Err(Refusal::Revealed);
            }
            Ok(Event::Moved { question, phase })
        };
        let visit = |question: usize| {
            let phase = self.rounds[question].phase;
            Event::Moved { question, phase }
        };
        let phase = round.phase;
        match command {
            Command::Next => match phase.next() {
                Some(next) => to(next),
                None if question + 1 < self.len() => Ok(visit(question + 1)),
                None => Err(Refusal::Last),
            },
            Command::Back => match phase.previous() {
                Some(previous) if !(round.was_revealed && phase <= Phase::Closed) => to(previous),
                _ => question.checked_sub(1).map(visit).ok_or(Refusal::First),
            },
            Command::Vote => match phase {
                Phase::Ask | Phase::Discuss | Phase::First | Phase::Second => {
                    phase.next().map_or(Err(Refusal::Closed), to)
                }
                Phase::Closed => to(Phase::Second),
                Phase::Reveal | Phase::Explain => Err(Refusal::Revealed),
            },
            Command::Reveal => to(phase.max(Phase::Reveal)),
            Command::Hide => to(phase.min(Phase::Closed)),
            Command::End => Ok(Event::Ended),
        }
    }

    /// A browser that has no seat takes one. Where all are taken, it gets one that
    /// `is_abandoned`, if that has no vote in any round.
    ///
    /// # Errors
    /// If the code is wrong, or all seats are taken.
    pub fn join(
        &self,
        token: &str,
        code: &str,
        name: Option<String>,
        is_abandoned: impl Fn(usize) -> bool,
    ) -> Result<Event, Refusal> {
        if self.ended {
            return Err(Refusal::Ended);
        }
        if !self.code.eq_ignore_ascii_case(code.trim()) {
            return Err(Refusal::Code);
        }
        let seat = if self.seats.len() < self.most {
            None
        } else {
            let free = |seat: &usize| is_abandoned(*seat) && !self.has_voted(*seat);
            Some((0..self.seats.len()).find(free).ok_or(Refusal::Full)?)
        };
        Ok(Event::Joined { token: token.to_owned(), seat, name })
    }

    /// Whether a seat has a vote in any round.
    fn has_voted(&self, seat: usize) -> bool {
        self.rounds.iter().flat_map(|round| &round.votes).any(|votes| votes.contains_key(&seat))
    }

    /// A seat votes on a question in a round. Voting again replaces the vote while it is open.
    ///
    /// # Errors
    /// If that vote is not open, or the vote is no answer.
    pub fn vote(
        &self,
        seat: usize,
        question: usize,
        round: usize,
        vote: Vote,
    ) -> Result<Event, Refusal> {
        if self.ended {
            return Err(Refusal::Ended);
        }
        if seat >= self.seats.len() {
            return Err(Refusal::NoSeat);
        }
        let Some((asked, state)) = self.current() else { return Err(Refusal::Closed) };
        if self.at != Some(question) {
            return Err(Refusal::Stale);
        }
        match state.phase.open_vote() {
            None => Err(Refusal::Closed),
            Some(open) if open != round => Err(Refusal::Stale),
            Some(_) if !vote.fits(&asked.answers) => Err(Refusal::Invalid),
            Some(_) => Ok(Event::Voted { seat, question, round, vote }),
        }
    }

    /// Applies an event. One that means nothing here (from a damaged file) changes nothing;
    /// returns whether it did change something.
    pub fn apply(&mut self, event: &Event) -> bool {
        match event {
            Event::Joined { token, seat, name } => {
                let at = seat.unwrap_or(self.seats.len());
                if self.by_token.contains_key(token) || self.has_voted(at) {
                    return false;
                }
                let taken = Seat { token: token.clone(), name: name.clone() };
                match (seat, self.seats.get_mut(at)) {
                    (None, _) => self.seats.push(taken),
                    (Some(_), Some(before)) => {
                        self.by_token.remove(&before.token);
                        *before = taken;
                    }
                    (Some(_), None) => return false,
                }
                self.by_token.insert(token.clone(), at);
            }
            Event::Moved { question, phase } => {
                let Some(round) = self.rounds.get_mut(*question) else { return false };
                round.phase = *phase;
                round.was_revealed |= phase.is_revealed();
                self.at = Some(*question);
            }
            Event::Voted { seat, question, round, vote } => {
                let known = self.questions.get(*question).is_some_and(|it| vote.fits(&it.answers));
                let votes = self.rounds.get_mut(*question).and_then(|it| it.votes.get_mut(*round));
                let Some(votes) = votes.filter(|_| known && *seat < self.seats.len()) else {
                    return false;
                };
                votes.insert(*seat, vote.clone());
            }
            Event::Shown { question, answer } => {
                let Some(round) = self.rounds.get_mut(*question) else { return false };
                round.shown = Some((**answer).clone());
            }
            Event::Ended => self.ended = true,
        }
        true
    }

    /// How many have voted in the vote that is open, or was last.
    pub fn voted(&self) -> usize {
        let Some((_, round)) = self.current() else { return 0 };
        let at = usize::from(round.phase > Phase::Discuss);
        round.votes[at].len()
    }
}

impl Round {
    /// The chart as SVG, where there is one and it is shown: once it is revealed, or with a
    /// question about what was seen.
    pub fn chart(&self, question: &Question) -> Option<&str> {
        let shown = self.shown.as_ref().filter(|_| self.phase.is_revealed() || question.seen)?;
        Some(shown.chart.as_str()).filter(|chart| !chart.is_empty())
    }

    /// The distributions of the first and the second vote.
    pub fn tallies(&self, question: &Question) -> [Tally; 2] {
        [0, 1].map(|round| Tally::of(&question.answers, self.votes[round].values()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
