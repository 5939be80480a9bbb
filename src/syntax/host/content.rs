//! What host code fills memory with.

use std::ops::Range;

use super::Host;
use super::memory::Written;
use super::value::{Op, Value};
use crate::syntax::lexer::{Kind, Token};

impl Host<'_> {
    /// What a host loop writes to a variable: in a part of the source, else anywhere.
    pub(super) fn content_of(&self, name: &str, scope: Range<usize>) -> Written {
        if self.is_sorted(name) {
            return Written::Sorted;
        }
        match self.content(name, scope) {
            Written::Some => self.content(name, 0..self.tokens.len()),
            found => found,
        }
    }

    /// Whether the host sorts a variable: `std::sort(h.begin(), h.end())`.
    fn is_sorted(&self, name: &str) -> bool {
        self.all("sort").iter().any(|&at| {
            let given = self.signs(at + 1, "(").then(|| self.arguments(at + 1)).flatten();
            let first = given.and_then(|it| it.0.first().cloned());
            first.is_some_and(|it| self.tokens[it].iter().any(|it| it.is_word(name)))
        })
    }

    /// What a host loop writes to the elements of a variable in a part of the source.
    pub(super) fn content(&self, name: &str, scope: Range<usize>) -> Written {
        let of_host = |at: &usize| self.function(*at).is_none_or(|it| !it.is_device);
        let mut named = self.places(name, scope).iter().copied().filter(of_host);
        let mut pushes = named.clone();
        let found = named.clone().find_map(|at| {
            // `h[i] = …` or `for (auto &it : h) it = …`; `h` may be a member.
            let mut first = at;
            while first > 1 && self.tokens[first - 1].is_sign(".") {
                first -= 2;
            }
            let (index, equals) = if self.signs(at + 1, "[") && self.signs(at + 3, "]") {
                // `h[0] = …` is one element alone.
                let index = self.tokens.get(at + 2).filter(|it| it.kind == Kind::Word)?;
                (Some(index.text), at + 4)
            } else if first > 0 && self.tokens[first - 1].is_sign(":") && self.signs(at + 1, ")") {
                (None, at + 2 + usize::from(self.signs(at + 2, "{")) + 1)
            } else {
                return None;
            };
            Some(self.element(self.assigned(equals)?, index))
        });
        // `int h[64] = {}` or `= {0}`, and `calloc`
        let zeros = named.clone().any(|at| {
            let open = self.signs(at + 1, "[").then(|| self.end(at + 2) + 2);
            let behind = open.filter(|&it| self.signs(it - 1, "={")).map_or("", |it| {
                let zero = usize::from(self.tokens.get(it + 1).is_some_and(|it| it.text == "0"));
                self.tokens.get(it + 1 + zero).map_or("", |it| it.text)
            });
            let made = self.assigned(at + 1).unwrap_or_default();
            behind == "}" || self.tokens[made].iter().any(|it| it.is_word("calloc"))
        });
        // `h[y * w + x] = …`
        let scattered = named.clone().find_map(|at| {
            let end = self.signs(at + 1, "[").then(|| self.end(at + 2))?;
            let value = self.assigned(end + 1).filter(|_| end > at + 3)?;
            let mut inside = self.tokens[value.clone()].iter();
            let constant = inside.all(|it| it.kind != Kind::Word);
            Some(match self.element(value, None) {
                Written::Each(_) if !constant => Written::Some,
                other => other,
            })
        });
        // `h[i].to = rand() % n`: the largest of the bounds.
        let of_members =
            named.clone().filter_map(|at| self.member_bound(at)).max_by_key(Value::number);
        let of_members = of_members.map(Written::Below);
        // `std::vector<int> h(n, …)`
        let mut filled = || {
            let at = named.find(|&at| self.is_vector(at) && self.signs(at + 1, "("))?;
            let (arguments, _) = self.arguments(at + 1)?;
            Some(self.element(arguments.get(1)?.clone(), None))
        };
        let zeros = zeros.then_some(Written::Zeros);
        let pushed = pushes.find_map(|at| self.pushed(at));
        found
            .or(scattered)
            .or(pushed)
            .or_else(&mut filled)
            .or(of_members)
            .or(zeros)
            .unwrap_or(Written::Some)
    }

    /// What follows a `=` at this place.
    fn assigned(&self, equals: usize) -> Option<Range<usize>> {
        let set = self.signs(equals, "=") && !self.signs(equals, "==");
        set.then(|| equals + 1..self.end(equals + 1))
    }

    /// The bound of random numbers in a member of an element: `n` in `h[i].to = rand() % n`.
    fn member_bound(&self, at: usize) -> Option<Value> {
        let equals = (self.signs(at + 1, "[") && self.signs(at + 3, "].")).then_some(at + 6)?;
        match self.element(self.assigned(equals)?, None) {
            Written::Below(bound) => Some(bound),
            _ => None,
        }
    }

    /// What an element is set to.
    pub(super) fn element(&self, value: Range<usize>, index: Option<&str>) -> Written {
        let tokens = &self.tokens[value.clone()];
        let last = |sign: &str| tokens.iter().rposition(|it| it.is_sign(sign));
        let behind = |at: usize| self.value(value.start + at + 1..value.end);
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
