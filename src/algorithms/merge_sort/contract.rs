//! What a user's sort kernel has to accept.

use super::{SPEC, element, steps};
use crate::algorithms::contract::{CParam, Contract, Generic, Of};
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, Element, Launch, Work};

pub(super) static CONTRACT: Contract = Contract {
    variant: "merge-path",
    task: "writes the n keys to `sorted`, ascending, in one launch; 64-bit words have the key in \
           their upper half, and equal keys keep their order",
    params: &[
        CParam::input("keys", Of::T, "the n keys"),
        CParam::output("sorted", Of::T, "the same, sorted"),
        CParam::count("n", "number of keys"),
    ],
    generic: Some(Generic {
        param: "payload",
        of: element,
        values: &[("none", Element::U32), ("index", Element::U64)],
    }),
    grid: "max(1, ceil(n / (block * coarsen)))",
    shared: "2 * block * coarsen * size of T",
    work,
    quadratic: true,
    template: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/merge_sort.cu")),
};

/// One launch. The output lies where `merge-path` has it.
fn work(case: &Case) -> Work {
    let (element, n) = (element(case), case.n as usize);
    let shared = 2 * u64::from(case.block) * u64::from(case.coarsen) * element.bytes();
    let launch = Launch {
        phase: "sort",
        kernel: String::new(),
        grid: crate::algorithms::grid(case, case.n),
        block: Dim3::linear(case.block),
        shared_bytes: u32::try_from(shared).unwrap_or(u32::MAX),
        args: vec![
            Arg::Buffer(steps::WORDS),
            Arg::Buffer(steps::output(case)),
            Arg::U32(case.n as u32),
        ],
    };
    let buffers = vec![
        Buffer::input("keys", steps::WORDS, element, case.n),
        Buffer::zeroed("one array", element, n),
        Buffer::zeroed("other array", element, n),
    ];
    Work::of_launches(SPEC.module, buffers, [launch])
}
