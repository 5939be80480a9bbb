//! One launch of a probe's kernel, as work for a backend.

use std::sync::Arc;

use crate::work::{Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Work};

macro_rules! module {
    ($name:literal) => {
        Module {
            name: $name,
            path: concat!("kernels/device/ptx/", $name, ".ptx"),
            ptx: include_str!(concat!("../../../kernels/device/ptx/", $name, ".ptx")),
            source: "",
            resources: include_str!(concat!("../../../kernels/device/ptx/", $name, ".csv")),
        }
    };
}

/// The modules with the kernels of the probes.
pub const MODULES: &[Module] = &[
    module!("probe_arithmetic"),
    module!("probe_half"),
    module!("probe_shared"),
    module!("probe_memory"),
    module!("probe_atomic"),
    module!("probe_atomic_double"),
    module!("probe_launch"),
];

/// The first words of `data` for kernels that compute with them: 32 operands, one per
/// lane, a word for results, and operands for all lanes.
fn operands() -> Vec<u32> {
    (1000..1032).chain([0, 1_000_003, 0, 7, 1, 0, 0, 0]).chain([0; 88]).collect()
}

/// The initial contents of `data`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// Zeros that are only read.
    Zeros(u64),
    /// Zeros, restored before every sample.
    Written(u64),
    /// Operands for arithmetic.
    Operands,
}

/// An untimed launch before the one that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Setup {
    /// Its kernel.
    pub kernel: &'static str,
    /// Its three numbers.
    pub numbers: [u32; 3],
}

/// One launch of a kernel of `kernels/device/probe_*.cu`, which all take `cycles`, `data`
/// and three numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeLaunch {
    /// The kernel.
    pub kernel: &'static str,
    /// Blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// Dynamic shared memory per block in bytes.
    pub shared: u32,
    /// The contents of `data`.
    pub data: Data,
    /// The three numbers.
    pub numbers: [u32; 3],
    /// An untimed launch before it that fills the GPU.
    pub before: Option<Setup>,
    /// Number of launches, which are timed together.
    pub launches: u32,
    /// Number of words of `data` to keep after each sample.
    pub keep: usize,
}

impl ProbeLaunch {
    /// `kernel` on `grid` blocks of `block` threads, without data.
    pub fn new(kernel: &'static str, (grid, block): (u32, u32), numbers: [u32; 3]) -> Self {
        Self {
            kernel,
            grid,
            block,
            shared: 0,
            data: Data::Operands,
            numbers,
            before: None,
            launches: 1,
            keep: 0,
        }
    }

    /// Sets the contents of `data`.
    #[must_use]
    pub fn on(self, data: Data) -> Self {
        Self { data, ..self }
    }

    /// Sets the dynamic shared memory.
    #[must_use]
    pub fn shared(self, bytes: u32) -> Self {
        Self { shared: bytes, ..self }
    }

    /// Sets the untimed launch before it.
    #[must_use]
    pub fn after(self, kernel: &'static str, numbers: [u32; 3]) -> Self {
        Self { before: Some(Setup { kernel, numbers }), ..self }
    }

    /// Sets the first number: how often the kernel repeats its work.
    #[must_use]
    pub fn repeated(self, repeat: u32) -> Self {
        let [_, size, last] = self.numbers;
        Self { numbers: [repeat, size, last], ..self }
    }

    /// The module that has its kernel.
    pub fn module(&self) -> Option<&'static Module> {
        MODULES.iter().find(|module| {
            let mut names = module.resources.lines().filter_map(|line| line.split(',').next());
            names.any(|name| name == self.kernel)
        })
    }

    /// Its work for a backend; `None` if no module has the kernel. The timed launches
    /// are the last phase.
    pub fn work(&self) -> Option<(Work, Inputs)> {
        let module = *self.module()?;
        let cycles = Buffer::zeroed("cycles", Element::U32, self.grid.max(2) as usize);
        let (data, inputs) = match self.data {
            Data::Zeros(words) => {
                let zeros = Buffer::zeroed("data", Element::U32, words as usize);
                (Buffer { written: false, ..zeros }, Vec::new())
            }
            Data::Written(words) => {
                (Buffer::zeroed("data", Element::U32, words as usize), Vec::new())
            }
            Data::Operands => {
                let operands = operands();
                let data = Buffer::input("data", 0, Element::U32, operands.len() as u64).written();
                (data, vec![Arc::new(HostBuffer::U32(operands))])
            }
        };
        let launch = |phase, kernel: &str, numbers: [u32; 3]| Launch {
            phase,
            kernel: kernel.to_owned(),
            grid: Dim3::linear(self.grid),
            block: Dim3::linear(self.block),
            shared_bytes: self.shared,
            args: [Arg::Buffer(0), Arg::Buffer(1)]
                .into_iter()
                .chain(numbers.map(Arg::U32))
                .collect(),
        };
        let before = self.before.map(|before| Launch {
            grid: Dim3::linear(256),
            block: Dim3::linear(256),
            shared_bytes: 0,
            ..launch("before", before.kernel, before.numbers)
        });
        let timed = (0..self.launches).map(|_| launch("timed", self.kernel, self.numbers));
        let work = Work::of_launches(module, vec![cycles, data], before.into_iter().chain(timed));
        Some((work, inputs))
    }
}
