//! The fifth blind set: ordinary kernels of every class, as a person brings them. Nobody who
//! worked on the model saw them, their times or their predictions before it was frozen.

mod models;
mod numbers;
mod pictures;
mod stencils;
mod streams;
mod tables;

use warpscope::work::Module;

use super::setup::Setup;
use super::{Half, Kernel};

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 6] = [
    (streams::MODULE, streams::KERNELS),
    (stencils::MODULE, stencils::KERNELS),
    (pictures::MODULE, pictures::KERNELS),
    (tables::MODULE, tables::KERNELS),
    (numbers::MODULE, numbers::KERNELS),
    (models::MODULE, models::KERNELS),
];

/// A kernel of the set.
const fn kernel(
    name: &'static str,
    class: &'static str,
    sizes: [u32; 3],
    blocks: &'static [[u32; 3]],
    make: fn(&mut Setup, u32),
) -> Kernel {
    Kernel { name, class, half: Half::Blind5, sizes, blocks, make }
}
