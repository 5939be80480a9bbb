//! Fragments of `wmma` from and to memory: which lane accesses what.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::Compiled;
use crate::compile::types::Type;
use crate::compile::wmma::{Fragment, Place};
use crate::program::{Cell, FillValue, Int2, Matrix, Op, SiteKind, Slot, Transfer, Window};
use crate::ptx::Operand;

/// Elements from one row or column to the next: a number or a 64-bit slot.
#[derive(Clone, Copy)]
enum Stride {
    Fixed(u64),
    Slot(Slot),
}

/// The first element of each lane, and what comes after it.
struct Start {
    a: Slot,
    offset: i64,
    stride: Stride,
    size: u64,
    window: Window,
}

/// How the lanes of a warp share the elements of a tile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Lane `l` has row `l / 4` of memory, and there what starts at its `l % 4`.
    Rows,
    /// The same of 16-bit elements, which are then transposed.
    Transposed,
    /// Each element of a register is in a row of memory of its own.
    Single,
}

impl<'a> Compiler<'a> {
    /// Loads the registers of a fragment.
    pub(crate) fn load_fragment(
        &mut self,
        fragment: Fragment,
        place: &Place<'_, 'a>,
        registers: &[Slot],
    ) -> Compiled {
        let way = way(fragment);
        let start = self.start(fragment, place, way)?;
        let distinct = fragment.tile() * fragment.tiles();
        let wide = fragment.size == 8;
        let (ty, cell) = if wide { (Type::B64, Cell::B64) } else { (Type::B32, Cell::B32) };
        let mut loaded = Vec::new();
        let pairs = way == Way::Rows && fragment.pairs();
        for index in (0..distinct).step_by(if pairs { 2 } else { 1 }) {
            let (along, across) = fragment.start(index);
            let count = if pairs { 2 } else { 1 };
            let slots = match registers.get(index) {
                // Nothing that is read here is in a register of the fragment.
                Some(&slot) if count == 1 => vec![slot],
                _ => self.fresh_run(ty, count)?,
            };
            match way {
                Way::Rows => self.load_cell(&start, [along, across], cell, count, slots[0])?,
                Way::Transposed => {
                    let word = self.names.new32()?;
                    self.load_cell(&start, [across, along], cell, 1, word)?;
                    self.matrix(Matrix::Transpose { d: slots[0], a: word })?;
                }
                Way::Single if fragment.size == 1 => {
                    for part in 0..4 {
                        let byte = if part == 0 { slots[0] } else { self.names.new32()? };
                        self.load_cell(&start, [across + part, along], Cell::U8, 1, byte)?;
                        if part > 0 {
                            let by = self.constant32(8 * part as u32)?;
                            let f = Int2::ShiftLeft;
                            self.push(Op::Binary32 { f, d: byte, a: byte, b: by });
                            let (d, f) = (slots[0], Int2::Or);
                            self.push(Op::Binary32 { f, d, a: d, b: byte });
                        }
                    }
                }
                Way::Single => self.load_cell(&start, [across, along], cell, 1, slots[0])?,
            }
            loaded.extend(slots);
        }
        // Some fragments hold each element twice.
        for (index, &d) in registers.iter().enumerate() {
            if d != loaded[index % distinct] {
                self.push(Op::mov(wide, [d, loaded[index % distinct]]));
            }
        }
        Ok(())
    }

    /// Stores the registers of a result.
    pub(crate) fn store_fragment(
        &mut self,
        fragment: Fragment,
        place: &Place<'_, 'a>,
        registers: &[Slot],
    ) -> Compiled {
        let way = way(fragment);
        let start = self.start(fragment, place, way)?;
        let wide = fragment.size == 8;
        let (ty, cell) = if wide { (Type::B64, Cell::B64) } else { (Type::B32, Cell::B32) };
        let pairs = way == Way::Rows && fragment.pairs();
        for index in (0..registers.len()).step_by(if pairs { 2 } else { 1 }) {
            let (along, across) = fragment.start(index);
            let (at, count, slot) = match way {
                Way::Rows if pairs => {
                    ([along, across], 2, self.side_by_side(ty, &registers[index..index + 2])?)
                }
                Way::Rows => ([along, across], 1, registers[index]),
                Way::Transposed => {
                    let d = self.names.new32()?;
                    self.matrix(Matrix::Transpose { d, a: registers[index] })?;
                    ([across, along], 1, d)
                }
                Way::Single => ([across, along], 1, registers[index]),
            };
            let (a, offset) = self.element(&start, at)?;
            let site = self.site(SiteKind::Store, offset)?;
            let window = start.window;
            self.push(Op::Store(Transfer { window, cell, count, a, slot, site }));
        }
        Ok(())
    }

