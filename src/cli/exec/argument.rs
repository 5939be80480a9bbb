//! One kernel argument as typed: a number, a buffer with its content, or a structure.

mod structure;
mod tensor;

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::experiment::UnknownName;
use crate::units::parse_count;
pub use structure::Placed;
pub use tensor::TensorArgument;

/// The type of a scalar, or of a buffer's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are the types of PTX")]
pub enum Element {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
}

/// Every type with its name.
const ELEMENTS: [(&str, Element); 10] = [
    ("u8", Element::U8),
    ("s8", Element::S8),
    ("u16", Element::U16),
    ("s16", Element::S16),
    ("u32", Element::U32),
    ("s32", Element::S32),
    ("u64", Element::U64),
    ("s64", Element::S64),
    ("f32", Element::F32),
    ("f64", Element::F64),
];

impl Element {
    /// Size in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::U8 | Self::S8 => 1,
            Self::U16 | Self::S16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    /// Whether it is `f32` or `f64`.
    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// Header blocks call `s32` `i32`.
    fn parse(text: &str) -> Result<Self, String> {
        let signed = text.strip_prefix('i').map(|bits| format!("s{bits}"));
        let known = ELEMENTS.iter().find(|(it, _)| *it == signed.as_deref().unwrap_or(text));
        known.map(|(_, element)| *element).ok_or_else(|| {
            let names: Vec<&str> = ELEMENTS.iter().map(|(name, _)| *name).collect();
            UnknownName::new("type", text, &names).to_string()
        })
    }

    /// The bits of `text` as a number of this type, in the low bytes.
    fn value(self, text: &str) -> Result<u64, String> {
        let bad = |why: &str| format!("`{text}` is not a {self}{why}");
        if self.is_float() {
            let value: f64 = text.parse().map_err(|_| bad(""))?;
            return Ok(if self == Self::F64 {
                value.to_bits()
            } else {
                // Read as 32 bits directly, so that it is rounded once.
                u64::from(text.parse::<f32>().map_err(|_| bad(""))?.to_bits())
            });
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let size = match hex {
            Some(hex) if !hex.starts_with('+') => u64::from_str_radix(hex, 16).ok(),
            Some(_) => None,
            None => parse_count(digits).ok(),
        }
        .ok_or_else(|| bad(""))?;
        let value = if negative { -i128::from(size) } else { i128::from(size) };
        let bits = 8 * self.bytes();
        let (low, high) = if self.is_signed() {
            (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
        } else {
            (0, (1_i128 << bits) - 1)
        };
        if value < low || value > high {
            return Err(bad(&format!(": the range is {low} to {high}")));
        }
        Ok(value as u64 & (u64::MAX >> (64 - bits)))
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ELEMENTS.iter().find(|(_, element)| element == self);
        f.pad(name.map_or("", |(name, _)| name))
    }
}

/// Content of a buffer before the launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Init {
    /// 0 everywhere.
    Zeros,
    /// 1 everywhere.
    Ones,
    /// Element i is i, in the type's own arithmetic.
    Iota,
    /// Drawn with this seed.
    Random(u64),
    /// The bytes of a file.
    File(PathBuf),
    /// Uninitialised.
    Uninitialised,
}

impl FromStr for Init {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "zeros" => Self::Zeros,
            "ones" => Self::Ones,
            "iota" => Self::Iota,
            "uninit" => Self::Uninitialised,
            _ => {
                if let Some(seed) = text.strip_prefix("random:") {
                    let seed = seed.parse();
                    return seed
                        .map(Self::Random)
                        .map_err(|_| format!("`{text}`: SEED must be a number"));
                }
                if let Some(file) = text.strip_prefix('@').filter(|file| !file.is_empty()) {
                    return Ok(Self::File(file.into()));
                }
                return Err(format!(
                    "invalid INIT `{text}`: use zeros, ones, iota, random:SEED, @FILE or uninit"
                ));
            }
        })
    }
}

/// One kernel argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A number.
    Scalar {
        /// Its type.
        element: Element,
        /// Its bits, in the low bytes.
        bits: u64,
    },
    /// A pointer to a buffer.
    Buffer {
        /// Type of its elements.
        element: Element,
        /// How many.
        count: u64,
        /// Its content.
        init: Init,
    },
    /// Bytes in memory order.
    Bytes(Vec<u8>),
    /// A map of the tensor in another argument's buffer.
    TensorMap(TensorArgument),
    /// Numbers, buffers and bytes with the layout of a C structure.
    Struct(Vec<Argument>),
}

