//! Device memory: allocations with guard gaps.

use std::sync::OnceLock;

use crate::machine::bytes::Bytes;
use crate::machine::claim::{Claim, Users};
use crate::program::GUARD;

/// Where device addresses start. Far from 0, so that small integers used as
/// pointers are found out, and below the shared window.
const FIRST: u64 = 0x0007_0000_0000;

/// `cudaMalloc` aligns to 256 bytes; kernels rely on it for vector accesses.
const ALIGN: u64 = 256;

/// Modules with variables that can run on one memory.
const MOST_MODULES: usize = 16;

/// One device allocation.
#[derive(Debug)]
pub(crate) struct Allocation {
    pub(crate) base: u64,
    pub(crate) bytes: Bytes,
}

/// Global memory: what kernels reach through pointers.
#[derive(Debug)]
pub struct Memory {
    allocations: Vec<Allocation>,
    /// The variables of the modules that ran on it.
    modules: [OnceLock<(u64, Vec<Allocation>)>; MOST_MODULES],
    next: u64,
    users: Users,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            allocations: Vec::new(),
            modules: Default::default(),
            next: FIRST,
            users: Users::default(),
        }
    }
}

impl Memory {
    /// Memory without allocations.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allocates `bytes` zeroed bytes and gives their device address. An
    /// allocation of no bytes has an address that nothing may access.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        let base = self.next;
        self.next = (base + bytes).next_multiple_of(ALIGN) + GUARD;
        self.allocations.push(Allocation { base, bytes: Bytes::zeroed(bytes) });
        base
    }

    /// Copies 32-bit words into the allocation at `address`; words beyond its
    /// end are left out.
    pub fn write_u32(&self, address: u64, words: &[u32]) {
        self.write_u32_at(address, 0, words);
    }

    /// Copies 32-bit words to `first` words from the start of the allocation at
    /// `address`; words beyond its end are left out.
    pub fn write_u32_at(&self, address: u64, first: u64, words: &[u32]) {
        if let Some(index) = self.find(address) {
            let bytes = &self.allocations[index].bytes;
            let room = (bytes.len() / 4).saturating_sub(first) as usize;
            for (at, &word) in (first..).zip(words.iter().take(room)) {
                bytes.store(at * 4, word);
            }
        }
    }

    /// The 32-bit words of the allocation at `address`.
    pub fn read_u32(&self, address: u64) -> Vec<u32> {
        self.find(address).map_or_else(Vec::new, |index| {
            let bytes = &self.allocations[index].bytes;
            (0..bytes.len() / 4).map(|at| bytes.load(at * 4)).collect()
        })
    }

    /// Copies bytes to `address`, a multiple of 8 bytes from the start of its
    /// allocation; bytes beyond its end are left out.
    pub fn write_bytes(&self, address: u64, source: &[u8]) {
        if let Some(index) = self.find(address) {
            let Allocation { base, bytes } = &self.allocations[index];
            let start = (address - base) / 8 * 8;
            let source = &source[..source.len().min((bytes.len() - start) as usize)];
            let (words, rest) = source.as_chunks::<8>();
            for (at, word) in words.iter().enumerate() {
                bytes.store(start + at as u64 * 8, u64::from_le_bytes(*word));
            }
            for (at, &byte) in rest.iter().enumerate() {
                bytes.store(start + (words.len() * 8 + at) as u64, byte);
            }
        }
    }

    /// The bytes of the allocation at `address`.
    pub fn read_bytes(&self, address: u64) -> Vec<u8> {
        let mut all = Vec::new();
        self.read_pieces(address, |piece| all.extend_from_slice(piece));
        all
    }

    /// Hands the bytes of the allocation at `address` to `each`, a piece at a
    /// time.
    pub fn read_pieces(&self, address: u64, mut each: impl FnMut(&[u8])) {
        const PIECE: usize = 1 << 20;
        let Some(index) = self.find(address) else { return };
        let bytes = &self.allocations[index].bytes;
        let mut piece = Vec::with_capacity(PIECE.min(bytes.len() as usize));
        for start in (0..bytes.len()).step_by(PIECE) {
            piece.clear();
            let end = bytes.len().min(start + PIECE as u64);
            let whole = start + (end - start) / 8 * 8;
            for at in (start..whole).step_by(8) {
                piece.extend_from_slice(&bytes.load::<u64>(at).to_le_bytes());
            }
            piece.extend((whole..end).map(|at| bytes.load::<u8>(at)));
            each(&piece);
        }
    }

    pub(crate) fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Zeroes the allocation at `address`.
    pub fn clear(&mut self, address: u64) {
        if let Some(index) = self.find(address) {
            let bytes = &mut self.allocations[index].bytes;
            *bytes = Bytes::zeroed(bytes.len());
        }
    }

    /// The variables of module `id`, made by `allocate` when it first runs. None
    /// if there are too many modules.
    pub(crate) fn module(
        &self,
        id: u64,
        allocate: impl Fn() -> Vec<Allocation>,
    ) -> Option<&[Allocation]> {
        self.modules.iter().find_map(|slot| {
            let (found, variables) = slot.get_or_init(|| (id, allocate()));
            (*found == id).then_some(variables.as_slice())
        })
    }

    /// The right to work on it, for a launch on one host thread or on several.
    pub(crate) fn claim(&self, one_thread: bool) -> Claim<'_> {
        self.users.claim(one_thread)
    }

    /// Index of the allocation that `address` lies in.
    pub(crate) fn find(&self, address: u64) -> Option<usize> {
        let after = self.allocations.partition_point(|allocation| allocation.base <= address);
        let index = after.checked_sub(1)?;
        let allocation = &self.allocations[index];
        (address == allocation.base || address - allocation.base < allocation.bytes.len())
            .then_some(index)
    }

    /// Where an address is, in words for a message.
    pub(crate) fn describe(&self, address: u64) -> String {
        let after = self.allocations.partition_point(|allocation| allocation.base <= address);
        let Some(before) = after.checked_sub(1).map(|index| &self.allocations[index]) else {
            return format!("address {address:#x} is in no allocation");
        };
        let (base, bytes) = (before.base, before.bytes.len());
        let (away, side) = match address.checked_sub(base + bytes) {
            Some(away) => (away, "past"),
            None => (base + bytes - address, "before"),
        };
        format!(
            "address {address:#x} is {away} bytes {side} the end of an allocation of {bytes} bytes at {base:#x}"
        )
    }
}

