//! The teacher's screen of a class: address, question, number of voters, and after the reveal
//! both distributions beside the live chart.

mod asked;
pub(crate) mod keys;
pub mod state;
pub(crate) mod update;
pub(crate) mod view;
mod votes;
