//! Merge sort: sort short runs, then merge them two by two.

use std::sync::Arc;

use rayon::prelude::*;

use super::spec::{module, recording};
use super::{Algorithm, Contract, Defaults, Param, Size, Spec, Traffic, Variant, inputs};
use crate::experiment::{Case, Distribution};
use crate::units::{Elements, MOST_ELEMENTS};
use crate::work::{BeforeAfter, Element, HostBuffer, Inputs, Module, Sampling, View, Work};

mod contract;
mod sample;
mod single;
mod steps;
#[cfg(test)]
mod tests;

use steps::Method;

/// The merge sort.
///
/// Input: `n` words, bare 32-bit keys or 64-bit words with the key in the upper
/// half and its place in the input in the lower. Output: the same words,
/// ascending by key, equal keys in the order of the input.
#[derive(Debug)]
pub struct MergeSort;

static SPEC: Spec = Spec {
    name: "merge-sort",
    summary: "sorts keys by merging sorted runs two by two",
    variants: &[
        Variant::new(
            "insertion-per-thread",
            "a slice per thread by insertion; the last merges take a single thread",
        )
        .idea("insertion sort per thread")
        .short("insertion"),
        Variant::new(
            "merge-path",
            "every merge split evenly over threads, straight from global memory",
        )
        .idea("every merge split evenly"),
        Variant::new(
            "bitonic-block+merge-path",
            "tiles sorted in shared memory, and merged there along the merge path",
        )
        .idea("tiles sorted in shared memory")
        .short("bitonic"),
        Variant::new(
            "register-tiles+merge-path",
            "tiles sorted and merged in registers, with one tile in shared memory",
        )
        .idea("words sorted in registers")
        .short("registers"),
        Variant::new(
            "register-tiles+four-way",
            "the same, merging four runs at once: half as many passes through memory",
        )
        .idea("four runs per pass")
        .short("four-way"),
        Variant::new(
            "networks+four-way",
            "the same, with a part of each merge per warp, merged by a network of minima and maxima",
        )
        .idea("merges by networks of warps")
        .short("networks"),
    ],
    params: &[Param::word(
        "payload",
        "what travels with a key: nothing, or its place, which shows stability",
        &["none", "index"],
    )],
    options: &[],
    size: Size { noun: "keys", most: MOST_ELEMENTS },
    defaults: Defaults { sizes: (1 << 10, 1 << 16), block: 256, coarsen: 4 },
    distributions: &Distribution::ALL,
    module: module!("merge_sort"),
    recording: recording!("merge_sort"),
};

/// Threads of a warp.
const WARP: u32 = 32;

/// Most keys of a slice that a thread sorts by insertion.
const MOST_SLICE: u32 = 1024;

/// Most keys that a single thread is asked to merge.
const MOST_MERGED_BY_ONE: u64 = 1 << 24;

/// Whether words carry the key's place.
fn with_payload(case: &Case) -> bool {
    case.word("payload") == Some("index")
}

/// The type of the words.
fn element(case: &Case) -> Element {
    if with_payload(case) { Element::U64 } else { Element::U32 }
}

/// The keys from place `first` on as words: each with its place if there is a payload.
fn words_from(first: u64, keys: Vec<u32>, with_payload: bool) -> HostBuffer {
    if !with_payload {
        return HostBuffer::U32(keys);
    }
    let words = (first..).zip(&keys).map(|(place, &key)| u64::from(key) << 32 | place);
    HostBuffer::U64(words.collect())
}

/// The words sorted by key, stably. Only words with a place show stability.
fn sorted(words: &HostBuffer) -> HostBuffer {
    if let HostBuffer::U64(words) = words {
        let mut words = words.clone();
        words.par_sort_by_key(|word| word >> 32);
        return HostBuffer::U64(words);
    }
    let mut keys = words.as_u32().unwrap_or_default().to_vec();
    keys.par_sort();
    HostBuffer::U32(keys)
}

/// The keys of words, for the view.
fn keys(words: &HostBuffer) -> Vec<f64> {
    match words {
        HostBuffer::U64(words) => words.iter().map(|word| (word >> 32) as f64).collect(),
        _ => words.as_u32().unwrap_or_default().iter().map(|&key| f64::from(key)).collect(),
    }
}

impl Algorithm for MergeSort {
    fn spec(&self) -> &'static Spec {
        &SPEC
    }

    fn obstacle(&self, case: &Case) -> Option<String> {
        let method = Method::of(case);
        if method == Method::Networks && !case.block.is_multiple_of(WARP) {
            return Some(format!(
                "`{}` merges by warps and needs whole ones: a block of a multiple of {WARP}",
                case.variant
            ));
        }
        if method.holds() {
            return super::held("words", case, &steps::HELD);
        }
        if method != Method::BitonicBlock && case.coarsen > MOST_SLICE {
            return Some(format!(
                "a thread sorts its slice of {} keys by insertion, which takes about c²/4 moves; \
                 at most {MOST_SLICE} are allowed",
                case.coarsen
            ));
        }
        if method == Method::InsertionPerThread && case.n > MOST_MERGED_BY_ONE {
            return Some(format!(
                "a single thread merges the last two runs, which beyond {} keys takes too long to \
                 measure; use merge-path",
                Elements(MOST_MERGED_BY_ONE)
            ));
        }
        None
    }

    fn module(&self, variant: &str) -> Module {
        Method::named(variant).module()
    }

    fn work(&self, case: &Case) -> Work {
        steps::work(case)
    }

    fn sampling(&self, case: &Case) -> Sampling {
        let case = case.clone();
        Sampling::Extrapolate(Box::new(move || sample::smaller(&case)))
    }

    fn input_key(&self, case: &Case) -> String {
        let words = if with_payload(case) { "key and place" } else { "u32" };
        format!("{words} {} seed={} n={}", case.dist, case.seed, case.n)
    }

    fn inputs(&self, case: &Case) -> Inputs {
        let keys = inputs::generate(case.dist, case.seed, case.n as usize);
        vec![Arc::new(words_from(0, keys, with_payload(case)))]
    }

    fn reference(&self, _case: &Case, inputs: &Inputs) -> Vec<HostBuffer> {
        inputs.iter().map(|words| sorted(words)).collect()
    }

    fn contract(&self) -> Option<&'static Contract> {
        Some(&contract::CONTRACT)
    }

    fn outputs(&self, case: &Case) -> Vec<usize> {
        vec![steps::output(case)]
    }

    fn traffic(&self, case: &Case) -> Traffic {
        Traffic { bytes: 2 * case.n * element(case).bytes(), flops: 0 }
    }

    fn operations(&self, case: &Case) -> u64 {
        steps::operations(case)
    }

    fn view(&self, case: &Case, inputs: &Inputs, outputs: &[HostBuffer]) -> Option<View> {
        let before = keys(inputs.first()?);
        if before.is_empty() {
            return None;
        }
        let view = BeforeAfter::of(before, keys(outputs.first()?));
        Some(View::BeforeAfter(view.with_levels(steps::runs(case))))
    }
}
