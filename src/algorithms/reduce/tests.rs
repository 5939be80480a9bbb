#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::*;
use crate::algorithms::tests;
use crate::work::PhaseKind;

fn case(variant: &str, dtype: &str, n: u64, block: u32, coarsen: u32) -> Case {
    let shape = [n, block.into(), coarsen.into()];
    tests::case(&Reduce, variant, shape, &[("dtype", dtype)])
}

/// Kernel, grid and shared bytes of every launch.
fn launches(work: &Work) -> Vec<(&str, u32, u32)> {
    work.launches().map(|it| (it.kernel.as_str(), it.grid.x, it.shared_bytes)).collect()
}

#[test]
fn the_gpu_goes_on_until_one_value_is_left() {
    let work = Reduce.work(&case("sequential+final=gpu", "u32", 1 << 20, 128, 1));
    let kernel = "reduce_sequential_u32";
    assert_eq!(launches(&work), [(kernel, 8192, 512), (kernel, 64, 512), (kernel, 1, 512)]);
    // 8192 partial sums, then 64 of those, then the sum.
    assert_eq!(work.buffers[PARTIALS].bytes(), 4 * (8192 + 64));
    let last = work.launches().last().unwrap();
    let from = Arg::BufferAt { buffer: PARTIALS, byte: 4 * 8192 };
    assert_eq!(last.args, [from, Arg::U32(64), Arg::Buffer(SUM)]);
    let names: Vec<_> = work.phases().names.into_iter().map(|phase| phase.name).collect();
    assert_eq!(names, ["sum blocks", "final"]);
    // One value per thread and block still shrinks.
    let least = Reduce.work(&case("interleaved+final=gpu", "f32", 5, 1, 1));
    let grids: Vec<u32> = launches(&least).iter().map(|launch| launch.1).collect();
    assert_eq!(grids, [5, 3, 2, 1]);
    // What fits into one block needs no second launch.
    let one = Reduce.work(&case("interleaved+final=gpu", "u32", 96, 96, 1));
    assert_eq!(launches(&one), [("reduce_interleaved_u32", 1, 512)]);
}

#[test]
fn the_cpu_takes_over_after_one_launch() {
    let work = Reduce.work(&case("interleaved+final=cpu", "f32", 1000, 48, 3));
    assert_eq!(launches(&work), [("reduce_interleaved_f32", 7, 256)]);
    let kinds: Vec<_> = work.phases().names.into_iter().map(|phase| phase.kind).collect();
    assert_eq!(kinds, [PhaseKind::Kernel, PhaseKind::Copy, PhaseKind::Host, PhaseKind::Copy]);
    let sums = HostBuffer::U32(vec![u32::MAX, 5]);
    assert_eq!(add_on_host(&sums, &[]), HostBuffer::U32(vec![4]));
    let sums = HostBuffer::F32(vec![16_777_216.0, 1.0, 1.0]);
    assert_eq!(add_on_host(&sums, &[]), HostBuffer::F32(vec![16_777_218.0]));
}

#[test]
fn the_reference_adds_by_hand() {
    let reference =
        |values| Reduce.reference(&case("shuffle", "u32", 3, 32, 1), &vec![Arc::new(values)]);
    assert_eq!(reference(HostBuffer::U32(vec![u32::MAX, 3, 4])), [HostBuffer::U32(vec![6])]);
    let floats = HostBuffer::F32(vec![4_294_967_296.0, 3.0, 1.0]);
    assert_eq!(reference(floats), [HostBuffer::F64(vec![4_294_967_300.0])]);
}

#[test]
fn a_sum_beyond_its_bound_is_wrong() {
    let verify = |variant: &str, n: u64, block: u32, relative: f64| {
        let case = case(variant, "f32", n, block, 1);
        let expected = 1e9;
        let got = (expected * (1.0 + relative)) as f32;
        let outputs = [HostBuffer::F32(vec![got]), HostBuffer::F32(Vec::new())];
        Reduce.verify(&case, &Vec::new(), &[HostBuffer::F64(vec![expected])], &outputs).is_ok()
    };
    // 1 value and 8 rounds of the tree, twice: 18 roundings, 1.07e-6. The CPU
    // adds 5 to the first 9.
    assert!(verify("sequential+final=gpu", 1 << 16, 256, 6e-7));
    assert!(!verify("sequential+final=gpu", 1 << 16, 256, 2e-6));
    assert!(!verify("interleaved+final=cpu", 1 << 16, 256, 2e-6));
    // 2048 blocks may add their sums one after the other.
    assert!(verify("shuffle", 1 << 16, 32, 1e-4));
    assert!(!verify("shuffle", 1 << 16, 32, 2e-4));
    assert!(!verify("shuffle", 1 << 16, 32, f64::NAN));
}

#[test]
fn bars_are_the_sums_of_the_blocks() {
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32((0..1000).collect()))];
    let bars = |variant: &str, outputs: &[HostBuffer]| {
        let case = case(variant, "u32", 1000, 48, 3);
        let Some(View::Bars(bars)) = Reduce.view(&case, &inputs, outputs) else {
            panic!("no bars")
        };
        bars
    };
    let sum = HostBuffer::U32(vec![499_500]);
    // Runs of 48 values, or of 48 times four, go to the 7 blocks in turn.
    let run = |start: u32, end: u32| f64::from((start..end.min(1000)).sum::<u32>());
    for (variant, first) in [
        ("sequential+final=cpu", run(0, 48) + run(336, 384) + run(672, 720)),
        ("shuffle", run(0, 192)),
    ] {
        let bars = bars(variant, std::slice::from_ref(&sum));
        assert_eq!((bars.bars, bars.values[0], bars.total), (7, Some(first), Some(499_500.0)));
        assert!(bars.result.unwrap().contains("499 500"));
    }
    // What the kernel left counts, its further levels do not.
    let left = HostBuffer::U32(vec![9, 8, 7, 6, 5, 4, 3, 1000]);
    let bars = bars("sequential+final=gpu", &[sum, left]);
    assert_eq!((bars.bars, bars.total), (7, Some(42.0)));
}

#[test]
fn what_makes_no_four_goes_to_the_first_threads() {
    let plan = Plan::of(&case("shuffle", "u32", 6, 1, 1));
    let values = HostBuffer::U32(vec![1, 2, 3, 4, 10, 20]);
    assert_eq!(partial_sums(plan, &values), [20.0, 20.0, 0.0, 0.0, 0.0, 0.0]);
}
