//! The screen that maps block size and coarsening to time.

pub mod answers;
pub(crate) mod cells;
pub(crate) mod ladder;
pub mod state;
pub(crate) mod update;
pub(crate) mod view;
