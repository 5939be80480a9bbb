//! The fifth blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod models;
mod numbers;
mod pictures;
mod stencils;
mod streams;
mod tables;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 6] = [
    (streams::MODULE, streams::KERNELS),
    (stencils::MODULE, stencils::KERNELS),
    (pictures::MODULE, pictures::KERNELS),
    (tables::MODULE, tables::KERNELS),
    (numbers::MODULE, numbers::KERNELS),
    (models::MODULE, models::KERNELS),
];

super::of_half!(super::Half::Blind(5));
