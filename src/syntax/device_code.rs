//! The part of a CUDA source that is for the GPU.
//!
//! A file for `nvcc` often has host code beside its kernels: `main`, launches, containers. The
//! compilers here compile for the GPU alone, and refuse it. So what is for the host is blanked,
//! and kernels get the names that they have in the source. Lines keep their numbers.

use std::collections::{HashMap, HashSet};
use std::ops::{Range, RangeInclusive};

use super::declaration::{ALIGNS, class_name, name_and_params};
use super::item::{Item, items};
use super::lexer::{Kind, Token, tokens};
use super::macros::{Macros, macros};

/// What gives a kernel its own name in the PTX.
const LINKAGE: &str = "extern \"C\" ";

/// What marks a declaration as one for the GPU.
const MARKS: [&str; 7] = [
    "__global__",
    "__device__",
    "__constant__",
    "__managed__",
    "__shared__",
    "constexpr",
    "consteval",
];

/// What a declaration without a mark has if both sides may use it.
const SHARED: [&str; 9] = [
    "class",
    "const",
    "enum",
    "namespace",
    "static_assert",
    "struct",
    "template",
    "union",
    "using",
];

/// Headers of C that kernels use, as C++ calls them, and one of CUDA.
#[rustfmt::skip]
const C_HEADERS: [&str; 10] = [
    "cassert", "cfloat", "climits", "cmath", "cstddef", "cstdint", "cstdio", "cstdlib", "cstring",
    "cuda",
];

/// Headers with an ending that host code includes, by how they begin.
const HOST_HEADERS: [&str; 24] = [
    "cublas",
    "cudaGL",
    "cuda_gl",
    "cuda_profiler",
    "cudnn",
    "cufft",
    "curand.h",
    "cusolver",
    "cusparse",
    "dirent.h",
    "errno.h",
    "getopt.h",
    "helper_",
    "npp",
    "nvToolsExt",
    "nvml",
    "nvtx3/",
    "omp.h",
    "pthread.h",
    "signal.h",
    "sys/",
    "thrust/",
    "time.h",
    "unistd.h",
];

/// A source without its host code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DeviceCode {
    /// The text.
    pub(crate) text: String,
    /// Where [`LINKAGE`] was put in: line and column in bytes, from 1.
    added: Vec<(u32, u32)>,
    /// Lines of constants and types that host code may use. Empty without host code.
    shared: Vec<RangeInclusive<u32>>,
}

impl DeviceCode {
    /// Whether host code may use what a line declares.
    pub(crate) fn is_shared(&self, line: u32) -> bool {
        self.shared.iter().any(|lines| lines.contains(&line))
    }

    /// The column of the source that this one of the text was.
    pub(crate) fn column(&self, line: u32, column: u32) -> u32 {
        let added = self.added.iter().filter(|&&(at, from)| at == line && from <= column);
        added.fold(column, |column, &(_, from)| {
            column.saturating_sub(LINKAGE.len() as u32).max(from)
        })
    }
}

