//! The only room with threads and channels: it carries out what [`update`]
//! asks for, and turns what threads report into [`Message`]s.
//!
//! [`update`]: crate::tui::app::update

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::class::{self, Opening};
use crate::experiment::{BackendChoice, Case, Experiment, Target};
use crate::export::report::html::Counted;
use crate::export::{image, report};
use crate::figure::Picture;
use crate::lessons::progress::{Keeper, Progress};
use crate::lessons::{self, Lesson, Write};
use crate::results::record::{Provenance, Record, Shared};
use crate::results::store;
use crate::runner::scheduler;
use crate::runner::scheduler::Control;
use crate::settings::{Motion, Settings};
use crate::tui::app::action::{Action, ExportError};
use crate::tui::app::model::{Origin, ShownOutput};
use crate::tui::dialogs::state::Format;
use crate::tui::screens::class::state::Answered;
use crate::tui::screens::learn::state as learn;
use crate::tui::screens::profile::state::Wanted;
use crate::tui::screens::runs::state::Request;
use crate::tui::screens::step::state as stepped;
use crate::tui::screens::sweep::state::selects;
use crate::tui::terminal::pixels::Ready;
use crate::{figure, settings};
use anyhow::Context;

mod own;
mod runs;
mod step;
mod teaching;

/// Width and height of a picture drawn small, in pixels.
const SMALL: (u32, u32) = (640, 400);

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
    /// Read the results of a lesson.
    Learned {
        /// The lesson's place in the list.
        entry: usize,
        file: PathBuf,
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

/// What to write, and where to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExportRequest {
    pub(crate) format: Format,
    pub(crate) path: PathBuf,
    /// Whether an existing file may be replaced.
    pub(crate) replace: bool,
    /// What a picture shows.
    pub(crate) picture: Option<Box<Picture>>,
    pub(crate) style: image::Style,
    pub(crate) size: image::Size,
    /// Where the records come from, in words.
    pub(crate) sources: Vec<String>,
    /// Whether a report counts its cases on the emulator; not while a run is timed.
    pub(crate) counts: bool,
    /// What a table holds.
    pub(crate) records: Vec<Record>,
}

/// What reaches the main loop.
#[derive(Debug)]
pub(crate) enum Message {
    /// Input waits.
    Input,
    /// From a thread, with the time since the start.
    Action(Action, Duration),
    /// A picture for the terminal that was asked for.
    Picture(Box<Ready>),
    /// From the system: a signal by number.
    Signal(i32),
    /// The terminal gives no more input, with the reason.
    InputEnded(String),
}

/// Sends actions to the main loop.
#[derive(Debug, Clone)]
struct Reporter {
    sender: Sender<Message>,
    began: Instant,
}

impl Reporter {
    fn send(&self, action: Action) {
        // The main loop has left when nobody receives.
        let _ = self.sender.send(Message::Action(action, self.began.elapsed()));
    }
}

/// The threads and the channel that they report through.
#[derive(Debug)]
pub(crate) struct Effects {
    reporter: Reporter,
    options: scheduler::Options,
    /// The folder that each run gets a file in.
    folder: Option<PathBuf>,
    /// The file that settings are kept in.
    config: Option<PathBuf>,
    session: Control,
    profiling: Control,
    /// The check of the user's file.
    checking: Control,
    /// Set to end the recording of a block.
    recording: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    /// The class, where one is taught.
    teaching: teaching::Teaching,
}

impl Effects {
    /// No thread yet; the channel that they will report through.
    pub(crate) fn new(
        options: scheduler::Options,
        folder: Option<PathBuf>,
        config: Option<PathBuf>,
    ) -> (Self, Receiver<Message>) {
        let (sender, receiver) = channel();
        let reporter = Reporter { sender, began: Instant::now() };
        let (session, profiling, checking) = (Control::new(), Control::new(), Control::new());
        let (threads, teaching) = (Vec::new(), teaching::Teaching::default());
        let recording = Arc::default();
        let effects = Self {
            reporter,
            options,
            folder,
            config,
            session,
            profiling,
            checking,
            recording,
            threads,
            teaching,
        };
        (effects, receiver)
    }

