//! A picture in the terminal: pixels if it supports a graphics protocol, else half
//! blocks.

use std::fmt::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::export::image::{Pixels, Way, indexed};

/// The sequence that shows the file `png` over `columns` columns.
pub(super) fn sequence(way: Way, png: &[u8], columns: u16) -> String {
    let data = BASE64_STANDARD.encode(png);
    if way == Way::Iterm2 {
        return format!(
            "\x1b]1337;File=inline=1;size={};width={columns};preserveAspectRatio=1:{data}\x07\n",
            png.len()
        );
    }
    // At most 4096 bytes at a time; `m` says whether more follow.
    let mut text = String::new();
    let pieces: Vec<&[u8]> = data.as_bytes().chunks(4096).collect();
    for (index, piece) in pieces.iter().enumerate() {
        let head = if index == 0 { format!("a=T,f=100,c={columns},") } else { String::new() };
        let more = u8::from(index + 1 < pieces.len());
        let piece = String::from_utf8_lossy(piece);
        let _ = write!(text, "\x1b_G{head}m={more};{piece}\x1b\\");
    }
    text.push('\n');
    text
}

/// The picture in cells, at most `columns` wide and `rows` high.
pub(super) fn half_blocks(pixels: &Pixels, columns: u16, rows: u16) -> String {
    let (columns, rows) = pixels.fit(columns, rows);
    let mut text = String::new();
    for line in pixels.cells(columns, rows) {
        for halves in line {
            let [upper, lower] = halves.map(indexed);
            let _ = write!(text, "\x1b[38;5;{upper}m\x1b[48;5;{lower}m▀");
        }
        text.push_str("\x1b[0m\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_picture_goes_in_pieces_of_which_the_last_says_so() {
        let text = sequence(Way::Kitty, &[7; 10_000], 80);
        let pieces: Vec<&str> = text.split("\x1b_G").skip(1).collect();
        assert_eq!(pieces.len(), 4);
        assert!(pieces[0].starts_with("a=T,f=100,c=80,m=1;") && pieces[3].starts_with("m=0;"));
        assert!(pieces.iter().all(|piece| piece.len() <= 4096 + 32));
        assert!(sequence(Way::Iterm2, &[7; 10], 80).starts_with("\x1b]1337;File=inline=1;size=10"));
    }

    #[test]
    fn half_blocks_end_every_line_in_plain() {
        let pixels = Pixels { width: 2, height: 2, rgb: vec![255; 12] };
        assert_eq!(
            half_blocks(&pixels, 2, 9),
            "\x1b[38;5;231m\x1b[48;5;231m▀".repeat(2) + "\x1b[0m\n"
        );
    }
}
