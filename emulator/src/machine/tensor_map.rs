//! Tensor maps: how a tensor lies in global memory, and which box of it is copied at once.
//!
//! A kernel gets a map as 128 bytes that only the copies of boxes read. What is in them is a
//! secret of each driver; these are the emulator's own.

/// Bytes of a map.
pub const TENSOR_MAP_BYTES: usize = 128;

/// Tells a map from other bytes.
const MARK: u64 = 0x7065_7363_7470_616d;

/// Most dimensions of a tensor.
const MOST_DIMENSIONS: usize = 5;

/// Most shared memory of a block: 227 KiB.
const MOST_SHARED: u64 = 227 << 10;

/// Strides and addresses are multiples of this.
const ALIGN: u64 = 16;

/// Type of the elements of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "they are those of the CUDA driver")]
pub enum TensorElement {
    U8,
    U16,
    U32,
    S32,
    U64,
    S64,
    F16,
    F32,
    F64,
    Bf16,
    /// `f32` whose subnormal values become zero.
    F32Flushed,
    /// `f32` rounded to `tf32`.
    Tf32,
    /// The same, and subnormal values become zero.
    Tf32Flushed,
}

/// Every type with its name.
const ELEMENTS: [(&str, TensorElement); 13] = [
    ("u8", TensorElement::U8),
    ("u16", TensorElement::U16),
    ("u32", TensorElement::U32),
    ("s32", TensorElement::S32),
    ("u64", TensorElement::U64),
    ("s64", TensorElement::S64),
    ("f16", TensorElement::F16),
    ("f32", TensorElement::F32),
    ("f64", TensorElement::F64),
    ("bf16", TensorElement::Bf16),
    ("f32_ftz", TensorElement::F32Flushed),
    ("tf32", TensorElement::Tf32),
    ("tf32_ftz", TensorElement::Tf32Flushed),
];

impl TensorElement {
    /// The type with this name.
    pub fn parse(name: &str) -> Option<Self> {
        ELEMENTS.iter().find(|(known, _)| *known == name).map(|(_, element)| *element)
    }

    /// The names of all types.
    pub fn names() -> impl Iterator<Item = &'static str> {
        ELEMENTS.iter().map(|(name, _)| *name)
    }

    /// Size in bytes.
    pub fn bytes(self) -> u64 {
        match self {
            Self::U8 => 1,
            Self::U16 | Self::F16 | Self::Bf16 => 2,
            Self::U64 | Self::S64 | Self::F64 => 8,
            _ => 4,
        }
    }

    /// Whether it is a float.
    pub fn is_float(self) -> bool {
        !matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::S32 | Self::U64 | Self::S64)
    }
}

/// A tensor in global memory and the box of it that one instruction copies, as
/// `cuTensorMapEncodeTiled` takes them. The first dimension is the one whose elements lie side
/// by side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorMap {
    /// Type of the elements.
    pub element: TensorElement,
    /// Elements along each dimension: one to five of them.
    pub dims: Vec<u64>,
    /// Bytes from one element to the next along each dimension but the first.
    pub strides: Vec<u64>,
    /// Elements of the box along each dimension.
    pub extent: Vec<u32>,
    /// Along each dimension but the first, every how many elements one is copied.
    pub steps: Vec<u32>,
    /// Bytes within which chunks of 16 bytes are swapped in shared memory: 0, 32, 64 or 128.
    pub swizzle: u64,
    /// Whether what lies outside the tensor reads as NaN instead of zero.
    pub fill_nan: bool,
}

impl TensorMap {
    /// A dense tensor, copied in boxes of `extent` elements without swizzle.
    pub fn new(element: TensorElement, dims: &[u64], extent: &[u32]) -> Self {
        let run = dims.iter().scan(element.bytes(), |run, dim| {
            *run = run.saturating_mul(*dim);
            Some(*run)
        });
        Self {
            element,
            dims: dims.to_vec(),
            strides: run.take(dims.len().saturating_sub(1)).collect(),
            extent: extent.to_vec(),
            steps: vec![1; dims.len()],
            swizzle: 0,
            fill_nan: false,
        }
    }

    /// Checks the rules of the CUDA driver for a tensor at `address`.
    ///
    /// # Errors
    /// The rule that is broken, in words.
    pub fn check(&self, address: u64) -> Result<(), String> {
        let rank = self.dims.len();
        if rank == 0 || rank > MOST_DIMENSIONS {
            return Err(format!("a tensor has 1 to {MOST_DIMENSIONS} dimensions, not {rank}"));
        }
        for (what, count, expected) in [
            ("the box", self.extent.len(), rank),
            ("steps", self.steps.len(), rank),
            ("strides", self.strides.len(), rank - 1),
        ] {
            if count != expected {
                return Err(format!("{what}: {count} numbers where the tensor needs {expected}"));
            }
        }
        let wrong = |what: &str, value: u64, rule: &str| Err(format!("{what} {value}: {rule}"));
        if let Some(&dim) = self.dims.iter().find(|dim| !(1..=1 << 32).contains(*dim)) {
            return wrong("dimension", dim, "must be 1 to 2^32");
        }
        if let Some(&extent) = self.extent.iter().find(|extent| !(1..=256).contains(*extent)) {
            return wrong("box", extent.into(), "must be 1 to 256 along each dimension");
        }
        if let Some(&step) = self.steps.iter().find(|step| !(1..=8).contains(*step)) {
            return wrong("step", step.into(), "must be 1 to 8");
        }
        if let Some(&stride) =
            self.strides.iter().find(|stride| !stride.is_multiple_of(ALIGN) || **stride >= 1 << 40)
        {
            return wrong("stride", stride, "must be a multiple of 16 below 2^40");
        }
        if !address.is_multiple_of(ALIGN) {
            return Err("the tensor must start at a multiple of 16 bytes".to_owned());
        }
        let row = u64::from(self.extent[0]) * self.element.bytes();
        if !row.is_multiple_of(ALIGN) {
            return wrong("row of the box, in bytes,", row, "must be a multiple of 16");
        }
        match self.swizzle {
            0 => {}
            32 | 64 | 128 if row <= self.swizzle => {}
            32 | 64 | 128 => return wrong("row of the box, in bytes,", row, "exceeds the swizzle"),
            other => return wrong("swizzle", other, "must be 0, 32, 64 or 128"),
        }
        if self.shared_bytes() > MOST_SHARED {
            return wrong("box, in bytes,", self.shared_bytes(), "exceeds shared memory");
        }
        if self.fill_nan && !self.element.is_float() {
            return Err("only floats can be filled with NaN".to_owned());
        }
        Ok(())
    }

