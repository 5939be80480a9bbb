//! Threads per block of a launch.

use crate::syntax::{Host, Op, Value};
use crate::units::BlockSize;

/// Threads per block of a launch.
pub(super) struct Threads {
    pub(super) numbers: Vec<u32>,
    /// The variable that holds the block size.
    pub(super) name: Option<String>,
    pub(super) fixed: bool,
    /// Whether it is the only block, whose size divides no length.
    pub(super) alone: bool,
}

impl Threads {
    /// Fixes the block size if template arguments are numbers: the kernel may be compiled for it.
    pub(super) fn of_template(self, numbers: &[i128]) -> Self {
        let fixed = self.fixed || numbers.iter().any(|&it| it > 1);
        Self { name: self.name.filter(|_| !fixed), fixed, ..self }
    }

    /// The block size of a launch; 256 if unknown.
    pub(super) fn of(host: &Host, block: Option<&Value>) -> Self {
        let usual = Self { numbers: vec![256], name: None, fixed: false, alone: false };
        let Some(block) = block else { return usual };
        let dimensions = match block {
            Value::Dim3(values) => values.to_vec(),
            one => vec![one.clone()],
        };
        let number = |it: &Value| u32::try_from(it.number()?).ok().filter(|it| *it > 0);
        let Some(mut numbers) = dimensions.iter().map(number).collect::<Option<Vec<u32>>>() else {
            let name = match &dimensions[..] {
                [Value::Name(name, None)] => Some(name.clone()),
                _ => None,
            };
            return Self { name, ..usual };
        };
        while numbers.len() > 1 && numbers.last() == Some(&1) {
            numbers.pop();
        }
        if numbers.iter().map(|&it| u64::from(it)).product::<u64>() > u64::from(BlockSize::MOST) {
            return usual;
        }
        let name = match dimensions.first() {
            Some(Value::Name(name, _)) if numbers.len() == 1 => Some(name.clone()),
            _ => None,
        };
        let mut fixed = false;
        for it in &dimensions {
            it.each(&mut |it| {
                fixed |= matches!(it, Value::Name(name, _) if host.is_in_kernels(name));
            });
        }
        Self { name: name.filter(|_| !fixed), fixed, numbers, alone: false }
    }
}

/// Writes `block` for a divisor that equals the block size. Only for blocks of one dimension.
pub(super) fn with_block(value: &Value, threads: &Threads) -> Value {
    let [number] = threads.numbers[..] else { return value.clone() };
    if threads.fixed || threads.alone {
        return value.clone();
    }
    value.replaced(&|it| match it {
        Value::Op(op @ (Op::Divide | Op::DivideExactly), left, right)
            if **right == Value::Number(number.into()) =>
        {
            let block = Value::Name("block".to_owned(), None);
            Some(Value::op(*op, with_block(left, threads), block))
        }
        _ => None,
    })
}
