//! What a sweep leaves behind: one [`record`] per case, the [`store`] that keeps
//! records in files, and [`published`] times to compare with.

pub mod published;
pub mod record;
pub mod store;
