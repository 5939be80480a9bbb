//! Which buffers a kernel writes, and which of them is its output.

use crate::own::ctype::CType;
use crate::own::kernels::Kernel;
use crate::own::uses::{Does, Use};
use crate::syntax::{Host, Launch, Memory, Value};

/// Names of outputs begin with these, behind `d_` and the like.
const OUTPUTS: [&str; 5] = ["out", "res", "dst", "dest", "y"];

/// Bytes of the largest number.
const WORD: u64 = 8;

/// Whether a kernel may write what parameter `index` points to: as its PTX shows, else its text.
pub(super) fn writes(host: &Host, kernel: &Kernel, index: usize) -> bool {
    let param = &kernel.signature.params[index];
    let constant = matches!(param.ctype, CType::Pointer { constant: true, .. });
    let said = || host.writes(&kernel.entry, &param.name).unwrap_or(true);
    !constant && kernel.uses.of(index, 0).map_or_else(said, Use::changes)
}

/// Whether a kernel reads what parameter `index` points to. An atomic counts as writing: most begin
/// with zeros.
pub(super) fn reads(host: &Host, kernel: &Kernel, index: usize) -> bool {
    let said = || host.reads(&kernel.entry, &kernel.signature.params[index].name);
    kernel.uses.of(index, 0).map_or_else(said, |it| it.does(Does::Read))
}

/// Whether a kernel does nothing with it but `atomicCAS` and `atomicExch`, as with locks.
fn exchanges(host: &Host, kernel: &Kernel, index: usize) -> bool {
    let said = || host.exchanges(&kernel.entry, &kernel.signature.params[index].name);
    kernel.uses.of(index, 0).map_or_else(said, Use::only_exchanges)
}

/// Index of the output parameter: a written one that the host copies back, else any written one. Arrays
/// come before one number, such as a flag, and arrays whose order depends on an atomic counter after
/// that; locks come last. Of several it is one that is called so, such as `out`, else the last.
pub(super) fn output(host: &Host, kernel: &Kernel, launch: Option<&Launch>) -> Option<usize> {
    let params = &kernel.signature.params;
    let mut pointers =
        (0..params.len()).filter(|&it| matches!(params[it].ctype, CType::Pointer { .. }));
    let memory = |index: usize| launch?.arguments.get(index)?.memory.as_ref();
    let is_one = |index: usize| match memory(index) {
        Some(Memory { bytes: None, elements: Some(count), .. }) => *count == Value::Number(1),
        Some(Memory { bytes: Some(bytes), .. }) => matches!(bytes, Value::SizeOf(_)),
        _ => kernel.uses.of(index, 0).and_then(Use::bytes).is_some_and(|it| it <= WORD),
    };
    let is_named = |index: usize| {
        let name = params[index].name.to_lowercase();
        let plain = ["d_", "dev_", "g_", "gpu_"].iter().find_map(|it| name.strip_prefix(it));
        OUTPUTS.iter().any(|it| plain.unwrap_or(&name).starts_with(it))
    };
    let rank = |&index: &usize| {
        let (read, array) = (memory(index).is_some_and(|it| it.read), !is_one(index));
        let data = !exchanges(host, kernel, index);
        let by_order = kernel.uses.of(index, 0).is_some_and(|it| it.does(Does::StoreByOrder));
        (data, read && array, read, !by_order, array, is_named(index), index)
    };
    let written = pointers.clone().filter(|&it| writes(host, kernel, it)).max_by_key(rank);
    let free = |&it: &usize| matches!(params[it].ctype, CType::Pointer { constant: false, .. });
    written.or_else(|| pointers.rfind(free))
}
