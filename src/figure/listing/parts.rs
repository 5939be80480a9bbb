//! Finds the parts of a text: the functions of CUDA source, the kernel of a PTX
//! file. By braces and comments alone: the texts are compiled ones.

use std::ops::Range;

/// How far into a text of several lines the reader is.
#[derive(Default)]
struct Reader {
    depth: usize,
    comment: bool,
}

impl Reader {
    /// Reads a line; whether it has code on it.
    fn line(&mut self, text: &str) -> bool {
        let mut code = false;
        let mut quote: Option<char> = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if self.comment {
                if c == '*' && chars.next_if_eq(&'/').is_some() {
                    self.comment = false;
                }
                continue;
            }
            if let Some(open) = quote {
                if c == '\\' {
                    chars.next();
                } else if c == open {
                    quote = None;
                }
                continue;
            }
            match c {
                '/' if chars.peek() == Some(&'/') => break,
                '/' if chars.next_if_eq(&'*').is_some() => self.comment = true,
                '"' | '\'' => (quote, code) = (Some(c), true),
                '{' => (self.depth, code) = (self.depth + 1, true),
                '}' => (self.depth, code) = (self.depth.saturating_sub(1), true),
                c if !c.is_whitespace() => code = true,
                _ => {}
            }
        }
        code
    }
}

/// The functions of CUDA source: for each the places of its lines, from its
/// signature to its closing brace, comments before it left out.
pub fn functions(text: &str) -> Vec<Range<usize>> {
    let mut reader = Reader::default();
    let (mut found, mut start, mut opened) = (Vec::new(), None, false);
    for (at, line) in text.lines().enumerate() {
        let outside = reader.depth == 0 && !reader.comment;
        let code = reader.line(line);
        let word = line.trim();
        if outside && start.is_none() && code && !word.starts_with('#') {
            start = Some(at);
        }
        opened |= reader.depth > 0 || (outside && code && word.ends_with('}'));
        if reader.depth > 0 {
            continue;
        }
        if opened {
            found.extend(start.take().filter(|_| !word.ends_with(';')).map(|start| start..at + 1));
            opened = false;
        } else if word.ends_with(';') {
            start = None; // a declaration
        }
    }
    found
}

/// The lines of the entry point `name`: from the line that names it to its
/// closing brace; all lines where there is none.
pub(super) fn entry<'a, 'b>(lines: &'a [(u32, &'b str)], name: &str) -> &'a [(u32, &'b str)] {
    let names = |text: &str| {
        text.split_once(".entry").is_some_and(|(_, rest)| {
            rest.trim().strip_prefix(name).is_some_and(|rest| {
                !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$')
            })
        })
    };
    let Some(start) = lines.iter().position(|(_, text)| names(text)) else { return lines };
    let mut reader = Reader::default();
    let mut opened = false;
    for (at, (_, text)) in lines.iter().enumerate().skip(start) {
        reader.line(text);
        opened |= reader.depth > 0;
        if opened && reader.depth == 0 {
            return &lines[start..=at];
        }
    }
    &lines[start..]
}
