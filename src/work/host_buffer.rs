//! Typed buffers on the host.

use super::Element;

/// A typed buffer on the host.
#[derive(Debug, Clone, PartialEq)]
pub enum HostBuffer {
    /// 8-bit unsigned integers.
    U8(Vec<u8>),
    /// 8-bit signed integers.
    I8(Vec<i8>),
    /// 16-bit unsigned integers.
    U16(Vec<u16>),
    /// 16-bit signed integers.
    I16(Vec<i16>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 32-bit signed integers.
    I32(Vec<i32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
    /// 64-bit signed integers.
    I64(Vec<i64>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
}

/// Evaluates `$with` for the elements of a buffer, as `$values`.
macro_rules! for_elements {
    ($buffer:expr, $values:ident => $with:expr) => {
        match $buffer {
            $crate::work::HostBuffer::U8($values) => $with,
            $crate::work::HostBuffer::I8($values) => $with,
            $crate::work::HostBuffer::U16($values) => $with,
            $crate::work::HostBuffer::I16($values) => $with,
            $crate::work::HostBuffer::U32($values) => $with,
            $crate::work::HostBuffer::I32($values) => $with,
            $crate::work::HostBuffer::U64($values) => $with,
            $crate::work::HostBuffer::I64($values) => $with,
            $crate::work::HostBuffer::F32($values) => $with,
            $crate::work::HostBuffer::F64($values) => $with,
        }
    };
}

pub(crate) use for_elements;

impl HostBuffer {
    /// This many zeros.
    pub fn zeroed(element: Element, len: usize) -> Self {
        match element {
            Element::U8 => Self::U8(vec![0; len]),
            Element::I8 => Self::I8(vec![0; len]),
            Element::U16 => Self::U16(vec![0; len]),
            Element::I16 => Self::I16(vec![0; len]),
            Element::U32 => Self::U32(vec![0; len]),
            Element::I32 => Self::I32(vec![0; len]),
            Element::U64 => Self::U64(vec![0; len]),
            Element::I64 => Self::I64(vec![0; len]),
            Element::F32 => Self::F32(vec![0.0; len]),
            Element::F64 => Self::F64(vec![0.0; len]),
        }
    }

    /// The elements that these bytes hold; a last part of an element is left out.
    pub fn from_bytes(element: Element, bytes: &[u8]) -> Self {
        macro_rules! read {
            ($number:ty) => {
                bytes.as_chunks().0.iter().map(|bytes| <$number>::from_le_bytes(*bytes)).collect()
            };
        }
        match element {
            Element::U8 => Self::U8(read!(u8)),
            Element::I8 => Self::I8(read!(i8)),
            Element::U16 => Self::U16(read!(u16)),
            Element::I16 => Self::I16(read!(i16)),
            Element::U32 => Self::U32(read!(u32)),
            Element::I32 => Self::I32(read!(i32)),
            Element::U64 => Self::U64(read!(u64)),
            Element::I64 => Self::I64(read!(i64)),
            Element::F32 => Self::F32(read!(f32)),
            Element::F64 => Self::F64(read!(f64)),
        }
    }

    /// The contents as bytes, as device memory holds them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.bytes() as usize);
        for_elements!(self, values => {
            for value in values {
                bytes.extend_from_slice(&value.to_le_bytes());
            }
        });
        bytes
    }

    /// The elements that these 32-bit words hold; a last part of an element is left out.
    pub fn from_words(element: Element, words: Vec<u32>) -> Self {
        if element == Element::U32 {
            return Self::U32(words);
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self::from_bytes(element, &bytes)
    }

    /// The contents as 32-bit words, as device memory holds them. The last word is filled
    /// up with zeros.
    pub fn words(&self) -> Vec<u32> {
        if let Self::U32(values) = self {
            return values.clone();
        }
        let mut bytes = self.to_bytes();
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    /// The type of its elements.
    pub fn element(&self) -> Element {
        match self {
            Self::U8(_) => Element::U8,
            Self::I8(_) => Element::I8,
            Self::U16(_) => Element::U16,
            Self::I16(_) => Element::I16,
            Self::U32(_) => Element::U32,
            Self::I32(_) => Element::I32,
            Self::U64(_) => Element::U64,
            Self::I64(_) => Element::I64,
            Self::F32(_) => Element::F32,
            Self::F64(_) => Element::F64,
        }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        self.len() as u64 * self.element().bytes()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        for_elements!(self, values => values.len())
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its elements as 64-bit floats.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::U64(values) => values.iter().map(|&value| value as f64).collect(),
            Self::I64(values) => values.iter().map(|&value| value as f64).collect(),
            Self::F64(values) => values.clone(),
            Self::U8(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::I8(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::U16(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::I16(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::U32(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::I32(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::F32(values) => values.iter().map(|&value| f64::from(value)).collect(),
        }
    }

    /// The 32-bit unsigned integers, if it holds such.
    pub fn as_u32(&self) -> Option<&[u32]> {
        if let Self::U32(values) = self { Some(values) } else { None }
    }

    /// The 64-bit unsigned integers, if it holds such.
    pub fn as_u64(&self) -> Option<&[u64]> {
        if let Self::U64(values) = self { Some(values) } else { None }
    }

    /// The 32-bit floats, if it holds such.
    pub fn as_f32(&self) -> Option<&[f32]> {
        if let Self::F32(values) = self { Some(values) } else { None }
    }

    /// The 64-bit floats, if it holds such.
    pub fn as_f64(&self) -> Option<&[f64]> {
        if let Self::F64(values) = self { Some(values) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_words_and_elements_are_the_same_memory() {
        for buffer in [
            HostBuffer::U8(vec![1, 2, 255]),
            HostBuffer::I8(vec![-1]),
            HostBuffer::U16(vec![1, 0x0203, u16::MAX]),
            HostBuffer::I16(vec![i16::MIN, 7]),
            HostBuffer::U32(vec![1, u32::MAX]),
            HostBuffer::I32(vec![-5]),
            HostBuffer::U64(vec![1, u64::MAX - 7, 1 << 33]),
            HostBuffer::I64(vec![i64::MIN]),
            HostBuffer::F32(vec![1.5, -0.0]),
            HostBuffer::F64(vec![1.5, f64::MIN_POSITIVE]),
        ] {
            let (element, bytes) = (buffer.element(), buffer.to_bytes());
            assert_eq!(bytes.len() as u64, buffer.bytes());
            assert_eq!(HostBuffer::from_bytes(element, &bytes), buffer);
            let words = buffer.words();
            assert_eq!(words.len() as u64, buffer.bytes().div_ceil(4));
            let HostBuffer::U8(again) = HostBuffer::from_words(Element::U8, words) else {
                panic!("no bytes")
            };
            assert!(again.starts_with(&bytes));
            assert_eq!(HostBuffer::zeroed(element, buffer.len()).bytes(), buffer.bytes());
        }
        assert_eq!(HostBuffer::U64(vec![1 << 32 | 5]).words(), [5, 1]);
        assert_eq!(HostBuffer::U16(vec![1, 2, 3]).words(), [0x0002_0001, 3]);
    }
}
