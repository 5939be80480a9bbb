//! Headers from the folder of a source. Their text follows the source, so that one numbering of lines
//! covers both. Compilers get each header where it is included.

use std::borrow::Cow;
use std::collections::HashSet;

use super::included;

/// The line before the text of a header, with its name.
const MARK: &str = "#pragma warpscope header ";

/// Maximum number of headers of a source.
const MOST: usize = 64;

/// Maximum size in bytes of a text for compilers. Headers that include each other make it grow.
const MOST_BYTES: usize = 4 << 20;

/// Maximum depth of includes.
const MOST_DEPTH: u32 = 32;

/// A source, followed by the headers that it includes. `read` returns the text of a header by its name,
/// such as `sub/common.h`.
pub(crate) fn with_headers(source: String, read: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut text = source;
    let mut known: Vec<(String, usize)> = vec![(String::new(), 0)];
    let mut next = 0;
    while let Some((includer, from)) = known.get(next).cloned() {
        let until = known.get(next + 1).map_or(text.len(), |it| it.1);
        let wanted: Vec<String> =
            text[from..until].lines().filter_map(own).map(str::to_owned).collect();
        for name in wanted.iter().flat_map(|name| paths(&includer, name)) {
            if known.len() > MOST || known.iter().any(|it| it.0 == name) {
                continue;
            }
            let Some(header) = read(&name) else { continue };
            if !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(&format!("{MARK}\"{name}\"\n"));
            known.push((name, text.len()));
            text.push_str(&header);
        }
        next += 1;
    }
    text
}

/// The header that a line includes with `"`.
fn own(line: &str) -> Option<&str> {
    included(line).filter(|header| line.contains(&format!("\"{header}\"")))
}

/// Possible paths of a header, relative to the folder of the source: beside `includer`, or in that
/// folder. Never outside of it.
fn paths(includer: &str, name: &str) -> Vec<String> {
    let inside = |path: &str| {
        let parts = path.split('/');
        !path.contains(['\\', ':']) && parts.into_iter().all(|it| !["", ".."].contains(&it))
    };
    let beside = includer.rsplit_once('/').map(|(folder, _)| format!("{folder}/{name}"));
    let plain =
        |path: String| path.split('/').filter(|it| *it != ".").collect::<Vec<_>>().join("/");
    beside.into_iter().chain([name.to_owned()]).map(plain).filter(|it| inside(it)).collect()
}

/// A part of a text: the source, which has no name, or a header.
struct Section<'a> {
    name: &'a str,
    /// The first line of its text.
    line: u32,
    text: &'a str,
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found = vec![Section { name: "", line: 1, text }];
    let (mut at, mut start) = (0, 0);
    for (line, content) in text.split_inclusive('\n').enumerate() {
        let end = at + content.len();
        if let Some(name) = content.trim_end().strip_prefix(MARK) {
            if let Some(last) = found.last_mut() {
                last.text = &text[start..at];
            }
            found.push(Section {
                name: name.trim_matches('"'),
                line: line as u32 + 2,
                text: &text[end..],
            });
            start = end;
        }
        at = end;
    }
    found
}

/// The text for compilers: each header where it is included. Lines keep their numbers.
pub(crate) fn expanded(text: &str) -> Cow<'_, str> {
    if !text.contains(MARK) {
        return Cow::Borrowed(text);
    }
    let sections = sections(text);
    let mut expansion = Expansion { sections: &sections, out: String::new(), once: HashSet::new() };
    expansion.section(0, 0);
    Cow::Owned(expansion.out)
}

struct Expansion<'a> {
    sections: &'a [Section<'a>],
    out: String,
    /// Headers with `#pragma once` that were included.
    once: HashSet<usize>,
}

impl Expansion<'_> {
    fn section(&mut self, index: usize, depth: u32) {
        let section = &self.sections[index];
        for (at, line) in section.text.split_inclusive('\n').enumerate() {
            let find = |name: &str| {
                let mut paths = paths(section.name, name).into_iter();
                paths.find_map(|path| {
                    self.sections.iter().position(|it| it.name == path && !path.is_empty())
                })
            };
            let header = own(line).and_then(find);
            let fits = depth < MOST_DEPTH && self.out.len() < MOST_BYTES;
            match header.filter(|_| fits) {
                Some(header) if self.once.contains(&header) => self.out.push('\n'),
                Some(header) => {
                    self.out.push_str(&format!("#line {}\n", self.sections[header].line));
                    self.section(header, depth + 1);
                    if !self.out.ends_with('\n') {
                        self.out.push('\n');
                    }
                    self.out.push_str(&format!("#line {}\n", section.line as usize + at + 1));
                }
                None if is_once(line) && index > 0 => {
                    self.once.insert(index);
                    self.out.push('\n');
                }
                None => self.out.push_str(line),
            }
        }
    }
}

