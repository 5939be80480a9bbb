//! Which of the numbers of host code is `n`, and the sizes of a sweep.

use crate::syntax::{Host, Launch, Value};

/// The size that a sweep varies.
pub(super) struct Size {
    /// Names of host code that are `n`.
    pub(super) names: Vec<String>,
    /// Its number, if the source has one.
    value: Option<i128>,
    /// Whether kernels are compiled for this number.
    fixed: bool,
}

/// The smallest number that is a size.
const LEAST: i128 = 32;

/// A name with its number.
type Named = (String, Option<i128>);

impl Size {
    /// `n` of launches: of the names in the lengths of their buffers, the one with the largest
    /// number, and those that are as large. Threads per block are no size.
    pub(super) fn of<'l>(host: &Host, launches: &'l [Option<Launch>]) -> Self {
        let launches = || launches.iter().flatten();
        let blocks = names(launches().filter_map(|it| it.block.as_ref()));
        let lengths = |launch: &'l Launch| {
            let memory = launch.arguments.iter().filter_map(|it| it.memory.as_ref());
            memory.filter_map(|it| it.bytes.as_ref().or(it.elements.as_ref()))
        };
        let buffers: Vec<&Value> = launches().flat_map(lengths).collect();
        let of_grids = launches().filter_map(|it| it.grid.as_ref());
        let of_numbers = launches().flat_map(|it| &it.arguments).filter_map(|it| it.value.as_ref());
        let sets = [names(buffers.iter().copied()), names(of_grids), names(of_numbers)];
        // A few channels or streams are no size.
        let is_size = |it: &Named| !blocks.contains(it) && it.1.is_none_or(|it| it >= LEAST);
        let mut sets = sets.map(|set| set.into_iter().filter(is_size).collect::<Vec<_>>());
        let Some(set) = sets.iter_mut().find(|set| !set.is_empty()) else {
            // As many elements as the largest buffer has.
            let one = |it: &Value| matches!(it, Value::SizeOf(_)).then_some(Value::Number(1));
            let largest = buffers.iter().filter_map(|it| it.replaced(&one).number()).max();
            return Self { names: Vec::new(), value: largest, fixed: largest.is_some() };
        };
        // A name without a number may be any size.
        let unknown = set.iter().any(|it| it.1.is_none());
        let largest = if unknown { None } else { set.iter().filter_map(|it| it.1).max() };
        set.retain(|it| it.1 == largest);
        // A kernel that is not told how much there is, in a grid that is always the same, is for this
        // size alone.
        let scales = |launch: &'l Launch| {
            let values = launch.arguments.iter().filter_map(|it| it.value.as_ref());
            let told = names(values.chain(&launch.grid));
            let of_size = names(lengths(launch));
            !of_size.iter().any(|it| set.contains(it)) || told.iter().any(|it| set.contains(it))
        };
        let in_kernels = set.iter().any(|it| host.is_in_kernels(&it.0));
        let fixed = largest.is_some() && (in_kernels || !launches().all(scales));
        Self { names: set.iter().map(|it| it.0.clone()).collect(), value: largest, fixed }
    }

    /// Whether a name is `n`: those whose numbers nobody knows are.
    pub(super) fn is(&self, name: &str, value: Option<i128>) -> bool {
        value.is_none() || self.value == value && self.names.iter().any(|it| it == name)
    }

    /// Sizes of a sweep that has buffers of up to `n` to this power. The last is that of the source,
    /// if it is not too large.
    pub(super) fn range(&self, degree: u32) -> String {
        if let Some(value) = self.value.filter(|_| self.fixed) {
            return value.to_string();
        }
        let degree = degree.clamp(1, 3);
        let (usual, most, doublings) = [(20, 24, 10), (10, 12, 5), (6, 8, 3)][degree as usize - 1];
        let top = self.value.filter(|it| (16..=1 << most).contains(it)).unwrap_or(1 << usual);
        let high = top.ilog2();
        let step = if degree == 1 { 2 } else { 1 };
        let low = high.saturating_sub(doublings).max(4);
        let low = low + (high - low) % step;
        let last = if top == 1 << high { String::new() } else { format!(",{top}") };
        if low == high {
            return format!("2^{high}{last}");
        }
        format!("2^{low}..2^{high}:x{}{last}", 1 << step)
    }
}

/// The names in values, each once.
fn names<'a>(values: impl Iterator<Item = &'a Value>) -> Vec<Named> {
    let mut found = Vec::new();
    for value in values {
        value.each(&mut |it| {
            if let Value::Name(name, number) = it {
                let named = (name.clone(), *number);
                if !found.contains(&named) {
                    found.push(named);
                }
            }
        });
    }
    found
}
