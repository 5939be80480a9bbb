//! Variables of the GPU that hold what a kernel computes.

use super::output::writes;
use crate::own::ctype::{CType, Scalar, scalar_of};
use crate::own::header::Header;
use crate::own::kernels::{Kernel, kernels};
use crate::own::{OwnFile, variables};
use crate::syntax::{Given, Host, Launch};

/// The kernels of a file with the variables among their parameters that hold results: kernels change
/// them, and the host reads them, or a kernel has nothing else to write to.
pub(super) fn with_variables(
    file: &OwnFile,
    header: &Header,
    host: &Host,
    found: &[Kernel],
) -> Vec<Kernel> {
    let used: Vec<(String, Vec<String>)> = variables::used(&file.ptx)
        .into_iter()
        .map(|(kernel, all)| {
            let known = all.into_iter().filter(|it| host.variable_memory(it).is_some());
            (kernel, known.collect())
        })
        .collect();
    let with = |wanted: &[(String, Vec<String>)]| {
        let ptx = variables::as_parameters(&file.ptx, wanted).ok()?;
        Some(kernels(&OwnFile { ptx, ..file.clone() }, header).ok()?.found)
    };
    let Some(all) = with(&used) else { return found.to_vec() };
    let before = |kernel: &Kernel| kernel.signature.params.len() - kernel.variables;
    let is_result = |name: &String| {
        let read = host.variable_memory(name).is_some_and(|it| it.1.read);
        let index = |kernel: &Kernel| {
            let mut params = kernel.signature.params.iter().skip(before(kernel));
            Some(before(kernel) + params.position(|it| it.name == *name)?)
        };
        let mut users = all.iter().filter_map(|it| Some((it, index(it)?)));
        let changed = users.clone().any(|(kernel, index)| writes(host, kernel, index));
        let is_pointer = |kernel: &Kernel, index: usize| {
            matches!(kernel.signature.params[index].ctype, CType::Pointer { .. })
        };
        let alone = |kernel: &Kernel| {
            !(0..before(kernel)).any(|it| is_pointer(kernel, it) && writes(host, kernel, it))
        };
        changed && (read || users.any(|it| alone(it.0)))
    };
    let wanted: Vec<(String, Vec<String>)> = used
        .into_iter()
        .map(|(kernel, names)| (kernel, names.into_iter().filter(is_result).collect()))
        .collect();
    let mut kernels = with(&wanted).unwrap_or_else(|| found.to_vec());
    for kernel in &mut kernels {
        let first = before(kernel);
        for param in kernel.signature.params.iter_mut().skip(first) {
            let Some((of, _)) = host.variable_memory(&param.name) else { continue };
            let to = scalar_of(&of.split(' ').collect::<Vec<_>>()).unwrap_or(Scalar::Opaque(of));
            param.ctype = CType::Pointer { to, constant: false };
        }
    }
    kernels
}

/// A launch with the variables that its kernel has as further parameters.
pub(super) fn complete(host: &Host, kernel: &Kernel, mut launch: Launch) -> Launch {
    let own = launch.arguments.len();
    let further = kernel.signature.params.iter().enumerate().skip(own);
    let given = further.filter(|it| kernel.is_variable(it.0)).filter_map(|(_, it)| {
        let memory = host.variable_memory(&it.name)?.1;
        Some(Given { place: 0..0, value: None, memory: Some(memory), null: false })
    });
    launch.arguments.extend(given);
    launch
}
