//! What host code sets an element to.

use std::ops::Range;

use super::Host;
use super::memory::Written;
use super::random::Random;
use super::value::{Op, Value};
use crate::syntax::declaration::matching;

/// Numbers below this one that conditions choose are codes, such as states of cells; a larger one
/// stands for infinity.
const CODES: i128 = 256;

/// Words of a value that is followed, at most: longer ones are written by programs.
const MOST_WORDS: usize = 1000;

/// One of several values that an element may be set to: random numbers from the least to the largest of
/// them, else the largest of known numbers.
pub(super) fn one_of(values: &[Written]) -> Option<Written> {
    let ends = |it: &Written| match it {
        Written::Drawn(least, below) => Some((least.clone(), below.clone())),
        _ => None,
    };
    let drawn: Vec<(Value, Value)> = values.iter().filter_map(ends).collect();
    if let Some((least, below)) = drawn.iter().max_by_key(|it| it.1.number()) {
        let smallest = drawn.iter().min_by_key(|it| it.0.number()).map_or(least, |it| &it.0);
        return Some(Written::Drawn(smallest.clone(), below.clone()));
    }
    let number = |it: &Written| match it {
        Written::Each(value) => value.number(),
        _ => None,
    };
    let numbers = values.iter().map(number).collect::<Option<Vec<_>>>()?;
    let (least, most) = (*numbers.iter().min()?, *numbers.iter().max()?);
    if least == most {
        return None;
    }
    Some(if (-CODES..CODES).contains(&least) && most < CODES {
        Written::Drawn(Value::Number(least), Value::Number(most + 1))
    } else {
        Written::Each(Value::Number(most))
    })
}

/// One more than a value: `n` for `n - 1`.
pub(super) fn above(value: Value) -> Value {
    match value {
        Value::Op(Op::Subtract, left, right) if *right == Value::Number(1) => *left,
        other => Value::op(Op::Add, other, Value::Number(1)),
    }
}

impl Host<'_> {
    /// What the statements of one loop set elements to. Conditions choose between them. `set` has the
    /// positions and values of all statements; those outside of the first one's loop do not count.
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
        let mut depth = 0_i32;
        let outside = |at: &usize| {
            depth += match self.tokens[*at].text {
                "(" | "[" | "{" => 1,
                ")" | "]" | "}" => -1,
                _ => 0,
            };
            depth == 0
        };
        let outside: Vec<usize> = value.clone().filter(outside).collect();
        if let Some(asks) = outside.iter().position(|at| self.signs(*at, "?")) {
            let colon = *outside[asks..].iter().find(|at| self.signs(**at, ":"))?;
            let asks = outside[asks];
            // A condition of the index alone is followed where the value is computed.
            let calls = self.tokens[value.start..asks].iter().any(|it| it.is_sign("("));
            let parts = [asks + 1..colon, colon + 1..value.end].map(|it| self.element(it, None));
            return calls.then(|| one_of(&parts)).flatten();
        }
        let tokens = &self.tokens[value.clone()];
        if tokens.first()?.is_sign("(") && matching(tokens) == Some(value.len() - 1) {
            return self.nested(|| self.conditional(value.start + 1..value.end - 1));
        }
        let mut at = value.start;
        while at < value.end {
            let is_used = |it: &usize| self.signs(*it, "(") || self.signs(*it, "::");
            let of_template = self.angles(at).map(|it| it.1).filter(is_used);
            let shift = self.signs(at, "<<") || self.signs(at, ">>") || self.signs(at, "->");
            at = match of_template {
                Some(behind) => behind,
                None if shift => at + 2,
                None if ["==", "!=", "&&", "||", "<", ">"].iter().any(|it| self.signs(at, it)) => {
                    return Some(Written::Drawn(Value::Number(0), Value::Number(2)));
                }
                None => at + 1,
            };
        }
        None
    }

    /// What an element is set to.
    pub(super) fn element(&self, value: Range<usize>, index: Option<&str>) -> Written {
        let short = value.len() <= MOST_WORDS;
        let found = short.then(|| self.nested(|| Some(self.element_within(value, index))));
        found.flatten().unwrap_or(Written::Some)
    }

    /// What a variable is set to last in the loop around a place, before it.
    fn set_in_loop(&self, name: &str, at: usize) -> Option<Range<usize>> {
        let inside = self.loops(at)?.last()?.index..at;
        let assigned = |it: &usize| self.signs(it + 1, "=") && !self.signs(it + 1, "==");
        let last = *self.places(name, inside).iter().rfind(|it| assigned(it))?;
        Some(last + 2..self.end(last + 2))
    }

    fn element_within(&self, value: Range<usize>, index: Option<&str>) -> Written {
        if let Some(found) = self.conditional(value.clone()) {
            return found;
        }
        // `KeyValue{key, value}` or `make_int2(from, to)`
        if let Some(parts) = self.listed(value.start).filter(|it| it.len() > 1) {
            let parts: Vec<Written> = parts.into_iter().map(|it| self.element(it, None)).collect();
            let drawn = parts.iter().any(|it| matches!(it, Written::Drawn(..)));
            return drawn.then(|| one_of(&parts)).flatten().unwrap_or(Written::Some);
        }
        let tokens = &self.tokens[value.clone()];
        if let [word] = tokens
            && let Some(set) = self.set_in_loop(word.text, value.start)
        {
            let itself = self.tokens[set.clone()].iter().any(|it| it.is_word(word.text));
            return if itself { Written::Some } else { self.element(set, index) };
        }
        if let Some(before) = index.and_then(|it| self.elements_before(tokens, it)) {
            return Written::Each(before);
        }
        let index = index.map(|it| (it.to_owned(), Value::Name("i".to_owned(), None)));
        let known: Vec<(String, Value)> = index.into_iter().collect();
        let evaluate = || self.evaluate(tokens, self.source, value.start, &known);
        let ends = [Random::Least, Random::Most].map(|end| self.with_random(end, evaluate));
        let [Some(least), Some(most)] = ends else { return Written::Some };
        if least == most {
            return Written::Each(least);
        }
        let names_index = |value: &Value| {
            let mut found = false;
            value.each(&mut |it| found |= *it == Value::Name("i".to_owned(), None));
            found
        };
        match (least.number(), most.number()) {
            _ if names_index(&least) || names_index(&most) => Written::Some,
            // `10 - rand() % 5`
            (Some(first), Some(second)) if first > second => Written::Drawn(most, above(least)),
            _ => Written::Drawn(least, above(most)),
        }
    }
}