    /// The map of a tensor at `address`, as a kernel gets it.
    pub fn encode(&self, address: u64) -> [u8; TENSOR_MAP_BYTES] {
        let mut bytes = [0; TENSOR_MAP_BYTES];
        for (eight, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.words(address)) {
            *eight = word.to_le_bytes();
        }
        bytes
    }

    /// The same in words.
    pub fn words(&self, address: u64) -> [u64; TENSOR_MAP_BYTES / 8] {
        let mut words = [0_u64; TENSOR_MAP_BYTES / 8];
        words[0] = MARK;
        words[1] = address;
        let element = ELEMENTS.iter().position(|(_, element)| *element == self.element);
        let swizzle = self.swizzle.checked_ilog2().unwrap_or(0);
        words[2] = self.dims.len() as u64
            | (element.unwrap_or(0) as u64) << 8
            | u64::from(swizzle) << 16
            | u64::from(self.fill_nan) << 24;
        for (at, &dim) in self.dims.iter().take(MOST_DIMENSIONS).enumerate() {
            words[3 + at] = dim;
        }
        for (at, &stride) in self.strides.iter().take(MOST_DIMENSIONS - 1).enumerate() {
            words[8 + at] = stride;
        }
        for (at, (&extent, &step)) in
            self.extent.iter().zip(&self.steps).take(MOST_DIMENSIONS).enumerate()
        {
            words[12 + at / 2] |= (u64::from(extent) | u64::from(step) << 16) << (32 * (at % 2));
        }
        words
    }

    /// The map in these bytes and the address of its tensor, if they are one that fits together.
    pub(crate) fn decode(bytes: &[u8; TENSOR_MAP_BYTES]) -> Option<(Self, u64)> {
        let mut words = [0; TENSOR_MAP_BYTES / 8];
        for (word, eight) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*eight);
        }
        let rank = (words[2] & 0xff) as usize;
        if words[0] != MARK || rank == 0 || rank > MOST_DIMENSIONS {
            return None;
        }
        let pairs = (0..rank).map(|at| (words[12 + at / 2] >> (32 * (at % 2))) as u32);
        let swizzle = words[2] >> 16 & 0xff;
        let map = Self {
            element: ELEMENTS.get((words[2] >> 8 & 0xff) as usize)?.1,
            dims: words[3..3 + rank].to_vec(),
            strides: words[8..7 + rank].to_vec(),
            extent: pairs.clone().map(|pair| pair & 0xffff).collect(),
            steps: pairs.map(|pair| pair >> 16).collect(),
            swizzle: if swizzle == 0 { 0 } else { 1 << (swizzle & 63) },
            fill_nan: words[2] >> 24 & 1 != 0,
        };
        map.check(words[1]).ok().map(|()| (map, words[1]))
    }

    /// Bytes from one row of the box to the next in shared memory.
    pub(crate) fn pitch(&self) -> u64 {
        match self.swizzle {
            0 => u64::from(self.extent[0]) * self.element.bytes(),
            swizzle => swizzle,
        }
    }

    /// Bytes of shared memory that the box takes.
    pub(crate) fn shared_bytes(&self) -> u64 {
        self.counts().iter().skip(1).product::<u64>() * self.pitch()
    }

    /// Elements that a copy moves along each dimension.
    pub(crate) fn counts(&self) -> Vec<u64> {
        let along = |(at, (&extent, &step)): (usize, (&u32, &u32))| {
            // Along the first dimension, there are no steps.
            u64::from(if at == 0 { extent } else { extent.div_ceil(step) })
        };
        self.extent.iter().zip(&self.steps).enumerate().map(along).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn maps_go_through_their_bytes() {
        let map = TensorMap {
            strides: vec![64, 640],
            steps: vec![1, 2, 3],
            swizzle: 64,
            fill_nan: true,
            ..TensorMap::new(TensorElement::Bf16, &[20, 7, 1 << 32], &[16, 5, 256])
        };
        assert_eq!(TensorMap::decode(&map.encode(4096)), Some((map.clone(), 4096)));
        assert_eq!(map.counts(), [16, 3, 86]);
        assert_eq!(TensorMap::decode(&[0; TENSOR_MAP_BYTES]), None);
        assert_eq!(TensorMap::decode(&map.encode(8)), None, "a misaligned tensor");
    }
}
