//! Products of matrices in the forms of `nvcuda::wmma`: fragments from and to memory, and
//! their product as two of `mma`.
//!
//! Where the elements of a fragment are is not in the PTX ISA. It is as on an H200: a fragment
//! is made of tiles as `mma` has them, tall ones of 16 rows and flat ones of 8 columns. Of
//! `m8n32` the transposed matrices are multiplied, so that `b` is tall and `a` is flat.

use crate::compile::compiler::Compiler;
use crate::compile::matrix::elements;
use crate::compile::refuse::{Compiled, operands, unsupported};
use crate::compile::types::Type;
use crate::program::{Elements, Exchange, Factor, Matrix, Op, Product, Slot, Window};
use crate::ptx::{Address, Instruction, Operand};

/// A shape: rows, columns and depth of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    m: usize,
    n: usize,
    k: usize,
}

impl Shape {
    fn parse(word: &str) -> Option<Self> {
        let (m, n, k) = match word {
            "m16n16k16" => (16, 16, 16),
            "m32n8k16" => (32, 8, 16),
            "m8n32k16" => (8, 32, 16),
            "m16n16k8" => (16, 16, 8),
            "m8n8k4" => (8, 8, 4),
            _ => return None,
        };
        Some(Self { m, n, k })
    }

    /// Whether elements of this type come in this shape.
    fn holds(self, ty: &str) -> bool {
        match ty {
            "tf32" => self.k == 8,
            "f64" => self.k == 4,
            "f16" | "bf16" | "s8" | "u8" | "s32" => self.k == 16,
            "f32" => self.k != 4,
            _ => false,
        }
    }

    /// Whether the transposed matrices are multiplied.
    pub(crate) fn swapped(self) -> bool {
        self.n == 32
    }
}

/// A matrix of a product.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    A,
    B,
    /// `c` and `d`.
    Sum,
}

/// A fragment and how memory holds its matrix.
#[derive(Clone, Copy)]
pub(crate) struct Fragment {
    pub(crate) shape: Shape,
    pub(crate) role: Role,
    /// Bytes of an element.
    pub(crate) size: u32,
    /// Whether rows of the matrix lie in a row.
    pub(crate) by_row: bool,
    /// Registers, and the tiles that they repeat.
    pub(crate) registers: usize,
}

/// Registers of one tile of each matrix: tall, flat, sums.
fn per_tile(shape: Shape, size: u32, role: Role) -> usize {
    let per = |elements: usize| elements * size as usize / (32 * size.max(4) as usize);
    let rows = shape.m.max(shape.n).min(16);
    let tall = (role == Role::A) != shape.swapped();
    match role {
        Role::Sum => per(rows * 8),
        _ if tall => per(rows * shape.k),
        _ => per(8 * shape.k),
    }
}

impl Fragment {
    fn new(shape: Shape, role: Role, ty: &str, by_row: bool) -> Option<Self> {
        let size = match ty {
            "s8" | "u8" => 1,
            "f16" | "bf16" => 2,
            "f64" => 8,
            _ => 4,
        };
        let sum = matches!(ty, "f32" | "s32" | "f64" | "f16") && role == Role::Sum;
        let factor = !matches!(ty, "f32" | "s32") && role != Role::Sum;
        if !shape.holds(ty) || !(sum || factor) {
            return None;
        }
        let (tiles, one) = match role {
            Role::A => (shape.m.div_ceil(16), per_tile(shape, size, role)),
            Role::B if shape.swapped() => (2, per_tile(shape, size, role)),
            Role::B => (shape.n / 8, per_tile(shape, size, role)),
            Role::Sum => (shape.m * shape.n / 128, per_tile(shape, size, role)),
        };
        // Fragments of `f16` have eight registers in every shape.
        let registers = if ty == "f16" && factor { 8 } else { (tiles.max(1)) * one };
        Some(Self { shape, role, size, by_row, registers })
    }

    /// Registers of one tile.
    pub(crate) fn tile(self) -> usize {
        per_tile(self.shape, self.size, self.role)
    }

    /// Tiles of the matrix.
    pub(crate) fn tiles(self) -> usize {
        let Shape { m, n, .. } = self.shape;
        match self.role {
            Role::A => m.div_ceil(16),
            Role::B if self.shape.swapped() => 2,
            Role::B => n / 8,
            Role::Sum => (m * n / 128).max(1),
        }
    }

