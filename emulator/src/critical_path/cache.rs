//! The L1 cache as one block sees it that has its share of it to itself.

use crate::cost::access::each_local_sector;
use crate::critical_path::sectors::{LINE, each_sector, lookups};
use crate::critical_path::trace::{Kind, Trace};
use crate::machine::{Warp, lanes};
use crate::program::{Kernel, Op, WINDOW_BYTES};

/// Bytes of a sector.
const SECTOR: u64 = 32;

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

/// Lines one after the other that lie in sets one after the other.
const NEIGHBOURS: u64 = 256;

/// All sectors of a line.
const WHOLE: u8 = (1 << LINE) - 1;

/// Cycles that a sector takes to come in.
const ON_ITS_WAY: f32 = 600.0;

/// One line: its number, the sectors that it holds, when it was last used.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    line: u64,
    sectors: u8,
    /// Its sectors that were written.
    written: u8,
    used: u32,
    /// Who brought its last sector in, and when.
    by: u32,
    at: f32,
}

/// Which line of a set has to go for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    /// The least recently used one, as in L1.
    Oldest,
    /// The older one of any two: L2 loses some of the lines in use, and only some of them where
    /// they are a little more than it holds.
    Any,
}

/// A set-associative cache of lines that hold sectors.
#[derive(Debug)]
pub(crate) struct Lines {
    entries: Vec<Entry>,
    sets: u64,
    ways: usize,
    out: Out,
    clock: u32,
    /// The entry that was touched last.
    recent: usize,
    /// Lines with written sectors that had to go, and those sectors.
    gone: Vec<(u64, u8)>,
}

impl Lines {
    pub(crate) fn new(bytes: u64, out: Out) -> Self {
        let ways = if out == Out::Oldest { 4 } else { 16 };
        let sets = (bytes / (LINE * SECTOR) / ways as u64).max(1);
        let entries = vec![Entry::default(); sets as usize * ways];
        Self { entries, sets, ways, out, clock: 0, recent: 0, gone: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.fill(Entry::default());
        self.clock = 0;
    }

    /// Brings a sector in; where it was.
    pub(crate) fn touch(&mut self, sector: u64) -> Found {
        self.touch_at(sector, 0, 0.0).0
    }

    /// Writes a sector; where it was.
    pub(crate) fn write(&mut self, sector: u64) -> Found {
        let found = self.touch(sector);
        self.entries[self.recent].written |= 1 << (sector % LINE);
        found
    }

    /// Written sectors that had to go from lines that were not written as a whole, and whose
    /// other sectors were written later on.
    pub(crate) fn torn(mut self) -> u64 {
        let there = self.entries.iter().filter(|entry| entry.written != 0);
        self.gone.extend(there.map(|entry| (entry.line, entry.written)));
        self.gone.sort_unstable_by_key(|&(line, _)| line);
        let torn = |written: u8| if written == WHOLE { 0 } else { u64::from(written.count_ones()) };
        self.gone.retain(|&(line, _)| line < LOCAL / (LINE * SECTOR));
        let lines = self.gone.chunk_by(|a, b| a.0 == b.0).filter(|line| line.len() > 1);
        lines.flatten().map(|&(_, written)| torn(written)).sum()
    }

    /// The same as [`Self::touch`] for one of several blocks, at cycle `at`. Also says whether another block
    /// asked for the sector just before, so that it is still on its way.
    pub(crate) fn touch_at(&mut self, sector: u64, by: u32, at: f32) -> (Found, bool) {
        self.clock += 1;
        let (line, bit) = (sector / LINE + 1, 1 << (sector % LINE));
        let pair = 0b11 << ((sector % LINE) & !1);
        // Neighbours lie in different sets, and arrays start anywhere.
        let start = (line / NEIGHBOURS).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        let set = ((line + start) % self.sets) as usize * self.ways;
        let ways = &mut self.entries[set..set + self.ways];
        let mut oldest = 0;
        for index in 0..ways.len() {
            if ways[index].line == line {
                self.recent = set + index;
                let there = ways[index].sectors;
                ways[index].sectors |= bit;
                ways[index].used = self.clock;
                if there & bit != 0 {
                    let on_its_way = ways[index].by != by && at - ways[index].at < ON_ITS_WAY;
                    return (Found::Here, on_its_way);
                }
                (ways[index].by, ways[index].at) = (by, at);
                return (if there & pair == 0 { Found::Nowhere } else { Found::Beside }, false);
            }
            if ways[index].used < ways[oldest].used {
                oldest = index;
            }
        }
        if self.out == Out::Any && ways[oldest].line != 0 {
            let any = self.clock.wrapping_mul(0x9E37_79B9) as usize;
            let (one, other) = ((any >> 16) % ways.len(), (any >> 24) % ways.len());
            oldest = if ways[one].used < ways[other].used { one } else { other };
        }
        if ways[oldest].written != 0 {
            self.gone.push((ways[oldest].line, ways[oldest].written));
        }
        self.recent = set + oldest;
        ways[oldest] = Entry { line, sectors: bit, written: 0, used: self.clock, by, at };
        (Found::Nowhere, false)
    }
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
    /// Sectors of local memory that loads asked for, and those that were there.
    pub(crate) local: (u64, u64),
    /// Sectors of loads from L2 and of stores whose lanes lie far apart without order.
    pub(crate) scattered: (u64, u64),
    /// Sectors of atomics, and of those whose lanes lie so.
    pub(crate) updated: (u64, u64),
    /// The farthest that two of their lanes lay apart, in bytes.
    pub(crate) span: u64,
    /// Accesses to global and local memory, and their passes through L1.
    pub(crate) passes: (u64, u64),
}

impl Counts {
    fn pass(&mut self, requests: u64, passes: u32) {
        self.passes.0 += requests;
        self.passes.1 += u64::from(passes);
    }
}

/// Lanes of one request that lie farther apart than this, in bytes, and in no order: each
/// goes to a place of its own.
const FAR: u64 = 1 << 16;

/// Where local memory lies for the replay, far from what kernels address.
pub(crate) const LOCAL: u64 = 1 << 58;

/// The share of a block in L1, what the block found there, and what it asked for.
#[derive(Debug)]
pub(crate) struct Cache {
    lines: Lines,
    pub(crate) counts: Counts,
    pub(crate) trace: Trace,
}

impl Cache {
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            lines: Lines::new(bytes, Out::Oldest),
            counts: Counts::default(),
            trace: Trace::default(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.counts = Counts::default();
        self.trace.clear();
    }

