//! Compares outputs with their reference: exactly, or within an error bound.
//!
//! The bounds of floating-point sums are those of N. J. Higham, *Accuracy and
//! Stability of Numerical Algorithms* (2nd edition, SIAM 2002): with unit
//! roundoff u, a sum of n terms in which no term passes through more than k
//! additions differs from the exact one by at most `gamma(k) * sum |x|`
//! (section 4.2), where `gamma(k) = k u / (1 - k u)` (lemma 3.1).

use super::Mismatch;
use crate::work::HostBuffer;

/// Unit roundoff of 32-bit floats: half the distance from 1 to the next.
pub const UNIT_32: f64 = 1.0 / (1u64 << 24) as f64;

/// `k u / (1 - k u)`: the relative error that `roundings` roundings in a row
/// can add up to. Infinite where nothing can be said any more.
pub fn gamma(roundings: f64, unit: f64) -> f64 {
    let part = roundings * unit;
    if part < 1.0 { part / (1.0 - part) } else { f64::INFINITY }
}

/// Every output equals the reference in the same place; finds the first element
/// that differs. A missing element differs from any.
pub fn exactly(reference: &[HostBuffer], outputs: &[HostBuffer]) -> Result<(), Mismatch> {
    for (output, (expected, got)) in reference.iter().zip(outputs).enumerate() {
        equal(expected, got).map_err(|mismatch| Mismatch { output, ..mismatch })?;
    }
    let (expected, got) = (reference.len(), outputs.len());
    if expected == got {
        return Ok(());
    }
    Err(Mismatch {
        output: expected.min(got),
        index: 0,
        expected: format!("{expected} outputs"),
        got: format!("{got} outputs"),
        differing: expected.abs_diff(got) as u64,
    })
}

/// One output equals its reference.
pub fn equal(reference: &HostBuffer, output: &HostBuffer) -> Result<(), Mismatch> {
    macro_rules! by_type {
        ($($element:ident $same:expr),*) => {
            match (reference, output) {
                $((HostBuffer::$element(expected), HostBuffer::$element(got)) => {
                    elements(expected, got, $same)
                })*
                _ => Err(other_type(reference, output)),
            }
        };
    }
    let same_32 = |a: &f32, b: &f32| same((*a).into(), (*b).into());
    by_type!(
        U8 u8::eq, I8 i8::eq, U16 u16::eq, I16 i16::eq, U32 u32::eq, I32 i32::eq, U64 u64::eq,
        I64 i64::eq, F32 same_32, F64 |a: &f64, b: &f64| same(*a, *b)
    )
}

/// Whether floats are equal: NaNs are if they have the same bits, such as those of an integer that
/// is read as a float.
fn same(a: f64, b: f64) -> bool {
    a - b == 0.0 || a.to_bits() == b.to_bits()
}

/// Each float of the output is the 64-bit reference of its index, or within `bound` of it.
pub fn within(
    reference: &HostBuffer,
    output: &HostBuffer,
    bound: impl Fn(usize) -> f64,
) -> Result<(), Mismatch> {
    let HostBuffer::F64(expected) = reference else { return Err(other_type(reference, output)) };
    let got = |index: usize| match output {
        HostBuffer::F32(values) => values.get(index).map(|&value| f64::from(value)),
        HostBuffer::F64(values) => values.get(index).copied(),
        _ => None,
    };
    if !matches!(output, HostBuffer::F32(_) | HostBuffer::F64(_)) {
        return Err(other_type(reference, output));
    }
    let near = |index: usize| match (expected.get(index), got(index)) {
        (Some(expected), Some(got)) => {
            same(*expected, got) || (expected - got).abs() <= bound(index)
        }
        _ => false,
    };
    first_difference(
        expected.len().max(output.len()),
        |index| !near(index),
        |index| {
            let told = |value: f64| format!("{} ± {:.1e}", short(value), bound(index));
            let expected = expected.get(index).map_or_else(nothing, |value| told(*value));
            (expected, got(index).map_or_else(nothing, short))
        },
    )
}

/// A float with the digits that its type has: those of 32 bits if it is one.
fn short(value: f64) -> String {
    let narrow = value as f32;
    let plain = (1e-4..1e7).contains(&value.abs()) || value == 0.0;
    match (f64::from(narrow).to_bits() == value.to_bits(), plain) {
        (true, true) => narrow.to_string(),
        (true, false) => format!("{narrow:e}"),
        (false, true) => value.to_string(),
        (false, false) => format!("{value:e}"),
    }
}

fn elements<T: ToString>(
    expected: &[T],
    got: &[T],
    same: impl Fn(&T, &T) -> bool,
) -> Result<(), Mismatch> {
    let differs = |index: usize| match (expected.get(index), got.get(index)) {
        (Some(expected), Some(got)) => !same(expected, got),
        _ => true,
    };
    first_difference(expected.len().max(got.len()), differs, |index| {
        let show = |value: Option<&T>| value.map_or_else(nothing, T::to_string);
        (show(expected.get(index)), show(got.get(index)))
    })
}

