//! What a warp does with matrices whose elements are spread over its lanes: products,
//! and rows of shared memory that lanes exchange. Data only.

use crate::program::op::Slot;

/// One such exchange.
#[derive(Debug, Clone)]
pub(crate) enum Matrix {
    /// `d = a * b + c`.
    Product(Product),
    /// Each lane's row of 16 bytes goes to the lanes that hold its elements (`ldmatrix`).
    Spread(Rows),
    /// A matrix of 8 x 8 elements of 16 bits, of which lane `l` holds `2 * (l % 4)` and the next
    /// of row `l / 4`, is transposed (`movmatrix`).
    Transpose { d: Slot, a: Slot },
    /// The elements of each row come to the lane that stores it (`stmatrix`).
    Collect(Rows),
}

/// A product of matrices: `rows` x `depth` by `depth` x 8.
///
/// Lane `l` has `g = l / 4` and `t = l % 4`. A register holds `p` elements, side by side
/// along the depth. Register `r` of `a` starts at row `g + 8 * (r % 2)` (row `g` where there
/// are 8 rows) and depth `p * t + 4 * p * (r / 2)`; register `r` of `b` at depth
/// `p * t + 4 * p * r` and column `g`. `c` and `d` hold columns `2 * t` and `2 * t + 1` of row
/// `g`, then of row `g + 8`. PTX ISA, "Matrix fragments for mma".
#[derive(Debug, Clone)]
pub(crate) struct Product {
    pub(crate) rows: usize,
    pub(crate) depth: usize,
    pub(crate) elements: Elements,
    pub(crate) d: Vec<Slot>,
    pub(crate) a: Vec<Slot>,
    pub(crate) b: Vec<Slot>,
    pub(crate) c: Vec<Slot>,
    /// What a product of a warpgroup has on top.
    pub(crate) group: Option<Group>,
}

/// What a warp's part of a product of a warpgroup (`wgmma`) has on top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    /// Predicate: where it is false, `c` counts as zero.
    pub(crate) keeps: Slot,
    /// Whether products are subtracted.
    pub(crate) negative: bool,
}

/// A warp's fragment of a matrix in shared memory that a descriptor tells of: rows of 32 bytes
/// along the depth. Lane `l` has `g = l / 4` and `t = l % 4`.
#[derive(Debug, Clone)]
pub(crate) struct Tile {
    /// 64-bit slot of the descriptor.
    pub(crate) descriptor: Slot,
    pub(crate) rows: TileRows,
    /// Registers of 4 bytes, as [`Product`] has them.
    pub(crate) registers: Vec<Slot>,
    /// Whether rows lie side by side instead of elements of a row; those have 2 bytes then.
    pub(crate) across: bool,
    pub(crate) site: u16,
}

/// Which rows of the matrix a register of a [`Tile`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TileRows {
    /// Of `a`: register `r` has row `g + 8 * (r % 2)` from byte `4 * t + 16 * (r / 2)` on, after
    /// 16 rows for each warp of the warpgroup before this one. The slot holds the warp's number.
    Factors(Slot),
    /// Of `b`: register `r` has row `g + 8 * (r / 2)` from byte `4 * t + 16 * (r % 2)` on.
    Columns,
}

/// What the elements of a product are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elements {
    /// Floats; sums have 32 bits, or 16 if `half`.
    Float { a: Factor, b: Factor, half: bool },
    /// 64-bit floats.
    Double,
    /// Integers of `bits` bits; sums have 32 bits and wrap unless they saturate.
    Integer { bits: u32, a_signed: bool, b_signed: bool, saturate: bool },
    /// Bits: the number of those set in `a & b`, or in `a ^ b` if `xor`.
    Bits { xor: bool },
}

/// A float that is multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Factor {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
}

impl Factor {
    /// Bits that it takes in a register.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 => 32,
            Self::E4m3 | Self::E5m2 => 8,
        }
    }
}

impl Elements {
    /// Elements of `a` or `b` in one register.
    pub(crate) fn per_register(self) -> usize {
        (match self {
            Self::Float { a, .. } => 32 / a.bits(),
            Self::Double => 1,
            Self::Integer { bits, .. } => 32 / bits,
            Self::Bits { .. } => 32,
        }) as usize
    }

    /// Elements of `c` or `d` in one register.
    pub(crate) fn sums_per_register(self) -> usize {
        if matches!(self, Self::Float { half: true, .. }) { 2 } else { 1 }
    }
}

/// Rows of matrices of 8 x 8 elements of 16 bits: lane `l` has row `l % 8` of matrix `l / 8`
/// in the four slots from `words` on. `registers` has one slot per matrix: lane `l` holds
/// elements `2 * (l % 4)` and `2 * (l % 4) + 1` of row `l / 4`, or of column `l / 4` if
/// `transposed`.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) words: Slot,
    pub(crate) registers: Vec<Slot>,
    pub(crate) transposed: bool,
    /// 64-bit slot of the rows' addresses.
    pub(crate) a: Slot,
}
