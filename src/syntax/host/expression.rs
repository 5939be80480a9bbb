//! Evaluates expressions of host code.

use std::ops::Range;

use super::value::{Op, Value};
use super::{Host, MOST_DEPTH};
use crate::syntax::lexer::{Kind, Token};

mod call;
mod operand;

/// Known values: the parameters of a function or macro.
pub(super) type Known = [(String, Value)];

/// Words of built-in types.
pub(super) const TYPES: [&str; 21] = [
    "auto", "bool", "char", "const", "double", "float", "int", "int32_t", "int64_t", "long",
    "short", "signed", "size_t", "ssize_t", "uint", "uint32_t", "uint64_t", "unsigned", "void",
    "volatile", "std",
];

/// A value, and whether it is a floating-point number.
type Term = Option<(Value, bool)>;

impl Host<'_> {
    /// The value of an expression.
    pub(super) fn value(&self, range: Range<usize>) -> Option<Value> {
        let at = range.start;
        self.value_before(range, at)
    }

    /// The value of an expression, with names as declared before `at`.
    pub(super) fn value_before(&self, range: Range<usize>, at: usize) -> Option<Value> {
        self.evaluate(self.tokens.get(range)?, self.source, at, &[])
    }

    /// The value of the tokens of a text, with names as declared in the source before `at`.
    pub(super) fn evaluate(
        &self,
        tokens: &[Token],
        text: &str,
        at: usize,
        known: &Known,
    ) -> Option<Value> {
        if !self.step() || tokens.is_empty() {
            return None;
        }
        let mut reader = Reader { host: self, tokens, text, next: 0, at, known, exact: false };
        let (value, _) = reader.expression()?;
        (reader.next == tokens.len()).then_some(value)
    }
}

pub(super) struct Reader<'h, 't, 'a> {
    host: &'h Host<'h>,
    tokens: &'t [Token<'a>],
    text: &'t str,
    next: usize,
    /// Where names are looked for.
    at: usize,
    known: &'t Known,
    /// Whether `ceil` or `floor` rounds divisions, so that `/` is exact.
    exact: bool,
}

impl Reader<'_, '_, '_> {
    fn sign(&self, ahead: usize) -> &str {
        let token = self.tokens.get(self.next + ahead);
        token.filter(|it| it.kind == Kind::Other).map_or("", |it| it.text)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let found = self.sign(0) == sign;
        self.next += usize::from(found);
        found
    }

    /// Calls `read` one level deeper; unknown above [`MOST_DEPTH`].
    fn deeper(&mut self, read: fn(&mut Self) -> Term) -> Term {
        let depth = &self.host.depth;
        if depth.get() > MOST_DEPTH {
            self.next = self.tokens.len();
            return None;
        }
        depth.set(depth.get() + 1);
        let term = read(self);
        self.host.depth.set(self.host.depth.get() - 1);
        term
    }

    /// An expression, which may be a conditional `a ? b : c`.
    fn expression(&mut self) -> Term {
        self.deeper(Self::condition)
    }

    fn condition(&mut self) -> Term {
        let first = self.next;
        let condition = self.binary(0);
        if !self.takes("?") {
            return condition;
        }
        let asks = self.tokens[first..self.next].iter().any(|it| it.is_word("argc"));
        let yes = self.expression();
        let no = if self.takes(":") { self.expression() } else { None };
        match condition.and_then(|it| it.0.number()).filter(|_| !asks) {
            Some(0) => no,
            Some(_) => yes,
            None => no.or(yes),
        }
    }

    /// The operator here, its precedence, and its number of signs.
    fn operator(&self) -> Option<(&'static str, u8, usize)> {
        const OPERATORS: [(&str, u8); 18] = [
            ("||", 1),
            ("&&", 2),
            ("==", 4),
            ("!=", 4),
            ("<=", 5),
            (">=", 5),
            ("<<", 6),
            (">>", 6),
            ("|", 3),
            ("^", 3),
            ("&", 3),
            ("<", 5),
            (">", 5),
            ("+", 7),
            ("-", 7),
            ("*", 8),
            ("/", 8),
            ("%", 8),
        ];
        let here = [self.sign(0), self.sign(1)];
        let found = OPERATORS.iter().find(|(name, _)| match name.len() {
            1 => here[0] == *name,
            _ => here[0] == &name[..1] && here[1] == &name[1..],
        });
        found.map(|(name, level)| (*name, *level, name.len()))
    }

    fn binary(&mut self, least: u8) -> Term {
        let mut left = self.unary();
        while let Some((name, level, signs)) = self.operator().filter(|it| it.1 > least) {
            self.next += signs;
            let right = self.binary(level);
            left = self.join(name, left, right);
        }
        left
    }

    fn join(&self, name: &str, left: Term, right: Term) -> Term {
        let ((a, real_a), (b, real_b)) = (left?, right?);
        let real = real_a || real_b;
        let both = || Some((a.number()?, b.number()?));
        let op = match name {
            "+" => Op::Add,
            "-" => Op::Subtract,
            "*" => Op::Multiply,
            "/" if real || self.exact => Op::DivideExactly,
            "/" => Op::Divide,
            "%" => return Some((self.host.rest(a, b), real)),
            "<<" | ">>" => {
                let bits = u32::try_from(b.number()?).ok().filter(|bits| *bits < 64)?;
                let op = if name == "<<" { Op::Multiply } else { Op::Divide };
                return Some((Value::op(op, a, Value::Number(1 << bits)), false));
            }
            _ => {
                let (a, b) = both()?;
                let number = match name {
                    "==" => i128::from(a == b),
                    "!=" => i128::from(a != b),
                    "<" => i128::from(a < b),
                    ">" => i128::from(a > b),
                    "<=" => i128::from(a <= b),
                    ">=" => i128::from(a >= b),
                    "&&" => i128::from(a != 0 && b != 0),
                    "||" => i128::from(a != 0 || b != 0),
                    "&" => a & b,
                    "|" => a | b,
                    _ => a ^ b,
                };
                return Some((Value::Number(number), false));
            }
        };
        Some((Value::op(op, a, b), real))
    }

    fn unary(&mut self) -> Term {
        self.deeper(Self::signed)
    }

    fn signed(&mut self) -> Term {
        if self.takes("-") {
            return match self.unary()? {
                (Value::Real(text), real) => Some((Value::Real(format!("-{text}")), real)),
                (value, real) => Some((Value::op(Op::Subtract, Value::Number(0), value), real)),
            };
        }
        if self.takes("+") {
            return self.unary();
        }
        if ["!", "~", "&", "*"].contains(&self.sign(0)) {
            self.next += 1;
            self.unary();
            return None;
        }
        let value = self.primary();
        self.members(value)
    }
}
