//! What host code sets an element to.

use std::ops::Range;

use super::Host;
use super::memory::Written;
use super::value::{Op, Value};
use crate::syntax::declaration::matching;
use crate::syntax::lexer::{Kind, Token};

/// Numbers below this one that conditions choose are codes, such as states of cells; a larger one
/// stands for infinity.
const CODES: i128 = 256;

/// One of several values that an element may be set to.
fn one_of(values: &[Written]) -> Option<Written> {
    let bound = |it: &&Written| match it {
        Written::Below(bound) => bound.number(),
        _ => None,
    };
    let random = values.iter().filter(|it| matches!(it, Written::Below(_))).max_by_key(bound);
    if let Some(random) = random {
        return Some(random.clone());
    }
    let number = |it: &Written| match it {
        Written::Each(value) => value.number(),
        _ => None,
    };
    let numbers = values.iter().map(number).collect::<Option<Vec<_>>>();
    let (least, most) = numbers.map(|it| (it.iter().min().copied(), it.iter().max().copied()))?;
    let most = most.filter(|it| least.is_some_and(|least| (0..*it).contains(&least)))?;
    Some(if most < CODES {
        Written::Below(Value::Number(most + 1))
    } else {
        Written::Each(Value::Number(most))
    })
}

impl Host<'_> {
    /// What several statements set elements to, by their positions: what those of the first loop do,
    /// of which conditions choose one.
    pub(super) fn in_turn(&self, set: impl Iterator<Item = (usize, Written)>) -> Option<Written> {
        let outer = |at: usize| Some(self.loops(at)?.first()?.index);
        let mut set = set.peekable();
        let first = set.peek()?.0;
        let of = outer(first);
        let same = set.take_while(|it| it.0 == first || of.is_some() && outer(it.0) == of);
        let values: Vec<Written> = same.map(|it| it.1).collect();
        one_of(&values).or_else(|| values.into_iter().next())
    }

    /// What a condition gives, or chooses: 0 or 1 for `rand() % 4 == 0`, one of both for `a ? b : c`.
    fn conditional(&self, value: Range<usize>) -> Option<Written> {
        let inside = |at: usize| {
            let tokens = &self.tokens[value.start..at];
            let open = tokens.iter().filter(|it| it.is_sign("(") || it.is_sign("[")).count();
            open > tokens.iter().filter(|it| it.is_sign(")") || it.is_sign("]")).count()
        };
        let find = |sign: &str, from: usize| {
            (from..value.end).find(|&at| self.signs(at, sign) && !inside(at))
        };
        if let Some(asks) = find("?", value.start) {
            let colon = find(":", asks)?;
            // A condition of the index alone is followed where the value is computed.
            let calls = self.tokens[value.start..asks].iter().any(|it| it.is_sign("("));
            let parts = [asks + 1..colon, colon + 1..value.end].map(|it| self.element(it, None));
            return calls.then(|| one_of(&parts)).flatten();
        }
        let first = &self.tokens[value.clone()];
        if first.first()?.is_sign("(") && matching(first) == Some(value.len() - 1) {
            return self.conditional(value.start + 1..value.end - 1);
        }
        let mut at = value.start;
        while at < value.end {
            let of_template = self.angles(at).map(|it| it.1).filter(|it| self.signs(*it, "("));
            let shift = self.signs(at, "<<") || self.signs(at, ">>") || self.signs(at, "->");
            at = match of_template {
                Some(behind) => behind,
                None if shift => at + 2,
                None if ["==", "!=", "&&", "||", "<", ">"].iter().any(|it| self.signs(at, it)) => {
                    return Some(Written::Below(Value::Number(2)));
                }
                None => at + 1,
            };
        }
        None
    }

    /// What an element is set to.
    pub(super) fn element(&self, value: Range<usize>, index: Option<&str>) -> Written {
        if let Some(found) = self.conditional(value.clone()) {
            return found;
        }
        let tokens = &self.tokens[value.clone()];
        let last = |sign: &str| tokens.iter().rposition(|it| it.is_sign(sign));
        let behind = |at: usize| {
            let from = value.start + at + 1;
            // Of `(int)(rand() % 7)`, the 7.
            let end = self.end(from).min(value.end);
            let closes = self.tokens[end..value.end].iter().all(|it| it.is_sign(")"));
            self.value(from..if closes { end } else { value.end })
        };
        let called = tokens.iter().position(|it| it.is_sign("("));
        if let Some(at) = last("%").filter(|at| called.is_some_and(|it| it < *at)) {
            // Of `rand() % 20 - 10`, some are negative.
            let open = |it: &Token| i32::from(it.is_sign("(")) - i32::from(it.is_sign(")"));
            let mut depth = 0;
            let less = tokens[at..].iter().any(|it| {
                depth += open(it);
                depth == 0 && it.is_sign("-")
            });
            if less {
                return Written::Negative;
            }
            if let Some(value) = behind(at) {
                return Written::Below(value);
            }
        }
        if let Some(Value::Number(mask)) = last("&").and_then(behind) {
            return Written::Below(Value::Number(mask.saturating_add(1)));
        }
        if let Some(most) = self.drawn(value.start) {
            return Written::Below(Value::op(Op::Add, most, Value::Number(1)));
        }
        if let Some(before) = index.and_then(|it| self.elements_before(tokens, it)) {
            return Written::Each(before);
        }
        let index = index.map(|it| (it.to_owned(), Value::Name("i".to_owned(), None)));
        let known: Vec<(String, Value)> = index.into_iter().collect();
        let each = self.evaluate(tokens, self.source, value.start, &known);
        each.map_or(Written::Some, Written::Each)
    }

    /// The largest number that a distribution draws where it is called, as `pick` here:
    /// `std::uniform_int_distribution<int> pick(0, n - 1); h[i] = pick(random);`.
    fn drawn(&self, at: usize) -> Option<Value> {
        let name = self.tokens.get(at).filter(|it| it.kind == Kind::Word)?.text;
        self.all(name).iter().find_map(|&at| {
            let of_integers = self.declared_as(at).any(|it| it.is_word("uniform_int_distribution"));
            let given = of_integers.then(|| self.arguments(at + 1)).flatten()?.0;
            self.value(given.get(1)?.clone())
        })
    }
}
