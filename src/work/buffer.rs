//! Typed buffers, on the host and on the device.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The type of a buffer's elements. All are little-endian in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// 32-bit unsigned integers.
    U32,
    /// 64-bit unsigned integers.
    U64,
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

impl Element {
    /// Bytes that one takes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::U32 | Self::F32 => 4,
            Self::U64 | Self::F64 => 8,
        }
    }

    /// Whether they are integers.
    pub fn is_integer(self) -> bool {
        matches!(self, Self::U32 | Self::U64)
    }

    /// The C type of one.
    pub fn c_name(self) -> &'static str {
        match self {
            Self::U32 => "unsigned int",
            Self::U64 => "unsigned long long",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// What several of them are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::U32 => "32-bit integers",
            Self::U64 => "64-bit integers",
            Self::F32 => "32-bit floats",
            Self::F64 => "64-bit floats",
        }
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A typed buffer on the host.
#[derive(Debug, Clone, PartialEq)]
pub enum HostBuffer {
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 64-bit unsigned integers.
    U64(Vec<u64>),
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
}

impl HostBuffer {
    /// This many zeros.
    pub fn zeroed(element: Element, len: usize) -> Self {
        match element {
            Element::U32 => Self::U32(vec![0; len]),
            Element::U64 => Self::U64(vec![0; len]),
            Element::F32 => Self::F32(vec![0.0; len]),
            Element::F64 => Self::F64(vec![0.0; len]),
        }
    }

    /// The elements that these 32-bit words hold; a last half of an element is
    /// left out.
    pub fn from_words(element: Element, words: Vec<u32>) -> Self {
        let wide = |pair: &[u32; 2]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let pairs = || words.as_chunks::<2>().0.iter().map(wide);
        match element {
            Element::U64 => Self::U64(pairs().collect()),
            Element::F64 => Self::F64(pairs().map(f64::from_bits).collect()),
            Element::F32 => Self::F32(words.into_iter().map(f32::from_bits).collect()),
            Element::U32 => Self::U32(words),
        }
    }

    /// The contents as 32-bit words, as device memory holds them.
    pub fn words(&self) -> Vec<u32> {
        let halves = |value: u64| [value as u32, (value >> 32) as u32];
        match self {
            Self::U32(values) => values.clone(),
            Self::F32(values) => values.iter().map(|value| value.to_bits()).collect(),
            Self::U64(values) => values.iter().flat_map(|value| halves(*value)).collect(),
            Self::F64(values) => values.iter().flat_map(|value| halves(value.to_bits())).collect(),
        }
    }