    /// A load of a warp at this cycle: where the farthest of its sectors is, and its
    /// passes. All are in L1 afterwards, unless it passes L1 by.
    pub(crate) fn load(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (Op, u32),
        cycles: f64,
        passes_by: bool,
    ) -> (Found, u32) {
        let mut worst = Found::Here;
        let mut last = u64::MAX;
        let before = self.counts.filled;
        let Self { lines, counts, trace } = self;
        if !passes_by {
            trace.begin(Kind::Load, cycles);
        }
        let spread = each_sector(kernel, warp, op, mask, |sector, _| {
            counts.asked += 1;
            let found = if passes_by {
                Found::Nowhere
            } else {
                trace.add(sector);
                lines.touch(sector)
            };
            if found == Found::Here {
                counts.found += 1;
                return;
            }
            counts.filled += 1;
            counts.lines += u64::from(sector / LINE != last);
            last = sector / LINE;
            if worst != Found::Nowhere {
                worst = found;
            }
        });
        if spread.span > FAR {
            self.counts.scattered.0 += self.counts.filled - before;
            self.counts.span = self.counts.span.max(spread.span);
        }
        self.counts.pass(1, spread.passes);
        (worst, spread.passes)
    }

    /// A store at this cycle. It also writes to lines that L1 holds. Returns its passes.
    pub(crate) fn store(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (Op, u32),
        cycles: f64,
    ) -> u32 {
        let mut last = u64::MAX;
        let before = self.counts.stored.0;
        let Self { lines, counts, trace } = self;
        trace.begin(Kind::Store, cycles);
        let spread = each_sector(kernel, warp, op, mask, |sector, bytes| {
            trace.add(sector);
            counts.partial += u64::from(bytes < SECTOR);
            counts.filled += u64::from(lines.touch(sector) != Found::Here);
            counts.stored.0 += 1;
            counts.stored.1 += u64::from(sector / LINE != last);
            last = sector / LINE;
        });
        if spread.span > FAR {
            self.counts.scattered.1 += self.counts.stored.0 - before;
            self.counts.span = self.counts.span.max(spread.span);
        }
        self.counts.pass(1, spread.passes);
        spread.passes
    }

    /// An atomic, which passes L1 by.
    pub(crate) fn update(&mut self, kernel: &Kernel, warp: &Warp, (op, mask): (Op, u32)) {
        let mut sectors = 0;
        let spread = each_sector(kernel, warp, op, mask, |_, _| sectors += 1);
        self.counts.updated.0 += sectors;
        if spread.span > FAR {
            self.counts.updated.1 += sectors;
            self.counts.span = self.counts.span.max(spread.span);
        }
    }

    /// A load or store of local memory by warp `number` of the block, at this cycle:
    /// whether L1 held all of it, and its passes. The words of the lanes lie next to each
    /// other.
    pub(crate) fn local(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (Op, u32),
        number: usize,
        cycles: f64,
    ) -> (bool, u32) {
        let (it, stores) = match op {
            Op::Load(it) => (it, false),
            Op::Store(it) => (it, true),
            _ => return (true, 1),
        };
        let offset = kernel.sites[usize::from(it.site)].offset.cast_unsigned();
        let base = &warp.regs64[usize::from(it.a)];
        let mut at = [0; 32];
        for lane in lanes(mask) {
            at[lane] = base[lane].wrapping_add(offset) & (WINDOW_BYTES - 1);
        }
        let start = (LOCAL + number as u64 * (32 * WINDOW_BYTES)) / SECTOR;
        let mut all = true;
        let Self { lines, counts, trace } = self;
        trace.begin(if stores { Kind::LocalStore } else { Kind::LocalLoad }, cycles);
        // Sectors come in order: those of a line one after the other.
        let (mut touched, mut many) = ([0; 256], 0);
        each_local_sector(&at, mask, u64::from(it.bytes()), |sector| {
            let sector = start + sector;
            trace.add(sector);
            let found = lines.touch(sector) == Found::Here;
            if !stores {
                counts.local.0 += 1;
                counts.local.1 += u64::from(found);
                all &= found;
            }
            touched[many & 255] = sector / LINE;
            many += 1;
        });
        let passes = lookups(touched[..many.min(256)].iter().copied());
        // Each 32-bit word of a thread is a request.
        self.counts.pass(u64::from(it.bytes().div_ceil(4)), passes);
        (all, passes)
    }
}
