//! The second blind set: kernels as other strangers would write them. Nobody who worked on the
//! model saw them, their times or their predictions before its second fit was frozen.

mod learn;
mod numbers;
mod pixels;
mod search;
mod signals;

use warpscope::work::Module;

use super::Kernel;

/// The modules of the set with their kernels.
pub(super) const MODULES: [(Module, &[Kernel]); 5] = [
    (signals::MODULE, signals::KERNELS),
    (learn::MODULE, learn::KERNELS),
    (search::MODULE, search::KERNELS),
    (pixels::MODULE, pixels::KERNELS),
    (numbers::MODULE, numbers::KERNELS),
];

super::of_half!(super::Half::Blind(2));
