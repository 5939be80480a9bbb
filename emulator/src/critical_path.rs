//! What a block waits for: its longest chain of dependent instructions.
//!
//! The recorder follows four blocks of a launch. An op starts when its operands are
//! ready; its result is ready after its latency. Order within a basic block does not
//! matter, because `ptxas` schedules there. Nothing moves across a branch, and a
//! barrier joins the warps. Busy units are left to the counters. Every time keeps the
//! waits that it consists of, so that the timing model can apply other latencies.

mod arrivals;
mod before;
mod cache;
mod constants;
mod copies;
mod crowd;
mod exchanges;
mod hand_offs;
mod history;
mod joins;
mod line;
mod lines;
mod links;
mod plan;
mod recorder;
mod sectors;
mod shared;
mod slow_way;
mod swapped;
mod timeline;
mod trace;
mod turns;
mod wide_loads;

pub(crate) use before::loaded_before;
pub use hand_offs::HandOffs;
pub(crate) use hand_offs::{Handed, Watch};
pub(crate) use plan::CostPlan;
pub(crate) use recorder::Recorder;
pub(crate) use swapped::{Swapped, shared_words};
pub use timeline::{CriticalPath, Timeline, WAITS, Wait};
pub use trace::Answers;
pub(crate) use trace::{MOST_BLOCKS, Trace, replay};
