//! `warpscope run --explain`: why one of two cases is faster, or what limits one.

use std::io::Write;

use serde::Serialize;

use super::text;
use crate::analysis::explain::{self, Explanation, Next, Span, Subject};
use crate::experiment::{Case, Experiment, SampleChoice};
use crate::gpu;
use crate::results::record::Record;
use crate::runner::scheduler::{self, Control, ProfiledCase};

/// Records and what explains their times.
#[derive(Debug, Serialize)]
struct Explained<'a> {
    records: &'a [Box<Record>],
    explanation: Option<Explanation>,
    /// Why there is no explanation.
    silence: Option<String>,
}

/// Counts the cases on the emulator, and prints what limits the only one, or why one of
/// two is faster.
pub(super) fn print(
    records: &[Box<Record>],
    experiment: &Experiment,
    control: &Control,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let counted: Vec<Option<ProfiledCase>> = records
        .iter()
        .map(|record| count(record, experiment, control))
        .collect::<Result<_, _>>()?;
    let subject = |at: usize| Some(subject(records.get(at)?, counted.get(at)?.as_ref()));
    let explanation = match (subject(0), subject(1)) {
        (Some(a), Some(b)) => explain::difference(a, b, Span::Kernels),
        (Some(a), None) => explain::one(a, Span::Kernels),
        _ => return Ok(()),
    };
    let explanation = explanation.map(|mut explanation| {
        explanation.next = tested(&explanation, experiment, control).into_iter().collect();
        explanation
    });
    if json {
        let (explanation, silence) = match explanation {
            Ok(explanation) => (Some(explanation), None),
            Err(silence) => (None, Some(silence.to_string())),
        };
        serde_json::to_writer(&mut *out, &Explained { records, explanation, silence })?;
        writeln!(out)?;
        return Ok(());
    }
    out.write_all(text::explanation(records, explanation.as_ref()).as_bytes())?;
    Ok(())
}

/// A case with what the emulator counted for it. The counters of a modelled case are its
/// own; its profile gives only the lines.
fn subject<'a>(record: &'a Record, counted: Option<&'a ProfiledCase>) -> Subject<'a> {
    let own = Subject::from(record);
    let profiled = counted.map(|profiled| &profiled.record);
    let profile = counted.and_then(|profiled| profiled.profile.as_ref());
    Subject { counted: own.counted.or(profiled), profile, ..own }
}

/// Profiles the case of a record. A sample of its blocks is enough where the counters are
/// already there.
fn count(
    record: &Record,
    experiment: &Experiment,
    control: &Control,
) -> anyhow::Result<Option<ProfiledCase>> {
    if record.median().is_none() {
        return Ok(None);
    }
    let sample = match record.model {
        Some(_) => SampleChoice::Always,
        None => experiment.target.sample,
    };
    profile(&record.case(), gpu_of(record, experiment).as_deref(), sample, control)
}

/// Profiles a case; all of its blocks where a sample cannot run.
fn profile(
    case: &Case,
    gpu: Option<&str>,
    sample: SampleChoice,
    control: &Control,
) -> anyhow::Result<Option<ProfiledCase>> {
    let found = scheduler::profile_kernels(case, gpu, sample, control)?;
    let counts = found.as_ref().is_some_and(|profiled| profiled.profile.is_some());
    if counts || sample != SampleChoice::Always || control.is_cancelled() {
        return Ok(found);
    }
    Ok(scheduler::profile_kernels(case, gpu, SampleChoice::Auto, control)?)
}

/// The GPU to predict for: the one that was asked for, or that of the record.
fn gpu_of(record: &Record, experiment: &Experiment) -> Option<String> {
    let named = || Some(gpu::spec_of_device(&record.device.name)?.name.clone());
    experiment.target.gpu.clone().or_else(named)
}

/// The first experiment for which the model predicts an effect.
fn tested(explanation: &Explanation, experiment: &Experiment, control: &Control) -> Option<Next> {
    let gpu = experiment.target.gpu.as_deref();
    explanation.next.iter().find_map(|next| {
        let profile = |case: &Case| {
            let found = profile(case, gpu, SampleChoice::Always, control).ok()??;
            found.record.median().map(|_| found)
        };
        let before = profile(&next.before)?.record.median()?;
        next.clone().predicted(before, &profile(&next.case)?.record)
    })
}
