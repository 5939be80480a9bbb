//! Everything that [`crate::tui::app::update`] can ask for.

use std::path::PathBuf;

use super::ExportRequest;
use crate::class;
use crate::experiment::{BackendChoice, Case, Experiment, Target};
use crate::export::image;
use crate::figure::Picture;
use crate::lessons::progress::{Keeper, Progress};
use crate::lessons::{Lesson, Session, Write};
use crate::results::record::{Record, Shared};
use crate::settings::{Motion, Settings};
use crate::tui::screens::class::state::Answered;
use crate::tui::screens::profile::state::Wanted;
use crate::tui::screens::runs::state::Request;
use crate::tui::screens::step::state as stepped;

/// Something that [`crate::tui::app::update`] asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Effect {
    /// Run an experiment on a thread.
    Start {
        /// Number of the run, which its reports carry.
        run: u64,
        experiment: Box<Experiment>,
        /// The file for its results, where that is not the one of the options.
        store: Option<PathBuf>,
        /// At which speed results appear; `None` as they come.
        pace: Option<f64>,
    },
    Pause(bool),
    Cancel,
    /// Let the running session go on with this instead.
    Replan(Box<Experiment>),
    /// Profile a case on the emulator; ends the running profile.
    Profile {
        /// Number of the attempt, which its result carries.
        id: u64,
        wanted: Box<Wanted>,
    },
    /// End the running profile.
    StopProfiling,
    /// Record a block on the emulator; ends the running recording.
    Record {
        /// Number of the attempt, which its result carries.
        id: u64,
        wanted: Box<stepped::Wanted>,
    },
    /// End the running recording.
    StopRecording,
    /// Compute the output of a case on the CPU.
    Preview(Box<Case>),
    Runs(Request),
    /// Replay stored results on a thread.
    Replay {
        /// Number of the run, which its reports carry.
        run: u64,
        /// All results of the stored run.
        records: Shared<Vec<Record>>,
        /// Which of them.
        experiment: Box<Experiment>,
        /// How many times as fast as they were measured; 0 at once.
        speed: f64,
    },
    /// Compile the user's file, now and after every change.
    Watch {
        path: PathBuf,
        /// The built-in algorithm that its kernels belong to, if that is not up to the file.
        like: Option<String>,
        /// What the kernels run on.
        target: Target,
    },
    /// Run variants of the user's file at a small size under the sanitizer.
    Check {
        /// Number of the version, which the result carries.
        version: u32,
        experiment: Box<Experiment>,
        variants: Vec<String>,
    },
    /// Let the user edit a file, with the cursor on a line.
    Edit {
        path: PathBuf,
        line: u32,
        /// What the file holds where it is not there yet.
        template: Option<String>,
    },
    /// Let the replay go on at another speed.
    Speed(f64),
    /// Let the paused replay report one more case.
    NextPoint,
    /// Draw a picture small, on a ground.
    Draw(Box<Picture>, image::Style),
    Export(Box<ExportRequest>),
    /// What the teacher of a class asks for.
    Class(class::Command),
    /// Show students the answer.
    ShowClass(Box<Answered>),
    /// Read the results of a lesson, and what the recording has for its cases.
    Learned {
        /// The lesson's place in the list.
        entry: usize,
        file: Option<PathBuf>,
        lesson: Box<Lesson>,
    },
    /// Write the report of a lesson; an older one is replaced.
    Report {
        session: Box<Session>,
        path: PathBuf,
        now: jiff::Timestamp,
    },
    /// Keep the answers to a lesson.
    KeepAnswers(Keeper, Box<Progress>),
    /// Compile, check and time the kernel of a lesson's step.
    Judge {
        lesson: Box<Lesson>,
        write: Box<Write>,
        /// Name of the step.
        step: String,
        path: PathBuf,
        backend: BackendChoice,
    },
    /// End that.
    StopJudging,
    /// Let the emulator count what a GPU measured.
    Count(Vec<Record>),
    Copy(String),
    /// Let things move by themselves, or not.
    Motion(Motion),
    Keep(Box<Settings>),
    /// Listen to the mouse, or stop.
    Mouse(bool),
    /// Put the program into the background.
    Suspend,
    Redraw,
    Leave,
}
