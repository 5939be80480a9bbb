//! Powers as readers know them from print: `2²⁰`.

use std::borrow::Cow;

/// `text` with every power of two whole numbers set as one: `2^20` becomes `2²⁰`.
///
/// For text that is read, never for text that is typed: options and files write `2^20`.
pub fn superscript(text: &str) -> Cow<'_, str> {
    let mut set = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('^') {
        let base = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let joined = base.ends_with(belongs) || base.is_empty() && set.ends_with('^');
        let is_number = base.len() < before.len() && !joined;
        let exponent = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (digits, tail) = after.split_at(exponent);
        set.push_str(before);
        if is_number && exponent > 0 && !tail.starts_with(belongs) {
            set.extend(digits.chars().filter_map(raised));
            rest = tail;
        } else {
            set.push('^');
            rest = after;
        }
    }
    if set.is_empty() {
        return Cow::Borrowed(text);
    }
    set.push_str(rest);
    Cow::Owned(set)
}

/// Whether a character beside a number makes it part of something else: a name, a
/// fraction, another power.
fn belongs(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '^')
}

fn raised(digit: char) -> Option<char> {
    let digits = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digits.get(digit.to_digit(10)? as usize).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_raised_and_nothing_else() {
        for (plain, set) in [
            ("2^20", "2²⁰"),
            ("n = 2^10, then 2^22.", "n = 2¹⁰, then 2²²."),
            ("2^10..2^24", "2¹⁰..2²⁴"),
            ("faster at 2^9 elements (modelled)", "faster at 2⁹ elements (modelled)"),
            ("10^6", "10⁶"),
            ("a^2 and x2^10", "a^2 and x2^10"),
            ("2^n, ^2, 2^, 2^10k, 2^3^4", "2^n, ^2, 2^, 2^10k, 2^3^4"),
            ("", ""),
            ("naïve 2^1", "naïve 2¹"),
        ] {
            assert_eq!(superscript(plain), set);
        }
        assert!(matches!(superscript("no power"), Cow::Borrowed(_)));
    }
}
