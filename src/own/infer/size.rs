//! Chooses `n` among the names of host code, and the sizes of the sweep.

use super::usual;
use crate::syntax::{Host, Launch, Op, Value};

/// The size that a sweep varies.
pub(super) struct Size {
    /// Names in host code that stand for `n`.
    pub(super) names: Vec<String>,
    /// Its value, if known.
    value: Option<i128>,
    /// Names of block sizes, which are never `n`.
    blocks: Vec<Named>,
    /// The threads of the blocks of launches with more than one.
    many: Vec<i128>,
    /// Whether the kernels need this value.
    fixed: bool,
    /// Whether buffer lengths have these names.
    of_lengths: bool,
}

/// Smallest value that counts as a size.
const LEAST: i128 = 32;

/// A name with its value, if known.
type Named = (String, Option<i128>);

impl Size {
    /// Chooses `n`: the name with the largest value in the buffer lengths, and names with the same
    /// value. Block sizes do not count.
    pub(super) fn of<'l>(host: &Host, launches: &'l [Option<Launch>]) -> Self {
        let launches = || launches.iter().flatten();
        let blocks = names(launches().filter_map(|it| it.block.as_ref()));
        let many = launches().filter(|it| it.grid != Some(Value::Number(1)));
        let many = many.filter_map(|it| it.block.as_ref()?.number()).collect();
        let lengths = |launch: &'l Launch| {
            let memory = launch.arguments.iter().filter_map(|it| it.memory.as_ref());
            memory.filter_map(|it| it.bytes.as_ref().or(it.elements.as_ref()))
        };
        let buffers: Vec<&Value> = launches().flat_map(lengths).collect();
        let of_grids = launches().filter_map(|it| it.grid.as_ref());
        let numbers = || launches().flat_map(|it| &it.arguments).filter_map(|it| it.value.as_ref());
        let sets = [names(buffers.iter().copied()), names(of_grids), names(numbers())];
        // Small values are numbers of channels or streams, not sizes.
        let is_size = |it: &Named| {
            let known = it.1.map_or_else(|| !usual::is_no_size(&it.0), |it| it >= LEAST);
            known && !blocks.contains(it)
        };
        let mut sets = sets.map(|set| set.into_iter().filter(is_size).collect::<Vec<_>>());
        // There are several entries in a row: their number is `n` only if that of rows is not told.
        for set in &mut sets {
            let of_entries = |it: &Named| it.1.is_none() && usual::are_entries(&it.0);
            if !set.iter().all(of_entries) {
                set.retain(|it| !of_entries(it));
            }
        }
        // Where the number of blocks is chosen, it is no size of the data.
        for set in &mut sets {
            if !set.iter().all(|it| usual::are_blocks(&it.0)) {
                set.retain(|it| !usual::are_blocks(&it.0));
            }
        }
        // A table that a kernel gets a mask for, `slots - 1`, has room for another number of entries.
        let is_mask = |it: &Value| match it {
            Value::Op(Op::Subtract, of, one) if **one == Value::Number(1) => {
                names([&**of].into_iter())
            }
            _ => Vec::new(),
        };
        let masks: Vec<Named> = numbers().flat_map(is_mask).collect();
        let is_other = |it: &Named| !masks.contains(it) && sets[2].contains(it);
        if sets[0].iter().any(is_other) {
            sets[0].retain(|it| !masks.contains(it));
        }
        // A length that the grid does not depend on, such as that of a table, is not `n` if there is
        // another one.
        let mut all = sets[0].clone();
        let scaling: Vec<Named> = all.iter().filter(|it| sets[1].contains(it)).cloned().collect();
        // Lengths of the members of structures are not among these; the grid has their size.
        let structures = launches()
            .flat_map(|it| &it.arguments)
            .any(|it| it.memory.is_none() && it.value.is_none());
        let most = |set: &[Named]| set.iter().filter_map(|it| it.1).max();
        if !scaling.is_empty() {
            sets[0] = scaling;
        } else if structures && most(&sets[1]) > most(&sets[0]) {
            all.clear();
            sets[0].clear();
        }
        let Some(set) = sets.iter().find(|set| !set.is_empty()) else {
            // All lengths are constants: use the largest.
            let one = |it: &Value| matches!(it, Value::SizeOf(_)).then_some(Value::Number(1));
            let largest = buffers.iter().filter_map(|it| it.replaced(&one).number()).max();
            let fixed = largest.is_some();
            return Self {
                names: Vec::new(),
                value: largest,
                fixed,
                blocks,
                many,
                of_lengths: false,
            };
        };
        // A name without a number may be any size.
        let unknown = set.iter().any(|it| it.1.is_none());
        let largest = if unknown { None } else { set.iter().filter_map(|it| it.1).max() };
        // Names with the same value mean the same size.
        let of_lengths = !all.is_empty();
        let mut set = if of_lengths { all } else { set.clone() };
        set.retain(|it| it.1 == largest);
        // If neither grid nor arguments of any launch depend on `n`, the kernels work for this size only.
        let scales = |launch: &'l Launch| {
            let values = launch.arguments.iter().filter_map(|it| it.value.as_ref());
            let told = names(values.chain(&launch.grid));
            let of_size = names(lengths(launch));
            let is_size = |it: &Named| it.1.map_or_else(|| set.contains(it), |_| it.1 == largest);
            !of_size.iter().any(|it| set.contains(it)) || told.iter().any(is_size)
        };
        let in_kernels = set.iter().any(|it| host.is_in_kernels(&it.0));
        let fixed = largest.is_some() && (in_kernels || !launches().any(scales));
        let names = set.iter().map(|it| it.0.clone()).collect();
        Self { names, value: largest, fixed, blocks, many, of_lengths }
    }

    /// Whether a name stands for `n`: its value is the same as that of `n`, or both are unknown, and
    /// lengths that are known have that name. That of a block size never does.
    pub(super) fn is(&self, name: &str, value: Option<i128>) -> bool {
        let is_block = || self.blocks.iter().any(|it| it.0 == name);
        let of_other = self.of_lengths && !self.names.iter().any(|it| it == name);
        if value.is_none() && (usual::is_no_size(name) || of_other) {
            return false;
        }
        let unknown = value.is_none() && self.names.is_empty();
        (unknown || self.value == value && !self.names.is_empty()) && !is_block()
    }

    /// Whether a launch of several blocks has this number of threads in each.
    pub(super) fn has_blocks_of(&self, threads: &[u32]) -> bool {
        threads.len() != 1 || self.many.contains(&threads[0].into())
    }

    /// Whether `n` is 2 to the power of this number.
    pub(super) fn is_power(&self, bits: i128) -> bool {
        let power = u32::try_from(bits).ok().and_then(|bits| 1_i128.checked_shl(bits));
        power.is_some() && self.value == power && !self.names.is_empty()
    }

    /// The sizes of the sweep from `least` on, if buffer lengths grow as `n` to the power of `degree`. The
    /// last size is the value in the source, unless it is too large.
    pub(super) fn range(&self, degree: u32, least: u64) -> String {
        if let Some(value) = self.value.filter(|_| self.fixed) {
            return value.to_string();
        }
        let degree = degree.clamp(1, 3);
        let (usual, most, doublings) = [(20, 24, 10), (10, 12, 5), (6, 8, 3)][degree as usize - 1];
        // With a margin of an eighth: 258 for 256 and its neighbours on both sides.
        let top = self.value.filter(|it| (16..=9 << (most - 3)).contains(it)).unwrap_or(1 << usual);
        let high = top.ilog2();
        let step = if degree == 1 { 2 } else { 1 };
        let least = least.next_power_of_two().ilog2().clamp(4, high);
        let low = high.saturating_sub(doublings).max(least);
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

/// Whether a grid can be followed. A name without a value cannot, unless arguments or buffer lengths have
/// it too.
pub(super) fn is_told(grid: &Value, launch: &Launch) -> bool {
    let Value::Name(name, None) = grid else { return true };
    let told = launch.arguments.iter().flat_map(|it| {
        let memory = it.memory.as_ref();
        let lengths = memory.and_then(|it| it.bytes.as_ref().or(it.elements.as_ref()));
        it.value.iter().chain(lengths)
    });
    names(told).iter().any(|it| it.0 == *name)
}
