//! Launches a grid: blocks on the threads of the host, sampling, extrapolation.

pub(crate) mod blocks;
pub(crate) mod builder;
pub(crate) mod checked;
pub(crate) mod element;
pub(crate) mod extrapolate;
pub(crate) mod job;
pub(crate) mod outcome;
pub(crate) mod sample;
