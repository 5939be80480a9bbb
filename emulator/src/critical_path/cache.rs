//! The L1 cache as one block sees it that has its share of it to itself.

use crate::cost::access::each_local_sector;
use crate::machine::{Warp, lanes};
use crate::program::{Kernel, Op, WINDOW_BYTES};

/// Bytes of a line and of a sector.
const LINE: u64 = 128;
const SECTOR: u64 = 32;
/// Lines that share a set.
const WAYS: usize = 4;

/// Where a load finds what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// In L1.
    Here,
    /// Not there, but the neighbours were asked for, with which it came into L2.
    Beside,
    /// Neither.
    Nowhere,
}

/// One line: its number, the sectors that it holds, when it was last used.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    line: u64,
    sectors: u8,
    /// Those of local memory that were written: L1 keeps them until it needs the room.
    dirty: u8,
    used: u32,
}

/// A set-associative cache of lines that hold sectors, least recently used out.
#[derive(Debug)]
pub(crate) struct Cache {
    entries: Vec<Entry>,
    sets: usize,
    clock: u32,
    pub(crate) counts: Counts,
}

/// What loads and stores found.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    /// Sectors that loads asked for, and those that were there.
    pub(crate) asked: u64,
    pub(crate) found: u64,
    /// Sectors that were brought in.
    pub(crate) filled: u64,
    /// Lines of the sectors that loads did not find, request by request.
    pub(crate) lines: u64,
    /// Sectors stored, and their lines.
    pub(crate) stored: (u64, u64),
    /// Of the sectors stored, those that a request did not write as a whole.
    pub(crate) partial: u64,
    /// Sectors of local memory that accesses asked for, and those that were there.
    pub(crate) local: (u64, u64),
    /// Sectors of local memory that were written back.
    pub(crate) written_back: u64,
    /// Sectors of loads from L2 and of stores whose lanes lie far apart without order.
    pub(crate) scattered: (u64, u64),
    /// The farthest that two of their lanes lay apart, in bytes.
    pub(crate) span: u64,
}

/// Lanes of one request that lie farther apart than this, in bytes, and in no order: each
/// goes to a place of its own.
const FAR: u64 = 1 << 16;

/// Changes of the distance between neighbouring lanes in a request that has an order: its
/// lanes may come to the end of some rows.
const ORDERLY: u32 = 8;

/// Where local memory lies for the replay, far from what kernels address.
const LOCAL: u64 = 1 << 58;

