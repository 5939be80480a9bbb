#![allow(clippy::unwrap_used)]

use super::*;
use crate::backend::scripted::{self, Scripted};
use crate::experiment::{Experiment, ParamValue, Sizes};
use crate::results::record::{Counter, Flag, Metric, Outcome, StopReason};
use crate::runner::plan;

/// The steps of a group of both variants at n = 1000.
fn measure(bins: u64) -> (Vec<Step>, Result<(), Stopped>) {
    let experiment = Experiment {
        sizes: Sizes::range(1000, 1000, 2),
        variants: ["global", "shared"].map(str::to_owned).to_vec(),
        params: [("bins".to_owned(), vec![ParamValue::Int(bins)])].into(),
        ..Experiment::default()
    };
    let mut backend = Scripted::open(0);
    let plan = plan::plan(&experiment, &backend.device().limits).unwrap();
    let cases: Vec<Case> = plan.cases().map(|planned| planned.case.clone()).collect();
    let mut steps = Vec::new();
    let result = Measurer::new().group(&mut backend, &cases, &experiment.stopping, &mut |step| {
        steps.push(step);
        ControlFlow::Continue(())
    });
    (steps, result)
}

fn records(steps: &[Step]) -> Vec<(usize, Record, Option<View>)> {
    let done = |step: &Step| match step {
        Step::Done { index, record, view } => Some((*index, (**record).clone(), view.clone())),
        Step::Making(_) | Step::At(_) => None,
    };
    steps.iter().filter_map(done).collect()
}

/// The record of `shared`.
fn shared(bins: u64) -> Record {
    let (steps, _) = measure(bins);
    let records = records(&steps);
    let global = records.iter().find(|(index, ..)| *index == 0);
    if let Some((_, record, _)) = global {
        assert_eq!(record.outcome(), Outcome::Verified);
    }
    records.into_iter().find(|(index, ..)| *index == 1).unwrap().1
}

#[test]
fn variants_take_turns_and_both_are_verified() {
    let (steps, result) = measure(8);
    assert_eq!(result, Ok(()));
    let mut turns: Vec<usize> = steps
        .iter()
        .filter_map(|step| if let Step::At(index) = step { Some(*index) } else { None })
        .collect();
    // Again after its input is made.
    assert_eq!(steps[..3], [Step::At(0), Step::Making(0), Step::At(0)]);
    turns.dedup();
    assert!(turns.iter().enumerate().all(|(turn, index)| turn % 2 == *index), "{turns:?}");
    let records = records(&steps);
    assert_eq!(records.len(), 2);
    for (_, record, view) in &records {
        let seconds = record.seconds.as_ref().unwrap();
        // 0.15 s of the scripted clock, 10 ms each.
        assert_eq!(seconds.samples.len(), 15);
        assert!(seconds.q1.unwrap() < seconds.median && seconds.median < seconds.q3.unwrap());
        assert_eq!(record.stop_reason, Some(StopReason::Stable));
        assert_eq!((record.verified, record.discards), (Some(true), 0));
        assert!(record.first_launch.unwrap() > 0.011);
        assert_eq!(record.phases.len(), 1);
        assert!((record.phases[0].seconds - seconds.median).abs() < 1e-18);
        assert_eq!((record.bytes, record.ptx.len()), (4032, 16));
        assert!(record.time.ends_with('Z'), "{}", record.time);
        let Some(View::Bins(bins)) = view else { panic!("no view") };
        assert_eq!((bins.total, bins.counts.len()), (1000, 8));
    }
    assert!(records[0].1.median() < records[1].1.median());
}

#[test]
fn the_same_group_gives_the_same_records() {
    let without_time = || {
        let mut records = records(&measure(8).0);
        for (_, record, _) in &mut records {
            record.time.clear();
        }
        records
    };
    assert_eq!(without_time(), without_time());
}

