#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::*;
use crate::work::{Buffer, Dim3, Element, Module};

fn work(kernel: &str, n: u32, bins: u32) -> Work {
    let module = Module { name: "m", path: "m.ptx", ptx: "", source: "", resources: "" };
    let buffers = vec![
        Buffer::input("values", 0, Element::U32, n.into()),
        Buffer::zeroed("bins", Element::U32, bins as usize),
    ];
    let launch = Launch {
        phase: "count",
        kernel: kernel.to_owned(),
        grid: Dim3::linear(n.div_ceil(512).max(1)),
        block: Dim3::linear(128),
        shared_bytes: 0,
        args: vec![Arg::Buffer(0), Arg::U32(n), Arg::Buffer(1), Arg::U32(bins)],
    };
    Work::of_launches(module, buffers, [launch])
}

fn values(n: u32) -> Inputs {
    vec![Arc::new(HostBuffer::U32((0..n).collect()))]
}

/// Seconds of the second sample.
fn seconds(kernel: &str, n: u32) -> f64 {
    let mut backend = Scripted::open(0);
    let prepared = backend.prepare(&work(kernel, n, 8), &values(n)).unwrap();
    backend.sample(prepared).unwrap();
    backend.sample(prepared).unwrap().seconds
}

#[test]
fn it_counts_and_its_curves_cross() {
    let mut backend = Scripted::open(0);
    let prepared = backend.prepare(&work("histogram_shared_modulo", 100, 8), &values(100)).unwrap();
    backend.sample(prepared).unwrap();
    let bins = backend.read(prepared, 1).unwrap();
    assert_eq!(bins.as_u32().unwrap(), [13, 13, 13, 13, 12, 12, 12, 12]);
    let small = (seconds("histogram_global_modulo", 64), seconds("histogram_shared_modulo", 64));
    assert!(small.0 < small.1, "{small:?}");
    let n = 1 << 20;
    let large = (seconds("histogram_global_range", n), seconds("histogram_shared_range", n));
    assert!(large.0 > 5.0 * large.1, "{large:?}");
}

#[test]
fn what_it_does_not_know_is_an_error() {
    let mut backend = Scripted::open(0);
    assert!(backend.prepare(&work("reduce", 1, 8), &values(1)).is_err());
    assert!(backend.prepare(&work("histogram_global_range", 2, 8), &values(1)).is_err());
    assert!(backend.sample(Prepared(9)).is_err());
    assert!(backend.read(Prepared(9), 1).is_err());
}

#[test]
fn after_a_fault_it_answers_no_more() {
    let mut backend = Scripted::open(0);
    let lost = work("histogram_shared_modulo", 1, LOST as u32);
    let prepared = backend.prepare(&lost, &values(1)).unwrap();
    assert!(matches!(backend.sample(prepared), Err(Failure::Trap(_))));
    assert!(matches!(backend.sample(prepared), Err(Failure::Lost(_))));
    assert!(matches!(backend.prepare(&lost, &values(1)), Err(Failure::Lost(_))));
}
