//! The fourth blind set: kernels of yet more fields. Nobody who worked on the model saw them,
//! their times or their predictions before its fourth fit was frozen.

mod numerics;
mod physics;
mod puzzles;
mod records;
mod scenes;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (physics::MODULE, physics::KERNELS),
    (records::MODULE, records::KERNELS),
    (scenes::MODULE, scenes::KERNELS),
    (numerics::MODULE, numerics::KERNELS),
    (puzzles::MODULE, puzzles::KERNELS),
];

super::of_half!(super::Half::Blind(4));