#[test]
fn a_trap_names_its_place_and_has_no_time() {
    let record = shared(scripted::TRAP);
    assert_eq!((record.outcome(), record.seconds.clone()), (Outcome::Wrong, None));
    let wrong = record.wrong.unwrap();
    assert_eq!(wrong.kind, "out-of-bounds");
    assert_eq!(wrong.kernel.as_deref(), Some("histogram_shared_modulo"));
    assert_eq!((wrong.line, wrong.lanes), (Some(144), vec![5]));
}

#[test]
fn a_wrong_answer_names_the_first_difference_and_has_no_time() {
    let record = shared(scripted::WRONG);
    assert_eq!((record.verified, record.seconds.clone()), (Some(false), None));
    let wrong = record.wrong.unwrap();
    assert_eq!((wrong.kind.as_str(), wrong.index), ("wrong-answer", Some(3)));
    let number = |text: Option<String>| text.unwrap().parse::<u32>().unwrap();
    assert_eq!(number(wrong.expected) + 1, number(wrong.got));
    // Right at first and wrong later is just as wrong.
    assert_eq!(shared(scripted::FLICKERS).outcome(), Outcome::Wrong);
}

#[test]
fn what_does_not_fit_is_a_skip() {
    let record = shared(scripted::FULL);
    assert_eq!((record.outcome(), record.verified), (Outcome::Skipped, None));
    assert_eq!(record.skip, Some("out of memory: no room for the bins".into()));
}

#[test]
fn what_does_not_load_keeps_its_log() {
    let wrong = shared(scripted::UNLOADABLE).wrong.unwrap();
    assert_eq!(wrong.kind, "load-failed");
    assert!(wrong.message.contains("unresolved symbol"));
}

#[test]
fn a_lost_device_ends_the_group_after_the_case_to_blame() {
    let (steps, result) = measure(scripted::LOST);
    assert!(matches!(result, Err(Stopped::Lost(_))));
    let records = records(&steps);
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].0, 1);
    assert_eq!(records[0].1.wrong.as_ref().unwrap().kind, "device-fault");
}

#[test]
fn throttled_samples_are_repeated_and_then_marked() {
    let some = shared(scripted::THROTTLED);
    assert_eq!((some.discards, some.flags.as_slice()), (3, [].as_slice()));
    let all = shared(scripted::HOT);
    assert_eq!((all.discards, all.flags), (5, vec![Flag::Throttled]));
    let clock = all.clock.unwrap();
    assert_eq!((clock.median, clock.highest), (scripted::CLOCK / 2, scripted::CLOCK));
    assert_eq!(clock.throttle_reasons, ["power cap"]);
    // The slow samples do not count, but that there were some is told.
    let clock = some.clock.unwrap();
    assert_eq!((clock.lowest, clock.throttle_reasons.len()), (scripted::CLOCK, 1));
}

#[test]
fn outliers_are_counted_and_kept() {
    let record = shared(scripted::UNEVEN);
    let seconds = record.seconds.unwrap();
    let outliers = record.outliers.unwrap();
    let slow = seconds.samples.iter().filter(|sample| **sample > 1.4 * seconds.median).count();
    assert!(slow > 0, "{seconds:?}");
    assert_eq!((outliers.low, outliers.high, outliers.far), (0, slow as u64, slow as u64));
    let even = shared(8).outliers.unwrap();
    assert_eq!((even.low, even.high, even.far), (0, 0, 0));
}

#[test]
fn records_carry_the_baseline_of_their_device() {
    let record = shared(8);
    assert_eq!(record.device_baseline, Some(scripted::BASELINE.into()));
    let share = record.bytes as f64 / record.median().unwrap() / scripted::BASELINE.copy;
    assert_eq!(record.share_of_copy(), Some(share));
}

#[test]
fn noise_that_stays_the_same_is_enough() {
    let record = shared(scripted::NOISY);
    assert_eq!(record.stop_reason, Some(StopReason::NoiseStable));
    assert!(record.seconds.unwrap().samples.len() > 32);
}

