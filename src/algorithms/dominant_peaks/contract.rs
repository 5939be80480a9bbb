//! What a user's dominant-peaks kernel has to accept.

use super::DominantPeaks;
use crate::algorithms::Algorithm;
use crate::algorithms::contract::{CParam, Contract, Of};
use crate::work::Element;

pub(super) static CONTRACT: Contract = Contract {
    variant: "tiled",
    task: "writes for each peak the least squared distance to a peak before it, which is higher; \
           2^32 - 1 for the first",
    params: &[
        CParam::input("x", Of::Fixed(Element::U32), "columns of the n peaks, highest peak first"),
        CParam::input("y", Of::Fixed(Element::U32), "their rows"),
        CParam::count("n", "number of peaks"),
        CParam::output("least", Of::Fixed(Element::U32), "the n squared distances"),
    ],
    generic: None,
    grid: "max(1, ceil(n / (block * coarsen)))",
    shared: "8 * block",
    work: |case| DominantPeaks.work(case),
    quadratic: false,
    template: include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/kernels/contracts/dominant_peaks.cu"
    )),
};
