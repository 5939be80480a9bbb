//! `warpscope learn`: lessons.

mod answers;
mod check;

use std::io::Write;
use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use jiff::Timestamp;
use serde_json::json;

use super::{Cli, Exit, interface, interrupt};
use crate::experiment::BackendChoice;
use crate::lessons::{Lesson, LessonError, progress, shelf};
use crate::runner::scheduler::Control;
use crate::tui::screens::learn::state::{self, Entry};

/// Learn by predicting, measuring and explaining.
#[derive(Debug, Clone, Args)]
#[command(
    after_help = "A lesson needs no GPU: its experiments run on the emulator. LESSON is a number, a \
name, or a file.

Examples:
  warpscope learn                                     the lessons, in the terminal interface
  warpscope learn 1                                   the first one, where you left it
  warpscope learn --list
  warpscope learn --check                             every conclusion of every lesson
  warpscope learn --check my-lesson.toml
  warpscope learn 1 --answers me.toml --report me.html  grade answers without a screen"
)]
pub struct Learn {
    /// The lesson; with --check, the lessons to check [default: all]
    #[arg(value_name = "LESSON")]
    pub lessons: Vec<String>,
    /// List the lessons
    #[arg(long, conflicts_with_all = ["check", "answers", "lessons"])]
    pub list: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Compare every conclusion with the emulator and the H200 recording, or with the GPU of
    /// --backend cuda; exit code 1 if one differs
    #[arg(long, conflicts_with = "answers")]
    pub check: bool,
    /// Grade the answers of a file; exit code 0 passed, 1 not passed
    #[arg(long, value_name = "FILE.toml")]
    pub answers: Option<PathBuf>,
    /// Write a report of the graded answers
    #[arg(long, value_name = "FILE.html", requires = "answers")]
    pub report: Option<PathBuf>,
    /// Folder with lessons in place of the built-in ones
    #[arg(long = "lessons", value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
    /// What runs the experiments: emulator or cuda
    #[arg(long, value_name = "BACKEND", default_value = "emulator")]
    pub backend: BackendChoice,
}

pub(super) fn run(cli: &Cli, learn: &Learn, out: &mut impl Write) -> anyhow::Result<Exit> {
    let folder = learn.folder.as_deref();
    if learn.list {
        return list(&shelf::all(folder)?, learn.json, out);
    }
    let control = Control::new();
    if learn.check {
        let lessons = match learn.lessons.as_slice() {
            [] => shelf::all(folder)?,
            words => words.iter().map(|word| shelf::find(word, folder)).collect(),
        };
        let _listener = interrupt::cancels(&control)?;
        return check::run(lessons, learn, &control, out);
    }
    let lesson = match learn.lessons.as_slice() {
        [] => None,
        [word] => Some(shelf::find(word, folder)?),
        _ => bail!("several lessons: give one, or --check"),
    };
    match (lesson, &learn.answers) {
        (Some(lesson), Some(answers)) => {
            let _listener = interrupt::cancels(&control)?;
            answers::run(&lesson, answers, learn, &control, out)
        }
        (None, Some(_)) => {
            bail!("--answers needs a lesson, as in `warpscope learn 1 --answers FILE`")
        }
        (lesson, None) => screen(cli, lesson, learn),
    }
}

/// Opens the lessons in the terminal interface: at the list, or at a lesson.
fn screen(cli: &Cli, lesson: Option<Lesson>, learn: &Learn) -> anyhow::Result<Exit> {
    let kept = progress::folder(cli.config.as_deref());
    let (mut lessons, mut problems) = (Vec::new(), Vec::new());
    for found in shelf::all(learn.folder.as_deref())? {
        match found {
            Ok(lesson) => lessons.push(lesson),
            Err(error) => problems.push(error.to_string()),
        }
    }
    let mut row = None;
    if let Some(lesson) = lesson {
        // A file of its own stands in the list too.
        let place = lessons.iter().position(|it| *it == lesson);
        row = place.or(Some(lessons.len()));
        if place.is_none() {
            lessons.push(lesson);
        }
    }
    let entries = lessons.into_iter().map(|lesson| Entry::new(lesson, kept.as_deref()));
    let backend = cli.backend.unwrap_or(learn.backend);
    let mut state = state::Learn::new(entries.collect(), problems, backend, Timestamp::now());
    state.first = row;
    interface::learn(cli, state)
}

/// Lists the lessons. A file that is not a lesson is listed with its error.
fn list(
    lessons: &[Result<Lesson, LessonError>],
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<Exit> {
    if json {
        let one = |lesson: &Result<Lesson, LessonError>| match lesson {
            Ok(lesson) => json!({
                "name": lesson.name,
                "title": lesson.title,
                "summary": lesson.summary,
                "minutes": lesson.minutes,
                "needs": lesson.needs,
                "claim": lesson.claim.text,
                "source": lesson.claim.source,
                "steps": lesson
                    .steps
                    .iter()
                    .map(|step| json!({ "id": step.id, "kind": step.task.name(), "title": step.title }))
                    .collect::<Vec<_>>(),
            }),
            Err(error) => json!({ "error": error.to_string() }),
        };
        let lessons: Vec<_> = lessons.iter().map(one).collect();
        serde_json::to_writer_pretty(&mut *out, &lessons)?;
        writeln!(out)?;
    } else {
        let names = lessons.iter().flatten().map(|lesson| lesson.name.chars().count());
        let width = names.max().unwrap_or(0);
        for lesson in lessons {
            match lesson {
                Ok(lesson) => {
                    let Lesson { name, title, minutes, summary, .. } = lesson;
                    writeln!(out, "{name:<width$}  {title} ({minutes} min)")?;
                    writeln!(out, "{:<width$}  {summary}", "")?;
                }
                Err(error) => writeln!(out, "error: {error}")?,
            }
        }
    }
    let broken = lessons.iter().any(Result::is_err);
    Ok(if broken { Exit::Usage } else { Exit::Fine })
}
