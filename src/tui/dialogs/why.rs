//! The box that explains a difference of two cases.

pub mod counting;
pub(crate) mod large;
pub mod state;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
pub(crate) mod view;