/// `#pragma once`.
fn is_once(line: &str) -> bool {
    let mut words = line.trim_start().strip_prefix('#').unwrap_or_default().split_whitespace();
    words.next() == Some("pragma") && words.next() == Some("once")
}

/// The header that contains a line of the text, and the line number in the header.
pub(crate) fn place_in_header(text: &str, line: u32) -> Option<(&str, u32)> {
    let found = sections(text).into_iter().rfind(|it| it.line <= line)?;
    (!found.name.is_empty()).then_some((found.name, line - found.line + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn joined(source: &str, headers: &[(&str, &str)]) -> String {
        let read = |name: &str| headers.iter().find(|it| it.0 == name).map(|it| it.1.to_owned());
        with_headers(source.to_owned(), &mut { read })
    }

    #[test]
    fn headers_stand_behind_the_source_and_are_compiled_where_they_are_included() {
        let headers = [
            ("a.h", "#pragma once\n#include \"sub/b.h\"\nint a;"),
            ("sub/b.h", "#include \"c.h\"\n#include \"./a.h\"\nint b;\n"),
            ("sub/c.h", "int c;\n"),
        ];
        let source = "#include \"a.h\"\n#include <a.h>\n# include \"missing.h\"\nint main;\n#include \"a.h\" // again";
        let text = joined(source, &headers);
        let behind = "\n#pragma warpscope header \"a.h\"\n#pragma once\n#include \"sub/b.h\"\nint a;\n\
            #pragma warpscope header \"sub/b.h\"\n#include \"c.h\"\n#include \"./a.h\"\nint b;\n\
            #pragma warpscope header \"sub/c.h\"\nint c;\n";
        assert_eq!(text, format!("{source}{behind}"));
        let wanted = "#line 7\n\n#line 11\n#line 15\nint c;\n#line 12\n\nint b;\n#line 9\nint a;\n#line 2\n\
            #include <a.h>\n# include \"missing.h\"\nint main;\n\n\n";
        assert_eq!(expanded(&text).trim_end(), wanted.trim_end());
        let places: Vec<_> = [1, 5, 7, 9, 13, 15].map(|line| place_in_header(&text, line)).into();
        let wanted = [
            None,
            None,
            Some(("a.h", 1)),
            Some(("a.h", 3)),
            Some(("sub/b.h", 3)),
            Some(("sub/c.h", 1)),
        ];
        assert_eq!(places, wanted);
        // A source without headers stays as it is.
        assert_eq!(joined(source, &[]), source);
        assert_eq!(expanded(source), source);
    }

    #[test]
    fn nothing_outside_the_folder_is_read() {
        let mut asked = Vec::new();
        let source = "#include \"/etc/passwd\"\n#include \"../a.h\"\n#include \"b/../../c.h\"\n#include \"c:d.h\"\n\
            #include \"d\\e.h\"\n#include \"ok.h\"\n#include \"b/ok.h\"\n";
        with_headers(source.to_owned(), &mut |name| {
            asked.push(name.to_owned());
            None
        });
        assert_eq!(asked, ["ok.h", "b/ok.h"]);
    }

    #[test]
    fn headers_that_include_each_other_end() {
        let two = [
            ("a.h", "#include \"b.h\"\n#include \"b.h\"\n"),
            ("b.h", "#include \"a.h\"\n#include \"a.h\"\n"),
        ];
        let text = joined("#include \"a.h\"\n", &two);
        assert!(expanded(&text).len() < 2 * MOST_BYTES);
        let many = joined("#include \"0.h\"\n", &[]);
        assert_eq!(many, "#include \"0.h\"\n");
        let mut count = 0;
        with_headers("#include \"0.h\"\n".to_owned(), &mut |_| {
            count += 1;
            Some(format!("#include \"{count}.h\"\n"))
        });
        assert_eq!(count, MOST);
    }

    proptest! {
        #[test]
        fn any_text_is_joined_and_expanded(
            source in "(#include \"a\"\n|#include \"b\"|\n|x|#pragma once\n|#pragma warpscope header \"a\"\n){0,12}",
            a in "(#include \"b\"\n|y\n|#pragma once\n){0,4}",
            line in 0_u32..40,
        ) {
            let text = joined(&source, &[("a", &a), ("b", "#include \"a\"")]);
            prop_assert!(text.starts_with(&source));
            let _ = expanded(&text);
            let _ = place_in_header(&text, line);
        }
    }
}