/// What a kernel reaches in global memory: allocations, then the variables of
/// its module, numbered through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reach<'m> {
    pub(crate) memory: &'m Memory,
    pub(crate) variables: &'m [Allocation],
}

impl<'m> Reach<'m> {
    /// One of them, if there are so many.
    #[inline(always)]
    pub(crate) fn get(self, index: usize) -> Option<&'m Allocation> {
        let allocations = self.memory.allocations.as_slice();
        match allocations.get(index) {
            None => self.variables.get(index - allocations.len()),
            found => found,
        }
    }

    /// The one with a number that [`Self::find`] gave.
    #[inline(always)]
    pub(crate) fn allocation(self, index: usize) -> &'m Allocation {
        let allocations = self.memory.allocations.as_slice();
        match allocations.get(index) {
            Some(found) => found,
            None => &self.variables[index - allocations.len()],
        }
    }

    /// Number of the one that `address` lies in.
    pub(crate) fn find(self, address: u64) -> Option<usize> {
        self.memory.find(address).or_else(|| {
            let after = self.variables.partition_point(|variable| variable.base <= address);
            let index = after.checked_sub(1)?;
            let variable = &self.variables[index];
            (address - variable.base < variable.bytes.len())
                .then_some(self.memory.allocations.len() + index)
        })
    }

    /// Where an address is, in words for a message.
    pub(crate) fn describe(self, address: u64) -> String {
        let after = self.variables.partition_point(|variable| variable.base <= address);
        match after.checked_sub(1).map(|index| &self.variables[index]) {
            Some(variable) if address - variable.base < variable.bytes.len() + GUARD => format!(
                "address {address:#x} is outside a variable of the module, of {} bytes at {:#x}",
                variable.bytes.len(),
                variable.base
            ),
            _ => self.memory.describe(address),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_apart_and_found() {
        let mut memory = Memory::new();
        let (a, b) = (memory.allocate(10), memory.allocate(0));
        let c = memory.allocate(8);
        assert!(a % ALIGN == 0 && b % ALIGN == 0 && b - a >= GUARD);
        assert_eq!(memory.find(a + 9), Some(0));
        assert_eq!(memory.find(a + 10), None);
        assert_eq!(memory.find(b), Some(1));
        assert_eq!(memory.find(b + 1), None);
        assert_eq!(memory.find(0), None);
        memory.write_u32(c, &[1, 2, 3]);
        assert_eq!(memory.read_u32(c), [1, 2]);
        memory.clear(c);
        assert_eq!(memory.read_u32(c), [0, 0]);
        assert!(memory.describe(c + 8).contains("0 bytes past the end"));
    }

    #[test]
    fn bytes_come_back_as_they_went_in() {
        let mut memory = Memory::new();
        let address = memory.allocate(19);
        let all: Vec<u8> = (1..=20).collect();
        memory.write_bytes(address, &all);
        assert_eq!(memory.read_bytes(address), all[..19]);
        memory.write_bytes(address + 8, &[0; 9]);
        assert_eq!(memory.read_bytes(address), [&all[..8], &[0; 9], &all[17..19]].concat());
    }
}
