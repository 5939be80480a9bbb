//! The launch of one kernel: grid, arguments, buffers; and the report of it.

use crate::compile::Module;
use crate::launch::checked::check;
use crate::launch::element::Element;
use crate::launch::job::run;
use crate::launch::outcome::{Options, Outcome, Ran, Setting};
use crate::machine::{Counters, Dim3, Memory, TensorMap, Trap};
use crate::program::Kernel;
use crate::sanitizer::Finding;

/// A launch: one block of one thread until told otherwise.
///
/// [`value`](Self::value), [`input`](Self::input) and [`output`](Self::output) give
/// the kernel's arguments in the order of its parameters.
#[derive(Debug)]
pub struct Launch<'k> {
    kernel: &'k Kernel,
    module: Option<&'k Module<'k>>,
    grid: Dim3,
    block: Dim3,
    cluster: Option<Dim3>,
    shared_bytes: u32,
    arguments: Vec<u64>,
    memory: Memory,
    buffers: Vec<u64>,
    unwritten: Vec<u64>,
    options: Options<'k>,
}

impl<'k> Launch<'k> {
    /// A launch of `kernel`.
    pub fn new(kernel: &'k Kernel) -> Self {
        Self {
            kernel,
            module: None,
            grid: Dim3::linear(1),
            block: Dim3::linear(1),
            cluster: None,
            shared_bytes: 0,
            arguments: Vec::new(),
            memory: Memory::new(),
            buffers: Vec::new(),
            unwritten: Vec::new(),
            options: Options::default(),
        }
    }

    /// Sets the number of blocks: `4` or `[4, 2, 1]`.
    #[must_use]
    pub fn grid(self, blocks: impl Into<Dim3>) -> Self {
        Self { grid: blocks.into(), ..self }
    }

    /// Sets the number of threads per block: `256` or `[16, 16, 1]`.
    #[must_use]
    pub fn block(self, threads: impl Into<Dim3>) -> Self {
        Self { block: threads.into(), ..self }
    }

    /// Sets the number of blocks of a cluster, where the kernel does not fix it.
    #[must_use]
    pub fn cluster(self, blocks: impl Into<Dim3>) -> Self {
        Self { cluster: Some(blocks.into()), ..self }
    }

    /// Sets the dynamic shared memory per block, in bytes.
    #[must_use]
    pub fn shared_bytes(self, bytes: u32) -> Self {
        Self { shared_bytes: bytes, ..self }
    }

    /// Adds a number as the next argument.
    #[must_use]
    pub fn value(mut self, value: impl Element) -> Self {
        let mut word = [0; 8];
        let bytes = value.to_bytes();
        word[..bytes.len()].copy_from_slice(&bytes);
        self.arguments.push(u64::from_le_bytes(word));
        self
    }

    /// Adds a pointer to a buffer with these elements as the next argument.
    #[must_use]
    pub fn input<T: Element>(mut self, elements: &[T]) -> Self {
        let address = self.buffer(size_of_val(elements));
        let bytes: Vec<u8> = elements.iter().flat_map(|&element| element.to_bytes()).collect();
        self.memory.write_bytes(address, &bytes);
        self
    }

    /// Adds a pointer to a buffer of `len` zeros as the next argument. For the
    /// sanitizer it is not initialised.
    #[must_use]
    pub fn output<T: Element>(mut self, len: usize) -> Self {
        let address = self.buffer(len * size_of::<T>());
        self.unwritten.push(address);
        self
    }

    /// Adds a map of the tensor in buffer `index`, `offset` bytes from its start, as the next
    /// argument: a structure of 128 bytes that a kernel takes by value.
    #[must_use]
    pub fn tensor_map(mut self, index: usize, offset: u64, map: &TensorMap) -> Self {
        let address = self.buffers.get(index).map_or(0, |start| start + offset);
        let words = map.encode(address);
        let words = words.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        self.arguments.extend(words);
        self
    }

    fn buffer(&mut self, bytes: usize) -> u64 {
        let address = self.memory.allocate(bytes as u64);
        self.buffers.push(address);
        self.arguments.push(address);
        address
    }

    /// Sets how the launch is run: host threads, budgets, which blocks.
    #[must_use]
    pub fn options(self, options: Options<'k>) -> Self {
        Self { options, ..self }
    }

    /// Looks for races, reads of uninitialised memory and other errors while the
    /// kernel runs; `module` is the one that it comes from.
    #[must_use]
    pub fn sanitize(self, module: &'k Module<'k>) -> Self {
        Self { module: Some(module), ..self }
    }

    /// Runs the kernel. A launch that is impossible is reported as a trap.
    pub fn run(self) -> Report {
        let Self { kernel, memory, grid, block, shared_bytes, arguments, options, .. } = self;
        let options = Options { cluster: self.cluster.or(options.cluster), ..options };
        let (args, unwritten) = (arguments.as_slice(), self.unwritten.as_slice());
        let mut report = match self.module {
            None => Report::new(run(kernel, grid, block, shared_bytes, args, &memory, options)),
            Some(module) => {
                let setting = Setting { grid, block, shared_bytes, args, unwritten };
                let checked = check(kernel, module.tree(), setting, &memory, options);
                Report {
                    findings: checked.findings,
                    limits: checked.limits,
                    ..Report::new(checked.ran)
                }
            }
        };
        report.buffers = self.buffers.iter().map(|&address| memory.read_bytes(address)).collect();
        report
    }
}

/// What a launch did.
#[derive(Debug)]
pub struct Report {
    /// Why the kernel stopped before its end, if it did.
    pub trap: Option<Trap>,
    /// Hardware events.
    pub counters: Counters,
    /// What the kernel printed.
    pub printed: String,
    /// What the sanitizer found, by source line. Empty without
    /// [`Launch::sanitize`].
    pub findings: Vec<Finding>,
    /// What the sanitizer could not check.
    pub limits: Vec<String>,
    /// Everything that was counted, per instruction and per buffer.
    pub outcome: Outcome,
    buffers: Vec<Vec<u8>>,
}

impl Report {
    fn new(Ran { outcome, trap, .. }: Ran) -> Self {
        Self {
            trap,
            counters: outcome.counters,
            printed: String::from_utf8_lossy(&outcome.printed).into_owned(),
            findings: Vec::new(),
            limits: Vec::new(),
            outcome,
            buffers: Vec::new(),
        }
    }

    /// The elements of buffer `index` after the launch. Buffers are numbered from 0
    /// in the order of [`Launch::input`] and [`Launch::output`]. A buffer that does
    /// not exist is empty.
    pub fn buffer<T: Element>(&self, index: usize) -> Vec<T> {
        let bytes = self.buffers.get(index).map(Vec::as_slice).unwrap_or_default();
        bytes.chunks_exact(size_of::<T>()).map(T::from_bytes).collect()
    }
}
