//! Kernel profiles, which the screens Counters and Source show: what is profiled,
//! and how the two screens ask for it.

pub(crate) mod looking;
pub mod state;
pub(crate) mod update;
pub(crate) mod view;
