//! The ladder of a system at one size: its variants from the slowest to the fastest, each at
//! its best block size and coarsening, on a scale that ends at the hardware's limit.

use std::collections::{BTreeMap, BTreeSet};

use super::devices::Devices;
use super::picture::{shared, sources};
use super::series::variant_rank;
use super::{Axis, Scale, Time, Unit, command, command_for};
use crate::algorithms;
use crate::analysis::ceiling::{self, By, Ceiling};
use crate::results::libraries::LibraryTime;
use crate::results::record::Record;
use crate::units::{Elements, Seconds, significant};

/// Below this share of its limit the fastest bar would be too short to compare: the scale ends
/// at it instead.
const LEAST_SHARE: f64 = 0.05;

/// A ladder, ready to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Ladder {
    /// `histogram: ladder at n = 2^28`.
    pub title: String,
    /// Size, parameters, input, device.
    pub subtitle: String,
    /// Provenance, the end of the scale, the libraries.
    pub caption: String,
    /// Provenance and device of its times.
    pub source: String,
    /// The commands that make the numbers and draw them, one per line.
    pub command: String,
    /// The scale of the bars, from 0.
    pub x: Axis,
    /// The rate at the end of the scale.
    pub end: f64,
    /// What the end is: `DRAM read rate 4.64 TB/s`.
    pub end_label: String,
    /// Variants, the slowest first.
    pub rungs: Vec<Rung>,
    /// Other rates on the scale, the lowest first.
    pub marks: Vec<Mark>,
}

/// One variant at its best block size and coarsening.
#[derive(Debug, Clone, PartialEq)]
pub struct Rung {
    /// Name of the variant.
    pub variant: String,
    /// Its short name.
    pub short: String,
    /// What it does that slower ones do not; empty where nobody says.
    pub idea: String,
    /// Place of the variant in the registry: picks the colour.
    pub rank: usize,
    /// Threads per block.
    pub block: u32,
    /// Work units per thread.
    pub coarsen: u32,
    /// Its time.
    pub seconds: f64,
    /// What it reaches, in the unit of the scale.
    pub rate: f64,
}

impl Rung {
    /// Block size and coarsening: `256 ×16`.
    pub fn setting(&self) -> String {
        format!("{} ×{}", self.block, self.coarsen)
    }
}

/// A rate on the scale: a library's, or a limit below the end.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// `CUB 1.60 ms`, or `FP32 peak 66.9 TFLOP/s`.
    pub label: String,
    /// In the unit of the scale.
    pub rate: f64,
    /// Whether it is a limit of the hardware.
    pub limit: bool,
}

/// A rung as it is drawn below a slower one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step<'a> {
    /// The rung.
    pub rung: &'a Rung,
    /// How much faster than the one before; `None` for the first.
    pub factor: Option<f64>,
    /// How many rungs between the two are left out.
    pub left_out: usize,
}

impl Step<'_> {
    /// `×93 private bins in shared memory`.
    pub fn says(&self) -> String {
        let mut text =
            self.factor.map_or_else(String::new, |factor| format!("×{}:", short(factor)));
        for part in [self.rung.idea.as_str(), &self.gap()] {
            if !part.is_empty() {
                text.push_str(if text.is_empty() { "" } else { " " });
                text.push_str(part);
            }
        }
        text
    }

    fn gap(&self) -> String {
        match self.left_out {
            0 => String::new(),
            more => format!("({more} between left out)"),
        }
    }
}

/// A factor of a step: a small one with the digits that tell it from 1.
fn short(factor: f64) -> String {
    if factor < 2.0 { format!("{factor:.2}") } else { significant(factor) }
}

