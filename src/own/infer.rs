//! What a file without a complete header block could say: a block to paste.

use super::header::Header;
use super::kernels::{Kernel, Kernels};
use super::{OwnFile, Problem};
use crate::syntax::{Host, written_out};
use keys::Keys;
use order::{in_order, with_repeated};
use reach::Reach;
use size::Size;
use variables::with_variables;
use writer::Writer;

mod arguments;
mod buffer;
mod constants;
mod keys;
mod order;
mod output;
mod reach;
mod simplify;
mod size;
mod structure;
mod text;
mod threads;
mod types;
mod usual;
mod variables;
mod writer;

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
            block(file, header, &kernels.found)
        ),
    )
}

/// A header block for kernels, from their launches in host code and from their signatures.
fn block(file: &OwnFile, header: &Header, kernels: &[Kernel]) -> String {
    let text = written_out(&file.source);
    let host = Host::new(&text);
    let kernels = with_variables(file, header, &host, kernels);
    let (kernels, launches) = with_repeated(&host, &kernels);
    let size = Size::of(&host, &launches);
    let reach = Reach::new(&file.ptx);
    let mut writer = Writer::new(&host, (&size, &reach), &kernels, &launches);
    let mut found: Vec<Option<Keys>> = kernels.iter().map(|_| None).collect();
    for at in in_order(&launches) {
        found[at] = Some(writer.keys(at, &kernels[at], launches[at].as_ref()));
    }
    let mut keys: Vec<Keys> = Vec::new();
    for (kernel, mut found) in kernels.iter().zip(found.into_iter().flatten()) {
        // A kernel with other buffers computes something else, such as `add_sums` after `scan`.
        if let Some(like) = keys.iter().find(|it| it.shares_output(&found)) {
            let other = keys.iter().find(|it| it.is_alike(&found)).unwrap_or(&found);
            if !std::ptr::eq(like, other) {
                let name = other.reference.as_ref().unwrap_or(&kernel.signature.name).clone();
                found.reference = Some(name);
            }
        }
        keys.push(found);
    }
    let Some((first, others)) = keys.split_first() else { return String::new() };
    let names = size.names.join("`, `");
    let least = keys.iter().map(Keys::least).max().unwrap_or(1);
    // Where nothing depends on `n`, one size says all.
    let alone = || keys.iter().filter_map(Keys::longest).max();
    let alone = if keys.iter().any(Keys::scales) { None } else { alone() };
    let itself = names.is_empty() || names == "n" || alone.is_some();
    let meaning = if itself { String::new() } else { format!("   # n is `{names}`") };
    let sizes = alone.map_or_else(|| size.range(writer.degree, least), |it| it.to_string());
    let mut text = format!("/* warpscope\nsizes  = \"{sizes}\"{meaning}\n");
    text.push_str(&first.text(None));
    // Floating-point sums depend on their order, which differs between kernels and by atomics.
    let floats = |it: &Keys| it.output().is_some_and(|it| it.contains(": f"));
    let differ = keys.len() > 1 || file.source.contains("atomicAdd");
    if differ && keys.iter().any(|it| it.reference.is_none() && floats(it)) {
        text.push_str("tolerance = 1e-4\n");
    }
    text.push_str(&writer.constants(&kernels));
    let fixed = |keys: &Keys| keys.fixed.then(|| format!("block  = {}\n", keys.block));
    for (kernel, keys) in kernels.iter().zip(&keys) {
        let own = if std::ptr::eq(keys, first) { fixed(keys) } else { None };
        let own = own.unwrap_or_else(|| {
            if others.is_empty() { String::new() } else { keys.text(Some(first)) }
        });
        if !own.is_empty() {
            let name = &kernel.signature.name;
            text.push_str(&format!("[kernel.{name}]\n"));
            if kernel.entry != *name {
                text.push_str(&format!("kernel = \"{}\"\n", kernel.entry));
            }
            text.push_str(&own);
        }
    }
    text.push_str("*/\n");
    text
}