fn first_difference(
    length: usize,
    differs: impl Fn(usize) -> bool,
    told: impl Fn(usize) -> (String, String),
) -> Result<(), Mismatch> {
    let mut differing = (0..length).filter(|&index| differs(index));
    let Some(index) = differing.next() else {
        return Ok(());
    };
    let (expected, got) = told(index);
    let differing = 1 + differing.count() as u64;
    Err(Mismatch { output: 0, index: index as u64, expected, got, differing })
}

fn nothing() -> String {
    "nothing".to_owned()
}

fn other_type(reference: &HostBuffer, output: &HostBuffer) -> Mismatch {
    Mismatch {
        output: 0,
        index: 0,
        expected: reference.element().to_string(),
        got: output.element().to_string(),
        differing: reference.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mismatch(index: u64, expected: &str, got: &str, differing: u64) -> Result<(), Mismatch> {
        let (expected, got) = (expected.to_owned(), got.to_owned());
        Err(Mismatch { output: 0, index, expected, got, differing })
    }

    #[test]
    fn what_has_the_same_bits_is_equal() {
        let odd = [f32::from_bits(u32::MAX), f32::NAN, f32::INFINITY, 1.5];
        let wide = HostBuffer::F64(odd.map(f64::from).to_vec());
        let narrow = HostBuffer::F32(odd.to_vec());
        assert_eq!(equal(&narrow, &narrow), Ok(()));
        assert_eq!(within(&wide, &narrow, |_| 1e-4), Ok(()));
        let other = HostBuffer::F32(odd.map(|it| f32::from_bits(it.to_bits() - 1)).to_vec());
        assert_eq!(within(&wide, &other, |_| 1e-4), mismatch(0, "NaN ± 1.0e-4", "NaN", 3));
    }

    #[test]
    fn the_first_difference_is_named() {
        let buffer = |values: &[u32]| HostBuffer::U32(values.to_vec());
        assert_eq!(equal(&buffer(&[1, 2]), &buffer(&[1, 2])), Ok(()));
        assert_eq!(equal(&buffer(&[1, 2, 3]), &buffer(&[1, 5, 6])), mismatch(1, "2", "5", 2));
        assert_eq!(equal(&buffer(&[1, 2]), &buffer(&[1])), mismatch(1, "2", "nothing", 1));
        assert_eq!(
            equal(&buffer(&[1]), &HostBuffer::F32(vec![1.0])),
            mismatch(0, "32-bit integers", "32-bit floats", 1)
        );
    }

    #[test]
    fn every_output_is_compared() {
        let buffers = |second: u64| [HostBuffer::U32(vec![1]), HostBuffer::U64(vec![second])];
        assert_eq!(exactly(&buffers(2), &buffers(2)), Ok(()));
        let second = exactly(&buffers(2), &buffers(3));
        assert_eq!(second, mismatch(0, "2", "3", 1).map_err(|m| Mismatch { output: 1, ..m }));
        assert!(exactly(&buffers(2), &buffers(2)[..1]).is_err());
        assert!(exactly(&[], &buffers(2)).is_err());
    }

    #[test]
    fn floats_may_differ_by_their_bound() {
        let reference = HostBuffer::F64(vec![1.0, 100.0]);
        let compare = |values: &[f32]| {
            within(&reference, &HostBuffer::F32(values.to_vec()), |index| [0.0, 0.5][index])
        };
        assert_eq!(compare(&[1.0, 100.5]), Ok(()));
        assert_eq!(compare(&[1.0, 99.0]), mismatch(1, "100 ± 5.0e-1", "99", 1));
        assert_eq!(compare(&[f32::NAN, 100.0]), mismatch(0, "1 ± 0.0e0", "NaN", 1));
        assert!(compare(&[1.0]).is_err_and(|m| m.got == "nothing"));
        assert!(within(&reference, &HostBuffer::U32(vec![1, 100]), |_| 1.0).is_err());
    }

    #[test]
    fn floats_have_the_digits_of_their_type() {
        assert_eq!(short(f64::from(0.1_f32)), "0.1");
        assert_eq!(short(0.1), "0.1");
        assert_eq!(short(f64::from(1e-20_f32)), "1e-20");
        assert_eq!(short(1.0 / 3.0), "0.3333333333333333");
    }

    #[test]
    fn errors_add_up_as_in_the_book() {
        assert!((gamma(1000.0, UNIT_32) - 5.960_8e-5).abs() < 1e-8);
        assert!(gamma(2f64.powi(24), UNIT_32).is_infinite());
        assert!(gamma(0.0, UNIT_32).abs() < f64::EPSILON);
    }
}