/// The part of a source that is for the GPU. What cannot be read as declarations stays as it is.
pub(crate) fn device_code(source: &str) -> DeviceCode {
    let tokens: Vec<Token> = tokens(source).filter(|it| it.kind != Kind::Comment).collect();
    let whole = || DeviceCode { text: source.to_owned(), ..DeviceCode::default() };
    let Some(items) = items(&tokens) else { return whole() };
    let mut text = source.as_bytes().to_vec();
    let mut shared = Vec::new();
    if has_host_code(source, &tokens) {
        let (marks, macros) = (marks(source), macros(source));
        let declarations = items.iter().filter(|item| !item.is_function());
        shared = declarations
            .filter_map(|item| Some(item.tokens.first()?.line..=item.tokens.last()?.line))
            .collect();
        let named = named(&items, &marks);
        for item in &items {
            let of_host = members::of_host(item, &|tokens| is_marked(tokens, &marks));
            let for_gpu = is_for_gpu(item, &of_host, (&marks, &macros), &named);
            if !for_gpu || foreign::uses(item, &tokens) {
                blank(&mut text, source, item.bytes());
            }
            for function in of_host {
                blank(&mut text, source, function.bytes());
            }
        }
        blank_includes(&mut text, source);
    }
    // A compiler without host code takes a `static` variable that no kernel sets for a constant zero,
    // and a `static` kernel that nobody launches for one to leave out.
    let set_by_host = ["__constant__", "__device__", "__global__"];
    let by_host = |it: &&Item| {
        set_by_host.iter().any(|mark| it.has(mark)) && (!it.is_function() || it.has("__global__"))
    };
    for item in items.iter().filter(by_host) {
        for token in item.head().iter().filter(|it| it.is_word("static")) {
            blank(&mut text, source, token.place.0..token.place.1);
        }
    }
    let text = String::from_utf8(text).unwrap_or_else(|_| source.to_owned());
    let mut edits = template::edits(source, &items);
    edits.extend(unnamed(&items).into_iter().map(|at| (at..at, LINKAGE.to_owned())));
    edits.sort_by_key(|it| it.0.start);
    let (mut edited, mut added, mut done) = (String::with_capacity(source.len()), Vec::new(), 0);
    for (bytes, new) in edits {
        edited.push_str(text.get(done..bytes.start).unwrap_or_default());
        if new == LINKAGE {
            let line = source.get(..bytes.start).unwrap_or_default();
            let column = bytes.start - line.rfind('\n').map_or(0, |end| end + 1) + 1;
            added.push((line.matches('\n').count() as u32 + 1, column as u32));
        }
        edited.push_str(&new);
        done = bytes.end;
    }
    edited.push_str(text.get(done..).unwrap_or_default());
    DeviceCode { text: edited, added, shared }
}

fn is_marked(tokens: &[Token], marks: &[String]) -> bool {
    tokens.iter().any(|it| marks.iter().any(|mark| it.is_word(mark)))
}

/// The name of a lambda without `__device__` that is declared here.
fn lambda<'a>(item: &Item<'_, 'a>) -> Option<&'a str> {
    let at = item.tokens.windows(2).position(|it| it[0].is_sign("=") && it[1].is_sign("["))?;
    let name = item.tokens.get(at.checked_sub(1)?)?;
    (!item.has("__device__")).then_some(name.text)
}

/// The words in code for the GPU, and in the types that it names.
fn named<'a>(items: &[Item<'_, 'a>], marks: &[String]) -> HashSet<&'a str> {
    let (marked, mut others): (Vec<_>, Vec<_>) =
        items.iter().partition(|it| is_marked(it.tokens, marks) && lambda(it).is_none());
    let words = |item: &Item<'_, 'a>| -> Vec<&'a str> {
        item.tokens.iter().filter(|it| it.kind == Kind::Word).map(|it| it.text).collect()
    };
    let mut found: HashSet<&str> = marked.into_iter().flat_map(words).collect();
    loop {
        let is_named = |it: &&Item| class_name(it.head()).is_some_and(|it| found.contains(it));
        let (new, rest): (Vec<&Item>, Vec<&Item>) = others.into_iter().partition(is_named);
        if new.is_empty() {
            return found;
        }
        found.extend(new.into_iter().flat_map(words));
        others = rest;
    }
}

/// Whether machine code of the GPU may need a declaration. `of_host` are its member functions for the
/// host, and `named` the words in code for the GPU.
fn is_for_gpu(
    item: &Item,
    of_host: &[Item],
    (marks, macros): (&[String], &Macros),
    named: &HashSet<&str>,
) -> bool {
    // A call of a macro may define anything. One that the source does not have, with a body, is of the
    // host's headers, such as `PYBIND11_MODULE(…) {…}`.
    if let [name, open, ..] = item.tokens
        && name.kind == Kind::Word
        && open.is_sign("(")
    {
        let known = macros.contains_key(name.text) || name.text.starts_with("__");
        let has_body = item.tokens.last().is_some_and(|it| it.is_sign("}"));
        return !has_body || known || ALIGNS.contains(&name.text) || is_marked(item.tokens, marks);
    }
    if item.is_function() {
        return is_marked(item.head(), marks);
    }
    // `auto blocks = [](int n) { … };` is for the host, unless a kernel names it.
    if let Some(name) = lambda(item) {
        return named.contains(name);
    }
    // A type may have functions for the GPU.
    if is_marked(item.tokens, marks) {
        return true;
    }
    let is_unnamed = || class_name(item.head()).is_none_or(|name| !named.contains(name));
    if !of_host.is_empty() && is_unnamed() {
        return false;
    }
    let left = |it: &Token| {
        let place = it.place.0;
        of_host.iter().all(|function| !function.bytes().contains(&place))
    };
    let needs_host = item.tokens.windows(2).any(|pair| {
        let [before, it] = pair else { return false };
        let runtime = it.text.strip_prefix("cuda").and_then(|rest| rest.chars().next());
        let runtime = it.kind == Kind::Word && runtime.is_some_and(|it| it.is_ascii_uppercase());
        left(it) && (runtime || it.is_word("std") && !before.is_sign(":"))
    });
    let typedef = item.tokens.first().is_some_and(|it| it.is_word("typedef"));
    !needs_host && (typedef || SHARED.iter().any(|word| item.has(word)))
}

