//! The sectors that an access of a warp touches, and its passes through L1.

use crate::cost::access;
use crate::machine::{LaneAddresses, Warp, lanes};
use crate::program::{Kernel, Op, Slot, Transfer, Update};

/// Bytes of a sector.
pub(crate) const SECTOR: u64 = 32;
/// Sectors of a line.
pub(crate) const LINE: u64 = 4;

/// Changes of the distance between neighbouring lanes in a request that has an order, and places
/// that its lanes lie at, each of so many bytes: its lanes may come to the end of some rows.
const ORDERLY: u32 = 8;
const PLACE: u64 = 4096;

/// How much longer a load waits for each doubling of the places at which it misses L1, and an atomic
/// for its result: the last of the sectors is a little later each time. From L2, 300 cycles for one
/// place, 490 for 32, and 670 and 1,270 from DRAM; an atomic 435 and 670 (`benches/data/h200/lines.csv`,
/// with warps on 64 multiprocessors of an H200).
const APART: f32 = 0.13;

/// Groups of lines: L1 looks up one line of each in a pass.
const LOOKUPS: u64 = 4;

/// How the lanes of an access lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spread {
    /// Bytes between the farthest two lanes if they are in no order, otherwise 0.
    pub(crate) span: u64,
    /// Passes through the data banks of L1.
    pub(crate) passes: u32,
}

/// Passes of lanes side by side, or all at one place, with these bytes each: 4 a lane in
/// each.
fn passes_in_order(size: u64) -> u32 {
    size.div_ceil(4).max(1) as u32
}

/// The base register of an access, its site, and its bytes per lane.
fn place(op: &Op) -> Option<(Slot, u16, u64)> {
    match *op {
        Op::Load(it @ Transfer { a, site, .. }) | Op::Store(it @ Transfer { a, site, .. }) => {
            Some((a, site, u64::from(it.bytes())))
        }
        Op::Atomic { update: it @ Update { a, site, .. }, .. }
        | Op::Reduce(it @ Update { a, site, .. }) => Some((a, site, u64::from(it.bytes()))),
        _ => None,
    }
}

/// The distinct sectors that an access touches, each with its bytes that do.
pub(crate) fn each_sector(
    kernel: &Kernel,
    warp: &Warp,
    op: &Op,
    mask: u32,
    mut each: impl FnMut(u64, u64),
) -> Spread {
    let Some((a, site, size)) = place(op) else { return Spread { span: 0, passes: 1 } };
    let offset = kernel.sites[usize::from(site)].offset.cast_unsigned();
    let base = &warp.regs64[usize::from(a)];
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
        return Spread { span: 0, passes: passes_in_order(size) };
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
    let banks = banks(base, offset, mask, size as u32);
    Spread {
        span: if turns > ORDERLY && at_more_places(&seen[..many], ORDERLY) {
            highest.saturating_sub(lowest)
        } else {
            0
        },
        passes: banks.max(lookups(seen[..many].iter().map(|it| it.0 / LINE))),
    }
}

/// The distinct places of some sectors.
#[derive(Debug)]
pub(crate) struct Places {
    known: [u64; 64],
    many: usize,
}

impl Places {
    pub(crate) fn none() -> Self {
        Self { known: [0; 64], many: 0 }
    }

    pub(crate) fn add(&mut self, sector: u64) {
        let place = sector / (PLACE / SECTOR);
        if self.many < self.known.len() && !self.known[..self.many].contains(&place) {
            self.known[self.many] = place;
            self.many += 1;
        }
    }

    /// How many times as long a load waits for sectors at these places as for one.
    pub(crate) fn longer(&self) -> f32 {
        1.0 + APART * (self.many.max(1) as f32).log2()
    }
}

/// Whether the sectors lie at more than `than` distinct places.
fn at_more_places(sectors: &[(u64, u64)], than: u32) -> bool {
    let mut places = Places::none();
    for it in sectors {
        places.add(it.0);
    }
    places.many > than as usize
}

/// Passes through the banks of L1, which are those of shared memory.
fn banks(base: &[u64; 32], offset: u64, mask: u32, bytes: u32) -> u32 {
    let lowest = lanes(mask).map(|lane| base[lane].wrapping_add(offset)).min().unwrap_or_default();
    let origin = (lowest & !(LINE * SECTOR - 1)).wrapping_sub(offset);
    match LaneAddresses::new(base, origin, mask) {
        Some(places) => access::wavefronts(&places, bytes, false).0,
        None => 1,
    }
}

/// Passes through the tags for these lines, which may come several times in a row.
pub(crate) fn lookups(lines: impl Iterator<Item = u64>) -> u32 {
    let mut known = [u64::MAX; 64];
    let mut many = 0;
    let mut groups = [0_u32; LOOKUPS as usize];
    for line in lines {
        if many < known.len() && !known[..many].contains(&line) {
            known[many] = line;
            many += 1;
            groups[(line % LOOKUPS) as usize] += 1;
        }
    }
    groups.into_iter().max().unwrap_or_default().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_wait_longer_the_more_places_they_miss_at() {
        let longer = |apart: u64| {
            let mut places = Places::none();
            for sector in 0..32 {
                places.add(sector * apart);
            }
            places.longer().to_bits()
        };
        assert_eq!(longer(1), 1.0_f32.to_bits(), "side by side");
        assert_eq!(longer(4), 1.0_f32.to_bits(), "lines side by side");
        assert_eq!(longer(PLACE / SECTOR / 16), (1.0 + APART).to_bits(), "two places");
        assert_eq!(longer(250), (1.0 + APART * 5.0).to_bits(), "each for itself");
    }
}
