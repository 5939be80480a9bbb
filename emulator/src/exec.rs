//! Runs blocks: the dispatch loop, 32 lanes per op.

pub(crate) mod atomic;
pub(crate) mod block;
pub(crate) mod call;
pub(crate) mod collective;
pub(crate) mod each;
pub(crate) mod float;
pub(crate) mod lanes;
pub(crate) mod local;
pub(crate) mod print;
pub(crate) mod row_transfer;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod service;
pub(crate) mod step;
pub(crate) mod transfer;
