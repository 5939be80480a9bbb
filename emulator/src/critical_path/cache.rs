//! The L1 cache as one block sees it that has its share of it to itself.

use crate::cost::access::each_local_sector;
use crate::critical_path::joins::{Joins, Neighbours, Request, Stored};
use crate::critical_path::lines::{Found, LOCAL, Lines, Out, SECTOR};
use crate::critical_path::sectors::{LINE, Places, each_sector, lookups};
use crate::critical_path::trace::{Kind, Trace};
use crate::machine::{Warp, lanes};
use crate::program::{Kernel, Op, WINDOW_BYTES};

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
    /// Sectors stored that went to L2, and their lines.
    pub(crate) stored: (u64, u64),
    /// Of these, those that were not written as a whole.
    pub(crate) partial: u64,
    /// Sectors stored that L1 joined to what was stored before.
    pub(crate) joined: u64,
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

/// Where a load looks first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    L1,
    /// Past L1, which does not keep it.
    L2,
    /// What is in memory now, which another block may just have written.
    Afresh,
}

impl Asks {
    pub(crate) fn of(kernel: &Kernel, site: u16) -> Self {
        if kernel.asks_afresh(site) {
            Self::Afresh
        } else if kernel.goes_past(site) {
            Self::L2
        } else {
            Self::L1
        }
    }
}

/// Lanes of one request that lie farther apart than this, in bytes, and in no order: each
/// goes to a place of its own.
const FAR: u64 = 1 << 16;

/// The share of a block in L1, what the block found there, and what it asked for.
#[derive(Debug)]
pub(crate) struct Cache {
    lines: Lines,
    neighbours: Neighbours,
    /// Sectors of a store, each with its bytes.
    row: Vec<(u64, u64)>,
    /// Rows of stores of all blocks so far.
    rows: u32,
    pub(crate) counts: Counts,
    pub(crate) trace: Trace,
}

