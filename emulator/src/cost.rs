//! What one access or instruction costs on the hardware: pure functions.

pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod instruction;
