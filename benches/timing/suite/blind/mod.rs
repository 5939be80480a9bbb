//! The blind set: kernels written by someone who had not worked on the model. Nobody who did
//! saw them, their times or their predictions before the fit was frozen.

mod graphs;
mod grids;
mod layers;
mod order;
mod rounds;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (grids::MODULE, grids::KERNELS),
    (layers::MODULE, layers::KERNELS),
    (graphs::MODULE, graphs::KERNELS),
    (order::MODULE, order::KERNELS),
    (rounds::MODULE, rounds::KERNELS),
];

super::of_half!(super::Half::Blind(1));