    /// Where the elements of register `index` start, beside `g` and `p * t` of a lane (see
    /// [`Product`]): along the side of the tile that lanes share by `g`, and along the other.
    pub(crate) fn start(self, index: usize) -> (usize, usize) {
        let per = (4 / self.size).max(1) as usize;
        let tile = index / self.tile() % self.tiles();
        let at = index % self.tile();
        let swapped = self.shape.swapped();
        let halves = if self.shape.m == 8 && !swapped { 1 } else { 2 };
        match self.role {
            Role::Sum => {
                let pair = 2 / per.min(2);
                let (row, column) = (8 * (at / pair), at % pair);
                // Tiles of sums follow the matrix that has several.
                if self.shape.n == 16 {
                    (row, column + 8 * tile)
                } else {
                    (row + 16 * tile, column)
                }
            }
            role if (role == Role::A) != swapped => {
                (16 * tile + 8 * (at % halves), 4 * per * (at / halves))
            }
            _ => (8 * tile, 4 * per * at),
        }
    }

    /// Whether the elements of two neighbouring registers are neighbours.
    pub(crate) fn pairs(self) -> bool {
        self.role == Role::Sum && self.size >= 4
    }

    /// Elements along a tile from one lane to the next.
    pub(crate) fn step(self) -> usize {
        let per = (4 / self.size).max(1) as usize;
        if self.role == Role::Sum { 2 } else { per }
    }

    /// Elements from one row (or column) in memory to the next, if none are between.
    pub(crate) fn least_stride(self) -> u64 {
        let Shape { m, n, k } = self.shape;
        (match (self.role, self.by_row) {
            (Role::A, true) | (Role::B, false) => k,
            (Role::A | Role::Sum, false) => m,
            (Role::B | Role::Sum, true) => n,
        }) as u64
    }

    /// Whether memory holds what a register holds in a row.
    pub(crate) fn in_a_row(self) -> bool {
        match self.role {
            Role::A => self.by_row,
            Role::B => !self.by_row,
            Role::Sum => self.by_row != self.shape.swapped(),
        }
    }
}

/// What an instruction names: a matrix's layout, shape, memory and type.
fn named<'i>(instruction: &'i Instruction) -> Option<(&'i str, bool, Shape, Window, &'i str)> {
    let words: Vec<&str> = instruction.modifiers().collect();
    let [_, which, "sync", "aligned", layout, shape, rest @ ..] = words.as_slice() else {
        return None;
    };
    let (window, ty) = match rest {
        [ty] => (Window::Generic, ty),
        ["global", ty] => (Window::Global, ty),
        ["shared" | "shared::cta", ty] => (Window::Shared, ty),
        _ => return None,
    };
    let by_row = match *layout {
        "row" => true,
        "col" => false,
        _ => return None,
    };
    Some((which, by_row, Shape::parse(shape)?, window, ty))
}

/// Where a fragment is in memory.
pub(crate) struct Place<'o, 'a> {
    pub(crate) address: &'o Address<'a>,
    /// Elements from one row or column to the next, if not the least.
    pub(crate) stride: Option<&'o Operand<'a>>,
    pub(crate) window: Window,
}

impl<'a> Compiler<'a> {
    /// `wmma.load`, `wmma.store` and `wmma.mma`.
    pub(crate) fn wmma(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let first = instruction.modifiers().next();
        if first == Some("mma") {
            return self.wmma_product(instruction);
        }
        let Some((which, by_row, shape, window, ty)) = named(instruction) else {
            return unsupported(instruction);
        };
        let role = match (first, which) {
            (Some("load"), "a") => Role::A,
            (Some("load"), "b") => Role::B,
            (Some("load"), "c") | (Some("store"), "d") => Role::Sum,
            _ => return unsupported(instruction),
        };
        let Some(fragment) = Fragment::new(shape, role, ty, by_row) else {
            return unsupported(instruction);
        };
        let load = first == Some("load");
        let given = instruction.operands.as_slice();
        let (registers, address, stride) = match given {
            [registers, Operand::Address(address), stride @ ..] if load => {
                (registers, address, stride)
            }
            [Operand::Address(address), registers, stride @ ..] if !load => {
                (registers, address, stride)
            }
            _ => return unsupported(instruction),
        };
        if stride.len() > 1 {
            return unsupported(instruction);
        }
        let registers = self.registers(registers, fragment.size == 8, fragment.registers, load)?;
        let place = Place { address, stride: stride.first(), window };
        self.whole_warp(Exchange::Align)?;
        if load {
            self.load_fragment(fragment, &place, &registers)
        } else {
            self.store_fragment(fragment, &place, &registers)
        }
    }

