//! The steps of one case: launches and stages on the host, in order, each part of a
//! named phase.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{Buffer, Dim3, HostBuffer, Module};
use crate::emulator::{TENSOR_MAP_BYTES, TensorElement, TensorMap};

/// One kernel argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Arg {
    /// The address of the buffer with this index in [`Work::buffers`].
    Buffer(usize),
    /// An address inside that buffer.
    BufferAt {
        /// Index in [`Work::buffers`].
        buffer: usize,
        /// Bytes from its start, at most its size.
        byte: u64,
    },
    /// A 32-bit unsigned integer.
    U32(u32),
    /// A 64-bit unsigned integer.
    U64(u64),
    /// A 32-bit float.
    F32(f32),
    /// A tensor map of the matrix in a buffer; zeros, where none can be made.
    Boxes(Boxes),
    /// A structure that is passed by value.
    Struct(Struct),
}

/// A structure: its bytes in words, and the buffers whose addresses are among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Struct {
    /// Its bytes. The words of addresses are zero.
    pub words: Vec<u64>,
    /// The word of each address, and the index of its buffer in [`Work::buffers`].
    pub buffers: Vec<(usize, usize)>,
}

/// A matrix of 32-bit floats, row by row, of which a kernel copies boxes. The floats are rounded
/// to TF32 on the way, and groups of 16 bytes change places within 128.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Boxes {
    /// Index in [`Work::buffers`].
    pub buffer: usize,
    /// Rows and columns of the matrix.
    pub matrix: [u64; 2],
    /// Rows and columns of a box.
    pub extent: [u32; 2],
}

impl Boxes {
    /// The tensor map. It has the columns first.
    pub fn map(self) -> TensorMap {
        let ([rows, columns], [down, across]) = (self.matrix, self.extent);
        let map = TensorMap::new(TensorElement::Tf32, &[columns, rows], &[across, down]);
        TensorMap { swizzle: 128, ..map }
    }

    /// Whether a map can be made: the matrix is not empty, and rows begin at multiples of 16
    /// bytes.
    pub fn possible(self) -> bool {
        self.map().check(0).is_ok()
    }
}

impl Arg {
    /// The argument's bytes in words, where `address` tells that of the buffer with an index,
    /// and `encode` makes a tensor map of a matrix at an address.
    ///
    /// # Errors
    /// In words, where there is no such buffer, or no map can be made.
    pub fn words(
        &self,
        address: impl Fn(usize) -> Option<u64>,
        encode: impl Fn(&TensorMap, u64) -> Result<[u64; TENSOR_MAP_BYTES / 8], String>,
    ) -> Result<Vec<u64>, String> {
        let of = |index| {
            address(index)
                .ok_or_else(|| format!("an argument names buffer {index}, which is not there"))
        };
        Ok(match *self {
            Self::Buffer(index) => vec![of(index)?],
            Self::BufferAt { buffer, byte } => vec![of(buffer)? + byte],
            Self::U32(value) => vec![u64::from(value)],
            Self::U64(value) => vec![value],
            Self::F32(value) => vec![u64::from(value.to_bits())],
            Self::Boxes(boxes) if boxes.possible() => {
                encode(&boxes.map(), of(boxes.buffer)?)?.to_vec()
            }
            Self::Boxes(_) => vec![0; TENSOR_MAP_BYTES / 8],
            Self::Struct(Struct { ref words, ref buffers }) => {
                let mut words = words.clone();
                for &(word, buffer) in buffers {
                    words[word] = of(buffer)?;
                }
                words
            }
        })
    }
}

/// One kernel launch.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// The phase that it is part of, such as `count` or `merge`. Launches of
    /// the same phase are timed together.
    pub phase: &'static str,
    /// Entry point in the module.
    pub kernel: String,
    /// Grid in blocks, each extent at least 1.
    pub grid: Dim3,
    /// Block in threads, each extent at least 1.
    pub block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Arguments in the kernel's order.
    pub args: Vec<Arg>,
}

