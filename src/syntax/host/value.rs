//! Values of host code: numbers, names with values, and expressions of them.

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// A whole number.
    Number(i128),
    /// A number with a fraction, as text.
    Real(String),
    /// A variable or macro that is set to a number, and that number if known.
    Name(String, Option<i128>),
    /// The size in bytes of a type or variable.
    SizeOf(String),
    /// Two values and an operator.
    Op(Op, Box<Value>, Box<Value>),
    /// A function: `min`, `max`, `ceil`, `floor` or `log2`.
    Call(&'static str, Vec<Value>),
    /// Numbers for x, y and z.
    Dim3(Box<[Value; 3]>),
}

/// The number of multiprocessors that programs ask their GPU for: that of an H200, for which times are
/// predicted unless another GPU is named.
pub(crate) const MULTIPROCESSORS: Value = Value::Number(132);

/// The threads that a multiprocessor is taken to hold of any kernel: half of what it can, because
/// many take more than 32 registers.
pub(crate) const LIKELY_THREADS: i128 = 1024;

/// An operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Add,
    Subtract,
    Multiply,
    /// Integer division.
    Divide,
    /// Exact division.
    DivideExactly,
    Remainder,
}

impl Value {
    /// Applies an operator. Two numbers give a number, unless an exact quotient has a fraction.
    pub(crate) fn op(op: Op, left: Self, right: Self) -> Self {
        if let (Self::Number(a), Self::Number(b)) = (&left, &right)
            && (op != Op::DivideExactly || a.checked_rem(*b) == Some(0))
            && let Some(number) = calculate(op, *a, *b)
        {
            return Self::Number(number);
        }
        match (op, &left, &right) {
            (Op::Add | Op::Subtract, _, Self::Number(0))
            | (Op::Multiply | Op::Divide | Op::DivideExactly, _, Self::Number(1)) => left,
            (Op::Add, Self::Number(0), _) | (Op::Multiply, Self::Number(1), _) => right,
            _ => Self::Op(op, Box::new(left), Box::new(right)),
        }
    }

    /// Its value as a number, if all names have values.
    pub(crate) fn number(&self) -> Option<i128> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Name(_, number) => *number,
            Self::Op(op, left, right) => calculate(*op, left.number()?, right.number()?),
            Self::Call(name, values) => {
                let numbers = values.iter().map(Self::number).collect::<Option<Vec<_>>>()?;
                match (*name, &numbers[..]) {
                    ("min", numbers) => numbers.iter().min().copied(),
                    ("max", numbers) => numbers.iter().max().copied(),
                    ("log2", [number]) => number.checked_ilog2().map(i128::from),
                    ("floor", [number]) => Some(*number),
                    ("ceil", [number]) => match &values[..] {
                        [Self::Op(Op::DivideExactly, left, right)] => {
                            let (left, right) = (left.number()?, right.number()?);
                            Some(number + i128::from(left.checked_rem(right)? > 0))
                        }
                        _ => Some(*number),
                    },
                    _ => None,
                }
            }
            Self::Real(_) | Self::SizeOf(_) | Self::Dim3(_) => None,
        }
    }

    /// Its value as a floating-point number, if all names have values. Division is exact.
    pub(crate) fn real(&self) -> Option<f64> {
        match self {
            Self::Real(text) => text.parse().ok(),
            Self::Op(op, left, right) => {
                let (left, right) = (left.real()?, right.real()?);
                Some(match op {
                    Op::Add => left + right,
                    Op::Subtract => left - right,
                    Op::Multiply => left * right,
                    Op::DivideExactly => left / right,
                    Op::Divide | Op::Remainder => return self.number().map(|it| it as f64),
                })
            }
            _ => self.number().map(|it| it as f64),
        }
    }

    /// Calls `look` for this value and all values in it.
    pub(crate) fn each(&self, look: &mut impl FnMut(&Self)) {
        look(self);
        match self {
            Self::Op(_, left, right) => {
                left.each(look);
                right.each(look);
            }
            Self::Call(_, values) => values.iter().for_each(|it| it.each(look)),
            Self::Dim3(values) => values.iter().for_each(|it| it.each(look)),
            _ => {}
        }
    }

    /// Replaces values for which `with` returns another one.
    pub(crate) fn replaced(&self, with: &impl Fn(&Self) -> Option<Self>) -> Self {
        if let Some(other) = with(self) {
            return other;
        }
        match self {
            Self::Op(op, left, right) => Self::op(*op, left.replaced(with), right.replaced(with)),
            Self::Call(name, values) => {
                Self::Call(name, values.iter().map(|it| it.replaced(with)).collect())
            }
            Self::Dim3(values) => {
                let [x, y, z] = &**values;
                Self::Dim3(Box::new([x.replaced(with), y.replaced(with), z.replaced(with)]))
            }
            other => other.clone(),
        }
    }
}

fn calculate(op: Op, a: i128, b: i128) -> Option<i128> {
    match op {
        Op::Add => a.checked_add(b),
        Op::Subtract => a.checked_sub(b),
        Op::Multiply => a.checked_mul(b),
        Op::Divide | Op::DivideExactly => a.checked_div(b),
        Op::Remainder => a.checked_rem(b),
    }
}
