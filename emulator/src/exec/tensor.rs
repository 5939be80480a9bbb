//! Copies of boxes of tensors between global and shared memory.

use crate::exec::bulk::{PIECE, Span, bytes, complete, place};
use crate::lane::Word;
use crate::machine::{
    At, BlockContext, Bytes, Fault, LaneAddresses, SECTOR, TENSOR_MAP_BYTES, TensorElement,
    TensorMap, TrapKind, Warp, lanes,
};
use crate::program::{Change, Rmw, Tensor};

/// A box starts at a multiple of this in shared memory.
const ALIGN: u64 = 128;

/// Bytes of a chunk, which a swizzle moves as a whole.
const CHUNK: u64 = 16;

/// One row of a box: elements side by side along the first dimension.
struct Row {
    /// Offset of its first element in the box.
    offset: u64,
    /// Address of its first element in global memory, which may be outside of the tensor.
    address: u64,
    /// Whether it lies within the tensor along all other dimensions.
    inside: bool,
}

/// Carries out copy `index` of the kernel for the lanes of `mask`, one after the other.
pub(crate) fn run(
    warp: &Warp,
    context: &mut BlockContext,
    index: u16,
    mask: u32,
) -> Result<(), Fault> {
    let kernel = context.kernel;
    let tensor = &kernel.tensors[usize::from(index)];
    for lane in lanes(mask) {
        let (map, address) = map(warp, context, tensor, lane)?;
        let at: Vec<i64> = tensor
            .at
            .iter()
            .map(|&slot| i64::from(warp.regs32[usize::from(slot)][lane].cast_signed()))
            .collect();
        if at.len() != map.dims.len() {
            let message = format!("has {} coordinates for {} dimensions", at.len(), map.dims.len());
            return Err(fault(context, tensor, TrapKind::Trap, lane, &message));
        }
        let copy = Copy { tensor, map: &map, address, at: &at, lane };
        if at[0] * map.element.bytes().cast_signed() % CHUNK.cast_signed() != 0 {
            let message = format!(
                "the box starts at element {} along the first dimension: that has to be at a \
                 multiple of {CHUNK} bytes",
                at[0]
            );
            return Err(fault(context, tensor, TrapKind::Misaligned, lane, &message));
        }
        if !tensor.loads {
            copy.store(warp, context)?;
            continue;
        }
        let (values, size) = copy.read(context)?;
        let blocks = tensor.blocks.map(|blocks| warp.regs32[usize::from(blocks)][lane] & 0xffff);
        match blocks {
            None => copy.deliver(warp, context, &values, size, None)?,
            Some(blocks) => {
                for rank in lanes(blocks) {
                    copy.deliver(warp, context, &values, size, Some(rank as u64))?;
                }
            }
        }
    }
    Ok(())
}

/// The map that a lane names, and the address of its tensor.
fn map(
    warp: &Warp,
    context: &BlockContext,
    tensor: &Tensor,
    lane: usize,
) -> Result<(TensorMap, u64), Fault> {
    let address = warp.regs64[usize::from(tensor.map)][lane];
    let address = address.wrapping_add(tensor.offset.cast_unsigned());
    context.tensor_map(warp, lane, address).ok_or_else(|| {
        let message = format!(
            "there is no tensor map at {address:#x}: pass one as an argument of \
             {TENSOR_MAP_BYTES} bytes"
        );
        fault(context, tensor, TrapKind::Trap, lane, &message)
    })
}

fn fault(
    context: &BlockContext,
    tensor: &Tensor,
    kind: TrapKind,
    lane: usize,
    message: &str,
) -> Fault {
    let message = format!("`{}`: {message}", context.kernel.word(tensor.site));
    Fault { kind, at: At::Site(tensor.site), lanes: 1 << lane, message }
}

/// The copy of one lane.
struct Copy<'c> {
    tensor: &'c Tensor,
    map: &'c TensorMap,
    /// Of the tensor.
    address: u64,
    /// The first element of the box.
    at: &'c [i64],
    lane: usize,
}

