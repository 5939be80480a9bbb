//! Which register slots an op reads and writes.

use crate::program::exchange::Exchange;
use crate::program::kernel::Kernel;
use crate::program::op::{Cell, Guard, Op, Slot, Transfer, Update};

/// Slots of each register file.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Files {
    words: ([Slot; 8], u8),
    doubles: ([Slot; 8], u8),
    preds: ([Slot; 3], u8),
}

impl Files {
    pub(crate) fn words(&self) -> &[Slot] {
        &self.words.0[..usize::from(self.words.1)]
    }

    pub(crate) fn doubles(&self) -> &[Slot] {
        &self.doubles.0[..usize::from(self.doubles.1)]
    }

    pub(crate) fn preds(&self) -> &[Slot] {
        &self.preds.0[..usize::from(self.preds.1)]
    }

    fn add(list: &mut [Slot], len: &mut u8, slot: Slot) {
        if let Some(place) = list.get_mut(usize::from(*len)) {
            *place = slot;
            *len += 1;
        }
    }

    fn word(&mut self, slot: Slot) {
        Self::add(&mut self.words.0, &mut self.words.1, slot);
    }

    fn double(&mut self, slot: Slot) {
        Self::add(&mut self.doubles.0, &mut self.doubles.1, slot);
    }

    fn pred(&mut self, slot: Slot) {
        Self::add(&mut self.preds.0, &mut self.preds.1, slot);
    }

    /// A value of one width or the other.
    fn value(&mut self, wide: bool, slot: Slot) {
        if wide {
            self.double(slot);
        } else {
            self.word(slot);
        }
    }

    /// `count` cells in consecutive slots.
    fn cells(&mut self, cell: Cell, count: u8, first: Slot) {
        for index in 0..Slot::from(count) {
            self.value(cell == Cell::B64, first + index);
        }
    }
}

/// What an op reads and writes.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slots {
    pub(crate) reads: Files,
    pub(crate) writes: Files,
}

impl Slots {
    #[allow(clippy::match_same_arms, reason = "a table, by what ops do")]
    pub(crate) fn of(kernel: &Kernel, op: Op, guard: Guard) -> Self {
        let mut slots = Self::default();
        let (r, w) = (&mut slots.reads, &mut slots.writes);
        if let Guard::If(p) | Guard::Unless(p) = guard {
            r.pred(p);
        }
        match op {
            Op::Move32 { d, a }
            | Op::Unary32 { d, a, .. }
            | Op::Narrow { d, a, .. }
            | Op::Count32 { d, a, .. } => {
                r.word(a);
                w.word(d);
            }
            Op::Move64 { d, a } | Op::Unary64 { d, a, .. } => {
                r.double(a);
                w.double(d);
            }
            Op::MovePred { d, a } => {
                r.pred(a);
                w.pred(d);
            }
            Op::Binary32 { d, a, b, .. } | Op::FloatBinary32 { d, a, b, .. } => {
                r.word(a);
                r.word(b);
                w.word(d);
            }
            Op::Binary64 { d, a, b, .. } | Op::FloatBinary64 { d, a, b, .. } => {
                r.double(a);
                r.double(b);
                w.double(d);
            }
            Op::Count64 { d, a, .. } | Op::Truncate { d, a } => {
                r.double(a);
                w.word(d);
            }
            Op::Widen { d, a, .. } => {
                r.word(a);
                w.double(d);
            }
            Op::MulAdd32 { d, a, b, c }
            | Op::Fma32 { d, a, b, c }
            | Op::ExtractU32 { d, a, b, c }
            | Op::ExtractS32 { d, a, b, c } => {
                r.word(a);
                r.word(b);
                r.word(c);
                w.word(d);
            }
            Op::MulAdd64 { d, a, b, c } | Op::Fma64 { d, a, b, c } => {
                r.double(a);
                r.double(b);
                r.double(c);
                w.double(d);
            }
            Op::WideMulAdd { d, a, b, c, .. } => {
                r.word(a);
                r.word(b);
                r.double(c);
                w.double(d);
            }
            Op::Compare32 { d, a, b, .. } | Op::FloatCompare32 { d, a, b, .. } => {
                r.word(a);
                r.word(b);
                w.pred(d);
            }
            Op::Compare64 { d, a, b, .. } | Op::FloatCompare64 { d, a, b, .. } => {
                r.double(a);
                r.double(b);
                w.pred(d);
            }
            Op::Each { wide, d, a, b, c, .. } => {
                r.value(wide.operand(0), a);
                r.value(wide.operand(1), b);
                r.value(wide.operand(2), c);
                w.value(wide.result(), d);
            }
            Op::Test { wide, d, a, b, .. } => {
                r.value(wide.operand(0), a);
                r.value(wide.operand(1), b);
                w.pred(d);
            }
            Op::Logic { d, a, b, .. } => {
                r.pred(a);
                r.pred(b);
                w.pred(d);
            }
            Op::Select32 { d, a, b, p } => {
                r.word(a);
                r.word(b);
                r.pred(p);
                w.word(d);
            }
            Op::Select64 { d, a, b, p } => {
                r.double(a);
                r.double(b);
                r.pred(p);
                w.double(d);
            }
            Op::Load(Transfer { cell, count, slot, a, .. }) => {
                r.double(a);
                w.cells(cell, count, slot);
            }
            Op::Store(Transfer { cell, count, slot, a, .. }) => {
                r.double(a);
                r.cells(cell, count, slot);
            }
            Op::Atomic { d, update: Update { cell, count, a, b, c, .. } } => {
                r.double(a);
                r.cells(cell, count, b);
                r.cells(cell, 1, c);
                w.cells(cell, count, d);
            }
            Op::Reduce(Update { cell, count, a, b, .. }) => {
                r.double(a);
                r.cells(cell, count, b);
            }
            Op::Collective { index } => collective(kernel, index, r, w),
            // At a barrier the warps meet, which is more than its operands.
            Op::Barrier { .. } | Op::Service { .. } | Op::Trap { .. } => {}
            Op::Clock { d } => w.double(d),
        }
        slots
    }
}

fn collective(kernel: &Kernel, index: u16, r: &mut Files, w: &mut Files) {
    match kernel.collectives[usize::from(index)].exchange {
        Exchange::Shuffle { d, p, a, b, c, .. } => {
            r.word(a);
            r.word(b);
            r.word(c);
            w.word(d);
            if let Some(p) = p {
                w.pred(p);
            }
        }
        Exchange::Vote { d, a, .. } => {
            r.pred(a);
            w.pred(d);
        }
        Exchange::Ballot { d, a } => {
            r.pred(a);
            w.word(d);
        }
        Exchange::MatchAny { wide, d, a } => {
            r.value(wide, a);
            w.word(d);
        }
        Exchange::MatchAll { wide, d, p, a } => {
            r.value(wide, a);
            w.word(d);
            if let Some(p) = p {
                w.pred(p);
            }
        }
        Exchange::Reduce { d, a, .. } => {
            r.word(a);
            w.word(d);
        }
        Exchange::Elect { d, p } => {
            if let Some(d) = d {
                w.word(d);
            }
            w.pred(p);
        }
        Exchange::Active { d } => w.word(d),
        Exchange::Barrier => {}
    }
}
