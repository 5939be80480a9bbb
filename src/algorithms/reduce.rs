//! Reduce: add up all values.

use rayon::prelude::*;

use super::spec::{module, recording};
use super::{
    Algorithm, Contract, Defaults, Mismatch, Size, Spec, Traffic, Variant, compare, inputs,
};
use crate::experiment::{Case, Distribution};
use crate::units::{MOST_ELEMENTS, decimal, grouped};
use crate::work::View;
use crate::work::view::bars::Bars;
use crate::work::{
    Arg, Buffer, Dim3, Element, HostBuffer, HostStage, Inputs, Launch, Sampling, Step, Work,
};

mod contract;
#[cfg(test)]
mod tests;

/// The sum of all values.
///
/// Input: `n` 32-bit integers, or the same numbers as floats. Output: the sum,
/// integers modulo 2^32; and one partial sum per block, for the variants that
/// leave some.
#[derive(Debug)]
pub struct Reduce;

static SPEC: Spec = Spec {
    name: "reduce",
    summary: "adds up all values",
    variants: &[
        Variant::new(
            "interleaved+final=cpu",
            "a tree whose active threads lie ever further apart; the CPU adds the blocks",
        )
        .idea("a tree in shared memory")
        .short("interleaved/cpu"),
        Variant::new(
            "interleaved+final=gpu",
            "the same tree; launched again until one value is left",
        )
        .idea("last sums on the GPU")
        .short("interleaved/gpu"),
        Variant::new(
            "sequential+final=cpu",
            "a tree whose active threads stay side by side; the CPU adds the blocks",
        )
        .idea("active threads side by side")
        .short("sequential/cpu"),
        Variant::new(
            "sequential+final=gpu",
            "the same tree; launched again until one value is left",
        )
        .idea("side by side, last sums on the GPU")
        .short("sequential/gpu"),
        Variant::new("shuffle", "wide loads, sums from register to register, one atomic per block")
            .idea("wide loads, register shuffles"),
    ],
    params: &[inputs::DTYPE],
    options: &[],
    size: Size { noun: "values", most: MOST_ELEMENTS },
    defaults: Defaults { sizes: (1 << 10, 1 << 21), block: 256, coarsen: 4 },
    distributions: &Distribution::ALL,
    module: module!("reduce"),
    recording: recording!("reduce"),
};

/// Index of the input in [`Work::buffers`].
const VALUES: usize = 0;

/// Index of the sum.
const SUM: usize = 1;

/// Index of the partial sums: those of the first launch, then those of each
/// further one. Not there for `shuffle`.
const PARTIALS: usize = 2;

/// What adds up the partial sums of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The host, after a copy.
    Cpu,
    /// The same kernel, until one value is left.
    Gpu,
    /// Every block by itself, with an atomic.
    Atomic,
}

/// What a case comes to.
#[derive(Debug, Clone, Copy)]
struct Plan {
    /// The kernel's name between `reduce_` and the type.
    kernel: &'static str,
    last: Last,
    element: Element,
    n: u64,
    block: u32,
    coarsen: u32,
}

impl Plan {
    fn of(case: &Case) -> Self {
        let (kernel, last) = match case.variant.as_str() {
            "interleaved+final=cpu" => ("interleaved", Last::Cpu),
            "interleaved+final=gpu" => ("interleaved", Last::Gpu),
            "sequential+final=cpu" => ("sequential", Last::Cpu),
            "sequential+final=gpu" => ("sequential", Last::Gpu),
            _ => ("shuffle", Last::Atomic),
        };
        let element = inputs::element(case);
        Self { kernel, last, element, n: case.n, block: case.block, coarsen: case.coarsen }
    }

    /// Values of one block.
    fn per_block(self) -> u64 {
        u64::from(self.block) * u64::from(self.coarsen)
    }

    /// Blocks of the first launch.
    fn blocks(self) -> u64 {
        self.n.div_ceil(self.per_block()).max(1)
    }

