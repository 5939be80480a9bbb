//! A record or an explanation as text.

use std::fmt::Display;

use crate::algorithms;
use crate::analysis::explain::{Evidence, Explanation, Silence, limit, times_without};
use crate::figure;
use crate::gpu;
use crate::results::record::{ClockRecord, Flag, Outcome, Outliers, PhaseKind, Provenance, Record};
use crate::statistics;
use crate::units::{Bytes, BytesPerSecond, ElementsPerSecond, Seconds, grouped, significant};
use crate::work::View;

/// Result, time, phases, model, output and counters, as far as the record has them.
pub(super) fn record(record: &Record, view: Option<&View>) -> String {
    let mut page = Page(format!("{}\n{}\n\n", record.case(), record.provenance_label()));
    page.fact("result", result(record));
    time(&mut page, record);
    phases(&mut page, record);
    model(&mut page, record);
    if let Some(view) = view {
        page.heading(view.name());
        for fact in figure::facts::facts(view) {
            page.fact(fact.name, fact.value);
        }
    }
    if !record.counters.is_empty() {
        page.heading(if record.flags.contains(&Flag::Sampled) {
            "counters (scaled from a sample of blocks)"
        } else {
            "counters (exact)"
        });
        let width = record.counters.values().map(|count| grouped(count).len()).max().unwrap_or(0);
        for (name, count) in record.counters.iter() {
            page.fact(name.label(), format!("{:>width$}", grouped(count)));
        }
    }
    page.0
}

/// The times of one or two cases, the reasons for them, and an experiment that tests
/// the reasons.
pub(super) fn explanation(
    records: &[Box<Record>],
    explanation: Result<&Explanation, &Silence>,
) -> String {
    let mut page = Page(String::new());
    for record in records {
        let time = match record.median() {
            Some(median) => Seconds(median).to_string(),
            None => result(record),
        };
        page.line(&format!("{}\n  {time} ({})", record.case(), record.provenance_label()));
    }
    let explanation = match explanation {
        Ok(explanation) => explanation,
        Err(silence) => {
            page.line(&format!("\n{silence}"));
            return page.0;
        }
    };
    page.line(&format!("\n{}", explanation.headline));
    for reason in &explanation.reasons {
        page.line(&format!("  {reason}"));
    }
    costs(&mut page, explanation);
    let sampled = records.iter().any(|record| record.flags.contains(&Flag::Sampled));
    if !explanation.evidence.is_empty() {
        page.heading(if sampled {
            "counters (some scaled from a sample of blocks)"
        } else {
            "counters (exact)"
        });
        page.columns("", &explanation.cases);
    }
    for Evidence { counter, values } in &explanation.evidence {
        let values: Vec<String> = values.iter().map(|value| grouped(*value)).collect();
        page.columns(&counter.to_string(), &values);
    }
    for next in explanation.next.iter().take(1) {
        page.heading("to test this");
        page.line(&format!("  {}", next.says));
        if let Some(expected) = next.expectation() {
            page.line(&format!("  {expected}"));
        }
        let record = records.iter().find(|record| record.algorithm == next.case.algorithm);
        let command = figure::command_of(&next.case, record.map(Box::as_ref));
        page.line(&format!("  {command}"));
    }
    page.0
}

/// What each case takes without the work of one cause.
fn costs(page: &mut Page, explanation: &Explanation) {
    if explanation.costs.is_empty() {
        return;
    }
    page.heading("time without the work of one cause (model; effects overlap)");
    page.columns("", &explanation.cases);
    for cost in &explanation.costs {
        let each = cost.without.iter().zip(&cost.of);
        let each: Vec<String> = each
            .map(|(without, of)| format!("{} of {}", Seconds(*without), Seconds(*of)))
            .collect();
        page.columns(&format!("without {}", cost.cause), &each);
    }
}

/// The kernel of a user's file that computes the reference, if one does.
fn reference(record: &Record) -> Option<String> {
    let algorithm = algorithms::find(&record.algorithm)?;
    algorithm.reference_case(&record.case()).map(|case| case.variant)
}