    /// A sender for threads of the terminal.
    pub(crate) fn sender(&self) -> Sender<Message> {
        self.reporter.sender.clone()
    }

    /// Opens a class to its students.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub(crate) fn open_class(&mut self, opening: Opening) -> std::io::Result<()> {
        let reporter = self.reporter.clone();
        self.teaching.open(opening, move |news| reporter.send(Action::Class(news)))
    }

    /// Time since the start.
    pub(crate) fn now(&self) -> Duration {
        self.reporter.began.elapsed()
    }

    /// Carries out what concerns neither the terminal nor leaving.
    pub(crate) fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Start { run, experiment, store } => self.start(run, *experiment, store),
            Effect::Pause(paused) => self.session.pause(paused),
            Effect::Cancel => self.session.cancel(),
            Effect::Replan(experiment) => self.session.replan(*experiment),
            Effect::Profile { id, wanted } => self.profile_kernels(id, *wanted),
            Effect::StopProfiling => self.profiling.cancel(),
            Effect::Record { id, wanted } => self.record(id, *wanted),
            Effect::StopRecording => self.recording.store(true, Ordering::Relaxed),
            Effect::Preview(case) => {
                self.aside(move || preview(&case).map(|output| Action::Preview(Box::new(output))));
            }
            Effect::Runs(request) => {
                // Where they are put, and here.
                let folders: Vec<PathBuf> =
                    self.folder.iter().cloned().chain([PathBuf::from(".")]).collect();
                let reporter = self.reporter.clone();
                self.aside(move || {
                    let tell = |news| reporter.send(Action::Runs(news));
                    runs::answer(request, &folders, &tell).map(Action::Runs)
                });
            }
            Effect::Replay { run, records, experiment, speed } => {
                self.replay(run, &records, *experiment, speed);
            }
            Effect::Watch { path, like, target } => {
                let reporter = self.reporter.clone();
                thread::spawn(move || {
                    let report = |news| reporter.send(Action::Own(news));
                    own::watch(&path, like.as_deref(), &target, &report);
                });
            }
            Effect::Check { version, experiment, variants } => {
                self.checking.cancel();
                self.checking = Control::new();
                let (reporter, control) = (self.reporter.clone(), self.checking.clone());
                self.spawn(move || {
                    if let Some(news) = own::check(version, &experiment, &variants, &control) {
                        reporter.send(Action::Own(news));
                    }
                });
            }
            Effect::Speed(times) => self.session.set_speed(times),
            Effect::NextPoint => self.session.step(),
            Effect::Draw(picture, style) => self.aside(move || {
                let size = image::Size::new(SMALL.0, SMALL.1).ok()?;
                let pixels = image::pixels(&picture, size, style).ok()?;
                Some(Action::Drawn(style, Box::new(pixels)))
            }),
            Effect::Export(request) => {
                self.aside(move || Some(Action::Exported(export(&request))));
            }
            Effect::Class(command) => self.teaching.teach(command),
            Effect::ShowClass(answered) => self.teaching.show(*answered),
            Effect::Learned { entry, file } => self.aside(move || {
                // A lesson that never ran has no file; one that is broken runs again.
                let records = store::read(&file).ok()?;
                Some(Action::Learn(learn::News::Results { entry, records }))
            }),
            Effect::KeepAnswers(keeper, progress) => {
                if let Err(error) = keeper.save(&progress) {
                    self.reporter.send(Action::NotKept(chain(&error)));
                }
            }
            Effect::Count(records) => self.count(records),
            Effect::StopJudging => self.checking.cancel(),
            Effect::Judge { lesson, write, step, path, backend } => {
                self.checking.cancel();
                self.checking = Control::new();
                let (reporter, control) = (self.reporter.clone(), self.checking.clone());
                self.spawn(move || {
                    let judged = lessons::run::judge(&lesson, &write, &path, backend, &control);
                    let judged = judged.map_err(|error| chain(&error));
                    reporter.send(Action::Learn(learn::News::Judged { step, judged }));
                });
            }
            // A small file, written at once: so the last one asked for is the last written.
            Effect::Keep(kept) => {
                let written = self.config.as_ref().map(|path| settings::write(path, &kept));
                if let Some(Err(error)) = written {
                    self.config = None;
                    self.reporter.send(Action::NotKept(error.to_string()));
                }
            }
            Effect::Mouse(_)
            | Effect::Motion(_)
            | Effect::Copy(_)
            | Effect::Edit { .. }
            | Effect::Suspend
            | Effect::Redraw
            | Effect::Leave => {}
        }
    }

    /// Cancels what runs and waits a moment for its worker to be gone.
    pub(crate) fn shut_down(&mut self, patience: Duration) {
        self.session.cancel();
        self.profiling.cancel();
        self.checking.cancel();
        self.teaching = teaching::Teaching::default();
        self.recording.store(true, Ordering::Relaxed);
        let deadline = Instant::now() + patience;
        while !self.threads.iter().all(JoinHandle::is_finished) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Runs `work` on a thread that leaving waits for.
    fn spawn(&mut self, work: impl FnOnce() + Send + 'static) {
        self.threads.retain(|thread| !thread.is_finished());
        self.threads.push(thread::spawn(work));
    }

    /// Profiles a case on a thread.
    fn profile_kernels(&mut self, id: u64, wanted: Wanted) {
        self.profiling.cancel();
        self.profiling = Control::new();
        let (reporter, control) = (self.reporter.clone(), self.profiling.clone());
        self.spawn(move || {
            let Wanted { case, gpu, sample } = wanted;
            let result = match scheduler::profile_kernels(&case, gpu.as_deref(), sample, &control) {
                Ok(Some(profiled)) => Ok(Box::new(profiled)),
                Ok(None) => return, // nobody waits for it any more
                Err(error) => Err(chain(&error)),
            };
            reporter.send(Action::Profiled { id, result });
        });
    }

    /// Counts cases on a thread.
    fn count(&mut self, records: Vec<Record>) {
        let (reporter, control) = (self.reporter.clone(), self.session.clone());
        self.spawn(move || {
            for record in records {
                if let Ok(Some(found)) = scheduler::count(&record, &control) {
                    let counted = learn::News::Counted(Some(Box::new(found.record)));
                    reporter.send(Action::Learn(counted));
                }
            }
            reporter.send(Action::Learn(learn::News::Counted(None)));
        });
    }

    /// Records a block on a thread.
    fn record(&mut self, id: u64, wanted: stepped::Wanted) {
        self.recording.store(true, Ordering::Relaxed);
        self.recording = Arc::default();
        let (reporter, stop) = (self.reporter.clone(), Arc::clone(&self.recording));
        self.spawn(move || {
            let tell = |done| reporter.send(Action::Recording { id, done });
            if let Some(result) = step::record(wanted, &stop, &tell) {
                reporter.send(Action::Recorded { id, result });
            }
        });
    }

    /// Runs `work` on a thread of its own and sends what it comes to.
    fn aside(&self, work: impl FnOnce() -> Option<Action> + Send + 'static) {
        let reporter = self.reporter.clone();
        thread::spawn(move || work().map(|action| reporter.send(action)));
    }

    fn start(&mut self, run: u64, experiment: Experiment, store: Option<PathBuf>) {
        let mut options = self.options.clone();
        options.store = store.or(options.store);
        if let (None, Some(folder)) = (&options.store, &self.folder) {
            let file = runs::new_file(folder, &experiment.algorithm);
            options.store = file.as_ref().ok().cloned();
            self.reporter.send(Action::Stores { run, file });
        }
        self.follow(run, 1.0, move |control, report| {
            scheduler::run(&experiment, &options, control, report).map_err(|error| chain(&error))
        });
    }

    fn replay(&mut self, run: u64, records: &Shared<Vec<Record>>, asked: Experiment, speed: f64) {
        let records = records.clone();
        self.follow(run, speed, move |control, report| {
            Ok(scheduler::replay(&records, &|record| selects(&asked, record), control, report))
        });
    }

    /// Runs a session on a thread and passes its reports on.
    fn follow(
        &mut self,
        run: u64,
        speed: f64,
        work: impl FnOnce(
            &Control,
            &mut dyn FnMut(scheduler::Event),
        ) -> Result<scheduler::Tally, String>
        + Send
        + 'static,
    ) {
        self.session = Control::new();
        self.session.set_speed(speed);
        let (reporter, control) = (self.reporter.clone(), self.session.clone());
        self.spawn(move || {
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                work(&control, &mut |event| reporter.send(Action::Session { run, event }))
            }));
            let tally = outcome.unwrap_or_else(|_| {
                Err(format!(
                    "the run crashed, which is a bug in warpscope; the report is in {}",
                    crate::tui::terminal::crash::report_path().display()
                ))
            });
            reporter.send(Action::Ended { run, tally });
        });
    }
}

