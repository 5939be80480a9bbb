//! One launch of a probe's kernel, and the work that a backend makes of it.

use std::sync::Arc;

use crate::work::{Arg, Buffer, Dim3, Element, HostBuffer, Inputs, Launch, Module, Work};

macro_rules! module {
    ($name:literal) => {
        Module {
            name: $name,
            path: concat!("kernels/ptx/", $name, ".ptx"),
            ptx: include_str!(concat!("../../../kernels/ptx/", $name, ".ptx")),
            source: "",
            resources: include_str!(concat!("../../../kernels/ptx/", $name, ".csv")),
        }
    };
}

/// The modules that the kernels of probes are in.
pub fn modules() -> &'static [Module] {
    const MODULES: &[Module] = &[
        module!("probe_arithmetic"),
        module!("probe_half"),
        module!("probe_shared"),
        module!("probe_memory"),
        module!("probe_atomic"),
        module!("probe_atomic_double"),
        module!("probe_launch"),
    ];
    MODULES
}

/// What the first words of `data` hold for kernels that compute with them: 32
/// operands for the lanes, a word for results, and operands for all.
fn operands() -> Vec<u32> {
    (1000..1032).chain([0, 1_000_003, 0, 7, 1, 0, 0, 0]).chain([0; 88]).collect()
}

/// What `data` holds at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Data {
    /// Words that are only read: all zeros.
    Zeros(u64),
    /// Zeros, put back before every sample.
    Written(u64),
    /// Operands for arithmetic.
    Operands,
}

/// An untimed launch before the one that is timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Before {
    /// Its kernel.
    pub kernel: &'static str,
    /// Its three numbers.
    pub numbers: [u32; 3],
}

/// One launch of a kernel of `kernels/probe*.cu`, which all take `cycles`, `data`
/// and three numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shot {
    /// The kernel.
    pub kernel: &'static str,
    /// Blocks.
    pub grid: u32,
    /// Threads per block.
    pub block: u32,
    /// Dynamic shared memory per block in bytes.
    pub shared: u32,
    /// What `data` holds.
    pub data: Data,
    /// The three numbers.
    pub numbers: [u32; 3],
    /// What runs first, untimed, on as many blocks as fill the GPU.
    pub before: Option<Before>,
    /// How often it is launched; the time is that of all together.
    pub launches: u32,
    /// How many words of `data` are wanted after each sample.
    pub keep: usize,
}

impl Shot {
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

    /// The same with other contents of `data`.
    #[must_use]
    pub fn on(self, data: Data) -> Self {
        Self { data, ..self }
    }

    /// The same with dynamic shared memory.
    #[must_use]
    pub fn shared(self, bytes: u32) -> Self {
        Self { shared: bytes, ..self }
    }

    /// The same after another launch.
    #[must_use]
    pub fn after(self, kernel: &'static str, numbers: [u32; 3]) -> Self {
        Self { before: Some(Before { kernel, numbers }), ..self }
    }

    /// The same with another first number, which is how often kernels repeat
    /// what they do.
    #[must_use]
    pub fn repeated(self, repeat: u32) -> Self {
        let [_, size, last] = self.numbers;
        Self { numbers: [repeat, size, last], ..self }
    }

    /// The module that has its kernel.
    pub fn module(&self) -> Option<&'static Module> {
        let has = |module: &&Module| {
            let names = module.resources.lines().filter_map(|line| line.split(',').next());
            names.into_iter().any(|name| name == self.kernel)
        };
        modules().iter().find(has)
    }

    /// What a backend is to do for it; `None` if no module has the kernel. The
    /// timed launches are the last phase.
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
