//! Element types of buffers.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of a buffer's elements. All are little-endian in device memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Element {
    /// 8-bit unsigned integers.
    U8,
    /// 8-bit signed integers.
    I8,
    /// 16-bit unsigned integers.
    U16,
    /// 16-bit signed integers.
    I16,
    /// 32-bit unsigned integers.
    U32,
    /// 32-bit signed integers.
    I32,
    /// 64-bit unsigned integers.
    U64,
    /// 64-bit signed integers.
    I64,
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

impl Element {
    /// Every type.
    pub const ALL: [Self; 10] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F32,
        Self::F64,
    ];

    /// Bytes that one takes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Whether they are integers.
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// The lowest and the highest integer; `None` for floats.
    pub fn range(self) -> Option<(i128, i128)> {
        let bits = 8 * self.bytes();
        match self {
            Self::F32 | Self::F64 => None,
            Self::U8 | Self::U16 | Self::U32 | Self::U64 => Some((0, (1 << bits) - 1)),
            Self::I8 | Self::I16 | Self::I32 | Self::I64 => {
                Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
            }
        }
    }

    /// The short name of one: `u32`.
    pub fn short(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The C type of one.
    pub fn c_name(self) -> &'static str {
        match self {
            Self::U8 => "unsigned char",
            Self::I8 => "signed char",
            Self::U16 => "unsigned short",
            Self::I16 => "short",
            Self::U32 => "unsigned int",
            Self::I32 => "int",
            Self::U64 => "unsigned long long",
            Self::I64 => "long long",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// What several of them are called.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "8-bit integers",
            Self::I8 => "signed 8-bit integers",
            Self::U16 => "16-bit integers",
            Self::I16 => "signed 16-bit integers",
            Self::U32 => "32-bit integers",
            Self::I32 => "signed 32-bit integers",
            Self::U64 => "64-bit integers",
            Self::I64 => "signed 64-bit integers",
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
