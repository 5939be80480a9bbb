//! `warpscope learn --check`: do the conclusions of the lessons hold?

use std::io::Write;
use std::time::Instant;

use serde_json::json;

use super::Learn;
use crate::cli::Exit;
use crate::experiment::BackendChoice;
use crate::lessons::check::{Agreement, Conclusion, Source, conclusions};
use crate::lessons::run::{self, Judged};
use crate::lessons::{Lesson, LessonError, Results, Task, Trial};
use crate::runner::scheduler::{Control, Options, SchedulerError};
use crate::units::Seconds;

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

pub(super) fn run(
    lessons: Vec<Result<Lesson, LessonError>>,
    learn: &Learn,
    control: &Control,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    let (mut exit, mut all) = (Exit::Fine, Vec::new());
    for lesson in lessons {
        let lesson = match lesson {
            Ok(lesson) => lesson,
            Err(error) => {
                exit = Exit::Wrong;
                if learn.json {
                    all.push(json!({ "error": error.to_string() }));
                } else {
                    writeln!(out, "{error}")?;
                }
                continue;
            }
        };
        let checked = check(&lesson, learn.backend, control)?;
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
            out.write_all(text(&checked).as_bytes())?;
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
) -> Result<Checked, SchedulerError> {
    let started = Instant::now();
    let trials = trials(lesson);
    let options = Options::default();
    let mut emulated = Results::default();
    for trial in &trials {
        run::run(trial, BackendChoice::Emulator, &options, control, &mut emulated)?;
    }
    let mut found = conclusions(lesson, Source::Emulator, &emulated);
    let mut other = Results::default();
    let source = if backend == BackendChoice::Cuda { Source::Cuda } else { Source::Recording };
    for trial in &trials {
        if source == Source::Recording {
            run::recorded(&trial.cases, &emulated, &mut other);
            continue;
        }
        run::run(trial, BackendChoice::Cuda, &options, control, &mut other)?;
        for counted in trial.cases.iter().filter_map(|case| emulated.get(case)) {
            other.count(counted.record.clone());
        }
    }
    found.extend(conclusions(lesson, source, &other));
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
