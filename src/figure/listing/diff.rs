//! Two listings side by side: which lines they share.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::Listing;

/// A row of two listings side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// Place of the line in the first listing, where it has one in this row.
    pub left: Option<usize>,
    /// The same of the second.
    pub right: Option<usize>,
    /// Whether the two say the same.
    pub same: bool,
}

/// Puts two listings side by side, lines that say the same in one row. White
/// space at the ends does not count; in PTX neither do the numbers of registers
/// and labels, nor the names of parameters.
pub fn pair(left: &Listing, right: &Listing) -> Vec<Pair> {
    let words = |listing: &Listing| -> Vec<String> {
        listing.lines.iter().map(|line| essence(&line.text)).collect()
    };
    let (a, b) = (words(left), words(right));
    let mut rows = Vec::new();
    for op in capture_diff_slices(Algorithm::Patience, &a, &b) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                rows.extend((0..len).map(|step| Pair {
                    left: Some(old_index + step),
                    right: Some(new_index + step),
                    same: true,
                }));
            }
            op => {
                let (old, new) = (op.old_range(), op.new_range());
                let place = |range: &std::ops::Range<usize>, step| {
                    (step < range.len()).then(|| range.start + step)
                };
                rows.extend((0..old.len().max(new.len())).map(|step| Pair {
                    left: place(&old, step),
                    right: place(&new, step),
                    same: false,
                }));
            }
        }
    }
    rows
}

/// A line without what differs between any two kernels.
fn essence(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text.trim();
    while let Some(c) = rest.chars().next() {
        // `%r12`, `$L__BB0_3`, `kernel_param_2`
        let name = rest.len() - rest.trim_start_matches(named).len();
        let (word, after) = rest.split_at(name.max(c.len_utf8()));
        if word.starts_with('%') && word.ends_with(|c: char| c.is_ascii_digit()) {
            kept.push_str(word.trim_end_matches(|c: char| c.is_ascii_digit()));
        } else if word.starts_with("$L") {
            kept.push_str("$L");
        } else if let Some((_, number)) = word.rsplit_once("_param_") {
            kept.push_str("_param_");
            kept.push_str(number);
        } else {
            kept.push_str(word);
        }
        rest = after;
    }
    kept
}

fn named(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '%' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::listing::Line;

    fn listing(lines: &[&str]) -> Listing {
        let line = |(number, text): (u32, &&str)| Line {
            number,
            text: (*text).to_owned(),
            ..Line::default()
        };
        Listing { lines: (1..).zip(lines).map(line).collect(), ..Listing::default() }
    }

    #[test]
    fn what_is_the_same_stands_in_one_row() {
        let left = listing(&["int i;", "  count(i);", "}"]);
        let right = listing(&["int i;", "clear();", "more();", "count(i);  ", "}"]);
        let rows = pair(&left, &right);
        let row = |left, right, same| Pair { left, right, same };
        assert_eq!(
            rows,
            [
                row(Some(0), Some(0), true),
                row(None, Some(1), false),
                row(None, Some(2), false),
                row(Some(1), Some(3), true),
                row(Some(2), Some(4), true),
            ]
        );
        // Every line has exactly one row.
        let lefts: Vec<usize> = rows.iter().filter_map(|row| row.left).collect();
        let rights: Vec<usize> = rows.iter().filter_map(|row| row.right).collect();
        assert_eq!((lefts, rights), ((0..3).collect(), (0..5).collect()));
    }

    #[test]
    fn numbers_of_registers_and_labels_do_not_count() {
        let left = listing(&["ld.global.u32 %r11, [%rd6];", "@%p1 bra $L__BB0_3;", "add %r1, 4;"]);
        let right = listing(&["ld.global.u32 %r9, [%rd40];", "@%p7 bra $L__BB3_9;", "add %r1, 8;"]);
        let same: Vec<bool> = pair(&left, &right).iter().map(|row| row.same).collect();
        assert_eq!(same, [true, true, false]);
        assert_eq!(
            essence("ld.param.u64 %rd3, [histogram_param_0];"),
            "ld.param.u64 %rd, [_param_0];"
        );
    }
}