fn result(record: &Record) -> String {
    match record.outcome() {
        Outcome::Verified => match reference(record) {
            Some(kernel) if kernel == *record.variant => "this kernel is the reference".to_owned(),
            Some(kernel) => format!("verified: agrees with the reference kernel {kernel}"),
            None => "verified: agrees with the CPU reference".to_owned(),
        },
        Outcome::Unchecked if record.flags.contains(&Flag::Sampled) => {
            "no output: only a sample of the blocks ran (--sample never runs all)".to_owned()
        }
        Outcome::Unchecked => "not compared with the reference".to_owned(),
        Outcome::Skipped => {
            format!("skipped: {}", record.skip.as_ref().map_or("no reason given", |skip| skip))
        }
        Outcome::Failed => {
            let wrong = record.wrong.as_ref();
            format!("FAILED: {}", wrong.map_or("no reason given", |wrong| &wrong.message))
        }
        Outcome::Wrong => record.wrong.as_ref().map_or_else(
            || "WRONG: differs from the reference".to_owned(),
            |wrong| {
                let place = match (&wrong.file, wrong.line) {
                    (Some(file), Some(line)) => format!(" at {file}:{line}"),
                    _ => String::new(),
                };
                let kernel = wrong.kernel.as_deref().map(|kernel| format!(" in {kernel}"));
                format!(
                    "WRONG: {}{}{place}: {}",
                    wrong.kind,
                    kernel.unwrap_or_default(),
                    wrong.message
                )
            },
        ),
    }
}

fn time(page: &mut Page, record: &Record) {
    let Some(seconds) = &record.seconds else { return };
    let median = seconds.median;
    let mut text = Seconds(median).to_string();
    if let (Some(q1), Some(q3)) = (seconds.q1, seconds.q3) {
        text.extend([format!(
            " median of {} samples, quartiles {} to {}",
            seconds.count(),
            Seconds(q1),
            Seconds(q3)
        )]);
    }
    if let Some(reason) = record.stop_reason.filter(|_| seconds.q1.is_some()) {
        text.extend([format!(" ({reason})")]);
    }
    page.fact(&format!("kernel time, {}", record.provenance), text);
    if let Some(outliers) = &record.outliers {
        page.fact("outliers", outlying(**outliers, seconds.count()));
    }
    if let Some(clock) = &record.clock {
        page.fact("clock", frequency(clock, record.discards));
    }
    if median > 0.0 {
        let rate = ElementsPerSecond(record.n as f64 / median);
        page.fact("throughput", format!("{rate} = n / kernel time"));
        let rate = BytesPerSecond(record.bytes as f64 / median);
        let moved = Bytes(record.bytes);
        page.fact("bandwidth", format!("{rate} = {moved} minimum traffic / kernel time"));
        if record.flops > 0 {
            let rate = significant(record.flops as f64 / median / 1e9);
            let count = grouped(record.flops);
            page.fact("arithmetic", format!("{rate} Gflop/s = {count} flops / kernel time"));
        }
        ceilings(page, record, median);
    }
    if let Some(first) = record.first_launch {
        page.fact("first launch", format!("{}, including module load", Seconds(first)));
    }
    if let Some(wall) = record.seconds_wall {
        page.fact("emulation", format!("{} on this CPU", Seconds(wall)));
    }
}

/// The bandwidth relative to that of a copy and to the published peak, and the least
/// time of any kernel.
fn ceilings(page: &mut Page, record: &Record, median: f64) {
    let percent = |share: f64| format!("{} %", significant(100.0 * share));
    let rate = record.bytes as f64 / median;
    if let (Some(share), Some(baseline)) = (record.share_of_copy(), &record.device_baseline) {
        let copy = BytesPerSecond(baseline.copy);
        let text = format!("{} = bandwidth / {copy} of a copy on this device", percent(share));
        page.fact("share of copy bandwidth", text);
    }
    let profile = gpu::spec_of_device(&record.device.name).filter(|_| record.bytes > 0);
    if let Some(gpu) = profile {
        let peak = BytesPerSecond(gpu.dram_bytes_per_second);
        let text =
            format!("{} = bandwidth / {peak} published for {}", percent(rate / peak.0), gpu.name);
        page.fact("share of peak bandwidth", text);
    }
    if let Some(baseline) = &record.device_baseline {
        let empty = Seconds(baseline.empty_kernel);
        page.fact("empty kernel", format!("{empty} on this device, the shortest kernel time"));
        let launch = Seconds(baseline.launch);
        page.fact("launch and wait", format!("{launch} on this host, not in the kernel time"));
    }
}

