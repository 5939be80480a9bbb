//! The terminal interface: a form, a live chart and bins.
//!
//! ```text
//! keys, mouse --> keymap --> Action --> update --> Effect --> threads, files
//!                                         |                      |
//!                              Model <----+<------ Action <------+
//!                                |
//!                              view --> terminal
//! ```
//!
//! `app::update` is pure; `app::effect` is the only room with threads and channels;
//! [`app::view`] draws the model and notes what a click on it means.

use std::path::PathBuf;

use crate::class::Opening;
use crate::experiment::{BackendChoice, Experiment};
use crate::results::record::{Record, Shared};
use crate::runner::scheduler;
use crate::settings::{Motion, Pictures, Settings};
use anyhow::Context;
use app::{effect, model};
use screens::class::state::Desk;
use screens::class::update;

pub mod app;
pub mod dialogs;
#[cfg(test)]
mod fixture;
pub mod own;
pub mod recording;
pub mod screens;
pub mod terminal;
pub mod theme;
pub mod widgets;

/// What the terminal interface starts on.
// Its flags are independent facts; folding them into enums would invent states.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone, Default)]
pub struct Start {
    /// What the form holds.
    pub experiment: Experiment,
    /// Stored results to show behind the live ones. Empty with `read_only`
    /// unset shows the built-in recording.
    pub shown: Shared<Vec<Record>>,
    /// Where `shown` comes from, as the header names it: a file name.
    pub source: String,
    /// Whether running is off, as for `warpscope show`.
    pub read_only: bool,
    /// Whether to draw with ASCII characters only (also chosen by
    /// `WARPSCOPE_ASCII` and by a locale that is not UTF-8).
    pub ascii: bool,
    /// Where results are stored and what runs them.
    pub session: scheduler::Options,
    /// What was kept of earlier starts.
    pub settings: Settings,
    /// Whether to begin with the hints of the first launch.
    pub tour: bool,
    /// What is wrong with what was kept.
    pub problem: Option<String>,
    /// The file that settings are kept in; none keeps nothing.
    pub config: Option<PathBuf>,
    /// The backend that was asked for, which counts now and is not kept.
    pub asked_backend: Option<BackendChoice>,
    /// Whether to begin with the layout for a projector.
    pub present: bool,
    /// How much may move by itself, where that was asked for.
    pub motion: Option<Motion>,
    /// Whether charts are pixels, where that was asked for.
    pub pictures: Option<Pictures>,
    /// The folder in which each run gets a file of its own; none keeps results in
    /// memory.
    pub folder: Option<PathBuf>,
    /// The user's file, which is compiled, run and watched.
    pub own: Option<OwnStart>,
    /// Lessons, which the program then opens on.
    pub learn: Option<screens::learn::state::Learn>,
}

/// The user's file to start on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnStart {
    /// The file.
    pub path: PathBuf,
    /// The built-in algorithm that its kernels belong to, where the command line names one.
    pub like: Option<String>,
}

/// Runs the terminal interface until the user leaves.
///
/// # Errors
/// If the terminal cannot be set up or stops giving input.
pub fn run(start: Start) -> anyhow::Result<()> {
    run_with(start, None)
}

/// Runs the terminal interface as the teacher's screen of a class until the teacher leaves.
///
/// # Errors
/// As [`run`], or if students cannot be served.
pub fn teach(start: Start, opening: Opening) -> anyhow::Result<()> {
    run_with(start, Some(opening))
}

fn run_with(start: Start, class: Option<Opening>) -> anyhow::Result<()> {
    let look = model::Look {
        theme: start.settings.theme.unwrap_or_default(),
        colour: !set("NO_COLOR"),
        ascii: start.ascii
            || start.settings.ascii == Some(true)
            || set("WARPSCOPE_ASCII")
            || !locale_is_utf8(),
    };
    let mut model = model::Model::new(&start, look);
    let (mut effects, messages) = effect::Effects::new(start.session, start.folder, start.config);
    if let Some(opening) = class {
        update::open(&mut model, Desk::new(&opening));
        effects.open_class(opening).context("cannot serve the class")?;
    }
    terminal::run(model, &mut effects, &messages)
}

/// Whether an environment variable is there and not empty.
fn set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}

/// Whether the terminal's locale says UTF-8. Without any locale a terminal of
/// today is taken for one that reads it, except the kernel's plain `C`.
fn locale_is_utf8() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty());
    match locale {
        None => true,
        Some(locale) => {
            let locale = locale.to_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        }
    }
}
