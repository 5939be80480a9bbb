//! Stores that L1 joins before they go to L2.
//!
//! L1 keeps the lines that were stored to last. A store to a sector of such a line joins the one
//! before, and both go to L2 together (`benches/data/h200/merges.csv`, by Nsight Compute):
//!
//! - L1 keeps 30 lines; of stores of one or two bytes, 13.
//! - Where stores keep L1 busy, three to ten warps store at the same time. Stores that a warp makes with
//!   no branch between them join if all these warps together use no more than these lines. The numbers of
//!   warps are from kernels that write records of 12 to 36 bytes
//!   (`benches/data/h200/records.csv`): 98, 80, 62, 36 and 9 % of what could join does with 3, 5, 6, 7 and 9
//!   lines for each warp.
//! - Where warps seldom store, each has all of the lines to itself. How many store at a time follows from
//!   what a warp does between its stores; this estimate was not measured by itself.
//! - Behind a branch, as in a loop, all warps have stored meanwhile, and nothing joins.
//! - Warps of a block that have left a barrier together, and waited for no load since, store at the same
//!   time, and join what they store of one sector. So do kernels that keep some of their elements, such as
//!   `drop_repeats` and `multisplit_eight` of the outside sets, by Nsight Compute.

use crate::critical_path::sectors::{LINE, SECTOR};

/// Lines of a multiprocessor that are kept.
const LINES: usize = 30;

/// The same where a lane stores one or two bytes.
const LINES_IN_BYTES: usize = 13;

/// Warps that store at the same time where stores keep L1 busy, each with the share of rows of stores
/// that find as many or fewer.
const AT_ONCE: [(f64, f64); 6] =
    [(0.09, 3.0), (0.36, 4.0), (0.62, 5.0), (0.8, 6.0), (0.97, 7.0), (1.0, 10.0)];

/// The golden ratio: its multiples leave numbers below 1 that are spread evenly, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_895;

/// Cycles of a multiprocessor for each sector that goes to L2, and stores that a warp is taken to make
/// in a row.
const SECTOR_CYCLES: f64 = 2.4;
const IN_A_ROW: f64 = 4.0;

/// Instructions that a multiprocessor issues in a cycle.
const ISSUED: f64 = 4.0;

/// Cycles after a barrier in which warps have not drifted apart yet: between 500, after which
/// `split_by_bit` joins some of its stores, and the some thousands of `rank_sort_block`, which joins few.
const SOON: f64 = 1000.0;

/// Cycles between stores of two warps that left a barrier together, at most, if they join.
const APART: f64 = 300.0;

/// A line with the bytes that wait in its sectors.
#[derive(Debug, Clone, Copy)]
struct Kept {
    line: u64,
    bytes: [u64; LINE as usize],
}

/// Of `bytes` more bytes in a sector in which `waiting` wait: what becomes of them.
fn add(waiting: &mut u64, bytes: u64) -> Stored {
    let before = *waiting;
    *waiting = (before + bytes).min(SECTOR);
    match (before, *waiting) {
        (0, SECTOR) => Stored::Whole,
        (0, _) => Stored::Part,
        (_, now) => Stored::Joined { completes: before < SECTOR && now == SECTOR },
    }
}

/// What a warp stored last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joins {
    /// Whether it stored since the last branch.
    stored: bool,
    /// Warps that store at the same time.
    at_once: usize,
    /// When the last row of stores began, and instructions since then.
    began: f64,
    instructions: f64,
    /// The line stored to last is at the end.
    lines: Vec<Kept>,
    /// When it left a barrier, unless it waited for a load since.
    pub(crate) left: Option<f64>,
}

/// What becomes of a sector that is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It goes to L2 as a whole.
    Whole,
    /// A part of it does.
    Part,
    /// It goes with what was stored before.
    Joined {
        /// Whether the sector is whole now.
        completes: bool,
    },
}

/// A store to some sectors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request {
    /// Warps on the multiprocessor.
    pub(crate) warps: usize,
    /// The warp's number in its block.
    pub(crate) warp: usize,
    /// Bytes that each lane stores.
    pub(crate) size: u64,
    /// The cycle.
    pub(crate) at: f64,
}

impl Request {
    /// Lines that L1 keeps at a time.
    fn lines(&self) -> usize {
        if self.size < 4 { LINES_IN_BYTES } else { LINES }
    }
}

impl Joins {
    /// The warp enters a basic block with this number of instructions. `straight` says that no branch
    /// led there.
    pub(crate) fn turn(&mut self, instructions: u64, straight: bool) {
        self.stored &= straight;
        self.instructions += instructions as f64;
    }

    /// The warp leaves a barrier at this cycle.
    pub(crate) fn leave(&mut self, at: f64) {
        self.stored = false;
        self.left = Some(at);
    }

    /// Whether the warps with which it left a barrier store now too.
    pub(crate) fn together(&self, request: &Request) -> bool {
        self.left.is_some_and(|left| request.at - left < SOON)
    }

    /// The warp stores to this number of sectors. `rows` counts the rows of stores followed so far, of
    /// all warps.
    pub(crate) fn begin(&mut self, request: &Request, sectors: usize, rows: &mut u32) {
        if self.stored {
            return;
        }
        self.stored = true;
        self.lines.clear();
        *rows += 1;
        let warps = request.warps.max(1) as f64;
        let busy = warps * IN_A_ROW * sectors as f64 * SECTOR_CYCLES;
        let all = (request.at - self.began).max(warps * self.instructions / ISSUED).max(1.0);
        let drawn = (f64::from(*rows) * GOLDEN).fract();
        let most = AT_ONCE.iter().find(|it| drawn < it.0).map_or(1.0, |it| it.1);
        self.at_once = (most * (busy / all).min(1.0)).clamp(1.0, warps) as usize;
        (self.began, self.instructions) = (request.at, 0.0);
    }

