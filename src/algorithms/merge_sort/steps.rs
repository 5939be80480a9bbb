//! The launches of a merge sort: levels, and the two arrays that words move
//! between.

use super::{SPEC, element, with_payload};
use crate::algorithms::spec::module;
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, Element, Launch, Module, Work};

/// Index of the input in [`Work::buffers`].
pub(super) const WORDS: usize = 0;

/// Indices of the two arrays that levels read and write in turn.
pub(super) const ARRAYS: [usize; 2] = [1, 2];

/// Index of where the merge path enters each tile.
pub(super) const SPLITS: usize = 3;

/// Where the first runs come from, and how they are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    InsertionPerThread,
    MergePath,
    BitonicBlock,
    RegisterTiles,
    FourWay,
    Networks,
}

impl Method {
    pub(super) fn of(case: &Case) -> Self {
        Self::named(&case.variant)
    }

    /// The method of a variant.
    pub(super) fn named(variant: &str) -> Self {
        match variant {
            "merge-path" => Self::MergePath,
            "bitonic-block+merge-path" => Self::BitonicBlock,
            "register-tiles+merge-path" => Self::RegisterTiles,
            "register-tiles+four-way" => Self::FourWay,
            "networks+four-way" => Self::Networks,
            _ => Self::InsertionPerThread,
        }
    }

    /// Whether the words of a thread are in registers, with kernels for a few numbers of them.
    pub(super) fn holds(self) -> bool {
        matches!(self, Self::RegisterTiles | Self::FourWay | Self::Networks)
    }

    /// The kernels.
    pub(super) fn module(self) -> Module {
        match self {
            Self::RegisterTiles | Self::FourWay => module!("merge_sort_held"),
            Self::Networks => module!("merge_sort_network"),
            _ => SPEC.module,
        }
    }

    /// What the names of these kernels begin with: of the first runs, and of the others.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Networks => ["network"; 2],
            Self::FourWay => ["held", "four"],
            _ => ["held"; 2],
        }
    }

    /// Logarithm to base 2 of how many runs become one in a level.
    pub(super) fn log_ways(self) -> u32 {
        if matches!(self, Self::FourWay | Self::Networks) { 2 } else { 1 }
    }

    /// Levels of merging that make one run of `keys` out of runs of `run`.
    pub(super) fn levels(self, run: u64, keys: u64) -> u32 {
        Shape::levels(run, keys).div_ceil(self.log_ways())
    }
}

/// How many words a thread can hold in registers: a kernel for each.
pub(super) const HELD: [u32; 4] = [4, 8, 16, 32];

/// The sizes that launches follow from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) n: u64,
    /// Keys per thread.
    pub(super) items: u64,
    /// Keys per block.
    pub(super) tile: u64,
    /// Blocks of `tile` keys.
    pub(super) grid: u64,
}

impl Shape {
    pub(super) fn of(case: &Case) -> Self {
        let items = u64::from(case.coarsen.max(1));
        let tile = u64::from(case.block.max(1)) * items;
        Self { n: case.n, items, tile, grid: case.n.div_ceil(tile).max(1) }
    }

    /// Levels of merging two by two that make one run of `keys` out of runs of `run`.
    pub(super) fn levels(run: u64, keys: u64) -> u32 {
        keys.div_ceil(run).max(1).next_power_of_two().ilog2()
    }
}

/// Sorted runs at first, and after each level of merging.
pub(super) fn runs(case: &Case) -> Vec<u64> {
    let (shape, method) = (Shape::of(case), Method::of(case));
    let from = |run: u64, keys: u64| {
        (0..=method.levels(run, keys))
            .map(move |level| keys.div_ceil(run << (level * method.log_ways())).max(1))
    };
    match method {
        Method::MergePath => from(shape.items, shape.n).collect(),
        Method::BitonicBlock | Method::RegisterTiles | Method::FourWay | Method::Networks => {
            from(shape.tile, shape.n).collect()
        }
        Method::InsertionPerThread => {
            // The last block merges the rest.
            let (whole, rest) = (shape.n / shape.tile, shape.n % shape.tile);
            let in_blocks = (0..=Shape::levels(shape.items, shape.tile)).map(|level| {
                let run = (shape.items << level).min(shape.tile);
                (whole * shape.tile.div_ceil(run) + rest.div_ceil(run)).max(1)
            });
            // The first of these is what the blocks leave, counted already.
            in_blocks.chain(from(shape.tile, shape.n).skip(1)).collect()
        }
    }
}

