//! When a result is as good as the recorded one.

/// A 16-bit float as a number.
fn half(bits: u64, brain: bool) -> f64 {
    let bits = bits as u32 & 0xffff;
    if brain {
        return f64::from(f32::from_bits(bits << 16));
    }
    let (exponent, fraction) = (bits >> 10 & 31, f64::from(bits & 1023));
    let size = match exponent {
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => fraction * 2_f64.powi(-24),
        _ => (1.0 + fraction / 1024.0) * 2_f64.powi(exponent as i32 - 15),
    };
    if bits >> 15 == 0 { size } else { -size }
}

/// Whether two numbers are within an error of 2^-`error`: relative to
/// `expected` or, below `floor`, to that.
fn close(found: f64, expected: f64, error: f64, floor: f64) -> bool {
    (found.is_nan() && expected.is_nan())
        || (found.is_infinite() && found.total_cmp(&expected).is_eq())
        || (found - expected).abs() <= 2_f64.powf(-error) * expected.abs().max(floor)
}

/// Whether `found` is as good as `expected` by the rule of its case.
pub(crate) fn same(kernel: &str, rule: &str, found: u64, expected: u64) -> bool {
    if found == expected {
        return true;
    }
    let words: Vec<&str> = rule.split(' ').collect();
    let (from_bits, least): (fn(u64) -> f64, f64) = if kernel.ends_with("f64") {
        (f64::from_bits, f64::MIN_POSITIVE)
    } else {
        (|bits| f64::from(f32::from_bits(bits as u32)), f64::from(f32::MIN_POSITIVE))
    };
    let error = || words[words.len() - 1].parse::<f64>().unwrap();
    match words[0] {
        "exact" => false,
        "rel" => close(from_bits(found), from_bits(expected), error(), least),
        // An absolute error, or where the result is large a relative one.
        "abs" | "either" => close(from_bits(found), from_bits(expected), error(), 1.0),
        "half" => {
            let brain = words[1].starts_with('b');
            let floor = if brain { 2_f64.powi(-126) } else { 2_f64.powi(-14) };
            let close = |shift: u32| {
                let number = |bits: u64| half(bits >> shift, brain);
                close(number(found), number(expected), error(), floor)
            };
            close(0) && close(16)
        }
        _ => panic!("{kernel}: no rule `{rule}`"),
    }
}
