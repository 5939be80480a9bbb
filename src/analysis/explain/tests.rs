//! Sentences for counters as the emulator gives them.

use super::*;
use crate::experiment::{Case, Distribution, ParamValue};
use crate::results::record::{Counts, DeviceRecord, Launches, Summary};
use crate::units::grouped;

/// A modelled case that takes its seconds for these amounts of work.
fn record(variant: &str, work: &[(Amount, f64)], counters: &[(&str, u64)]) -> Record {
    let case = Case {
        algorithm: "histogram".to_owned(),
        variant: variant.to_owned(),
        block: 128,
        coarsen: 4,
        n: 1 << 20,
        params: [("bins".to_owned(), ParamValue::Int(8))].into(),
        dist: Distribution::Uniform,
        seed: 7,
    };
    let device = DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: "p".to_owned() };
    let mut record = Record::new(&case, device, "emulator", Provenance::Modelled);
    let fixed = [(Amount::Launch, 2e-6), (Amount::Warps, 1000.0)];
    let all: Vec<(Amount, f64)> = fixed.iter().chain(work).copied().collect();
    let mut launch = LaunchCost { clock: 2e9, ..LaunchCost::made_up(&all) };
    launch.seconds = seconds_of(std::slice::from_ref(&launch));
    record.seconds = Some(Summary::of(launch.seconds));
    record.verified = Some(true);
    record.bytes = 1 << 22;
    record.counters = counters.iter().map(|(name, value)| (*name, *value)).collect();
    let model = ModelRecord {
        bound_by: "l2_atomics".into(),
        parts: [("l2_atomics", 1.5e-4), ("launch", 2e-6)].into(),
        occupancy: 0.5,
        occupancy_limit: "warps".into(),
        left_open: 0.0,
        extrapolated: Box::default(),
        launches: vec![launch].into(),
    };
    record.model = Some(model.into());
    record
}

/// Cycles of slices for 156 µs.
const BUSY: (Amount, f64) = (Amount::AtomicPasses, 312_000.0);

fn global() -> Record {
    let counters = [
        ("global_atomic_requests", 32_768),
        ("global_atomic_lanes", 1 << 20),
        ("global_atomic_addresses", 8 * 32_768),
        ("global_atomic_passes", 230_000),
        ("hottest_chunk_passes", 230_000),
    ];
    record("global", &[BUSY], &counters)
}

fn shared() -> Record {
    let counters = [
        ("global_atomic_passes", 65_536),
        ("shared_atomic_requests", 32_768),
        ("shared_atomic_wavefronts", 230_000),
        ("global_load_sectors", 131_072),
    ];
    let work = [(Amount::AtomicPasses, 3000.0), (Amount::SharedAtomicPasses, 6000.0)];
    record("shared", &work, &counters)
}

/// A recorded time of the same case, with its counts beside it.
fn recorded(counted: &Record, seconds: f64) -> Record {
    let mut record = counted.clone();
    record.provenance = Provenance::Recorded;
    record.seconds = Some(Summary::of(seconds));
    (record.model, record.counters) = (None, Counts::default());
    record
}

fn subject<'a>(record: &'a Record, counted: &'a Record) -> Subject<'a> {
    Subject { record, counted: Some(counted), profile: None }
}

#[test]
fn a_difference_has_cause_numbers_and_consequence() {
    let found = difference(&shared(), &global(), Span::Kernels).unwrap();
    assert!(found.headline.starts_with("shared: 5.00 µs, 31.6×"), "{}", found.headline);
    assert!(found.headline.ends_with("× faster than global at n = 2^20 (modelled · H200 SXM)"));
    assert_eq!(found.cause, Cause::GlobalAtomics);
    let (many, few) = (grouped(230_000), grouped(65_536));
    let brief = format!(
        "each warp's 32 atomics hit 8 addresses, so L2 serialises them, all in one slice; global \
         needs {many} passes, shared {few}"
    );
    assert_eq!(found.brief, brief);
    assert!(found.reasons[0].contains("With the atomics in L2 of shared, global would take 3."));
    // The slower one first, in whatever order they were given.
    assert_eq!(found.cases, ["global", "shared"]);
    let passes =
        found.evidence.iter().find(|it| it.counter == Counter::GlobalAtomicPasses).unwrap();
    assert_eq!(passes.values, [230_000, 65_536]);
    let cost = &found.costs[0];
    assert_eq!(cost.cause, Cause::GlobalAtomics);
    assert!(cost.without[0] < 3e-6 && cost.of[0] > 150e-6, "{cost:?}");
    let next = &found.next[0];
    assert_eq!((next.case.variant.as_str(), next.case.int("bins")), ("global", Some(64)));
}

#[test]
fn as_many_passes_of_shared_atomics_name_the_waits() {
    let passes = [("shared_atomic_requests", 9000), ("shared_atomic_wavefronts", 9000)];
    let slow = record("locked", &[(Amount::SharedAtomicWaits, 20_000_000.0)], &passes);
    let fast = record("added", &[(Amount::SharedAtomicWaits, 4_000_000.0)], &passes);
    let found = difference(&slow, &fast, Span::Kernels).unwrap();
    assert_eq!(found.cause, Cause::SharedAtomics);
    let brief = "warps wait for their turn at a word of shared memory; the longest chain waits \
                 10.0 µs for such atomics in locked, 2.00 µs in added";
    assert_eq!(found.brief, brief);
    assert!(found.reasons[0].starts_with("Warps wait"), "{:?}", found.reasons);
}

