//! The screens: one folder each, with state, update and view.

pub mod class;
pub(crate) mod counters;
pub mod learn;
pub(crate) mod output;
pub mod profile;
pub mod runs;
pub(crate) mod source;
pub mod step;
pub mod sweep;
pub mod tune;
