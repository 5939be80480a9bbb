#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use super::*;
use crate::algorithms;
use crate::experiment::Case;
use crate::runner::trace::{Request, record};

/// Warp 1 of block 0 of a small histogram in shared memory.
fn file(steps: Range<usize>) -> TraceFile {
    let algorithm = algorithms::find("histogram").unwrap();
    let experiment = algorithms::opening(algorithm);
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: "shared".to_owned(),
        block: 64,
        coarsen: 1,
        n: 256,
        params: algorithm
            .params()
            .iter()
            .map(|param| (param.name.to_owned(), param.default()))
            .collect(),
        dist: experiment.dist,
        seed: experiment.seed,
    };
    let request = Request { case, gpu: None, launch: None, block: 0 };
    let mut traced = record(&request, &Arc::default(), &Arc::default()).unwrap();
    TraceFile::new(&mut traced.trace, 1, steps)
}

#[test]
fn a_file_is_read_as_it_was_written() {
    let file = file(0..20);
    assert_eq!((file.steps.len(), file.warp, file.warps), (20, 1, 2));
    assert!(file.steps.iter().all(|step| step.warp == 1));
    let mut text = Vec::new();
    file.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(TraceFile::read(&text).unwrap(), file);
    let later = text.replacen("\"version\":1", "\"version\":2", 1);
    let error = TraceFile::read(&later).unwrap_err().to_string();
    assert_eq!(
        error,
        "`warpscope-trace` version 2: this program reads `warpscope-trace` version 1"
    );
    assert!(TraceFile::read("{}").is_err());
}

#[test]
fn a_listing_has_a_line_per_step_and_says_what_it_leaves_out() {
    insta::assert_snapshot!(text(&file(0..25)));
}
