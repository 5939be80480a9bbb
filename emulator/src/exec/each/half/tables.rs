//! Tables of the approximate functions: 16 bits have few enough values to have all results at
//! hand.

use std::sync::OnceLock;

use super::computed::in_singles;
use crate::exec::lanes::FULL;
use crate::program::{Arithmetic, Float, Mode};

type Table = [u16; 1 << 16];

/// The results of `f` for all floats of 16 bits, which are flushed if `flush`; `None` if there is no
/// such table. It takes a millisecond where it is wanted first.
pub(super) fn of(f: Arithmetic, brain: bool, flush: bool) -> Option<&'static Table> {
    static TABLES: [OnceLock<Option<Box<Table>>>; 8] = [const { OnceLock::new() }; 8];
    let float = if brain { Float::Bf16 } else { Float::F16 };
    let index = [f == Arithmetic::Tanh, brain, flush].map(usize::from);
    TABLES[4 * index[0] + 2 * index[1] + index[2]].get_or_init(|| made(f, float, flush)).as_deref()
}

#[cold]
fn made(f: Arithmetic, float: Float, flush: bool) -> Option<Box<Table>> {
    let mode = Mode { flush, ..Mode::PLAIN };
    let mut all: Vec<u16> = Vec::with_capacity(1 << 16);
    for first in (0..1 << 16).step_by(32) {
        let mut file = [std::array::from_fn(|lane| first + lane as u32), [0; 32]];
        if !in_singles::<4>(&mut file, f, (float, mode), [1, 0, 0, 0], FULL) {
            return None;
        }
        all.extend(file[1].map(|bits| bits as u16));
    }
    all.into_boxed_slice().try_into().ok()
}
