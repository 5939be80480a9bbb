//! Child processes that end with this one and stay within limits of time, memory and output.

mod limits;
mod run;
mod tree;

pub(crate) use limits::limit_self;
pub(crate) use run::{Finished, Limits, RunError, run};
pub(crate) use tree::ProcessTree;
