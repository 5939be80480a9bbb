//! What records mean: which of two times is shorter ([`compare`]), and why
//! ([`explain`]).

pub mod compare;
pub mod explain;
