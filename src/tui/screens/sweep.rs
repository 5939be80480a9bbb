//! The screen of execution time by input size: form, chart, explanation.

pub(crate) mod about;
pub(crate) mod explain;
pub mod form;
pub mod nearest;
pub(crate) mod present;
pub mod state;
pub(crate) mod view;
pub(crate) mod zoom;
