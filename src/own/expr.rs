//! Expressions of a header block: exact and checked.
//!
//! Values are fractions of 128-bit integers, so that `ceil(n / (block * coarsen))` is
//! exact, and every operation is checked for overflow. None of the small crates fits:
//! `evalexpr` cuts the result of a division of integers and computes powers with floats,
//! `fasteval` and `meval` know only floats, and `exmex` has no checked fractions.

use std::fmt;

mod fraction;
mod parse;
#[cfg(test)]
mod tests;

pub(super) use fraction::Fraction;

/// Maximum length of an expression in bytes.
const MOST: usize = 500;

/// An expression with the text that it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expr {
    text: String,
    node: Node,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Node {
    Number(Fraction),
    Name(String),
    Negative(Box<Node>),
    Binary(Op, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Function {
    Min,
    Max,
    Ceil,
    Floor,
    Log2,
}

/// Why an expression has no value. The text names the expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExprError(pub(super) String);

impl fmt::Display for ExprError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a part of an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Overflow,
    DivisionByZero,
    Remainder,
    Power,
    LogOfNone,
    Log,
}

impl Fault {
    fn text(self) -> &'static str {
        match self {
            Self::Overflow => "a value exceeds 128 bits",
            Self::DivisionByZero => "division by zero",
            Self::Remainder => "`%` takes whole numbers, and a divisor above 0",
            Self::Power => "an exponent is a whole number from 0 to 127",
            Self::LogOfNone => "`log2` takes a number above 0",
            Self::Log => "`log2` is no whole number; write `ceil(log2(…))` or `floor(log2(…))`",
        }
    }
}

impl Expr {
    /// Reads an expression that may use the names `known`.
    pub(super) fn read(text: &str, known: &[&str]) -> Result<Self, ExprError> {
        let text = text.trim();
        if text.len() > MOST {
            return Err(ExprError(format!("an expression has more than {MOST} bytes")));
        }
        let node =
            parse::parse(text, known).map_err(|reason| ExprError(format!("`{text}`: {reason}")))?;
        Ok(Self { text: text.to_owned(), node })
    }

    /// Its text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it depends on a name.
    pub(super) fn mentions(&self, name: &str) -> bool {
        self.node.mentions(name)
    }

    /// Whether it may lack a value for some value of `name`, though it has one for the
    /// smallest and the largest.
    pub(super) fn may_fail_within(&self, name: &str) -> bool {
        self.node.may_fail_within(name)
    }

    /// Its value, with the values of names.
    pub(super) fn value(
        &self,
        names: &dyn Fn(&str) -> Option<i128>,
    ) -> Result<Fraction, ExprError> {
        self.node
            .value(names)
            .map_err(|fault| ExprError(format!("`{}`: {}", self.text, fault.text())))
    }

    /// Its value as a whole number.
    pub(super) fn whole(&self, names: &dyn Fn(&str) -> Option<i128>) -> Result<i128, ExprError> {
        let value = self.value(names)?;
        value.whole().ok_or_else(|| {
            let text = &self.text;
            let value = value.to_f64();
            ExprError(format!("`{text}` is {value}, no whole number; use `ceil` or `floor`"))
        })
    }
}