    /// How many values each launch adds up: all of them, then partial sums
    /// until one is left. Only the GPU goes beyond the first.
    fn levels(self) -> Vec<u64> {
        let mut levels = vec![self.n];
        if self.last == Last::Gpu {
            let mut left = self.blocks();
            while left > 1 {
                levels.push(left);
                // One value per block would leave as many as before.
                left = left.div_ceil(self.per_block().max(2));
            }
        }
        levels
    }

    /// Rounded additions in a row that a value passes through at most.
    fn roundings(self) -> f64 {
        let tree = f64::from(self.block.next_power_of_two().ilog2());
        let level = |n: u64| {
            let threads = u64::from(self.block) * n.div_ceil(self.per_block().max(2)).max(1);
            n.div_ceil(threads) as f64 + tree
        };
        match self.last {
            Last::Gpu => self.levels().into_iter().map(level).sum(),
            // The host adds with 64 bits, which n < 2^31 makes up to 4 roundings
            // with 32 bits, and rounds once at the end.
            Last::Cpu => level(self.n) + 5.0,
            // The values of one four count as one, their additions as two; each
            // block's atomic is an addition to the same word.
            Last::Atomic => level(self.n) + 3.0 + self.blocks() as f64,
        }
    }

    fn launch(self, phase: &'static str, blocks: u64, args: Vec<Arg>) -> Launch {
        let dtype = if self.element == Element::F32 { "f32" } else { "u32" };
        let places = self.block.next_power_of_two();
        Launch {
            phase,
            kernel: format!("reduce_{}_{dtype}", self.kernel),
            grid: Dim3::linear(blocks as u32),
            block: Dim3::linear(self.block),
            shared_bytes: if self.last == Last::Atomic { 0 } else { places * 4 },
            args,
        }
    }

    fn steps(self) -> Vec<Step> {
        let first = |to| {
            let args = vec![Arg::Buffer(VALUES), Arg::U32(self.n as u32), to];
            self.launch("sum blocks", self.blocks(), args).into()
        };
        match self.last {
            Last::Atomic => vec![first(Arg::Buffer(SUM))],
            Last::Cpu => {
                let (from, to, args) = (PARTIALS, SUM, Vec::new());
                let stage = HostStage { phase: "final", from, to, run: add_on_host, args };
                vec![first(Arg::Buffer(PARTIALS)), stage.into()]
            }
            Last::Gpu => {
                let levels = self.levels();
                let further = &levels[1..];
                // Each launch but the last puts its sums behind those it reads.
                let mut from = Arg::Buffer(PARTIALS);
                let mut byte = 0;
                let mut steps =
                    vec![first(Arg::Buffer(if further.is_empty() { SUM } else { PARTIALS }))];
                for (index, &count) in further.iter().enumerate() {
                    byte += 4 * count;
                    let (blocks, to) = match further.get(index + 1) {
                        Some(&next) => (next, Arg::BufferAt { buffer: PARTIALS, byte }),
                        None => (1, Arg::Buffer(SUM)),
                    };
                    let args = vec![from, Arg::U32(count as u32), to.clone()];
                    steps.push(self.launch("final", blocks, args).into());
                    from = to;
                }
                steps
            }
        }
    }
}

/// Adds partial sums: integers modulo 2^32, floats with 64 bits.
fn add_on_host(partials: &HostBuffer, _: &[u64]) -> HostBuffer {
    match partials {
        HostBuffer::F32(values) => {
            HostBuffer::F32(vec![values.iter().map(|&value| f64::from(value)).sum::<f64>() as f32])
        }
        other => {
            let values = other.as_u32().unwrap_or_default();
            HostBuffer::U32(vec![values.iter().fold(0, |sum: u32, &value| sum.wrapping_add(value))])
        }
    }
}

/// The sum of some values, as a float with 64 bits.
fn sum(values: &HostBuffer, range: std::ops::Range<usize>) -> f64 {
    match values {
        HostBuffer::F32(values) => values[range].iter().map(|&value| f64::from(value)).sum(),
        other => {
            let words = &other.as_u32().unwrap_or_default()[range];
            words.iter().map(|&value| u64::from(value)).sum::<u64>() as f64
        }
    }
}

