//! Simplifies expressions: `(n + 255) / 256` to `ceil(n / 256)`, `n * 4 * 3` to `12 * n`.

use crate::syntax::{Op, Value};

/// A simpler expression with the same value.
pub(super) fn simplify(value: &Value) -> Value {
    match value {
        Value::Op(Op::Multiply, ..) => {
            let (number, factors) = product(value);
            times(number, factors)
        }
        Value::Op(Op::Add | Op::Subtract, ..) => total(value),
        Value::Op(Op::Divide, left, right) => divided(&simplify(left), &simplify(right)),
        Value::Op(op, left, right) => Value::op(*op, simplify(left), simplify(right)),
        Value::Call(name, values) => {
            match (*name, &values.iter().map(simplify).collect::<Vec<_>>()[..]) {
                ("ceil" | "floor", [whole]) if !has_fraction(whole) => whole.clone(),
                (name, values) => {
                    let call = Value::Call(name, values.to_vec());
                    let is_number = |it: &Value| matches!(it, Value::Number(_));
                    let of_numbers = values.iter().all(|it| match it {
                        Value::Op(Op::DivideExactly, a, b) => is_number(a) && is_number(b),
                        other => is_number(other),
                    });
                    call.number().filter(|_| of_numbers).map_or(call, Value::Number)
                }
            }
        }
        other => other.clone(),
    }
}

fn has_fraction(value: &Value) -> bool {
    let mut found = false;
    value.each(&mut |it| found |= matches!(it, Value::Op(Op::DivideExactly, ..) | Value::Real(_)));
    found
}

/// The constant factor of a product, and its other factors.
fn product(value: &Value) -> (i128, Vec<Value>) {
    match value {
        Value::Op(Op::Multiply, left, right) => {
            let (a, mut factors) = product(left);
            let (b, others) = product(right);
            factors.extend(others);
            match a.checked_mul(b) {
                Some(number) => (number, factors),
                None => (1, vec![value.clone()]),
            }
        }
        Value::Number(number) => (*number, Vec::new()),
        other => match simplify(other) {
            Value::Number(number) => (number, Vec::new()),
            simple @ Value::Op(Op::Multiply, ..) => product(&simple),
            simple => (1, vec![simple]),
        },
    }
}

fn times(number: i128, factors: Vec<Value>) -> Value {
    if number == 0 {
        return Value::Number(0);
    }
    let all = factors.into_iter();
    all.fold(Value::Number(number), |product, it| Value::op(Op::Multiply, product, it))
}

/// The constant term of a sum. Adds its other terms to `terms`, with whether they are subtracted.
fn sum(value: &Value, minus: bool, terms: &mut Vec<(bool, Value)>) -> i128 {
    match value {
        Value::Op(op @ (Op::Add | Op::Subtract), left, right) => {
            let number = sum(left, minus, terms);
            number.saturating_add(sum(right, minus != (*op == Op::Subtract), terms))
        }
        Value::Number(number) => {
            if minus {
                number.saturating_neg()
            } else {
                *number
            }
        }
        other => match simplify(other) {
            Value::Number(number) => {
                if minus {
                    number.saturating_neg()
                } else {
                    number
                }
            }
            simple => {
                terms.push((minus, simple));
                0
            }
        },
    }
}

fn total(value: &Value) -> Value {
    let mut terms = Vec::new();
    let mut number = sum(value, false, &mut terms);
    // `1 + (n - 1) / 256`
    for (minus, term) in &mut terms {
        if let (false, 1, Value::Op(Op::Divide, left, right)) = (*minus, number, &*term)
            && let Some(ceil) =
                rounded_up(&Value::op(Op::Add, (**left).clone(), (**right).clone()), right)
        {
            *term = ceil;
            number = 0;
        }
    }
    // Terms that are subtracted come last.
    terms.sort_by_key(|it| it.0);
    let mut terms = terms.into_iter();
    let first = match terms.next() {
        None => return Value::Number(number),
        Some((false, first)) => first,
        Some((true, first)) => {
            Value::op(Op::Subtract, Value::Number(std::mem::take(&mut number)), first)
        }
    };
    let joined = terms.fold(first, |total, (minus, term)| {
        Value::op(if minus { Op::Subtract } else { Op::Add }, total, term)
    });
    match number {
        ..0 => Value::op(Op::Subtract, joined, Value::Number(number.saturating_neg())),
        _ => Value::op(Op::Add, joined, Value::Number(number)),
    }
}

/// An integer division.
fn divided(left: &Value, right: &Value) -> Value {
    if let Some(ceil) = rounded_up(left, right) {
        return ceil;
    }
    let (number, mut factors) = product(left);
    if let Some(at) = factors.iter().position(|it| it == right) {
        factors.remove(at);
        return times(number, factors);
    }
    if let Value::Number(divisor) = right
        && number.checked_rem(*divisor) == Some(0)
    {
        return times(number / divisor, factors);
    }
    Value::op(Op::Divide, left.clone(), right.clone())
}

/// `(a + b - 1) / b` is `a / b`, rounded up.
fn rounded_up(left: &Value, right: &Value) -> Option<Value> {
    let mut terms = Vec::new();
    let number = sum(left, false, &mut terms);
    let rest = match right {
        Value::Number(divisor) if *divisor > 1 && number == divisor - 1 => terms,
        _ if number == -1 => {
            let at = terms.iter().position(|(minus, it)| !minus && it == right)?;
            terms.remove(at);
            terms
        }
        _ => return None,
    };
    let rest = rest.into_iter().fold(Value::Number(0), |total, (minus, term)| {
        Value::op(if minus { Op::Subtract } else { Op::Add }, total, term)
    });
    let quotient = Value::op(Op::DivideExactly, rest, right.clone());
    Some(Value::Call("ceil", vec![quotient]))
}
