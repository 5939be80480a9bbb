//! Products of a warpgroup (`wgmma`): each of its four warps multiplies its 16 rows of `a` with
//! all columns of `b`, eight at once as `mma` does. Matrices that lie in shared memory become
//! fragments first.
//!
//! The product is carried out at once, as the ISA allows: to wait for it is nothing then.

use crate::compile::compiler::Compiler;
use crate::compile::matrix::{factor, integer};
use crate::compile::refuse::{Compiled, unsupported};
use crate::compile::types::Type;
use crate::program::{
    Elements, Exchange, FillValue, Group, Matrix, Op, Product, SiteKind, Slot, Special, Tile,
    TileRows,
};
use crate::ptx::{Instruction, Operand};

/// Rows of a warp.
const ROWS: usize = 16;

/// Bits of the depth of a product.
const DEPTH: usize = 256;

/// A product as its modifiers tell it.
struct Shape {
    columns: usize,
    elements: Elements,
    /// Bits of an element of `a` and `b`.
    bits: usize,
}

/// What `wgmma.mma_async.sync.aligned` multiplies.
fn shape(words: &[&str]) -> Option<Shape> {
    let ["mma_async", "sync", "aligned", shape, d, a, b, rest @ ..] = words else { return None };
    let (elements, bits) = match (integer(a), integer(b), factor(a), factor(b)) {
        (Some((a_signed, 8)), Some((b_signed, 8)), ..) if *d == "s32" => {
            let saturate = match rest {
                [] => false,
                ["satfinite"] => true,
                _ => return None,
            };
            (Elements::Integer { bits: 8, a_signed, b_signed, saturate }, 8)
        }
        _ if (*d, *a, *b, rest) == ("s32", "b1", "b1", &["and", "popc"]) => {
            (Elements::Bits { xor: false }, 1)
        }
        (_, _, Some(a), Some(b)) if rest.is_empty() => {
            let half = *d == "f16" && matches!(a.bits(), 8 | 16) && *words.get(5)? != "bf16";
            let alike = a == b || a.bits() == 8 && b.bits() == 8;
            if !alike || !half && *d != "f32" {
                return None;
            }
            (Elements::Float { a, b, half }, a.bits() as usize)
        }
        _ => return None,
    };
    let (columns, depth) = shape.strip_prefix("m64n")?.split_once('k')?;
    let columns: usize = columns.parse().ok()?;
    let floats = matches!(elements, Elements::Float { .. });
    let step = if floats || columns <= 32 { 8 } else { 16 };
    let fits = (8..=256).contains(&columns) && columns.is_multiple_of(step);
    (fits && depth.parse() == Ok(DEPTH / bits)).then_some(Shape { columns, elements, bits })
}

/// A number that is written in the instruction.
fn immediate(operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Int(value) => Some(value.cast_signed()),
        _ => None,
    }
}

impl<'a> Compiler<'a> {
    /// `wgmma.fence`, `.commit_group`, `.wait_group` and `.mma_async`.
    pub(crate) fn wgmma(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().collect();
        match (words.as_slice(), instruction.operands.as_slice()) {
            (["fence" | "commit_group", "sync", "aligned"], [])
            | (["wait_group", "sync", "aligned"], [Operand::Int(_)]) => return Ok(()),
            _ => {}
        }
        let Some(shape) = shape(&words) else { return unsupported(instruction) };
        let [d, a, b, keeps, numbers @ ..] = instruction.operands.as_slice() else {
            return unsupported(instruction);
        };
        let in_registers = matches!(a, Operand::Vector(_));
        let numbers: Option<Vec<i64>> = numbers.iter().map(immediate).collect();
        let floats = matches!(shape.elements, Elements::Float { .. });
        let (signs, across) = match numbers.as_deref() {
            Some([]) if !floats => ([1, 1], [0, 0]),
            Some([a, b]) if floats && shape.bits != 16 => ([*a, *b], [0, 0]),
            Some([a, b, across]) if shape.bits == 16 && in_registers => ([*a, *b], [0, *across]),
            Some([a, b, first, second]) if shape.bits == 16 && !in_registers => {
                ([*a, *b], [*first, *second])
            }
            _ => return unsupported(instruction),
        };
        if signs.iter().any(|sign| sign.abs() != 1) || across.iter().any(|flag| *flag & !1 != 0) {
            return unsupported(instruction);
        }
        let group = Group { keeps: self.pred_value(keeps)?, negative: signs[0] != signs[1] };
        let sums = if shape.elements.sums_per_register() == 2 { 2 } else { 4 };
        let registers = shape.columns / 8 * sums;
        // Lanes are together before any of them reads.
        self.whole_warp(Exchange::Align)?;
        let a = if in_registers {
            self.registers(a, false, 4, false)?
        } else {
            let warp = self.fill(FillValue::Special(Special::Warp), false)?;
            self.tile(a, TileRows::Factors(warp), 4, across[0] == 1)?
        };
        let b = self.tile(b, TileRows::Columns, shape.columns / 4, across[1] == 1)?;
        let d = self.registers(d, false, registers, true)?;
        for (d, b) in d.chunks(sums).zip(b.chunks(2)) {
            self.matrix(Matrix::Product(Product {
                rows: ROWS,
                depth: DEPTH / shape.bits,
                elements: shape.elements,
                d: d.to_vec(),
                a: a.clone(),
                b: b.to_vec(),
                c: d.to_vec(),
                group: Some(group),
            }))?;
        }
        Ok(())
    }

    /// The registers of a matrix in shared memory.
    fn tile(
        &mut self,
        descriptor: &Operand<'a>,
        rows: TileRows,
        count: usize,
        across: bool,
    ) -> Compiled<Vec<Slot>> {
        let descriptor = self.value64(descriptor)?;
        let registers = self.fresh_run(Type::B32, count as u8)?;
        let site = self.site(SiteKind::Load, 0)?;
        self.sites[usize::from(site)].silent = true;
        let index = u16::try_from(self.tiles.len())
            .map_err(|_| "the kernel has more than 65536 matrices in shared memory".to_owned())?;
        let tile = Tile { descriptor, rows, registers: registers.clone(), across, site };
        self.tiles.push(tile);
        self.push(Op::Tile { index });
        Ok(registers)
    }
}
