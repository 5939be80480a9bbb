//! The output of each kernel, and the reference that it is compared with.

use std::collections::BTreeSet;

use super::{Launching, Shared, keys};
use crate::experiment::UnknownName;
use crate::own::header::{Header, Located};
use crate::own::kernels::{Kernel, Kernels};
use crate::own::{Problem, known_kernel};

/// Index of the output buffer of kernel `at`: its own `output`, the file's, or the only buffer that the
/// kernels write.
pub(super) fn output(
    header: &Header,
    own: Option<&Located<String>>,
    buffers: &[Shared],
    kernels: &[Launching],
    at: usize,
) -> Result<usize, Problem> {
    let names: Vec<&str> = buffers.iter().map(|it| it.name).collect();
    let Some(output) = own.or(header.launch.output.as_ref()) else {
        let written: BTreeSet<usize> =
            kernels.iter().flat_map(|it| it.written.iter().copied()).collect();
        return match written.len() {
            1 => Ok(written.into_iter().next().unwrap_or_default()),
            _ if names.is_empty() => Err(Problem::new(
                header.line,
                "no kernel has a buffer for its result. Give the kernel a pointer that it writes to, \
                 or name a `__device__` variable behind its arguments: `args = [\"count: i32[1] zeros\"]`"
                    .to_owned(),
            )),
            _ => Err(Problem::new(
                header.line,
                format!("write `output = \"…\"`, one of: {}", names.join(", ")),
            )),
        };
    };
    // A produced buffer has the name of the one that its producer writes.
    let mut bound = kernels.get(at).into_iter().flat_map(Launching::buffers);
    let index = bound.find(|&it| names[it] == output.value);
    let index = index.or_else(|| names.iter().position(|name| *name == output.value));
    let index = index.ok_or_else(|| {
        let error = UnknownName::new("buffer", &output.value, &names);
        Problem::new(output.line, error.to_string())
    })?;
    let Some(kernel) = kernels.get(at).filter(|it| !it.written.contains(&index)) else {
        return Ok(index);
    };
    let name = kernel.name;
    let mut reason = format!(
        "kernel `{name}` does not write `{}`: it has no such argument, or a const pointer",
        output.value
    );
    if own.is_none() {
        reason.push_str(&format!(". If it has another output, set `output` in `[kernel.{name}]`"));
    }
    Err(Problem::new(output.line, reason))
}

/// Index of the reference of kernel `at`: its own `reference`, the file's, or the first kernel with the
/// same output. Kernels with different outputs are not compared.
pub(super) fn reference(
    header: &Header,
    kernel: &Kernel,
    kernels: &Kernels,
    launching: &[Launching],
    at: usize,
) -> Result<usize, Problem> {
    let known = |name: &Located<String>| known_kernel(name, kernels);
    let output = launching[at].output;
    // A kernel that only prints has no output: it is compared with none.
    let writes = |it: usize| launching[it].written.contains(&output);
    if !writes(at) {
        return Ok(at);
    }
    let alike = |it: usize| launching[it].output == output && writes(it);
    if let Some(own) = keys(header, kernel).and_then(|it| it.reference.as_ref()) {
        let found = known(own)?;
        let other = &launching[found];
        return if alike(found) {
            Ok(found)
        } else {
            let reason =
                format!("`{}` has another output than `{}`", other.name, launching[at].name);
            Err(Problem::new(own.line, reason))
        };
    }
    let common = header.launch.reference.as_ref().map(known).transpose()?;
    let first = (0..launching.len()).find(|&it| alike(it));
    Ok(common.filter(|&it| alike(it)).or(first).unwrap_or(at))
}
