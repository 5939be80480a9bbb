//! The twelfth blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod ledgers;
mod meshes;
mod networks;
mod sciences;
mod signals;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (ledgers::MODULE, ledgers::KERNELS),
    (meshes::MODULE, meshes::KERNELS),
    (networks::MODULE, networks::KERNELS),
    (sciences::MODULE, sciences::KERNELS),
    (signals::MODULE, signals::KERNELS),
];

super::of_half!(super::Half::Blind(12));
