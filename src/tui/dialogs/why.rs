//! The box that explains a difference of two cases.

pub(crate) mod large;
pub mod state;
pub(crate) mod view;
