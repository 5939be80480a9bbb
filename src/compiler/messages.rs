//! What compilers write about a source, read into messages. The text is made of pieces of
//! the source, so it is cleaned and bounded here.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::syntax::{DeviceCode, place_in_header};
use crate::units::text;

/// Most messages that are kept.
const MOST: usize = 50;

/// Most bytes of a log that are read.
const MOST_BYTES: usize = 64 << 10;

/// Most characters of one message.
const MOST_TEXT: usize = 500;

/// How serious a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The source is not compiled.
    Error,
    /// It is compiled, with a doubt.
    Warning,
    /// It belongs to the message before.
    Note,
}

/// What the compiler says about one place of the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    /// Line of the source, from 1. None where the message is about no line of it.
    pub line: Option<u32>,
    /// Column in bytes, from 1.
    pub column: Option<u32>,
    /// How serious it is.
    pub severity: Severity,
    /// One line without control characters.
    pub text: String,
}

impl Message {
    /// Whether the source is not compiled because of it.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, "line {line}:{column}: ")?,
            (Some(line), None) => write!(f, "line {line}: ")?,
            (None, _) => {}
        }
        f.write_str(&self.text)
    }
}

/// The messages of a log of NVRTC, clang or ptxas about the source called `name`.
pub(super) fn parse(log: &str, name: &str) -> Vec<Message> {
    let log = clean(log);
    let mut messages: Vec<Message> = Vec::new();
    // The message whose column a caret below gives.
    let mut open = false;
    for line in log.lines() {
        if let Some(message) = message(line, name) {
            if messages.len() == MOST {
                break;
            }
            open = message.line.is_some() && message.column.is_none();
            messages.push(message);
        } else if open
            && let Some(column) = caret(line)
            && let Some(last) = messages.last_mut()
        {
            last.column = Some(column);
            open = false;
        }
    }
    messages
}

/// Whether a message calls a constant unused. Host code may use it, and the compiler does not see that.
pub(super) fn is_of_host(message: &Message, code: &DeviceCode) -> bool {
    message.text.ends_with("was declared but never referenced")
        && message.line.is_some_and(|line| code.is_shared(line))
}

/// Maps columns of the device code to columns of the source. Messages about a user's header get its
/// name.
pub(super) fn place(messages: &mut [Message], code: &DeviceCode) {
    for message in messages {
        if let Some((header, line)) =
            message.line.and_then(|line| place_in_header(&code.text, line))
        {
            message.text = format!("in {header}, line {line}: {}", message.text);
        }
        if let (Some(line), Some(column)) = (message.line, &mut message.column) {
            *column = code.column(line, *column);
        }
    }
}

/// The start of a log without escape sequences, in lines.
fn clean(log: &str) -> String {
    let mut end = log.len().min(MOST_BYTES);
    while !log.is_char_boundary(end) {
        end -= 1;
    }
    let mut clean = String::with_capacity(end);
    let mut characters = log[..end].chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // CSI: up to its final byte.
            '\u{1b}' if characters.peek() == Some(&'[') => {
                characters.next();
                while characters.next_if(|c| !('\u{40}'..='\u{7e}').contains(c)).is_some() {}
                characters.next();
            }
            '\n' | '\t' => clean.push(c),
            c if text::is_hidden(c) => {}
            c => clean.push(c),
        }
    }
    clean
}

/// The message that a line starts, if it starts one.
fn message(line: &str, name: &str) -> Option<Message> {
    // Quoted lines of the source are indented.
    if line.starts_with([' ', '\t']) {
        return None;
    }
    let (place, rest) = match place_of(line, name) {
        Some((place, rest)) => (place, rest),
        None => ((None, None), tool(line)?),
    };
    let (severity, text) = severity(rest)?;
    let text = text.trim();
    if text.is_empty() || is_noise(text) {
        return None;
    }
    let text = text::excerpt(plainer(text), MOST_TEXT);
    Some(Message { line: place.0, column: place.1, severity, text })
}

/// Line and column, where they are known.
type Place = (Option<u32>, Option<u32>);

/// Line and column of `FILE(3): `, `FILE:3:10: ` or `FILE:3: `, and what follows. Lines of
/// another file than the source have no place.
fn place_of<'a>(line: &'a str, name: &str) -> Option<(Place, &'a str)> {
    let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
    // NVRTC. The name of a file may have parentheses too.
    for (at, _) in line.match_indices("): ") {
        let before = &line[..at];
        if let Some((file, digits)) = before.rsplit_once('(')
            && let Some(number) = number(digits)
        {
            let own = file == name;
            return Some(((own.then_some(number), None), &line[at + 3..]));
        }
    }
    // clang.
    for (at, _) in line.match_indices(": ") {
        let mut parts = line[..at].rsplitn(3, ':');
        let (last, middle, first) = (parts.next()?, parts.next(), parts.next());
        let rest = &line[at + 2..];
        if let (Some(column), Some(line), Some(file)) =
            (number(last), middle.and_then(number), first)
        {
            let own = file == name;
            return Some(((own.then_some(line), own.then_some(column)), rest));
        }
    }
    None
}

/// What a tool says about no line: `nvrtc: error: …`, `ptxas error   : …`.
fn tool(line: &str) -> Option<&str> {
    if let Some(rest) = line.strip_prefix("ptxas ") {
        return Some(rest);
    }
    let (tool, rest) = line.split_once(": ")?;
    let tool = tool.rsplit(['/', '\\']).next().unwrap_or(tool);
    let known = tool == "nvrtc" || tool.starts_with("clang");
    if known {
        return Some(rest);
    }
    severity(line).map(|_| line)
}

/// What a message means here, where the compiler speaks of what it lacks itself.
fn plainer(text: &str) -> &str {
    if text.starts_with("device-side kernel launch") {
        return "kernels cannot launch kernels here; launch them from the host, one after the other";
    }
    text
}

/// How serious `error: …`, `warning #177-D: …`, `fatal   : …` is, and its text.
fn severity(text: &str) -> Option<(Severity, &str)> {
    let (word, rest) = text.split_once(':')?;
    // A number may follow the word: `error #20`, `warning #177-D`.
    let word = word.split('#').next().unwrap_or(word).trim();
    let severity = match word {
        "error" | "fatal error" | "catastrophic error" | "internal error" | "fatal" => {
            Severity::Error
        }
        "warning" => Severity::Warning,
        "note" | "remark" => Severity::Note,
        _ => return None,
    };
    Some((severity, rest))
}

/// Messages that say nothing about the source.
fn is_noise(text: &str) -> bool {
    text.starts_with("Architectures prior to") || text.contains("too many errors emitted")
}

/// Spaces before a line of the source that NVRTC quotes, and before the caret below it.
const QUOTED: usize = 2;

/// The column of a line that is only a caret.
fn caret(line: &str) -> Option<u32> {
    let line = line.trim_end();
    let before = line.strip_suffix('^')?;
    if !before.chars().all(char::is_whitespace) {
        return None;
    }
    u32::try_from((before.len() + 1).checked_sub(QUOTED)?).ok().filter(|&column| column > 0)
}

#[cfg(test)]
mod tests;
