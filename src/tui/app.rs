//! The interface as a whole: keys become commands, commands change the model, the
//! model is drawn. Each screen and dialog has its own state, update and view.

pub(crate) mod action;
pub(crate) mod effect;
pub(crate) mod keep;
pub(crate) mod keys;
pub mod model;
pub mod run;
pub mod selection;
pub mod tour;
pub(crate) mod update;
pub mod view;
