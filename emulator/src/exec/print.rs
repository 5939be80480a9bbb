//! `printf` as the device has it: C's conversions, on values packed one behind
//! the other as the compiler packs them.

/// What `printf` reads beside its format.
pub(crate) trait Values {
    /// The next value, of 4 or 8 bytes.
    fn next(&mut self, bytes: u32) -> u64;
    /// The text at an address; `None` if it cannot be read.
    fn text(&mut self, address: u64) -> Option<Vec<u8>>;
}

/// The flags, width and precision of a conversion.
#[allow(clippy::struct_excessive_bools, reason = "C has as many flags")]
#[derive(Debug, Clone, Copy, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Longest field, so that a width from a kernel cannot fill the memory.
const WIDEST: usize = 4096;

/// Formats; gives the text and how many values were used.
pub(crate) fn print(format: &[u8], values: &mut impl Values) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    let mut used = 0;
    let mut at = 0;
    while let Some(&byte) = format.get(at) {
        at += 1;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        let start = at - 1;
        let mut spec = Spec::default();
        while let Some(&flag) = format.get(at) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            at += 1;
        }
        let mut number = |at: &mut usize, values: &mut _| -> i64 {
            if format.get(*at) == Some(&b'*') {
                *at += 1;
                used += 1;
                return i64::from((Values::next(values, 4) as u32).cast_signed());
            }
            let mut number = 0_i64;
            while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
                number = (number * 10 + i64::from(digit - b'0')).min(WIDEST as i64);
                *at += 1;
            }
            number
        };
        let width = number(&mut at, values);
        spec.left |= width < 0;
        spec.width = width.unsigned_abs().min(WIDEST as u64) as usize;
        if format.get(at) == Some(&b'.') {
            at += 1;
            let precision = number(&mut at, values);
            spec.precision = usize::try_from(precision).ok().map(|it| it.min(WIDEST));
        }
        let (mut long, mut short) = (false, 0);
        while let Some(length) = format.get(at) {
            match length {
                b'l' | b'z' | b'j' | b't' | b'L' => long = true,
                b'h' => short += 1,
                _ => break,
            }
            at += 1;
        }
        let Some(&conversion) = format.get(at) else {
            out.extend_from_slice(&format[start..]);
            break;
        };
        at += 1;
        if conversion == b'%' {
            out.push(b'%');
            continue;
        }
        let integer = |values: &mut _| Values::next(values, if long { 8 } else { 4 });
        let body = match conversion {
            b'd' | b'i' => {
                let bits = integer(values);
                let value = match (long, short) {
                    (true, _) => bits.cast_signed(),
                    (_, 0) => i64::from(bits as i32),
                    (_, 1) => i64::from(bits as i16),
                    _ => i64::from(bits as i8),
                };
                let sign = if value < 0 { "-" } else { positive(spec) };
                pad_number(spec, sign, &digits(spec, value.unsigned_abs().to_string()), true)
            }
            b'u' | b'o' | b'x' | b'X' => {
                let bits = integer(values);
                let value = match (long, short) {
                    (true, _) | (_, 0) => bits,
                    (_, 1) => bits & 0xffff,
                    _ => bits & 0xff,
                };
                let (text, prefix) = match conversion {
                    b'o' => (format!("{value:o}"), "0"),
                    b'x' => (format!("{value:x}"), "0x"),
                    b'X' => (format!("{value:X}"), "0X"),
                    _ => (value.to_string(), ""),
                };
                let prefix = if spec.alternate && value != 0 { prefix } else { "" };
                pad_number(spec, prefix, &digits(spec, text), true)
            }
            b'c' => {
                let byte = integer(values) as u8;
                pad(spec, vec![byte])
            }
            b'p' => {
                let text = format!("0x{:x}", values.next(8));
                pad(spec, text.into_bytes())
            }
            b's' => {
                let address = values.next(8);
                let mut text = values.text(address).unwrap_or_else(|| b"(null)".to_vec());
                text.truncate(spec.precision.unwrap_or(usize::MAX));
                pad(spec, text)
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                float(spec, conversion, f64::from_bits(values.next(8)))
            }
            _ => {
                // Not a conversion: shown as it is.
                out.extend_from_slice(&format[start..at]);
                continue;
            }
        };
        used += 1;
        out.extend_from_slice(&body);
    }
    (out, used)
}

fn positive(spec: Spec) -> &'static str {
    match (spec.plus, spec.space) {
        (true, _) => "+",
        (_, true) => " ",
        _ => "",
    }
}

/// Digits of an integer, with the zeros that a precision asks for.
fn digits(spec: Spec, text: String) -> String {
    match spec.precision {
        Some(0) if text == "0" => String::new(),
        Some(least) => format!("{text:0>least$}"),
        None => text,
    }
}

/// Pads with blanks.
fn pad(spec: Spec, mut text: Vec<u8>) -> Vec<u8> {
    let missing = spec.width.saturating_sub(text.len());
    let blanks = std::iter::repeat_n(b' ', missing);
    if spec.left {
        text.extend(blanks);
        text
    } else {
        blanks.chain(text.iter().copied()).collect()
    }
}

/// Pads a number: zeros go between its sign and its digits.
fn pad_number(spec: Spec, sign: &str, digits: &str, integer: bool) -> Vec<u8> {
    let zeros = spec.zero && !spec.left && !(integer && spec.precision.is_some());
    let missing = spec.width.saturating_sub(sign.len() + digits.len());
    let fill = if zeros { "0".repeat(missing) } else { String::new() };
    pad(spec, format!("{sign}{fill}{digits}").into_bytes())
}

