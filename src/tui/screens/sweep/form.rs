//! The form: algorithm, variants, axes, backend.

pub mod history;
pub(crate) mod parse;
pub mod state;
pub(crate) mod update;
pub(crate) mod view;
