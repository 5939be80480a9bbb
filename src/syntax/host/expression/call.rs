//! Calls in expressions of host code: of macros, functions and lambdas of one line, and of the
//! mathematical functions of known numbers.

use std::ops::Range;

use super::{Host, Term};
use crate::syntax::declaration::matching;
use crate::syntax::host::value::{Op, Value};
use crate::syntax::lexer::{Kind, Token, tokens};

/// The value of a function of known numbers.
pub(super) fn computed(name: &str, values: &[Value]) -> Term {
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
        let body = body.start + 1..body.end.checked_sub(1)?;
        let [first, rest @ ..] = self.tokens.get(body.clone())? else { return None };
        let end = rest.iter().position(|it| it.is_sign(";"))?;
        if !first.is_word("return") || end + 1 != rest.len() {
            return None;
        }
        self.evaluate(&rest[..end], self.source, body.start, &known(&params))
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