impl Copy<'_> {
    /// All rows of the box.
    fn rows(&self) -> Vec<Row> {
        let counts = self.map.counts();
        let size = self.map.element.bytes();
        let rows: u64 = counts.iter().skip(1).product();
        (0..rows)
            .map(|number| {
                let (mut left, mut inside) = (number, true);
                let mut address = self.address.wrapping_add_signed(self.at[0] * size.cast_signed());
                for (dim, &count) in counts.iter().enumerate().skip(1) {
                    let step = i64::from(self.map.steps[dim]);
                    let place = self.at[dim] + (left % count).cast_signed() * step;
                    left /= count;
                    inside &= place >= 0 && place.cast_unsigned() < self.map.dims[dim];
                    let stride = self.map.strides[dim - 1].cast_signed();
                    address = address.wrapping_add_signed(place.wrapping_mul(stride));
                }
                Row { offset: number * self.map.pitch(), address, inside }
            })
            .collect()
    }

    /// The elements of a row that lie within the tensor.
    fn within(&self) -> std::ops::Range<u64> {
        let count = u64::from(self.map.extent[0]);
        let first = (-self.at[0]).max(0).cast_unsigned().min(count);
        let end = (self.map.dims[0].cast_signed() - self.at[0]).max(0).cast_unsigned().min(count);
        first..end.max(first)
    }

    /// Where a byte of the box lies in shared memory, if the box starts at `start`.
    fn placed(&self, start: u64, offset: u64) -> u64 {
        let address = start + offset;
        address ^ address >> 3 & self.map.swizzle.saturating_sub(CHUNK)
    }

    /// The global memory that a row's elements within the tensor lie in: its number, and the
    /// offset of the first.
    fn locate(&self, context: &BlockContext, row: &Row) -> Result<(usize, u64), Fault> {
        let size = self.map.element.bytes();
        let within = self.within();
        let address = row.address.wrapping_add(within.start * size);
        let length = (within.end - within.start) * size;
        match context.locate(address) {
            Some((index, found)) if found.bytes.len() - (address - found.base) >= length => {
                Ok((index, address - found.base))
            }
            _ => {
                let message = format!(
                    "a row of the box, {length} bytes: {}",
                    context.memory.describe(address)
                );
                Err(fault(context, self.tensor, TrapKind::OutOfBounds, self.lane, &message))
            }
        }
    }

    /// Counts what a row touches of global memory.
    fn count(&self, context: &mut BlockContext, allocation: usize, offset: u64) {
        let within = self.within();
        let length = (within.end - within.start) * self.map.element.bytes();
        let site = usize::from(self.tensor.site);
        let tally = &mut context.tallies.sites[site];
        for piece in (0..length).step_by(PIECE as usize) {
            let (first, last) = (offset + piece, offset + length.min(piece + PIECE) - 1);
            tally.sectors += last / SECTOR - first / SECTOR + 1;
        }
        context.found[site] = allocation;
    }

    /// The elements of the box from global memory, with their number of bytes.
    fn read(&self, context: &mut BlockContext) -> Result<(Vec<u64>, u64), Fault> {
        let (size, within) = (self.map.element.bytes(), self.within());
        let tally = &mut context.tallies.sites[usize::from(self.tensor.site)];
        (tally.global, tally.global_lanes) = (tally.global + 1, tally.global_lanes + 1);
        let outside = if self.map.fill_nan { NOT_A_NUMBER } else { 0 };
        let mut values = Vec::new();
        let rows = self.rows();
        let bytes = rows.len() as u64 * u64::from(self.map.extent[0]) * size;
        for row in rows {
            let start = values.len();
            values.resize(start + self.map.extent[0] as usize, outside);
            if !row.inside || within.is_empty() {
                continue;
            }
            let (allocation, offset) = self.locate(context, &row)?;
            self.count(context, allocation, offset);
            let memory = &context.memory.allocation(allocation).bytes;
            for (at, element) in (0..).zip(within.clone()) {
                let value = get(memory, offset + at * size, size);
                values[start + element as usize] = loaded(self.map.element, value);
            }
        }
        Ok((values, bytes))
    }

    /// Where the box lies in shared memory, of block `rank` if one is given.
    fn shared(
        &self,
        warp: &Warp,
        context: &BlockContext,
        rank: Option<u64>,
    ) -> Result<Span, Fault> {
        let size = self.map.shared_bytes();
        let span = place(warp, context, self.tensor.shared, size, self.lane, rank)?;
        if span.offset.is_multiple_of(ALIGN) {
            return Ok(span);
        }
        let message = format!(
            "the box starts at offset {} of shared memory: it has to be a multiple of {ALIGN}",
            span.offset
        );
        Err(fault(context, self.tensor, TrapKind::Misaligned, self.lane, &message))
    }

    /// Writes the elements of a box to shared memory, and tells the barrier there.
    fn deliver(
        &self,
        warp: &Warp,
        context: &BlockContext,
        values: &[u64],
        size: u64,
        rank: Option<u64>,
    ) -> Result<(), Fault> {
        let each = self.map.element.bytes();
        let span = self.shared(warp, context, rank)?;
        let target = bytes(context, &span);
        let wide = u64::from(self.map.extent[0]);
        for (at, &value) in (0..).zip(values) {
            let offset = at / wide * self.map.pitch() + at % wide * each;
            let place = self.placed(span.offset, offset);
            if place + each <= target.len() {
                put(target, place, each, value);
            }
        }
        let Some(barrier) = self.tensor.barrier else { return Ok(()) };
        complete(warp, context, barrier, size, self.lane, rank)
    }

    /// Writes the elements of the box in shared memory that lie within the tensor to it.
    fn store(&self, warp: &Warp, context: &mut BlockContext) -> Result<(), Fault> {
        let (each, within) = (self.map.element.bytes(), self.within());
        if self.at.iter().any(|at| *at < 0) {
            let message = "GPUs do not store a box that starts before the tensor";
            return Err(fault(context, self.tensor, TrapKind::OutOfBounds, self.lane, message));
        }
        let rows = self.rows();
        let span = self.shared(warp, context, None)?;
        let tally = &mut context.tallies.sites[usize::from(self.tensor.site)];
        (tally.global, tally.global_lanes) = (tally.global + 1, tally.global_lanes + 1);
        for row in rows {
            if !row.inside || within.is_empty() {
                continue;
            }
            let (allocation, offset) = self.locate(context, &row)?;
            self.count(context, allocation, offset);
            let target = &context.memory.allocation(allocation).bytes;
            for (at, element) in (0..).zip(within.clone()) {
                let from = self.placed(span.offset, row.offset + element * each);
                if from + each > context.shared.len() {
                    continue;
                }
                let value = get(bytes(context, &span), from, each);
                let place = offset + at * each;
                match self.tensor.change {
                    None => put(target, place, each, value),
                    Some(change) => self.change(context, target, place, value, change)?,
                }
            }
        }
        context.changed = true;
        Ok(())
    }

    /// Changes an element of the tensor in one step.
    fn change(
        &self,
        context: &BlockContext,
        target: &Bytes,
        place: u64,
        value: u64,
        change: Change,
    ) -> Result<(), Fault> {
        let element = self.map.element;
        let Some(f) = function(change, element) else {
            let message = "GPUs do not reduce elements of this type so";
            return Err(fault(context, self.tensor, TrapKind::Trap, self.lane, message));
        };
        // Halves are changed in the word that they are in.
        let size = element.bytes();
        let wide = size.max(4);
        let word = place & !(wide - 1);
        let places = LaneAddresses::new(&[word; 32], 0, 1);
        let Some(checked) = places.as_ref().and_then(|it| it.check(target, wide as u32)) else {
            return Ok(());
        };
        match size {
            8 => {
                checked.update(0, 0, |old: u64| u64::rmw(f, old, value, 0));
            }
            4 => {
                checked.update(0, 0, |old: u32| u32::rmw(f, old, value as u32, 0));
            }
            _ => {
                let (shift, ones) = (8 * (place - word), (1_u32 << (8 * size)) - 1);
                checked.update(0, 0, |old: u32| {
                    let new = u32::rmw(f, old >> shift & ones, value as u32, 0) & ones;
                    old & !(ones << shift) | new << shift
                });
            }
        }
        Ok(())
    }
}

