//! The user's file on the screens: its versions, what is wrong with it, and the loop from
//! saving it to its curve.
//!
//! ```text
//! save --> effect: read, compile, check --> News --> update --> run, older versions
//! ```

pub mod state;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
pub(crate) mod update;
pub(crate) mod view;
