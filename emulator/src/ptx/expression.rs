//! Constant expressions of integers: `3*4+2`, `(1 << 4) - 1`, `~0`.
//!
//! Values have 64 bits, signed unless a literal says otherwise by a `U` or by
//! its size; operators and their order are those of C (PTX ISA, "Integer
//! Constant Expression Evaluation").

use super::ast::Operand;
use super::lexer::Token;
use super::parser::{Fallible, MOST_NESTING, Parser};

/// A value, and whether operators take it as unsigned.
#[derive(Clone, Copy)]
struct Value {
    bits: u64,
    unsigned: bool,
}

impl Value {
    fn truth(value: bool) -> Self {
        Self { bits: u64::from(value), unsigned: false }
    }
}

/// An operator between two values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Infix {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Infix {
    /// Higher binds closer.
    fn precedence(self) -> u32 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::BitOr => 3,
            Self::BitXor => 4,
            Self::BitAnd => 5,
            Self::Equal | Self::NotEqual => 6,
            Self::Less | Self::LessEqual | Self::Greater | Self::GreaterEqual => 7,
            Self::ShiftLeft | Self::ShiftRight => 8,
            Self::Add | Self::Subtract => 9,
            Self::Multiply | Self::Divide | Self::Remainder => 10,
        }
    }

    /// `None` for a division by zero.
    fn apply(self, a: Value, b: Value) -> Option<Value> {
        let shift = matches!(self, Self::ShiftLeft | Self::ShiftRight);
        let unsigned = a.unsigned || b.unsigned && !shift;
        let (x, y) = (a.bits, b.bits);
        let (signed_x, signed_y) = (x.cast_signed(), y.cast_signed());
        let order = if unsigned { x.cmp(&y) } else { signed_x.cmp(&signed_y) };
        let amount = u32::try_from(y).unwrap_or(u32::MAX);
        let bits = match self {
            Self::Or => return Some(Value::truth(x != 0 || y != 0)),
            Self::And => return Some(Value::truth(x != 0 && y != 0)),
            Self::Equal => return Some(Value::truth(x == y)),
            Self::NotEqual => return Some(Value::truth(x != y)),
            Self::Less => return Some(Value::truth(order.is_lt())),
            Self::LessEqual => return Some(Value::truth(order.is_le())),
            Self::Greater => return Some(Value::truth(order.is_gt())),
            Self::GreaterEqual => return Some(Value::truth(order.is_ge())),
            Self::BitOr => x | y,
            Self::BitXor => x ^ y,
            Self::BitAnd => x & y,
            Self::ShiftLeft => x.checked_shl(amount).unwrap_or(0),
            Self::ShiftRight if unsigned => x.checked_shr(amount).unwrap_or(0),
            Self::ShiftRight => (signed_x >> amount.min(63)).cast_unsigned(),
            Self::Add => x.wrapping_add(y),
            Self::Subtract => x.wrapping_sub(y),
            Self::Multiply => x.wrapping_mul(y),
            Self::Divide | Self::Remainder if y == 0 => return None,
            Self::Divide if unsigned => x / y,
            Self::Remainder if unsigned => x % y,
            Self::Divide => signed_x.wrapping_div(signed_y).cast_unsigned(),
            Self::Remainder => signed_x.wrapping_rem(signed_y).cast_unsigned(),
        };
        Some(Value { bits, unsigned })
    }
}

