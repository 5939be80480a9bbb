//! The screen of stored runs.

pub mod state;
pub(crate) mod update;
pub(crate) mod view;
