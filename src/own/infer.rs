//! What a file without a complete header block could say: a block to paste.

use super::ctype::{CType, Scalar};
use super::header::Header;
use super::kernels::{Kernel, Kernels};
use super::signature::SignatureParam;
use super::{OwnFile, Problem};

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
            block(kernel)
        ),
    )
}

/// A header block for a kernel, from its signature alone: pointers are buffers of `n`
/// elements, the only pointer that is not const or the last one is the output, integers
/// are `n`.
fn block(kernel: &Kernel) -> String {
    let params = &kernel.signature.params;
    let pointers: Vec<&SignatureParam> =
        params.iter().filter(|it| matches!(it.ctype, CType::Pointer { .. })).collect();
    let writes = |it: &&&SignatureParam| matches!(it.ctype, CType::Pointer { constant: false, .. });
    let output = pointers.iter().rfind(writes).map(|it| it.name.clone()).unwrap_or_default();
    let mut sized = false;
    let args: Vec<String> = params.iter().map(|param| arg(param, &output, &mut sized)).collect();
    let shared = if kernel.dynamic_shared {
        "shared = \"4 * block\"               # dynamic bytes per block\n"
    } else {
        ""
    };
    let args: String = args.iter().map(|arg| format!("    \"{arg}\",\n")).collect();
    let output = if output.is_empty() { String::new() } else { format!("output = \"{output}\"\n") };
    format!(
        "/* warpscope\nsizes  = \"2^10..2^20:x4\"\nblock  = 256\n\
         grid   = \"ceil(n / block)\"\n{shared}args   = [\n{args}]\n{output}*/\n"
    )
}

fn arg(param: &SignatureParam, output: &str, sized: &mut bool) -> String {
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
            format!("{name}: {} = {}", element.short(), if is_size { "n" } else { "1" })
        }
        CType::Scalar(_) | CType::Other(_) => format!("{name}: u32 = 1"),
    }
}
