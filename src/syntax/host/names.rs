//! Looks up names of host code.

use std::ops::Range;

use super::value::Value;
use super::{Function, Host, Param};
use crate::syntax::lexer::{Kind, Token, tokens};

/// Smallest number that counts as a size.
const SIZE: i128 = 32;

impl Host<'_> {
    /// The value of a name at a position: its last assignment before it, the argument of a parameter, a
    /// macro or a global constant.
    pub(super) fn named(&self, name: &str, at: usize) -> Option<Value> {
        let function = self.function(at);
        if let Some(function) = function {
            let before = function.body.start..at.min(function.body.end);
            if let Some(value) = self.set(name, before) {
                return Some(value);
            }
            let mut params = function.params.iter().chain(function.templates());
            if let Some(param) = params.find(|it| it.name == name) {
                return self.parameter(function, param);
            }
            if let Some(value) = self.of_class(function, name) {
                return Some(value);
            }
        }
        if let Some(found) = self.macros.get(name).filter(|it| it.params.is_none()) {
            let text: Vec<Token> =
                tokens(&found.text).filter(|it| it.kind != Kind::Comment).collect();
            // A macro may not name itself.
            let names = text.iter().any(|it| it.is_word(name));
            let value = if names { None } else { self.evaluate(&text, &found.text, at, &[]) };
            return value.map(|value| with_name(name, value));
        }
        if let Some(value) = of_library(name) {
            return Some(value);
        }
        if let Some(value) = self.bound(name, at) {
            return Some(value);
        }
        let outside = if function.is_none() { self.of_class_template(name, at) } else { None };
        outside.or_else(|| self.global(name)).or_else(|| self.unknown(name, name))
    }

    /// The name `path` without a value, if its last word is declared as a whole number somewhere.
    pub(super) fn unknown(&self, path: &str, last: &str) -> Option<Value> {
        const WHOLE: [&str; 10] = [
            "int", "int32_t", "int64_t", "long", "size_t", "uint", "uint32_t", "uint64_t",
            "unsigned", "auto",
        ];
        let declared = self.all(last).iter().any(|&at| {
            let of_host = self.function(at).is_none_or(|it| !it.is_device);
            let behind = at.checked_sub(1).map(|it| &self.tokens[it]);
            let is_first = behind.is_some_and(|it| it.kind == Kind::Word);
            let is_next = behind.is_some_and(|it| it.is_sign(",")) && self.declares_many(at);
            let mut types = self.declared_as(at);
            of_host && (is_first || is_next) && types.any(|it| WHOLE.contains(&it.text))
        });
        declared.then(|| Value::Name(path.to_owned(), None))
    }

    /// Whether host code says `1 << name`.
    pub(crate) fn is_exponent(&self, name: &str) -> bool {
        self.all(name).iter().any(|&at| {
            let before = |back: usize| at.checked_sub(back);
            before(2).is_some_and(|it| self.signs(it, "<<"))
                && before(3).is_some_and(|it| {
                    self.tokens[it].text.trim_end_matches(['u', 'l', 'U', 'L']) == "1"
                })
        })
    }

    /// Whether there is no bracket before a name in its statement, as in `int a = 1, b`.
    fn declares_many(&self, at: usize) -> bool {
        let signs = [";", "{", "}", "("];
        let mut before = self.tokens[..at].iter().rev();
        before.find(|it| signs.iter().any(|sign| it.is_sign(sign))).is_none_or(|it| it.text != "(")
    }

    /// The value of a global variable or constant.
    pub(super) fn global(&self, name: &str) -> Option<Value> {
        let mut ends = vec![0];
        ends.extend(self.functions.iter().flat_map(|it| [it.whole.start, it.whole.end]));
        ends.push(self.tokens.len());
        ends.chunks(2).find_map(|part| {
            let [from, to] = part else { return None };
            self.set(name, *from..(*to).max(*from))
        })
    }

    /// The last assignment to a name in a part of the source.
    pub(super) fn set(&self, name: &str, part: Range<usize>) -> Option<Value> {
        let end = part.end;
        let places = self.places(name, part.clone());
        let found = places.iter().rev().find_map(|&at| Some((at, self.set_at(name, at)?)));
        match found {
            Some((at, Value::Name(_, Some(0))))
                if let Some(total) = self.total(name, at + 1..end) =>
            {
                Some(total)
            }
            Some((at, Value::Dim3(values))) => Some(self.with_members(name, values, at + 1..end)),
            Some((_, other)) => Some(other),
            None => {
                let at = *places.iter().find(|&&at| self.is_empty_dim3(at))?;
                let ones = [Value::Number(1), Value::Number(1), Value::Number(1)];
                let changed =
                    self.places(name, at + 1..end).iter().any(|&at| self.signs(at + 1, "."));
                changed.then(|| self.with_members(name, Box::new(ones), at + 1..end))
            }
        }
    }

    /// Whether a `dim3` without values is declared here: `dim3 grid, block;`.
    fn is_empty_dim3(&self, at: usize) -> bool {
        let ends = self.signs(at + 1, ";") || self.signs(at + 1, ",");
        let mut types = self.declared_as(at);
        ends && types.next().is_some_and(|it| it.is_word("dim3")) && self.declares_many(at)
    }

    /// A `dim3` after the assignments to its members in a part of the source: `block.y = 1;`.
    fn with_members(&self, name: &str, mut values: Box<[Value; 3]>, part: Range<usize>) -> Value {
        for &at in self.places(name, part) {
            let member = self.tokens.get(at + 2).filter(|_| self.signs(at + 1, "."));
            let index =
                member.and_then(|it| ["x", "y", "z"].iter().position(|xyz| it.text == *xyz));
            let sets = self.signs(at + 3, "=") && !self.signs(at + 3, "==");
            if let Some(index) = index.filter(|_| sets)
                && let Some(value) = self.value_before(at + 4..self.end(at + 4), at)
            {
                values[index] = value;
            }
        }
        Value::Dim3(values)
    }

    /// What a name is set to here.
    pub(super) fn set_at(&self, name: &str, at: usize) -> Option<Value> {
        if self.is_member(at) {
            return None;
        }
        let value = if self.sets(at) && !self.is_step(at) {
            // In `m = n = size`, both get the value of `size`.
            let end = self.end(at + 2);
            let last = (at + 2..end).rev().find(|&it| self.sets(it)).unwrap_or(at);
            self.value_before(last + 2..end, at)?
        } else if self.is_declared(at) {
            let (arguments, _) = self.arguments(at + 1)?;
            if self.declared_as(at).any(|it| it.is_word("dim3")) {
                let mut values = [Value::Number(1), Value::Number(1), Value::Number(1)];
                for (place, argument) in values.iter_mut().zip(arguments) {
                    *place = self.value_before(argument, at)?;
                }
                Value::Dim3(Box::new(values))
            } else {
                self.value_before(arguments.first()?.clone(), at)?
            }
        } else if let Some(value) = self.set_in_turn(at) {
            value
        } else {
            return self.set_by_call(at);
        };
        Some(with_name(name, value))
    }

    /// The last of the values that `for (int size : SIZES)` sets a name to.
    fn set_in_turn(&self, at: usize) -> Option<Value> {
        let array = self.tokens.get(at + 2).filter(|_| self.signs(at + 1, ":"))?;
        let open = self.tokens[..at].iter().rposition(|it| it.kind != Kind::Word)?;
        let before = self.tokens.get(open.checked_sub(1)?)?;
        let is_loop = self.tokens[open].is_sign("(") && before.is_word("for");
        let listed = array.is_sign("{").then(|| self.arguments(at + 2)).flatten().map(|it| it.0);
        let values = listed.or_else(|| self.initials(array.text, at));
        self.value_before(values.filter(|_| is_loop)?.last()?.clone(), at)
    }

    /// Whether an assignment begins here.
    fn sets(&self, at: usize) -> bool {
        self.tokens[at].kind == Kind::Word && self.signs(at + 1, "=") && !self.signs(at + 1, "==")
    }

    /// Whether this is the third part of a `for (…; …; …)`, which runs after the loop body.
    pub(super) fn is_step(&self, at: usize) -> bool {
        let (mut depth, mut semicolons) = (0_i32, 0);
        for it in (0..at).rev() {
            match self.tokens[it].text {
                ")" => depth += 1,
                "(" if depth == 0 => {
                    return semicolons == 2 && it > 0 && self.tokens[it - 1].is_word("for");
                }
                "(" => depth -= 1,
                ";" if depth == 0 => semicolons += 1,
                "{" | "}" => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether `.` or `->` precedes a name, but for `this->`.
    fn is_member(&self, at: usize) -> bool {
        let before = at.checked_sub(1).is_some_and(|it| self.tokens[it].is_sign("."));
        let of_this = at.checked_sub(3).is_some_and(|it| self.tokens[it].is_word("this"));
        before || !of_this && at.checked_sub(2).is_some_and(|it| self.signs(it, "->"))
    }

    /// Whether a declaration with a constructor begins here: `dim3 block(16, 16)`.
    fn is_declared(&self, at: usize) -> bool {
        let opens = self.signs(at + 1, "(") || self.signs(at + 1, "{");
        let before = at.checked_sub(1).map(|it| &self.tokens[it]);
        opens
            && before.is_some_and(|it| match it.kind {
                Kind::Word => !["return", "else", "case", "throw", "new", "do"].contains(&it.text),
                Kind::Other => {
                    it.is_sign(">") || it.is_sign(",") && self.declared_as(at).next().is_some()
                }
                _ => false,
            })
    }

    /// The words before a name in its statement.
    pub(super) fn declared_as(&self, at: usize) -> impl Iterator<Item = &Token<'_>> {
        let before = &self.tokens[..at];
        let start =
            before.iter().rposition(|it| [";", "{", "}"].iter().any(|sign| it.is_sign(sign)));
        let statement = &before[start.map_or(0, |it| it + 1)..];
        // In a call, commas separate arguments, not declarations.
        let call = statement.iter().position(|it| it.is_sign("(")).is_some_and(|open| open < 2);
        let of_type = |it: &&Token| {
            it.kind == Kind::Word || ["*", ":", "<", ">"].iter().any(|sign| it.is_sign(sign))
        };
        statement.iter().take_while(of_type).take(if call { 0 } else { 12 })
    }

    /// The value of a parameter at the first call of its function. Without a call, a name without a value.
    fn parameter(&self, function: &Function, param: &Param) -> Option<Value> {
        let name = param.name;
        if let Some(given) = self.argument(function, name) {
            return self.value(given).map(|value| with_name(name, value));
        }
        let value = param.default.clone().and_then(|it| self.value(it));
        Some(value.map_or_else(|| Value::Name(name.to_owned(), None), |it| with_name(name, it)))
    }

    /// Position of a parameter's argument in the first call of its function.
    pub(super) fn argument(&self, function: &Function, name: &str) -> Option<Range<usize>> {
        let index = function.params.iter().position(|it| it.name == name);
        let of_template = function.template.iter().position(|it| it.name == name);
        if let Some(found) = self.class_argument(function, name) {
            return Some(found);
        }
        self.calls(function).find_map(|at| {
            let explicit = self.angles(at + 1);
            if let Some(index) = of_template {
                return explicit?.0.get(index).cloned();
            }
            let open = self.opened(function, explicit.map_or(at + 1, |it| it.1))?;
            self.arguments(open)?.0.get(index?).cloned()
        })
    }
}

/// The value of a constant of the C library.
fn of_library(name: &str) -> Option<Value> {
    let number = match name {
        "M_PI" => return Some(Value::Real(std::f64::consts::PI.to_string())),
        "FLT_MAX" => return Some(Value::Real(format!("{:e}", f32::MAX))),
        "INT_MAX" | "RAND_MAX" => i32::MAX.into(),
        "UINT_MAX" => u32::MAX.into(),
        "UCHAR_MAX" => u8::MAX.into(),
        _ => return None,
    };
    Some(Value::Number(number))
}

/// Attaches a name to a number, also to one that is computed from small ones, such as
/// `4 * cells * cells * cells`. Other expressions stay as they are.
pub(super) fn with_name(name: &str, value: Value) -> Value {
    let mut small = true;
    value.each(&mut |it| match it {
        Value::Name(_, number) => small &= number.is_some_and(|it| it < SIZE),
        Value::SizeOf(_) | Value::Dim3(_) => small = false,
        _ => {}
    });
    match (&value, value.number().filter(|it| small && *it >= SIZE)) {
        (Value::Number(number), _) => Value::Name(name.to_owned(), Some(*number)),
        (Value::Op(..), Some(number)) => Value::Name(name.to_owned(), Some(number)),
        _ => value,
    }
}
