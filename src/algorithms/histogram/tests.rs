#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::algorithms::{inputs, tests};
use crate::experiment::Distribution;

fn case(variant: &str, n: u64, block: u32, coarsen: u32, bins: u64, binning: &str) -> Case {
    let params = [("bins", &*bins.to_string()), ("binning", binning)];
    tests::case(&Histogram, variant, [n, block.into(), coarsen.into()], &params)
}

#[test]
fn a_case_becomes_one_launch() {
    let work = Histogram.work(&case("shared", 1025, 128, 4, 256, "range"));
    let launch = work.launches().next().unwrap();
    assert_eq!(launch.kernel, "histogram_shared_range");
    assert_eq!((launch.grid.x, launch.block.x, launch.shared_bytes), (3, 128, 1024));
    assert_eq!(
        launch.args,
        [Arg::Buffer(VALUES), Arg::U32(1025), Arg::Buffer(BINS), Arg::U32(256)]
    );
    assert_eq!(work.bytes(), 1025 * 4 + 256 * 4);
    let wide = Histogram.work(&case("shared-wide", 1 << 28, 1024, 993, 2048, "modulo"));
    assert_eq!((wide.module.name, wide.module.target().unwrap().least), ("histogram_wide", 50));
    let wide = wide.launches().next().unwrap();
    assert_eq!(wide.kernel, "histogram_shared_wide_modulo");
    // Two blocks for each of the 132 multiprocessors of an H200.
    assert_eq!((wide.grid.x, wide.shared_bytes), (264, 8192));
    let global = Histogram.work(&case("global", 0, 1024, 16, 65_536, "modulo"));
    let global = global.launches().next().unwrap();
    assert_eq!(global.kernel, "histogram_global_modulo");
    // Even without any element one block is launched.
    assert_eq!((global.grid.x, global.shared_bytes), (1, 0));
}

#[test]
fn the_reference_counts_by_hand() {
    let inputs: Inputs = vec![Arc::new(HostBuffer::U32(vec![0, 1, 9, 8, u32::MAX, 1 << 31]))];
    let count = |bins, binning| {
        let reference = Histogram.reference(&case("global", 6, 32, 1, bins, binning), &inputs);
        reference[0].as_u32().unwrap().to_vec()
    };
    assert_eq!(count(2, "modulo"), [3, 3]);
    assert_eq!(count(2, "range"), [4, 2]);
    assert_eq!(count(7, "modulo"), [1, 2, 2, 1, 0, 0, 0]);
    assert_eq!(count(7, "range"), [4, 0, 0, 1, 0, 0, 1]);
}

#[test]
fn many_bins_share_columns() {
    let view = |counts: Vec<u32>| {
        let case = case("global", 1, 32, 1, counts.len() as u64, "modulo");
        let outputs = [HostBuffer::U32(counts)];
        let Some(View::Bins(bins)) = Histogram.view(&case, &Vec::new(), &outputs) else {
            panic!("no bins")
        };
        bins
    };
    let small = view(vec![3, 0, 5]);
    assert_eq!((small.per_column, small.counts), (1, vec![3, 0, 5]));
    assert_eq!((small.total, small.fullest, small.emptiest), (8, (2, 5), (1, 0)));
    let large = view((0..65_536).collect());
    assert_eq!((large.per_column, large.counts.len()), (32, 2048));
    assert_eq!(large.counts[1], (32..64).sum::<u64>());
    let uneven = view(vec![1; 2049]);
    assert_eq!((uneven.per_column, uneven.counts.len()), (2, 1025));
    assert_eq!(uneven.counts.last(), Some(&1));
}

#[test]
fn a_view_stays_below_its_limit() {
    let case = case("global", 1, 32, 1, 65_536, "modulo");
    let view =
        Histogram.view(&case, &Vec::new(), &[HostBuffer::U32(vec![u32::MAX; 65_536])]).unwrap();
    assert!(serde_json::to_string(&view).unwrap().len() <= 64 << 10);
}

proptest! {
    #[test]
    fn every_value_finds_a_bin(value: u32, bins in 2u32..=65_536) {
        for binning in [Binning::Modulo, Binning::Range] {
            prop_assert!(binning.bin(value, bins) < bins);
        }
    }
}

proptest! {
    // Each case counts up to millions of values.
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn nothing_is_lost_and_nothing_counted_twice(n in 0usize..3_000_000, bins in 2u32..5000) {
        let values = inputs::generate(Distribution::Normal, 1, n);
        let counts = count(&values, bins, Binning::Modulo);
        prop_assert_eq!(counts.iter().map(|&count| count as usize).sum::<usize>(), n);
        let one = values.iter().filter(|&&value| value % bins == 1).count();
        prop_assert_eq!(counts[1] as usize, one);
    }
}
