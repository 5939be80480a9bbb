//! The eleventh blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod layouts;
mod models;
mod pictures;
mod products;
mod records;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (layouts::MODULE, layouts::KERNELS),
    (pictures::MODULE, pictures::KERNELS),
    (products::MODULE, products::KERNELS),
    (records::MODULE, records::KERNELS),
    (models::MODULE, models::KERNELS),
];

super::of_half!(super::Half::Blind(11));