impl Ladder {
    /// The ladder of `records` of one system at one size on one device: of each variant the
    /// fastest verified or predicted case. `None` where none has a time.
    pub fn of(records: &[&Record], time: Time) -> Option<Self> {
        let mut best: BTreeMap<(usize, &str), (&Record, f64)> = BTreeMap::new();
        for record in records.iter().filter(|record| record.outcome().is_result()) {
            let Some(seconds) = time.of(record).filter(|seconds| *seconds > 0.0) else { continue };
            let known = best.entry((variant_rank(record), &record.variant));
            let known = known.or_insert((record, seconds));
            if seconds < known.1 {
                *known = (record, seconds);
            }
        }
        let all: Vec<&Record> = best.values().map(|(record, _)| *record).collect();
        let fastest = best.values().map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min);
        let first = *all.first()?;
        let ceilings: BTreeMap<By, Ceiling> = all
            .iter()
            .filter_map(|record| ceiling::ceiling(record))
            .map(|ceiling| (ceiling.by, ceiling))
            .collect();
        let measure = Measure::of(first, &ceilings);
        let rate = |seconds: f64| measure.amount / seconds;
        let mut libraries = ceiling::libraries(first);
        let mut rungs: Vec<Rung> = best
            .iter()
            .map(|((rank, _), (record, seconds))| Rung {
                variant: record.variant.to_string(),
                short: algorithms::short_name(&record.algorithm, &record.variant).to_owned(),
                idea: idea(record),
                rank: *rank,
                block: record.block,
                coarsen: record.coarsen,
                seconds: *seconds,
                rate: rate(*seconds),
            })
            .collect();
        rungs.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));

        let x = Axis { label: measure.label(time), scale: Scale::Linear, unit: measure.unit };
        let limits = ceilings.values().map(|it| (it, rate(it.seconds)));
        let limit = limits.max_by(|a, b| a.1.total_cmp(&b.1));
        // A library beyond the limit computes on other units than these variants.
        libraries.retain(|time| limit.is_none_or(|(_, limit)| rate(time.seconds) <= 1.05 * limit));
        let highest = libraries.iter().map(|time| rate(time.seconds)).fold(rate(fastest), f64::max);
        let near = limit.filter(|(_, limit)| rate(fastest) >= LEAST_SHARE * limit);
        let at_limit = near.filter(|(_, limit)| highest <= *limit);
        let end = at_limit.map_or(highest, |(_, limit)| limit);
        let end_name = at_limit.map_or("highest", |(ceiling, _)| ceiling.by.name());
        let end_label = format!("{end_name} {}", x.format(end));
        let source = match limit {
            None => "the limits of this device are unknown".to_owned(),
            Some((ceiling, limit)) if near.is_none() => {
                let share = significant(100.0 * rate(fastest) / limit);
                format!("{} off the scale: the fastest is at {share} % of it", ceiling.by.name())
            }
            Some((ceiling, _)) => format!("{} {}", ceiling.by.name(), ceiling.by.source()),
        };
        let mut marks: Vec<Mark> = libraries.iter().map(|time| of_library(time, rate)).collect();
        marks.extend(ceilings.values().filter_map(|ceiling| {
            let rate = rate(ceiling.seconds);
            let label = format!("{} {}", ceiling.by.name(), x.format(rate));
            (rate < end).then_some(Mark { label, rate, limit: true })
        }));
        marks.sort_by(|a, b| a.rate.total_cmp(&b.rate));
        let drawn: Vec<Record> = all.iter().map(|record| (*record).clone()).collect();
        let mut caption = vec![sources(&all), source];
        caption.extend(provenance(&libraries));
        Some(Self {
            title: format!("{}: ladder at n = {}", first.algorithm, Elements(first.n)),
            subtitle: format!("{} of the fastest setting · {}", time.name(), shared(first)),
            caption: caption.join("; "),
            source: first.provenance_label(),
            command: command::drawing(
                &command_for(&drawn),
                &first.algorithm,
                command::View::Ladder,
                Some(time).filter(|time| *time != Time::fitting(&drawn)),
            ),
            x,
            end,
            end_label,
            rungs,
            marks,
        })
    }

    /// At most `most` rungs: the slowest, and the fastest of the others.
    pub fn steps(&self, most: usize) -> Vec<Step<'_>> {
        let left_out = self.rungs.len().saturating_sub(most.max(1));
        let kept = self.rungs.iter().enumerate();
        let kept = kept.filter(|(at, _)| *at == 0 || *at > left_out);
        let kept: Vec<(usize, &Rung)> = kept.take(most.max(1)).collect();
        let step = |(place, (at, rung)): (usize, &(usize, &'_ Rung))| {
            let before = place.checked_sub(1).and_then(|place| kept.get(place));
            let factor = before.map(|(_, before)| before.seconds / rung.seconds);
            (factor, before.map_or(0, |(before, _)| at - before - 1))
        };
        let told: Vec<_> = kept.iter().enumerate().map(step).collect();
        let steps = kept.iter().zip(told);
        steps.map(|((_, rung), (factor, left_out))| Step { rung, factor, left_out }).collect()
    }

    /// The place of a rate on the scale, from 0 to 1.
    pub fn at(&self, rate: f64) -> f64 {
        (rate / self.end).clamp(0.0, 1.0)
    }

    /// A rate as a share of the end of the scale: `53 %`.
    pub fn share(&self, rate: f64) -> String {
        let percent = 100.0 * rate / self.end;
        if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
    }

    /// Every rung as text.
    pub(super) fn in_words(&self) -> String {
        let step = |step: &Step| {
            let Step { rung, .. } = step;
            format!(
                "{}, block {}, coarsening {}: {}, {}, {} of the scale; {}.",
                rung.variant,
                rung.block,
                rung.coarsen,
                Seconds(rung.seconds),
                self.x.format(rung.rate),
                self.share(rung.rate),
                step.says()
            )
        };
        let mut parts: Vec<String> = self.steps(usize::MAX).iter().map(step).collect();
        parts.push(format!("The scale ends at: {}.", self.end_label));
        let marks =
            self.marks.iter().map(|mark| format!("{} at {}.", mark.label, self.share(mark.rate)));
        parts.extend(marks);
        parts.join(" ")
    }
}

