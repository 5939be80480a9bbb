//! Fragments of matrices in shared memory, where a descriptor says that they are. PTX ISA,
//! "Asynchronous warpgroup-level matrix shared memory layout".

use crate::machine::{At, BlockContext, Fault, TrapKind, Warp, lanes};
use crate::program::{Tile, TileRows};

/// Bytes that stay together wherever they lie.
const CHUNK: u64 = 16;

/// Rows of a core matrix.
const ROWS: u64 = 8;

/// A matrix as its descriptor tells it; all in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    start: u64,
    /// From one core matrix to the next along the leading dimension and along the other.
    leading: u64,
    stride: u64,
    /// Bytes of a row within which chunks are swapped, or of one chunk.
    span: u64,
    /// The number that the first of eight rows of 128 bytes has, where it is not that of its
    /// address.
    base: u64,
}

impl Layout {
    fn of(descriptor: u64) -> Self {
        let bytes = |low: u32| (descriptor >> low & 0x3fff) * CHUNK;
        let span = match descriptor >> 62 {
            0 => CHUNK,
            1 => 128,
            2 => 64,
            _ => 32,
        };
        Self {
            start: bytes(0),
            leading: bytes(16),
            stride: bytes(32),
            span,
            base: descriptor >> 49 & 7,
        }
    }

    /// Where byte `at` of row `row` is, if rows are stored one after the other.
    fn along(self, row: u64, at: u64) -> u64 {
        let place = row / ROWS * self.stride + row % ROWS * self.span;
        let within = if self.span == CHUNK { at / CHUNK * self.leading + at % CHUNK } else { at };
        self.swapped(self.start + place + within)
    }

    /// Where element `depth`, of 2 bytes, of row `row` is, if the rows lie side by side.
    fn across(self, row: u64, depth: u64) -> u64 {
        let wide = self.span / 2;
        let (far, deep) = if self.span == CHUNK {
            (self.stride, self.leading)
        } else {
            (self.leading, self.stride)
        };
        let place = row / wide * far + depth / ROWS * deep + depth % ROWS * self.span;
        self.swapped(self.start + place + 2 * (row % wide))
    }

    /// The address after the chunks of each row have been swapped, as the row's number says.
    fn swapped(self, address: u64) -> u64 {
        let number = (address >> 7).wrapping_sub(self.base);
        address ^ number << 4 & (self.span - CHUNK)
    }
}

/// Fills the registers of fragment `index` of the kernel in the lanes of `mask`.
pub(crate) fn load(
    warp: &mut Warp,
    context: &BlockContext,
    index: u16,
    mask: u32,
) -> Result<(), Fault> {
    let tile = &context.kernel.tiles[usize::from(index)];
    for lane in lanes(mask) {
        let layout = Layout::of(warp.regs64[usize::from(tile.descriptor)][lane]);
        let skipped = match tile.rows {
            TileRows::Factors(number) => u64::from(warp.regs32[usize::from(number)][lane] % 4) * 16,
            TileRows::Columns => 0,
        };
        let (g, t) = (lane as u64 / 4, lane as u64 % 4);
        for (register, &slot) in (0_u64..).zip(&tile.registers) {
            let (group, half) = match tile.rows {
                TileRows::Factors(_) => (register % 2, register / 2),
                TileRows::Columns => (register / 2, register % 2),
            };
            let (row, at) = (skipped + g + ROWS * group, 4 * t + CHUNK * half);
            let word = word(context, tile, layout, row, at)
                .ok_or_else(|| outside(context, tile, layout, 1 << lane))?;
            warp.regs32[usize::from(slot)][lane] = word;
        }
    }
    Ok(())
}

/// Four bytes of a row from byte `at` on, if they are there.
fn word(context: &BlockContext, tile: &Tile, layout: Layout, row: u64, at: u64) -> Option<u32> {
    let inside = |place: u64, size: u64| (place + size <= context.shared.len()).then_some(place);
    if !tile.across {
        return Some(context.shared.load(inside(layout.along(row, at), 4)?));
    }
    let half = |depth: u64| -> Option<u32> {
        let place = inside(layout.across(row, depth), 2)?;
        Some(u32::from(context.shared.load::<u16>(place)))
    };
    Some(half(at / 2)? | half(at / 2 + 1)? << 16)
}

#[cold]
fn outside(context: &BlockContext, tile: &Tile, layout: Layout, lanes: u32) -> Fault {
    let message = format!(
        "`{}`: the matrix at offset {} leaves the {} bytes of shared memory",
        context.kernel.word(tile.site),
        layout.start,
        context.shared.len()
    );
    Fault { kind: TrapKind::OutOfBounds, at: At::Site(tile.site), lanes, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_of_a_row_are_swapped_by_its_number() {
        let of = |swizzle: u64| Layout::of(swizzle << 62 | 64 << 32 | 8 << 16 | 2);
        let plain = of(0);
        assert_eq!(plain, Layout { start: 32, leading: 128, stride: 1024, span: 16, base: 0 });
        assert_eq!(plain.along(9, 20), 32 + 1024 + 16 + 128 + 4);
        assert_eq!(plain.across(9, 9), 32 + 1024 + 128 + 16 + 2);
        // Row 3 of 128-byte rows, from an aligned start: its chunks are those of 3 XOR 3.
        let wide = Layout { start: 0, ..of(1) };
        assert_eq!(wide.along(3, 48), 3 * 128);
        assert_eq!(wide.along(3, 52), 3 * 128 + 4);
        assert_eq!(Layout { start: 0, ..of(3) }.along(5, 0), (5 * 32) ^ 16);
    }
}
