//! What one instruction computes in one lane: pure functions.

mod apply;
pub(crate) mod approximate;
mod atomic;
mod bits;
mod convert;
mod exact;
mod float;
pub(crate) mod half;
pub(crate) mod matrix;
pub(crate) mod mbarrier;
mod small;
pub(crate) mod word;

pub(crate) use apply::apply;
pub(crate) use word::Word;
