//! How long each resource of a GPU takes for a kernel by itself, as bars. The longest bounds
//! the kernel.

use std::collections::BTreeSet;

use crate::results::record::{KernelProfile, Resource, Stored};

/// Bars below this share of the longest are left out.
const LEAST_SHARE: f64 = 0.01;

/// Bars for one or two kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Breakdown {
    /// The resources, the longest first.
    pub bars: Vec<Bar>,
    /// The length of a full bar in seconds.
    pub most: f64,
}

/// One resource.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its name.
    pub label: String,
    /// For each kernel the seconds by itself, and whether it bounds that kernel.
    pub parts: Vec<(f64, bool)>,
}

/// The breakdown of kernels side by side; a missing one has no parts.
pub fn build(kernels: &[Option<&KernelProfile>]) -> Breakdown {
    let names: BTreeSet<&Stored<Resource>> =
        kernels.iter().flatten().flat_map(|kernel| kernel.parts.keys()).collect();
    let part = |kernel: Option<&KernelProfile>, name: &Stored<Resource>| {
        kernel.map_or((0.0, false), |kernel| {
            let seconds = kernel.parts.get(name).copied().unwrap_or_default();
            (seconds, kernel.bound_by == *name)
        })
    };
    let mut bars: Vec<Bar> = names
        .into_iter()
        .map(|name| Bar {
            label: name.label().to_owned(),
            parts: kernels.iter().map(|kernel| part(*kernel, name)).collect(),
        })
        .collect();
    let longest = |bar: &Bar| bar.parts.iter().fold(0.0_f64, |most, (part, _)| most.max(*part));
    let most = bars.iter().map(longest).fold(0.0, f64::max);
    bars.retain(|bar| longest(bar) > LEAST_SHARE * most);
    bars.sort_by(|a, b| longest(b).total_cmp(&longest(a)));
    Breakdown { bars, most }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(bound_by: &str, parts: &[(&str, f64)]) -> KernelProfile {
        KernelProfile {
            bound_by: bound_by.into(),
            parts: parts.iter().map(|(name, part)| ((*name).into(), *part)).collect(),
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
