//! Structures as typed: their fields and their layout in C.

use super::{Argument, Element};
use crate::emulator::TENSOR_MAP_BYTES;

/// An argument as the bytes that the kernel receives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed<'a> {
    /// Its bytes; pointers are still 0.
    pub bytes: Vec<u8>,
    /// Offset and buffer of each pointer.
    pub buffers: Vec<(usize, &'a Argument)>,
    /// Offsets of the fields, as text.
    pub fields: Vec<String>,
}

/// Bytes from pairs of hex digits.
pub(super) fn hex(text: &str) -> Result<Vec<u8>, String> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    match digits {
        Some(digits) if !digits.is_empty() && digits.len().is_multiple_of(2) => {
            Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
        }
        Some(digits) => Err(format!(
            "`{text}` has {} hex digits: write two for each byte, in memory order",
            digits.len()
        )),
        None => Err(format!(
            "`{text}` is not HEX: write two digits for each byte, in memory order, without 0x"
        )),
    }
}

/// `FIELD,FIELD,...`
pub(super) fn fields(text: &str) -> Result<Vec<Argument>, String> {
    let mut fields = Vec::new();
    for field in text.split(',') {
        let Some((kind, value)) = field.split_once(':') else {
            return Err(format!(
                "field `{field}` is not of the form TYPE:VALUE, buffer:TYPE:COUNT:INIT or bytes:HEX"
            ));
        };
        match kind {
            "buffer" => fields.push(Argument::buffer(value)?),
            "bytes" => fields.push(Argument::Bytes(hex(value)?)),
            _ => {
                let element = Element::parse(kind)
                    .map_err(|error| format!("{error}; or use buffer: or bytes:"))?;
                for value in value.split(':') {
                    fields.push(Argument::Scalar { element, bits: element.value(value)? });
                }
            }
        }
    }
    Ok(fields)
}

impl Argument {
    /// Size and alignment in bytes.
    fn extent(&self) -> (usize, usize) {
        match self {
            Self::Scalar { element, .. } => (element.bytes() as usize, element.bytes() as usize),
            Self::Buffer { .. } => (8, 8),
            Self::Bytes(bytes) => (bytes.len(), 1),
            Self::TensorMap(_) => (TENSOR_MAP_BYTES, 64),
            Self::Struct(fields) => {
                let mut end: usize = 0;
                let mut most = 1;
                for field in fields {
                    let (size, align) = field.extent();
                    end = end.next_multiple_of(align) + size;
                    most = most.max(align);
                }
                (end.next_multiple_of(most), most)
            }
        }
    }

    /// The bytes that the kernel receives.
    pub fn placed(&self) -> Placed<'_> {
        let mut placed = Placed::default();
        self.place(&mut placed);
        placed.bytes.resize(self.extent().0.max(placed.bytes.len()), 0);
        placed
    }

    fn place<'a>(&'a self, placed: &mut Placed<'a>) {
        let (size, align) = self.extent();
        let at = placed.bytes.len().next_multiple_of(align);
        placed.bytes.resize(at, 0);
        match self {
            Self::Struct(fields) => fields.iter().for_each(|field| field.place(placed)),
            Self::Scalar { element, bits } => {
                placed.bytes.extend(&bits.to_le_bytes()[..size]);
                placed.fields.push(format!("{element} at {at}"));
            }
            Self::Buffer { .. } => {
                placed.buffers.push((at, self));
                placed.bytes.extend([0; 8]);
                placed.fields.push(format!("buffer at {at}"));
            }
            // The buffer's address is not known yet.
            Self::TensorMap(_) => {
                placed.bytes.extend([0; TENSOR_MAP_BYTES]);
                placed.fields.push(format!("tensor map at {at}"));
            }
            Self::Bytes(bytes) => {
                placed.bytes.extend(bytes);
                placed.fields.push(format!("{size} bytes at {at}"));
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn fields_lie_where_c_puts_them() {
        let argument: Argument =
            "struct=u8:1,u32:2,f64:1.5,buffer:f32:4:zeros,u16:3:4,s8:-1".parse().unwrap();
        let placed = argument.placed();
        assert_eq!(
            placed.fields,
            [
                "u8 at 0",
                "u32 at 4",
                "f64 at 8",
                "buffer at 16",
                "u16 at 24",
                "u16 at 26",
                "s8 at 28"
            ]
        );
        assert_eq!(placed.bytes.len(), 32, "a multiple of the widest field");
        assert_eq!(placed.bytes[..8], [1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(placed.bytes[8..16], 1.5_f64.to_le_bytes());
        assert_eq!(placed.bytes[24..], [3, 0, 4, 0, 0xff, 0, 0, 0]);
        assert!(matches!(placed.buffers[..], [(16, Argument::Buffer { count: 4, .. })]));
    }

    #[test]
    fn bytes_are_in_the_order_of_memory() {
        let bytes: Argument = "bytes=00ff7A".parse().unwrap();
        assert_eq!(bytes, Argument::Bytes(vec![0, 255, 0x7a]));
        assert_eq!(bytes.placed().bytes, [0, 255, 0x7a]);
        let packed: Argument = "struct=u8:1,bytes:0000,u8:2".parse().unwrap();
        assert_eq!(packed.placed().bytes, [1, 0, 0, 2]);
        for (text, part) in [
            ("bytes=", "0 hex digits"),
            ("bytes=abc", "3 hex digits"),
            ("bytes=0x12", "without 0x"),
            ("struct=", "field ``"),
            ("struct=u32", "TYPE:VALUE"),
            ("struct=u32:1,,f32:2", "field ``"),
            ("struct=u32:x", "not a u32"),
            ("struct=u33:1", "did you mean `u32`?"),
            ("struct=buffer:u32:4", "TYPE:COUNT:INIT"),
            ("struct=bytes:1", "1 hex digits"),
        ] {
            let error = text.parse::<Argument>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
