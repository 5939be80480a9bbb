//! Compares an output with its reference.

use super::Mismatch;
use crate::launch::HostBuffer;

/// Finds the first element that differs. A missing element differs from any.
pub fn exactly(reference: &HostBuffer, output: &HostBuffer) -> Result<(), Mismatch> {
    match (reference, output) {
        (HostBuffer::U32(expected), HostBuffer::U32(got)) => elements(expected, got),
        (HostBuffer::U64(expected), HostBuffer::U64(got)) => elements(expected, got),
        (HostBuffer::F32(expected), HostBuffer::F32(got)) => elements(expected, got),
        _ => Err(Mismatch {
            index: 0,
            expected: type_name(reference).to_owned(),
            got: type_name(output).to_owned(),
            differing: reference.len() as u64,
        }),
    }
}

fn elements<T: PartialEq + ToString>(expected: &[T], got: &[T]) -> Result<(), Mismatch> {
    let length = expected.len().max(got.len());
    let mut differing = (0..length).filter(|&index| expected.get(index) != got.get(index));
    let Some(index) = differing.next() else {
        return Ok(());
    };
    let show = |value: Option<&T>| value.map_or_else(|| "nothing".to_owned(), T::to_string);
    Err(Mismatch {
        index: index as u64,
        expected: show(expected.get(index)),
        got: show(got.get(index)),
        differing: 1 + differing.count() as u64,
    })
}

fn type_name(buffer: &HostBuffer) -> &'static str {
    match buffer {
        HostBuffer::U32(_) => "32-bit integers",
        HostBuffer::U64(_) => "64-bit integers",
        HostBuffer::F32(_) => "32-bit floats",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named() {
        let buffer = |values: &[u32]| HostBuffer::U32(values.to_vec());
        assert_eq!(exactly(&buffer(&[1, 2]), &buffer(&[1, 2])), Ok(()));
        let mismatch = |index, expected: &str, got: &str, differing| {
            Err(Mismatch { index, expected: expected.into(), got: got.into(), differing })
        };
        assert_eq!(exactly(&buffer(&[1, 2, 3]), &buffer(&[1, 5, 6])), mismatch(1, "2", "5", 2));
        assert_eq!(exactly(&buffer(&[1, 2]), &buffer(&[1])), mismatch(1, "2", "nothing", 1));
        assert_eq!(
            exactly(&buffer(&[1]), &HostBuffer::F32(vec![1.0])),
            mismatch(0, "32-bit integers", "32-bit floats", 1)
        );
    }
}