impl Cache {
    pub(crate) fn new(bytes: u64) -> Self {
        let sets = (bytes / LINE / WAYS as u64).max(1).next_power_of_two() as usize;
        Self {
            entries: vec![Entry::default(); sets * WAYS],
            sets,
            clock: 0,
            counts: Counts::default(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.fill(Entry::default());
        (self.clock, self.counts) = (0, Counts::default());
    }

    /// A load of a warp: where the farthest of its sectors is. All are in L1
    /// afterwards.
    pub(crate) fn load(&mut self, kernel: &Kernel, warp: &Warp, op: Op, mask: u32) -> Found {
        let mut worst = Found::Here;
        let mut last = u64::MAX;
        let before = self.counts.filled;
        let span = each_sector(kernel, warp, op, mask, |sector, _| {
            self.counts.asked += 1;
            match self.touch(sector) {
                Found::Here => self.counts.found += 1,
                found => {
                    self.counts.filled += 1;
                    self.counts.lines += u64::from(sector / (LINE / SECTOR) != last);
                    last = sector / (LINE / SECTOR);
                    if worst != Found::Nowhere {
                        worst = found;
                    }
                }
            }
        });
        if span > FAR {
            self.counts.scattered.0 += self.counts.filled - before;
            self.counts.span = self.counts.span.max(span);
        }
        worst
    }

    /// A store: what was there is written too.
    pub(crate) fn store(&mut self, kernel: &Kernel, warp: &Warp, op: Op, mask: u32) {
        let mut last = u64::MAX;
        let before = self.counts.stored.0;
        let span = each_sector(kernel, warp, op, mask, |sector, bytes| {
            self.counts.partial += u64::from(bytes < SECTOR);
            self.counts.filled += u64::from(self.touch(sector) != Found::Here);
            self.counts.stored.0 += 1;
            self.counts.stored.1 += u64::from(sector / (LINE / SECTOR) != last);
            last = sector / (LINE / SECTOR);
        });
        if span > FAR {
            self.counts.scattered.1 += self.counts.stored.0 - before;
            self.counts.span = self.counts.span.max(span);
        }
    }

    /// A load or store of local memory by warp `number` of the block: whether all of it was
    /// there. The words of the lanes lie next to each other.
    pub(crate) fn local(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        op: Op,
        mask: u32,
        number: usize,
    ) -> bool {
        let (it, stores) = match op {
            Op::Load(it) => (it, false),
            Op::Store(it) => (it, true),
            _ => return true,
        };
        let offset = kernel.sites[usize::from(it.site)].offset.cast_unsigned();
        let base = &warp.regs64[usize::from(it.a)];
        let mut at = [0; 32];
        for lane in lanes(mask) {
            at[lane] = base[lane].wrapping_add(offset) & (WINDOW_BYTES - 1);
        }
        let start = (LOCAL + number as u64 * (32 * WINDOW_BYTES)) / SECTOR;
        let mut all = true;
        each_local_sector(&at, mask, u64::from(it.bytes()), |sector| {
            let sector = start + sector;
            let found = self.touch(sector) == Found::Here;
            self.counts.local.0 += 1;
            self.counts.local.1 += u64::from(found || stores);
            all &= found || stores;
            if stores {
                self.soil(sector);
            }
        });
        all
    }

    /// Marks a sector that was just touched as written.
    fn soil(&mut self, sector: u64) {
        let (line, bit) = (sector / (LINE / SECTOR) + 1, 1 << (sector % (LINE / SECTOR)));
        let set = self.set(line);
        for entry in &mut self.entries[set..set + WAYS] {
            if entry.line == line {
                entry.dirty |= bit;
            }
        }
    }

    /// The first place of the set that a line belongs to.
    fn set(&self, line: u64) -> usize {
        ((line as usize ^ (line as usize >> 7)) & (self.sets - 1)) * WAYS
    }

    /// Brings a sector in; where it was.
    fn touch(&mut self, sector: u64) -> Found {
        self.clock += 1;
        let (line, bit) = (sector / (LINE / SECTOR) + 1, 1 << (sector % (LINE / SECTOR)));
        let pair = 0b11 << ((sector % (LINE / SECTOR)) & !1);
        let set = self.set(line);
        let ways = &mut self.entries[set..set + WAYS];
        let mut oldest = 0;
        for index in 0..WAYS {
            if ways[index].line == line {
                let there = ways[index].sectors;
                ways[index].sectors |= bit;
                ways[index].used = self.clock;
                return match (there & bit, there & pair) {
                    (0, 0) => Found::Nowhere,
                    (0, _) => Found::Beside,
                    _ => Found::Here,
                };
            }
            if ways[index].used < ways[oldest].used {
                oldest = index;
            }
        }
        self.counts.written_back += u64::from(ways[oldest].dirty.count_ones());
        ways[oldest] = Entry { line, sectors: bit, dirty: 0, used: self.clock };
        Found::Nowhere
    }
}

/// The distinct sectors that an access of a warp touches, each with its bytes that do.
/// Returns how far its lanes lie apart if they are in no order, otherwise 0.
fn each_sector(
    kernel: &Kernel,
    warp: &Warp,
    op: Op,
    mask: u32,
    mut each: impl FnMut(u64, u64),
) -> u64 {
    let (Op::Load(it) | Op::Store(it)) = op else { return 0 };
    let (slot, site, size) = (it.a, it.site, u64::from(it.bytes()));
    let offset = kernel.sites[usize::from(site)].offset.cast_unsigned();
    let base = &warp.regs64[usize::from(slot)];
    let first = base[0].wrapping_add(offset);
    // Lanes side by side, or all at one place, are the usual cases.
    let apart = |step: u64| {
        let places =
            base.iter().zip(0..).map(|(&place, lane)| (place, base[0].wrapping_add(step * lane)));
        places.fold(0, |off, (place, expected)| off | (place ^ expected)) == 0
    };
    let bytes = match mask {
        u32::MAX if apart(size) => 32 * size,
        u32::MAX if apart(0) => size,
        _ => 0,
    };
    // Bytes of a sector between two addresses.
    let between = |sector: u64, first: u64, end: u64| {
        end.min((sector + 1) * SECTOR) - first.max(sector * SECTOR)
    };
    if bytes > 0 && first < u64::MAX / 2 {
        for sector in first / SECTOR..=(first + bytes - 1) / SECTOR {
            each(sector, between(sector, first, first + bytes));
        }
        return 0;
    }
    let (mut lowest, mut highest, mut turns, mut step) = (u64::MAX, 0, 0_u32, 0);
    let mut previous = first;
    let mut seen = [(0_u64, 0_u64); 64];
    let mut many = 0;
    for lane in lanes(mask) {
        let address = base[lane].wrapping_add(offset).min(u64::MAX / 2);
        (lowest, highest) = (lowest.min(address), highest.max(address));
        let next = address.wrapping_sub(previous);
        turns += u32::from(next != step);
        (previous, step) = (address, next);
        for sector in address / SECTOR..=(address + size - 1) / SECTOR {
            let here = between(sector, address, address + size);
            // Neighbours are likely to share it with the lane before.
            if let Some(found) = seen[..many].iter_mut().rev().find(|found| found.0 == sector) {
                found.1 += here;
            } else if many < seen.len() {
                seen[many] = (sector, here);
                many += 1;
            }
        }
    }
    for &(sector, bytes) in &seen[..many] {
        each(sector, bytes);
    }
    if turns > ORDERLY { highest.saturating_sub(lowest) } else { 0 }
}
