//! What one access or instruction costs on the hardware: pure functions.

pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod awaits;
pub(crate) mod instruction;
pub(crate) mod swaps;

pub(crate) use access::{groups_of_eight, local_sectors};
pub(crate) use atomic::Way;
pub use instruction::{CLASSES, Class, Mix};
pub use swaps::{Swaps, sums_meet};
