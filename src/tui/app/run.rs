//! The running sweep: its state, what starts and stops it, and new plans.

pub(crate) mod replan;
pub mod state;
pub(crate) mod update;
