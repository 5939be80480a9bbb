//! What lies over a screen: lists to pick from, the export dialog, explanations.

pub(crate) mod copied;
pub(crate) mod export;
pub(crate) mod help;
pub(crate) mod leave;
pub mod picker;
pub mod picture;
pub mod state;
pub mod terms;
pub(crate) mod update;
pub mod why;
