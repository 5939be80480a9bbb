//! The only room with threads and channels: it carries out what [`update`]
//! asks for, and turns what threads report into [`Message`]s.
//!
//! [`update`]: crate::tui::app::update

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::class::Opening;
use crate::experiment::{Case, Experiment};
use crate::export::image;
use crate::lessons;
use crate::results::record::{Record, Shared};
use crate::results::store;
use crate::runner::scheduler;
use crate::runner::scheduler::Control;
use crate::tui::app::action::Action;
use crate::tui::app::model::{Origin, ShownOutput};
use crate::tui::screens::learn::state as learn;
use crate::tui::screens::profile::state::Wanted;
use crate::tui::screens::step::state as stepped;
use crate::tui::screens::sweep::state::selects;
use crate::tui::terminal::pixels::Ready;
use crate::{figure, settings};

mod asked;
mod export;
mod lesson;
mod own;
mod pace;
mod runs;
mod step;
mod teaching;

pub(crate) use asked::Effect;
pub(crate) use export::ExportRequest;

/// Width and height of a picture drawn small, in pixels.
const SMALL: (u32, u32) = (640, 400);

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
            Effect::Start { run, experiment, store, pace } => {
                self.start(run, *experiment, store, pace);
            }
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
                self.aside(move || Some(Action::Exported(export::export(&request))));
            }
            Effect::Class(command) => self.teaching.teach(command),
            Effect::ShowClass(answered) => self.teaching.show(*answered),
            Effect::Learned { entry, file, lesson } => {
                let reporter = self.reporter.clone();
                self.aside(move || {
                    // A lesson that never ran has no file; one that is broken runs again.
                    if let Some(records) = file.and_then(|file| store::read(&file).ok()) {
                        reporter.send(Action::Learn(learn::News::Results { entry, records }));
                    }
                    let recorded = Box::new(lessons::beside::recording(&lesson));
                    Some(Action::Learn(learn::News::Recorded { entry, recorded }))
                });
            }
            Effect::Report { session, path, now } => {
                self.aside(move || Some(Action::Exported(lesson::report(&session, path, now))));
            }
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
                    if let Some(judged) = lesson::begun(&path, &write.template) {
                        return reporter.send(Action::Learn(learn::News::Judged { step, judged }));
                    }
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

    fn start(
        &mut self,
        run: u64,
        experiment: Experiment,
        store: Option<PathBuf>,
        pace: Option<f64>,
    ) {
        let mut options = self.options.clone();
        options.store = store.or(options.store);
        if let (None, Some(folder)) = (&options.store, &self.folder) {
            let file = runs::new_file(folder, &experiment.algorithm);
            options.store = file.as_ref().ok().cloned();
            self.reporter.send(Action::Stores { run, file });
        }
        let run_it = move |control: &Control, report: &mut dyn FnMut(scheduler::Event)| {
            scheduler::run(&experiment, &options, control, report).map_err(|error| chain(&error))
        };
        let Some(speed) = pace else { return self.follow(run, 1.0, run_it) };
        let reporter = self.reporter.clone();
        self.follow(run, speed, move |control, _| {
            let report = |event| reporter.send(Action::Session { run, event });
            pace::paced(control, &report, |report| run_it(control, report))
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
