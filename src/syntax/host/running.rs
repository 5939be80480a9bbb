//! Running sums that the host writes, such as the beginnings of rows.

use std::ops::Range;

use super::Host;
use super::memory::Written;
use super::value::{Op, Value};
use crate::syntax::lexer::{Kind, Token};

/// Functions that write them.
const SCANS: [&str; 3] = ["exclusive_scan", "inclusive_scan", "partial_sum"];

impl Host<'_> {
    /// Running sums in a variable: of random numbers, or a value for each index `i` where all numbers are
    /// the same.
    pub(super) fn running(&self, name: &str) -> Option<Written> {
        let mut places = self.all(name).iter().copied();
        let step =
            places.find_map(|at| self.step_of_sum(name, at)).or_else(|| self.scanned(name))?;
        match step {
            Written::Drawn(least, below) => Some(Written::Sums(least, below)),
            Written::Each(step) if step.number().is_some_and(|it| it > 0) => {
                let index = Value::Name("i".to_owned(), None);
                Some(Written::Each(Value::op(Op::Multiply, step, index)))
            }
            _ => None,
        }
    }

    /// The largest that element `index` of running sums can be, for lengths such as `offsets[rows]`.
    pub(super) fn largest_sum(&self, name: &str, index: Value) -> Option<Value> {
        match self.nested(|| self.running(name))? {
            Written::Sums(_, below) => {
                let most = Value::op(Op::Subtract, below, Value::Number(1));
                Some(Value::op(Op::Multiply, most, index))
            }
            Written::Each(each) => {
                Some(each.replaced(&|it| {
                    (*it == Value::Name("i".to_owned(), None)).then(|| index.clone())
                }))
            }
            _ => None,
        }
    }

    /// Whether a statement counts a name up: `count++;`.
    fn is_counted(&self, name: &str, part: Range<usize>) -> bool {
        self.places(name, part).iter().any(|&at| {
            let before = at >= 2 && self.signs(at - 2, "++");
            (self.signs(at + 1, "++") || before) && !self.is_step(at)
        })
    }

    /// The largest that a number can be to which loops in a part of the source add; a name without a value
    /// if that is known only when the program runs, and `None` if nothing is added.
    pub(super) fn total(&self, name: &str, part: Range<usize>) -> Option<Value> {
        let unknown = || Value::Name(name.to_owned(), None);
        if self.is_counted(name, part.clone()) {
            return Some(unknown());
        }
        let adds = |it: &&usize| self.signs(*it + 1, "+=") && !self.is_step(**it);
        let mut adds = self.places(name, part).iter().filter(adds);
        let at = *adds.next()?;
        let most = || {
            let loops = self.loops(at).filter(|it| !it.is_empty())?;
            let index = self.tokens[loops.last()?.index];
            let step = match self.step_added(at + 3..self.end(at + 3), index) {
                Written::Drawn(_, below) => Value::op(Op::Subtract, below, Value::Number(1)),
                Written::Each(step) => Value::Number(step.number()?),
                _ => return None,
            };
            let mut rounds = loops.iter().map(|it| self.rounds(it));
            rounds.try_fold(step, |all, it| Some(Value::op(Op::Multiply, all, it?)))
        };
        let only = adds.next().is_none();
        let most = only.then(|| self.nested(most)).flatten();
        Some(most.unwrap_or_else(unknown))
    }

    /// What is added in `h[i + 1] = h[i] + …`, `h[i] = h[i - 1] + …`, or `h[i] = sum; … sum += …`.
    fn step_of_sum(&self, name: &str, at: usize) -> Option<Written> {
        let (index, behind) = self.subscript(at)?;
        let next = self.is_neighbour(&index, "+");
        let own = self.tokens[index.start];
        if own.kind != Kind::Word || !next && index.len() != 1 || !self.signs(behind, "=") {
            return None;
        }
        let value = behind + 1..self.end(behind + 1);
        let (first, rest) = self.tokens.get(value.clone())?.split_first()?;
        if rest.is_empty() {
            let body = self.function(at)?.body.clone();
            let zero = self.set(first.text, body.start..at).and_then(|it| it.number()) == Some(0);
            let mut adds = self.places(first.text, at..body.end).iter();
            let added = *adds.find(|&&it| self.signs(it + 1, "+=")).filter(|_| zero)?;
            return Some(self.step_added(added + 3..self.end(added + 3), own));
        }
        let before = first.is_word(name).then(|| self.subscript(value.start));
        let (before, plus) = before??;
        let follows = if next { before.len() == 1 } else { self.is_neighbour(&before, "-") };
        let same = self.tokens[before.start].text == own.text;
        (same && follows && self.signs(plus, "+"))
            .then(|| self.step_added(plus + 1..value.end, own))
    }

    /// The inside of `[…]` behind a name, and what follows it.
    fn subscript(&self, at: usize) -> Option<(Range<usize>, usize)> {
        let (inside, behind) = self.signs(at + 1, "[").then(|| self.arguments(at + 1))??;
        let [inside] = &inside[..] else { return None };
        Some((inside.clone(), behind))
    }

    /// Whether an index is `i + 1`, with this sign.
    fn is_neighbour(&self, index: &Range<usize>, sign: &str) -> bool {
        index.len() == 3
            && self.signs(index.start + 1, sign)
            && self.tokens[index.start + 2].text == "1"
    }

    /// A number that is added in a loop: an element of another variable, or what such an element may be.
    fn step_added(&self, value: Range<usize>, index: Token) -> Written {
        let Some(of) = self.tokens.get(value.clone()).and_then(|it| it.first()) else {
            return Written::Some;
        };
        let element = self.subscript(value.start).filter(|it| it.1 == value.end);
        if element.is_some_and(|it| self.tokens[it.0.start].text == index.text) {
            return self.content_below(of.text, value);
        }
        self.element(value, Some(index.text))
    }

    /// What a library sums in `std::exclusive_scan(in.begin(), in.end(), h.begin(), 0)`.
    fn scanned(&self, name: &str) -> Option<Written> {
        SCANS.iter().flat_map(|it| self.all(it)).find_map(|&at| {
            let (given, _) = self.arguments(at + 1)?;
            let [from, _, to, ..] = &given[..] else { return None };
            let word = |of: &Range<usize>| {
                let policy =
                    |it: &&Token| it.kind == Kind::Word && !["thrust", "std"].contains(&it.text);
                self.tokens[of.clone()].iter().find(policy).map(|it| it.text)
            };
            let from = word(from).filter(|_| word(to) == Some(name))?;
            (from != name).then(|| self.content_below(from, at..at))
        })
    }

    /// What the host writes to a variable that another one is computed from.
    fn content_below(&self, name: &str, scope: Range<usize>) -> Written {
        self.nested(|| Some(self.content_of(name, scope))).unwrap_or(Written::Some)
    }
}
