//! The text of a file before it is compiled, and its name in what comes out.

use std::collections::HashMap;

use super::CompileError;
use crate::syntax::included;
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
    "cooperative_groups/reduce",
    "cooperative_groups/scan",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "cuda",
    "cuda_bf16",
    "cuda_fp16",
    "cuda_pipeline",
    "cuda_pipeline_primitives",
    "cuda_runtime",
    "cuda_runtime_api",
    "device_functions",
    "device_launch_parameters",
    "float",
    "helper_math",
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

/// Of these, those that NVIDIA's headers need themselves.
const SHARED: &[&str] = &[
    "cooperative_groups",
    "cooperative_groups/reduce",
    "cooperative_groups/scan",
    "cuda_bf16",
    "cuda_fp16",
    "cuda_pipeline",
    "cuda_pipeline_primitives",
];

/// The source without the headers that are not needed, with NVIDIA's at hand or not. Lines keep
/// their numbers.
pub(super) fn without_headers(source: &str, at_hand: bool) -> String {
    let mut text = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let header = included(line).map(plain).filter(|header| KNOWN.binary_search(header).is_ok());
        if header.is_some_and(|header| !at_hand || !SHARED.contains(&header)) {
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

/// A line of a file: number of the file, line and column, as `.loc` has them.
type Place = [u32; 3];

/// The PTX with the user's lines in place of those of built-in headers, whose functions are inlined: at
/// `.loc 2 66 5, function_name $L, inlined_at 1 7 9` the user reads line 7 of file 1.
pub(super) fn at_callers(ptx: &str, name: &str) -> String {
    let own = format!("\"{name}\"");
    let number = |line: &str| {
        let (number, rest) =
            line.trim().strip_prefix(".file")?.trim_start().split_once(['\t', ' '])?;
        rest.trim_start().starts_with(&own).then(|| number.parse::<u32>().ok())?
    };
    let Some(user) = ptx.lines().find_map(number) else { return ptx.to_owned() };
    // Of each place in headers, the user's line where it was inlined last.
    let mut callers: HashMap<Place, Place> = HashMap::new();
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.split_inclusive('\n') {
        let inlined = line.trim_start().strip_prefix(".loc").and_then(|rest| {
            let (place, at) = rest.split_once("inlined_at")?;
            Some((numbers(place)?, numbers(at)?))
        });
        let caller = inlined.filter(|(place, _)| place[0] != user).and_then(|(place, at)| {
            let caller = if at[0] == user { at } else { *callers.get(&at)? };
            callers.insert(place, caller);
            Some(caller)
        });
        match caller {
            Some([file, line, column]) => {
                text.push_str(&format!("\t.loc\t{file} {line} {column}\n"));
            }
            None => text.push_str(line),
        }
    }
    text
}

/// The three numbers that a text begins with.
fn numbers(text: &str) -> Option<Place> {
    let mut words = text.split([' ', '\t', ',', '\n', '\r']).filter(|word| !word.is_empty());
    let mut next = || words.next()?.parse().ok();
    Some([next()?, next()?, next()?])
}

/// The headers that are included and not known here.
pub(super) fn further_headers(source: &str) -> impl Iterator<Item = &str> {
    let included = source.lines().filter_map(included);
    included.filter(|header| KNOWN.binary_search(&plain(header)).is_err())
}

/// Whether a line of the source includes a header, which is named without `.h`, or a part of it, as
/// `cooperative_groups/reduce.h` is.
pub(super) fn includes(source: &str, header: &str) -> bool {
    let is_part = |rest: &str| ["", "_primitives"].contains(&rest) || rest.starts_with('/');
    let mut names = source.lines().filter_map(included).map(plain);
    names.any(|name| name.strip_prefix(header).is_some_and(is_part))
}

/// The name of a header without `.h`.
fn plain(header: &str) -> &str {
    header.strip_suffix(".h").unwrap_or(header)
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
        assert_eq!(without_headers(source, false), "\n\nint x;\n#include <cub.h>");
        assert_eq!(further_headers(source).collect::<Vec<_>>(), ["cub.h"]);
        let half = "#include <cuda_fp16.h>\n#include <stdio.h>\n";
        assert_eq!(without_headers(half, true), "#include <cuda_fp16.h>\n\n");
    }

    #[test]
    fn paths_of_this_machine_disappear() {
        let ptx = "\t.file\t1 \"/home/me/my.cu\"\n.file 2 \"/x/other.h\", 3, 4\nmov \"/my.cu\";\n";
        let expected = "\t.file\t1 \"my.cu\"\n.file 2 \"/x/other.h\", 3, 4\nmov \"/my.cu\";\n";
        assert_eq!(without_paths(ptx, "my.cu"), expected);
    }

    #[test]
    fn lines_of_headers_are_those_of_their_callers() {
        let ptx = "\t.loc\t1 5 9\nadd;\n\
            \t.loc\t2 66 1, function_name $L1, inlined_at 1 7 3\nmul;\n\
            \t.loc\t2 36 8, function_name $L2, inlined_at 2 66 1\nshl;\n\
            \t.loc\t1 3 3, function_name $L3, inlined_at 1 7 3\nsub;\n\
            \t.loc\t2 9 9, function_name $L4, inlined_at 2 1 1\nxor;\n\
            \t.file\t1 \"my.cu\"\n\t.file\t2 \"warpscope.cuh\"\n";
        let expected = "\t.loc\t1 5 9\nadd;\n\t.loc\t1 7 3\nmul;\n\t.loc\t1 7 3\nshl;\n\
            \t.loc\t1 3 3, function_name $L3, inlined_at 1 7 3\nsub;\n\
            \t.loc\t2 9 9, function_name $L4, inlined_at 2 1 1\nxor;\n\
            \t.file\t1 \"my.cu\"\n\t.file\t2 \"warpscope.cuh\"\n";
        assert_eq!(at_callers(ptx, "my.cu"), expected);
        assert_eq!(at_callers(ptx, "other.cu"), ptx, "nothing of the user's");
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
