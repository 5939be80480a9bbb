//! Text from outside (files, devices, kernels, workers): made visible and short before a
//! person reads it.
//!
//! A terminal obeys control characters, and bidirectional marks reorder what is read. Each
//! becomes the escape `\u001b` that JSON knows too, so that escaped JSON is still the same
//! JSON.

use std::borrow::Cow;
use std::io::{self, Write};

use super::Bytes;

/// Characters of a message that are shown.
pub const SHOWN: usize = 200;

/// Whether a character is shown as an escape: control characters (C0, DEL, C1), line and
/// paragraph separators, and format characters (Unicode category Cf), among them the
/// bidirectional marks.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            u32::from(c),
            0xAD | 0x600..=0x605 | 0x61C | 0x6DD | 0x70F | 0x890..=0x891 | 0x8E2 | 0x180E
                | 0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F | 0xFEFF | 0xFFF9..=0xFFFB
                | 0x110BD | 0x110CD | 0x1_3430..=0x1_343F | 0x1_BCA0..=0x1_BCA3
                | 0x1_D173..=0x1_D17A | 0xE_0000..=0xE_007F
        )
}

/// The text as one line: what [`is_hidden`] becomes an escape.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// The text with its line breaks and tabs; everything else as in [`line()`].
pub fn lines(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

fn escape(text: &str, keeps: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let hidden = |c: char| is_hidden(c) && !keeps(c);
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                shown.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The text, or the first `most` characters of a longer one and its size:
/// `the worker says … (3.1 MB)`.
pub fn excerpt(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… ({})", &text[..end], Bytes(text.len() as u64)),
    }
}

/// A writer through which text reaches a person: it passes on [`lines`] of what is written.
/// Bytes that are not UTF-8 become escapes too.
#[derive(Debug)]
pub struct Escaped<W> {
    out: W,
    /// The start of a character whose end is not written yet.
    part: Vec<u8>,
}

impl<W: Write> Escaped<W> {
    /// A writer to `out`.
    pub fn new(out: W) -> Self {
        Self { out, part: Vec::new() }
    }

    /// The writer without escapes, for escape sequences of this program itself.
    pub fn raw(&mut self) -> &mut W {
        &mut self.out
    }
}

impl<W: Write> Write for Escaped<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.part);
        all.extend_from_slice(bytes);
        let mut shown = String::with_capacity(all.len());
        let mut chunks = all.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            shown.push_str(&lines(chunk.valid()));
            let invalid = chunk.invalid();
            if chunks.peek().is_none() && is_start(invalid) {
                self.part = invalid.to_vec();
            } else {
                shown.extend(invalid.iter().map(|byte| format!("\\x{byte:02x}")));
            }
        }
        self.out.write_all(shown.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether more bytes can make a character of these.
fn is_start(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// ESC, BEL, CSI, OSC, a bidirectional override, a mark, 8-bit controls, DEL.
    pub(crate) const HOSTILE: &str =
        "a\x1b[31m\x07\x1b]0;t\x1b\\\u{202e}\u{200f}\u{9b}2J\u{7f}\r\u{e0041}b";

    #[test]
    fn what_a_terminal_would_obey_is_shown() {
        assert_eq!(
            line(HOSTILE),
            "a\\u001b[31m\\u0007\\u001b]0;t\\u001b\\\\u202e\\u200f\\u009b2J\\u007f\\u000d\
             \\udb40\\udc41b"
        );
        assert_eq!(line("a\n\tb"), "a\\u000a\\u0009b");
        assert_eq!(lines("a\n\tb\u{85}"), "a\n\tb\\u0085");
        assert!(matches!(line("µs · 2¹⁰ – ×4 \\ \u{4e2d}"), Cow::Borrowed(_)));
    }

    #[test]
    fn escaped_json_is_the_same_json() {
        let json = serde_json::to_string(HOSTILE).unwrap();
        let shown = line(&json);
        assert_ne!(json, shown);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), HOSTILE);
    }

    #[test]
    fn long_text_is_cut_and_its_size_told() {
        assert_eq!(excerpt("short", 5), "short");
        assert_eq!(excerpt(&"é".repeat(1 << 20), 3), "ééé… (2.00 MiB)");
    }

    fn written(parts: &[&[u8]]) -> String {
        let mut out = Escaped::new(Vec::new());
        for part in parts {
            out.write_all(part).unwrap();
        }
        String::from_utf8(out.raw().clone()).unwrap()
    }

    #[test]
    fn a_writer_escapes_whatever_the_pieces_are() {
        let text = "é\x1b[m\u{202e}中\n";
        let expected = lines(text);
        for cut in 0..=text.len() {
            let (a, b) = text.as_bytes().split_at(cut);
            assert_eq!(written(&[a, b]), expected, "cut at {cut}");
        }
        assert_eq!(written(&[b"a\x9b2Jb\xff\n"]), "a\\x9b2Jb\\xff\n");
        assert_eq!(written(&[b"a\xe4", b"\xb8b"]), "a\\xe4\\xb8b");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_ever_written(parts in proptest::collection::vec(
            proptest::collection::vec(any::<u8>(), 0..20), 0..8)) {
            let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            let text = written(&parts);
            prop_assert!(!text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\t')));
        }
    }
}
