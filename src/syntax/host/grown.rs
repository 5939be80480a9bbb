//! How many elements containers get that host code fills one by one: `edges.push_back(i)` in loops.

use std::ops::Range;

use super::Host;
use super::memory::Written;
use super::value::{Op, Value};
use crate::syntax::declaration::matching;
use crate::syntax::lexer::{Kind, Token};

/// Member functions that add an element, or with `insert` those of a list.
const GROW: [&str; 3] = ["push_back", "emplace_back", "insert"];

/// Rounds of a loop through elements that are known only when the program runs, such as the edges of
/// a node: as many as rows of sparse matrices from a file are taken to have.
const LIKELY: i128 = 4;

/// A `for` loop.
pub(super) struct Loop {
    /// Its variable.
    pub(super) index: usize,
    /// `int i = 0`
    start: Range<usize>,
    /// What it counts to, or what it goes through.
    end: Range<usize>,
    /// Whether it counts.
    counts: bool,
    /// Whether the last number counts too.
    inclusive: bool,
}

impl Host<'_> {
    /// The number of elements of a container: those of a list or a text that it is set to, and as many as
    /// loops add at most, whether their conditions hold or not.
    pub(super) fn elements(&self, container: &str, to: usize) -> Option<Value> {
        let listed = self.listed_elements(container, to).or_else(|| self.letters(container));
        let listed = listed.map(Value::Number);
        if self.pushes(container).next().is_none() {
            return listed;
        }
        let made =
            self.all(container).iter().find(|&&at| self.is_vector(at) && self.signs(at + 1, "("));
        let made = made.and_then(|at| self.value(self.arguments(at + 1)?.0.first()?.clone()));
        let before = listed.or(made).unwrap_or(Value::Number(0));
        Some(Value::op(Op::Add, before, self.added(container, None)?))
    }

    /// Where elements are added to a container.
    fn pushes(&self, container: &str) -> impl Iterator<Item = usize> {
        let adds = |at: &usize| {
            self.signs(at + 1, ".")
                && self.tokens.get(at + 2).is_some_and(|it| GROW.contains(&it.text))
        };
        self.all(container).iter().copied().filter(adds)
    }

    /// What is added here, if that is known: a bound of random numbers, or `offsets.push_back(edges.size())`,
    /// which grows with the rounds of the loop.
    pub(super) fn pushed(&self, at: usize) -> Option<Written> {
        let of = self.tokens.get(at)?.text;
        let at = self.pushes(of).find(|it| *it == at)?;
        let value = self.arguments(at + 3)?.0.first()?.clone();
        let tokens = &self.tokens[value.clone()];
        if let Some(index) = self.index_pushed(at, tokens) {
            return Some(Written::Each(index));
        }
        let round = self.loops(at).and_then(|it| Some(self.tokens[it.last()?.index].text));
        let before = round.and_then(|it| self.elements_before(tokens, it)).map(Written::Each);
        before.or_else(|| match self.element(value, None) {
            known @ Written::Drawn(..) => Some(known),
            _ => None,
        })
    }

    /// What `rows.push_back(row)` adds, where `row` is the index of a loop around it: each as often as the
    /// loops inside have rounds.
    fn index_pushed(&self, at: usize, value: &[Token]) -> Option<Value> {
        let [name] = value else { return None };
        let mut loops = self.loops(at)?.into_iter().filter(|it| it.counts);
        let of = loops.find(|it| self.tokens[it.index].is_word(name.text))?;
        let inner = loops.map(|it| self.rounds(&it)).collect::<Option<Vec<_>>>()?;
        let rounds =
            inner.into_iter().fold(Value::Number(1), |all, it| Value::op(Op::Multiply, all, it));
        let all = self.rounds(&of)?;
        let index = Value::Name("i".to_owned(), None);
        let index = Value::op(Op::Divide, index, rounds);
        // A loop inside others begins again.
        let first = self.loops(at)?.first()?.index == of.index;
        Some(if first { index } else { Value::op(Op::Remainder, index, all) })
    }

    /// Those that are there when a round of a loop begins, if this loop adds some in each round: `offsets[i] =
    /// edges.size()`, where `i` is the index of the loop.
    pub(super) fn elements_before(&self, value: &[Token], index: &str) -> Option<Value> {
        let at = value.iter().position(|it| it.is_word("size"))?;
        let container = value.get(at.checked_sub(2)?).filter(|_| value[at - 1].is_sign("."))?;
        let each = self.added(container.text, Some(index))?;
        Some(Value::op(Op::Multiply, each, Value::Name("i".to_owned(), None)))
    }

    /// The letters of `std::string name = "…"`.
    fn letters(&self, name: &str) -> Option<i128> {
        self.all(name).iter().find_map(|&at| {
            let is_text = |it: &Token| it.is_word("string");
            let opens =
                self.signs(at + 1, "=") || self.signs(at + 1, "(") || self.signs(at + 1, "{");
            let text = self.tokens.get(at + 2).filter(|it| opens && it.kind == Kind::String)?;
            let escapes = text.text.matches('\\').count();
            let letters = text.text.chars().count() - escapes;
            self.declared_as(at).any(is_text).then(|| i128::try_from(letters).ok())?
        })
    }

    /// Elements that loops add to a container; only those of a round of the loop with this index. `None` if
    /// a function without a loop adds some, as it may be called in one.
    fn added(&self, container: &str, round: Option<&str>) -> Option<Value> {
        // Pushes in loops of the same lengths are counted together.
        let mut terms: Vec<(i128, Value)> = Vec::new();
        for at in self.pushes(container) {
            let mut loops = self.loops(at)?;
            if loops.is_empty() && self.function(at).is_some_and(|it| it.name != "main") {
                return None;
            }
            if let Some(index) = round {
                let of = loops.iter().position(|it| self.tokens[it.index].is_word(index))?;
                loops.drain(..=of);
            }
            let list = self.tokens.get(at + 2).is_some_and(|it| it.is_word("insert"));
            let (mut times, mut of) = (if list { LIKELY } else { 1 }, Value::Number(1));
            for it in loops {
                match self.rounds(&it)? {
                    Value::Number(rounds) => times = rounds.checked_mul(times)?,
                    rounds => of = Value::op(Op::Multiply, of, rounds),
                }
            }
            match terms.iter_mut().find(|it| it.1 == of) {
                Some(term) => term.0 = term.0.checked_add(times)?,
                None => terms.push((times, of)),
            }
        }
        let terms = terms.into_iter();
        let terms = terms.map(|(times, of)| Value::op(Op::Multiply, Value::Number(times), of));
        terms.reduce(|sum, term| Value::op(Op::Add, sum, term))
    }

    /// How often a statement runs in the loops around it, if that is known.
    pub(super) fn rounds_around(&self, at: usize) -> Option<i128> {
        let loops = self.loops(at)?.into_iter();
        loops.map(|it| self.rounds(&it)?.number()).try_fold(1_i128, |all, it| all.checked_mul(it?))
    }

    /// The rounds of a loop.
    pub(super) fn rounds(&self, of: &Loop) -> Option<Value> {
        if !of.counts {
            let at = of.end.start;
            let listed = self.signs(at, "{").then(|| self.arguments(at)).flatten();
            let many = listed.and_then(|it| i128::try_from(it.0.len()).ok());
            let name = || self.listed_elements(self.tokens.get(at)?.text, at);
            let known = many.or_else(name).map(Value::Number);
            let size = || {
                let of = self.tokens.get(at).filter(|_| self.signs(at + 1, ")"))?;
                let mut declared = self.all(of.text).iter().flat_map(|&it| self.declared_as(it));
                let is_list = declared.any(|it| it.text.ends_with("vector"));
                let unknown = || Value::Name(format!("{}.size()", of.text), None);
                is_list.then(|| self.value(at..at + 1).unwrap_or_else(unknown))
            };
            return Some(known.or_else(size).unwrap_or(Value::Number(LIKELY)));
        }
        let end = self.value_before(of.end.clone(), of.index)?;
        let set = of.start.clone().find(|&it| self.signs(it, "="));
        let start = set.and_then(|it| self.value_before(it + 1..of.start.end, it));
        let start = start.and_then(|it| it.number()).unwrap_or(0);
        let less = start.saturating_sub(i128::from(of.inclusive));
        let op = if less < 0 { Op::Add } else { Op::Subtract };
        Some(Value::op(op, end, Value::Number(less.saturating_abs())))
    }

    /// The loops around a place, the outermost first; `None` if one of them neither counts nor goes through
    /// elements.
    pub(super) fn loops(&self, at: usize) -> Option<Vec<Loop>> {
        let from = self.function(at).map_or(0, |it| it.body.start);
        let mut dos = self.places("do", from..at).iter();
        if dos.any(|it| (*it..self.statement_end(it + 1)).contains(&at)) {
            return None;
        }
        let heads = ["for", "while"].iter().flat_map(|it| self.places(it, from..at));
        let mut loops = Vec::new();
        for head in heads {
            let Some(open) = Some(head + 1).filter(|&it| self.signs(it, "(")) else { continue };
            if !self.step() {
                return None;
            }
            let close = open + matching(&self.tokens[open..])?;
            if (close..self.statement_end(close + 1)).contains(&at) {
                // `for (int i = 0; i < n; i++)`
                let first = self.end(open + 1);
                let last = self.end(first + 1);
                let compares = |at: &usize| self.signs(*at, "<") || self.signs(*at, "!=");
                let compared = (first + 1..last.min(close)).find(compares);
                // `for (int v : neighbours[i])`
                let colon = |at: &usize| {
                    self.signs(*at, ":") && !self.signs(at + 1, ":") && !self.signs(at - 1, ":")
                };
                let through = (open + 1..close).find(colon);
                let at = compared.or(through.filter(|_| self.tokens[*head].is_word("for")))?;
                let inclusive = self.signs(at, "<=");
                let end = at + 1 + usize::from(self.signs(at + 1, "="))..last;
                let (start, counts) = (open + 1..first, compared.is_some());
                loops.push(Loop { index: at - 1, start, end, counts, inclusive });
            }
        }
        loops.sort_by_key(|it| it.index);
        Some(loops)
    }

    /// The end of the statement that begins here: a block, or up to its `;`.
    fn statement_end(&self, mut at: usize) -> usize {
        loop {
            let Some(token) = self.tokens.get(at) else { return self.tokens.len() };
            if token.is_sign("{") {
                return at + matching(&self.tokens[at..]).unwrap_or(self.tokens.len() - at);
            }
            let has_head = ["for", "if", "while"].iter().any(|it| token.is_word(it));
            match matching(self.tokens.get(at + 1..).unwrap_or_default()) {
                Some(length) if has_head => at += length + 2,
                _ => {
                    let rest = &self.tokens[at..];
                    return at + rest.iter().position(|it| it.is_sign(";")).unwrap_or(rest.len());
                }
            }
        }
    }
}
