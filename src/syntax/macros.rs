//! Macros of a source, and its text with those written out that make or launch kernels.
//!
//! Whatever reads declarations and launches reads that text. Other macros stay: they are values in
//! expressions, or code for the compiler.

use std::borrow::Cow;
use std::collections::HashMap;

use super::declaration::closing;
use super::host::Host;
use super::lexer::{Kind, Token, tokens};
use super::library;

/// What makes or launches a kernel.
const MARKS: [&str; 3] = ["__global__", "<<<", "cudaLaunch"];

/// Maximum size in bytes of what is written for the calls of macros.
const MOST_BYTES: usize = 1 << 20;

/// Maximum depth of macros in macros.
const MOST_DEPTH: usize = 16;

/// A macro: its parameters, if it has any, and its text, on one line.
pub(super) struct Macro<'a> {
    pub(super) params: Option<Vec<&'a str>>,
    pub(super) text: Cow<'a, str>,
}

/// Macros by name.
pub(super) type Macros<'a> = HashMap<&'a str, Macro<'a>>;

/// The macros of a source. If one is defined several times, the first counts that makes or launches a
/// kernel, else the first.
pub(super) fn macros(source: &str) -> Macros<'_> {
    let mut found: Macros = HashMap::new();
    let (mut rest, mut lines) = (source, source.split_inclusive('\n'));
    while let Some(line) = lines.next() {
        let (mut length, mut last) = (line.len(), line);
        while line.trim_start().starts_with('#')
            && last.trim_end().ends_with('\\')
            && let Some(next) = lines.next()
        {
            length += next.len();
            last = next;
        }
        let (whole, behind) = rest.split_at(length);
        rest = behind;
        let Some((name, new)) = definition(whole) else { continue };
        let known = found.get(name);
        if known.is_none_or(|known| !is_marked(&known.text) && is_marked(&new.text)) {
            found.insert(name, new);
        }
    }
    found
}

/// The macro that a line defines, with the lines that it goes on in.
fn definition(line: &str) -> Option<(&str, Macro<'_>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("define")?.trim_start();
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let (params, text) = match rest.strip_prefix('(').and_then(|it| it.split_once(')')) {
        Some((params, text)) => {
            let between = |c: char| c.is_whitespace() || c == '\\';
            let params = params.split(',').map(|it| it.trim_matches(between));
            (Some(params.filter(|it| !it.is_empty()).collect()), text)
        }
        None => (None, rest),
    };
    let text = text.trim();
    let one_line = || Cow::Owned(text.replace("\\\r\n", " ").replace("\\\n", " "));
    let text = if text.contains('\n') { one_line() } else { Cow::Borrowed(text) };
    Some((name, Macro { params, text }))
}

fn is_marked(text: &str) -> bool {
    MARKS.iter().any(|it| text.contains(it))
}

/// A source in which each kernel is declared as `__global__` and launched by `<<<…>>>`: macros are
/// written out, calls of the library replaced, and lambdas for the GPU objects. Lines keep their numbers.
pub(crate) fn written_out(source: &str) -> Cow<'_, str> {
    let text = with_launches(source);
    let objects = if may_have_lambda(&text) { Host::new(&text).with_objects() } else { None };
    objects.map_or(text, Cow::Owned)
}

/// Code for the GPU from a source that is written out, with the lines of lambdas where they are in the
/// source of this name.
pub(crate) fn with_lines_of_lambdas(code: String, source: &str, name: &str) -> String {
    let text = with_launches(source);
    let lines = || Host::new(&text).with_lines(&code, name);
    let found = if may_have_lambda(&text) { lines() } else { None };
    found.unwrap_or(code)
}

/// Whether a lambda for the GPU may be there: its mark stands behind what it captures.
fn may_have_lambda(text: &str) -> bool {
    text.contains("] __device__") || text.contains("] __host__")
}

/// A source with its macros written out and calls of the library replaced.
fn with_launches(source: &str) -> Cow<'_, str> {
    let mut all = macros(source);
    let marked = with_callers(&mut all, is_marked);
    let text = if marked.is_empty() {
        None
    } else {
        let joining = with_callers(&mut all, |text| text.contains("##"));
        let mut writer = Writer { macros: &marked, joining: &joining, left: MOST_BYTES };
        writer.expanded(source, &mut Vec::new())
    };
    let text = text.map_or(Cow::Borrowed(source), Cow::Owned);
    library::launches(&text).map_or(text, Cow::Owned)
}

/// Takes the macros whose text is such, and those that call them.
fn with_callers<'a>(all: &mut Macros<'a>, is: impl Fn(&str) -> bool) -> Macros<'a> {
    let mut found: Macros = all.extract_if(|_, it| is(&it.text)).collect();
    loop {
        let calls = |it: &Macro| tokens(&it.text).any(|it| found.contains_key(it.text));
        let more: Macros = all.extract_if(|_, it| calls(it)).collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// Puts parts of a text in the place of others, and keeps the numbers of lines.
pub(super) struct Replacing<'t> {
    text: &'t str,
    new: String,
    done: usize,
}

