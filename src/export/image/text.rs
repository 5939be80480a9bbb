//! Widths of words, and where lines break.
//!
//! The font is Hack, which is monospaced, so widths are counts of characters.
//! It comes with the `epaint_default_fonts` crate, under the MIT licence and
//! the Bitstream Vera licence (`assets/licences/Hack-Regular.txt`).

use super::scene::{Anchor, Text};

/// The font that pictures are drawn with.
pub(super) const FONT: &[u8] = epaint_default_fonts::HACK_REGULAR;

/// Width of every character over the font size: 1233 of 2048 units.
pub(super) const ADVANCE: f64 = 1233.0 / 2048.0;

/// Distance between lines over the font size.
pub(super) const LEADING: f64 = 1.4;

/// Width of `words` in pixels.
pub(super) fn width(words: &str, size: f64) -> f64 {
    words.chars().count() as f64 * ADVANCE * size
}

/// How many characters fit into `width` pixels, at least one.
pub(super) fn fitting(width: f64, size: f64) -> usize {
    ((width / (ADVANCE * size) + 1e-9) as usize).max(1)
}

/// `words`, with `…` for what does not fit into `most` characters.
pub(super) fn cut(words: &str, most: usize) -> String {
    if words.chars().count() <= most {
        return words.to_owned();
    }
    let kept: String = words.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// `words` in lines of at most `most` characters, broken at spaces; at most
/// `lines` lines, the last one cut if need be. Lines after the first begin with
/// `indent`.
pub(super) fn wrap(words: &str, most: usize, lines: usize, indent: &str) -> Vec<String> {
    let options = textwrap::Options::new(most)
        .subsequent_indent(indent)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    let mut wrapped = textwrap::wrap(words, options);
    if wrapped.len() > lines {
        wrapped.truncate(lines);
        wrapped.last_mut().into_iter().for_each(|line| line.to_mut().push_str(" …"));
    }
    wrapped.iter().map(|line| cut(line, most)).collect()
}

impl Text {
    /// Left, top, right and bottom edge in pixels.
    pub(super) fn bounds(&self) -> (f64, f64, f64, f64) {
        let width = width(&self.words, self.size);
        let (x, y) = self.at;
        let left = match self.anchor {
            Anchor::Left => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::Right => x - width,
        };
        (left, y - self.size * 0.5, left + width, y + self.size * 0.5)
    }
}