    /// The type of its elements.
    pub fn element(&self) -> Element {
        match self {
            Self::U32(_) => Element::U32,
            Self::U64(_) => Element::U64,
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
        match self {
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its elements as 64-bit floats.
    pub fn to_f64(&self) -> Vec<f64> {
        match self {
            Self::U32(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::U64(values) => values.iter().map(|&value| value as f64).collect(),
            Self::F32(values) => values.iter().map(|&value| f64::from(value)).collect(),
            Self::F64(values) => values.clone(),
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

/// A device buffer and what it holds before every sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer {
    /// Name for messages, such as `values` or `bins`.
    pub name: &'static str,
    /// The type of its elements.
    pub element: Element,
    /// What it holds before the steps.
    pub init: Init,
    /// Whether the steps write to it, so that it is restored before every
    /// sample (untimed) and can be read back.
    pub written: bool,
}

/// What a buffer holds before the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Init {
    /// The input with this index, which the caller hands over beside the work,
    /// so that planning needs no data.
    Input {
        /// Index into [`Inputs`].
        index: usize,
        /// Its size.
        bytes: u64,
    },
    /// Zeros.
    Zeroed {
        /// How many elements.
        elements: usize,
    },
    /// One 32-bit word over and over: `u32::MAX`, or the bits of a float.
    Filled {
        /// How many elements; one of 64 bits takes the word twice.
        elements: usize,
        /// The word.
        word: u32,
    },
}

impl Buffer {
    /// Input `index`, of this many elements, which the steps only read.
    pub fn input(name: &'static str, index: usize, element: Element, elements: u64) -> Self {
        let init = Init::Input { index, bytes: elements * element.bytes() };
        Self { name, element, init, written: false }
    }

    /// Zeros that the steps write to.
    pub fn zeroed(name: &'static str, element: Element, elements: usize) -> Self {
        Self { name, element, init: Init::Zeroed { elements }, written: true }
    }

    /// One word over and over, which the steps write to.
    pub fn filled(name: &'static str, element: Element, elements: usize, word: u32) -> Self {
        Self { name, element, init: Init::Filled { elements, word }, written: true }
    }

    /// The same buffer, written to by the steps.
    #[must_use]
    pub fn written(self) -> Self {
        Self { written: true, ..self }
    }

    /// Size in bytes.
    pub fn bytes(&self) -> u64 {
        match self.init {
            Init::Input { bytes, .. } => bytes,
            Init::Zeroed { elements } | Init::Filled { elements, .. } => {
                elements as u64 * self.element.bytes()
            }
        }
    }

    /// The input that it takes, which has to fit; `None` if it takes none.
    ///
    /// # Errors
    /// In words, where the input is not there or not what the buffer says.
    pub fn given<'a>(&self, inputs: &'a Inputs) -> Result<Option<&'a Arc<HostBuffer>>, String> {
        let Init::Input { index, bytes } = self.init else { return Ok(None) };
        let Some(input) = inputs.get(index) else {
            let given = inputs.len();
            return Err(format!("buffer `{}` is input {index}, and {given} were given", self.name));
        };
        if (input.element(), input.bytes()) != (self.element, bytes) {
            return Err(format!(
                "buffer `{}` takes {bytes} bytes of {}, input {index} is {} bytes of {}",
                self.name,
                self.element,
                input.bytes(),
                input.element()
            ));
        }
        Ok(Some(input))
    }
}

/// The input data of some work. Shared, so that several pieces of work on one
/// input upload it once (backends compare the pointers).
pub type Inputs = Vec<Arc<HostBuffer>>;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn words_and_elements_are_the_same_bytes() {
        for buffer in [
            HostBuffer::U32(vec![1, u32::MAX]),
            HostBuffer::U64(vec![1, u64::MAX - 7, 1 << 33]),
            HostBuffer::F32(vec![1.5, -0.0]),
            HostBuffer::F64(vec![1.5, f64::MIN_POSITIVE]),
        ] {
            let words = buffer.words();
            assert_eq!(words.len() as u64 * 4, buffer.bytes());
            assert_eq!(HostBuffer::from_words(buffer.element(), words), buffer);
            assert_eq!(HostBuffer::zeroed(buffer.element(), buffer.len()).bytes(), buffer.bytes());
        }
        assert_eq!(HostBuffer::U64(vec![1 << 32 | 5]).words(), [5, 1]);
    }

    #[test]
    fn an_input_has_to_be_what_the_buffer_says() {
        let inputs: Inputs = vec![Arc::new(HostBuffer::F32(vec![0.0; 3]))];
        assert!(Buffer::input("x", 0, Element::F32, 3).given(&inputs).unwrap().is_some());
        assert_eq!(Buffer::zeroed("y", Element::F64, 3).given(&inputs), Ok(None));
        for (buffer, part) in [
            (Buffer::input("x", 1, Element::F32, 3), "1 were given"),
            (Buffer::input("x", 0, Element::U32, 3), "12 bytes of 32-bit integers"),
            (Buffer::input("x", 0, Element::F32, 4), "takes 16 bytes"),
        ] {
            let refused = buffer.given(&inputs).unwrap_err();
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn sizes_follow_from_elements() {
        assert_eq!(Buffer::zeroed("a", Element::U64, 5).bytes(), 40);
        assert_eq!(Buffer::filled("b", Element::F32, 5, u32::MAX).bytes(), 20);
        assert!(Buffer::input("c", 0, Element::U32, 5).written().written);
    }
}