impl Cache {
    pub(crate) fn new(bytes: u64) -> Self {
        Self {
            lines: Lines::new(bytes, Out::Oldest),
            neighbours: Neighbours::default(),
            row: Vec::new(),
            rows: 0,
            counts: Counts::default(),
            trace: Trace::default(),
        }
    }

    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.neighbours.clear();
        self.counts = Counts::default();
        self.trace.clear();
    }

    /// A load of a warp at this cycle: where the farthest of its sectors is, how many times as long
    /// it waits as one for a single place, and its passes. All are in L1 afterwards, unless it passes L1 by.
    pub(crate) fn load(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (&Op, u32),
        cycles: f64,
        asks: Asks,
    ) -> ((Found, f32), u32) {
        let mut worst = Found::Here;
        let mut places = Places::none();
        let mut last = u64::MAX;
        let before = self.counts.filled;
        let Self { lines, counts, trace, .. } = self;
        match asks {
            Asks::L1 => trace.begin(Kind::Load, cycles),
            Asks::L2 => trace.begin(Kind::Past, cycles),
            Asks::Afresh => {}
        }
        let spread = each_sector(kernel, warp, op, mask, |sector, _| {
            counts.asked += 1;
            let found = match asks {
                Asks::Afresh => Found::Nowhere,
                Asks::L1 | Asks::L2 => {
                    trace.add(sector);
                    lines.touch(sector)
                }
            };
            // What was there is in L2 too.
            let found =
                if asks == Asks::L2 && found == Found::Here { Found::Beside } else { found };
            if found == Found::Here {
                counts.found += 1;
                return;
            }
            counts.filled += 1;
            counts.lines += u64::from(sector / LINE != last);
            last = sector / LINE;
            places.add(sector);
            if worst != Found::Nowhere {
                worst = found;
            }
        });
        if spread.span > FAR {
            self.counts.scattered.0 += self.counts.filled - before;
            self.counts.span = self.counts.span.max(spread.span);
        }
        self.counts.pass(1, spread.passes);
        ((worst, places.longer()), spread.passes)
    }

    /// A copy that goes past L1, as bulk copies do: the same.
    pub(crate) fn past(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (&Op, u32),
    ) -> ((Found, f32), u32) {
        let mut places = Places::none();
        let spread = each_sector(kernel, warp, op, mask, |sector, _| places.add(sector));
        self.counts.pass(1, spread.passes);
        ((Found::Nowhere, places.longer()), spread.passes)
    }

    /// A store of a warp that last stored to `joins`. It also writes to lines that L1 holds. Returns
    /// its passes.
    pub(crate) fn store(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (&Op, u32),
        request: &Request,
        joins: &mut Joins,
    ) -> u32 {
        let mut row = std::mem::take(&mut self.row);
        row.clear();
        let spread = each_sector(kernel, warp, op, mask, |sector, bytes| row.push((sector, bytes)));
        joins.begin(request, row.len(), &mut self.rows);
        let mut last = u64::MAX;
        let before = self.counts.stored.0;
        let Self { lines, neighbours, counts, trace, .. } = self;
        trace.begin(Kind::Store, request.at);
        for &(sector, bytes) in &row {
            let mut stored = joins.store(request, sector, bytes);
            if stored == Stored::Part && joins.together(request) {
                stored = neighbours.store(request, sector, bytes);
            }
            match stored {
                Stored::Whole => {}
                Stored::Part => counts.partial += 1,
                Stored::Joined { completes } => {
                    counts.joined += 1;
                    counts.partial -= u64::from(completes);
                    continue;
                }
            }
            trace.add(sector);
            counts.filled += u64::from(lines.touch(sector) != Found::Here);
            counts.stored.0 += 1;
            counts.stored.1 += u64::from(sector / LINE != last);
            last = sector / LINE;
        }
        self.row = row;
        if spread.span > FAR {
            self.counts.scattered.1 += self.counts.stored.0 - before;
            self.counts.span = self.counts.span.max(spread.span);
        }
        self.counts.pass(1, spread.passes);
        spread.passes
    }

    /// A fence at this cycle: L1 has nothing of global memory any longer.
    pub(crate) fn fence(&mut self, cycles: f64) {
        self.lines.flush();
        self.trace.begin(Kind::Fence, cycles);
    }

    /// An atomic at this cycle, which goes past L1 and takes its lines out: how many times as long it takes
    /// as one at a single place.
    pub(crate) fn update(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (&Op, u32),
        cycles: f64,
    ) -> f32 {
        let mut places = Places::none();
        let mut sectors = 0;
        let Self { lines, trace, .. } = self;
        trace.begin(Kind::Atomic, cycles);
        let spread = each_sector(kernel, warp, op, mask, |sector, _| {
            sectors += 1;
            places.add(sector);
            lines.drop_line(sector);
            trace.add(sector);
        });
        self.counts.updated.0 += sectors;
        if spread.span > FAR {
            self.counts.updated.1 += sectors;
            self.counts.span = self.counts.span.max(spread.span);
        }
        places.longer()
    }

    /// A load or store of local memory by warp `number` of the block, at this cycle:
    /// whether L1 held all of it, and its passes. The words of the lanes lie next to each
    /// other.
    pub(crate) fn local(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        (op, mask): (&Op, u32),
        number: usize,
        cycles: f64,
    ) -> (bool, u32) {
        let (it, stores) = match *op {
            Op::Load(it) => (it, false),
            Op::Store(it) => (it, true),
            _ => return (true, 1),
        };
        let offset = kernel.sites[usize::from(it.site)].offset.cast_unsigned();
        let base = &warp.regs64[usize::from(it.a)];
        self.own(base, offset, (mask, u64::from(it.bytes()), stores), number, cycles)
    }

    /// The same for `bytes` at `offset` from each lane's `base`.
    pub(crate) fn own(
        &mut self,
        base: &[u64; 32],
        offset: u64,
        (mask, bytes, stores): (u32, u64, bool),
        number: usize,
        cycles: f64,
    ) -> (bool, u32) {
        let mut at = [0; 32];
        for lane in lanes(mask) {
            at[lane] = base[lane].wrapping_add(offset) & (WINDOW_BYTES - 1);
        }
        let start = (LOCAL + number as u64 * (32 * WINDOW_BYTES)) / SECTOR;
        let mut all = true;
        let Self { lines, counts, trace, .. } = self;
        trace.begin(if stores { Kind::LocalStore } else { Kind::LocalLoad }, cycles);
        // Sectors come in order: those of a line one after the other.
        let (mut touched, mut many) = ([0; 256], 0);
        each_local_sector(&at, mask, bytes, |sector| {
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
        self.counts.pass(bytes.div_ceil(4), passes);
        (all, passes)
    }
}
