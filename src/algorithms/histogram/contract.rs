//! What a user's histogram kernel has to accept.

use super::Histogram;
use crate::algorithms::Algorithm;
use crate::algorithms::contract::{CParam, Contract, Of};
use crate::experiment::Case;
use crate::work::{Arg, Element, Step, Work};

pub(super) static CONTRACT: Contract = Contract {
    variant: "shared",
    task: "adds to `bins[b]` how many of the `n` values fall into bin `b`",
    params: &[
        CParam::input("values", Of::Fixed(Element::U32), "the n values"),
        CParam::count("n", "number of values"),
        CParam::output("bins", Of::Fixed(Element::U32), "one count per bin, 0 before the launch"),
        CParam::count("bin_count", "number of bins"),
        CParam::count("range", "1 where binning is `range`, else 0").needed_for("binning", "range"),
    ],
    generic: None,
    grid: "max(1, ceil(n / (block * coarsen)))",
    shared: "4 * bins",
    work,
    quadratic: false,
    template: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/histogram.cu")),
};

/// The work of `shared`, with the binning as one more argument.
fn work(case: &Case) -> Work {
    let mut work = Histogram.work(case);
    if let Some(Step::Launch(launch)) = work.steps.first_mut() {
        launch.args.push(Arg::U32(u32::from(case.word("binning") == Some("range"))));
    }
    work
}