impl Node {
    fn mentions(&self, name: &str) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Name(known) => known == name,
            Self::Negative(node) => node.mentions(name),
            Self::Binary(_, a, b) => a.mentions(name) || b.mentions(name),
            Self::Call(_, nodes) => nodes.iter().any(|node| node.mentions(name)),
        }
    }

    fn may_fail_within(&self, name: &str) -> bool {
        match self {
            Self::Number(_) | Self::Name(_) => false,
            Self::Negative(node) => node.may_fail_within(name),
            Self::Binary(op, a, b) => {
                let fails = match op {
                    Op::Add | Op::Subtract | Op::Multiply => false,
                    Op::Divide | Op::Power => b.mentions(name),
                    Op::Remainder => b.mentions(name) || (a.mentions(name) && !a.is_whole()),
                };
                fails || a.may_fail_within(name) || b.may_fail_within(name)
            }
            Self::Call(Function::Log2, nodes) => nodes.iter().any(|node| node.mentions(name)),
            Self::Call(_, nodes) => nodes.iter().any(|node| node.may_fail_within(name)),
        }
    }

    /// Whether it is a whole number, whatever the names are.
    fn is_whole(&self) -> bool {
        match self {
            Self::Number(number) => number.whole().is_some(),
            Self::Name(_) | Self::Call(Function::Ceil | Function::Floor | Function::Log2, _) => {
                true
            }
            Self::Negative(node) => node.is_whole(),
            Self::Binary(op, a, b) => *op != Op::Divide && a.is_whole() && b.is_whole(),
            Self::Call(Function::Min | Function::Max, nodes) => nodes.iter().all(Self::is_whole),
        }
    }

    fn value(&self, names: &dyn Fn(&str) -> Option<i128>) -> Result<Fraction, Fault> {
        match self {
            Self::Number(number) => Ok(*number),
            // Names were checked when the expression was read.
            Self::Name(name) => Ok(Fraction::from(names(name).unwrap_or(0))),
            Self::Negative(node) => {
                Fraction::from(0).subtract(node.value(names)?).ok_or(Fault::Overflow)
            }
            Self::Binary(op, a, b) => op.of(a.value(names)?, b.value(names)?),
            Self::Call(function, nodes) => function.of(nodes, names),
        }
    }
}

impl Op {
    fn of(self, a: Fraction, b: Fraction) -> Result<Fraction, Fault> {
        match self {
            Self::Add => a.add(b).ok_or(Fault::Overflow),
            Self::Subtract => a.subtract(b).ok_or(Fault::Overflow),
            Self::Multiply => a.multiply(b).ok_or(Fault::Overflow),
            Self::Divide if b.is_zero() => Err(Fault::DivisionByZero),
            Self::Divide => a.divide(b).ok_or(Fault::Overflow),
            Self::Remainder => match (a.whole(), b.whole()) {
                (Some(_), Some(0)) => Err(Fault::DivisionByZero),
                (Some(a), Some(b)) if b > 0 => Ok(Fraction::from(a.rem_euclid(b))),
                _ => Err(Fault::Remainder),
            },
            Self::Power => {
                let exponent = b.whole().and_then(|exponent| u32::try_from(exponent).ok());
                let exponent = exponent.filter(|&it| it < 128).ok_or(Fault::Power)?;
                a.power(exponent).ok_or(Fault::Overflow)
            }
        }
    }
}

impl Function {
    fn of(self, nodes: &[Node], names: &dyn Fn(&str) -> Option<i128>) -> Result<Fraction, Fault> {
        let mut values = nodes.iter().map(|node| node.value(names));
        let first = |values: &mut dyn Iterator<Item = Result<Fraction, Fault>>| {
            values.next().unwrap_or(Ok(Fraction::from(0)))
        };
        match (self, nodes) {
            // A logarithm is rounded exactly, without computing it.
            (Self::Ceil | Self::Floor, [Node::Call(Self::Log2, of)]) => {
                let value = of.first().map_or(Ok(Fraction::from(0)), |node| node.value(names))?;
                let (floor, exact) = value.log2().ok_or(Fault::LogOfNone)?;
                let up = self == Self::Ceil && !exact;
                Ok(Fraction::from(floor + i128::from(up)))
            }
            (Self::Ceil, _) => Ok(Fraction::from(first(&mut values)?.ceil())),
            (Self::Floor, _) => Ok(Fraction::from(first(&mut values)?.floor())),
            (Self::Log2, _) => {
                let (floor, exact) = first(&mut values)?.log2().ok_or(Fault::LogOfNone)?;
                if exact { Ok(Fraction::from(floor)) } else { Err(Fault::Log) }
            }
            (Self::Min | Self::Max, _) => {
                let mut best = first(&mut values)?;
                for value in values {
                    let value = value?;
                    let less = value.is_less(best).ok_or(Fault::Overflow)?;
                    if less == (self == Self::Min) {
                        best = value;
                    }
                }
                Ok(best)
            }
        }
    }
}
