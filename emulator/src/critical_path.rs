//! What a block waits for: the longest chain of dependent instructions in it.
//!
//! Of a few blocks of a launch, every op is put on a time line of its warp: it
//! starts when what it reads is there, and what it writes is there after its
//! latency. Within a basic block the order does not matter (`ptxas` schedules
//! there), a branch ends what can be moved, a barrier joins the warps. Nothing
//! waits for a busy unit: that is what the counters are for. With each time
//! goes what it is made of, so that the timing model can give other latencies.

mod cache;
mod history;
mod operands;
mod plan;
mod recorder;
mod timeline;

pub(crate) use plan::CostPlan;
pub(crate) use recorder::Recorder;
pub use timeline::{CriticalPath, Timeline, WAITS, Wait};