    /// `wmma.mma.sync.aligned.alayout.blayout.shape{.rn}.types{.satfinite} d, a, b, c`.
    fn wmma_product(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().collect();
        let ["mma", "sync", "aligned", "row" | "col", "row" | "col", shape, types @ ..] =
            words.as_slice()
        else {
            return unsupported(instruction);
        };
        let (saturate, types) = match types {
            [types @ .., "satfinite"] => (true, types),
            ["rn", types @ ..] | types => (false, types),
        };
        let types = match *types {
            ["f16", "f16"] => ["f16"; 4],
            ["f32", "f32"] => ["f32", "f16", "f16", "f32"],
            [d, a, b, c] => [d, a, b, c],
            _ => return unsupported(instruction),
        };
        let found = Shape::parse(shape).and_then(|shape| {
            let fragment = |role, ty| Fragment::new(shape, role, ty, true);
            let elements = elements(types, saturate, None)?;
            let integers = matches!(elements, Elements::Integer { .. });
            let all = [
                fragment(Role::Sum, types[0])?,
                fragment(Role::A, types[1])?,
                fragment(Role::B, types[2])?,
            ];
            (integers || !saturate).then_some((shape, elements, all))
        });
        let Some((shape, kind, [sum, first, second])) = found else {
            return unsupported(instruction);
        };
        let [d, a, b, c] = operands(instruction)?;
        let wide = kind == Elements::Double;
        let d = self.registers(d, wide, sum.registers, true)?;
        let a = self.registers(a, wide, first.registers, false)?;
        let b = self.registers(b, wide, second.registers, false)?;
        let c = self.registers(c, wide, sum.registers, false)?;
        let (tall, flat) =
            if shape.swapped() { ((b, second), (a, first)) } else { ((a, first), (b, second)) };
        let kind = match kind {
            // The transposed matrices are multiplied.
            Elements::Integer { bits, a_signed, b_signed, saturate } if shape.swapped() => {
                Elements::Integer { bits, a_signed: b_signed, b_signed: a_signed, saturate }
            }
            kind => kind,
        };
        self.tiles(kind, shape, [&d, &c], [&tall, &flat])
    }

    /// The products of all tiles.
    fn tiles(
        &mut self,
        elements: Elements,
        shape: Shape,
        [d, c]: [&[Slot]; 2],
        [tall, flat]: [&(Vec<Slot>, Fragment); 2],
    ) -> Compiled {
        let rows = shape.m.max(shape.n).min(16);
        let sums = rows * 8 / (32 * elements.sums_per_register());
        let ty = if elements == Elements::Double { Type::B64 } else { Type::B32 };
        // Of several products, the first may not write what the next reads.
        let results = self.fresh_run(ty, d.len() as u8)?;
        let part = |(registers, fragment): &(Vec<Slot>, Fragment), tile: usize| {
            let size = fragment.tile();
            let at = tile % fragment.tiles() * size;
            registers[at..at + size].to_vec()
        };
        // `ptxas` multiplies `tf32` in steps of depth 4. Each step cuts off its sum.
        let steps = if matches!(elements, Elements::Float { a: Factor::Tf32, .. }) { 2 } else { 1 };
        for tile in 0..d.len() / sums {
            let range = tile * sums..(tile + 1) * sums;
            let (a, b) = (part(tall, tile), part(flat, tile));
            let mut c = c[range.clone()].to_vec();
            for (a, b) in a.chunks(a.len() / steps).zip(b.chunks(b.len() / steps)) {
                let (a, b, d) = (a.to_vec(), b.to_vec(), results[range.clone()].to_vec());
                let depth = shape.k / steps;
                self.matrix(Matrix::Product(Product {
                    rows,
                    depth,
                    elements,
                    d,
                    a,
                    b,
                    c,
                    group: None,
                }))?;
                c = results[range.clone()].to_vec();
            }
        }
        for (&d, &a) in d.iter().zip(&results) {
            self.push(Op::mov(ty.wide(), [d, a]));
        }
        Ok(())
    }
}
