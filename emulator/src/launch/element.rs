//! The numbers that arguments and buffers hold.

/// A number of up to 8 bytes, as kernels take it.
pub trait Element: Copy {
    /// Its bytes, lowest first.
    fn to_bytes(self) -> Vec<u8>;
    /// The number with these bytes. Zero if there are too few or too many.
    fn from_bytes(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($($ty:ty)*) => {$(
        impl Element for $ty {
            fn to_bytes(self) -> Vec<u8> {
                self.to_le_bytes().to_vec()
            }

            fn from_bytes(bytes: &[u8]) -> Self {
                bytes.try_into().map(Self::from_le_bytes).unwrap_or_default()
            }
        }
    )*};
}

element!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);
