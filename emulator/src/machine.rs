//! The state of a running block, and what is counted of it.

mod barrier;
mod block;
mod bytes;
mod call_stack;
mod counters;
mod counts;
mod dim;
mod fault;
pub(crate) mod instruction_count;
mod lane_addresses;
mod lane_mask;
mod local;
mod memory;
mod observer;
mod progress;
mod tallies;
mod trap;
mod warp;

pub(crate) use barrier::{Arrival, Barriers};
pub(crate) use block::{BlockContext, MOST_PRINTED, MOST_PRINTS, PRINT_BYTES};
pub(crate) use bytes::{AtomicScalar, Bytes, Scalar};
pub use counters::{Counters, Touched};
pub use dim::Dim3;
pub(crate) use fault::{At, Fault};
pub use instruction_count::{AccessKind, InstructionCount};
pub(crate) use lane_addresses::{Checked, LaneAddresses};
pub(crate) use lane_mask::{choose, lanes};
pub use memory::Memory;
pub(crate) use memory::{Allocation, Reach};
pub(crate) use observer::{Observer, Unobserved};
pub use progress::{Done, Progress};
pub use tallies::CHUNK;
pub(crate) use tallies::{SECTOR, SiteTally, Tallies};
pub use trap::{Trap, TrapKind};
pub(crate) use warp::{Fragment, Waiting, Warp};