/// Levels in which words move from one array to the other.
fn moves(case: &Case) -> u32 {
    let (shape, method) = (Shape::of(case), Method::of(case));
    match method {
        Method::MergePath => Shape::levels(shape.items, shape.n),
        Method::BitonicBlock | Method::RegisterTiles | Method::FourWay | Method::Networks => {
            method.levels(shape.tile, shape.n)
        }
        Method::InsertionPerThread => {
            Shape::levels(shape.items, shape.tile) + Shape::levels(shape.tile, shape.n)
        }
    }
}

/// Roughly how many values are read or compared: three for a key in each level, and the
/// moves of insertion.
pub(super) fn operations(case: &Case) -> u64 {
    let shape = Shape::of(case);
    let insertions = shape.items.min(shape.n) / 2;
    let of_each = match Method::of(case) {
        Method::MergePath => 3 * u64::from(moves(case)) + insertions,
        Method::BitonicBlock | Method::RegisterTiles | Method::FourWay | Method::Networks => {
            3 * u64::from(Shape::levels(1, shape.n))
        }
        // The last levels take a single thread, at the price of a whole warp.
        Method::InsertionPerThread => 3 * u64::from(moves(case)) + insertions + 128,
    };
    shape.n.saturating_mul(of_each)
}

/// Index in [`Work::buffers`] of the array that the last level writes.
pub(super) fn output(case: &Case) -> usize {
    array(moves(case))
}

/// The array that holds the words after this many levels.
fn array(levels: u32) -> usize {
    ARRAYS[levels as usize % 2]
}

pub(super) fn work(case: &Case) -> Work {
    let (element, n) = (element(case), case.n as usize);
    let mut buffers = vec![
        Buffer::input("keys", WORDS, element, case.n),
        Buffer::zeroed("one array", element, n),
        Buffer::zeroed("other array", element, n),
    ];
    let launches = Launches { case, shape: Shape::of(case) };
    let method = Method::of(case);
    let launches = match method {
        Method::InsertionPerThread => launches.insertion_per_thread(),
        Method::MergePath => launches.merge_path(),
        Method::BitonicBlock => {
            let tiles = launches.shape.grid as usize;
            buffers.push(Buffer::zeroed("splits", Element::U32, tiles));
            launches.bitonic_block()
        }
        Method::RegisterTiles | Method::FourWay | Method::Networks => {
            let splits = (launches.shape.grid as usize) << (2 * (method.log_ways() - 1));
            buffers.push(Buffer::zeroed("splits", Element::U32, splits));
            launches.register_tiles(method)
        }
    };
    Work::of_launches(method.module(), buffers, launches)
}

/// The merging of `n` keys in runs of `run` by a single block, as the last launch of
/// insertion-per-thread merges what the blocks leave.
pub(super) fn merge_runs(case: &Case, n: u64, run: u64) -> Work {
    let element = element(case);
    let shape = Shape::of(case);
    let before = Shape::levels(shape.items, shape.tile);
    let mut buffers = vec![
        Buffer::zeroed("keys", element, 0),
        Buffer::zeroed("one array", element, n as usize),
        Buffer::zeroed("other array", element, n as usize),
    ];
    let from = &mut buffers[array(before)];
    *from = Buffer::input(from.name, 0, element, n).written();
    let launches = Launches { case, shape };
    let launch = launches.pairs(MERGE_RUNS, 1, before, [n, n, run], Shape::levels(run, n));
    Work::of_launches(SPEC.module, buffers, [launch])
}

/// The phase in which a single block merges.
const MERGE_RUNS: &str = "merge runs";

struct Launches<'a> {
    case: &'a Case,
    shape: Shape,
}

/// A number as a kernel takes it. Where a case is so large that one does not
/// fit, its shared memory does not either.
fn number(value: u64) -> Arg {
    Arg::U32(u32::try_from(value).unwrap_or(u32::MAX))
}