/// An error with everything that led to it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        // Errors that pass another one on already carry its text.
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

/// The output of `case` as the CPU computes it.
pub(crate) fn preview(case: &Case) -> Option<ShownOutput> {
    let view = figure::output::reference(case)?;
    Some(ShownOutput { view, case: case.clone(), origin: Origin::Reference, phases: Vec::new() })
}

/// Writes the file whole or not at all.
fn export(request: &ExportRequest) -> Result<PathBuf, ExportError> {
    let bytes = contents(request).map_err(|error| ExportError::Failed(chain(error.as_ref())))?;
    write(&request.path, &bytes, request.replace)?;
    Ok(std::path::absolute(&request.path).unwrap_or_else(|_| request.path.clone()))
}

fn contents(request: &ExportRequest) -> anyhow::Result<Vec<u8>> {
    let ExportRequest { size, style, records, sources, .. } = request;
    let picture = || request.picture.as_deref().context("nothing to draw");
    Ok(match request.format {
        Format::Png => image::png(picture()?, *size, *style)?,
        Format::Svg => image::svg(picture()?, *size, *style)?.into_bytes(),
        Format::Html => {
            let counted = if request.counts { count(records) } else { Vec::new() };
            report::html::render(records, sources, &counted)?.into_bytes()
        }
        Format::Csv => {
            let mut bytes = Vec::new();
            report::csv::write(records, &mut bytes)?;
            bytes
        }
        Format::Jsonl => lines(records)?,
    })
}