impl<'a> Parser<'a> {
    /// An operand that starts like a constant.
    pub(super) fn constant(&mut self, depth: u32) -> Fallible<Operand<'a>> {
        let negative = match self.ahead.token {
            Token::Punct(b'-') => {
                self.advance()?;
                true
            }
            _ => false,
        };
        let float = match self.ahead.token {
            Token::Float32(bits) => Operand::Float32(bits ^ u32::from(negative) << 31),
            Token::Float64(bits) => Operand::Float64(bits ^ u64::from(negative) << 63),
            _ => {
                let mut first = self.prefixed(depth)?;
                if negative {
                    first.bits = first.bits.wrapping_neg();
                }
                return Ok(Operand::Int(self.continued(first, depth)?));
            }
        };
        self.advance()?;
        Ok(float)
    }

    /// An operand behind a `!`.
    pub(super) fn negated(&mut self, depth: u32) -> Fallible<Operand<'a>> {
        let value = self.prefixed(depth)?;
        Ok(Operand::Int(self.continued(Value::truth(value.bits == 0), depth)?))
    }

    /// A whole expression.
    pub(super) fn integer(&mut self) -> Fallible<u64> {
        let first = self.prefixed(0)?;
        self.continued(first, 0)
    }

    /// What follows `first` in its expression.
    fn continued(&mut self, first: Value, depth: u32) -> Fallible<u64> {
        Ok(self.choice(first, depth)?.bits)
    }

    /// `first + …`, and perhaps `? … : …` behind it.
    fn choice(&mut self, first: Value, depth: u32) -> Fallible<Value> {
        if depth > MOST_NESTING {
            return self.fail("less nesting");
        }
        let (value, left) = self.infix(first, 1, depth)?;
        debug_assert!(left.is_none());
        if !self.eat(b'?')? {
            return Ok(value);
        }
        let yes = self.prefixed(depth + 1)?;
        let yes = self.choice(yes, depth + 1)?;
        self.expect(b':')?;
        let no = self.prefixed(depth + 1)?;
        let no = self.choice(no, depth + 1)?;
        Ok(if value.bits != 0 { yes } else { no })
    }

    /// Takes in operators that bind at least as closely as `least`. Gives an
    /// operator that was read and does not.
    fn infix(
        &mut self,
        mut left: Value,
        least: u32,
        depth: u32,
    ) -> Fallible<(Value, Option<Infix>)> {
        let mut next = self.operator()?;
        while let Some(operator) = next.filter(|operator| operator.precedence() >= least) {
            let position = self.ahead.position;
            let right = self.prefixed(depth)?;
            let (right, after) = self.infix(right, operator.precedence() + 1, depth)?;
            left = operator
                .apply(left, right)
                .ok_or_else(|| (position, "a division by zero".to_owned()))?;
            next = after;
        }
        Ok((left, next))
    }

    fn operator(&mut self) -> Fallible<Option<Infix>> {
        let punct = match self.ahead.token {
            Token::Punct(punct) => punct,
            // Without a blank behind it, it would start a register.
            Token::Word("%") => b'%',
            _ => return Ok(None),
        };
        let single = match punct {
            b'|' => Infix::BitOr,
            b'^' => Infix::BitXor,
            b'&' => Infix::BitAnd,
            b'=' => Infix::Equal,
            b'!' => Infix::NotEqual,
            b'<' => Infix::Less,
            b'>' => Infix::Greater,
            b'+' => Infix::Add,
            b'-' => Infix::Subtract,
            b'*' => Infix::Multiply,
            b'/' => Infix::Divide,
            b'%' => Infix::Remainder,
            _ => return Ok(None),
        };
        self.advance()?;
        let double = match (single, self.ahead.token) {
            (Infix::BitOr, Token::Punct(b'|')) => Infix::Or,
            (Infix::BitAnd, Token::Punct(b'&')) => Infix::And,
            (Infix::Equal | Infix::NotEqual, Token::Punct(b'=')) => single,
            (Infix::Less, Token::Punct(b'=')) => Infix::LessEqual,
            (Infix::Less, Token::Punct(b'<')) => Infix::ShiftLeft,
            (Infix::Greater, Token::Punct(b'=')) => Infix::GreaterEqual,
            (Infix::Greater, Token::Punct(b'>')) => Infix::ShiftRight,
            (Infix::Equal | Infix::NotEqual, _) => return self.fail("`=`"),
            _ => return Ok(Some(single)),
        };
        self.advance()?;
        Ok(Some(double))
    }

    /// A literal, or an expression in parentheses, behind unary operators.
    fn prefixed(&mut self, depth: u32) -> Fallible<Value> {
        if depth > MOST_NESTING {
            return self.fail("less nesting");
        }
        let unsigned = self.ahead.unsigned;
        match self.advance_or("a number")? {
            Token::Int(bits) => {
                Ok(Value { bits, unsigned: unsigned || bits > i64::MAX.cast_unsigned() })
            }
            Token::Punct(b'(') => {
                if let Token::Word(cast @ (".s64" | ".u64")) = self.ahead.token {
                    self.advance()?;
                    self.expect(b')')?;
                    let value = self.prefixed(depth + 1)?;
                    return Ok(Value { unsigned: cast == ".u64", ..value });
                }
                let first = self.prefixed(depth + 1)?;
                let value = self.choice(first, depth + 1)?;
                self.expect(b')')?;
                Ok(value)
            }
            Token::Punct(sign) => {
                let value = self.prefixed(depth + 1)?;
                Ok(match sign {
                    b'-' => Value { bits: value.bits.wrapping_neg(), ..value },
                    b'~' => Value { bits: !value.bits, ..value },
                    b'!' => Value::truth(value.bits == 0),
                    _ => value,
                })
            }
            _ => self.fail("a number"),
        }
    }

    /// Takes the next token if a constant can start with it.
    fn advance_or(&mut self, expected: &str) -> Fallible<Token<'a>> {
        match self.ahead.token {
            Token::Int(_) | Token::Punct(b'(' | b'-' | b'+' | b'~' | b'!') => {
                Ok(self.advance()?.token)
            }
            _ => self.fail(expected),
        }
    }

    /// `+8`, `+-8`, `-8`, `+4*2-1`, or nothing.
    pub(super) fn offset(&mut self) -> Fallible<i64> {
        let mut sum = Value { bits: 0, unsigned: false };
        while let Token::Punct(sign @ (b'+' | b'-')) = self.ahead.token {
            self.advance()?;
            let first = self.prefixed(0)?;
            let term = self.term(first)?;
            let operator = if sign == b'+' { Infix::Add } else { Infix::Subtract };
            sum = operator.apply(sum, term).unwrap_or(sum);
        }
        Ok(sum.bits.cast_signed())
    }

    /// `first * …`, without looking at `+` and `-`.
    fn term(&mut self, mut left: Value) -> Fallible<Value> {
        while let Token::Punct(b'*' | b'/') = self.ahead.token {
            let position = self.ahead.position;
            let Some(operator) = self.operator()? else { break };
            let right = self.prefixed(0)?;
            left = operator
                .apply(left, right)
                .ok_or_else(|| (position, "a division by zero".to_owned()))?;
        }
        Ok(left)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::ptx::{Item, Operand, Statement, parse};

    fn value(expression: &str) -> Result<Operand<'static>, String> {
        let text = format!(".version 7.8 .entry k() {{ mov.u64 %rd1, {expression}; }}");
        let module = parse(&text, "t").map_err(|error| error.to_string())?;
        let Some(Item::Function(kernel)) = module.items.last() else { panic!("no kernel") };
        let Some([Statement::Instruction(instruction)]) = kernel.body.as_deref() else {
            panic!("no instruction")
        };
        match instruction.operands[1] {
            Operand::Int(value) => Ok(Operand::Int(value)),
            ref other => Err(format!("{other:?}")),
        }
    }

    #[test]
    fn operators_bind_as_in_c() {
        for (expression, expected) in [
            ("3*4+2", 14),
            ("2+3*4", 14),
            ("(2+3)*4", 20),
            ("10-4-3", 3),
            ("-7/2", -3),
            ("-7 % 4", -3),
            ("-8 >> 1", -4),
            ("1 << 4 | 1", 17),
            ("~0 & 0xff", 255),
            ("!0 + !5", 1),
            ("6 == 2*3 && 1 != 2", 1),
            ("0 || 1 > 2", 0),
            ("3 <= 2 ? 5 : 1 ? 6 : 7", 6),
            ("-1 < 0", 1),
            ("-1 < 0U", 0),
            ("(.u64)-1 / 0x8000000000000000", 1),
            ("1 ^ 3 & 2", 3),
            ("- - 5", 5),
        ] {
            assert_eq!(
                value(expression),
                Ok(Operand::Int(i64::cast_unsigned(expected))),
                "{expression}"
            );
        }
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for expression in ["1/0", "1 +", "(1", "1 = 1", "3 $ 4", "5 % "] {
            assert!(value(expression).is_err(), "{expression}");
        }
        let deep = format!("{}1{}", "(".repeat(99), ")".repeat(99));
        assert!(value(&deep).unwrap_err().contains("less nesting"));
    }
}
