//! Puts a case together: buffers, arguments, grid.

use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;
use warpscope::work::{Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Work};

/// The module of `benches/timing/suite/$path.cu`, and its PTX and resources beside it.
macro_rules! module {
    ($path:literal) => {
        pub(super) const MODULE: warpscope::work::Module = warpscope::work::Module {
            name: concat!("suite/", $path),
            path: concat!("benches/timing/suite/", $path, ".ptx"),
    source: module!(@text $path, ".cu"),
    ptx: module!(@text $path, ".ptx"),
    resources: module!(@text $path, ".csv"),
        };
    };
    (@text $path:literal, $kind:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/timing/suite/", $path, $kind))
    };
}
pub(super) use module;

/// How an output on one device is compared with that on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Check {
    /// Bit for bit.
    Bits,
    /// The same values in any order, where threads race for places.
    Sorted,
    /// The sum of all values within a ten-thousandth, where functions are approximate.
    Sum,
}

/// A case that is being put together.
pub(crate) struct Setup {
    /// Its block, as x, y and z.
    pub(crate) block: [u32; 3],
    grid: [u32; 3],
    shared_bytes: u32,
    buffers: Vec<Buffer>,
    inputs: Inputs,
    args: Vec<Arg>,
    checks: Vec<Option<Check>>,
}

impl Setup {
    pub(super) fn new(block: [u32; 3]) -> Self {
        Self {
            block,
            grid: [1, 1, 1],
            shared_bytes: 0,
            buffers: Vec::new(),
            inputs: Vec::new(),
            args: Vec::new(),
            checks: Vec::new(),
        }
    }

    fn buffer(&mut self, buffer: Buffer, check: Option<Check>) {
        self.args.push(Arg::Buffer(self.buffers.len()));
        self.buffers.push(buffer);
        self.checks.push(check);
    }

    fn given(&mut self, values: HostBuffer) -> Buffer {
        let buffer = Buffer::input("in", self.inputs.len(), values.element(), values.len() as u64);
        self.inputs.push(Arc::new(values));
        buffer
    }

    /// The next argument: a buffer that is only read.
    pub(super) fn input(&mut self, values: HostBuffer) {
        let buffer = self.given(values);
        self.buffer(buffer, None);
    }

    /// The next argument: a buffer that is read and written.
    pub(super) fn changed(&mut self, values: HostBuffer, check: Check) {
        let buffer = self.given(values).written();
        self.buffer(buffer, Some(check));
    }

    /// The next argument: a buffer that is read and written, and ends in some valid state.
    pub(super) fn scrambled(&mut self, values: HostBuffer) {
        let buffer = self.given(values).written();
        self.buffer(buffer, None);
    }

    /// The next argument: a buffer of zeros that is written.
    pub(super) fn output(&mut self, element: Element, count: u32, check: Check) {
        self.buffer(Buffer::zeroed("out", element, count as usize), Some(check));
    }

    /// The next argument: a buffer of zeros that holds nothing of interest in the end.
    pub(super) fn scratch(&mut self, element: Element, count: u32) {
        self.buffer(Buffer::zeroed("scratch", element, count as usize), None);
    }

    /// The next argument: an integer of 32 bits.
    pub(super) fn int(&mut self, value: u32) {
        self.args.push(Arg::U32(value));
    }

    /// The next argument: an integer of 64 bits.
    pub(super) fn long(&mut self, value: u64) {
        self.args.push(Arg::U64(value));
    }

    /// The next argument: a float of 32 bits.
    pub(super) fn float(&mut self, value: f32) {
        self.args.push(Arg::F32(value));
    }

    /// Enough blocks for `count` threads in a row.
    pub(super) fn threads(&mut self, count: u32) {
        self.blocks(count.div_ceil(self.block[0]));
    }

    /// The next argument: how many things there are, with a thread for each.
    pub(super) fn each(&mut self, count: u32) {
        self.int(count);
        self.threads(count);
    }

    /// So many blocks.
    pub(super) fn blocks(&mut self, count: u32) {
        self.grid = [count, 1, 1];
    }

    /// Enough blocks for a thread per cell of a plane.
    pub(super) fn plane(&mut self, width: u32, height: u32) {
        self.volume(width, height, 1);
    }

    /// Enough blocks for a thread per cell of a volume.
    pub(super) fn volume(&mut self, width: u32, height: u32, depth: u32) {
        let [x, y, z] = self.block;
        self.grid = [width.div_ceil(x), height.div_ceil(y), depth.div_ceil(z)];
    }