/// What bars count: the bytes, operations or elements of a case, over its time.
struct Measure {
    amount: f64,
    unit: Unit,
    name: &'static str,
}

impl Measure {
    fn of(record: &Record, ceilings: &BTreeMap<By, Ceiling>) -> Self {
        let arithmetic = ceilings.keys().any(|by| by.is_arithmetic());
        match ceilings.is_empty() {
            false if arithmetic => Self {
                amount: record.flops as f64,
                unit: Unit::FlopsPerSecond,
                name: "arithmetic throughput",
            },
            false => {
                Self { amount: record.bytes as f64, unit: Unit::BytesPerSecond, name: "bandwidth" }
            }
            true => {
                Self { amount: record.n as f64, unit: Unit::ElementsPerSecond, name: "throughput" }
            }
        }
    }

    fn label(&self, time: Time) -> String {
        match time {
            Time::Kernels => self.name.to_owned(),
            Time::EndToEnd => format!("{}, end to end", self.name),
        }
    }
}

fn of_library(time: &LibraryTime, rate: impl Fn(f64) -> f64) -> Mark {
    let label = format!("{} {}", time.library, Seconds(time.seconds));
    Mark { label, rate: rate(time.seconds), limit: false }
}

/// Device, driver and date of the libraries; nothing without one.
fn provenance(times: &[&LibraryTime]) -> Option<String> {
    let first = times.first()?;
    let names: BTreeSet<&str> = times.iter().map(|time| time.library.as_str()).collect();
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    Some(format!("{names}: recorded · {} · driver {} · {}", first.gpu, first.driver, first.date))
}

fn idea(record: &Record) -> String {
    let known = algorithms::find(&record.algorithm).map_or(&[][..], |it| it.variants());
    let found = known.iter().find(|variant| record.variant == variant.name);
    found.map_or_else(String::new, |variant| variant.idea.to_owned())
}

/// The records of the best ladder: those that agree in all but variant, block size and
/// coarsening, with the most variants, then the largest size. Devices stay apart. `None` where
/// nothing has a time.
pub fn select<'a>(records: &[&'a Record], time: Time) -> Option<Vec<&'a Record>> {
    let devices = Devices::of(records.iter().copied());
    let mut groups: Vec<(_, Vec<&Record>)> = Vec::new();
    for it in records.iter().copied().filter(|record| record.outcome().is_result()) {
        if time.of(it).is_none() {
            continue;
        }
        let names = (&it.algorithm, &it.params, it.n, devices.name(it));
        let setting = (names, it.dist.to_string(), it.seed, it.provenance);
        match groups.iter_mut().find(|(known, _)| *known == setting) {
            Some((_, group)) => group.push(it),
            None => groups.push((setting, vec![it])),
        }
    }
    let variants = |group: &[&Record]| {
        group.iter().map(|record| record.variant.as_str()).collect::<BTreeSet<_>>().len()
    };
    // The first of several that are as good: the smallest parameters of a sweep.
    let best =
        groups.into_iter().rev().max_by_key(|(setting, group)| (variants(group), setting.0.2));
    best.map(|(_, group)| group)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
