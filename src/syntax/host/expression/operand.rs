//! Operands of expressions of host code: literals, names, calls, and what follows them.

use std::ops::Range;

use super::{Reader, TYPES, Term};
use crate::syntax::declaration::{angles, matching};
use crate::syntax::host::value::{MULTIPROCESSORS, Op, Value};
use crate::syntax::lexer::{Kind, Token};

/// Member functions that return a size.
const SIZES: [&str; 8] = ["cols", "count", "height", "length", "numel", "rows", "size", "width"];

impl Reader<'_, '_, '_> {
    /// Members of a value, such as `.x`. Subscripts and calls make it unknown.
    pub(super) fn members(&mut self, mut value: Term) -> Term {
        loop {
            match self.sign(0) {
                "." => {
                    let name = self.tokens.get(self.next + 1).map_or("", |it| it.text);
                    let container = self.next.checked_sub(1).and_then(|at| self.tokens.get(at));
                    self.next += 2;
                    let called = self.sign(0) == "(";
                    value = match (value, ["x", "y", "z"].iter().position(|it| *it == name)) {
                        _ if called
                            && ["size", "length"].contains(&name)
                            && let Some(many) =
                                container.and_then(|it| self.host.elements(it.text, self.at)) =>
                        {
                            Some((many, false))
                        }
                        (Some((Value::Dim3(values), _)), Some(at)) => {
                            Some((values[at].clone(), false))
                        }
                        // The value of a container is its number of elements.
                        (Some((Value::Name(of, number), real)), None)
                            if called
                                && name == "size"
                                && container.is_some_and(|it| it.is_word(&of)) =>
                        {
                            Some((Value::Name(format!("{of}.size()"), number), real))
                        }
                        (Some((Value::Number(number), real)), None)
                            if called && name == "size" && container.is_some() =>
                        {
                            let of = container.map_or("", |it| it.text);
                            Some((Value::Name(format!("{of}.size()"), Some(number)), real))
                        }
                        (Some(value), None) if called && name == "size" => Some(value),
                        // The last of running sums.
                        (Some((all, _)), None) if called && name == "back" => {
                            let of = container.map_or("", |it| it.text);
                            let last = Value::op(Op::Subtract, all, Value::Number(1));
                            Some((self.host.largest_sum(of, last)?, false))
                        }
                        (_, None)
                            if called
                                && let Some(value) = container
                                    .and_then(|it| self.host.method(it.text, name, self.at)) =>
                        {
                            Some((value, false))
                        }
                        // Known only when the program runs: `image.width()`, `tensor.numel()`.
                        (_, None) if called && SIZES.contains(&name) => container
                            .map(|it| (Value::Name(format!("{}.{name}()", it.text), None), false)),
                        _ if name == "multiProcessorCount" => Some((MULTIPROCESSORS, false)),
                        // Of `Shape s = {64, 48}` too.
                        (None | Some((Value::Dim3(_), _)), _) if !called => {
                            container.and_then(|it| {
                                let set = self.host.member(it.text, name, self.at);
                                let path = || format!("{}.{name}", it.text);
                                let object = || self.host.of_object(it.text, name, self.at);
                                let set = set.or_else(object);
                                let set = set.or_else(|| self.host.unknown(&path(), name));
                                let size =
                                    || SIZES.contains(&name).then(|| Value::Name(path(), None));
                                Some((set.or_else(size)?, false))
                            })
                        }
                        _ => None,
                    };
                    if called {
                        self.skip();
                    }
                }
                "-" if self.sign(1) == ">" => {
                    let object = self.next.checked_sub(1).and_then(|at| self.tokens.get(at));
                    let name = self.tokens.get(self.next + 2).map_or("", |it| it.text);
                    self.next += 3;
                    let found = object.and_then(|it| self.host.of_object(it.text, name, self.at));
                    value = found.filter(|_| self.sign(0) != "(").map(|it| (it, false));
                }
                "(" | "[" => {
                    self.skip();
                    value = None;
                }
                // `depth++` as an argument
                "+" if self.sign(1) == "+" && self.next + 2 == self.tokens.len() => {
                    self.next += 2;
                }
                _ => return value,
            }
        }
    }

    /// Moves past the bracket that closes the one here.
    pub(super) fn skip(&mut self) -> Range<usize> {
        let rest = &self.tokens[self.next..];
        let length = matching(rest);
        let inside = self.next + 1..self.next + length.unwrap_or(rest.len().max(1));
        self.next = (inside.end + 1).min(self.tokens.len());
        inside
    }

    pub(super) fn primary(&mut self) -> Term {
        let token = *self.tokens.get(self.next)?;
        if self.sign(0) == "(" {
            let inside = self.skip();
            let inner = &self.tokens[inside.clone()];
            let of_type = |it: &Token| TYPES.iter().any(|word| it.is_word(word)) || it.is_sign("*");
            if !inner.is_empty() && inner.iter().all(of_type) {
                return self.cast(inner);
            }
            return self.part(inside, self.exact);
        }
        if self.sign(0) == "{" {
            let inside = self.skip();
            return self.dim3(inside);
        }
        if token.kind == Kind::String {
            self.next += 1;
            return None;
        }
        // The place of a letter has its quotes.
        if let [letter] = *token.text.as_bytes()
            && token.kind == Kind::Other
            && token.place.1 - token.place.0 == 3
        {
            self.next += 1;
            return Some((Value::Number(letter.into()), false));
        }
        if token.kind == Kind::Other {
            return self.number();
        }
        self.word()
    }

    /// The operand of a cast.
    fn cast(&mut self, to: &[Token]) -> Term {
        let real = to.iter().any(|it| it.is_word("float") || it.is_word("double"));
        let (value, _) = self.unary()?;
        Some((value, real))
    }

    /// The value of a part of the tokens.
    pub(super) fn part(&self, inside: Range<usize>, exact: bool) -> Term {
        let tokens = self.tokens.get(inside)?;
        let mut inner = Reader { tokens, next: 0, exact, ..*self };
        let term = inner.expression()?;
        (inner.next == tokens.len()).then_some(term)
    }

    /// The parts between commas.
    pub(super) fn parts(&self, inside: Range<usize>) -> Vec<Range<usize>> {
        let parts = super::super::split(&self.tokens[inside.clone()], false);
        parts.into_iter().map(|it| inside.start + it.start..inside.start + it.end).collect()
    }

    pub(super) fn dim3(&self, inside: Range<usize>) -> Term {
        let mut values = [Value::Number(1), Value::Number(1), Value::Number(1)];
        let parts = self.parts(inside);
        if parts.len() > 3 {
            return None;
        }
        for (place, part) in values.iter_mut().zip(parts) {
            *place = self.part(part, self.exact)?.0;
        }
        Some((Value::Dim3(Box::new(values)), false))
    }

    /// A literal. Its signs are tokens of their own, such as the `.` of `2.5`.
    fn number(&mut self) -> Term {
        let from = self.tokens[self.next].place.0;
        let text = self.text.get(from..).unwrap_or_default();
        let mut before = ' ';
        let end = text.find(|c: char| {
            let sign =
                matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !text.starts_with("0x");
            let inside = c.is_ascii_alphanumeric() || c == '.' || c == '\'' || sign;
            before = c;
            !inside
        });
        let literal = &text[..end.unwrap_or(text.len())];
        if literal.is_empty() {
            self.next += 1;
            return None;
        }
        let behind = from + literal.len();
        while self.tokens.get(self.next).is_some_and(|it| it.place.0 < behind) {
            self.next += 1;
        }
        let plain = literal.replace('\'', "");
        let whole = plain.trim_end_matches(['u', 'U', 'l', 'L']);
        let number = match whole.strip_prefix("0x").or_else(|| whole.strip_prefix("0X")) {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => whole.parse().ok(),
        };
        if let Some(number) = number {
            return Some((Value::Number(number), false));
        }
        let text = plain.trim_end_matches(['f', 'F', 'l', 'L']);
        let value: f64 = text.parse().ok().filter(|it: &f64| it.is_finite())?;
        // A whole number can be part of an expression.
        let whole = (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i128);
        Some((whole.map_or_else(|| Value::Real(text.to_owned()), Value::Number), true))
    }

    /// A name, a call or a type.
    fn word(&mut self) -> Term {
        let mut of = None;
        while self.sign(1) == ":" && self.sign(2) == ":" && self.next + 3 < self.tokens.len() {
            of = Some(self.tokens[self.next].text);
            self.next += 3;
        }
        let token = self.tokens[self.next];
        let name = token.text;
        self.next += 1;
        if name.ends_with("_cast") && self.sign(0) == "<" {
            let (_, behind) = angles(self.tokens, self.next)?;
            let to = &self.tokens[self.next..behind];
            self.next = behind;
            let value = self.primary();
            let real = to.iter().any(|it| it.is_word("float") || it.is_word("double"));
            return value.map(|(value, _)| (value, real));
        }
        if name == "true" || name == "false" {
            return Some((Value::Number((name == "true").into()), false));
        }
        if name == "numeric_limits" {
            return self.limit();
        }
        if name == "sizeof"
            && let Some(of) = self.tokens.get(self.next..=self.next)
            && of[0].kind == Kind::Word
        {
            self.next += 1;
            return Some((self.size_of(of), false));
        }
        if self.sign(0) == "<"
            && let Some((_, behind)) = angles(self.tokens, self.next)
            && self.tokens.get(behind).is_some_and(|it| it.is_sign("("))
        {
            self.next = behind;
        }
        if self.sign(0) == "(" || (name == "dim3" && self.sign(0) == "{") {
            let inside = self.skip();
            return self.call(name, inside);
        }
        if let Some(value) = of.and_then(|of| self.host.static_member(of, name)) {
            return Some((value, false));
        }
        if let Some((_, value)) = self.known.iter().find(|(known, _)| known == name) {
            return Some((value.clone(), false));
        }
        if self.sign(0) == "["
            && let Some(values) = self.host.initials(name, self.at)
        {
            let inside = self.skip();
            // A variable goes through all of them.
            let Value::Number(index) = self.part(inside, false)?.0 else { return None };
            let value = values.get(usize::try_from(index).ok()?)?.clone();
            return Some((self.host.value_before(value, self.at)?, false));
        }
        if self.sign(0) == "[" {
            let from = self.next;
            while self.sign(0) == "[" {
                self.skip();
            }
            let set = || self.host.set_element(name, &self.tokens[from..self.next], self.at);
            let sum = || self.host.largest_sum(name, self.part(from + 1..self.next - 1, false)?.0);
            let value = self.host.random_letter(name).or_else(sum).or_else(set)?;
            return Some((value, false));
        }
        let value = self.host.named(name, self.at)?;
        let real = matches!(value, Value::Real(_)) || self.host.is_real(name, self.at);
        Some((value, real))
    }
}
