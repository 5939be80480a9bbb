//! The text of a file before it is compiled, and its name in what comes out.

use super::CompileError;
use crate::units::Bytes;

/// Most bytes of a file. The emulator's own limits are reached sooner.
const MOST_BYTES: usize = 1 << 20;

/// Headers whose contents the prelude or the compiler has, by file name without `.h`.
const KNOWN: &[&str] = &[
    "assert",
    "cassert",
    "cfloat",
    "climits",
    "cmath",
    "cooperative_groups",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "cuda",
    "cuda_fp16",
    "cuda_runtime",
    "cuda_runtime_api",
    "device_functions",
    "device_launch_parameters",
    "float",
    "limits",
    "math",
    "math_constants",
    "math_functions",
    "stddef",
    "stdint",
    "stdio",
    "stdlib",
    "string",
    "vector_functions",
    "vector_types",
];

/// Refuses what is no source.
pub(super) fn check(source: &str) -> Result<(), CompileError> {
    if source.len() > MOST_BYTES {
        let (size, most) = (Bytes(source.len() as u64), Bytes(MOST_BYTES as u64));
        return Err(CompileError::BadSource(format!("the file has {size}; the limit is {most}")));
    }
    if source.contains('\0') {
        let line = source.split('\0').next().unwrap_or_default().matches('\n').count() + 1;
        return Err(CompileError::BadSource(format!(
            "line {line}: the file has a zero byte; save it as UTF-8 text"
        )));
    }
    Ok(())
}

/// The file's name where it is plain, so that it needs no quoting anywhere.
pub(super) fn plain_name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name: String = name.chars().take(80).map(|c| if plain(c) { c } else { '_' }).collect();
    if name.is_empty() { "kernel.cu".to_owned() } else { name }
}

/// The source without the headers that are not needed. Lines keep their numbers.
pub(super) fn without_headers(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        if is_known_include(line) {
            text.extend(line.chars().filter(|&c| c == '\n'));
        } else {
            text.push_str(line);
        }
    }
    text
}

/// The PTX with the file's name in place of a path on this machine.
pub(super) fn without_paths(ptx: &str, name: &str) -> String {
    let ending = format!("/{name}\"");
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        let path = line.trim_start().starts_with(".file").then(|| line.find('"')).flatten();
        match (path, line.rfind(&ending)) {
            (Some(start), Some(end)) if start <= end => {
                text.push_str(&line[..=start]);
                text.push_str(&line[end + 1..]);
            }
            _ => text.push_str(line),
        }
    }
    text
}

/// Whether a line includes one of the headers that are not needed.
fn is_known_include(line: &str) -> bool {
    included(line).is_some_and(|header| KNOWN.binary_search(&header).is_ok())
}

/// Whether a line of the source includes a header, which is named without `.h`.
pub(super) fn includes(source: &str, header: &str) -> bool {
    source.lines().any(|line| included(line) == Some(header))
}

/// The header that a line includes, without `.h`.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let (rest, close) = match rest.strip_prefix('<') {
        Some(rest) => (rest, '>'),
        None => (rest.strip_prefix('"')?, '"'),
    };
    let (header, _) = rest.split_once(close)?;
    Some(header.trim()).map(|header| header.strip_suffix(".h").unwrap_or(header))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn known_headers_are_sorted() {
        assert!(KNOWN.is_sorted());
    }

    #[test]
    fn lines_keep_their_numbers() {
        let source =
            "#include <stdio.h>\r\n  # include \"cuda_runtime.h\" // x\nint x;\n#include <cub.h>";
        assert_eq!(without_headers(source), "\n\nint x;\n#include <cub.h>");
    }

    #[test]
    fn paths_of_this_machine_disappear() {
        let ptx = "\t.file\t1 \"/home/me/my.cu\"\n.file 2 \"/x/other.h\", 3, 4\nmov \"/my.cu\";\n";
        let expected = "\t.file\t1 \"my.cu\"\n.file 2 \"/x/other.h\", 3, 4\nmov \"/my.cu\";\n";
        assert_eq!(without_paths(ptx, "my.cu"), expected);
    }

    #[test]
    fn what_is_no_source_is_refused() {
        assert!(check("int x;").is_ok());
        let error = check("a\nb\0").unwrap_err().to_string();
        assert!(error.starts_with("line 2: "), "{error}");
        let error = check(&" ".repeat(MOST_BYTES + 1)).unwrap_err().to_string();
        assert!(error.contains("1.00 MiB"), "{error}");
    }

    #[test]
    fn names_need_no_quoting() {
        assert_eq!(plain_name("übung \"1\"\n.cu"), "_bung__1__.cu");
        assert_eq!(plain_name(""), "kernel.cu");
    }
}
