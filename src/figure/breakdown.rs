//! What the causes of a kernel's time cost, as bars: the time that the kernel saves if the
//! work of one cause were free. Causes overlap, so the bars do not add up. For profiles of
//! earlier versions: how long each resource takes by itself.

use std::collections::BTreeMap;

use crate::analysis::explain::saved;
use crate::results::record::{KernelProfile, Metric};

/// Bars below this share of the longest are left out.
const LEAST_SHARE: f64 = 0.01;

/// Bars for one or two kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// What the bars show: `time saved without one cause (model)`.
    pub title: &'static str,
    /// The bars, the longest first.
    pub bars: Vec<Bar>,
    /// The length of a full bar in seconds.
    pub most: f64,
}

/// One cause.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// For each kernel the seconds, and whether they are the most of that kernel.
    pub parts: Vec<(f64, bool)>,
}

/// The breakdown of kernels side by side; a missing one has no parts.
pub fn build(kernels: &[Option<&KernelProfile>]) -> Breakdown {
    let exact = kernels.iter().flatten().all(|kernel| !kernel.costs.is_empty());
    let title = if exact {
        "time saved without one cause (▸ most)"
    } else {
        "time of each resource by itself (▸ bound)"
    };
    let mut rows: BTreeMap<String, Vec<(f64, bool)>> = BTreeMap::new();
    for (at, kernel) in kernels.iter().enumerate() {
        for (label, seconds, most) in kernel.map(|kernel| parts(kernel, exact)).unwrap_or_default()
        {
            let row = rows.entry(label).or_insert_with(|| vec![(0.0, false); kernels.len()]);
            row[at] = (seconds, most);
        }
    }
    let mut bars: Vec<Bar> = rows.into_iter().map(|(label, parts)| Bar { label, parts }).collect();
    let longest = |bar: &Bar| bar.parts.iter().fold(0.0_f64, |most, (part, _)| most.max(*part));
    let most = bars.iter().map(longest).fold(0.0, f64::max);
    bars.retain(|bar| longest(bar) > LEAST_SHARE * most);
    bars.sort_by(|a, b| longest(b).total_cmp(&longest(a)));
    Breakdown { title, bars, most }
}

/// Name, seconds, and whether they are the most, of each bar of a kernel.
fn parts(kernel: &KernelProfile, exact: bool) -> Vec<(String, f64, bool)> {
    if exact {
        let saved = saved(&kernel.costs).into_iter().enumerate();
        return saved
            .map(|(at, (cause, seconds))| (cause.label().to_owned(), seconds, at == 0))
            .collect();
    }
    let parts = kernel.parts.iter();
    parts
        .map(|(name, seconds)| (name.label().to_owned(), seconds, kernel.bound_by == name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(bound_by: &str, parts: &[(&str, f64)]) -> KernelProfile {
        KernelProfile {
            bound_by: bound_by.into(),
            parts: parts.iter().map(|(name, part)| (*name, *part)).collect(),
            ..KernelProfile::default()
        }
    }

    #[test]
    fn the_longest_comes_first_and_what_binds_is_marked() {
        let a = kernel("l2_atomics", &[("l2_atomics", 30e-6), ("dram", 4e-6), ("l1", 1e-9)]);
        let b = kernel("dram", &[("dram", 5e-6), ("launch", 3e-6)]);
        let found = build(&[Some(&a), Some(&b)]);
        let labels: Vec<&str> = found.bars.iter().map(|bar| bar.label.as_str()).collect();
        assert_eq!(labels, ["atomics in L2", "DRAM", "launching"]);
        assert_eq!(found.bars[0].parts, [(30e-6, true), (0.0, false)]);
        assert_eq!(found.bars[1].parts, [(4e-6, false), (5e-6, true)]);
        assert!((found.most - 30e-6).abs() < 1e-12);
        assert!(build(&[None]).bars.is_empty());
    }
}
