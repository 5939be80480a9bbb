//! Runs blocks: the dispatch loop, 32 lanes per op, compiled once per observer and
//! vector width.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over 32 lanes index several arrays; with iterators they vectorise less well"
)]

mod arms;
mod atomic;
mod block;
mod bulk;
mod call;
mod collective;
mod each;
mod float;
mod lanes;
mod line;
mod line_moves;
mod local;
mod matrix;
mod permute;
mod print;
mod product;
mod quick;
mod rare;
mod row_transfer;
mod rows;
mod run;
mod saved;
mod scattered;
mod service;
mod spin;
mod step;
mod stuck;
mod tensor;
mod tile;
mod transfer;
mod vectors;

pub(crate) use block::{BlockFault, Runner, Shape, Turns};
pub(crate) use call::private_bytes;
pub(crate) use saved::Saved;
pub(crate) use spin::{Spin, Spins};
