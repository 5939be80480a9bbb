//! Calls in expressions of host code: of macros, functions and lambdas of one line, and of the
//! mathematical functions of known numbers.

use std::ops::Range;

use super::{Host, Reader, TYPES, Term};
use crate::syntax::declaration::{angles, matching};
use crate::syntax::host::value::{Op, Value};
use crate::syntax::lexer::{Kind, Token, tokens};

/// The value of a function of known numbers.
fn computed(name: &str, values: &[Value]) -> Term {
    let values: Vec<f64> = values.iter().map(Value::real).collect::<Option<_>>()?;
    let value = match (name.strip_suffix('f').unwrap_or(name), &values[..]) {
        ("exp", [x]) => x.exp(),
        ("sqrt", [x]) => x.sqrt(),
        ("sin", [x]) => x.sin(),
        ("cos", [x]) => x.cos(),
        ("tan", [x]) => x.tan(),
        ("log", [x]) => x.ln(),
        ("pow", [x, y]) => x.powf(*y),
        _ => return None,
    };
    value.is_finite().then(|| (Value::Real(value.to_string()), true))
}

impl Reader<'_, '_, '_> {
    /// The largest number of a type, behind `std::numeric_limits`: `<int>::max()`.
    pub(super) fn limit(&mut self) -> Term {
        let (given, behind) = angles(self.tokens, self.next)?;
        let of: Vec<&str> = self.tokens[given.first()?.clone()].iter().map(|it| it.text).collect();
        self.next = behind;
        let behind = self.takes(":") && self.takes(":");
        if !behind || !self.tokens.get(self.next)?.is_word("max") {
            return None;
        }
        self.next += 1;
        self.skip();
        let number = match of[..] {
            ["int" | "int32_t"] => i32::MAX.into(),
            ["unsigned" | "uint32_t"] | ["unsigned", "int"] => u32::MAX.into(),
            ["float"] => return Some((Value::Real(format!("{:e}", f32::MAX)), true)),
            _ => return None,
        };
        Some((Value::Number(number), false))
    }

    /// The size of a type or variable.
    pub(super) fn size_of(&self, inner: &[Token]) -> Value {
        if let [word] = inner
            && let Some(found) = self.host.of_template(word.text, self.at)
        {
            return Value::SizeOf(found);
        }
        if let [word] = inner
            && let Some(bytes) = self.host.bytes_of_array(word.text, self.at)
        {
            return bytes;
        }
        let words: Vec<&str> = inner.iter().map(|it| it.text).collect();
        Value::SizeOf(words.join(" "))
    }

    pub(super) fn call(&self, name: &str, inside: Range<usize>) -> Term {
        let all = |exact| -> Option<Vec<Value>> {
            let parts = self.parts(inside.clone()).into_iter();
            parts.map(|it| Some(self.part(it, exact)?.0)).collect()
        };
        if let Some(end) = self.host.random.get()
            && let Some(number) = self.host.random_number(name, end, self.at)
        {
            return Some((number, false));
        }
        match name {
            "sizeof" => return Some((self.size_of(&self.tokens[inside]), false)),
            "dim3" => return self.dim3(inside),
            "min" | "max" | "fmin" | "fmax" => {
                let name = if name.ends_with("in") { "min" } else { "max" };
                return Some((Value::Call(name, all(self.exact)?), false));
            }
            "ceil" | "ceilf" | "floor" | "floorf" => {
                let [value] = &all(true)?[..] else { return None };
                let name = if name.starts_with('c') { "ceil" } else { "floor" };
                return Some((Value::Call(name, vec![value.clone()]), false));
            }
            "exp" | "sqrt" | "pow" | "sin" | "cos" | "tan" | "log" | "expf" | "sqrtf" | "powf"
            | "sinf" | "cosf" | "tanf" | "logf" => return computed(name, &all(true)?),
            "log2" | "log2f" => return Some((Value::Call("log2", all(true)?), false)),
            "float" | "double" => return self.part(inside, self.exact).map(|it| (it.0, true)),
            _ if TYPES.contains(&name) => return self.part(inside, self.exact),
            _ => {}
        }
        let values: Vec<Option<Value>> =
            self.parts(inside).into_iter().map(|it| Some(self.part(it, false)?.0)).collect();
        self.host.called(name, &values).map(|value| (value, false))
    }
}

