//! A user's kernels as an algorithm.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};

use super::{Fill, Launching, Plain};
use crate::algorithms::{Algorithm, Mismatch, Produced, Spec, Traffic, compare};
use crate::experiment::{Case, Sizes};
use crate::work::{Buffer, HostBuffer, Inputs, Launch, Sampling, View, Work};

impl Plain {
    fn buffers(&self, case: &Case, lens: &[u64]) -> Vec<Buffer> {
        let kernel = self.kernel(case);
        let written = kernel.map(|kernel| &kernel.written);
        let used = |index| kernel.is_some_and(|kernel| kernel.buffers().any(|it| it == index));
        let buffer = |(index, (shared, &len)): (usize, (&super::Shared, &u64))| {
            let element = shared.arg.element;
            match shared.input.filter(|_| shared.producer.is_none() || used(index)) {
                None => Buffer::zeroed(shared.name, element, len as usize),
                Some(input) => {
                    let buffer = Buffer::input(shared.name, input, element, len);
                    let written = written.is_some_and(|written| written.contains(&index));
                    if written { buffer.written() } else { buffer }
                }
            }
        };
        self.buffers.iter().zip(lens).enumerate().map(buffer).collect()
    }
}

impl Algorithm for Plain {
    fn spec(&self) -> &'static Spec {
        self.spec
    }

    fn sizes(&self) -> Sizes {
        self.sizes.clone()
    }

    fn own_block(&self, variant: &str) -> Option<u32> {
        let kernel = self.kernels.iter().find(|it| it.name == variant)?;
        kernel.block.map(|(block, _)| block.iter().product())
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        let launched = self.launched(case).map(drop);
        let bytes = || self.amount(case, self.bytes.as_ref()).map(drop);
        let flops = || self.amount(case, self.flops.as_ref()).map(drop);
        launched.and_then(|()| bytes()).and_then(|()| flops()).err()
    }

    fn work(&self, case: &Case) -> Work {
        let module = self.spec.module;
        // A case with an obstacle is never run.
        let Ok(launched) = self.launched(case) else {
            return Work::of_launches(module, Vec::new(), []);
        };
        let (name, entry) = self.kernel(case).map_or(("", ""), |it| (it.name, it.entry));
        let launch = Launch {
            phase: name,
            kernel: entry.to_owned(),
            grid: launched.grid,
            block: launched.block,
            shared_bytes: launched.shared_bytes,
            args: launched.args,
        };
        Work::of_launches(module, self.buffers(case, &launched.lens), [launch])
    }

    fn sampling(&self, _case: &Case) -> Sampling {
        Sampling::Unknown(Inputs::new())
    }

    /// Lengths, seed and whatever else the contents depend on.
    fn input_key(&self, case: &Case) -> String {
        let mut key = format!("seed={}", case.seed);
        let lens = self.lens(case).unwrap_or_default();
        for (shared, len) in self.buffers.iter().zip(lens) {
            if shared.input.is_some() {
                key.push_str(&format!(" {}={len}", shared.name));
            }
            if matches!(shared.fill, Fill::Drawn(None, _)) {
                key.push_str(&format!(" {}", case.dist));
            }
            if matches!(shared.fill, Fill::Each(_) | Fill::Drawn(_, Some(_))) {
                let Case { n, block, coarsen, params, .. } = case;
                key.push_str(&format!(" {n} {block} {coarsen} {params:?}"));
            }
        }
        for left in self.produced_for(case) {
            key.push_str(&format!(" {} from {}", left.input, left.case));
        }
        key
    }

    /// An index for which the expression of a buffer has no value.
    fn missing_input(&self, case: &Case) -> Option<String> {
        let key = self.input_key(case);
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        if checked.0 != key {
            *checked = (key, self.fault(case));
        }
        checked.1.clone()
    }

    fn inputs(&self, case: &Case) -> Inputs {
        let lens = self.lens(case).unwrap_or_default();
        let inputs = self.buffers.iter().zip(lens).filter(|(shared, _)| shared.input.is_some());
        inputs.map(|(shared, len)| Arc::new(self.input(case, shared, len))).collect()
    }

    /// The reference kernel at the same launch.
    fn reference_case(&self, case: &Case) -> Option<Case> {
        let reference = self.kernels.get(self.kernel(case)?.reference)?;
        Some(self.case_of(reference, case))
    }

    fn produced_inputs(&self, case: &Case) -> Vec<Produced> {
        self.produced_for(case)
    }

    fn reference(&self, _case: &Case, _inputs: &Inputs) -> Vec<HostBuffer> {
        Vec::new()
    }

    fn outputs(&self, case: &Case) -> Vec<usize> {
        self.kernel(case).map(|kernel| kernel.output).into_iter().collect()
    }

    /// With a tolerance, an element may differ by that part of its value, or of the mean
    /// magnitude of the output if that is larger: sums that nearly cancel have no digits
    /// of their own.
    fn verify(
        &self,
        _case: &Case,
        _inputs: &Inputs,
        reference: &[HostBuffer],
        outputs: &[HostBuffer],
    ) -> Result<(), Mismatch> {
        let ([expected], [got]) = (reference, outputs) else {
            return compare::exactly(reference, outputs);
        };
        if self.tolerance == 0.0 || expected.element() != got.element() {
            return compare::exactly(reference, outputs);
        }
        let values = expected.to_f64();
        let finite = values.iter().filter(|value| value.is_finite());
        let mean =
            finite.clone().map(|value| value.abs()).sum::<f64>() / (finite.count().max(1) as f64);
        let bound = |index: usize| {
            let value = values.get(index).copied().unwrap_or_default().abs();
            self.tolerance * if value.is_finite() { value.max(mean) } else { mean }
        };
        let expected = HostBuffer::F64(values.clone());
        compare::within(&expected, &HostBuffer::F64(got.to_f64()), bound)
    }

    /// Every buffer of the kernel once, unless the file says more.
    fn traffic(&self, case: &Case) -> Traffic {
        let amount = |at| self.amount(case, at).ok().flatten();
        let buffers = || {
            let lens = self.lens(case).unwrap_or_default();
            let bytes = |index: usize| {
                lens.get(index).copied().unwrap_or(0) * self.buffers[index].arg.element.bytes()
            };
            let own: BTreeSet<usize> =
                self.kernel(case).into_iter().flat_map(Launching::buffers).collect();
            own.into_iter().map(bytes).sum()
        };
        Traffic {
            bytes: amount(self.bytes.as_ref()).unwrap_or_else(buffers),
            flops: amount(self.flops.as_ref()).unwrap_or(0),
        }
    }

    /// At least one for each thread, which the file does not say.
    fn operations(&self, case: &Case) -> u64 {
        let traffic = self.traffic(case);
        let threads = self.launched(case).map_or(0, |it| it.grid.count() * it.block.count());
        threads.max(case.n).max(traffic.bytes / 4).max(traffic.flops / 2)
    }

    fn view(&self, case: &Case, _inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let name = self.buffers.get(self.kernel(case)?.output)?.name;
        self.view.of(name, case.n, outputs.first()?)
    }
}
