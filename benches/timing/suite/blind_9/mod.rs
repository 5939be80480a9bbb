//! The ninth blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod formulas;
mod layers;
mod layouts;
mod pictures;
mod records;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (layouts::MODULE, layouts::KERNELS),
    (pictures::MODULE, pictures::KERNELS),
    (records::MODULE, records::KERNELS),
    (formulas::MODULE, formulas::KERNELS),
    (layers::MODULE, layers::KERNELS),
];

super::of_half!(super::Half::Blind(9));
