//! Stores that L1 joins before they go to L2.
//!
//! L1 keeps the lines that were stored to last. A store to a sector of such a line joins the one
//! before, and both go to L2 together. Where warps store words to rows of their own without a pause, nearly all stores
//! join if the warps keep to 24 lines of a multiprocessor between them, some to 32, hardly any to 64
//! (`benches/data/h200/merges.csv`, by Nsight Compute; with pauses, more lines do). A warp that stores
//! several times in one basic block has, while it does so, a scheduler to itself; from one block to the
//! next, all warps store in turn. This last rule fits kernels that store parts of sectors, such as
//! `bc1_decode` and `skin_vertices` of the outside sets; it was not measured by itself.

use crate::critical_path::sectors::{LINE, SECTOR};

/// Lines of a multiprocessor that are kept: between 24 and 32.
const LINES: usize = 28;

/// Schedulers of a multiprocessor.
const SCHEDULERS: usize = 4;

/// The lines that a warp stored to last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joins {
    /// Whether it stored in the basic block that runs.
    stored: bool,
    /// Lines that are kept of the warp.
    room: usize,
    /// Each line with the bytes that wait in its sectors; the line stored to last is at the end.
    lines: Vec<(u64, [u64; LINE as usize])>,
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

impl Joins {
    /// The warp comes to another basic block, or to the same one again.
    pub(crate) fn turn(&mut self) {
        self.stored = false;
    }

    /// The warp stores; `warps` are on the multiprocessor.
    pub(crate) fn begin(&mut self, warps: usize) {
        if !self.stored {
            // The others have stored meanwhile.
            let gone = self.lines.len().saturating_sub(LINES / warps.max(1));
            self.lines.drain(..gone);
        }
        self.stored = true;
        self.room = LINES / warps.clamp(1, SCHEDULERS);
    }

    /// The warp stores `bytes` bytes to a sector: what becomes of them.
    pub(crate) fn store(&mut self, sector: u64, bytes: u64) -> Stored {
        let (line, place) = (sector / LINE, (sector % LINE) as usize);
        let at = self.lines.iter().rposition(|kept| kept.0 == line);
        let mut kept = at.map_or((line, [0; LINE as usize]), |at| self.lines.remove(at));
        let before = kept.1[place];
        kept.1[place] = (before + bytes).min(SECTOR);
        let now = kept.1[place];
        if self.lines.len() >= self.room {
            self.lines.remove(0);
        }
        self.lines.push(kept);
        match (before, now) {
            (0, SECTOR) => Stored::Whole,
            (0, _) => Stored::Part,
            _ => Stored::Joined { completes: before < SECTOR && now == SECTOR },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sectors that go to L2, and parts among them, where each lane fills `words` words of a row of
    /// its own, `row` bytes long, in a basic block or in a loop.
    fn seen(row: u64, words: u64, loops: bool, warps: usize) -> (u64, u64) {
        let mut joins = Joins::default();
        let (mut sectors, mut parts) = (0, 0);
        for word in 0..words {
            if loops {
                joins.turn();
            }
            joins.begin(warps);
            let mut places: Vec<u64> =
                (0..32).map(|lane| (row * lane + 4 * word) / SECTOR).collect();
            let all = places.clone();
            places.dedup();
            for sector in places {
                let lanes = all.iter().filter(|place| **place == sector).count() as u64;
                match joins.store(sector, 4 * lanes) {
                    Stored::Whole => sectors += 1,
                    Stored::Part => (sectors, parts) = (sectors + 1, parts + 1),
                    Stored::Joined { completes } => parts -= u64::from(completes),
                }
            }
        }
        (sectors, parts)
    }

    #[test]
    fn stores_in_a_row_to_few_lines_go_to_l2_once() {
        // As on an H200: rows of 12, 16 and 24 bytes, but not of 32 and more from four warps.
        for (row, words) in [(12, 3), (16, 4), (24, 6)] {
            assert_eq!(seen(row, words, false, 64), (row, 0));
        }
        assert_eq!(seen(32, 8, false, 64), (256, 256));
        assert_eq!(seen(32, 8, false, 2), (32, 0));
        assert_eq!(seen(128, 8, false, 1), (256, 256));
    }

    #[test]
    fn in_a_loop_all_warps_store_in_turn() {
        assert_eq!(seen(16, 4, true, 4), (16, 0));
        assert_eq!(seen(16, 4, true, 64), (64, 64));
    }
}
