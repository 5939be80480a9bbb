//! An answer that is not locked yet: what the student points at, and how far the locking is.

use crate::lessons::grade::Answer;
use crate::lessons::{Ask, Question, Right, Unit};

/// How far an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stage {
    /// The student chooses, or draws.
    #[default]
    Choose,
    /// The student says how sure the prediction is.
    Confidence,
    /// The program asks whether to lock the answer.
    Lock,
}

/// An answer in the making.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// How far it is.
    pub stage: Stage,
    /// The option under the cursor.
    pub option: usize,
    /// The drawn curve: sizes, ascending, with their values.
    pub points: Vec<(u64, f64)>,
    /// The point that moves.
    pub point: usize,
    /// Points that were moved: they stay where they are when one before them moves.
    moved: Vec<bool>,
    /// How sure the student is, 1 to 3.
    pub confidence: u8,
}

/// The factor of one key press on a drawn point: eight for a power of ten.
const STEP: f64 = 1.333_521_432_163_324;

/// The values that a drawn point can have: seconds, and factors or counts.
const SECONDS: (f64, f64) = (1e-8, 1e3);
const NUMBERS: (f64, f64) = (1e-4, 1e12);

/// Most that a student can be sure.
pub const MOST_SURE: u8 = 3;

impl Draft {
    /// An answer to nothing yet; `sizes` are those of a curve to draw, in the unit of its
    /// values.
    pub fn new(question: &Question, sizes: &[u64], unit: Option<Unit>) -> Self {
        let first = if unit == Some(Unit::Seconds) { 1e-5 } else { 1.0 };
        let draws = matches!(question.ask, Ask::Draw { .. });
        let points: Vec<(u64, f64)> = sizes.iter().filter(|_| draws).map(|n| (*n, first)).collect();
        Self { moved: vec![false; points.len()], points, confidence: 2, ..Self::default() }
    }

    /// Goes to another option: `down` rows and, in a map, `right` columns.
    pub fn go(&mut self, question: &Question, right: isize, down: isize) {
        let many = question.options.len();
        if !matches!(question.ask, Ask::Cell { .. }) {
            self.option = round(self.option, right + down, many);
            return;
        }
        let cell = |at: usize| match question.options.get(at)?.right {
            Right::Cell { block, coarsen } => Some((block, coarsen)),
            _ => None,
        };
        let Some((block, coarsen)) = cell(self.option) else { return };
        let blocks = distinct((0..many).filter_map(|at| Some(cell(at)?.0)));
        let coarsenings = distinct((0..many).filter_map(|at| Some(cell(at)?.1)));
        let wanted = (next(&blocks, block, right), next(&coarsenings, coarsen, down));
        let found = (0..many).find(|at| cell(*at) == Some(wanted));
        self.option = found.unwrap_or(self.option);
    }

    /// Goes to another point of the curve.
    pub fn go_point(&mut self, by: isize) {
        let last = self.points.len().saturating_sub(1);
        self.point = self.point.saturating_add_signed(by).min(last);
    }

    /// Moves the point by steps of the logarithmic axis. Points after it that were never moved
    /// come along.
    pub fn lift(&mut self, by: i32, unit: Option<Unit>) {
        let (least, most) = if unit == Some(Unit::Seconds) { SECONDS } else { NUMBERS };
        let Some((_, value)) = self.points.get(self.point) else { return };
        let value = (value * STEP.powi(by)).clamp(least, most);
        self.moved[self.point] = true;
        self.points[self.point].1 = value;
        for at in self.point + 1..self.points.len() {
            if self.moved[at] {
                break;
            }
            self.points[at].1 = value;
        }
    }

    /// Says more or less sure.
    pub fn be_sure(&mut self, by: isize) {
        let sure = isize::from(self.confidence) + by;
        self.confidence = sure.clamp(1, isize::from(MOST_SURE)) as u8;
    }

    /// One stage on; whether the answer is to be locked now. `confident` says that the stage
    /// of confidence belongs to the question.
    pub fn enter(&mut self, confident: bool) -> bool {
        self.stage = match self.stage {
            Stage::Choose if confident => Stage::Confidence,
            Stage::Choose | Stage::Confidence => Stage::Lock,
            Stage::Lock => return true,
        };
        false
    }