/// What each block adds up, as the CPU does: block `b` takes runs of as many
/// values as it has threads (four times as many for `shuffle`), a grid apart.
fn partial_sums(plan: Plan, values: &HostBuffer) -> Vec<f64> {
    let blocks = plan.blocks() as usize;
    let wide = if plan.last == Last::Atomic { 4 } else { 1 };
    let run = plan.block as usize * wide;
    let mut sums = vec![0.0; blocks];
    let whole = values.len() / wide * wide;
    for (index, start) in (0..whole).step_by(run).enumerate() {
        sums[index % blocks] += sum(values, start..whole.min(start + run));
    }
    // Up to three values that make no four go to the first threads.
    for (thread, index) in (whole..values.len()).enumerate() {
        sums[thread / plan.block as usize % blocks] += sum(values, index..index + 1);
    }
    sums
}

impl Algorithm for Reduce {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn work(&self, case: &Case) -> Work {
        let plan = Plan::of(case);
        let mut buffers = vec![
            Buffer::input("values", VALUES, plan.element, case.n),
            Buffer::zeroed("sum", plan.element, 1),
        ];
        if plan.last != Last::Atomic {
            let further: u64 = plan.levels().iter().skip(2).sum();
            let partials = plan.blocks() + further;
            buffers.push(Buffer::zeroed("partial sums", plan.element, partials as usize));
        }
        Work { module: SPEC.module, buffers, steps: plan.steps() }
    }

    /// Which values are added changes nothing of how they are.
    fn sampling(&self, _case: &Case) -> Sampling {
        Sampling::Blocks(Inputs::new())
    }

    fn input_key(&self, case: &Case) -> String {
        inputs::key(case)
    }

    fn inputs(&self, case: &Case) -> Inputs {
        inputs::of_dtype(case)
    }

    fn reference(&self, _case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        vec![match inputs.first().map(|values| &**values) {
            // The floats are whole numbers of at most 2^32, which integers add exactly.
            Some(HostBuffer::F32(values)) => {
                let sum: u64 = values.par_iter().map(|&value| value as u64).sum();
                HostBuffer::F64(vec![sum as f64])
            }
            Some(HostBuffer::U32(values)) => {
                let sum: u64 = values.par_iter().map(|&value| u64::from(value)).sum();
                HostBuffer::U32(vec![sum as u32])
            }
            _ => HostBuffer::U32(vec![0]),
        }]
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, case: &Case) -> Vec<usize> {
        if Plan::of(case).last == Last::Atomic { vec![SUM] } else { vec![SUM, PARTIALS] }
    }

    fn verify(
        &self,
        case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let sums = (&reference[..1], outputs.get(..1).unwrap_or_default());
        let (HostBuffer::F64(expected), [output]) = (&reference[0], sums.1) else {
            return compare::exactly(sums.0, sums.1);
        };
        // No value is negative, so the sum is the sum of the absolute values too.
        let relative = compare::gamma(Plan::of(case).roundings(), compare::UNIT_32);
        compare::within(&reference[0], output, |index| relative * expected[index])
    }

    fn traffic(&self, case: &Case) -> Traffic {
        let flops = match Plan::of(case).element {
            Element::F32 => case.n.saturating_sub(1),
            _ => 0,
        };
        Traffic { bytes: 4 * case.n + 4, flops }
    }

    fn view(&self, case: &Case, inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let plan = Plan::of(case);
        let told = match outputs.first()? {
            HostBuffer::U32(sum) => format!("sum {} modulo 2^32", grouped((*sum.first()?).into())),
            HostBuffer::F32(sum) => format!("sum {}", decimal((*sum.first()?).into())),
            HostBuffer::F64(sum) => format!("sum {}", decimal(*sum.first()?)),
            _ => return None,
        };
        let blocks = plan.blocks() as usize;
        // A grid of one block may have put its sum in place at once.
        let left = outputs.get(1).filter(|_| blocks > 1 || plan.last == Last::Cpu);
        let sums = match left {
            Some(sums) => sums.to_f64().into_iter().take(blocks).collect(),
            None => partial_sums(plan, inputs.first()?),
        };
        Some(View::Bars(Bars::of("partial sum of a block", sums).with_result(told)))
    }
}