/// What a reduction does to elements of a type, if GPUs do it.
fn function(change: Change, element: TensorElement) -> Option<Rmw> {
    use TensorElement::{Bf16, F16, F32, F32Flushed, F64, S32, S64, Tf32, Tf32Flushed, U32, U64};
    Some(match (change, element) {
        (Change::Add, U32 | S32 | U64 | S64) => Rmw::Add,
        (Change::Add, F32 | F32Flushed | Tf32 | Tf32Flushed | F64) => Rmw::AddFloat,
        (Change::Add, F16) => Rmw::AddF16,
        (Change::Add, Bf16) => Rmw::AddBf16,
        (Change::Min, U32 | U64) => Rmw::MinU,
        (Change::Min, S32 | S64) => Rmw::MinS,
        (Change::Min, F16) => Rmw::MinF16,
        (Change::Min, Bf16) => Rmw::MinBf16,
        (Change::Max, U32 | U64) => Rmw::MaxU,
        (Change::Max, S32 | S64) => Rmw::MaxS,
        (Change::Max, F16) => Rmw::MaxF16,
        (Change::Max, Bf16) => Rmw::MaxBf16,
        (Change::Increment, U32) => Rmw::Increment,
        (Change::Decrement, U32) => Rmw::Decrement,
        (Change::And, U32 | S32 | U64 | S64) => Rmw::And,
        (Change::Or, U32 | S32 | U64 | S64) => Rmw::Or,
        (Change::Xor, U32 | S32 | U64 | S64) => Rmw::Xor,
        _ => return None,
    })
}

/// What is read outside of a tensor of floats, if not zero. Recorded on an H200: each 16 bits.
const NOT_A_NUMBER: u64 = 0x7ff7_7ff7_7ff7_7ff7;

/// Bits of a 32-bit float that `tf32` does not have.
const BEYOND_TF32: u64 = (1 << 13) - 1;

/// An element as it comes to shared memory. Recorded on an H200: `tf32` is rounded, with ties
/// away from zero, and subnormal values stay.
fn loaded(element: TensorElement, value: u64) -> u64 {
    match element {
        TensorElement::Tf32 | TensorElement::Tf32Flushed if value & 0x7fff_ffff <= 0x7f80_0000 => {
            value.wrapping_add(BEYOND_TF32.div_ceil(2)) & !BEYOND_TF32
        }
        _ => value,
    }
}

fn get(bytes: &Bytes, at: u64, size: u64) -> u64 {
    match size {
        1 => u64::from(bytes.load::<u8>(at)),
        2 => u64::from(bytes.load::<u16>(at)),
        4 => u64::from(bytes.load::<u32>(at)),
        _ => bytes.load::<u64>(at),
    }
}

fn put(bytes: &Bytes, at: u64, size: u64, value: u64) {
    match size {
        1 => bytes.store(at, value as u8),
        2 => bytes.store(at, value as u16),
        4 => bytes.store(at, value as u32),
        _ => bytes.store(at, value),
    }
}