/// A stage on the CPU: copies one buffer to the host, computes, and copies the
/// answer to the start of another (or the same) buffer. Three phases: the two
/// copies are named apart from the computation.
#[derive(Debug, Clone)]
pub struct HostStage {
    /// The phase that the computation is.
    pub phase: &'static str,
    /// Index of the buffer that is read.
    pub from: usize,
    /// Index of the buffer that the answer goes to.
    pub to: usize,
    /// The computation: the whole of `from`, and `args`. Its answer has the
    /// element type of `to` and at most its length.
    pub run: fn(&HostBuffer, &[u64]) -> HostBuffer,
    /// Numbers for it.
    pub args: Vec<u64>,
}

impl HostStage {
    /// Computes the answer, and checks that it fits into `to`.
    ///
    /// # Errors
    /// In words, where the answer is not what the buffer takes.
    pub fn answer(&self, from: &HostBuffer, to: &Buffer) -> Result<HostBuffer, String> {
        let answer = (self.run)(from, &self.args);
        if !to.written {
            return Err(format!(
                "the host stage `{}` writes to buffer `{}`, which says that nothing does",
                self.phase, to.name
            ));
        }
        if answer.element() != to.element || answer.bytes() > to.bytes() {
            return Err(format!(
                "the host stage `{}` gives {} bytes of {} for buffer `{}`, which takes {} bytes of {}",
                self.phase,
                answer.bytes(),
                answer.element(),
                to.name,
                to.bytes(),
                to.element
            ));
        }
        Ok(answer)
    }
}

/// One step of some work.
#[derive(Debug, Clone)]
pub enum Step {
    /// Runs a kernel.
    Launch(Launch),
    /// Computes on the host.
    Host(HostStage),
}

impl From<Launch> for Step {
    fn from(launch: Launch) -> Self {
        Self::Launch(launch)
    }
}

impl From<HostStage> for Step {
    fn from(stage: HostStage) -> Self {
        Self::Host(stage)
    }
}

/// All that a backend needs to run one case, the input data apart.
#[derive(Debug, Clone)]
pub struct Work {
    /// Where the kernels come from.
    pub module: Module,
    /// Device buffers.
    pub buffers: Vec<Buffer>,
    /// What is done, one after the other.
    pub steps: Vec<Step>,
}

impl Work {
    /// Work that consists of launches alone.
    pub fn of_launches(
        module: Module,
        buffers: Vec<Buffer>,
        launches: impl IntoIterator<Item = Launch>,
    ) -> Self {
        Self { module, buffers, steps: launches.into_iter().map(Step::Launch).collect() }
    }

    /// The launches in order, the stages on the host left out.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.steps.iter().filter_map(|step| match step {
            Step::Launch(launch) => Some(launch),
            Step::Host(_) => None,
        })
    }

    /// Device memory that the buffers take, in bytes.
    pub fn bytes(&self) -> u64 {
        self.buffers.iter().map(Buffer::bytes).sum()
    }

    /// The phases that the steps make up.
    pub fn phases(&self) -> Phases {
        let mut found = HashMap::new();
        let mut names = Vec::new();
        let mut number = |name: String, kind| {
            *found.entry((name.clone(), kind)).or_insert_with(|| {
                names.push(PhaseName { name, kind });
                names.len() - 1
            })
        };
        let of_step = self
            .steps
            .iter()
            .map(|step| match step {
                Step::Launch(launch) => [number(launch.phase.to_owned(), PhaseKind::Kernel); 3],
                Step::Host(stage) => [
                    number(format!("{}: to the host", stage.phase), PhaseKind::Copy),
                    number(stage.phase.to_owned(), PhaseKind::Host),
                    number(format!("{}: to the GPU", stage.phase), PhaseKind::Copy),
                ],
            })
            .collect();
        Phases { names, of_step }
    }
}

/// What kind of work a phase is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PhaseKind {
    /// A kernel on the GPU.
    Kernel,
    /// Work on the CPU.
    Host,
    /// A copy between the two.
    Copy,
}

impl PhaseKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Host => "host",
            Self::Copy => "copy",
        }
    }
}

/// A phase by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhaseName {
    /// Its name, once per kind.
    pub name: String,
    /// Its kind.
    pub kind: PhaseKind,
}

/// The phases of some work, in the order in which they first occur.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phases {
    /// Each phase once.
    pub names: Vec<PhaseName>,
    /// For each step the phases of its copy to the host, of itself and of its
    /// copy back; a launch has one and the same.
    of_step: Vec<[usize; 3]>,
}

