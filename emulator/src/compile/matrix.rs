//! Products of matrices whose elements are spread over a warp (`mma`), and their way from
//! and to shared memory (`ldmatrix`, `stmatrix`).

use crate::compile::compiler::Compiler;
use crate::compile::memory::parts;
use crate::compile::refuse::{Compiled, operands, unsupported};
use crate::compile::types::Type;
use crate::program::{
    Cell, Compare, Elements, Exchange, Factor, FillValue, Guard, Matrix, Op, Product, Rows,
    SiteKind, Slot, Special, Transfer,
};
use crate::ptx::{Address, Instruction, Operand};

/// Bytes of a row of 8 elements of 16 bits, in words.
const ROW_WORDS: u8 = 4;

pub(crate) fn factor(word: &str) -> Option<Factor> {
    Some(match word {
        "f16" => Factor::F16,
        "bf16" => Factor::Bf16,
        "tf32" => Factor::Tf32,
        "e4m3" => Factor::E4m3,
        "e5m2" => Factor::E5m2,
        _ => return None,
    })
}

/// Whether an integer type has a sign, and its bits.
pub(crate) fn integer(word: &str) -> Option<(bool, u32)> {
    Some(match word {
        "s8" => (true, 8),
        "u8" => (false, 8),
        "s4" => (true, 4),
        "u4" => (false, 4),
        _ => return None,
    })
}

/// What the types of `d`, `a`, `b` and `c` mean.
pub(crate) fn elements(types: [&str; 4], saturate: bool, bits: Option<bool>) -> Option<Elements> {
    let [d, a, b, c] = types;
    match (types, bits) {
        (["s32", "b1", "b1", "s32"], Some(xor)) => return Some(Elements::Bits { xor }),
        (_, Some(_)) => return None,
        (["f64", "f64", "f64", "f64"], _) => return Some(Elements::Double),
        _ => {}
    }
    if let (Some((a_signed, bits)), Some((b_signed, other))) = (integer(a), integer(b)) {
        let fits = bits == other && [d, c] == ["s32", "s32"];
        return fits.then_some(Elements::Integer { bits, a_signed, b_signed, saturate });
    }
    let (first, second) = (factor(a)?, factor(b)?);
    let half = d == "f16";
    let alike = a == b || first.bits() == 8 && second.bits() == 8;
    let sums = d == c && (d == "f32" || half && first == Factor::F16);
    (alike && sums).then_some(Elements::Float { a: first, b: second, half })
}

/// Rows and depth of a shape that the elements come in.
fn extent(elements: Elements, shape: &str) -> Option<(usize, usize)> {
    let (small, depths): (Option<usize>, &[usize]) = match elements {
        Elements::Float { a: Factor::Tf32, .. } => (None, &[4, 8]),
        Elements::Float { a: Factor::F16 | Factor::Bf16, .. } => (None, &[8, 16]),
        Elements::Float { .. } => (None, &[32]),
        Elements::Double => (Some(4), &[4, 8, 16]),
        Elements::Integer { bits: 8, .. } => (Some(16), &[16, 32]),
        Elements::Integer { .. } => (Some(32), &[32, 64]),
        Elements::Bits { .. } => (Some(128), &[128, 256]),
    };
    if let Some(depth) = shape.strip_prefix("m8n8k") {
        return depth.parse().ok().filter(|depth| small == Some(*depth)).map(|depth| (8, depth));
    }
    let depth = shape.strip_prefix("m16n8k")?.parse().ok()?;
    depths.contains(&depth).then_some((16, depth))
}

impl<'a> Compiler<'a> {
    /// `mma.sync.aligned.shape.row.col.types d, a, b, c`.
    pub(crate) fn mma(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().collect();
        let ["sync", "aligned", shape, "row", "col", rest @ ..] = words.as_slice() else {
            return unsupported(instruction);
        };
        let (saturate, rest) = match rest {
            ["satfinite", rest @ ..] => (true, rest),
            rest => (false, rest),
        };
        let (types, bits) = match rest {
            [d, a, b, c] => ([*d, *a, *b, *c], None),
            [d, a, b, c, "xor", "popc"] => ([*d, *a, *b, *c], Some(true)),
            [d, a, b, c, "and", "popc"] => ([*d, *a, *b, *c], Some(false)),
            _ => return unsupported(instruction),
        };
        let Some(elements) = elements(types, saturate, bits) else {
            return unsupported(instruction);
        };
        let integers = matches!(elements, Elements::Integer { .. });
        let Some((rows, depth)) = extent(elements, shape).filter(|_| integers || !saturate) else {
            return unsupported(instruction);
        };
        let [d, a, b, c] = operands(instruction)?;
        let (factors, sums) = (32 * elements.per_register(), 32 * elements.sums_per_register());
        let wide = elements == Elements::Double;
        let product = Product {
            rows,
            depth,
            elements,
            d: self.registers(d, wide, rows * 8 / sums, true)?,
            a: self.registers(a, wide, rows * depth / factors, false)?,
            b: self.registers(b, wide, 8 * depth / factors, false)?,
            c: self.registers(c, wide, rows * 8 / sums, false)?,
            group: None,
        };
        self.matrix(Matrix::Product(product))
    }

