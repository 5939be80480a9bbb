//! The third blind set: kernels of yet other fields and habits. Nobody who worked on the
//! model saw them, their times or their predictions before its third fit was frozen.

mod codes;
mod fields;
mod relations;
mod tensors;
mod walks;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (fields::MODULE, fields::KERNELS),
    (walks::MODULE, walks::KERNELS),
    (codes::MODULE, codes::KERNELS),
    (relations::MODULE, relations::KERNELS),
    (tensors::MODULE, tensors::KERNELS),
];

super::of_half!(super::Half::Blind(3));