    /// The warp stores `bytes` bytes to a sector: what becomes of them.
    pub(crate) fn store(&mut self, request: &Request, sector: u64, bytes: u64) -> Stored {
        let (line, place) = (sector / LINE, (sector % LINE) as usize);
        let at = self.lines.iter().rposition(|kept| kept.line == line);
        let empty = Kept { line, bytes: [0; LINE as usize] };
        let mut kept = at.map_or(empty, |at| self.lines.remove(at));
        let stored = add(&mut kept.bytes[place], bytes);
        let room = request.lines() / self.at_once.max(1);
        while self.lines.len() >= room.max(1) {
            self.lines.remove(0);
        }
        self.lines.push(kept);
        stored
    }
}

/// A sector that a warp of the block has stored to in part.
#[derive(Debug, Clone, Copy)]
struct Part {
    sector: u64,
    bytes: u64,
    warp: usize,
    at: f64,
}

/// What warps of one block stored last, apart from whole sectors.
#[derive(Debug, Default)]
pub(crate) struct Neighbours(Vec<Part>);

impl Neighbours {
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// What becomes of `bytes` bytes of a sector that nothing of the same warp waits for.
    pub(crate) fn store(&mut self, request: &Request, sector: u64, bytes: u64) -> Stored {
        let found = self.0.iter().rposition(|part| part.sector == sector);
        let found = found.map(|at| self.0.remove(at));
        let near = found.filter(|it| it.warp != request.warp && (request.at - it.at).abs() < APART);
        let mut waiting = near.map_or(0, |it| it.bytes);
        let stored = add(&mut waiting, bytes);
        if self.0.len() >= request.lines() {
            self.0.remove(0);
        }
        self.0.push(Part { sector, bytes: waiting, warp: request.warp, at: request.at });
        stored
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the sectors that many warps store, the share that goes to L2, where each lane fills `fields`
    /// fields of `size` bytes of a row of its own, `row` bytes long, after `work` instructions, straight on or
    /// in a loop.
    fn seen(row: u64, (size, fields): (u64, u64), loops: bool, (warps, work): (usize, u64)) -> f64 {
        let (mut sectors, mut asked, mut rows) = (0, 0, 0);
        for number in 0..400 {
            let mut joins = Joins::default();
            joins.turn(work, true);
            for field in 0..fields {
                if loops {
                    joins.turn(1, false);
                }
                let lanes = number * 32..(number + 1) * 32;
                let mut places: Vec<u64> =
                    lanes.map(|lane| (row * lane + size * field) / SECTOR).collect();
                places.dedup();
                let request = Request { warps, warp: 0, size, at: field as f64 };
                joins.begin(&request, places.len(), &mut rows);
                asked += places.len();
                for sector in places {
                    let stored = joins.store(&request, sector, size);
                    sectors += usize::from(!matches!(stored, Stored::Joined { .. }));
                }
            }
        }
        sectors as f64 / asked as f64
    }

    #[test]
    fn stores_in_a_row_to_few_lines_go_to_l2_once() {
        // Records of 12 to 36 bytes on an H200, by Nsight Compute.
        let records = [(12, 0.35), (20, 0.36), (24, 0.48), (28, 0.69), (36, 0.92)];
        for (row, measured) in records {
            let seen = seen(row, (4, row / 4), false, (64, 20));
            assert!((seen - measured).abs() < 0.06, "{row}: {seen}");
        }
        // Bytes: records of 8 and 12.
        for (row, measured) in [(8, 0.42), (12, 0.72)] {
            let seen = seen(row, (1, row), false, (64, 20));
            assert!((seen - measured).abs() < 0.13, "{row}: {seen}");
        }
    }

    #[test]
    fn few_warps_share_the_lines() {
        assert!(seen(32, (4, 8), false, (2, 20)) < 0.13);
        assert!(seen(128, (4, 8), false, (1, 20)) > 0.99);
    }

    #[test]
    fn in_a_loop_nothing_joins() {
        assert!(seen(16, (4, 4), true, (4, 20)) > 0.99);
        assert!(seen(16, (4, 4), true, (64, 20)) > 0.99);
    }

    #[test]
    fn warps_that_seldom_store_have_more_lines() {
        assert!(seen(32, (8, 4), false, (64, 20)) > 0.9);
        assert!(seen(32, (8, 4), false, (64, 4000)) < 0.26);
    }

    #[test]
    fn warps_that_left_a_barrier_join_what_they_store_of_one_sector() {
        let store = |warp, at| Request { warps: 8, warp, size: 4, at };
        let mut neighbours = Neighbours::default();
        assert_eq!(neighbours.store(&store(0, 10.0), 5, 12), Stored::Part);
        assert_eq!(neighbours.store(&store(0, 11.0), 5, 4), Stored::Part);
        assert_eq!(neighbours.store(&store(1, 40.0), 5, 28), Stored::Joined { completes: true });
        assert_eq!(neighbours.store(&store(2, 900.0), 5, 28), Stored::Part);
    }
}