/// `0 low and 3 high of 240, 1 of them far out; all kept (…)`.
fn outlying(outliers: Outliers, samples: u64) -> String {
    let Outliers { low, high, far } = outliers;
    let (near, wide) = statistics::FENCES;
    let rule = format!("beyond {near} and {wide} interquartile ranges; Tukey 1977");
    if low + high == 0 {
        return format!("none of {samples} ({rule})");
    }
    format!("{low} low and {high} high of {samples}, {far} of them far out; all kept ({rule})")
}

fn frequency(clock: &ClockRecord, discards: u32) -> String {
    let ClockRecord { median, lowest, highest, throttle_reasons } = clock;
    let mut text = format!("{median} MHz median, {lowest} lowest, {highest} maximum");
    if discards > 0 {
        text.extend([format!("; {discards} samples below 75 % repeated")]);
    }
    if !throttle_reasons.is_empty() {
        text.extend(["; throttled by ", &throttle_reasons.join(", ")]);
    }
    text
}

fn phases(page: &mut Page, record: &Record) {
    if record.phases.is_empty() {
        return;
    }
    page.heading("phases");
    let modelled = record.provenance == Provenance::Modelled;
    for phase in &record.phases {
        let kind = match phase.kind {
            // Only this machine has run it.
            PhaseKind::Host if modelled => "host, on this CPU",
            PhaseKind::Copy if modelled => "copy, modelled, unvalidated",
            kind => kind.name(),
        };
        page.fact(&phase.name, format!("{} ({kind})", Seconds(phase.seconds)));
    }
    let beside = record.phases.iter().any(|phase| phase.kind != PhaseKind::Kernel);
    if let Some(seconds) = record.end_to_end().filter(|_| beside) {
        page.fact("end to end", format!("{} = kernel time, host, copies", Seconds(seconds)));
    }
}

fn model(page: &mut Page, record: &Record) {
    let Some(model) = &record.model else { return };
    page.heading("model");
    let launches = model.launches.to_vec();
    page.fact("bound by", limit(&launches, &model.bound_by));
    let occupancy = significant(100.0 * model.occupancy);
    page.fact("occupancy", format!("{occupancy} %, limited by {}", model.occupancy_limit));
    if model.left_open > 0.0
        && let Some(seconds) = record.median()
    {
        let [low, high] = model.interval(seconds);
        page.fact("sampled", format!("95 % interval: {} to {}", Seconds(low), Seconds(high)));
    }
    if !model.extrapolated.is_empty() {
        let what = model.extrapolated.join(", ");
        page.fact("low confidence", what);
    }
    if model.launches.is_empty() {
        let mut parts: Vec<_> = model.parts.iter().collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (name, seconds) in parts {
            page.fact(&format!("{name} by itself"), Seconds(seconds));
        }
        return;
    }
    for (cause, times) in times_without(&launches) {
        page.fact(&format!("without {cause}"), times);
    }
}

/// Text in two columns.
struct Page(String);

impl Page {
    fn heading(&mut self, heading: &str) {
        self.0.extend(["\n", heading, "\n"]);
    }

    fn line(&mut self, text: &str) {
        self.0.extend([text, "\n"]);
    }

    fn columns(&mut self, name: &str, values: &[String]) {
        let values: String = values.iter().map(|value| format!("  {value:>24}")).collect();
        self.0.extend([format!("  {name:<30}{values}\n")]);
    }

