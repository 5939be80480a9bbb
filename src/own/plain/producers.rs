//! Buffers that other kernels of the file produce: `from KERNEL`.

use super::{Fill, Launching, Plain, Shared};
use crate::algorithms::Produced;
use crate::experiment::{Case, UnknownName};
use crate::own::Problem;
use crate::own::at;
use crate::own::kernels::Kernels;

/// Finds the producer of each buffer that has one.
///
/// # Errors
/// For an unknown kernel, one without this buffer, or a circular dependency.
pub(super) fn resolve(
    kernels: &Kernels,
    buffers: &mut [Shared],
    launching: &[Launching],
) -> Result<(), Problem> {
    for index in 0..buffers.len() {
        let Fill::From(name) = buffers[index].fill.clone() else { continue };
        let found = producer(kernels, buffers, launching, (index, &name))?;
        buffers[index].producer = Some(found);
    }
    for (at, kernel) in launching.iter().enumerate() {
        let circle = kernel.buffers().find(|&it| {
            buffers[it].producer.is_some_and(|(first, _)| needs(buffers, launching, first, at))
        });
        if let Some(index) = circle {
            let Shared { arg, name, fill, .. } = &buffers[index];
            let Fill::From(first) = fill else { continue };
            let reason = format!(
                "circular dependency: `{}` needs `{name}` from `{first}`, and `{first}` needs the \
                 output of `{}`",
                kernel.name, kernel.name
            );
            return Err(Problem::new(arg.line, reason));
        }
    }
    Ok(())
}

/// Index of the kernel that produces buffer `index`, and of the buffer that this kernel writes.
fn producer(
    kernels: &Kernels,
    buffers: &[Shared],
    launching: &[Launching],
    (index, name): (usize, &str),
) -> Result<(usize, usize), Problem> {
    let Shared { arg, name: buffer, len, .. } = &buffers[index];
    let wrong = |reason: String| Problem::new(arg.line, reason);
    let Some(first) = launching.iter().position(|it| it.name == name) else {
        let names: Vec<&str> = kernels.found.iter().map(|it| it.signature.name.as_str()).collect();
        return Err(wrong(UnknownName::new("kernel", name, &names).to_string()));
    };
    let own = launching[first].buffers().find(|&it| buffers[it].name == *buffer);
    let own = own.ok_or_else(|| wrong(format!("kernel `{name}` has no buffer `{buffer}`")))?;
    if own == index {
        return Err(wrong(format!(
            "`{buffer}` is `from {name}`, but `{name}` reads it too; name the kernel that runs before"
        )));
    }
    let other = &buffers[own];
    if (other.arg.element, &other.len) != (arg.element, len) {
        let shape = |it: &Shared| format!("{}[{}]", it.arg.element.short(), it.len.text());
        return Err(wrong(format!(
            "`{buffer}` is {} here, and {} in kernel `{name}` (line {})",
            shape(&buffers[index]),
            shape(other),
            other.arg.line
        )));
    }
    Ok((first, own))
}

/// Whether kernel `at` is `other` or depends on it.
fn needs(buffers: &[Shared], launching: &[Launching], at: usize, other: usize) -> bool {
    // Visits each kernel once, so that a circle ends.
    let (mut seen, mut open) = (vec![false; launching.len()], vec![at]);
    while let Some(at) = open.pop() {
        if at == other {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            let producers = launching[at].buffers().filter_map(|it| buffers[it].producer);
            open.extend(producers.map(|(kernel, _)| kernel));
        }
    }
    false
}

impl Plain {
    /// `case` with another kernel, at its own block size and coarsening. If the kernel does not
    /// use the coarsening, the case has the default, so that it runs less often.
    pub(super) fn case_of(&self, kernel: &Launching, case: &Case) -> Case {
        let coarsen = match kernel.coarsen {
            Some((coarsen, _)) => coarsen,
            None if kernel.coarsens => case.coarsen,
            None => self.spec.defaults.coarsen,
        };
        let block = kernel.block.map(|(block, _)| block.iter().product());
        Case {
            variant: kernel.name.to_owned(),
            block: block.unwrap_or(case.block),
            coarsen,
            ..case.clone()
        }
    }

    /// The case that produces `buffer` for `case`. It has the default block size and coarsening
    /// unless the length of the buffer depends on them, so that it runs once for all cases.
    fn producer_case(&self, kernel: &Launching, case: &Case, buffer: &Shared) -> Case {
        let defaults = self.spec.defaults;
        let block = if buffer.len.mentions("block") { case.block } else { defaults.block };
        let coarsens = buffer.len.mentions("coarsen");
        let coarsen = if coarsens { case.coarsen } else { defaults.coarsen };
        self.case_of(kernel, &Case { block, coarsen, ..case.clone() })
    }

    /// Checks that the kernels which produce buffers of `kernel` write as many elements as it reads.
    ///
    /// # Errors
    /// In words, with the line in the file.
    pub(super) fn check_producers(
        &self,
        case: &Case,
        kernel: &Launching,
        lens: &[u64],
    ) -> Result<(), String> {
        for index in kernel.buffers() {
            let shared = &self.buffers[index];
            let Some((producer, buffer)) = shared.producer else { continue };
            let producer = self.producer_case(&self.kernels[producer], case, shared);
            let (here, there) = (lens[index], self.lens(&producer)?[buffer]);
            if here != there {
                let reason = format!(
                    "`{}` has {here} elements at block size {}, but `{}` writes {there} at block size \
                     {}; use one block size for both",
                    shared.name, case.block, producer.variant, producer.block
                );
                return Err(at::in_line(self.file, shared.arg.line, reason));
            }
        }
        Ok(())
    }

    /// The produced inputs of the kernel of `case` and of its reference.
    pub(super) fn produced_for(&self, case: &Case) -> Vec<Produced> {
        let Some(kernel) = self.kernel(case) else { return Vec::new() };
        let reference = &self.kernels[kernel.reference];
        let mut all: Vec<Produced> = Vec::new();
        for (reader, case) in [(kernel, case.clone()), (reference, self.case_of(reference, case))] {
            for shared in reader.buffers().map(|it| &self.buffers[it]) {
                let (Some(input), Some((first, buffer))) = (shared.input, shared.producer) else {
                    continue;
                };
                if all.iter().all(|it| it.input != input) {
                    let case = self.producer_case(&self.kernels[first], &case, shared);
                    all.push(Produced { input, case, buffer });
                }
            }
        }
        all
    }
}
