//! What functions of the source return: memory, and objects.

use std::ops::Range;

use super::memory::{Memory, Written};
use super::value::Value;
use super::{Function, Host};

impl Host<'_> {
    /// A call of a host function of the source in a part of it: where it is, and the function.
    fn host_call(&self, mut part: Range<usize>) -> Option<(usize, &Function<'_>)> {
        part.find_map(|at| {
            let mut named = self.functions.iter().filter(|it| self.tokens[at].is_word(it.name));
            named.find(|it| !it.is_device && !it.body.is_empty()).map(|it| (at, it))
        })
    }

    /// The same of one that returns a variable, and its name.
    fn returning(&self, part: Range<usize>) -> Option<(usize, &Function<'_>, &str)> {
        let (at, function) = self.host_call(part)?;
        let back = *self.places("return", function.body.clone()).last()?;
        let of = self.tokens.get(back + 1).filter(|_| self.signs(back + 2, ";"))?.text;
        Some((at, function, of))
    }

    /// The memory that a function of the source allocates and returns, for the variable `name` that
    /// gets it: `float *x = make<float>(n)`.
    pub(super) fn returned(
        &self,
        name: &str,
        call: Range<usize>,
        scope: &Range<usize>,
    ) -> Option<Memory> {
        let (at, function, of) = self.returning(call)?;
        let body = function.body.clone();
        let made =
            self.with_call(Some((function.whole.start, at)), || self.allocation(of, body))?;
        let (written, read) = self.transfers(name, scope.clone());
        let written = if written == Written::Nothing { made.written } else { written };
        Some(Memory { name: name.to_owned(), written, read, ..made })
    }

    /// The member of an object that a function of the source returns: of `m` after
    /// `Matrix m = make(n)`.
    pub(super) fn returned_member(&self, variable: &str, field: &str, to: usize) -> Option<Value> {
        let from = self.function(to)?.body.start;
        let set = |at: &usize| self.signs(at + 1, "=") && !self.signs(at + 1, "==");
        let at = self.places(variable, from..to).iter().copied().filter(set).last()?;
        let (call, function, of) = self.returning(at + 2..self.end(at + 2))?;
        let only = Some((function.whole.start, call));
        // A function may call itself.
        self.nested(|| self.with_call(only, || self.member(of, field, function.body.end - 1)))
    }

    /// The value of a name in `auto [edges, n] = make(…)`, where `make` returns `{edges, n}`.
    pub(super) fn bound(&self, name: &str, to: usize) -> Option<Value> {
        let from = self.function(to)?.body.start;
        let (names, call) = self.places("auto", from..to).iter().rev().find_map(|&at| {
            let open = (at + 1..at + 4).find(|&it| self.signs(it, "["))?;
            let (names, behind) = self.arguments(open)?;
            self.signs(behind, "=").then(|| (names, behind + 1..self.end(behind + 1)))
        })?;
        let index = names
            .iter()
            .position(|it| self.tokens[it.clone()].iter().any(|it| it.is_word(name)))?;
        let (call, function) = self.host_call(call)?;
        let back = *self.places("return", function.body.clone()).last()?;
        let open = (back + 1..self.end(back + 1))
            .find(|&it| self.signs(it, "{") || self.signs(it, "("))?;
        let part = self.arguments(open)?.0.get(index)?.clone();
        let only = Some((function.whole.start, call));
        let value = self.nested(|| self.with_call(only, || self.value(part)))?;
        Some(Value::Name(name.to_owned(), Some(value.number()?)))
    }
}
