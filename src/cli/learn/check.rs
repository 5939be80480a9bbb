//! `warpscope learn --check`: do the conclusions of the lessons hold?

use std::io::Write;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::Learn;
use crate::cli::Exit;
use crate::experiment::BackendChoice;
use crate::lessons::beside;
use crate::lessons::check::{Agreement, Conclusion, Source, conclusions};
use crate::lessons::run::{self, Judged};
use crate::lessons::{Lesson, LessonError, Results, Task, Trial};
use crate::runner::scheduler::{Control, Options, SchedulerError};
use crate::units::{Seconds, text as plain};

/// What the check of one lesson found.
struct Checked {
    name: String,
    conclusions: Vec<Conclusion>,
    /// What could not be checked here.
    left_out: Vec<String>,
    seconds: f64,
}

impl Checked {
    fn count(&self, outcome: Agreement) -> usize {
        self.conclusions.iter().filter(|it| it.outcome == outcome).count()
    }
}

/// How far the check is, in one line of standard error where that is a terminal.
struct Progress(ProgressBar);

impl Progress {
    fn new(lessons: usize) -> Self {
        let bar = ProgressBar::new(lessons as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:20} {pos}/{len} lessons · {wide_msg}")
        {
            bar.set_style(style);
        }
        Self(bar)
    }

    fn tell(&self, done: usize, lesson: &str, what: &str) {
        self.0.set_position(done as u64);
        self.0.set_message(plain::line(&format!("{lesson}: {what}")).into_owned());
    }

    /// Writes to standard output, which may be the same terminal.
    fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.0.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

pub(super) fn run(
    lessons: Vec<Result<Lesson, LessonError>>,
    learn: &Learn,
    control: &Control,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    let (mut exit, mut all) = (Exit::Fine, Vec::new());
    let progress = Progress::new(lessons.len());
    for (at, lesson) in lessons.into_iter().enumerate() {
        let lesson = match lesson {
            Ok(lesson) => lesson,
            Err(error) => {
                exit = Exit::Wrong;
                if learn.json {
                    all.push(json!({ "error": error.to_string() }));
                } else {
                    progress.aside(|| writeln!(out, "{error}"))?;
                }
                continue;
            }
        };
        let tell = |what: &str| progress.tell(at, &lesson.name, what);
        let checked = check(&lesson, learn.backend, control, &tell)?;
        if control.is_cancelled() {
            return Ok(Exit::Interrupted);
        }
        if checked.count(Agreement::Differs) > 0 {
            exit = Exit::Wrong;
        }
        if learn.json {
            all.push(json!({
                "lesson": checked.name,
                "seconds": checked.seconds,
                "conclusions": checked.conclusions,
                "not_checked": checked.left_out,
            }));
        } else {
            progress.aside(|| out.write_all(text(&checked).as_bytes()))?;
        }
    }
    if learn.json {
        serde_json::to_writer_pretty(&mut *out, &all)?;
        writeln!(out)?;
    }
    Ok(exit)
}

fn text(checked: &Checked) -> String {
    let Checked { name, conclusions, left_out, seconds } = checked;
    let [holds, differs, not] =
        [Agreement::Holds, Agreement::Differs, Agreement::NotCompared].map(|it| checked.count(it));
    let mut text = format!("{name}: {holds} conclusions hold");
    if differs > 0 {
        text.push_str(&format!(", {differs} DIFFER"));
    }
    if not > 0 {
        text.push_str(&format!(", {not} not recorded"));
    }
    text.push_str(&format!(" ({})\n", Seconds(*seconds)));
    for conclusion in conclusions.iter().filter(|it| it.outcome == Agreement::Differs) {
        text.push_str(&format!("  {name}.toml:{}: {conclusion}\n", conclusion.line));
    }
    for reason in left_out {
        text.push_str(&format!("  not checked: {reason}\n"));
    }
    text
}

fn check(
    lesson: &Lesson,
    backend: BackendChoice,
    control: &Control,
    tell: &dyn Fn(&str),
) -> Result<Checked, SchedulerError> {
    let started = Instant::now();
    let trials = trials(lesson);
    let options = Options::default();
    let mut emulated = Results::default();
    for (at, trial) in trials.iter().enumerate() {
        tell(&format!("experiment {} of {} on the emulator", at + 1, trials.len()));
        run::run(trial, BackendChoice::Emulator, &options, control, &mut emulated)?;
    }
    let mut found = conclusions(lesson, Source::Emulator, &emulated);
    let source = if backend == BackendChoice::Cuda { Source::Cuda } else { Source::Recording };
    let mut other = Results::default();
    if source == Source::Recording {
        other = beside::recording(lesson);
    } else {
        for (at, trial) in trials.iter().enumerate() {
            tell(&format!("experiment {} of {} on the GPU", at + 1, trials.len()));
            run::run(trial, BackendChoice::Cuda, &options, control, &mut other)?;
        }
    }
    for counted in trials.iter().flat_map(|it| &it.cases).filter_map(|case| emulated.get(case)) {
        other.count(counted.record.clone());
    }
    found.extend(conclusions(lesson, source, &other));
    tell("kernels to write");
    let left_out = solutions(lesson, control, &mut found)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(Checked { name: lesson.name.clone(), conclusions: found, left_out, seconds })
}

/// The experiments of a lesson, and those that solve its `change` steps.
fn trials(lesson: &Lesson) -> Vec<Trial> {
    let mut trials: Vec<Trial> = lesson.experiments.values().cloned().collect();
    for step in &lesson.steps {
        if let Task::Change(change) = &step.task
            && let Some(trial) = lesson.experiments.get(&change.experiment)
        {
            let (axis, value) = &change.solution;
            trials.extend(change.applied(trial, axis, value));
        }
    }
    trials
}

/// Compiles, checks and times the solutions of `write` steps; what could not be checked.
fn solutions(
    lesson: &Lesson,
    control: &Control,
    found: &mut Vec<Conclusion>,
) -> Result<Vec<String>, SchedulerError> {
    let mut left_out = Vec::new();
    for step in &lesson.steps {
        let Task::Write(write) = &step.task else { continue };
        let Some(trial) = lesson.experiments.get(&write.experiment) else { continue };
        let (computed, holds) = match run::judge_solution(trial, write, control)? {
            Judged::Cancelled => continue,
            Judged::NoCompiler(install) => {
                let id = &step.id;
                left_out.push(format!(
                    "the kernel of step `{id}`: no CUDA compiler found; get one with `{install}`"
                ));
                continue;
            }
            Judged::Refused(reason) => (reason, false),
            Judged::Tried(tried) => match (tried.findings.first(), tried.ratio()) {
                (Some(finding), _) => (finding.clone(), false),
                (None, None) => ("it has no time".to_owned(), false),
                (None, Some(ratio)) => {
                    (format!("right, and {ratio:.2}× as fast"), ratio >= write.faster)
                }
            },
        };
        found.push(Conclusion {
            step: step.id.clone(),
            line: step.line,
            figure: "solution".to_owned(),
            source: Source::Emulator,
            computed,
            claimed: format!("right, and at least {}× as fast", write.faster),
            outcome: if holds { Agreement::Holds } else { Agreement::Differs },
        });
    }
    Ok(left_out)
}
