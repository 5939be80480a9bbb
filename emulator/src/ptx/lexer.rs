//! Characters to tokens: words, numbers, strings and punctuation, each with its position.

/// A place in a text, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line.
    pub line: u32,
    /// Column, in bytes.
    pub column: u32,
}

/// One token.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    /// An identifier, register, label or directive: `add.s32`, `%r1`, `$L_1`,
    /// `.reg`. Instruction words keep their dots.
    Word(&'a str),
    /// An integer literal, as 64 bits.
    Int(u64),
    /// `0fXXXXXXXX`: the bits of a 32-bit float.
    Float32(u32),
    /// `0dXXXXXXXXXXXXXXXX` or a decimal float: the bits of a 64-bit float.
    Float64(u64),
    /// A quoted string, without the quotes.
    Text(&'a str),
    /// One punctuation character.
    Punct(u8),
    /// The end of the text.
    End,
}

/// A token and where it starts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spanned<'a> {
    pub(super) token: Token<'a>,
    pub(super) position: Position,
    /// Whether it is a number that ends in `U`.
    pub(super) unsigned: bool,
}

/// Splits a text into tokens. Always moves on, so that it ends on any input.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

fn is_word_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1, line_start: 0 }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn position(&self) -> Position {
        Position { line: self.line, column: (self.at - self.line_start + 1) as u32 }
    }

    fn skip_blank(&mut self) -> Result<(), (Position, String)> {
        let bytes = self.text.as_bytes();
        while self.at < bytes.len() {
            match bytes[self.at] {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                byte if byte.is_ascii_whitespace() => self.at += 1,
                b'/' if self.peek(1) == b'/' => {
                    while self.at < bytes.len() && bytes[self.at] != b'\n' {
                        self.at += 1;
                    }
                }
                b'/' if self.peek(1) == b'*' => {
                    let start = self.position();
                    self.at += 2;
                    loop {
                        if self.at >= bytes.len() {
                            return Err((start, "this comment is never closed".to_owned()));
                        }
                        if bytes[self.at] == b'*' && self.peek(1) == b'/' {
                            self.at += 2;
                            break;
                        }
                        if bytes[self.at] == b'\n' {
                            self.line += 1;
                            self.line_start = self.at + 1;
                        }
                        self.at += 1;
                    }
                }
                _ => break,
            }
        }
        Ok(())
    }

    /// The next token, or where and why there is none.
    pub(super) fn next(&mut self) -> Result<Spanned<'a>, (Position, String)> {
        self.skip_blank()?;
        let position = self.position();
        let token = self.token().map_err(|message| (position, message))?;
        let last = self.text.as_bytes()[..self.at].last();
        let unsigned = matches!(token, Token::Int(_)) && matches!(last, Some(b'U' | b'u'));
        Ok(Spanned { token, position, unsigned })
    }

    fn token(&mut self) -> Result<Token<'a>, String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(start) else {
            return Ok(Token::End);
        };
        if first.is_ascii_digit() {
            return self.number();
        }
        if is_word_start(first) {
            while self.at < bytes.len() && is_word(bytes[self.at]) {
                self.at += 1;
            }
            // `add.s32::wide` style qualifiers belong to the word.
            while self.peek(0) == b':' && self.peek(1) == b':' && is_word(self.peek(2)) {
                self.at += 2;
                while self.at < bytes.len() && is_word(bytes[self.at]) {
                    self.at += 1;
                }
            }
            return Ok(Token::Word(&self.text[start..self.at]));
        }
        if first == b'"' {
            self.at += 1;
            while self.at < bytes.len() && bytes[self.at] != b'"' && bytes[self.at] != b'\n' {
                self.at += 1;
            }
            if self.peek(0) != b'"' {
                return Err("this string is never closed".to_owned());
            }
            self.at += 1;
            return Ok(Token::Text(&self.text[start + 1..self.at - 1]));
        }
        if first.is_ascii_punctuation() {
            self.at += 1;
            return Ok(Token::Punct(first));
        }
        let odd = self.text[start..].chars().next().unwrap_or(' ');
        self.at += odd.len_utf8();
        Err(format!("unexpected character `{}`", odd.escape_default()))
    }

    fn number(&mut self) -> Result<Token<'a>, String> {
        let start = self.at;
        let bytes = self.text.as_bytes();
        while self.at < bytes.len()
            && (bytes[self.at].is_ascii_alphanumeric() || bytes[self.at] == b'.')
        {
            self.at += 1;
        }
        let decimal_exponent = |text: &str| text.ends_with(['e', 'E']) && !text.starts_with("0x");
        if decimal_exponent(&self.text[start..self.at]) && matches!(self.peek(0), b'+' | b'-') {
            self.at += 1;
            while self.at < bytes.len() && bytes[self.at].is_ascii_digit() {
                self.at += 1;
            }
        }
        let text = &self.text[start..self.at];
        let bad = || format!("`{text}` is not a number");
        if let Some(hex) = text.strip_prefix("0f").or_else(|| text.strip_prefix("0F")) {
            return if hex.len() == 8 {
                u32::from_str_radix(hex, 16).map(Token::Float32).map_err(|_| bad())
            } else {
                Err(bad())
            };
        }
        if let Some(hex) = text.strip_prefix("0d").or_else(|| text.strip_prefix("0D")) {
            return if hex.len() == 16 {
                u64::from_str_radix(hex, 16).map(Token::Float64).map_err(|_| bad())
            } else {
                Err(bad())
            };
        }
        if text.contains('.') || (text.contains(['e', 'E']) && !text.starts_with("0x")) {
            return text.parse::<f64>().map(|v| Token::Float64(v.to_bits())).map_err(|_| bad());
        }
        let plain = text.strip_suffix(['U', 'u']).unwrap_or(text);
        let value = if let Some(hex) = plain.strip_prefix("0x").or_else(|| plain.strip_prefix("0X"))
        {
            u64::from_str_radix(hex, 16)
        } else if let Some(binary) = plain.strip_prefix("0b").or_else(|| plain.strip_prefix("0B")) {
            u64::from_str_radix(binary, 2)
        } else if plain.len() > 1 && plain.starts_with('0') {
            u64::from_str_radix(&plain[1..], 8)
        } else {
            plain.parse()
        };
        value.map(Token::Int).map_err(|_| bad())
    }
}
