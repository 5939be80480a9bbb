//! The L1 cache as one block sees it that has its share of it to itself.

use crate::machine::{Warp, lanes};
use crate::program::{Kernel, Op};

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
}

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
        each_sector(kernel, warp, op, mask, |sector, _| {
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
        worst
    }

    /// A store: what was there is written too.
    pub(crate) fn store(&mut self, kernel: &Kernel, warp: &Warp, op: Op, mask: u32) {
        let mut last = u64::MAX;
        each_sector(kernel, warp, op, mask, |sector, bytes| {
            self.counts.partial += u64::from(bytes < SECTOR);
            self.counts.filled += u64::from(self.touch(sector) != Found::Here);
            self.counts.stored.0 += 1;
            self.counts.stored.1 += u64::from(sector / (LINE / SECTOR) != last);
            last = sector / (LINE / SECTOR);
        });
    }

    /// Brings a sector in; where it was.
    fn touch(&mut self, sector: u64) -> Found {
        self.clock += 1;
        let (line, bit) = (sector / (LINE / SECTOR) + 1, 1 << (sector % (LINE / SECTOR)));
        let pair = 0b11 << ((sector % (LINE / SECTOR)) & !1);
        let set = (line as usize ^ (line as usize >> 7)) & (self.sets - 1);
        let ways = &mut self.entries[set * WAYS..(set + 1) * WAYS];
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
        ways[oldest] = Entry { line, sectors: bit, used: self.clock };
        Found::Nowhere
    }
}

/// The distinct sectors that an access of a warp touches, each with its bytes that do.
fn each_sector(kernel: &Kernel, warp: &Warp, op: Op, mask: u32, mut each: impl FnMut(u64, u64)) {
    let (Op::Load(it) | Op::Store(it)) = op else { return };
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
        return;
    }
    let mut seen = [(0_u64, 0_u64); 64];
    let mut many = 0;
    for lane in lanes(mask) {
        let address = base[lane].wrapping_add(offset).min(u64::MAX / 2);
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
}