#[test]
fn overlapping_work_is_no_cause_alone_but_makes_the_other_slower() {
    // Shared memory and the way to L2 are busy for equally long: neither alone saves
    // anything.
    let work = [(Amount::SharedPasses, 20_000.0), (Amount::L2Way, 20_000.0)];
    let slow = record("slow", &work, &[("shared_load_wavefronts", 9000)]);
    let fast = record("fast", &[(Amount::L2Way, 10_000.0)], &[("shared_load_wavefronts", 3000)]);
    let found = difference(&slow, &fast, Span::Kernels).unwrap();
    assert_eq!(found.cause, Cause::SharedPasses);
    assert!(
        found.reasons[0].starts_with("slow takes"),
        "a case keeps its name: {:?}",
        found.reasons
    );
    assert!(found.reasons[0].contains("With the shared memory passes of slow, fast would take"));
    assert!(found.reasons[1].starts_with("Also memory traffic"), "{:?}", found.reasons);
}

#[test]
fn work_that_is_hidden_makes_no_difference() {
    let conflicts = |count, cycles| {
        record(
            "blelloch",
            &[BUSY, (Amount::ConflictPasses, cycles)],
            &[("shared_bank_conflicts", count)],
        )
    };
    let (a, b) = (conflicts(4_453_681, 9000.0), conflicts(131_072, 300.0));
    let (recorded_a, recorded_b) = (recorded(&a, 70.8e-6), recorded(&b, 70.5e-6));
    let found =
        difference(subject(&recorded_a, &a), subject(&recorded_b, &b), Span::Kernels).unwrap();
    assert_eq!(found.cause, Cause::NoDifference);
    let says = &found.reasons[0];
    assert!(says.starts_with("Bank conflicts differ most: "), "{says}");
    assert!(says.contains(&grouped(4_453_681)) && says.contains("Other work hides them"), "{says}");
    assert!(found.reasons[1].contains("The largest cost of both is atomics in L2"));
    // Where the conflicts do cost time in the model, the recording contradicts it.
    let (a, b) = (conflicts(4_453_681, 900_000.0), conflicts(131_072, 300.0));
    let found =
        difference(subject(&recorded_a, &a), subject(&recorded_b, &b), Span::Kernels).unwrap();
    let last = found.reasons.last().unwrap();
    assert!(last.starts_with("The model contradicts the recorded times: it predicts "), "{last}");
}

#[test]
fn a_difference_that_no_cause_makes_is_told_as_such() {
    let alike = || record("flat", &[BUSY], &[("warp_instructions", 3000)]);
    let mut slow = record("strided", &[BUSY], &[("warp_instructions", 3000)]);
    slow.seconds = slow.median().map(|it| Summary::of(1.2 * it));
    let found = difference(&slow, &alike(), Span::Kernels).unwrap();
    assert_eq!((found.cause, found.brief.as_str()), (Cause::NoDifference, ""));
    assert!(found.headline.contains("1.2"), "{}", found.headline);
    let wanted =
        "No cause alone makes the difference: waits and work overlap less in strided (model).";
    assert_eq!(found.reasons, [wanted]);
}

#[test]
fn nothing_is_said_without_counts_or_times() {
    let mut measured = global();
    measured.counters = Counts::default();
    measured.model = None;
    let silence = one(&measured, Span::Kernels).unwrap_err();
    assert_eq!(silence, Silence::NoCounters("global".to_owned()));
    let mut skipped = global();
    skipped.skip = Some("too large".into());
    let silence = difference(&skipped, &shared(), Span::Kernels).unwrap_err();
    assert_eq!(silence, Silence::NoTime("global".to_owned()));
}

#[test]
fn lines_of_earlier_versions_are_explained_by_their_parts() {
    let older = |mut record: Record, part: f64| {
        let model = record.model.as_mut().unwrap();
        model.launches = Launches::default();
        model.parts = [("l2_atomics", part), ("launch", 2e-6)].into();
        record
    };
    let (slow, fast) = (older(global(), 150e-6), older(shared(), 3e-6));
    let found = difference(&slow, &fast, Span::Kernels).unwrap();
    assert_eq!(found.cause, Cause::GlobalAtomics);
    assert!(found.costs.is_empty());
    let found = one(&slow, Span::Kernels).unwrap();
    assert_eq!(found.cause, Cause::GlobalAtomics);
}

#[test]
fn cases_are_named_by_what_differs() {
    let (a, mut b) = (global(), global());
    b.block = 256;
    let model = b.model.as_mut().unwrap();
    let mut launches = model.launches.to_vec();
    launches[0].amounts.scale(Amount::AtomicPasses, 2.0);
    b.seconds = Some(Summary::of(seconds_of(&launches)));
    model.launches = launches.into();
    let found = difference(&a, &b, Span::Kernels).unwrap();
    let (start, end) = ("global · block 128: 158 µs, 1.", "faster than global · block 256 at n");
    assert!(found.headline.starts_with(start) && found.headline.contains(end), "{found:?}");
}

#[test]
fn a_test_needs_a_predicted_effect_and_ends_in_a_verdict() {
    let found = one(&global(), Span::Kernels).unwrap();
    let next = found.next.into_iter().next().unwrap();
    assert!(next.judge((1.0, 0.5), String::new()).is_none(), "nothing was expected yet");
    // The model predicts that nothing changes: that tests nothing.
    assert_eq!(next.clone().predicted(158e-6, &global()), None);
    let next = next.predicted(158e-6, &shared()).unwrap();
    let judged = |found| next.judge(found, "recorded · H200".to_owned()).unwrap();
    let (yes, no) = (judged((150e-6, 8e-6)), judged((150e-6, 149e-6)));
    assert!(yes.is_confirmed() && yes.to_string().starts_with("Confirmed: expected 31.6"), "{yes}");
    let no = no.to_string();
    assert!(no.starts_with("Refuted: ") && no.contains("found no change"), "{no}");
    assert!(no.ends_with("The work that changed does not limit this case."), "{no}");
}
