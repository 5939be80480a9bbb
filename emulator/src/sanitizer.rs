//! Watches a launch and reports what is wrong in it.

pub(crate) mod access;
pub(crate) mod finding;
pub(crate) mod loops;
pub(crate) mod monitor;
pub(crate) mod order;
pub(crate) mod origins;
pub(crate) mod remember;
pub(crate) mod shadow;