#[test]
fn a_listener_can_break_off() {
    let case = Experiment::default();
    let mut backend = Scripted::open(0);
    let plan = plan::plan(&case, &backend.device().limits).unwrap();
    let cases: Vec<Case> = plan.groups[0].cases.iter().map(|p| p.case.clone()).collect();
    let mut steps = 0;
    let result = Measurer::new().group(&mut backend, &cases, &case.stopping, &mut |_| {
        steps += 1;
        if steps == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!((result, steps), (Err(Stopped::Cancelled), 4));
}

/// Every algorithm profiled: kernels and instructions add up to what the whole
/// case counted.
#[test]
fn the_parts_of_a_case_add_up_to_the_whole() {
    let mut backend = crate::backend::emulated::Emulated::open(None).unwrap();
    for algorithm in crate::algorithms::ALL {
        let defaults = algorithm.defaults();
        let n = if algorithm.name() == "matmul" { 64 } else { 3000 };
        let experiment = Experiment {
            algorithm: algorithm.name().to_owned(),
            sizes: Sizes::range(n, n, 2),
            blocks: vec![crate::units::BlockSize::new(defaults.block).unwrap()],
            coarsenings: vec![defaults.coarsen],
            dist: algorithm.distributions()[0],
            ..Experiment::default()
        };
        let plan = plan::plan(&experiment, &backend.device().limits).unwrap();
        for planned in plan.cases().filter(|planned| planned.skip.is_none()).take(4) {
            let (record, profile) = Measurer::new().profile_kernels(&mut backend, &planned.case);
            let (record, profile) = (record.unwrap(), profile.unwrap());
            assert_eq!(record.outcome(), Outcome::Verified, "{}", planned.case);
            let whole = |name: &str| record.counters.get(name).unwrap();
            let kernels = |name: &str| -> u64 {
                profile.kernels.iter().map(|kernel| kernel.counters.get(name).unwrap()).sum()
            };
            let lines = |of: fn(&crate::work::LineWork) -> u64| -> u64 {
                let kernels = profile.kernels.iter();
                kernels.flat_map(|kernel| &kernel.instructions).map(|it| of(&it.work)).sum()
            };
            for (counter, _) in record.counters.known() {
                let name = counter.name();
                if counter == Counter::BusiestSlicePasses {
                    continue;
                }
                assert_eq!(kernels(name), whole(name), "{name} of {}", planned.case);
            }
            assert_eq!(lines(|work| work.warps), whole("warp_instructions"), "{}", planned.case);
            assert_eq!(lines(|work| work.diverged), whole("divergent_branches"));
            assert_eq!(lines(|work| work.barriers), whole("barriers"));
            assert_eq!(lines(|work| work.atomic_lanes), whole("global_atomic_lanes"));
            let sectors = ["global_load", "global_store", "local_load", "local_store"];
            let sectors: u64 = sectors.iter().map(|of| whole(&format!("{of}_sectors"))).sum();
            assert_eq!(lines(|work| work.sectors), sectors, "{}", planned.case);
            let seconds: f64 = profile.kernels.iter().map(|kernel| kernel.seconds).sum();
            assert!((seconds / record.median().unwrap() - 1.0).abs() < 1e-9, "{}", planned.case);
            // Every kernel has source lines, and less than all lanes can idle.
            for kernel in &profile.kernels {
                assert!(kernel.instructions.iter().any(|it| it.source > 0), "{}", kernel.name);
                assert!(kernel.residency.blocks > 0 && kernel.registers > 0, "{}", kernel.name);
            }
        }
        // Nobody asked: it is not gathered.
        let case = plan.cases().find(|planned| planned.skip.is_none()).unwrap().case.clone();
        let mut references = References::default();
        let plain = Running::start(
            0,
            &case,
            &Stopping::default(),
            &mut backend,
            &mut references,
            &mut |_| {},
        );
        assert!(plain.is_err_and(|ended| ended.profile.is_none()));
    }
}
