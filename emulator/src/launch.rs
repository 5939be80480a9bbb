//! Launches a grid: blocks on the threads of the host, sampling, extrapolation.

mod blocks;
mod builder;
mod checked;
mod cluster;
mod element;
mod extrapolate;
mod follow;
mod followed;
mod job;
mod kinds;
mod outcome;
mod prefix;
mod printed;
mod reach;
mod sample;

pub use blocks::Blocks;
pub use builder::{Launch, Report};
pub use checked::{Checked, check};
pub use element::Element;
pub use extrapolate::{SmallerRun, extrapolate};
pub use follow::Follow;
pub use job::{launch, run};
pub(crate) use job::{name_fault, position};
pub use outcome::{Options, Outcome, Ran, Setting};
pub use prefix::prefix;
pub use reach::reach;
pub use sample::{SampleSize, sample};
