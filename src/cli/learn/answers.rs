//! `warpscope learn LESSON --answers FILE`: grades a file of answers.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use jiff::Timestamp;

use super::Learn;
use crate::cli::Exit;
use crate::experiment::BackendChoice;
use crate::lessons::beside;
use crate::lessons::grade::{Answer, Mark, reached};
use crate::lessons::progress::{self, Progress};
use crate::lessons::run::{self, Judged};
use crate::lessons::{KernelTry, Lesson, Session, Task, report};
use crate::runner::scheduler::{Control, Options};

pub(super) fn run(
    lesson: &Lesson,
    path: &Path,
    learn: &Learn,
    control: &Control,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    let file = path.display();
    let Some(given) = progress::read(path)? else {
        bail!("there is no file {file}");
    };
    if !given.lesson.is_empty() && given.lesson != lesson.name {
        bail!("{file} has answers to lesson `{}`, not to `{}`", given.lesson, lesson.name);
    }
    let (mut session, notes) = Session::resume(lesson.clone(), &unmarked(&given));
    if let Some(note) = notes.first() {
        bail!("{file}: {note}");
    }
    let trials = lesson.steps.iter().filter_map(|step| match &step.task {
        Task::Run { experiment, .. } => lesson.experiments.get(experiment),
        _ => None,
    });
    let options = Options::default();
    for trial in trials {
        run::run(trial, learn.backend, &options, control, session.results_mut())?;
    }
    let tried = marks(&mut session, path, learn.backend, control)?;
    let uncounted: Vec<_> = session.uncounted().into_iter().cloned().collect();
    run::count(&uncounted, control, session.results_mut())?;
    if control.is_cancelled() {
        return Ok(Exit::Interrupted);
    }
    session.set_recorded(beside::recording(lesson));
    for step in &lesson.steps {
        let words = match (&step.task, session.mark(&step.id), session.answers(&step.id).last()) {
            (Task::Say | Task::Run { .. }, ..) => continue,
            (_, _, None) => "no answer".to_owned(),
            (_, None, Some(_)) => "not graded".to_owned(),
            (_, Some(mark), Some(_)) => mark.name().to_owned(),
        };
        let answered = !session.answers(&step.id).is_empty();
        let truth = session.truth(&step.id).filter(|_| answered).and_then(Result::ok);
        let truth = truth.map(|it| format!("; computed: {}", it.text)).unwrap_or_default();
        writeln!(out, "{:<12} {:<8} {words}{truth}", step.id, step.task.name())?;
    }
    if let Some(to) = &learn.report {
        let page = report::render(&session, &tried, Timestamp::now())?;
        fs::write(to, page).with_context(|| format!("cannot write {}", to.display()))?;
    }
    let passed = session.is_passed();
    writeln!(out, "{}", if passed { "passed" } else { "not passed" })?;
    Ok(if passed { Exit::Fine } else { Exit::Wrong })
}

/// The answers without the marks that a file may claim.
fn unmarked(given: &Progress) -> Progress {
    let mut given = given.clone();
    for answer in given.answers.values_mut().flat_map(|answers| &mut answers.0) {
        answer.mark = None;
    }
    given
}

/// Runs and grades the changes and the kernels of a session.
fn marks(
    session: &mut Session,
    file: &Path,
    backend: BackendChoice,
    control: &Control,
) -> anyhow::Result<Vec<(String, KernelTry)>> {
    let lesson = session.lesson().clone();
    let mut tried = Vec::new();
    for step in &lesson.steps {
        let Some(given) = session.answers(&step.id).last().cloned() else { continue };
        let mark = match (&step.task, &given.answer) {
            (Task::Change(change), Answer::Change { axis, value }) => {
                let Some(trial) = lesson.experiments.get(&change.experiment) else { continue };
                let changed = change.applied(trial, axis, value).map_err(anyhow::Error::msg)?;
                run::run(&changed, backend, &Options::default(), control, session.results_mut())?;
                match reached(&lesson, change, (axis, value), session.results()) {
                    Ok(true) => Mark::Right,
                    Ok(false) => Mark::Wrong,
                    Err(missing) => bail!("step `{}`: {missing}", step.id),
                }
            }
            (Task::Write(write), Answer::Kernel(path)) => {
                // A kernel stands beside the file of answers.
                let beside = file.parent().map(|folder| folder.join(path));
                let path = beside.filter(|it| it.exists()).unwrap_or_else(|| path.into());
                match run::judge(&lesson, write, &path, backend, control)? {
                    Judged::Tried(kernel) => {
                        let mark = kernel.mark(write.faster);
                        tried.push((step.id.clone(), kernel));
                        mark
                    }
                    Judged::Refused(reason) => bail!("step `{}`: {reason}", step.id),
                    Judged::NoCompiler(install) => bail!(
                        "step `{}`: no CUDA compiler found; get one with `{install}`",
                        step.id
                    ),
                    Judged::Cancelled => continue,
                }
            }
            _ => continue,
        };
        session.set_mark(&step.id, mark);
    }
    Ok(tried)
}
