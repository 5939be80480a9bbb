//! The screen that maps block size and coarsening to time.

pub mod state;
pub(crate) mod update;
pub(crate) mod view;
