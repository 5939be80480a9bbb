//! What a user's scan kernel has to accept.

use super::lookback;
use crate::algorithms::contract::{CParam, Contract, Of};
use crate::algorithms::inputs;
use crate::experiment::Case;
use crate::work::{Element, Work};

pub(super) static CONTRACT: Contract = Contract {
    variant: super::LOOKBACK,
    task: "writes to `sums[i]` the sum of the values up to `values[i]`",
    // In the order of the arguments of the look-back kernel.
    params: &[
        CParam::input("values", Of::T, "the n values"),
        CParam::output("sums", Of::T, "the n sums"),
        CParam::output("states", Of::Fixed(Element::U64), "a word per block, 0 before the launch"),
        CParam::output("next_tile", Of::Fixed(Element::U32), "one word, 0 before the launch"),
        CParam::count("n", "number of values"),
        CParam::count("items", "values per thread, the coarsening"),
        CParam::count("exclusive", "1 where sums is `exclusive`, else 0")
            .needed_for("sums", "exclusive"),
    ],
    generic: Some(inputs::GENERIC),
    grid: "max(1, ceil(n / (block * coarsen)))",
    shared: "4 * block * coarsen",
    work,
    quadratic: false,
    template: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/scan.cu")),
};

/// The work of the first single-pass variant.
fn work(case: &Case) -> Work {
    lookback::Method::Shared.work(case)
}
