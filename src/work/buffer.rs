//! Buffers on the device.

use std::sync::Arc;

use super::{Element, HostBuffer};

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
