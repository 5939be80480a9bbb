//! Tables of the approximate functions: 16 bits have few enough values to have all results at
//! hand.

use std::sync::OnceLock;

use super::computed::in_singles;
use crate::exec::lanes::FULL;
use crate::program::{Arithmetic, Float, Mode};

type Table = [u16; 1 << 16];

/// The results of `f` for all floats of 16 bits; `None` if there is no such table. It takes a
/// millisecond where it is wanted first.
pub(super) fn of(f: Arithmetic, brain: bool) -> Option<&'static Table> {
    static TABLES: [OnceLock<Option<Box<Table>>>; 4] = [const { OnceLock::new() }; 4];
    let float = if brain { Float::Bf16 } else { Float::F16 };
    let index = 2 * usize::from(f == Arithmetic::Tanh) + usize::from(brain);
    TABLES[index].get_or_init(|| made(f, float)).as_deref()
}

#[cold]
fn made(f: Arithmetic, float: Float) -> Option<Box<Table>> {
    let mut all: Vec<u16> = Vec::with_capacity(1 << 16);
    for first in (0..1 << 16).step_by(32) {
        let mut file = [std::array::from_fn(|lane| first + lane as u32), [0; 32]];
        if !in_singles::<4>(&mut file, f, (float, Mode::PLAIN), [1, 0, 0, 0], FULL) {
            return None;
        }
        all.extend(file[1].map(|bits| bits as u16));
    }
    all.into_boxed_slice().try_into().ok()
}
