//! What one instruction computes in one lane: pure functions.

pub(crate) mod apply;
pub(crate) mod atomic;
pub(crate) mod bits;
pub(crate) mod convert;
pub(crate) mod exact;
pub(crate) mod float;
pub(crate) mod small;
pub(crate) mod word;