impl Phases {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// The phase of the launch that is this step.
    pub fn of_launch(&self, step: usize) -> usize {
        self.of_step[step][1]
    }

    /// The phases of the host stage that is this step: copy, computation, copy.
    pub fn of_stage(&self, step: usize) -> [usize; 3] {
        self.of_step[step]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::Element;

    const MODULE: Module = Module { name: "m", path: "m.ptx", ptx: "", source: "", resources: "" };

    fn launch(phase: &'static str) -> Step {
        Step::Launch(Launch {
            phase,
            kernel: "k".to_owned(),
            grid: Dim3::linear(1),
            block: Dim3::linear(1),
            shared_bytes: 0,
            args: Vec::new(),
        })
    }

    fn stage(run: fn(&HostBuffer, &[u64]) -> HostBuffer) -> HostStage {
        HostStage { phase: "final", from: 0, to: 1, run, args: vec![3] }
    }

    #[test]
    fn steps_of_one_phase_are_timed_together() {
        let last = stage(|values, _| values.clone());
        let steps = vec![launch("up"), launch("down"), launch("up"), last.into(), launch("final")];
        let work = Work { module: MODULE, buffers: Vec::new(), steps };
        let phases = work.phases();
        let names: Vec<_> =
            phases.names.iter().map(|phase| (phase.name.as_str(), phase.kind.name())).collect();
        assert_eq!(
            names,
            [
                ("up", "kernel"),
                ("down", "kernel"),
                ("final: to the host", "copy"),
                ("final", "host"),
                ("final: to the GPU", "copy"),
                ("final", "kernel"),
            ]
        );
        let of = [0, 1, 2, 4].map(|step| phases.of_launch(step));
        assert_eq!(of, [0, 1, 0, 5]);
        assert_eq!(phases.of_stage(3), [2, 3, 4]);
        assert_eq!(work.launches().count(), 4);
    }

    #[test]
    fn an_answer_has_to_fit_its_buffer() {
        let from = HostBuffer::U32(vec![1, 2]);
        let to = Buffer::zeroed("sum", Element::U64, 1);
        let sum = stage(|values, args| {
            let sum: u64 = values.as_u32().unwrap_or_default().iter().map(|&v| u64::from(v)).sum();
            HostBuffer::U64(vec![sum * args[0]])
        });
        assert_eq!(sum.answer(&from, &to), Ok(HostBuffer::U64(vec![9])));
        for run in
            [(|_, _| HostBuffer::U32(vec![0])) as fn(&HostBuffer, &[u64]) -> HostBuffer, |_, _| {
                HostBuffer::U64(vec![0; 2])
            }]
        {
            assert!(stage(run).answer(&from, &to).is_err_and(|why| why.contains("`sum`")));
        }
        let read_only = Buffer { written: false, ..to };
        assert!(sum.answer(&from, &read_only).is_err_and(|why| why.contains("nothing does")));
    }

    #[test]
    fn arguments_are_words() {
        let address = |index: usize| [0x100, 0x200].get(index).copied();
        let words = |arg: Arg| arg.words(address, |_, at| Ok([at; TENSOR_MAP_BYTES / 8]));
        assert_eq!(words(Arg::Buffer(1)), Ok(vec![0x200]));
        assert_eq!(words(Arg::BufferAt { buffer: 0, byte: 12 }), Ok(vec![0x10c]));
        assert_eq!(words(Arg::F32(1.0)), Ok(vec![0x3f80_0000]));
        assert!(words(Arg::Buffer(2)).is_err());
        let boxes = |columns| Boxes { buffer: 1, matrix: [3, columns], extent: [2, 32] };
        assert_eq!(words(Arg::Boxes(boxes(8))), Ok(vec![0x200; TENSOR_MAP_BYTES / 8]));
        // Rows that begin anywhere, and none at all.
        assert_eq!(words(Arg::Boxes(boxes(7))), Ok(vec![0; TENSOR_MAP_BYTES / 8]));
        assert_eq!(words(Arg::Boxes(boxes(0))), Ok(vec![0; TENSOR_MAP_BYTES / 8]));
    }
}