impl Launches<'_> {
    fn launch(&self, phase: &'static str, kernel: &str, grid: u64, args: Vec<Arg>) -> Launch {
        let suffix = if with_payload(self.case) { "u64" } else { "u32" };
        Launch {
            phase,
            kernel: format!("merge_sort_{kernel}_{suffix}"),
            grid: Dim3::linear(grid as u32),
            block: Dim3::linear(self.case.block),
            shared_bytes: 0,
            args,
        }
    }

    /// The first runs: a slice per thread, or a tile per block.
    fn first_runs(&self, phase: &'static str, kernel: &str) -> Launch {
        let args = vec![
            Arg::Buffer(WORDS),
            Arg::Buffer(array(0)),
            number(self.shape.n),
            number(self.shape.items),
        ];
        self.launch(phase, kernel, self.shape.grid, args)
    }

    /// Levels of merging in blocks of `span` keys each, with sorted runs of `run`, after
    /// `from` other levels.
    fn pairs(
        &self,
        phase: &'static str,
        grid: u64,
        from: u32,
        [n, span, run]: [u64; 3],
        levels: u32,
    ) -> Launch {
        let args = vec![
            Arg::Buffer(array(from)),
            Arg::Buffer(array(from + 1)),
            number(n),
            number(span),
            number(run),
            Arg::U32(levels),
        ];
        self.launch(phase, "pairs", grid, args)
    }

    fn insertion_per_thread(&self) -> Vec<Launch> {
        let Shape { n, items, tile, grid } = self.shape;
        let in_blocks = Shape::levels(items, tile);
        let of_blocks = Shape::levels(tile, n);
        let mut launches = vec![self.first_runs("sort slices", "slices")];
        if in_blocks > 0 {
            launches.push(self.pairs("merge in blocks", grid, 0, [n, tile, items], in_blocks));
        }
        if of_blocks > 0 {
            launches.push(self.pairs(MERGE_RUNS, 1, in_blocks, [n, n, tile], of_blocks));
        }
        launches
    }

    fn merge_path(&self) -> Vec<Launch> {
        let Shape { n, items, grid, .. } = self.shape;
        let mut launches = vec![self.first_runs("sort slices", "slices")];
        launches.extend((0..Shape::levels(items, n)).map(|level| {
            let args = vec![
                Arg::Buffer(array(level)),
                Arg::Buffer(array(level + 1)),
                number(n),
                number(items << level),
                number(items),
            ];
            self.launch("merge", "path", grid, args)
        }));
        launches
    }

    fn bitonic_block(&self) -> Vec<Launch> {
        let Shape { n, items, tile, grid } = self.shape;
        let bytes = element(self.case).bytes();
        // Two tiles, each with an unused word after every 128 bytes.
        let words = 2 * (tile + tile * bytes / 128);
        let shared_bytes = u32::try_from(words * bytes).unwrap_or(u32::MAX);
        let first = self.first_runs("sort tiles", "tiles");
        let mut launches = vec![Launch { shared_bytes, ..first }];
        for level in 0..Shape::levels(tile, n) {
            let (from, width) = (Arg::Buffer(array(level)), number(tile << level));
            let args =
                vec![from.clone(), Arg::Buffer(SPLITS), number(n), width.clone(), number(tile)];
            let blocks = grid.div_ceil(u64::from(self.case.block.max(1)));
            launches.push(self.launch("find splits", "splits", blocks, args));
            let to = Arg::Buffer(array(level + 1));
            let args = vec![from, to, Arg::Buffer(SPLITS), number(n), width, number(items)];
            let merge = self.launch("merge", "merge_tiles", grid, args);
            launches.push(Launch { shared_bytes, ..merge });
        }
        launches
    }

    fn register_tiles(&self, method: Method) -> Vec<Launch> {
        let Shape { n, items, tile, grid } = self.shape;
        let bytes = element(self.case).bytes();
        let shared_bytes = if method == Method::Networks {
            // Rows of 32 words and 16 unused bytes: a part more than warps, and 7 more.
            ((tile / 32).saturating_add(items + 7)).saturating_mul(32 * bytes + 16)
        } else {
            // A tile with an unused word after every 128 bytes.
            (tile + tile * bytes / 128) * bytes
        };
        let shared_bytes = u32::try_from(shared_bytes).unwrap_or(u32::MAX);
        let [tiles, ways] = method.names();
        let args = vec![Arg::Buffer(WORDS), Arg::Buffer(array(0)), number(n)];
        let first = self.launch("sort tiles", &format!("{tiles}_tiles_{items}"), grid, args);
        let mut launches = vec![Launch { shared_bytes, ..first }];
        for level in 0..method.levels(tile, n) {
            let from = Arg::Buffer(array(level));
            let width = number(tile << (level * method.log_ways()));
            let args =
                vec![from.clone(), Arg::Buffer(SPLITS), number(n), width.clone(), number(tile)];
            let blocks = grid.div_ceil(u64::from(self.case.block.max(1)));
            launches.push(self.launch("find splits", &format!("{ways}_splits"), blocks, args));
            let to = Arg::Buffer(array(level + 1));
            let args = vec![from, to, Arg::Buffer(SPLITS), number(n), width];
            let merge = self.launch("merge", &format!("{ways}_merge_{items}"), grid, args);
            launches.push(Launch { shared_bytes, ..merge });
        }
        launches
    }
}
