//! Which buffers a kernel writes, and which of them is its output.

use crate::own::ctype::CType;
use crate::own::kernels::Kernel;
use crate::own::signature::SignatureParam;
use crate::syntax::{Host, Launch};

/// Whether a kernel may write what a parameter points to.
pub(super) fn writes(host: &Host, kernel: &Kernel, param: &SignatureParam) -> bool {
    let constant = matches!(param.ctype, CType::Pointer { constant: true, .. });
    !constant && host.writes(&kernel.entry, &param.name).unwrap_or(true)
}

/// Index of the output parameter: the last written one that the host copies back, else the last
/// written one. Locks count last.
pub(super) fn output(host: &Host, kernel: &Kernel, launch: Option<&Launch>) -> Option<usize> {
    let params = kernel.signature.params.iter().enumerate();
    let pointers = params.filter(|it| matches!(it.1.ctype, CType::Pointer { .. }));
    let written = pointers.clone().filter(|it| writes(host, kernel, it.1));
    let read = |index: &usize| {
        let memory = launch.and_then(|it| it.arguments.get(*index)?.memory.as_ref());
        memory.is_some_and(|it| it.read)
    };
    let (locks, mut written): (Vec<usize>, Vec<usize>) = written
        .map(|it| it.0)
        .partition(|&it| host.exchanges(&kernel.entry, &kernel.signature.params[it].name));
    if written.is_empty() {
        written = locks;
    }
    let free = |it: &SignatureParam| matches!(it.ctype, CType::Pointer { constant: false, .. });
    let any = || pointers.clone().filter(|it| free(it.1)).map(|it| it.0).next_back();
    written.iter().copied().rfind(read).or(written.last().copied()).or_else(any)
}
