//! The sixth blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod arrays;
mod fields;
mod formulas;
mod layers;
mod records;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (arrays::MODULE, arrays::KERNELS),
    (fields::MODULE, fields::KERNELS),
    (records::MODULE, records::KERNELS),
    (formulas::MODULE, formulas::KERNELS),
    (layers::MODULE, layers::KERNELS),
];

super::of_half!(super::Half::Blind(6));
