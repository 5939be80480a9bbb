//! The contract of every built-in algorithm: its template runs and verifies.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::ops::ControlFlow;

use crate::algorithms::{self, Algorithm};
use crate::backend::{Backend, emulated::Emulated};
use crate::experiment::{Case, ParamValue, Stopping};
use crate::own::tests::{case, file};
use crate::own::{contract_text, describe, like_template, plain_template, system};
use crate::results::record::{Outcome, Record};
use crate::runner::measure::{Measurer, Step};
use crate::runner::plan;

fn ptx_of(name: &str) -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    fs::read_to_string(format!("{root}/kernels/contracts/ptx/{name}.ptx")).unwrap()
}

/// Runs cases on the emulator; every one has to be verified.
fn verified(system: &'static dyn Algorithm, cases: &[Case]) {
    let mut backend = Emulated::open(None).unwrap();
    let limits = backend.device().limits;
    for case in cases {
        assert_eq!(plan::obstacle(system, case, &limits), None, "{case}");
    }
    let mut records: Vec<Record> = Vec::new();
    let mut on_step = |step| {
        if let Step::Done { record, .. } = step {
            records.push(*record);
        }
        ControlFlow::Continue(())
    };
    let stopping = Stopping::default();
    Measurer::new().group(&mut backend, cases, &stopping, &mut on_step).unwrap();
    assert_eq!(records.len(), cases.len());
    for record in records {
        assert_eq!(record.outcome(), Outcome::Verified, "{} {record:?}", record.case());
    }
}

#[test]
fn the_template_of_every_contract_runs_and_verifies() {
    for base in algorithms::ALL {
        let contract = base.contract().unwrap();
        let variants = base.variants();
        assert!(variants.iter().any(|it| it.name == contract.variant), "{}", base.name());
        let stem = base.name().replace('-', "_");
        let source = like_template(*base, contract);
        let own = file(&format!("{stem}.cu"), &source, &ptx_of(&stem));
        let system = system(&own).unwrap();
        assert_eq!(system.variants().len(), variants.len() + 1);
        let most = system.defaults().sizes.1.min(3000);
        let mut cases = Vec::new();
        for (n, block, coarsen) in [(most, 0, 0), (most / 3 + 1, 64, 1), (7, 96, 3), (1, 32, 1)] {
            let mut case = case(system, "mine", n);
            if block > 0 {
                (case.block, case.coarsen) = (block, coarsen);
            }
            cases.push(case);
        }
        if base.name() == "matmul" {
            let mut case = case(system, "mine", 40);
            case.params.insert("m".to_owned(), ParamValue::Int(21));
            case.params.insert("k".to_owned(), ParamValue::Int(5));
            for case in &mut cases {
                case.n = case.n.min(64);
            }
            cases.push(case);
        }
        for case in &cases {
            verified(system, std::slice::from_ref(case));
        }
        let description = describe(&own).unwrap();
        assert_eq!(description.like.as_deref(), Some(base.name()));
        assert!(description.kernels[0].args.iter().all(|(_, meaning)| !meaning.is_empty()));
    }
}

#[test]
fn a_contract_lists_every_argument_of_its_launch() {
    for base in algorithms::ALL {
        let contract = base.contract().unwrap();
        let mut case = case(*base, contract.variant, 100);
        case.variant = contract.variant.to_owned();
        let work = (contract.work)(&case);
        let launch = work.launches().next().unwrap();
        assert_eq!(launch.args.len(), contract.params.len(), "{}", base.name());
        assert!(base.outputs(&case).iter().all(|it| *it < work.buffers.len()), "{}", base.name());
        let text = contract_text(*base, contract);
        assert!(contract.params.iter().all(|it| text.contains(&it.declaration())), "{text}");
    }
}

#[test]
fn the_plain_template_runs_and_verifies() {
    let own = file("plain.cu", plain_template(), &ptx_of("plain"));
    let system = system(&own).unwrap();
    for n in [1, 1000, 5000] {
        let cases: Vec<Case> =
            ["smooth_plain", "smooth_tiled"].iter().map(|it| case(system, it, n)).collect();
        verified(system, &cases);
    }
    let description = describe(&own).unwrap();
    assert_eq!(description.reference.as_deref(), Some("smooth_plain"));
    assert_eq!(description.kernels[1].shared, "4 * (block + 2 * radius)");
    assert_eq!(
        description.kernels[0].args[0],
        ("const float *in".to_owned(), "f32[n] uniform".to_owned())
    );
}