impl<'t> Replacing<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, new: String::new(), done: 0 }
    }

    /// Puts `new` in the place of these tokens, which are behind those before.
    pub(super) fn put(&mut self, tokens: &[Token], new: &str) {
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return };
        let (from, to) = (first.place.0, last.place.1);
        let lines = self.text[from..to].matches('\n').count();
        self.new.push_str(&self.text[self.done..from]);
        self.new.push_str(new);
        self.new.push_str(&"\n".repeat(lines));
        self.done = to;
    }

    /// The new text, if anything was put in.
    pub(super) fn end(self) -> Option<String> {
        (self.done > 0).then(|| self.new + &self.text[self.done..])
    }
}

struct Writer<'m> {
    macros: &'m Macros<'m>,
    /// Those that make a name of two, as a macro for kernels may call.
    joining: &'m Macros<'m>,
    /// The bytes that it may still write.
    left: usize,
}

impl<'m> Writer<'m> {
    /// A text with the macros written out, if it has any; those of `around` stay, as they are being
    /// written out.
    fn expanded(&mut self, text: &str, around: &mut Vec<&'m str>) -> Option<String> {
        let tokens: Vec<Token> = tokens(text).filter(|it| it.kind != Kind::Comment).collect();
        let (mut replacing, mut at) = (Replacing::new(text), 0);
        while let Some(token) = tokens.get(at) {
            let joining = || self.joining.get_key_value(token.text).filter(|_| !around.is_empty());
            let known = self.macros.get_key_value(token.text).or_else(joining);
            let known = known.filter(|it| token.kind == Kind::Word && !around.contains(it.0));
            let length = known.and_then(|(_, it)| length(&tokens[at..], it));
            let (Some((name, it)), Some(length)) = (known, length) else {
                at += 1;
                continue;
            };
            let call = &tokens[at..at + length];
            let body = substituted(text, call, it);
            at += length;
            if body.len() > self.left || around.len() >= MOST_DEPTH {
                continue;
            }
            self.left -= body.len();
            around.push(name);
            let body = self.expanded(&body, around).unwrap_or(body);
            around.pop();
            replacing.put(call, &body);
        }
        replacing.end()
    }
}

/// The number of tokens of a call of a macro that begins here.
fn length(tokens: &[Token], it: &Macro) -> Option<usize> {
    if it.params.is_none() {
        return Some(1);
    }
    let rest = tokens.get(1..).filter(|it| it.first().is_some_and(|it| it.is_sign("(")))?;
    Some(closing(rest)? + 2)
}

/// The text of a macro with the arguments of a call.
fn substituted(text: &str, call: &[Token], it: &Macro) -> String {
    let params = it.params.as_deref().unwrap_or_default();
    let given = call.get(2..call.len().max(1) - 1).map_or(Vec::new(), |it| arguments(text, it));
    let argument = |token: &Token| {
        let index = params.iter().position(|param| match param.strip_suffix("...") {
            Some("") => token.is_word("__VA_ARGS__"),
            Some(name) => token.is_word(name),
            None => token.is_word(param),
        })?;
        let rest = given.get(index..).unwrap_or_default();
        let rest = if params[index].ends_with("...") { rest } else { &rest[..rest.len().min(1)] };
        Some(rest.join(", "))
    };
    let body: Vec<Token> = tokens(&it.text).filter(|it| it.kind != Kind::Comment).collect();
    let (mut new, mut at, mut end, mut glued) = (String::new(), 0, 0, false);
    while let Some(token) = body.get(at) {
        let next = body.get(at + 1);
        if token.is_sign("#") && next.is_some_and(|it| it.is_sign("#")) {
            new.truncate(new.trim_end().len());
            (glued, at) = (true, at + 2);
            continue;
        }
        if token.place.0 > end && !glued {
            new.push(' ');
        }
        let quoted = if token.is_sign("#") { next.and_then(argument) } else { None };
        if let Some(quoted) = quoted {
            new.push_str(&format!("\"{}\"", quoted.replace('\\', "\\\\").replace('"', "\\\"")));
            at += 1;
        } else if let Some(argument) = argument(token) {
            // `, ##__VA_ARGS__` leaves out the comma if there are none.
            if argument.is_empty() && glued && new.ends_with(',') {
                new.pop();
            }
            new.push_str(&argument);
        } else {
            new.push_str(&it.text[token.place.0..token.place.1]);
        }
        (end, glued, at) = (body[at].place.1, false, at + 1);
    }
    new
}

/// The arguments in the parentheses of a call, each on one line.
fn arguments(text: &str, inside: &[Token]) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = inside.split(|it| {
        if it.is_sign("(") {
            depth += 1;
        } else if it.is_sign(")") {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && it.is_sign(",")
    });
    parts.map(|it| one_line(text, it)).collect()
}

/// Tokens of a text as they are written, without line ends and comments.
pub(super) fn one_line(text: &str, tokens: &[Token]) -> String {
    let mut line = String::new();
    let mut end = tokens.first().map_or(0, |it| it.place.0);
    for token in tokens {
        if token.place.0 > end {
            line.push(' ');
        }
        line.push_str(&text[token.place.0..token.place.1]);
        end = token.place.1;
    }
    line
}

#[cfg(test)]
mod tests;
