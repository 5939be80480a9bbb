//! The box that explains a difference of two cases.

pub mod state;
pub(crate) mod view;
