//! What a user's radix partition kernel has to accept.

use super::{DIGIT_OFFSETS, Field, KEYS, MOVED, SPEC};
use crate::algorithms::contract::{CParam, Contract, Of};
use crate::experiment::Case;
use crate::work::{Arg, Buffer, Dim3, Element, Launch, Work};

const CURSORS: usize = 3;

pub(super) static CONTRACT: Contract = Contract {
    variant: "histogram=shared+scan=shared+reorder=global",
    task: "moves the keys of each digit together, in one launch of one block",
    params: &[
        CParam::input("keys", Of::Fixed(Element::U32), "the n keys"),
        CParam::count("n", "number of keys"),
        CParam::count("low", "lowest bit of the digit"),
        CParam::count("bits", "bits of the digit"),
        CParam::output("moved", Of::Fixed(Element::U32), "the keys by digit, in any order"),
        CParam::output("offsets", Of::Fixed(Element::U32), "place of each digit's first key"),
        CParam::output("cursors", Of::Fixed(Element::U32), "a word per digit, 0 before the launch"),
    ],
    generic: None,
    grid: "1",
    shared: "4 * 2^bits",
    work,
    quadratic: false,
    template: include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/kernels/contracts/radix_partition.cu"
    )),
};

/// One block that does all. The outputs lie where the other variants have them.
fn work(case: &Case) -> Work {
    let field = Field::of(case);
    let launch = Launch {
        phase: "partition",
        kernel: String::new(),
        grid: Dim3::linear(1),
        block: Dim3::linear(case.block),
        shared_bytes: 4 * field.digits(),
        args: vec![
            Arg::Buffer(KEYS),
            Arg::U32(case.n as u32),
            Arg::U32(field.low),
            Arg::U32(field.bits),
            Arg::Buffer(MOVED),
            Arg::Buffer(DIGIT_OFFSETS),
            Arg::Buffer(CURSORS),
        ],
    };
    let zeroed = |name, elements| Buffer::zeroed(name, Element::U32, elements);
    let digits = field.digits() as usize;
    let buffers = vec![
        Buffer::input("keys", 0, Element::U32, case.n),
        zeroed("moved", case.n as usize),
        zeroed("digit offsets", digits),
        zeroed("cursors", digits),
    ];
    Work::of_launches(SPEC.module, buffers, [launch])
}