impl Host<'_> {
    /// The value of a call of a macro, or of a function or lambda of one line.
    pub(super) fn called(&self, name: &str, values: &[Option<Value>]) -> Option<Value> {
        let known = |names: &[&str]| -> Vec<(String, Value)> {
            let pairs = names.iter().zip(values);
            pairs.filter_map(|(name, value)| Some(((*name).to_owned(), value.clone()?))).collect()
        };
        if let Some(found) = self.macros.get(name) {
            let params = found.params.as_ref()?;
            let text: Vec<Token> =
                tokens(&found.text).filter(|it| it.kind != Kind::Comment).collect();
            return self.evaluate(&text, &found.text, self.tokens.len(), &known(params));
        }
        let function = self.functions.iter().find(|it| it.name == name);
        let found =
            function.map(|it| (it.params.iter().map(|it| it.name).collect(), it.body.clone()));
        let Some((params, body)) = found.or_else(|| self.lambda(name)) else {
            return rounded_up(name, values);
        };
        let only = self.only_value(&body)?;
        self.evaluate(&self.tokens[only.clone()], self.source, only.start, &known(&params))
    }

    /// What a function returns whose body is `{ return …; }`.
    fn only_value(&self, body: &Range<usize>) -> Option<Range<usize>> {
        let body = body.start + 1..body.end.checked_sub(1)?;
        let [first, rest @ ..] = self.tokens.get(body.clone())? else { return None };
        let end = rest.iter().position(|it| it.is_sign(";"))?;
        let only = first.is_word("return") && end + 1 == rest.len();
        only.then(|| body.start + 1..body.start + 1 + end)
    }

    /// The value of `variable.name()`, a function of one line in the type of the variable.
    pub(super) fn method(&self, variable: &str, name: &str, at: usize) -> Option<Value> {
        let class = self.local_type(variable, at)?;
        let mut methods = self.functions.iter().filter(|it| it.class == class && it.name == name);
        let only = self.only_value(&methods.next()?.body)?;
        // Not of members that are objects themselves.
        if self.tokens[only.clone()].iter().any(|it| it.is_sign(".")) {
            return None;
        }
        let words = self.tokens[only.clone()].iter().filter(|it| it.kind == Kind::Word);
        let member = |word: &str| {
            let set = self.member(variable, word, at);
            set.or_else(|| self.of_object(variable, word, at))
        };
        let known: Vec<(String, Value)> =
            words.filter_map(|it| Some((it.text.to_owned(), member(it.text)?))).collect();
        self.evaluate(&self.tokens[only.clone()], self.source, only.start, &known)
    }

    /// The parameters of `name = [](int n) { … }`, and where its body is.
    fn lambda(&self, name: &str) -> Option<(Vec<&str>, Range<usize>)> {
        let set = |at: &&usize| self.signs(**at + 1, "=[");
        let at = *self.all(name).iter().find(set)?;
        let captured = at + 2 + matching(&self.tokens[at + 2..])?;
        let open = Some(captured + 1).filter(|&it| self.signs(it, "("))?;
        let (params, behind) = self.arguments(open)?;
        let last = |it: Range<usize>| self.tokens[it].iter().rfind(|it| it.kind == Kind::Word);
        let params = params.into_iter().filter_map(|it| Some(last(it)?.text)).collect();
        // A type may be before the body.
        let open = (behind..self.tokens.len().min(behind + 8)).find(|&it| self.signs(it, "{"))?;
        Some((params, open..open + matching(&self.tokens[open..])? + 1))
    }
}

/// The value of a function that is not in the source, as its name says: `ceil_div(n, 256)`.
fn rounded_up(name: &str, values: &[Option<Value>]) -> Option<Value> {
    const NAMES: [&str; 9] = [
        "cdiv",
        "ceildiv",
        "ceildivide",
        "divceil",
        "divideroundup",
        "divroundup",
        "divup",
        "idivup",
        "updiv",
    ];
    let plain = name.to_lowercase().replace('_', "");
    let [Some(left), Some(right)] = values else { return None };
    let quotient = || Value::op(Op::DivideExactly, left.clone(), right.clone());
    NAMES.contains(&plain.as_str()).then(|| Value::Call("ceil", vec![quotient()]))
}
