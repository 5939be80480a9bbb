//! Buffers that hold what another kernel of the file leaves in them.

use super::{Fill, Launching, Plain, Shared};
use crate::algorithms::Left;
use crate::experiment::{Case, UnknownName};
use crate::own::Problem;
use crate::own::kernels::Kernels;

/// Finds the kernels that buffers come from.
///
/// # Errors
/// If there is no such kernel, it has no such buffer, or kernels wait for each other.
pub(super) fn resolve(
    kernels: &Kernels,
    buffers: &mut [Shared],
    launching: &[Launching],
) -> Result<(), Problem> {
    for index in 0..buffers.len() {
        let Fill::From(name) = buffers[index].fill.clone() else { continue };
        let left = left_by(kernels, buffers, launching, (index, &name))?;
        buffers[index].left_by = Some(left);
    }
    for (at, kernel) in launching.iter().enumerate() {
        let circle = kernel.buffers().find(|&it| {
            buffers[it].left_by.is_some_and(|(first, _)| needs(buffers, launching, first, at))
        });
        if let Some(index) = circle {
            let Shared { arg, name, fill, .. } = &buffers[index];
            let Fill::From(first) = fill else { continue };
            let reason = format!(
                "`{}` needs `{name}` from `{first}`, which needs what `{}` leaves: neither can run \
                 first",
                kernel.name, kernel.name
            );
            return Err(Problem::new(arg.line, reason));
        }
    }
    Ok(())
}

/// Index of a kernel, and of the buffer in which it leaves what buffer `index` holds.
fn left_by(
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
            "`{buffer}` comes from `{name}`, which reads it itself; write `from` and the kernel before it"
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

/// Whether kernel `at` is `other`, or needs what it leaves.
fn needs(buffers: &[Shared], launching: &[Launching], at: usize, other: usize) -> bool {
    // Each kernel once: without that, a circle would be followed for ever.
    let (mut seen, mut open) = (vec![false; launching.len()], vec![at]);
    while let Some(at) = open.pop() {
        if at == other {
            return true;
        }
        if !std::mem::replace(&mut seen[at], true) {
            let left = launching[at].buffers().filter_map(|it| buffers[it].left_by);
            open.extend(left.map(|(first, _)| first));
        }
    }
    false
}

impl Plain {
    /// The case of another kernel for `case`: its own block and coarsening count. A coarsening that
    /// it does not depend on is left out, so that it runs less often.
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

    /// The case that leaves a buffer for `case`: of the defaults, so that it runs once for all
    /// cases, unless the length of the buffer depends on block or coarsening.
    fn first_case(&self, kernel: &Launching, case: &Case, left: &Shared) -> Case {
        let defaults = self.spec.defaults;
        let block = if left.len.mentions("block") { case.block } else { defaults.block };
        let coarsens = left.len.mentions("coarsen");
        let coarsen = if coarsens { case.coarsen } else { defaults.coarsen };
        self.case_of(kernel, &Case { block, coarsen, ..case.clone() })
    }

    /// What kernels leave for the kernel of `case`, or for its reference.
    pub(super) fn left_for(&self, case: &Case) -> Vec<Left> {
        let Some(kernel) = self.kernel(case) else { return Vec::new() };
        let reference = &self.kernels[kernel.reference];
        let mut all: Vec<Left> = Vec::new();
        for (reader, case) in [(kernel, case.clone()), (reference, self.case_of(reference, case))] {
            for shared in reader.buffers().map(|it| &self.buffers[it]) {
                let (Some(input), Some((first, buffer))) = (shared.input, shared.left_by) else {
                    continue;
                };
                if all.iter().all(|it| it.input != input) {
                    let case = self.first_case(&self.kernels[first], &case, shared);
                    all.push(Left { input, case, buffer });
                }
            }
        }
        all
    }
}
