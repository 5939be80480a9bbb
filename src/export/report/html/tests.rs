use super::*;
use crate::export::report::tests::records;
use crate::results::record::{
    Amount, CaseProfile, Counts, KernelProfile, LaunchCost, ModelRecord, Provenance, Resource,
};

#[test]
fn what_a_record_says_is_never_markup() {
    let mut records = records();
    records[2].skip = Some("<img src=x onerror=alert(1)> & \"more\"".into());
    let page = render(&records, &["<b>.jsonl".to_owned()], &[]).unwrap();
    assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt; &amp; &quot;more&quot;"));
}

#[test]
fn every_case_is_there_with_its_provenance_and_every_reason() {
    let records = records();
    let page = render(&records, &[], &[]).unwrap();
    for part in [
        "2 verified against a CPU reference, 1 WRONG, 1 skipped",
        "recorded · NVIDIA H200",
        "modelled · H200 SXM · unvalidated",
        "needs 4 GiB",
        "the reference has 5",
        "580.159",
        "never compared with that GPU",
        "warpscope sweep histogram",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let rows = page.split("id=\"cases-caption\"").nth(1).unwrap().split("</table>").next().unwrap();
    assert_eq!(rows.matches("<tr>").count(), records.len() + 1);
}

#[test]
fn nothing_is_still_a_page() {
    let page = render(&[], &[], &[]).unwrap();
    assert!(page.contains("No cases.") && page.ends_with("</html>"));
}

#[test]
fn many_curves_are_cut_down_to_the_fastest_and_that_is_said() {
    let mut all = Vec::new();
    for variant in ["global", "shared"] {
        for block in [32, 64, 128, 256, 512, 1024, 96, 160] {
            for n in [1024, 2048, 4096] {
                let mut record = records()[0].clone();
                (record.variant, record.block, record.n) = (variant.into(), block, n);
                if let Some(seconds) = &mut record.seconds {
                    seconds.median = n as f64 / f64::from(block) * 1e-9;
                }
                all.push(record);
            }
        }
    }
    let page = render(&all, &[], &[]).unwrap();
    assert!(page.contains("Of 16 curves, those of each variant's fastest block size"));
    let (groups, 0) = groups::of(&all) else { panic!() };
    let [group] = &groups[..] else { panic!() };
    let best: Vec<u32> = group.fastest(4096).iter().map(|(record, _)| record.block).collect();
    assert_eq!(best, [1024, 1024]);
    assert_eq!(page.matches("<svg").count(), 5, "time, speed-up, ladder, and a map of each");
}

/// A launch that takes so long for its atomics.
fn cost(seconds: f64) -> LaunchCost {
    let amounts = [(Amount::Launch, 1e-6), (Amount::AtomicPasses, seconds * 1e9)];
    LaunchCost { seconds, ..LaunchCost::made_up(&amounts) }
}

/// Two variants as modelled, with counters, and what the emulator says of their kernels.
fn two_counted() -> (Vec<Record>, Vec<Counted>) {
    let one = |variant: &str, median: f64, counters: &[(&str, u64)]| {
        let mut record = records()[1].clone();
        record.variant = variant.into();
        record.seconds.as_mut().unwrap().median = median;
        record.counters = counters.iter().map(|(name, count)| (*name, *count)).collect();
        record.model = Some(Box::new(ModelRecord {
            parts: [(Resource::L2Atomics, median)].into(),
            bound_by: Resource::L2Atomics.into(),
            occupancy: 1.0,
            occupancy_limit: "warps".into(),
            left_open: 0.0,
            extrapolated: Box::default(),
            launches: vec![cost(median)].into(),
        }));
        record
    };
    let global = one(
        "global",
        6e-4,
        &[
            ("global_atomic_requests", 10),
            ("global_atomic_lanes", 320),
            ("global_atomic_addresses", 10),
        ],
    );
    let shared = one("shared", 2e-5, &[("shared_atomic_requests", 10), ("warp_instructions", 90)]);
    let profiled = |record: &Record| {
        let kernel = KernelProfile {
            name: format!("kernel_{}", record.variant),
            counters: record.counters.clone(),
            seconds: record.median().unwrap(),
            ..KernelProfile::default()
        };
        let profile = CaseProfile { kernels: vec![kernel], ..CaseProfile::default() };
        Counted { record: record.clone(), profile }
    };
    let counted = [&global, &shared].map(profiled).into();
    (vec![global, shared], counted)
}

#[test]
fn counters_stand_side_by_side_with_remarks_and_each_leads_to_its_meaning() {
    let (records, counted) = two_counted();
    let page = render(&records, &[], &counted).unwrap();
    for part in [
        "Why shared is faster than global",
        "Counters at n = 2²⁰, block 128, coarsening 4",
        "shared atomics</a>",
        "title=\"Atomics on shared memory",
        "<td class=\"number\">320</td>",
        "kernel_global",
        "32 lanes of a warp hit 1 address, so L2 serialises them",
        "<dt id=\"term-contention\">",
        "counters: atomic lanes, atomic addresses",
        "warpscope export histogram.jsonl --format html",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let without = render(&records, &[], &[]).unwrap();
    assert!(without.contains("atomic lanes") && !without.contains("kernel_global"));
}

#[test]
fn recorded_cases_are_counted_at_their_main_pair_and_beside_what_was_recorded() {
    let (mut records, counted) = two_counted();
    for (record, median) in records.iter_mut().zip([1e-5, 2e-5]) {
        record.provenance = Provenance::Recorded;
        record.counters = Counts::default();
        record.model = None;
        record.seconds.as_mut().unwrap().median = median;
    }
    let wanted: Vec<String> =
        to_count(&records).into_iter().map(|it| it.variant.to_string()).collect();
    assert_eq!(wanted, ["shared", "global"], "the slower one first");
    let page = render(&records, &[], &counted).unwrap();
    assert!(page.contains("The model contradicts the recorded times"), "{page}");
}

#[test]
fn a_hundred_thousand_cases_stay_readable_and_the_page_says_what_it_leaves_out() {
    let base = two_counted().0;
    let case = |i: usize| {
        let mut record = base[i % 2].clone();
        record.block = 32 * (1 + (i / 2) as u32 % 32);
        record.coarsen = 1 + (i / 64) as u32 % 50;
        record.n = 1 << (i / 3200 % 22);
        record
    };
    let all: Vec<Record> = (0..100_000).map(case).collect();
    let page = render(&all, &[], &[]).unwrap();
    assert!(page.len() < 8 << 20, "{} bytes", page.len());
    for part in ["of 100 000 cases", "The table has the first 1 000 of 100 000"] {
        assert!(page.contains(part), "{part}");
    }
}