    /// The slots of a matrix's registers: `count` of them.
    pub(crate) fn registers(
        &mut self,
        operand: &Operand<'a>,
        wide: bool,
        count: usize,
        written: bool,
    ) -> Compiled<Vec<Slot>> {
        let parts = parts(operand);
        if parts.len() != count {
            return Err(format!("this matrix has {count} registers, not {}", parts.len()));
        }
        let ty = if wide { Type::B64 } else { Type::B32 };
        let slot = |part| if written { self.destination(ty, part) } else { self.value(ty, part) };
        parts.iter().map(slot).collect()
    }

    /// An exchange that every lane of the warp takes part in.
    pub(crate) fn whole_warp(&mut self, exchange: Exchange) -> Compiled {
        let members = Some(self.constant32(u32::MAX)?);
        self.exchange(exchange, members)
    }

    pub(crate) fn matrix(&mut self, matrix: Matrix) -> Compiled {
        let index = u16::try_from(self.matrices.len())
            .map_err(|_| "the kernel has more than 65536 matrix instructions".to_owned())?;
        self.matrices.push(matrix);
        self.whole_warp(Exchange::Matrix { index })
    }

    /// `ldmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 d, [a]`: lane `l` loads row
    /// `l % 8` of matrix `l / 8`.
    pub(crate) fn ldmatrix(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let (count, transposed) = matrices(instruction)?;
        let [d, Operand::Address(address)] = operands(instruction)? else {
            return unsupported(instruction);
        };
        let registers = self.registers(d, false, count, true)?;
        // Before any lane loads, all have computed their addresses.
        self.whole_warp(Exchange::Align)?;
        let words = self.fresh_run(Type::B32, ROW_WORDS)?[0];
        let (transfer, guard) = self.rows(instruction, address, words, count, SiteKind::Load)?;
        self.push_if(guard, Op::Load(transfer));
        let a = transfer.a;
        self.matrix(Matrix::Spread(Rows { words, registers, transposed, a }))
    }

    /// `stmatrix.sync.aligned.m8n8.num{.trans}{.shared}.b16 [a], b`.
    pub(crate) fn stmatrix(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let (count, transposed) = matrices(instruction)?;
        let [Operand::Address(address), b] = operands(instruction)? else {
            return unsupported(instruction);
        };
        let registers = self.registers(b, false, count, false)?;
        let words = self.fresh_run(Type::B32, ROW_WORDS)?[0];
        let (transfer, guard) = self.rows(instruction, address, words, count, SiteKind::Store)?;
        let a = transfer.a;
        self.matrix(Matrix::Collect(Rows { words, registers, transposed, a }))?;
        self.push_if(guard, Op::Store(transfer));
        Ok(())
    }

    /// `movmatrix.sync.aligned.m8n8.trans.b16 d, a`.
    pub(crate) fn movmatrix(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().collect();
        if words != ["sync", "aligned", "m8n8", "trans", "b16"] {
            return unsupported(instruction);
        }
        let [d, a] = operands(instruction)?;
        let a = self.value(Type::B32, a)?;
        let d = self.destination(Type::B32, d)?;
        self.matrix(Matrix::Transpose { d, a })
    }

    /// The access of the lanes that have a row.
    fn rows(
        &mut self,
        instruction: &Instruction<'a>,
        address: &Address<'a>,
        slot: Slot,
        count: usize,
        kind: SiteKind,
    ) -> Compiled<(Transfer, Guard)> {
        let window = self.window(instruction, address.base);
        let (a, offset) = self.place(address, window)?;
        let site = self.site(kind, offset)?;
        self.sites[usize::from(site)].rows = true;
        let transfer = Transfer { window, cell: Cell::B32, count: ROW_WORDS, a, slot, site };
        if count == 4 {
            return Ok((transfer, self.guard));
        }
        let lane = self.fill(FillValue::Special(Special::Lane), false)?;
        let rows = self.constant32(8 * count as u32)?;
        let has_row = self.compared(Compare::LessU, lane, rows)?;
        Ok((transfer, self.both(self.guard, has_row, true)?))
    }
}

/// How many matrices an `ldmatrix` or `stmatrix` moves, and whether it transposes them.
fn matrices(instruction: &Instruction) -> Compiled<(usize, bool)> {
    let words: Vec<&str> = instruction.modifiers().collect();
    let ["sync", "aligned", "m8n8", count, rest @ .., "b16"] = words.as_slice() else {
        return unsupported(instruction);
    };
    let count = match *count {
        "x1" => 1,
        "x2" => 2,
        "x4" => 4,
        _ => return unsupported(instruction),
    };
    match rest {
        [] | ["shared" | "shared::cta"] => Ok((count, false)),
        ["trans"] | ["trans", "shared" | "shared::cta"] => Ok((count, true)),
        _ => unsupported(instruction),
    }
}
