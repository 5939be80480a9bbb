//! What a user's distance-histogram kernel has to accept.

use super::DistanceHistogram;
use crate::algorithms::Algorithm;
use crate::algorithms::contract::{CKind, CParam, Contract, Of};
use crate::work::Element;

pub(super) static CONTRACT: Contract = Contract {
    variant: "privatised",
    task: "adds to `counts[b]` how many pairs of atoms have a distance d with \
           floor(d * per_width) = b",
    params: &[
        CParam::input("x", Of::Fixed(Element::F32), "x of the n atoms"),
        CParam::input("y", Of::Fixed(Element::F32), "their y"),
        CParam::input("z", Of::Fixed(Element::F32), "their z"),
        CParam::count("n", "number of atoms"),
        CParam::output("counts", Of::Fixed(Element::U64), "one per bucket, 0 before the launch"),
        CParam::count("buckets", "number of buckets"),
        CParam {
            name: "per_width",
            kind: CKind::Scalar(Element::F32),
            meaning: "1 / width of a bucket",
            needed_for: None,
        },
        CParam::count("copies", "private copies of each bucket in a block"),
    ],
    generic: None,
    grid: "max(1, ceil(n / (block * coarsen)))",
    shared: "4 * buckets * copies",
    work: |case| DistanceHistogram.work(case),
    quadratic: false,
    template: include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/kernels/contracts/distance_histogram.cu"
    )),
};
