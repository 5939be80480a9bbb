//! A pairwise cover: few rows in which any two values of two axes meet.

use std::collections::BTreeSet;

/// Two values of two axes: (axis, value), the lower axis first.
type Pair = ((usize, usize), (usize, usize));

fn pair(a: (usize, usize), b: (usize, usize)) -> Pair {
    if a.0 < b.0 { (a, b) } else { (b, a) }
}

/// Every pair that some row may hold.
fn possible(axes: &[usize], allowed: impl Fn(&[Option<usize>]) -> bool) -> BTreeSet<Pair> {
    let mut pairs = BTreeSet::new();
    for (first, &values) in axes.iter().enumerate() {
        for (second, &others) in axes.iter().enumerate().skip(first + 1) {
            for (value, other) in (0..values).flat_map(|v| (0..others).map(move |o| (v, o))) {
                let mut row = vec![None; axes.len()];
                (row[first], row[second]) = (Some(value), Some(other));
                if allowed(&row) {
                    pairs.insert(((first, value), (second, other)));
                }
            }
        }
    }
    pairs
}

/// The pairs of a row.
fn pairs_of(row: &[usize]) -> impl Iterator<Item = Pair> + '_ {
    (0..row.len())
        .flat_map(move |first| (first + 1..row.len()).map(move |second| (first, second)))
        .map(|(first, second)| ((first, row[first]), (second, row[second])))
}

/// Rows over axes with so many values each, in which every pair that `allowed`
/// admits (it judges rows with some axes unset) occurs. Greedy: each row starts
/// from a pair that is still missing and takes, axis by axis, the value that
/// adds most.
pub(crate) fn cover(axes: &[usize], allowed: impl Fn(&[Option<usize>]) -> bool) -> Vec<Vec<usize>> {
    let mut missing = possible(axes, &allowed);
    let mut rows: Vec<Vec<usize>> = Vec::new();
    while let Some(&(a, b)) = missing.first() {
        let mut row = vec![None; axes.len()];
        (row[a.0], row[b.0]) = (Some(a.1), Some(b.1));
        for axis in 0..axes.len() {
            if row[axis].is_some() {
                continue;
            }
            let gain = |value: usize| {
                let set = row.iter().enumerate().filter_map(|(other, v)| v.map(|v| (other, v)));
                set.filter(|&other| missing.contains(&pair(other, (axis, value)))).count()
            };
            // Ties turn with the rows, so that no value is preferred.
            let turn = |value: usize| (value + rows.len()) % axes[axis];
            let best = (0..axes[axis])
                .filter(|&value| {
                    let mut tried = row.clone();
                    tried[axis] = Some(value);
                    allowed(&tried)
                })
                .max_by_key(|&value| (gain(value), turn(value)));
            row[axis] = Some(best.expect("some value of every axis is allowed"));
        }
        let row: Vec<usize> = row.into_iter().flatten().collect();
        for pair in pairs_of(&row) {
            missing.remove(&pair);
        }
        rows.push(row);
    }
    rows
}

/// Checks a cover without any of the code that made it.
pub(crate) fn assert_covered(
    axes: &[usize],
    allowed: impl Fn(&[Option<usize>]) -> bool,
    rows: &[Vec<usize>],
) {
    for (first, second) in (0..axes.len()).flat_map(|a| (a + 1..axes.len()).map(move |b| (a, b))) {
        for (value, other) in (0..axes[first]).flat_map(|v| (0..axes[second]).map(move |o| (v, o)))
        {
            let mut asked = vec![None; axes.len()];
            (asked[first], asked[second]) = (Some(value), Some(other));
            let met = rows.iter().any(|row| row[first] == value && row[second] == other);
            assert_eq!(met, allowed(&asked), "axis {first} = {value} with axis {second} = {other}");
        }
    }
    let largest = axes.iter().max().copied().unwrap_or(1);
    assert!(rows.len() < 3 * largest * largest, "{} rows are no small cover", rows.len());
}
