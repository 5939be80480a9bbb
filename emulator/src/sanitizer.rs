//! Watches a launch and reports what is wrong in it.

mod access;
mod finding;
mod loops;
mod monitor;
mod order;
mod origins;
mod remember;
mod shadow;

pub use finding::{Finding, FindingKind};
pub(crate) use monitor::Monitor;
