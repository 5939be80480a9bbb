//! Lines of a pipe whose other end may write anything, read with a bound.

use std::io::{BufRead, Read};

/// What came of reading one line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A whole line, without its end; what is not UTF-8 is replaced.
    Whole(String),
    /// The start of a line that goes on beyond the bound.
    Long(String),
    /// The pipe ended. A line without an end was cut off by the death of its
    /// writer and is none.
    Ended,
}

/// Reads a line of at most `most` bytes. What a longer one has left stays in
/// the pipe.
pub(super) fn read(reader: &mut impl BufRead, most: usize) -> Line {
    let mut line = Vec::new();
    let bound = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    let read = reader.by_ref().take(bound).read_until(b'\n', &mut line);
    let text = || String::from_utf8_lossy(&line).trim_end().to_owned();
    match read {
        Ok(_) if line.last() == Some(&b'\n') => Line::Whole(text()),
        Ok(_) if line.len() > most => Line::Long(text()),
        Ok(_) | Err(_) => Line::Ended,
    }
}

/// Reads to the end and gives every line to `each`, longer ones in pieces.
pub(super) fn read_all(mut reader: impl BufRead, most: usize, mut each: impl FnMut(String)) {
    let mut line = Vec::new();
    let bound = u64::try_from(most).unwrap_or(u64::MAX);
    while matches!(reader.by_ref().take(bound).read_until(b'\n', &mut line), Ok(1..)) {
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        if !text.is_empty() {
            each(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_or_not_at_all() {
        let mut pipe: &[u8] = b"one\r\n\ntw\xff\n123456789\nhalf";
        let whole = |text: &str| Line::Whole(text.to_owned());
        assert_eq!(read(&mut pipe, 8), whole("one"));
        assert_eq!(read(&mut pipe, 8), whole(""));
        assert_eq!(read(&mut pipe, 8), whole("tw\u{fffd}"));
        assert_eq!(read(&mut pipe, 8), Line::Long("123456789".to_owned()));
        assert_eq!(read(&mut pipe, 8), whole(""));
        assert_eq!(read(&mut pipe, 8), Line::Ended, "a line without an end is none");
        assert_eq!(read(&mut pipe, 8), Line::Ended);
    }

    #[test]
    fn a_line_of_exactly_the_bound_is_whole() {
        let mut pipe: &[u8] = b"1234567\n12345678\n";
        assert_eq!(read(&mut pipe, 8), Line::Whole("1234567".to_owned()));
        assert_eq!(read(&mut pipe, 8), Line::Whole("12345678".to_owned()));
    }

    #[test]
    fn everything_said_is_heard_in_pieces() {
        let mut heard = Vec::new();
        read_all(&b"a\n\nlonger than four\nb"[..], 4, |line| heard.push(line));
        assert_eq!(heard, ["a", "long", "er t", "han", "four", "b"]);
    }
}
