//! What a block writes to global memory between two checkpoints, to undo and redo it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::machine::{BlockContext, Reach, Warp, lanes};
use crate::program::{
    CLUSTER_WINDOW_BYTES, CONST_WINDOW, Inst, LOCAL_WINDOW, Op, SHARED_WINDOW, Transfer, Update,
    WINDOW_BYTES, Window,
};

/// A 4-byte word of global memory at the start and at the end of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Write {
    address: u64,
    old: u32,
    new: u32,
}

/// The words that an interval has written so far, as they were before.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    old: HashMap<u64, u32>,
}

/// The word at an address that is a multiple of 4; bytes beyond the allocation are 0.
fn read(memory: Reach, address: u64) -> Option<u32> {
    let found = memory.allocation(memory.find(address)?);
    let (at, len) = (address - found.base, found.bytes.len());
    if at + 4 <= len {
        return Some(found.bytes.load(at));
    }
    let bytes = (at..len).enumerate();
    Some(bytes.fold(0, |all, (n, at)| all | u32::from(found.bytes.load::<u8>(at)) << (8 * n)))
}

fn write(memory: Reach, address: u64, word: u32) {
    let Some(index) = memory.find(address) else { return };
    let found = memory.allocation(index);
    let (at, len) = (address - found.base, found.bytes.len());
    if at + 4 <= len {
        return found.bytes.store(at, word);
    }
    for (byte, at) in word.to_le_bytes().into_iter().zip(at..len) {
        found.bytes.store(at, byte);
    }
}

/// Whether an address of a generic access is one of global memory.
fn is_global(window: Window, address: u64) -> bool {
    let outside = |start: u64, bytes: u64| address.wrapping_sub(start) >= bytes;
    match window {
        Window::Global => true,
        Window::Generic => {
            outside(SHARED_WINDOW, CLUSTER_WINDOW_BYTES)
                && outside(LOCAL_WINDOW, WINDOW_BYTES)
                && outside(CONST_WINDOW, WINDOW_BYTES)
        }
        _ => false,
    }
}

impl Writes {
    /// Notes what `inst` is about to overwrite.
    pub(crate) fn note(&mut self, warp: &Warp, context: &BlockContext, inst: Inst, mask: u32) {
        let kernel = context.kernel;
        let (window, a, site, bytes) = match inst.op {
            Op::Store(it @ Transfer { window, a, site, .. }) => (window, a, site, it.bytes()),
            Op::Reduce(it @ Update { window, a, site, .. })
            | Op::Atomic { update: it @ Update { window, a, site, .. }, .. } => {
                (window, a, site, it.bytes())
            }
            Op::Bulk { index } => {
                let bulk = kernel.bulks[usize::from(index)];
                for lane in lanes(mask) {
                    let bytes = u64::from(warp.regs32[usize::from(bulk.bytes)][lane]);
                    let offset = kernel.sites[usize::from(bulk.to.site)].offset.cast_unsigned();
                    let to = warp.regs64[usize::from(bulk.to.a)][lane].wrapping_add(offset);
                    self.keep(context.memory, bulk.to.window, to, bytes);
                }
                return;
            }
            Op::Tensor { index } => {
                let tensor = &kernel.tensors[usize::from(index)];
                for lane in lanes(mask).filter(|_| !tensor.loads) {
                    let map = warp.regs64[usize::from(tensor.map)][lane]
                        .wrapping_add(tensor.offset.cast_unsigned());
                    // Which rows of the tensor it changes is not worked out: it keeps all.
                    if let Some((_, address)) = context.tensor_map(warp, lane, map)
                        && let Some((_, found)) = context.locate(address)
                    {
                        let bytes = found.bytes.len();
                        self.keep(context.memory, Window::Global, found.base, bytes);
                    }
                }
                return;
            }
            _ => return,
        };
        if !matches!(window, Window::Global | Window::Generic) {
            return;
        }
        let offset = kernel.sites[usize::from(site)].offset.cast_unsigned();
        for lane in lanes(mask) {
            let to = warp.regs64[usize::from(a)][lane].wrapping_add(offset);
            self.keep(context.memory, window, to, u64::from(bytes));
        }
    }

    fn keep(&mut self, memory: Reach, window: Window, address: u64, bytes: u64) {
        if !is_global(window, address) {
            return;
        }
        let Some(end) = address.checked_add(bytes) else { return };
        for word in (address / 4 * 4..end).step_by(4) {
            if let Entry::Vacant(entry) = self.old.entry(word) {
                // An access out of bounds traps next.
                let Some(old) = read(memory, word) else { return };
                entry.insert(old);
            }
        }
    }

    /// Bytes that it will take.
    pub(crate) fn bytes(&self) -> u64 {
        (self.old.len() * size_of::<Write>()) as u64
    }

    /// Goes on with an interval that had ended just before.
    pub(crate) fn reopen(&mut self, writes: &[Write]) {
        self.old.extend(writes.iter().map(|write| (write.address, write.old)));
    }

    /// Ends the interval.
    pub(crate) fn take(&mut self, memory: Reach) -> Vec<Write> {
        let words = std::mem::take(&mut self.old).into_iter();
        let mut all: Vec<Write> = words
            .map(|(address, old)| Write { address, old, new: read(memory, address).unwrap_or(old) })
            .collect();
        all.sort_unstable_by_key(|write| write.address);
        all
    }
}

/// Puts memory from the end of an interval to its start.
pub(crate) fn undo(memory: Reach, writes: &[Write]) {
    for it in writes {
        write(memory, it.address, it.old);
    }
}

/// Puts memory from the start of an interval to its end.
pub(crate) fn redo(memory: Reach, writes: &[Write]) {
    for it in writes {
        write(memory, it.address, it.new);
    }
}

/// Two intervals, one after the other, as one.
pub(crate) fn join(first: &[Write], second: &[Write]) -> Vec<Write> {
    let mut all: Vec<Write> = Vec::with_capacity(first.len().max(second.len()));
    all.extend_from_slice(first);
    all.extend_from_slice(second);
    // Stable: of two with one address, the earlier comes first.
    all.sort_by_key(|write| write.address);
    all.dedup_by(|later, earlier| {
        let same = later.address == earlier.address;
        if same {
            earlier.new = later.new;
        }
        same
    });
    all
}
