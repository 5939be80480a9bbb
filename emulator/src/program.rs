//! A kernel in executable form: data only.

pub(crate) mod compute;
pub(crate) mod data;
pub(crate) mod exchange;
pub(crate) mod function;
pub(crate) mod kernel;
pub(crate) mod op;
