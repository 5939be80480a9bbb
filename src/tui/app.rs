//! The interface as a whole: keys become commands, commands change the model, the
//! model is drawn. Each screen and dialog has its own state, update and view.

pub mod action;
pub mod effect;
pub(crate) mod keep;
pub mod keys;
pub mod model;
pub mod run;
pub mod update;
pub mod view;
