//! C types of kernel parameters.

use std::fmt;

use crate::work::Element;

/// Type of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CType {
    /// A pointer.
    Pointer {
        /// Type behind it.
        to: Scalar,
        /// Whether the kernel may only read it.
        constant: bool,
    },
    /// A value.
    Scalar(Scalar),
    /// Anything else, as written.
    Other(String),
}

/// Type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scalar {
    /// A number.
    Number(Element),
    /// A vector of numbers, such as `float4`.
    Vector(Element, u8),
    /// A truth value, of one byte.
    Bool,
    /// Any other type, by its name.
    Opaque(String),
}

/// The C names of each element type.
const NAMES: [(Element, &[&str]); 10] = [
    (Element::U8, &["unsigned char", "uchar", "uint8_t", "u8", "unsigned __int8"]),
    (Element::I8, &["char", "signed char", "int8_t", "i8", "__int8"]),
    (Element::U16, &["unsigned short", "unsigned short int", "ushort", "uint16_t", "u16"]),
    (Element::I16, &["short", "short int", "signed short", "int16_t", "i16"]),
    (Element::U32, &["unsigned int", "unsigned", "int unsigned", "uint", "uint32_t", "u32"]),
    (Element::I32, &["int", "signed", "signed int", "int32_t", "i32"]),
    (
        Element::U64,
        &[
            "unsigned long long",
            "unsigned long long int",
            "unsigned long",
            "unsigned long int",
            "long unsigned int",
            "long long unsigned int",
            "ulonglong",
            "ulong",
            "uint64_t",
            "uintptr_t",
            "size_t",
            "u64",
        ],
    ),
    (
        Element::I64,
        &["long long", "long long int", "long", "long int", "int64_t", "ptrdiff_t", "i64"],
    ),
    (Element::F32, &["float", "f32"]),
    (Element::F64, &["double", "f64"]),
];

/// Complex numbers of CUDA's libraries.
const COMPLEX: [(Element, &[&str]); 2] = [
    (Element::F32, &["cuComplex", "cuFloatComplex", "cufftComplex"]),
    (Element::F64, &["cuDoubleComplex", "cufftDoubleComplex"]),
];

/// The names of vector types without their number of lanes.
const VECTORS: [(Element, &str); 12] = [
    (Element::U8, "uchar"),
    (Element::I8, "char"),
    (Element::U16, "ushort"),
    (Element::I16, "short"),
    (Element::U32, "uint"),
    (Element::I32, "int"),
    (Element::U64, "ulonglong"),
    (Element::I64, "longlong"),
    (Element::F32, "float"),
    (Element::F64, "double"),
    (Element::U64, "ulong"),
    (Element::I64, "long"),
];

/// The type that these words name.
pub(super) fn scalar_of(words: &[&str]) -> Option<Scalar> {
    let name = words.join(" ");
    if name == "bool" {
        return Some(Scalar::Bool);
    }
    let complex = COMPLEX.iter().find(|(_, names)| names.contains(&name.as_str()));
    if let Some((element, _)) = complex {
        return Some(Scalar::Vector(*element, 2));
    }
    let number = NAMES.iter().find(|(_, names)| names.contains(&name.as_str()));
    if let Some((element, _)) = number {
        return Some(Scalar::Number(*element));
    }
    let lanes = name.chars().last()?.to_digit(10).filter(|lanes| (1..=4).contains(lanes))?;
    let base = &name[..name.len() - 1];
    let (element, _) = VECTORS.iter().find(|(_, vector)| *vector == base)?;
    Some(Scalar::Vector(*element, lanes as u8))
}

impl Scalar {
    /// The number that it consists of.
    pub fn element(&self) -> Option<Element> {
        match self {
            Self::Number(element) | Self::Vector(element, _) => Some(*element),
            Self::Bool | Self::Opaque(_) => None,
        }
    }

    /// Bytes that it takes, if known.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Self::Number(element) => Some(element.bytes()),
            Self::Vector(element, lanes) => Some(element.bytes() * u64::from(*lanes)),
            Self::Bool => Some(1),
            Self::Opaque(_) => None,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(element) => f.write_str(element.c_name()),
            Self::Vector(element, lanes) => {
                let name = VECTORS.iter().find(|(it, _)| it == element).map_or("", |it| it.1);
                write!(f, "{name}{lanes}")
            }
            Self::Bool => f.write_str("bool"),
            Self::Opaque(name) => f.write_str(name),
        }
    }
}

impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pointer { to, constant } => {
                let (constant, to) = (if *constant { "const " } else { "" }, to.to_string());
                let space = if to.ends_with('*') { "" } else { " " };
                write!(f, "{constant}{to}{space}*")
            }
            Self::Scalar(scalar) => write!(f, "{scalar}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
