//! The worked example of CONTRIBUTING.md: a ninth algorithm, in files of its
//! own, is right on the emulator.

#[allow(unreachable_pub, reason = "written as it would stand in src/algorithms")]
mod saxpy;

use crate::support::builders::{self, emulator};
use saxpy::Saxpy;
use warpscope::algorithms::Algorithm;
use warpscope::backend::Failure;
use warpscope::experiment::Case;
use warpscope::work::{HostBuffer, Sampling};

fn case(n: u64, block: u32, coarsen: u32) -> Case {
    builders::case(&Saxpy, "plain", n, block, coarsen)
}

#[test]
fn it_is_right_and_a_wrong_answer_is_found() {
    let mut emulator = emulator();
    for (n, block, coarsen) in [(0, 32, 1), (1, 48, 3), (1000, 128, 4), (4097, 1024, 1)] {
        let case = case(n, block, coarsen);
        let inputs = Saxpy.inputs(&case);
        let reference = Saxpy.reference(&case, &inputs);
        let prepared = emulator.prepare(&Saxpy.work(&case), &inputs).unwrap();
        // The second run finds what the first left behind.
        emulator.sample(prepared).unwrap();
        let sample = emulator.sample(prepared).unwrap();
        assert_eq!(sample.phases.len(), 1);
        let read = |buffer| emulator.read(prepared, buffer).unwrap();
        let mut outputs: Vec<HostBuffer> = Saxpy.outputs(&case).into_iter().map(read).collect();
        assert_eq!(Saxpy.verify(&case, &inputs, &reference, &outputs), Ok(()));
        for seen in [&outputs, &reference] {
            assert!(Saxpy.view(&case, &inputs, seen).is_some());
        }
        if let HostBuffer::F32(values) = &mut outputs[0]
            && let Some(last) = values.last_mut()
        {
            *last *= 1.000_001;
            let wrong = Saxpy.verify(&case, &inputs, &reference, &outputs).unwrap_err();
            assert_eq!((wrong.index, wrong.differing), (n - 1, 1));
        }
        emulator.release(prepared);
    }
}

#[test]
fn it_is_not_sampled_unless_it_says_how() {
    let case = case(1000, 64, 1);
    let sampling = Saxpy.sampling(&case);
    let Sampling::Refused(reason) = &sampling else { panic!("it does not say how") };
    let failure = emulator().run_sampled(&Saxpy.work(&case), &sampling).unwrap_err();
    let told = format!("it cannot be sampled: {reason}");
    assert!(matches!(&failure, Failure::Load(message) if *message == told), "{failure:?}");
}

/// Every excerpt in the guide stands in the files that the test above runs.
#[test]
fn the_guide_shows_what_is_tested() {
    let guide = include_str!("../../CONTRIBUTING.md");
    let files = [include_str!("ninth/saxpy.rs"), include_str!("ninth/saxpy.cu")].concat();
    let start = guide.find("### A ninth algorithm").unwrap();
    let section = guide[start..].split("\n## ").next().unwrap();
    let excerpts: Vec<&str> = section.split("```").skip(1).step_by(2).collect();
    assert!(excerpts.len() > 3);
    for excerpt in excerpts {
        let (_, code) = excerpt.split_once('\n').unwrap();
        assert!(files.contains(code.trim_end()), "not in tests/integration/ninth:\n{code}");
    }
}