impl FromStr for Argument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((kind, value)) = text.split_once('=') else {
            return Err(format!(
                "`{text}` is not of the form TYPE=VALUE, buffer=TYPE:COUNT:INIT, \
                 struct=FIELD,FIELD..., tensormap=K:TYPE:DIMS:BOX or bytes=HEX"
            ));
        };
        match kind {
            "buffer" => Self::buffer(value),
            "bytes" => structure::hex(value).map(Self::Bytes),
            "tensormap" => value.parse().map(Self::TensorMap),
            "struct" => structure::fields(value).map(Self::Struct),
            _ => {
                let element = Element::parse(kind).map_err(|error| {
                    format!("{error}; or use buffer=, struct=, tensormap= or bytes= (see --help)")
                })?;
                Ok(Self::Scalar { element, bits: element.value(value)? })
            }
        }
    }
}

impl Argument {
    /// `TYPE:COUNT:INIT`.
    fn buffer(value: &str) -> Result<Self, String> {
        let parts: Vec<&str> = value.splitn(3, ':').collect();
        let [element, count, init] = parts[..] else {
            return Err(format!("`{value}` is not of the form TYPE:COUNT:INIT"));
        };
        let element = Element::parse(element)?;
        let count = parse_count(count).map_err(|error| format!("COUNT {error}"))?;
        if count.checked_mul(u64::from(element.bytes())).is_none_or(|bytes| bytes > 1 << 40) {
            return Err(format!("{count} elements of {element} exceed the memory of any GPU"));
        }
        Ok(Self::Buffer { element, count, init: init.parse()? })
    }

    /// Its name in messages: `f32 value` or `buffer of f32`.
    pub fn describe(&self) -> String {
        match self {
            Self::Scalar { element, .. } => format!("{element} value"),
            Self::Buffer { element, .. } => format!("buffer of {element}"),
            Self::TensorMap(_) => "tensor map".to_owned(),
            Self::Bytes(bytes) => format!("sequence of {} bytes", bytes.len()),
            Self::Struct(_) => format!("structure of {} bytes", self.placed().bytes.len()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_bits() {
        for (text, expected) in [
            ("u8=255", 255),
            ("s8=-1", 0xff),
            ("s16=-32768", 0x8000),
            ("u32=1M", 1_000_000),
            ("s32=-2^31", 0x8000_0000),
            ("i32=-1", 0xffff_ffff),
            ("u64=0xffffffffffffffff", u64::MAX),
            ("s64=-1", u64::MAX),
            ("f32=1.5", 0x3fc0_0000),
            ("f32=-inf", 0xff80_0000),
            ("f64=1", 0x3ff0_0000_0000_0000),
        ] {
            let Argument::Scalar { bits, .. } = text.parse().unwrap() else { panic!("{text}") };
            assert_eq!(bits, expected, "{text}");
        }
        for (text, part) in [
            ("u8=256", "range is 0 to 255"),
            ("s8=128", "range is -128 to 127"),
            ("u32=-1", "range is 0 to"),
            ("u32=1.5", "not a u32"),
            ("u32=0x+1", "not a u32"),
            ("f32=one", "not a f32"),
            ("u33=1", "did you mean `u32`?"),
            ("u32", "TYPE=VALUE"),
        ] {
            let error = text.parse::<Argument>().unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn buffers_are_read_in_full() {
        let parse = |text: &str| text.parse::<Argument>();
        let buffer = |element, count, init| Argument::Buffer { element, count, init };
        assert_eq!(parse("buffer=f32:1Ki:zeros"), Ok(buffer(Element::F32, 1024, Init::Zeros)));
        assert_eq!(parse("buffer=u8:0:random:7"), Ok(buffer(Element::U8, 0, Init::Random(7))));
        let file = Init::File("a:b.bin".into());
        assert_eq!(parse("buffer=s64:2:@a:b.bin"), Ok(buffer(Element::S64, 2, file)));
        for (text, part) in [
            ("buffer=f32:4", "TYPE:COUNT:INIT"),
            ("buffer=f16:4:zeros", "no type `f16`"),
            ("buffer=f32:x:zeros", "COUNT"),
            ("buffer=f32:4:zero", "zeros, ones"),
            ("buffer=f32:4:random:x", "SEED"),
            ("buffer=f64:2^62:zeros", "memory of any GPU"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