/// What the emulator counts of the cases that a report explains. A case that cannot be
/// counted is left out of the explanation, not of the report.
fn count(records: &[Record]) -> Vec<Counted> {
    let count = |record: Record| {
        let found = scheduler::count(&record, &Control::new()).ok()??;
        Some(Counted { record: found.record, profile: found.profile? })
    };
    report::html::to_count(records).into_iter().filter_map(count).collect()
}

fn lines(records: &[Record]) -> Result<Vec<u8>, serde_json::Error> {
    let mut bytes = Vec::new();
    for record in records {
        let mut record = record.clone();
        // Files keep `measured`; whoever reads one shows it as recorded.
        if record.provenance == Provenance::Recorded {
            record.provenance = Provenance::Measured;
        }
        serde_json::to_writer(&mut bytes, &record)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}

fn write(path: &Path, bytes: &[u8], replace: bool) -> Result<(), ExportError> {
    let mut options = OpenOptions::new();
    options.write(true).create(replace).truncate(replace).create_new(!replace);
    let refused = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => ExportError::Exists,
        _ => ExportError::Failed(format!(
            "cannot write {}: {error}; name a file in a folder that exists and can be written",
            path.display()
        )),
    };
    let mut file = options.open(path).map_err(refused)?;
    file.write_all(bytes).and_then(|()| file.flush()).map_err(refused)
}