/// Where kernels start that the PTX would rename: no templates, and none of those that share a
/// name.
fn unnamed(items: &[Item]) -> Vec<usize> {
    let kernels = items.iter().filter(|item| item.has("__global__") && !item.has("template"));
    let kernels: Vec<_> =
        kernels.filter_map(|it| Some((it, name_and_params(it.head())?.0.text))).collect();
    let mut bodies: HashMap<&str, u32> = HashMap::new();
    for (_, name) in kernels.iter().filter(|(item, _)| item.head < item.tokens.len()) {
        *bodies.entry(name).or_default() += 1;
    }
    let wanted = kernels.iter().filter(|(item, name)| {
        let named = item.in_extern_c || item.has("extern");
        !named && bodies.get(name).is_none_or(|&many| many < 2)
    });
    wanted.map(|(item, _)| item.bytes().start).collect()
}

/// Whether a source has code for the host: `main`, a launch, or containers.
fn has_host_code(source: &str, tokens: &[Token]) -> bool {
    let main = tokens.windows(2).any(|it| it[0].is_word("main") && it[1].is_sign("("));
    let launch = tokens.windows(3).any(|it| it.iter().all(|it| it.is_sign("<")));
    main || launch || source.lines().filter_map(included).any(is_of_host)
}

/// The words that mark a declaration as one for the GPU, with macros for them.
fn marks(source: &str) -> Vec<String> {
    let mut marks: Vec<String> = MARKS.map(str::to_owned).to_vec();
    for line in source.lines() {
        let defined = line.trim_start().strip_prefix('#').map(str::trim_start);
        let Some(rest) = defined.and_then(|it| it.strip_prefix("define")) else { continue };
        let mut words = tokens(rest).filter(|it| it.kind == Kind::Word);
        let Some(name) = words.next() else { continue };
        if words.any(|word| marks.iter().any(|mark| word.text == mark)) {
            marks.push(name.text.to_owned());
        }
    }
    marks
}

/// Blanks a part of the source but for its preprocessor lines.
fn blank(text: &mut [u8], source: &str, part: Range<usize>) {
    let mut joined = false;
    let mut at = source[..part.start].rfind('\n').map_or(0, |end| end + 1);
    for line in source[at..part.end].split_inclusive('\n') {
        let directive = joined || line.trim_start().starts_with('#');
        joined = directive && line.trim_end().ends_with('\\');
        if !directive {
            let bytes = at.max(part.start)..at + line.len();
            text[bytes]
                .iter_mut()
                .filter(|byte| !byte.is_ascii_whitespace())
                .for_each(|it| *it = b' ');
        }
        at += line.len();
    }
}

/// Blanks the lines that include headers of the host.
fn blank_includes(text: &mut [u8], source: &str) {
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if included(line).is_some_and(is_of_host) {
            text[at..at + line.trim_end().len()].fill(b' ');
        }
        at += line.len();
    }
}

/// The header that a line includes.
pub(crate) fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("include")?.trim_start();
    let (rest, close) = match rest.strip_prefix('<') {
        Some(rest) => (rest, '>'),
        None => (rest.strip_prefix('"')?, '"'),
    };
    let (header, _) = rest.split_once(close)?;
    Some(header.trim())
}

/// Whether a header is for host code: one of C++, as `vector`, or of the system. Those of C that
/// kernels use are built in.
fn is_of_host(header: &str) -> bool {
    let of_language = !header.contains(['.', '/']) && !C_HEADERS.contains(&header);
    let known = HOST_HEADERS.iter().any(|start| header.starts_with(start));
    of_language || known && header != "helper_math.h"
}

mod foreign;
mod members;
mod template;
#[cfg(test)]
mod tests;