    fn load_cell(
        &mut self,
        start: &Start,
        at: [usize; 2],
        cell: Cell,
        count: u8,
        slot: Slot,
    ) -> Compiled {
        let (a, offset) = self.element(start, at)?;
        let site = self.site(SiteKind::Load, offset)?;
        self.push(Op::Load(Transfer { window: start.window, cell, count, a, slot, site }));
        Ok(())
    }

    /// The address of the element that lies `rows` rows of memory and `elements` elements
    /// after a lane's first.
    fn element(&mut self, start: &Start, [rows, elements]: [usize; 2]) -> Compiled<(Slot, i64)> {
        let bytes = |elements: u64| (elements * start.size).cast_signed();
        let further = start.offset + bytes(elements as u64);
        match start.stride {
            Stride::Fixed(stride) => Ok((start.a, further + bytes(stride * rows as u64))),
            Stride::Slot(_) if rows == 0 => Ok((start.a, further)),
            Stride::Slot(a) => {
                let b = self.constant64(start.size * rows as u64)?;
                let d = self.names.new64()?;
                self.push(Op::MulAdd64 { d, a, b, c: start.a });
                Ok((d, further))
            }
        }
    }

    /// The address of the first element of each lane.
    fn start(&mut self, fragment: Fragment, place: &Place<'_, 'a>, way: Way) -> Compiled<Start> {
        let (base, offset) = self.place(place.address, place.window)?;
        let stride = match place.stride {
            None => Stride::Fixed(fragment.least_stride()),
            Some(Operand::Int(stride)) => Stride::Fixed(u64::from(*stride as u32)),
            Some(operand) => {
                let (a, d) = (self.value32(operand)?, self.names.new64()?);
                self.push(Op::Widen { signed: false, d, a });
                Stride::Slot(d)
            }
        };
        let size = u64::from(fragment.size);
        let step = fragment.step() as u64;
        // What row of memory a lane has and what element there: how far each four lanes go on, and
        // each lane of the four.
        let (rows, elements) = match way {
            Way::Rows => ((1, 0), (0, step)),
            Way::Transposed => ((1, 0), (0, 2)),
            Way::Single => ((0, step), (1, 0)),
        };
        let quarters = |factor: u64, (fours, rest): (u64, u64), more: (u64, u64)| {
            let fours = (fours * factor).wrapping_add(more.0).wrapping_mul(size);
            let rest = (rest * factor).wrapping_add(more.1).wrapping_mul(size);
            FillValue::Quarters { fours, rest }
        };
        let a = self.names.new64()?;
        match stride {
            Stride::Fixed(stride) => {
                let b = self.fill(quarters(stride, rows, elements), true)?;
                self.push(Op::Binary64 { f: Int2::Add, d: a, a: base, b });
            }
            Stride::Slot(stride) => {
                let b = self.fill(quarters(0, rows, elements), true)?;
                self.push(Op::Binary64 { f: Int2::Add, d: a, a: base, b });
                let b = self.fill(quarters(1, rows, (0, 0)), true)?;
                self.push(Op::MulAdd64 { d: a, a: stride, b, c: a });
            }
        }
        Ok(Start { a, offset, stride, size, window: place.window })
    }
}

fn way(fragment: Fragment) -> Way {
    match fragment.size {
        _ if fragment.in_a_row() => Way::Rows,
        2 => Way::Transposed,
        _ => Way::Single,
    }
}
