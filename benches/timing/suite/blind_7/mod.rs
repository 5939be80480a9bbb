//! The seventh blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod columns;
mod layers;
mod lookups;
mod numbers;
mod pictures;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (columns::MODULE, columns::KERNELS),
    (pictures::MODULE, pictures::KERNELS),
    (lookups::MODULE, lookups::KERNELS),
    (numbers::MODULE, numbers::KERNELS),
    (layers::MODULE, layers::KERNELS),
];

super::of_half!(super::Half::Blind(7));
