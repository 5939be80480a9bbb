//! From an experiment to records: the [`plan`] orders cases, [`measure`] runs one
//! case, a [`source`] file becomes an algorithm, a [`worker`] process holds the backend, the [`scheduler`] spreads cases over
//! workers, [`trace`] records one block, and [`probe`] measures a GPU for the timing model.

pub mod measure;
pub mod plan;
pub mod probe;
pub mod scheduler;
pub mod source;
pub mod trace;
pub mod worker;
