//! What a user's matrix product kernel has to accept.

use super::Matmul;
use crate::algorithms::Algorithm;
use crate::algorithms::contract::{CParam, Contract, Of};
use crate::work::Element;

pub(super) static CONTRACT: Contract = Contract {
    variant: "global",
    task: "computes C = A B, row by row",
    params: &[
        CParam::input("a", Of::Fixed(Element::F32), "A, m by k"),
        CParam::input("b", Of::Fixed(Element::F32), "B, k by n"),
        CParam::output("c", Of::Fixed(Element::F32), "C, m by n"),
        CParam::count("m", "rows of A and C"),
        CParam::count("n", "columns of B and C"),
        CParam::count("k", "columns of A, rows of B"),
    ],
    generic: None,
    grid: "max(1, ceil(ceil(m * n / block) / coarsen))",
    shared: "0",
    work: |case| Matmul.work(case),
    quadratic: false,
    template: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/matmul.cu")),
};