/// `%f`, `%e`, `%g`, `%a`.
fn float(spec: Spec, conversion: u8, value: f64) -> Vec<u8> {
    let upper = conversion.is_ascii_uppercase();
    let sign = if value.is_sign_negative() { "-" } else { positive(spec) };
    let size = value.abs();
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        let precision = spec.precision.unwrap_or(6);
        match conversion.to_ascii_lowercase() {
            b'f' => fixed(spec, size, precision),
            b'e' => scientific(spec, size, precision),
            b'a' => hexadecimal(spec, size),
            _ => general(spec, size, precision),
        }
    };
    let text = if upper { text.to_uppercase() } else { text };
    let spec = Spec { zero: spec.zero && value.is_finite(), ..spec };
    pad_number(spec, sign, &text, false)
}

fn fixed(spec: Spec, value: f64, precision: usize) -> String {
    let point = if spec.alternate && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// Digits and exponent, as C writes them: at least two digits of exponent.
fn scientific(spec: Spec, value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if spec.alternate && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{point}e{sign}{:02}", exponent.unsigned_abs())
}

fn general(spec: Spec, value: f64, precision: usize) -> String {
    let precision = precision.max(1);
    // The exponent after rounding to that many digits decides the form.
    let rounded = format!("{value:.*e}", precision - 1);
    let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let small = exponent < -4 || exponent >= precision as i32;
    let text = if small {
        scientific(spec, value, precision - 1)
    } else {
        fixed(spec, value, (precision as i32 - 1 - exponent).max(0) as usize)
    };
    if spec.alternate {
        return text;
    }
    // Trailing zeros go, unless `#` keeps them.
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let mantissa = if mantissa.contains('.') {
        mantissa.trim_end_matches('0').trim_end_matches('.')
    } else {
        mantissa
    };
    format!("{mantissa}{exponent}")
}

/// `0x1.8p+1`.
fn hexadecimal(spec: Spec, value: f64) -> String {
    let bits = value.to_bits();
    let (mut fraction, raw) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
    let (mut lead, exponent) = match (raw, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1_u64, raw - 1023),
    };
    let mut width = 13;
    if let Some(precision) = spec.precision.filter(|&precision| precision < 13) {
        let drop = 4 * (13 - precision) as u32;
        let whole = lead << 52 | fraction;
        let (kept, rest, half) = (whole >> drop, whole & ((1 << drop) - 1), 1_u64 << (drop - 1));
        let kept = kept + u64::from(rest > half || rest == half && kept & 1 == 1);
        lead = kept >> (52 - drop);
        fraction = kept & ((1 << (52 - drop)) - 1);
        width = precision;
    }
    let mut digits = if width == 0 { String::new() } else { format!("{fraction:0width$x}") };
    if spec.precision.is_none() {
        digits.truncate(digits.trim_end_matches('0').len());
    }
    let point = if digits.is_empty() && !spec.alternate { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{lead}{point}{digits}p{sign}{}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Given(Vec<u64>);

    impl Values for Given {
        fn next(&mut self, _bytes: u32) -> u64 {
            if self.0.is_empty() { 0 } else { self.0.remove(0) }
        }

        fn text(&mut self, address: u64) -> Option<Vec<u8>> {
            (address != 0).then(|| format!("text{address}").into_bytes())
        }
    }

    fn printed(format: &str, values: &[u64]) -> String {
        let (text, _) = print(format.as_bytes(), &mut Given(values.to_vec()));
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn integers_print_as_in_c() {
        let minus = (-5_i64).cast_unsigned();
        for (format, value, expected) in [
            ("%d|", minus, "-5|"),
            ("%5d|", minus, "   -5|"),
            ("%-5d|", 7, "7    |"),
            ("%+05d", 7, "+0007"),
            ("%.3d", 7, "007"),
            ("%5.3u", 7, "  007"),
            ("%#x %%", 255, "0xff %"),
            ("%X", 255, "FF"),
            ("%lld", minus, "-5"),
            ("%hhd", 0x1ff, "-1"),
            ("%c", 65, "A"),
            ("%.2s", 7, "te"),
            ("%s", 0, "(null)"),
            ("%p", 16, "0x10"),
            ("%q", 1, "%q"),
            ("100%", 1, "100%"),
        ] {
            assert_eq!(printed(format, &[value]), expected, "{format}");
        }
        assert_eq!(printed("%*d%.*d", &[4, 1, 2, 3]), "   103");
    }

    #[test]
    fn floats_print_as_in_c() {
        for (format, value, expected) in [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%8.2f|", -1.005, "   -1.00|"),
            ("%08.2f", -1.5, "-0001.50"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.1E", 0.000_123, "1.2E-04"),
            ("%g", 100_000.0, "100000"),
            ("%g", 1_000_000.0, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.000_01, "1e-05"),
            ("%.3g", 999.9, "1e+03"),
            ("%g", f64::INFINITY, "inf"),
            ("%05f", f64::NAN, "  nan"),
            ("%a", 3.0, "0x1.8p+1"),
            ("%.0a", 1.5, "0x2p+0"),
        ] {
            assert_eq!(printed(format, &[value.to_bits()]), expected, "{format}");
        }
    }
}
