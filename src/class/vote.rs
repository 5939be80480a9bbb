//! One student's answer, and how the answers of a class are distributed.

use serde::{Deserialize, Serialize};

use super::question::Answers;
use crate::statistics;

/// One student's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vote {
    /// What was answered.
    pub answer: Answer,
    /// How sure the student is: 1 (a guess) to 3 (sure).
    pub confidence: u8,
}

/// What was answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The choice with this index, from 0.
    Choice(usize),
    /// The index of a height for each size.
    Curve(Vec<u8>),
}

impl Vote {
    /// Whether it answers a question with these answers.
    pub fn fits(&self, answers: &Answers) -> bool {
        let answered = match (&self.answer, answers) {
            (Answer::Choice(index), Answers::Choice(choices)) => *index < choices.len(),
            (Answer::Curve(heights), Answers::Curve(grid)) => {
                let known = |height: &u8| usize::from(*height) < grid.heights.len();
                heights.len() == grid.sizes.len() && heights.iter().all(known)
            }
            _ => false,
        };
        answered && (1..=3).contains(&self.confidence)
    }
}

/// The answers of a class to one question in one round.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tally {
    /// For each choice, how many took it, by confidence: guesses first.
    Choice(Vec<[u32; 3]>),
    /// The drawn curves with their median at each size.
    Curve {
        /// Each student's heights.
        curves: Vec<Vec<u8>>,
        /// The middle one of the heights at each size; empty without a curve.
        median: Vec<f64>,
    },
}

impl Tally {
    /// Counts votes that fit the answers.
    pub fn of<'a>(answers: &Answers, votes: impl Iterator<Item = &'a Vote>) -> Self {
        match answers {
            Answers::Choice(choices) => {
                let mut counts = vec![[0; 3]; choices.len()];
                for vote in votes {
                    let sure = usize::from(vote.confidence).wrapping_sub(1);
                    if let Answer::Choice(index) = vote.answer
                        && let Some(count) = counts.get_mut(index).and_then(|it| it.get_mut(sure))
                    {
                        *count += 1;
                    }
                }
                Self::Choice(counts)
            }
            Answers::Curve(grid) => {
                let drawn = votes.filter_map(|vote| match &vote.answer {
                    Answer::Curve(heights) if heights.len() == grid.sizes.len() => {
                        Some(heights.clone())
                    }
                    _ => None,
                });
                let curves: Vec<Vec<u8>> = drawn.collect();
                let middle = |size: usize| {
                    let heights: Vec<f64> =
                        curves.iter().map(|curve| f64::from(curve[size])).collect();
                    statistics::median(&heights)
                };
                let median = (0..grid.sizes.len()).filter_map(middle).collect();
                Self::Curve { curves, median }
            }
        }
    }

    /// How many votes were counted.
    pub fn votes(&self) -> usize {
        match self {
            Self::Choice(counts) => counts.iter().flatten().map(|it| *it as usize).sum(),
            Self::Curve { curves, .. } => curves.len(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::class::question::Grid;

    fn grid() -> Answers {
        let texts = |of: &[&str]| of.iter().map(|it| (*it).to_owned()).collect();
        Answers::Curve(Grid {
            across: "n".to_owned(),
            sizes: texts(&["2^10", "2^20"]),
            up: "time".to_owned(),
            heights: texts(&["1 µs", "10 µs", "100 µs"]),
        })
    }

    fn curve(heights: &[u8]) -> Vote {
        Vote { answer: Answer::Curve(heights.to_vec()), confidence: 2 }
    }

    #[test]
    fn only_possible_answers_fit() {
        let choices = Answers::Choice(vec!["a".to_owned(), "b".to_owned()]);
        let choice = |index, confidence| Vote { answer: Answer::Choice(index), confidence };
        assert!(choice(1, 1).fits(&choices) && choice(0, 3).fits(&choices));
        assert!(!choice(2, 1).fits(&choices), "no such choice");
        assert!(!choice(0, 0).fits(&choices) && !choice(0, 4).fits(&choices), "confidence");
        assert!(!choice(0, 1).fits(&grid()) && !curve(&[0, 1]).fits(&choices), "another kind");
        assert!(curve(&[0, 2]).fits(&grid()));
        assert!(!curve(&[0, 3]).fits(&grid()) && !curve(&[0]).fits(&grid()));
    }

    #[test]
    fn a_tally_counts_by_confidence_and_finds_the_median_curve() {
        let choices = Answers::Choice(vec!["a".to_owned(), "b".to_owned()]);
        let votes = [(1, 3), (1, 1), (0, 2), (1, 3)]
            .map(|(index, confidence)| Vote { answer: Answer::Choice(index), confidence });
        let tally = Tally::of(&choices, votes.iter());
        assert_eq!(tally, Tally::Choice(vec![[0, 1, 0], [1, 0, 2]]));
        assert_eq!(tally.votes(), 4);

        let drawn = [curve(&[0, 2]), curve(&[2, 2]), curve(&[1, 1])];
        let Tally::Curve { curves, median } = Tally::of(&grid(), drawn.iter()) else { panic!() };
        assert_eq!((curves.len(), median), (3, vec![1.0, 2.0]));
        let none = Tally::of(&grid(), [].iter());
        assert_eq!(none, Tally::Curve { curves: Vec::new(), median: Vec::new() });
    }
}
