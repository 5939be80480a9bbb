//! Runs blocks: the dispatch loop, 32 lanes per op, compiled once per observer and
//! vector width.

mod atomic;
mod block;
mod bulk;
mod call;
mod collective;
mod each;
mod float;
mod lanes;
mod local;
mod matrix;
mod print;
mod rare;
mod row_transfer;
mod rows;
mod run;
mod service;
mod spin;
mod step;
mod stuck;
mod tensor;
mod tile;
mod transfer;

pub(crate) use block::{BlockFault, Runner, Shape};
pub(crate) use call::private_bytes;
pub(crate) use spin::Spins;
