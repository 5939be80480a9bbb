//! The eighth blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod grids;
mod learning;
mod models;
mod signals;
mod tables;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (signals::MODULE, signals::KERNELS),
    (grids::MODULE, grids::KERNELS),
    (tables::MODULE, tables::KERNELS),
    (models::MODULE, models::KERNELS),
    (learning::MODULE, learning::KERNELS),
];

super::of_half!(super::Half::Blind(8));
