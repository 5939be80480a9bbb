//! What a user's reduce kernel has to accept.

use super::Reduce;
use crate::algorithms::Algorithm;
use crate::algorithms::contract::{CParam, Contract, Of};
use crate::algorithms::inputs;
use crate::experiment::Case;
use crate::work::{Step, Work};

pub(super) static CONTRACT: Contract = Contract {
    variant: "shuffle",
    task: "adds the sum of the `n` values to `*sum`",
    params: &[
        CParam::input("values", Of::T, "the n values"),
        CParam::count("n", "number of values"),
        CParam::output("sum", Of::T, "one word, 0 before the launch"),
    ],
    generic: Some(inputs::GENERIC),
    grid: "max(1, ceil(n / (block * coarsen)))",
    shared: "4 * block",
    work,
    quadratic: false,
    template: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/reduce.cu")),
};

/// The work of `shuffle`, with a word of shared memory per thread.
fn work(case: &Case) -> Work {
    let mut work = Reduce.work(case);
    if let Some(Step::Launch(launch)) = work.steps.first_mut() {
        launch.shared_bytes = 4 * case.block;
    }
    work
}
