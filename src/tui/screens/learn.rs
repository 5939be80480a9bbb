//! The screen of lessons: predict, run, observe, explain. The steps and what answers are
//! worth are those of [`crate::lessons`].

pub mod draft;
pub mod figures;
pub mod state;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
pub(crate) mod todo;
pub(crate) mod update;
pub(crate) mod view;
