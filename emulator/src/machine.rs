//! The state of a running block, and what is counted of it.

pub(crate) mod barrier;
pub(crate) mod block;
pub(crate) mod bytes;
pub(crate) mod call_stack;
pub(crate) mod counters;
pub(crate) mod counts;
pub(crate) mod dim;
pub(crate) mod fault;
pub(crate) mod instruction_count;
pub(crate) mod lane_addresses;
pub(crate) mod lane_mask;
pub(crate) mod local;
pub(crate) mod memory;
pub(crate) mod observer;
pub(crate) mod tallies;
pub(crate) mod trap;
pub(crate) mod warp;
