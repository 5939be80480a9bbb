use super::super::tests::{modelled, record};
use super::*;
use crate::results::record::{DeviceRecord, Summary};

/// A recorded case of 2^28 values in 8 bins.
fn timed(variant: &str, block: u32, seconds: f64) -> Record {
    let mut record = record(variant, block, 1 << 28);
    record.seconds = Some(Summary::of(seconds));
    record
}

fn ladder(records: &[Record]) -> Ladder {
    let chosen: Vec<&Record> = records.iter().collect();
    Ladder::of(&select(&chosen, Time::Kernels).unwrap(), Time::Kernels).unwrap()
}

#[test]
fn each_variant_stands_at_its_best_setting_below_the_limit_and_the_library() {
    let mut wrong = timed("shared", 512, 1e-6);
    wrong.verified = Some(false);
    let records = [
        timed("shared", 64, 4.0e-4),
        timed("global", 512, 4e-2),
        timed("shared", 128, 5.0e-4),
        timed("global", 32, 5e-2),
        wrong,
    ];
    let ladder = ladder(&records);
    let names: Vec<_> = ladder.rungs.iter().map(|it| (it.variant.as_str(), it.block)).collect();
    assert_eq!(names, [("global", 512), ("shared", 64)]);
    let steps = ladder.steps(9);
    assert_eq!(steps[0].says(), "one global atomic per value");
    assert_eq!(steps[1].says(), "×100: private bins in shared memory");
    assert!(ladder.end_label.starts_with("DRAM read rate 4.6"), "{}", ladder.end_label);
    assert_eq!(ladder.share(ladder.rungs[1].rate), "58 %");
    let [library] = &ladder.marks[..] else { panic!("{:?}", ladder.marks) };
    assert!(library.label.starts_with("CUB ") && !library.limit, "{library:?}");
    assert!(ladder.at(library.rate) > 0.1 && ladder.at(library.rate) < 1.0);
    for part in ["recorded · NVIDIA H200", "DRAM read rate measured", "CUB: recorded"] {
        assert!(ladder.caption.contains(part), "{}", ladder.caption);
    }
    assert!(ladder.command.contains("--view ladder"), "{}", ladder.command);
    assert!(ladder.in_words().contains("shared, block 64, coarsening 4: 400 µs"));
}

#[test]
fn left_out_rungs_are_those_after_the_slowest() {
    let mut ladder = ladder(&[timed("global", 64, 8e-3), timed("shared", 64, 1e-3)]);
    let between = |seconds: f64| Rung { seconds, ..ladder.rungs[0].clone() };
    let others = [between(4e-3), between(2e-3)];
    ladder.rungs.splice(1..1, others);
    let steps = ladder.steps(2);
    assert_eq!(steps.len(), 2);
    assert_eq!((steps[1].left_out, steps[1].factor), (2, Some(8.0)));
    assert!(steps[1].says().ends_with("(2 between left out)"), "{}", steps[1].says());
    assert_eq!(ladder.steps(3).iter().map(|step| step.left_out).collect::<Vec<_>>(), [0, 1, 0]);
    assert_eq!(ladder.steps(0).len(), 1);
}

#[test]
fn a_limit_that_is_far_off_is_named_and_ends_no_scale() {
    // 16 KiB take nanoseconds at the DRAM's rate and microseconds to launch.
    let small = |variant: &str, seconds| {
        let mut record = record(variant, 64, 1 << 12);
        record.seconds = Some(Summary::of(seconds));
        record
    };
    let ladder = ladder(&[small("global", 9e-6), small("shared", 6e-6)]);
    assert!(ladder.end_label.starts_with("highest 2."), "{}", ladder.end_label);
    assert!(ladder.caption.contains("DRAM read rate off the scale"), "{}", ladder.caption);
    assert_eq!(ladder.share(ladder.rungs[1].rate), "100 %");
}

#[test]
fn devices_and_provenances_stay_apart_and_unknown_devices_have_no_limit() {
    let mut other = [timed("global", 64, 8e-3), timed("shared", 64, 1e-3)];
    for record in &mut other {
        let name = "GPU of tomorrow".to_owned();
        record.device = DeviceRecord { name, driver: None, id: String::new() }.into();
    }
    let predicted = modelled(timed("shared", 64, 3e-4));
    let mut records = vec![predicted, timed("shared", 64, 4e-4)];
    records.extend(other);
    let shown = ladder(&records);
    assert_eq!(shown.source, "recorded · GPU of tomorrow");
    assert_eq!((shown.rungs.len(), shown.marks.len()), (2, 0));
    assert!(shown.caption.contains("limits of this device are unknown"), "{}", shown.caption);
    let predicted = ladder(&records[..1]);
    assert!(predicted.source.starts_with("modelled · H200 SXM"), "{}", predicted.source);
    assert_eq!(predicted.marks.len(), 1, "a prediction for this GPU has its library too");
    assert_eq!(select(&[], Time::Kernels), None);
}
