//! Text to expression.

use super::{Fraction, Function, Node, Op};
use crate::experiment::UnknownName;

/// Maximum nesting.
const MOST_DEPTH: usize = 50;

const FUNCTIONS: [(&str, Function); 5] = [
    ("min", Function::Min),
    ("max", Function::Max),
    ("ceil", Function::Ceil),
    ("floor", Function::Floor),
    ("log2", Function::Log2),
];

/// Reads an expression that may use the names `known`; errors are in words.
pub(super) fn parse(text: &str, known: &[&str]) -> Result<Node, String> {
    let mut parser = Parser { rest: text, known, depth: 0 };
    let node = parser.sum()?;
    parser.skip();
    if parser.rest.is_empty() { Ok(node) } else { Err(parser.unexpected()) }
}

struct Parser<'a> {
    rest: &'a str,
    known: &'a [&'a str],
    depth: usize,
}

impl<'a> Parser<'a> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    /// Takes one of these characters.
    fn take(&mut self, characters: &[char]) -> Option<char> {
        self.skip();
        let first = self.rest.chars().next().filter(|first| characters.contains(first))?;
        self.rest = &self.rest[first.len_utf8()..];
        Some(first)
    }

    fn unexpected(&self) -> String {
        match self.rest.chars().next() {
            Some(found) => format!("`{found}` is unexpected here"),
            None => "it ends too early".to_owned(),
        }
    }

    /// The longest start of characters of a kind.
    fn run(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !belongs(c)).unwrap_or(self.rest.len());
        let (run, rest) = self.rest.split_at(end);
        self.rest = rest;
        run
    }

    fn sum(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let mut left = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let op = if sign == '+' { Op::Add } else { Op::Subtract };
            left = Node::Binary(op, Box::new(left), Box::new(self.product()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.negative()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let op = match sign {
                '*' => Op::Multiply,
                '/' => Op::Divide,
                _ => Op::Remainder,
            };
            left = Node::Binary(op, Box::new(left), Box::new(self.negative()?));
        }
        Ok(left)
    }

    fn negative(&mut self) -> Result<Node, String> {
        let mut negative = false;
        while let Some(sign) = self.take(&['-', '+']) {
            negative ^= sign == '-';
        }
        let node = self.power()?;
        Ok(if negative { Node::Negative(Box::new(node)) } else { node })
    }

    /// `a ^ b ^ c` is `a ^ (b ^ c)`.
    fn power(&mut self) -> Result<Node, String> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err("it is nested too deeply".to_owned());
        }
        let exponent = self.negative()?;
        self.depth -= 1;
        Ok(Node::Binary(Op::Power, Box::new(base), Box::new(exponent)))
    }

    fn atom(&mut self) -> Result<Node, String> {
        if self.take(&['(']).is_some() {
            let node = self.sum()?;
            return self.take(&[')']).map(|_| node).ok_or_else(|| "a `)` is missing".to_owned());
        }
        self.skip();
        match self.rest.chars().next() {
            Some(first) if first.is_ascii_digit() => self.number(),
            Some(first) if first.is_alphabetic() || first == '_' => self.name(),
            _ => Err(self.unexpected()),
        }
    }

    /// A whole number or a decimal one, such as `1_000`, `0.5` or `1e-8`.
    fn number(&mut self) -> Result<Node, String> {
        let too_large = || "a number is too large".to_owned();
        let mut digits = self.run(|c| c.is_ascii_digit() || c == '_').replace('_', "");
        let mut power = 0;
        if let Some(rest) = self.rest.strip_prefix('.') {
            self.rest = rest;
            let decimals = self.run(|c| c.is_ascii_digit());
            if decimals.len() > 18 {
                return Err("a number has more than 18 decimals".to_owned());
            }
            power = -(decimals.len() as i64);
            digits.push_str(decimals);
        }
        power += self.exponent();
        if self.rest.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
            return Err(self.unexpected());
        }
        let over: i128 = digits.parse().map_err(|_| too_large())?;
        let ten =
            |power: i64| u32::try_from(power).ok().and_then(|power| 10i128.checked_pow(power));
        let number = if power < 0 {
            let under = ten(-power).ok_or_else(|| "a number is too small".to_owned())?;
            Fraction::new(over, under)
        } else {
            ten(power).and_then(|ten| over.checked_mul(ten)).and_then(|over| Fraction::new(over, 1))
        };
        number.map(Node::Number).ok_or_else(too_large)
    }

    /// The power of ten of `e-8`, or 0 if none follows.
    fn exponent(&mut self) -> i64 {
        let Some(rest) = self.rest.strip_prefix(['e', 'E']) else { return 0 };
        let digits = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let sign = rest.len() - digits.len();
        let Ok(power) = rest[..sign + end].parse::<i16>() else { return 0 };
        self.rest = &digits[end..];
        i64::from(power)
    }

    fn name(&mut self) -> Result<Node, String> {
        let name = self.run(|c| c.is_alphanumeric() || c == '_');
        if self.take(&['(']).is_some() {
            return self.call(name);
        }
        if self.known.contains(&name) {
            return Ok(Node::Name(name.to_owned()));
        }
        Err(UnknownName::new("name", name, self.known).to_string())
    }

    fn call(&mut self, name: &str) -> Result<Node, String> {
        let found = FUNCTIONS.iter().find(|(known, _)| *known == name);
        let Some((_, function)) = found else {
            let known = FUNCTIONS.map(|(name, _)| name);
            return Err(UnknownName::new("function", name, &known).to_string());
        };
        let mut values = vec![self.sum()?];
        while self.take(&[',']).is_some() {
            values.push(self.sum()?);
        }
        if self.take(&[')']).is_none() {
            return Err("a `)` is missing".to_owned());
        }
        let takes_several = matches!(function, Function::Min | Function::Max);
        if values.len() > 1 && !takes_several {
            return Err(format!("`{name}` takes one value"));
        }
        Ok(Node::Call(*function, values))
    }
}
