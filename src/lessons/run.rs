//! Runs what a lesson needs: its experiments on a backend, the cases of the H200's recording,
//! and a student's kernel.

use std::path::Path;

use super::lesson::{Lesson, Trial, Write};
use super::results::Results;
use super::session::KernelTry;
use crate::experiment::{BackendChoice, Case, Experiment, Target};
use crate::own;
use crate::results::record::{Outcome, Record};
use crate::runner::plan;
use crate::runner::scheduler::{
    self, Control, Event, Options, SchedulerError, Verdict, check_variants,
};
use crate::runner::source::{self, Opened, SourceError, no_compiler};

/// Runs the cases of an experiment that have no result yet. Its own target, the emulator,
/// is replaced by `backend`.
///
/// # Errors
/// If no worker can run them.
pub fn run(
    trial: &Trial,
    backend: BackendChoice,
    options: &Options,
    control: &Control,
    results: &mut Results,
) -> Result<(), SchedulerError> {
    if trial.cases.iter().all(|case| results.get(case).is_some()) {
        return Ok(());
    }
    let experiment = on(&trial.experiment, backend);
    scheduler::run(&experiment, options, control, &mut |event| {
        if let Event::Finished { record, .. } = event {
            results.add(record);
        }
    })?;
    Ok(())
}

/// The experiment on a backend. A profile belongs to the emulator alone.
fn on(experiment: &Experiment, backend: BackendChoice) -> Experiment {
    let gpu = experiment.target.gpu.clone().filter(|_| backend == BackendChoice::Emulator);
    let target = Target { backend, gpu, ..experiment.target.clone() };
    Experiment { target, ..experiment.clone() }
}

/// Counts cases on the emulator that a GPU measured.
///
/// # Errors
/// If the emulator cannot run them.
pub fn count(
    cases: &[Case],
    control: &Control,
    results: &mut Results,
) -> Result<(), SchedulerError> {
    for case in cases {
        let Some(record) = results.get(case).map(|it| it.record.clone()) else { continue };
        if let Some(counted) = scheduler::count(&record, control)? {
            results.count(Box::new(counted.record));
        }
    }
    Ok(())
}

/// What became of a student's kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum Judged {
    /// It was compiled, checked and timed.
    Tried(KernelTry),
    /// It was not: what the compiler or the header block says, in lines with their places.
    Refused(String),
    /// There is no compiler: what installs one. The step can be skipped.
    NoCompiler(String),
    /// It was cancelled.
    Cancelled,
}

/// Compiles the kernel of the file at `path`, runs it under the sanitizer and against the
/// reference, and times it beside the variant to beat.
///
/// # Errors
/// If no worker can run it.
pub fn judge(
    lesson: &Lesson,
    write: &Write,
    path: &Path,
    backend: BackendChoice,
    control: &Control,
) -> Result<Judged, SchedulerError> {
    let Some(trial) = lesson.experiments.get(&write.experiment) else {
        return Ok(Judged::Refused("the lesson has no such experiment".to_owned()));
    };
    let experiment = on(&trial.experiment, backend);
    let path = path.display().to_string();
    let opened = source::open(&path, Some(&experiment.algorithm), &experiment.target);
    judge_opened(&experiment, opened, control)
}

/// The same for the lesson's own solution.
///
/// # Errors
/// If no worker can run it.
pub fn judge_solution(
    trial: &Trial,
    write: &Write,
    control: &Control,
) -> Result<Judged, SchedulerError> {
    let (experiment, text) = (&trial.experiment, write.solution.clone());
    let opened = source::load("solution.cu", text, Some(&experiment.algorithm), &experiment.target);
    judge_opened(experiment, opened, control)
}

fn judge_opened(
    experiment: &Experiment,
    opened: Result<Opened, SourceError>,
    control: &Control,
) -> Result<Judged, SchedulerError> {
    let opened = match opened {
        Ok(opened) => opened,
        Err(error) => {
            return Ok(match no_compiler(&error) {
                Some(install) => Judged::NoCompiler(install),
                None => Judged::Refused(error.to_string()),
            });
        }
    };
    let algorithm = opened.system.name();
    let own = opened.system.variants().iter().map(|it| it.name);
    let Some(name) = own.into_iter().find(|it| own::hash_of(algorithm, it).is_some()) else {
        return Ok(Judged::Refused("the file has no kernel".to_owned()));
    };
    let mut both = experiment.clone();
    algorithm.clone_into(&mut both.algorithm);
    both.variants.push(name.to_owned());
    if let Err(error) = plan::check(&both) {
        return Ok(Judged::Refused(error.to_string()));
    }
    let mut findings = Vec::new();
    check_variants(&both, &[name], control, &mut |checked| match checked.verdict {
        Verdict::Checked(found) => findings.extend(found.iter().map(ToString::to_string)),
        Verdict::Unchecked(reason) => findings.push(format!("it cannot be checked: {reason}")),
    })?;
    if control.is_cancelled() {
        return Ok(Judged::Cancelled);
    }
    let mut tried =
        KernelTry { name: name.to_owned(), findings, seconds: None, built_in: f64::NAN };
    if !tried.findings.is_empty() {
        // A wrong kernel is not timed: it may write anywhere.
        return Ok(Judged::Tried(tried));
    }
    let mut records: Vec<Box<Record>> = Vec::new();
    scheduler::run(&both, &Options::default(), control, &mut |event| {
        if let Event::Finished { record, .. } = event {
            records.push(record);
        }
    })?;
    if control.is_cancelled() {
        return Ok(Judged::Cancelled);
    }
    for record in records {
        if record.variant != name {
            tried.built_in = record.median().unwrap_or(f64::NAN);
        } else if record.outcome() == Outcome::Verified {
            tried.seconds = record.median();
        } else {
            let said = record.wrong.as_ref().map(|wrong| wrong.message.clone());
            let said = said.or_else(|| record.skip.as_ref().map(ToString::to_string));
            tried.findings.push(said.unwrap_or_else(|| "its output was not verified".to_owned()));
        }
    }
    Ok(Judged::Tried(tried))
}
