//! Marks of small outputs, resampling, and lattices.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::work::{Bars, Bins, Curve, Heat, Partitions, Scatter, View};

fn columns(view: &View) -> Columns {
    match &panels(view)[..] {
        [Panel { mark: Mark::Columns(columns), .. }] => columns.clone(),
        panels => panic!("{panels:?}"),
    }
}

#[test]
fn a_column_is_as_high_as_the_mean_of_its_elements() {
    let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
    let bins = columns(&View::Bins(Bins::of([4, 8, 0, 2])));
    assert_eq!(bins.resampled(10), some(&[4.0, 8.0, 0.0, 2.0]));
    assert_eq!(bins.resampled(2), some(&[6.0, 1.0]));
    assert_eq!(
        (bins.level, bins.y.label.as_str()),
        (Some((3.5, "even share 3.5".into())), "values per bin")
    );
    // 5 bins in pairs: the last column stands for one bin.
    let pairs = Bins { bins: 5, per_column: 2, counts: vec![8, 4, 3], ..Bins::of([]) };
    let pairs = columns(&View::Bins(pairs));
    assert_eq!(pairs.resampled(10), some(&[4.0, 2.0, 3.0]));
    assert_eq!(pairs.y.label, "values per bin, mean of 2 neighbours");
    // Gaps stay; the mean is that of the finite bars.
    let bars = columns(&View::Bars(Bars::of("sum", [3.0, f64::NAN, 5.0])));
    assert_eq!(bars.resampled(3), [Some(3.0), None, Some(5.0)]);
    assert_eq!(bars.level, Some((4.0, "mean 4".to_owned())));
}

#[test]
fn a_gap_ends_a_line_and_blocks_are_steps() {
    let curve = Curve::of("sum", [1.0, 2.0, f64::NAN, 4.0]).with_blocks(2, [0.0, 2.0]);
    let panels = panels(&View::Curve(curve));
    let [Panel { mark: Mark::Line(line), .. }] = &panels[..] else { panic!("{panels:?}") };
    assert_eq!(line.runs, [vec![(0.0, 1.0, 1.0), (1.0, 2.0, 2.0)], vec![(3.0, 4.0, 4.0)]]);
    assert_eq!(line.steps, [(0.0, 2.0, 0.0), (2.0, 3.0, 2.0)]);
    assert_eq!((line.range, line.steps_label.as_str()), ((0.0, 4.0), "offset of each block"));
}

#[test]
fn fewer_cells_show_the_most_frequent_partition() {
    let view = View::Partitions(Partitions::of(3, [0, 0, 1, 1, 1, 2, 9, 9]));
    let panels = panels(&view);
    let [Panel { mark: Mark::Grid(strip), .. }, _] = &panels[..] else { panic!("{panels:?}") };
    assert_eq!(strip.ends(), ["partition 0", "partition 2"]);
    assert_eq!(strip.resampled(1, 4).values, [Some(0.0), Some(1.0), Some(1.0), None]);
    let all = |height| stacked(&panels, height, |_| 2.0).len();
    assert_eq!((all(5.0), all(6.0)), (1, 2));
}

#[test]
fn fewer_cells_hold_the_means() {
    let heat = |rows, columns, values: &[f64]| {
        let panels = panels(&View::Heat(Heat::of("C", rows, columns, values.iter().copied())));
        let [Panel { mark: Mark::Grid(grid), .. }] = &panels[..] else { panic!("{panels:?}") };
        grid.clone()
    };
    let whole = heat(4, 4, &(0..16).map(f64::from).collect::<Vec<_>>());
    assert_eq!((whole.resampled(9, 9), whole.note()), (whole.clone(), None));
    let part = whole.resampled(2, 2);
    assert_eq!(
        (part.values.clone(), part.range),
        ([2.5, 4.5, 10.5, 12.5].map(Some).to_vec(), (2.5, 12.5))
    );
    assert_eq!(part.note().unwrap(), "a cell is the mean of 2 × 2 elements");
    assert_eq!(whole.resampled(1, 4).values, [6.0, 7.0, 8.0, 9.0].map(Some));
    let gaps = heat(2, 2, &[f64::NAN, 1.0, f64::NAN, f64::NAN]);
    assert_eq!(gaps.resampled(2, 1).values, [Some(1.0), None]);
    assert_eq!(panels(&View::Heat(Heat::of("C", 0, 0, []))), []);
}

#[test]
fn means_of_the_largest_floats_stay_finite() {
    let largest = Grid {
        x: Extent { name: "column", count: 2 },
        y: None,
        rows: 1,
        columns: 2,
        values: vec![Some(f64::MAX); 2],
        range: (f64::MAX, f64::MAX),
        categories: false,
        unit: "",
    };
    assert_eq!(largest.resampled(1, 1).values, [Some(f64::MAX)]);
    assert!((position(f64::MAX, (-f64::MAX, f64::MAX)) - 1.0).abs() < 1e-9);
}

#[test]
fn a_lattice_is_drawn_through_its_nodes_or_as_vectors() {
    let scatter = Scatter::of(100, 100, []).with_lattice((50.0, 50.0), [(10.0, 0.0), (0.0, 20.0)]);
    let panels = panels(&View::Scatter(scatter));
    let [Panel { mark: Mark::Points(points), .. }] = &panels[..] else { panic!("{panels:?}") };
    let whole = points.whole();
    let lines = points.lattice(whole, (100.0, 100.0), 5.0);
    assert_eq!(lines.len(), 5 + 10);
    assert!(lines.iter().flatten().all(|place| whole.contains(*place)));
    assert_eq!(points.lattice(whole, (20.0, 20.0), 5.0).len(), 2, "the vectors alone");
    let part = points.enlarged((20.0, 20.0), 5.0);
    assert!(part.size().0 < 41.0 && part.contains((50.5, 50.5)));
    assert_eq!(points.lattice(part, (20.0, 20.0), 5.0).len(), 1 + 3);
}

proptest! {
    /// Any lattice has few lines, and all of them lie in the window.
    #[test]
    fn lines_stay_in_the_window(
        origin in any::<(f64, f64)>(), v in any::<(f64, f64)>(), w in any::<(f64, f64)>(),
        small in prop::collection::vec(-50.0f64..50.0, 6),
    ) {
        for (origin, v, w) in [
            (origin, v, w),
            ((small[0], small[1]), (small[2], small[3]), (small[4], small[5])),
        ] {
            let scatter = Scatter::of(64, 48, []).with_lattice(origin, [v, w]);
            let panels = panels(&View::Scatter(scatter));
            let [Panel { mark: Mark::Points(points), .. }] = &panels[..] else { panic!() };
            let window = points.enlarged((128.0, 96.0), 6.0);
            let lines = points.lattice(window, (128.0, 96.0), 5.9);
            prop_assert!(lines.len() < 200, "{}", lines.len());
            for (x, y) in lines.into_iter().flatten() {
                prop_assert!((-1e-6..=64.0 + 1e-6).contains(&x), "{} {}", x, y);
                prop_assert!((-1e-6..=48.0 + 1e-6).contains(&y), "{} {}", x, y);
            }
        }
    }
}
