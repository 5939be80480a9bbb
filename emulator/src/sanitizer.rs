//! An observer that reports races, invalid accesses and other errors, with source line,
//! block and threads. A launch without it pays nothing.

pub(crate) mod access;
mod bulk;
mod finding;
mod loops;
mod monitor;
mod order;
mod origins;
mod remember;
mod shadow;

pub use finding::{Finding, FindingKind};
pub(crate) use monitor::Monitor;
