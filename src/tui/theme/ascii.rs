//! ASCII mode: every symbol on the finished screen becomes the ASCII character
//! that looks most like it, so that no panel needs a second way of drawing.

use ratatui::buffer::Buffer;

/// Replaces what is not ASCII in the whole buffer.
pub fn replace(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        if !cell.symbol().is_ascii() {
            let plain = replacement(cell.symbol());
            cell.set_char(plain);
        }
    }
}

/// The ASCII character for a symbol of one cell.
fn replacement(symbol: &str) -> char {
    let Some(symbol) = symbol.chars().next() else { return ' ' };
    match symbol {
        '─' | '━' | '╌' | '┈' | '–' | '—' | '·' => '-',
        '│' | '┃' | '┆' | '┊' => '|',
        '╭' | '╮' | '╰' | '╯' | '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '┏' | '┓'
        | '┗' | '┛' | '✚' | '✜' => '+',
        '▲' | '▴' | '◬' | '↑' => '^',
        '●' | '•' | '◉' => 'o',
        '■' | '▪' | '▣' | '▆' | '▇' | '█' | '▌' | '▋' | '▊' | '▉' => '#',
        '▏' | '▎' | '▍' => ':',
        '◆' | '⋄' | '◈' => '*',
        '▼' | '▾' | '↓' => 'v',
        '✖' | '╳' | '×' => 'x',
        '★' | '⋆' | '✪' => '@',
        '△' => 'A',
        '○' => 'O',
        '□' => 'D',
        '◇' => '%',
        '▽' => 'V',
        '☆' => '&',
        'µ' => 'u',
        '±' | '≈' | '…' => '~',
        '≠' => '/',
        '✓' => 'y',
        '✗' => '!',
        '‹' | '←' => '<',
        '›' | '→' | '▸' => '>',
        '▁' | '▂' => '_',
        '▃' | '▄' | '▅' => '=',
        '░' | '▒' => '.',
        '▀' | '▔' => '"',
        '\u{2800}' => ' ',
        // A braille cell of the chart: few dots or many.
        '\u{2801}'..='\u{28FF}' => {
            if (u32::from(symbol) - 0x2800).count_ones() > 3 {
                ':'
            } else {
                '.'
            }
        }
        _ => '?',
    }
}
