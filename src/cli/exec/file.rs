//! The file of `exec`: read, compiled, and the kernel in it.

use std::fs;

use anyhow::{Context, bail};

use super::Exec;
use crate::cli::output::say;
use crate::emulator::ptx::{Function, Item, Module};
use crate::experiment::{BackendChoice, Target, UnknownName};
use crate::runner::source;
use crate::units::Bytes;

/// Largest PTX file: memory use grows with it.
const MOST_PTX: u64 = 16 << 20;

/// The PTX of the file.
pub(super) fn ptx(exec: &Exec, path: &str) -> anyhow::Result<String> {
    let cuda = exec.file.extension().is_some_and(|extension| extension == "cu");
    if cuda {
        let backend =
            if exec.backend == "cuda" { BackendChoice::Cuda } else { BackendChoice::Emulator };
        let (ptx, warnings) = source::ptx(path, &Target { backend, ..Target::default() })?;
        for warning in &warnings {
            say(&source::in_line(path, warning));
        }
        return Ok(ptx);
    }
    let cannot = || format!("cannot read {path}");
    let about = fs::metadata(&exec.file).with_context(cannot)?;
    if about.is_dir() {
        bail!("cannot read {path}: it is a folder, not a PTX file");
    }
    if about.len() > MOST_PTX {
        bail!("{path} has {}: a PTX file has at most {}", Bytes(about.len()), Bytes(MOST_PTX));
    }
    let bytes = fs::read(&exec.file).with_context(cannot)?;
    for (start, what) in
        [(&b"\x7fELF"[..], "a compiled binary"), (b"P\xed\x55\xba", "a fat binary")]
    {
        if bytes.starts_with(start) {
            bail!("{path} is {what}, not PTX; `cuobjdump -ptx` extracts the PTX");
        }
    }
    // Some editors begin a file with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").map(<[u8]>::to_vec).unwrap_or(bytes);
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|&byte| byte == b'\n').count();
        anyhow::anyhow!("{path}:{line}: not UTF-8 text, so not PTX")
    })
}

/// The kernel asked for, or the only one.
pub(super) fn entry<'m, 'a>(
    module: &'m Module<'a>,
    name: Option<&str>,
    path: &str,
) -> anyhow::Result<&'m Function<'a>> {
    let entries: Vec<&Function> = module
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Function(function) if function.entry && function.body.is_some() => Some(function),
            _ => None,
        })
        .collect();
    let names: Vec<&str> = entries.iter().map(|function| in_c(function.name)).collect();
    match (name, entries.as_slice()) {
        (_, []) => bail!("{path} has no kernel (no .entry)"),
        (None, [only]) => Ok(only),
        (None, _) => bail!("--entry is missing: {path} has the kernels {}", names.join(", ")),
        (Some(name), _) => {
            let found = entries
                .iter()
                .find(|function| [function.name, in_c(function.name)].contains(&name));
            found.copied().with_context(|| {
                format!("--entry in {path}: {}", UnknownName::new("kernel", name, &names))
            })
        }
    }
}

/// The name of a kernel in C++: `scale` of `_Z5scalePf`, where no namespace is around it.
fn in_c(mangled: &str) -> &str {
    let Some(rest) = mangled.strip_prefix("_Z") else { return mangled };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (length, rest) = rest.split_at(digits);
    length.parse().ok().and_then(|length: usize| rest.get(..length)).unwrap_or(mangled)
}

#[cfg(test)]
mod tests {
    use super::in_c;

    #[test]
    fn a_mangled_name_is_found_by_the_name_in_the_source() {
        assert_eq!(in_c("_Z5scalePf"), "scale");
        assert_eq!(in_c("scale"), "scale");
        for odd in ["_Z", "_Z99x", "_ZN3app5scaleEPf", "_Z18446744073709551616x"] {
            assert_eq!(in_c(odd), odd);
        }
    }
}
