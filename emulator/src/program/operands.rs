//! Which registers an op reads and writes.

use super::{
    Bulk, Cell, Elements, Exchange, Guard, Inst, Kernel, Matrix, Op, Product, Slot, Transfer,
    Update,
};

/// A register: its file and its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Register {
    Word(Slot),
    Double(Slot),
    Pred(Slot),
}
use Register::{Double as D, Pred as P, Word as W};

impl Register {
    /// The file that it is in.
    fn file(self) -> u8 {
        match self {
            W(_) => 0,
            D(_) => 1,
            P(_) => 2,
        }
    }
}

/// A register of either width.
fn value(wide: bool, slot: Slot) -> Register {
    if wide { D(slot) } else { W(slot) }
}

/// `count` cells in consecutive slots.
fn cells(cell: Cell, count: u8, first: Slot) -> Vec<Register> {
    (0..Slot::from(count)).map(|index| value(cell == Cell::B64, first + index)).collect()
}

/// The registers of an exchange of matrices.
fn matrix(matrix: &Matrix, io: &mut impl FnMut(&[Register], &[Register])) {
    match matrix {
        Matrix::Product(Product { elements, d, a, b, c, group, .. }) => {
            let of = |slot: &Slot| value(*elements == Elements::Double, *slot);
            let keeps = group.map(|group| P(group.keeps));
            let read = a.iter().chain(b).chain(c).map(of).chain(keeps);
            let read: Vec<Register> = read.collect();
            let written: Vec<Register> = d.iter().map(of).collect();
            io(&read, &written);
        }
        Matrix::Transpose { d, a } => io(&[W(*a)], &[W(*d)]),
        Matrix::Spread(rows) | Matrix::Collect(rows) => {
            let words: Vec<Register> = (0..4).map(|at| W(rows.words + at)).collect();
            let registers: Vec<Register> = rows.registers.iter().map(|&slot| W(slot)).collect();
            if matches!(matrix, Matrix::Spread(_)) {
                io(&words, &registers);
            } else {
                io(&registers, &words);
            }
        }
    }
}