    fn fact(&mut self, name: &str, value: impl Display) {
        self.0.extend([format!("  {name:<30} {value}\n")]);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::{Case, Distribution, ParamValue};
    use crate::results::record::{
        DeviceBaseline, DeviceRecord, Flag, Launches, ModelRecord, Phase, StopReason, Summary,
        Wrong,
    };
    use crate::work::Bins;

    fn record(provenance: Provenance) -> Record {
        let case = Case {
            algorithm: "histogram".to_owned(),
            variant: "shared".to_owned(),
            block: 128,
            coarsen: 4,
            n: 1 << 20,
            params: [("bins".to_owned(), ParamValue::Int(8))].into(),
            dist: Distribution::Uniform,
            seed: 7,
        };
        let device = DeviceRecord { name: "H200 SXM".to_owned(), driver: None, id: String::new() };
        let mut record = Record::new(&case, device, "emulator", provenance);
        record.seconds = Some(Summary {
            median: 1.24e-5,
            q1: None,
            q3: None,
            samples: Box::default(),
            taken: None,
        });
        record.bytes = 4 << 20;
        record.verified = Some(true);
        record
    }

    #[test]
    fn an_emulated_case_is_shown_in_full() {
        let mut record = record(Provenance::Modelled);
        record.flags = vec![Flag::Unvalidated];
        record.stop_reason = Some(StopReason::Single);
        record.seconds_wall = Some(0.042);
        record.phases = [Phase {
            name: "histogram_shared_modulo".into(),
            kind: PhaseKind::Kernel,
            seconds: 1.24e-5,
        }]
        .into();
        record.model = Some(Box::new(ModelRecord {
            bound_by: "l2_atomics".into(),
            parts: [("dram", 1e-6), ("l2_atomics", 1.1e-5)].into(),
            occupancy: 0.75,
            occupancy_limit: "registers".into(),
            left_open: 0.0,
            extrapolated: Box::default(),
            launches: Launches::default(),
        }));
        record.counters = [("instructions", 1_234_567), ("barriers", 890)].into();
        let counts = [131_072, 131_072, 131_072, 131_200, 131_072, 130_900, 131_072, 131_116];
        let view = View::Bins(Bins::of(counts).with_lanes(7.4));
        insta::assert_snapshot!(super::record(&record, Some(&view)));
    }

    #[test]
    fn a_measured_case_shows_its_spread() {
        let mut record = record(Provenance::Measured);
        record.seconds = Some(Summary {
            median: 1.24e-5,
            q1: Some(1.23e-5),
            q3: Some(1.26e-5),
            samples: [1.24e-5; 24].into(),
            taken: None,
        });
        record.stop_reason = Some(StopReason::Stable);
        record.first_launch = Some(0.002);
        record.device.name = "NVIDIA H200".to_owned();
        record.outliers = Some(Outliers { low: 0, high: 3, far: 1 }.into());
        record.device_baseline =
            Some(DeviceBaseline { empty_kernel: 1.9e-6, launch: 5.5e-6, copy: 4.25e12 }.into());
        record.clock = Some(Box::new(ClockRecord {
            median: 1965,
            lowest: 1500,
            highest: 1980,
            throttle_reasons: vec!["power cap".to_owned()],
        }));
        record.discards = 2;
        let text = super::record(&record, None);
        for part in [
            "0 low and 3 high of 24, 1 of them far out; all kept (beyond 1.5 and 3 interquartile",
            "1965 MHz median, 1500 lowest, 1980 maximum; 2 samples below 75 % repeated; throttled by power cap",
            "7.96 % = bandwidth / 4.25 TB/s of a copy on this device",
            "7.05 % = bandwidth / 4.80 TB/s published for H200 SXM",
            "1.90 µs on this device, the shortest kernel time",
            "5.50 µs on this host, not in the kernel time",
        ] {
            assert!(text.contains(part), "{part} is not in\n{text}");
        }
        let spread = "12.4 µs median of 24 samples, quartiles 12.3 µs to 12.6 µs (stable)";
        assert!(text.contains(spread), "{text}");
        assert!(text.contains("2.00 ms, including module load"), "{text}");
    }

    #[test]
    fn an_error_has_its_place() {
        let mut trapped = record(Provenance::Measured);
        trapped.seconds = None;
        trapped.verified = None;
        trapped.wrong = Some(Box::new(Wrong {
            kind: "out-of-bounds".into(),
            kernel: Some("histogram_shared_modulo".to_owned()),
            file: Some("kernels/histogram.cu".to_owned()),
            line: Some(144),
            block: Some([0, 0, 0]),
            lanes: vec![5],
            index: None,
            expected: None,
            got: None,
            message: "4 bytes past the end of bins".to_owned(),
        }));
        let text = super::record(&trapped, None);
        let error = "WRONG: access out of bounds in histogram_shared_modulo at kernels/histogram.cu:144: \
                    4 bytes past the end of bins";
        assert!(text.contains(error), "{text}");
        assert!(!text.contains("kernel time"), "{text}");
        let mut skipped = record(Provenance::Measured);
        skipped.seconds = None;
        skipped.skip = Some("too large".into());
        assert!(super::record(&skipped, None).contains("skipped: too large"));
    }
}
