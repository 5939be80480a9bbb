//! What the numbers rest on: devices, and how times came about.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::groups::distinct;
use crate::results::record::{Metric, Provenance, Record};
use crate::units::{BytesPerSecond, Seconds, grouped};

/// Most devices that are described.
const MOST_DEVICES: usize = 24;

/// Devices with what is known of each.
pub(super) fn devices(records: &[Record]) -> Markup {
    let keys = distinct(records.iter().map(|record| (&record.device, &record.backend)));
    html! {
        section aria-labelledby="devices" {
            h2 #devices { "Devices" }
            @for (device, backend) in keys.iter().take(MOST_DEVICES) {
                @let own: Vec<&Record> = records
                    .iter()
                    .filter(|record| record.device == **device && record.backend == **backend)
                    .collect();
                h3 { (device.name) }
                dl {
                    dt { "Ran by" }
                    dd { (backend) }
                    dt { "Driver" }
                    dd { (device.driver.as_deref().unwrap_or("none: a profile, or not told")) }
                    @if !device.id.is_empty() {
                        dt { "Identity" }
                        dd { code { (device.id) } }
                    }
                    dt { "Cases" }
                    dd { (grouped(own.len() as u64)) ", " (provenances(&own)) }
                    @if let Some(span) = span(&own) {
                        dt { "When" }
                        dd { (span) }
                    }
                    @if let Some(clock) = clock(&own) {
                        dt { "Clock" }
                        dd { (clock) }
                    }
                    @if let Some(baseline) = own.iter().find_map(|record| record.device_baseline.as_ref()) {
                        dt { "Reaches" }
                        dd {
                            (BytesPerSecond(baseline.copy)) " in a large copy; an empty kernel \
                             takes " (Seconds(baseline.empty_kernel)) ", a launch "
                            (Seconds(baseline.launch))
                        }
                    }
                }
            }
            @if keys.is_empty() { p { "None." } }
            @if keys.len() > MOST_DEVICES {
                p { (grouped((keys.len() - MOST_DEVICES) as u64)) " more devices are left out." }
            }
        }
    }
}

fn provenances(records: &[&Record]) -> String {
    distinct(records.iter().map(|record| record.provenance.to_string())).join(" and ")
}

/// From the first case to the last.
fn span(records: &[&Record]) -> Option<String> {
    let times = || records.iter().map(|record| record.time.as_str()).filter(|it| !it.is_empty());
    let (first, last) = (times().min()?, times().max()?);
    Some(if first == last { first.to_owned() } else { format!("{first} to {last}") })
}

fn clock(records: &[&Record]) -> Option<String> {
    let clocks = || records.iter().filter_map(|record| record.clock.as_ref());
    let lowest = clocks().map(|clock| clock.lowest).min()?;
    let highest = clocks().map(|clock| clock.highest).max()?;
    let held =
        distinct(clocks().flat_map(|clock| clock.throttle_reasons.iter().map(String::as_str)));
    let held = if held.is_empty() {
        String::new()
    } else {
        format!("; throttled at times by {}", held.join(", "))
    };
    Some(format!("never below {lowest} MHz of {highest} MHz{held}"))
}

/// How times came about, for each kind of number that occurs.
pub(super) fn method(records: &[Record]) -> Markup {
    let has = |kind| records.iter().any(|it| it.provenance == kind && it.seconds.is_some());
    let programs = distinct(records.iter().map(|record| record.program.as_str()));
    let kernels =
        distinct(records.iter().map(|record| record.ptx.as_str()).filter(|hash| !hash.is_empty()));
    let flags = distinct(records.iter().flat_map(|record| record.flags.iter().copied()));
    html! {
        section aria-labelledby="method" {
            h2 #method { "Method" }
            dl {
                @if has(Provenance::Measured) || has(Provenance::Recorded) {
                    dt { "Measured and recorded times" }
                    dd {
                        "A GPU's event timer. The L2 cache is flushed and the stream held before \
                         every sample, warm-up is left out, and so is loading, allocating and the \
                         first launch. The headline is the median. Recorded is a stored \
                         measurement, measured one of this run. " (sampling(records))
                    }
                }
                @if has(Provenance::Modelled) {
                    dt { "Modelled times" }
                    dd {
                        "The emulator runs the same PTX, counts what the hardware would have done, \
                         and a model turns the counts into a time on the GPU named. The same \
                         experiment and seed give the same counts on any machine."
                    }
                }
                @if has(Provenance::Reported) {
                    dt { "Reported times" }
                    dd { "Published by others; nobody measured them here." }
                }
                dt { "Results" }
                dd {
                    "Every output is compared with a plain CPU reference unless it says not checked. \
                     A file of kernels may name one of them as the reference."
                }
                @for flag in flags {
                    dt { (flag.label()) }
                    dd { (flag.glossary()) }
                }
                dt { "Programs" }
                dd { (programs.join(", ")) }
                @if !kernels.is_empty() {
                    dt { "Kernels" }
                    dd { "PTX with SHA-256 " code { (kernels.join(" ")) } }
                }
            }
        }
    }
}

/// How many samples, why sampling stopped, what lies apart.
fn sampling(records: &[Record]) -> String {
    let counts: Vec<u64> = records
        .iter()
        .filter(|record| record.provenance != Provenance::Modelled)
        .filter_map(|record| record.seconds.as_ref().map(crate::results::record::Summary::count))
        .filter(|count| *count > 0)
        .collect();
    let Some((least, most)) = counts.iter().min().zip(counts.iter().max()) else {
        return String::new();
    };
    let mut stops: BTreeMap<String, u64> = BTreeMap::new();
    for reason in records.iter().filter_map(|record| record.stop_reason) {
        *stops.entry(reason.to_string()).or_default() += 1;
    }
    let stops: Vec<String> =
        stops.into_iter().map(|(reason, count)| format!("{reason} ({})", grouped(count))).collect();
    let apart: u64 =
        records.iter().filter_map(|it| it.outliers.as_ref()).map(|it| it.low + it.high).sum();
    let again: u64 = records.iter().map(|record| u64::from(record.discards)).sum();
    let mut text = format!("{least} to {most} samples a case; sampling stopped by ");
    if least == most {
        text = format!("{least} samples a case; sampling stopped by ");
    }
    text.push_str(&if stops.is_empty() { "no stated rule".to_owned() } else { stops.join(", ") });
    text.push_str(&format!(
        ". {} samples lie apart by Tukey's rule and are kept; {} were taken at a low clock and \
         taken again.",
        grouped(apart),
        grouped(again)
    ));
    text
}
