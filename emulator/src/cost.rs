//! What one access or instruction costs on the hardware: pure functions.

pub(crate) mod access;
pub(crate) mod atomic;
pub(crate) mod instruction;

pub(crate) use access::local_sectors;
pub(crate) use atomic::Way;
pub use instruction::{CLASSES, Class, Mix};
