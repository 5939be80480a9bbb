//! The tenth blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod entries;
mod moves;
mod rasters;
mod sciences;
mod tensors;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (moves::MODULE, moves::KERNELS),
    (rasters::MODULE, rasters::KERNELS),
    (tensors::MODULE, tensors::KERNELS),
    (entries::MODULE, entries::KERNELS),
    (sciences::MODULE, sciences::KERNELS),
];

super::of_half!(super::Half::Blind(10));