    /// Back to choosing; whether there was anything to go back from.
    pub fn leave(&mut self) -> bool {
        std::mem::take(&mut self.stage) != Stage::Choose
    }

    /// The answer; none where there is nothing to choose.
    pub fn answer(&self, question: &Question) -> Option<Answer> {
        if matches!(question.ask, Ask::Draw { .. }) {
            return (!self.points.is_empty()).then(|| Answer::Curve(self.points.clone()));
        }
        question.options.get(self.option).map(|option| Answer::Choice(option.key.clone()))
    }
}

/// The words for how sure a student is.
pub fn sure(confidence: u8) -> &'static str {
    match confidence {
        0 | 1 => "a guess",
        2 => "fairly sure",
        _ => "very sure",
    }
}

/// A place in a list, round and round.
pub fn round(at: usize, by: isize, many: usize) -> usize {
    if many == 0 { 0 } else { (at as isize + by).rem_euclid(many as isize) as usize }
}

fn distinct(values: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut values: Vec<u32> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// The value `by` places on in an ascending list; at its end the last one.
fn next(values: &[u32], from: u32, by: isize) -> u32 {
    let at = values.iter().position(|value| *value == from).unwrap_or(0);
    let at = at.saturating_add_signed(by).min(values.len().saturating_sub(1));
    values.get(at).copied().unwrap_or(from)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::lessons::Choice;

    fn cells() -> Question {
        let cell = |block, coarsen| Choice {
            key: format!("{block}/{coarsen}"),
            text: String::new(),
            note: None,
            right: Right::Cell { block, coarsen },
        };
        let options = [64, 128, 256].into_iter().flat_map(|block| [cell(block, 1), cell(block, 4)]);
        let ask = Ask::Cell { value: "best".to_owned() };
        Question { ask, options: options.collect(), expect: None }
    }

    #[test]
    fn the_cursor_walks_the_map_and_stops_at_its_ends() {
        let question = cells();
        let mut draft = Draft::new(&question, &[], None);
        draft.go(&question, 1, 0);
        draft.go(&question, 0, 1);
        assert_eq!(draft.answer(&question), Some(Answer::Choice("128/4".to_owned())));
        draft.go(&question, 5, 5);
        assert_eq!(draft.answer(&question), Some(Answer::Choice("256/4".to_owned())));
        draft.go(&question, -9, -9);
        assert_eq!(draft.answer(&question), Some(Answer::Choice("64/1".to_owned())));
    }

    #[test]
    fn points_that_were_not_moved_come_along() {
        let ask = Ask::Draw { value: "curve".to_owned() };
        let question = Question { ask, options: Vec::new(), expect: None };
        let mut draft = Draft::new(&question, &[1, 2, 4, 8], Some(Unit::Times));
        draft.go_point(2);
        draft.lift(8, Some(Unit::Times));
        let values = |draft: &Draft| -> Vec<f64> {
            draft.points.iter().map(|(_, value)| (value * 1e6).round() / 1e6).collect()
        };
        assert_eq!(values(&draft), [1.0, 1.0, 10.0, 10.0]);
        draft.go_point(-9);
        draft.lift(-8, Some(Unit::Times));
        assert_eq!(values(&draft), [0.1, 0.1, 10.0, 10.0], "a moved point stays");
        draft.lift(-1000, Some(Unit::Times));
        assert!(draft.points.iter().all(|(_, value)| *value > 0.0));
        assert!(
            matches!(draft.answer(&question), Some(Answer::Curve(points)) if points.len() == 4)
        );
    }

    #[test]
    fn an_answer_is_locked_after_a_question_and_never_by_one_key() {
        let mut draft = Draft::new(&cells(), &[], None);
        assert!(!draft.enter(true));
        draft.be_sure(9);
        assert_eq!((draft.stage, draft.confidence), (Stage::Confidence, 3));
        assert!(!draft.enter(true));
        assert_eq!(draft.stage, Stage::Lock);
        assert!(draft.leave() && !draft.leave());
        assert!(!draft.enter(false), "without a confidence");
        assert!(draft.enter(false));
    }
}
