//! Which buffers a kernel writes, and which of them is its output.

use crate::own::ctype::CType;
use crate::own::kernels::Kernel;
use crate::own::signature::SignatureParam;
use crate::syntax::{Host, Launch, Value};

/// Whether a kernel may write what a parameter points to.
pub(super) fn writes(host: &Host, kernel: &Kernel, param: &SignatureParam) -> bool {
    let constant = matches!(param.ctype, CType::Pointer { constant: true, .. });
    !constant && host.writes(&kernel.entry, &param.name).unwrap_or(true)
}

/// Index of the output parameter: the last written one that the host copies back, else the last
/// written one. One element, such as a flag, counts behind arrays that are copied too, and locks count
/// last.
pub(super) fn output(host: &Host, kernel: &Kernel, launch: Option<&Launch>) -> Option<usize> {
    let params = kernel.signature.params.iter().enumerate();
    let pointers = params.filter(|it| matches!(it.1.ctype, CType::Pointer { .. }));
    let written = pointers.clone().filter(|it| writes(host, kernel, it.1));
    let memory = |index: &usize| launch?.arguments.get(*index)?.memory.as_ref();
    let read = |index: &usize| memory(index).is_some_and(|it| it.read);
    let large = |index: &usize| {
        let one = memory(index).is_some_and(|it| {
            matches!(it.bytes, Some(Value::SizeOf(_))) || it.elements == Some(Value::Number(1))
        });
        read(index) && !one
    };
    let (locks, mut written): (Vec<usize>, Vec<usize>) = written
        .map(|it| it.0)
        .partition(|&it| host.exchanges(&kernel.entry, &kernel.signature.params[it].name));
    if written.is_empty() {
        written = locks;
    }
    let free = |it: &SignatureParam| matches!(it.ctype, CType::Pointer { constant: false, .. });
    let any = || pointers.clone().filter(|it| free(it.1)).map(|it| it.0).next_back();
    let copied = written.iter().copied().rfind(large).or(written.iter().copied().rfind(read));
    copied.or(written.last().copied()).or_else(any)
}
