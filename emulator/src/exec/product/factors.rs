//! Where the registers of a warp have the factors of a product.

use super::{COLUMNS, ORDER, Words, numbers};
use crate::exec::each::small::Eight;
use crate::machine::Warp;
use crate::program::{Factor, Product};

/// The words of both factors: those of `b` by lane of a row and column.
pub(super) struct Factors<const A: usize, const B: usize> {
    pub(super) a: [Words; A],
    pub(super) b: [Words; B],
    /// Registers that `b` has.
    pub(super) registers: usize,
}

impl Factors<4, 2> {
    #[inline(always)]
    pub(super) fn of(product: &Product, warp: &Warp) -> Self {
        let mut factors = Self { a: [[0; 32]; 4], b: [[0; 32]; 2], registers: product.b.len() };
        for (words, &slot) in factors.a.iter_mut().zip(&product.a) {
            *words = warp.regs32[usize::from(slot)];
        }
        if product.group.is_some_and(|group| group.negative) {
            let signs = match product.elements.per_register() {
                1 => 1 << 31,
                2 => 0x8000_8000,
                _ => 0x8080_8080,
            };
            for word in factors.a.as_flattened_mut() {
                *word ^= signs;
            }
        }
        for (words, &slot) in factors.b.iter_mut().zip(&product.b) {
            *words = by_columns(&warp.regs32[usize::from(slot)]);
        }
        factors
    }

    /// Those of 8 bits as floats of 16: of each word the first or `last` two, in a register each.
    #[inline(always)]
    pub(super) fn as_halves<const N: usize, const A: usize, const B: usize>(
        &self,
        kinds: [Factor; 2],
        parts: &[bool],
    ) -> Factors<A, B> {
        let small = kinds.map(|kind| if kind == Factor::E4m3 { Eight::E4M3 } else { Eight::E5M2 });
        let registers = parts.len() * self.registers;
        let mut halves = Factors { a: [[0; 32]; A], b: [[0; 32]; B], registers };
        for (part, &last) in parts.iter().enumerate() {
            for (register, words) in self.b.iter().enumerate() {
                let to = parts.len() * register + part;
                halves.b[to % B] = numbers::halves::<N>(small[1], words, last);
                for half in 0..2 {
                    let words = &self.a[2 * register + half];
                    halves.a[(2 * to + half) % A] = numbers::halves::<N>(small[0], words, last);
                }
            }
        }
        halves
    }
}

/// A register of `b` by lane of a row and column.
#[inline(always)]
pub(super) fn by_columns(words: &Words) -> Words {
    let mut turned = [0; 32];
    for lane in 0..4 {
        for (at, column) in ORDER.into_iter().enumerate() {
            turned[COLUMNS * lane + at] = words[4 * column + lane];
        }
    }
    turned
}
