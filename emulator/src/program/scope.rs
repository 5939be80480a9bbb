//! Loops that lanes leave while others of their warp wait inside.

/// The scope of a branch whose lanes meet only where all that is left is to end the thread.
pub(crate) const AT_END: u32 = u32::MAX;

/// The blocks of a loop.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    /// The least of its blocks.
    first: u32,
    /// A bit for each block from the first on.
    blocks: Vec<u64>,
    /// The block where lanes that leave it meet, or [`NOWHERE`](crate::program::NOWHERE).
    pub(crate) meet: u32,
    /// 1 + the region that they meet within; 0 where all of them come there.
    pub(crate) scope: u32,
}

impl Region {
    /// A region of `blocks`, which are sorted.
    pub(crate) fn new(blocks: &[u32], meet: u32, scope: u32) -> Self {
        let first = blocks.first().copied().unwrap_or(0);
        let last = blocks.last().copied().unwrap_or(0);
        let mut region =
            Self { first, blocks: vec![0; (last - first) as usize / 64 + 1], meet, scope };
        for block in blocks {
            let bit = (block - first) as usize;
            region.blocks[bit / 64] |= 1 << (bit % 64);
        }
        region
    }

    /// Moves it behind `base` blocks and `before` regions.
    pub(crate) fn shift(&mut self, base: u32, before: u32) {
        self.first += base;
        if self.meet != crate::program::NOWHERE {
            self.meet += base;
        }
        if self.scope != 0 {
            self.scope += before;
        }
    }

    #[inline]
    fn contains(&self, block: u32) -> bool {
        let bit = block.wrapping_sub(self.first) as usize;
        self.blocks.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 != 0)
    }
}

/// The regions of a kernel.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scopes {
    /// For each block, 1 + the region that the ways of its branch meet within; 0 where all of
    /// them come to the meeting place.
    pub(crate) of_block: Vec<u32>,
    pub(crate) regions: Vec<Region>,
}

impl Scopes {
    /// The region that the ways of `block` meet within.
    #[inline]
    pub(crate) fn of(&self, block: u32) -> u32 {
        self.of_block.get(block as usize).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn region(&self, scope: u32) -> Option<&Region> {
        self.regions.get((scope as usize).wrapping_sub(1))
    }

    /// Whether `block` lies outside of `scope`.
    #[inline]
    pub(crate) fn leaves(&self, scope: u32, block: u32) -> bool {
        self.region(scope).is_some_and(|region| !region.contains(block))
    }
}
