//! What a sweep leaves behind: one [`record`] per case, the [`store`] that keeps
//! records in files, [`published`] times, and those of [`libraries`], to compare with.

pub mod libraries;
pub mod published;
pub mod record;
pub mod store;
