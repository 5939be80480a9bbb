//! Lists that filter while the user types, the command palette among them.

pub mod state;
pub(crate) mod update;
pub(crate) mod view;
