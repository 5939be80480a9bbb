//! The box behind `K`: what the words on the screen mean.

pub mod state;
pub(crate) mod update;
pub(crate) mod view;
