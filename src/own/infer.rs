//! What a file without a complete header block could say: a block to paste.

use super::ctype::{CType, Scalar};
use super::header::Header;
use super::kernels::{Kernel, Kernels};
use super::signature::SignatureParam;
use super::{OwnFile, Problem};
use crate::syntax::{Launch, launch};

/// The error for a file that does not say how its kernels are launched, with a block to
/// paste.
pub(super) fn problem(file: &OwnFile, header: &Header, kernels: &Kernels) -> Problem {
    let Some(kernel) = kernels.found.first() else {
        return Problem::new(header.line, "the file has no kernel");
    };
    let name = &kernel.signature.name;
    let what = if header.line.is_some() {
        "the block `/* warpscope` has no `args` and no `grid`"
    } else {
        "no comment block says how to launch"
    };
    Problem::new(
        header.line.unwrap_or(kernel.signature.line),
        format!(
            "{what} `{name}`. Paste this block into {}, check it and run again:\n\n{}",
            file.name,
            block(kernel, launch(&file.source, name).as_ref())
        ),
    )
}

/// A header block for a kernel, from its signature and a launch in host code: pointers are buffers of
/// `n` elements, the only pointer that is not const or the last one is the output, the first
/// integer is `n`, and others are what the launch says.
fn block(kernel: &Kernel, launch: Option<&Launch>) -> String {
    let params = &kernel.signature.params;
    let pointers: Vec<&SignatureParam> =
        params.iter().filter(|it| matches!(it.ctype, CType::Pointer { .. })).collect();
    let writes = |it: &&&SignatureParam| matches!(it.ctype, CType::Pointer { constant: false, .. });
    let output = pointers.iter().rfind(writes).map(|it| it.name.clone()).unwrap_or_default();
    let mut sized = false;
    let given = |index: usize| launch?.arguments.get(index)?.as_deref();
    let args: Vec<String> = params
        .iter()
        .enumerate()
        .map(|(index, param)| arg(param, given(index), &output, &mut sized))
        .collect();
    let threads = launch.and_then(|launch| launch.block.as_deref()?.parse::<u32>().ok());
    let threads = threads.filter(|threads| (1..=1024).contains(threads)).unwrap_or(256);
    let shared = if kernel.dynamic_shared {
        "shared = \"4 * block\"               # dynamic bytes per block\n"
    } else {
        ""
    };
    let args: String = args.iter().map(|arg| format!("    \"{arg}\",\n")).collect();
    let output = if output.is_empty() { String::new() } else { format!("output = \"{output}\"\n") };
    format!(
        "/* warpscope\nsizes  = \"2^10..2^20:x4\"\nblock  = {threads}\n\
         grid   = \"ceil(n / block)\"\n{shared}args   = [\n{args}]\n{output}*/\n"
    )
}

/// A line of the block for a parameter; `given` is the number that a launch passes to it.
fn arg(param: &SignatureParam, given: Option<&str>, output: &str, sized: &mut bool) -> String {
    let SignatureParam { name, ctype } = param;
    match ctype {
        CType::Pointer { to, .. } => {
            let (element, len) = match to {
                Scalar::Vector(element, lanes) => (element.short(), format!("{lanes} * n")),
                Scalar::Number(element) => (element.short(), "n".to_owned()),
                Scalar::Bool | Scalar::Opaque(_) => ("u8", "n".to_owned()),
            };
            let fill = if name == output { "zeros" } else { "uniform" };
            format!("{name}: {element}[{len}] {fill}")
        }
        CType::Scalar(Scalar::Number(element)) => {
            let is_size = element.is_integer() && !*sized;
            *sized |= is_size;
            let fits = |it: &&str| {
                let range = element.range();
                range.is_none_or(|(least, most)| {
                    it.parse::<i128>().is_ok_and(|number| (least..=most).contains(&number))
                })
            };
            let value = if is_size { "n" } else { given.filter(fits).unwrap_or("1") };
            format!("{name}: {} = {value}", element.short())
        }
        CType::Scalar(_) | CType::Other(_) => format!("{name}: u32 = 1"),
    }
}