/// Puts the registers that an op reads and writes into `reads` and `writes`, file by
/// file.
#[allow(clippy::match_same_arms, reason = "a table, by what ops do")]
pub(crate) fn find(
    kernel: &Kernel,
    Inst { guard, op }: Inst,
    reads: &mut Vec<Register>,
    writes: &mut Vec<Register>,
) {
    reads.clear();
    writes.clear();
    if let Guard::If(p) | Guard::Unless(p) = guard {
        reads.push(P(p));
    }
    let mut io = |read: &[Register], written: &[Register]| {
        reads.extend_from_slice(read);
        writes.extend_from_slice(written);
    };
    match op {
        Op::Move32 { d, a }
        | Op::Unary32 { d, a, .. }
        | Op::Narrow { d, a, .. }
        | Op::Count32 { d, a, .. } => io(&[W(a)], &[W(d)]),
        Op::Move64 { d, a } | Op::Unary64 { d, a, .. } => io(&[D(a)], &[D(d)]),
        Op::MovePred { d, a } => io(&[P(a)], &[P(d)]),
        Op::Binary32 { d, a, b, .. } | Op::FloatBinary32 { d, a, b, .. } => {
            io(&[W(a), W(b)], &[W(d)]);
        }
        Op::Binary64 { d, a, b, .. } | Op::FloatBinary64 { d, a, b, .. } => {
            io(&[D(a), D(b)], &[D(d)]);
        }
        Op::Count64 { d, a, .. } | Op::Truncate { d, a } => io(&[D(a)], &[W(d)]),
        Op::Widen { d, a, .. } => io(&[W(a)], &[D(d)]),
        Op::MulAdd32 { d, a, b, c }
        | Op::Fma32 { d, a, b, c }
        | Op::ExtractU32 { d, a, b, c }
        | Op::ExtractS32 { d, a, b, c } => io(&[W(a), W(b), W(c)], &[W(d)]),
        Op::MulAdd64 { d, a, b, c } | Op::Fma64 { d, a, b, c } => {
            io(&[D(a), D(b), D(c)], &[D(d)]);
        }
        Op::WideMulAdd { d, a, b, c, .. } => io(&[W(a), W(b), D(c)], &[D(d)]),
        Op::Compare32 { d, a, b, .. } | Op::FloatCompare32 { d, a, b, .. } => {
            io(&[W(a), W(b)], &[P(d)]);
        }
        Op::Compare64 { d, a, b, .. } | Op::FloatCompare64 { d, a, b, .. } => {
            io(&[D(a), D(b)], &[P(d)]);
        }
        Op::Each { wide, d, a, b, c, .. } => {
            let of = |index, slot| value(wide.operand(index), slot);
            io(&[of(0, a), of(1, b), of(2, c)], &[value(wide.result(), d)]);
        }
        Op::Test { wide, d, a, b, .. } => {
            io(&[value(wide.operand(0), a), value(wide.operand(1), b)], &[P(d)]);
        }
        Op::Logic { d, a, b, .. } => io(&[P(a), P(b)], &[P(d)]),
        Op::Select32 { d, a, b, p } => io(&[W(a), W(b), P(p)], &[W(d)]),
        Op::Select64 { d, a, b, p } => io(&[D(a), D(b), P(p)], &[D(d)]),
        Op::Load(Transfer { cell, count, slot, a, .. }) => {
            io(&[D(a)], &cells(cell, count, slot));
        }
        Op::Store(Transfer { cell, count, slot, a, .. }) => {
            io(&[D(a)], &[]);
            io(&cells(cell, count, slot), &[]);
        }
        Op::Atomic { d, update: Update { cell, count, a, b, c, .. } } => {
            io(&[D(a)], &cells(cell, count, d));
            io(&cells(cell, count, b), &[]);
            io(&cells(cell, 1, c), &[]);
        }
        Op::Reduce(Update { cell, count, a, b, .. }) => {
            io(&[D(a)], &[]);
            io(&cells(cell, count, b), &[]);
        }
        Op::Collective { index } => {
            let predicate = |p: Option<Slot>| p.map(P);
            let (read, written, p) = match kernel.collectives[usize::from(index)].exchange {
                Exchange::Shuffle { d, p, a, b, c, .. } => {
                    io(&[W(a), W(b)], &[]);
                    (Some(W(c)), Some(W(d)), predicate(p))
                }
                Exchange::Vote { d, a, .. } => (Some(P(a)), Some(P(d)), None),
                Exchange::Ballot { d, a } => (Some(P(a)), Some(W(d)), None),
                Exchange::MatchAny { wide, d, a } => (Some(value(wide, a)), Some(W(d)), None),
                Exchange::MatchAll { wide, d, p, a } => {
                    (Some(value(wide, a)), Some(W(d)), predicate(p))
                }
                Exchange::Reduce { d, a, .. } => (Some(W(a)), Some(W(d)), None),
                Exchange::Elect { d, p } => (None, d.map(W), Some(P(p))),
                Exchange::Active { d } => (None, Some(W(d)), None),
                Exchange::Matrix { index } => {
                    matrix(&kernel.matrices[usize::from(index)], &mut io);
                    (None, None, None)
                }
                Exchange::Barrier
                | Exchange::Align
                | Exchange::Fence
                | Exchange::Group
                | Exchange::Groups { .. }
                | Exchange::Copies => (None, None, None),
            };
            io(read.as_slice(), written.as_slice());
            io(&[], p.as_slice());
        }
        Op::Bulk { index } => {
            let Bulk { to, from, bytes, barrier, blocks, .. } = kernel.bulks[usize::from(index)];
            io(&[D(to.a), D(from.a), W(bytes)], &[]);
            io(blocks.map(W).as_slice(), &[]);
            io(barrier.map(|barrier| D(barrier.a)).as_slice(), &[]);
        }
        Op::Tile { index } => {
            let tile = &kernel.tiles[usize::from(index)];
            let written: Vec<Register> = tile.registers.iter().map(|&slot| W(slot)).collect();
            io(&[D(tile.descriptor)], &written);
        }
        Op::Tensor { index } => {
            let tensor = &kernel.tensors[usize::from(index)];
            let at: Vec<Register> =
                tensor.at.iter().chain(&tensor.blocks).map(|&it| W(it)).collect();
            io(&[D(tensor.map), D(tensor.shared.a)], &[]);
            io(&at, &[]);
            io(tensor.barrier.map(|barrier| D(barrier.a)).as_slice(), &[]);
        }
        // At a barrier the warps meet, which is more than its operands.
        Op::Barrier { .. } | Op::Service { .. } | Op::Trap { .. } => {}
        // What it stands for is beside it.
        Op::Quick { .. } => {}
        Op::Clock { d } => io(&[], &[D(d)]),
    }
    reads.sort_by_key(|register| register.file());
    writes.sort_by_key(|register| register.file());
}