    /// Enough blocks for squares of `side` over a plane.
    pub(super) fn tiles(&mut self, width: u32, height: u32, side: u32) {
        self.grid = [width.div_ceil(side), height.div_ceil(side), 1];
    }

    /// Blocks in x, y and z.
    pub(super) fn grid(&mut self, blocks: [u32; 3]) {
        self.grid = blocks;
    }

    /// Dynamic shared memory of a block, in bytes.
    pub(super) fn shared(&mut self, bytes: u32) {
        self.shared_bytes = bytes;
    }

    pub(super) fn work(
        self,
        module: Module,
        kernel: &'static str,
    ) -> (Work, Inputs, Vec<Option<Check>>) {
        let launch = Launch {
            phase: "all",
            kernel: kernel.to_owned(),
            grid: dim3(self.grid),
            block: dim3(self.block),
            shared_bytes: self.shared_bytes,
            args: self.args,
        };
        (Work::of_launches(module, self.buffers, [launch]), self.inputs, self.checks)
    }
}

fn dim3([x, y, z]: [u32; 3]) -> Dim3 {
    Dim3 { x, y, z }
}

/// Numbers that look random, from an index (the finaliser of `SplitMix64`).
fn word(index: u64) -> u32 {
    let mut bits = (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((bits ^ (bits >> 27)) >> 29) as u32
}

/// Words that look random; another `stream` gives others.
pub(super) fn words(count: u32, stream: u64) -> impl IndexedParallelIterator<Item = u32> {
    (0..count).into_par_iter().map(move |index| word(u64::from(index) ^ stream << 40))
}

/// Random words.
pub(super) fn u32s(count: u32, stream: u64) -> HostBuffer {
    HostBuffer::U32(words(count, stream).collect())
}

/// Random words below `end`.
pub(super) fn below(count: u32, end: u32, stream: u64) -> HostBuffer {
    HostBuffer::U32(words(count, stream).map(|word| fraction(word, end)).collect())
}

/// A word as a number below `end`, all about as likely.
pub(super) fn fraction(word: u32, end: u32) -> u32 {
    ((u64::from(word) * u64::from(end)) >> 32) as u32
}

/// Random bytes.
pub(super) fn bytes(count: u32, stream: u64) -> HostBuffer {
    HostBuffer::U8(words(count, stream).map(|word| (word >> 24) as u8).collect())
}

/// Random floats from `low` to `high`.
pub(super) fn floats(count: u32, low: f32, high: f32, stream: u64) -> HostBuffer {
    let scale = (high - low) / 16_777_216.0;
    HostBuffer::F32(words(count, stream).map(|word| low + (word >> 8) as f32 * scale).collect())
}

/// Random floats from 0 to 1, with 64 bits.
pub(super) fn doubles(count: u32, stream: u64) -> HostBuffer {
    HostBuffer::F64(words(count, stream).map(|word| f64::from(word) / 4_294_967_296.0).collect())
}

/// Random integers from -`size` to `size`.
pub(super) fn ints(count: u32, size: i32, stream: u64) -> HostBuffer {
    let each = |word| fraction(word, 2 * size as u32 + 1) as i32 - size;
    HostBuffer::I32(words(count, stream).map(each).collect())
}

/// The first two arguments of a sparse matrix or graph: where each row starts, and random
/// columns; rows have `least` to `least + spread - 1` entries. Returns the number of entries.
pub(super) fn rows(s: &mut Setup, n: u32, least: u32, spread: u32) -> u32 {
    let mut starts = vec![0_i32];
    let mut entries = 0;
    for word in words(n, 10).collect::<Vec<_>>() {
        entries += least + fraction(word, spread);
        starts.push(entries as i32);
    }
    s.input(HostBuffer::I32(starts));
    s.input(below(entries, n, 11));
    entries
}

/// What an output holds, short enough to keep.
pub(crate) fn contents(values: &HostBuffer, check: Check) -> Value {
    let number = |words: &[u32]| {
        let each = |hash: u64, word: &u32| {
            (hash ^ u64::from(*word)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(23)
        };
        format!("{:016x}", words.iter().fold(0xcbf2_9ce4_8422_2325, each)).into()
    };
    let mut words = values.words();
    match check {
        Check::Bits => number(&words),
        Check::Sorted => {
            words.par_sort_unstable();
            number(&words)
        }
        Check::Sum => values.to_f64().iter().map(|value| value.abs()).sum::<f64>().into(),
    }
}
