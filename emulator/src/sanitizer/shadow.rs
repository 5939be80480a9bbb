//! What is remembered of every place in memory: who wrote it last, who read it
//! since, and whether anybody wrote it at all.

use crate::sanitizer::order::Record;

/// Bytes per cell, until an access is narrower.
const WORD: u64 = 4;

/// One word, or one byte.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cell {
    /// Who wrote it last, plainly.
    pub(crate) writer: Record,
    /// Who wrote it last since then in a way that synchronises, which does not
    /// hide the plain write from others.
    pub(crate) atomic: Record,
    /// Two threads that read it last.
    pub(crate) readers: [Record; 2],
    pub(crate) written: bool,
}

impl Cell {
    /// Remembers a read. Of two readers, one at least is not the next writer.
    pub(crate) fn read_by(&mut self, record: Record) {
        let thread = |record: &Record| (record.block, record.warp, record.lane);
        let [first, second] = &mut self.readers;
        if first.epoch == 0 || thread(first) == thread(&record) {
            *first = record;
        } else {
            *second = record;
        }
    }

    /// Remembers a write. After a plain one, earlier accesses no longer matter.
    pub(crate) fn written_by(&mut self, record: Record, synchronises: bool) {
        if synchronises {
            self.atomic = record;
            self.written = true;
        } else {
            *self = Self { writer: record, written: true, ..Self::default() };
        }
    }
}

/// The cells of one allocation.
#[derive(Debug)]
pub(crate) struct Shadow {
    cells: Vec<Cell>,
    unit: u64,
}

impl Shadow {
    /// For `bytes` bytes, all `written` already or none.
    pub(crate) fn new(bytes: u64, written: bool) -> Self {
        let cell = Cell { written, ..Cell::default() };
        Self { cells: vec![cell; bytes.div_ceil(WORD) as usize], unit: WORD }
    }

    /// The cells of an access inside the allocation.
    pub(crate) fn cells(&mut self, offset: u64, size: u64) -> &mut [Cell] {
        if !(offset | size).is_multiple_of(self.unit) {
            self.cells = self.cells.iter().flat_map(|cell| [*cell; WORD as usize]).collect();
            self.unit = 1;
        }
        let (first, end) = (offset / self.unit, (offset + size) / self.unit);
        &mut self.cells[first as usize..end as usize]
    }

    /// Forgets everything: nothing was written.
    pub(crate) fn clear(&mut self) {
        self.cells.fill(Cell::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_split_at_the_first_narrow_access() {
        let mut shadow = Shadow::new(10, false);
        assert_eq!(shadow.cells(0, 8).len(), 2);
        shadow.cells(4, 4)[0].written = true;
        assert_eq!(shadow.cells(9, 1).len(), 1);
        let written: Vec<bool> = shadow.cells(0, 10).iter().map(|cell| cell.written).collect();
        assert_eq!(
            written,
            [[false; 4], [true; 4]].concat().into_iter().chain([false; 2]).collect::<Vec<_>>()
        );
    }

    #[test]
    fn two_readers_are_kept_apart() {
        let mut cell = Cell::default();
        let record = |lane| Record { epoch: 1, lane, ..Record::default() };
        for lane in [1, 2, 3, 1] {
            cell.read_by(record(lane));
        }
        assert_eq!(cell.readers, [record(1), record(3)]);
        cell.written_by(record(5), false);
        assert_eq!(cell.readers, [Record::default(); 2]);
        cell.written_by(record(6), true);
        assert_eq!((cell.writer, cell.atomic), (record(5), record(6)));
    }
}
