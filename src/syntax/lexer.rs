//! Words of a CUDA source or of PTX, without preprocessor lines.

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or keyword.
    Word,
    /// A string, without its quotes.
    String,
    /// A comment `/* … */`, without its marks.
    Comment,
    /// A number, a character, or a single other character.
    Other,
}

/// A token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'a> {
    /// What it is.
    pub(crate) kind: Kind,
    /// Its text.
    pub(crate) text: &'a str,
    /// Line of its first character, from 1.
    pub(crate) line: u32,
    /// Its first byte in the source, and the one behind it.
    pub(crate) place: (usize, usize),
}

impl Token<'_> {
    /// Whether it is this word.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    /// Whether it is this character.
    pub(crate) fn is_sign(&self, sign: &str) -> bool {
        self.kind == Kind::Other && self.text == sign
    }
}

/// The tokens of a source. Line comments and preprocessor lines are left out. Any text
/// has tokens; a comment or string that is never closed ends with the text.
pub(crate) fn tokens(source: &str) -> Tokens<'_> {
    Tokens { source, at: 0, line: 1, fresh: true }
}

/// The tokens of a source.
#[derive(Debug, Clone)]
pub(crate) struct Tokens<'a> {
    source: &'a str,
    at: usize,
    line: u32,
    /// Whether the line had no token yet.
    fresh: bool,
}

impl<'a> Tokens<'a> {
    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Moves on by `bytes`, and counts lines.
    fn take(&mut self, bytes: usize) -> &'a str {
        let end = (self.at + bytes).min(self.source.len());
        let text = self.source.get(self.at..end).unwrap_or_default();
        let lines = text.bytes().filter(|&byte| byte == b'\n').count();
        if lines > 0 {
            self.fresh = true;
        }
        self.line += lines as u32;
        self.at = end;
        text
    }

    /// Moves past the end of the line; a backslash before it joins the next line. A
    /// comment that begins on the line may go on.
    fn skip_directive(&mut self) {
        while let Some(next) = self.rest().chars().next() {
            if self.rest().starts_with("/*") {
                self.comment();
                continue;
            }
            if self.rest().starts_with("//") {
                let line = self.rest().find('\n').unwrap_or(self.rest().len());
                self.take(line);
                return;
            }
            match next {
                '\\' => {
                    let joined = if self.rest().starts_with("\\\r\n") { 3 } else { 2 };
                    let joined = if self.rest().is_char_boundary(joined) { joined } else { 1 };
                    self.take(joined);
                }
                '\n' => return,
                other => {
                    self.take(other.len_utf8());
                }
            }
        }
    }

    /// A comment from its `/*` on.
    fn comment(&mut self) -> &'a str {
        let rest = self.rest().get(2..).unwrap_or_default();
        let end = rest.find("*/").unwrap_or(rest.len());
        self.take(end + 4);
        &rest[..end]
    }

    /// A string or character from its quote on, without quotes.
    fn quoted(&mut self, quote: char) -> &'a str {
        let rest = self.rest();
        let mut escaped = false;
        let end = rest.char_indices().skip(1).find(|&(_, c)| {
            let ends = (c == quote || c == '\n') && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let end = end.map_or(rest.len(), |(end, _)| end);
        self.take(end + 1);
        rest.get(1..end).unwrap_or_default()
    }

    /// A raw string `R"mark( … )mark"`, if one begins here.
    fn raw_string(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let (mark, text) = rest.strip_prefix("R\"")?.split_once('(')?;
        if mark.len() > 16 || mark.contains([' ', '\\', ')', '\n', '"']) {
            return None;
        }
        let end = text.find(&format!("){mark}\""))?;
        let before = rest.len() - text.len();
        self.take(before + end + mark.len() + 2);
        text.get(..end)
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            let (line, at) = (self.line, self.at);
            if first.is_whitespace() {
                self.take(first.len_utf8());
                continue;
            }
            if rest.starts_with("//") {
                self.take(rest.find('\n').unwrap_or(rest.len()));
                continue;
            }
            if first == '#' && self.fresh {
                self.skip_directive();
                continue;
            }
            let (kind, text) = if rest.starts_with("/*") {
                (Kind::Comment, self.comment())
            } else {
                self.fresh = false;
                self.word(first)
            };
            return Some(Token { kind, text, line, place: (at, self.at) });
        }
    }
}

impl<'a> Tokens<'a> {
    /// A token that is no comment, from its first character on.
    fn word(&mut self, first: char) -> (Kind, &'a str) {
        if let Some(text) = self.raw_string() {
            return (Kind::String, text);
        }
        if first == '"' {
            return (Kind::String, self.quoted('"'));
        }
        if first == '\'' {
            return (Kind::Other, self.quoted('\''));
        }
        let in_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if in_word(first) {
            let rest = self.rest();
            let end = rest.find(|c: char| !in_word(c)).unwrap_or(rest.len());
            let kind = if first.is_numeric() { Kind::Other } else { Kind::Word };
            return (kind, self.take(end));
        }
        (Kind::Other, self.take(first.len_utf8()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn comments_strings_and_directives_hide_what_they_hold() {
        let source = "#define K(x) \\\n  __global__ x /* a\n b */\n// __global__ c\n\
                      /* __global__ */ f(\"a\\\"b\", 'x') R\"m(\n))m\" 1e5\n g";
        let seen: Vec<_> = tokens(source).map(|it| (it.kind, it.text, it.line)).collect();
        assert_eq!(
            seen,
            [
                (Kind::Comment, " __global__ ", 5),
                (Kind::Word, "f", 5),
                (Kind::Other, "(", 5),
                (Kind::String, "a\\\"b", 5),
                (Kind::Other, ",", 5),
                (Kind::Other, "x", 5),
                (Kind::Other, ")", 5),
                (Kind::String, "\n)", 5),
                (Kind::Other, "1e5", 6),
                (Kind::Word, "g", 7),
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_has_tokens_on_its_lines(text in "[\\PC\n\\\\\"'#/*R(]{0,80}") {
            let lines = text.lines().count().max(1) as u32;
            for token in tokens(&text) {
                prop_assert!(token.line <= lines, "{token:?}");
            }
        }
    }
}
