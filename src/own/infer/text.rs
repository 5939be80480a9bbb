//! Values as the expressions of a header block.

use crate::syntax::{Op, Value};

/// The expression as text; `None` if a header block cannot express it.
pub(super) fn text(value: &Value) -> Option<String> {
    bound(value, 0)
}

/// The same, in parentheses if its precedence is below `around`.
fn bound(value: &Value, around: u8) -> Option<String> {
    let (text, level) = match value {
        Value::Number(number) => (number.to_string(), if *number < 0 { 1 } else { 3 }),
        Value::Real(text) => (text.clone(), if text.starts_with('-') { 1 } else { 3 }),
        Value::Name(name, _) if ["n", "block", "i"].contains(&name.as_str()) => (name.clone(), 3),
        Value::Op(Op::Divide, left, right) => {
            (format!("floor({} / {})", bound(left, 2)?, bound(right, 3)?), 3)
        }
        Value::Op(op, left, right) => {
            let (sign, level) = match op {
                Op::Add => ("+", 1),
                Op::Subtract => ("-", 1),
                Op::Multiply => ("*", 2),
                Op::Divide | Op::DivideExactly => ("/", 2),
                Op::Remainder => ("%", 2),
            };
            let after = if *op == Op::Add || *op == Op::Multiply { level } else { level + 1 };
            (format!("{} {sign} {}", bound(left, level)?, bound(right, after)?), level)
        }
        Value::Call(name, values) => {
            let values = values.iter().map(text).collect::<Option<Vec<_>>>()?;
            (format!("{name}({})", values.join(", ")), 3)
        }
        Value::Name(..) | Value::SizeOf(_) | Value::Dim3(_) => return None,
    };
    Some(if level < around { format!("({text})") } else { text })
}

/// The highest power of `n` in a value.
pub(super) fn degree(value: &Value) -> u32 {
    match value {
        Value::Name(name, _) => u32::from(name == "n"),
        Value::Op(Op::Multiply, left, right) => degree(left) + degree(right),
        Value::Op(Op::Divide | Op::DivideExactly, left, _) => degree(left),
        Value::Op(_, left, right) => degree(left).max(degree(right)),
        Value::Call(_, values) => values.iter().map(degree).max().unwrap_or(0),
        _ => 0,
    }
}
