//! What host code fills memory with.

use std::ops::Range;

use super::Host;
use super::element::{above, one_of};
use super::memory::Written;
use super::random::Random;
use super::value::{Op, Value};
use crate::syntax::lexer::Kind;

/// Elements of a table that are set one by one, at least: fewer are where something begins.
const CODES: usize = 3;

impl Host<'_> {
    /// What a host loop writes to a variable: in a part of the source, else anywhere.
    pub(super) fn content_of(&self, name: &str, scope: Range<usize>) -> Written {
        if self.is_sorted(name) {
            return Written::Sorted;
        }
        let known = || self.generated(name).or_else(|| self.running(name));
        if let Some(counted) = self.counted(name).or_else(known) {
            return counted;
        }
        let all = || self.content(name, 0..self.tokens.len());
        match self.content(name, scope) {
            Written::Some => match all() {
                Written::Some => self.content_of_source(name).unwrap_or(Written::Some),
                found => found,
            },
            found => found,
        }
    }

    /// What a copy from this argument writes.
    pub(super) fn written_by(&self, from: &Range<usize>, scope: Range<usize>) -> Written {
        // `&changed`
        let single = self.signs(from.start, "&") && from.len() == 2;
        let number = || self.value(from.start + 1..from.end)?.number();
        if let Some(number) = single.then(number).flatten() {
            return Written::Each(Value::Number(number));
        }
        self.copied(from).map_or(Written::Some, |name| self.content_of(name, scope))
    }

    /// What a member function that copies to the GPU gets: `buffer.upload(h)`.
    pub(super) fn uploaded(&self, name: &str, scope: Range<usize>) -> Option<Written> {
        let uploads = |name: &str| {
            self.functions.iter().any(|it| {
                let whole = it.whole.clone();
                !it.class.is_empty()
                    && it.name == name
                    && !self.places("cudaMemcpyHostToDevice", whole).is_empty()
            })
        };
        self.places(name, scope.clone()).iter().find_map(|&at| {
            let called = self.tokens.get(at + 2).filter(|_| self.signs(at + 1, "."))?.text;
            let given = uploads(called).then(|| self.arguments(at + 3)).flatten()?.0;
            Some(self.written_by(given.first()?, scope.clone()))
        })
    }

    /// What is in the variable that the host copies to this one: `std::copy(h.begin(), h.end(), name)` or
    /// `memcpy(name, h, bytes)`.
    pub(super) fn content_of_source(&self, name: &str) -> Option<Written> {
        let calls = [("copy", 2, 0), ("memcpy", 0, 1)];
        let from = calls.into_iter().find_map(|(function, to, from)| {
            self.all(function).iter().find_map(|&at| {
                let given = self.signs(at + 1, "(").then(|| self.arguments(at + 1)).flatten()?.0;
                let to = self.tokens.get(given.get(to)?.clone())?;
                to.iter().any(|it| it.is_word(name)).then(|| given.get(from).cloned()).flatten()
            })
        });
        Some(self.content(self.copied(&from?)?, 0..self.tokens.len()))
    }

    /// Whether the host sorts a variable: `std::sort(h.begin(), h.end())`.
    fn is_sorted(&self, name: &str) -> bool {
        self.given_to("sort", name).is_some()
    }

    /// The arguments of a call whose first one has this name.
    fn given_to(&self, function: &str, name: &str) -> Option<Vec<Range<usize>>> {
        self.all(function).iter().find_map(|&at| {
            let given = self.signs(at + 1, "(").then(|| self.arguments(at + 1)).flatten()?.0;
            let first = self.tokens.get(given.first()?.clone())?;
            first.iter().any(|it| it.is_word(name)).then_some(given)
        })
    }

    /// What `std::iota` writes to a variable: its indices, which may be shuffled, and of
    /// `std::iota(h, h + 256, 0)` those of a part.
    fn counted(&self, name: &str) -> Option<Written> {
        let given = self.given_to("iota", name)?;
        let [_, end, first, ..] = &given[..] else { return None };
        let sum = end.clone().find(|&at| self.signs(at, "+"));
        if let Some(length) = sum.and_then(|at| self.value(at + 1..end.end)) {
            return Some(Written::Drawn(Value::Number(0), length));
        }
        if ["shuffle", "random_shuffle"].iter().any(|it| self.given_to(it, name).is_some()) {
            return Some(Written::Some);
        }
        let index = Value::Name("i".to_owned(), None);
        Some(Written::Each(Value::op(Op::Add, index, self.value(first.clone())?)))
    }

    /// What a host loop writes to the elements of a variable in a part of the source.
    pub(super) fn content(&self, name: &str, scope: Range<usize>) -> Written {
        let of_host = |at: &usize| self.function(*at).is_none_or(|it| !it.is_device);
        let named = self.places(name, scope).iter().copied().filter(of_host);
        let mut pushes = named.clone();
        // Of a container that begins with a value, loops that set a few elements leave most as they are.
        let made = named.clone().find(|&at| self.is_vector(at) && self.signs(at + 1, "("));
        let made = made.and_then(|at| self.arguments(at + 1)).map_or_else(Vec::new, |it| it.0);
        let all = made.get(1).and_then(|_| self.value(made[0].clone())?.number());
        let few = |at: usize| {
            all.is_some_and(|all| self.rounds_around(at).is_some_and(|it| it < all / 4))
        };
        let set = named.clone().filter_map(|at| {
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
            Some((at, self.element(self.assigned(equals)?, index)))
        });
        let found = self.in_turn(set.filter(|it| !few(it.0)));
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
        let scattered = named.clone().filter_map(|at| {
            let end = self.signs(at + 1, "[").then(|| self.end(at + 2))?;
            let value = self.assigned(end + 1).filter(|_| end > at + 3)?;
            let mut inside = self.tokens[value.clone()].iter();
            let constant = inside.all(|it| it.kind != Kind::Word);
            let written = match self.element(value, None) {
                Written::Each(value) if !constant && value.number().is_none() => Written::Some,
                other => other,
            };
            Some((at, written))
        });
        let scattered = self.in_turn(scattered.filter(|it| !few(it.0)));
        // `h[i].to = rand() % n`
        let of_members: Vec<Written> =
            named.clone().filter_map(|at| self.drawn_member(at)).collect();
        let of_members = one_of(&of_members);
        // `std::vector<int> h(n, …)`, unless the host counts in it: `h[i]++`
        let counts =
            named.clone().any(|at| self.signs(at + 1, "[") && self.adds(self.end(at + 2) + 1));
        let filled = || {
            let value = made.get(1).filter(|_| !counts)?;
            Some(self.element(value.clone(), None))
        };
        let zeros = (zeros && !counts).then(|| self.codes(name).unwrap_or(Written::Zeros));
        let pushed = pushes.find_map(|at| self.pushed(at));
        let found = found.or(scattered).or(pushed).or_else(filled).or(of_members).or(zeros);
        match found {
            Some(Written::Each(all)) => self.with_first(name, all),
            found => found.unwrap_or(Written::Some),
        }
    }

    /// Numbers that are all the same but for the first, which the host sets to another one: `level[0] = 0`
    /// after all were -1.
    fn with_first(&self, name: &str, all: Value) -> Written {
        let first = self.set_alone(name).find(|it| it.0 == 0).map(|it| it.1);
        let (Some(first), Some(other)) = (first, all.number().filter(|it| first != Some(*it)))
        else {
            return Written::Each(all);
        };
        let one = Value::Number(1);
        let beyond = Value::Call("min", vec![Value::Name("i".to_owned(), None), one]);
        let step = Value::op(Op::Multiply, Value::Number(other.abs_diff(first) as i128), beyond);
        let op = if other > first { Op::Add } else { Op::Subtract };
        Written::Each(Value::op(op, Value::Number(first), step))
    }

    /// Random numbers up to the largest element that is set, if at least [`CODES`] elements of a table
    /// are set one by one, as in `table['C'] = 1`.
    fn codes(&self, name: &str) -> Option<Written> {
        let set: Vec<i128> = self.set_alone(name).map(|it| it.1).collect();
        let most = set.iter().max().filter(|most| set.len() >= CODES && **most > 0)?;
        Some(Written::Drawn(Value::Number(0), Value::Number(most.saturating_add(1))))
    }

    /// Elements that are set one by one, and the numbers that they are set to.
    fn set_alone(&self, name: &str) -> impl Iterator<Item = (i128, i128)> {
        self.all(name).iter().filter_map(|&at| {
            let end = self.signs(at + 1, "[").then(|| self.end(at + 2))?;
            let index = self.value(at + 2..end)?.number()?;
            Some((index, self.value(self.assigned(end + 1)?)?.number()?))
        })
    }

    /// Whether `++` or `+=` is at this place.
    fn adds(&self, at: usize) -> bool {
        self.signs(at, "++") || self.signs(at, "+=")
    }

    /// What follows a `=` at this place.
    fn assigned(&self, equals: usize) -> Option<Range<usize>> {
        let set = self.signs(equals, "=") && !self.signs(equals, "==");
        set.then(|| equals + 1..self.end(equals + 1))
    }

    /// Random numbers in a member of an element: `h[i].to = rand() % n`.
    fn drawn_member(&self, at: usize) -> Option<Written> {
        let equals = (self.signs(at + 1, "[") && self.signs(at + 3, "].")).then_some(at + 6)?;
        let written = self.element(self.assigned(equals)?, None);
        Some(written).filter(|it| matches!(it, Written::Drawn(..)))
    }

    /// What `std::generate(h.begin(), h.end(), rand)` writes, where a function or a lambda follows.
    fn generated(&self, name: &str) -> Option<Written> {
        let [_, _, by, ..] = &self.given_to("generate", name)?[..] else { return None };
        let back = by.clone().find(|&at| self.tokens[at].is_word("return"));
        if let Some(back) = back {
            return Some(self.element(back + 1..self.end(back + 1), None));
        }
        let called = by.clone().rev().find(|&at| self.tokens[at].kind == Kind::Word)?;
        let [least, most] = [Random::Least, Random::Most]
            .map(|end| self.random_number(self.tokens[called].text, end, called));
        Some(Written::Drawn(least?, above(most?)))
    }
}
