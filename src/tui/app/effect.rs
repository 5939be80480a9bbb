//! The only room with threads and channels: it carries out what [`update`]
//! asks for, and turns what threads report into [`Message`]s.
//!
//! [`update`]: crate::tui::app::update

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossterm::event::Event as Input;

use crate::experiment::{Case, Experiment};
use crate::export::{image, report};
use crate::figure::Picture;
use crate::results::record::{Provenance, Record};
use crate::runner::scheduler;
use crate::runner::scheduler::Control;
use crate::settings::{Motion, Settings};
use crate::tui::app::action::{Action, ExportError};
use crate::tui::app::model::{Origin, ShownOutput};
use crate::tui::dialogs::state::Format;
use crate::tui::screens::profile::state::Wanted;
use crate::tui::screens::runs::state::Request;
use crate::tui::screens::sweep::state::selects;
use crate::{figure, settings};

mod runs;

/// Width and height of a picture drawn small, in pixels.
const SMALL: (u32, u32) = (640, 400);

/// Something that [`crate::tui::app::update`] asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Run an experiment on a thread.
    Start {
        /// Number of the run, which its reports carry.
        run: u64,
        /// What to run.
        experiment: Box<Experiment>,
    },
    /// Pause the running session, or let it go on.
    Pause(bool),
    /// Cancel the running session.
    Cancel,
    /// Let the running session go on with this instead.
    Replan(Box<Experiment>),
    /// Profile a case on the emulator; ends the running profile.
    Profile {
        /// Number of the attempt, which its result carries.
        id: u64,
        /// What to take apart.
        wanted: Box<Wanted>,
    },
    /// End the running profile.
    StopProfiling,
    /// Compute the output of a case on the CPU.
    Preview(Box<Case>),
    /// Do something with stored runs.
    Runs(Request),
    /// Replay stored results on a thread.
    Replay {
        /// Number of the run, which its reports carry.
        run: u64,
        /// All results of the stored run.
        records: Arc<Vec<Record>>,
        /// Which of them.
        experiment: Box<Experiment>,
        /// How many times as fast as they were measured; 0 at once.
        speed: u32,
    },
    /// Let the replay go on at another speed.
    Speed(u32),
    /// Draw a picture small, on a ground.
    Draw(Box<Picture>, image::Style),
    /// Write a file.
    Export(Box<ExportRequest>),
    /// Put text on the clipboard.
    Copy(String),
    /// Let things move by themselves, or not.
    Motion(Motion),
    /// Keep settings.
    Keep(Box<Settings>),
    /// Listen to the mouse, or stop.
    Mouse(bool),
    /// Put the program into the background.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Leave.
    Leave,
}

/// What to write, and where to.
#[derive(Debug, Clone, PartialEq)]
pub struct ExportRequest {
    /// What kind of file.
    pub format: Format,
    /// Where to.
    pub path: PathBuf,
    /// Whether an existing file may be replaced.
    pub replace: bool,
    /// What a picture shows.
    pub picture: Option<Box<Picture>>,
    /// On which ground.
    pub style: image::Style,
    /// How large.
    pub size: image::Size,
    /// Where the records come from, in words.
    pub source: String,
    /// What a table holds.
    pub records: Vec<Record>,
}

/// What reaches the main loop.
#[derive(Debug)]
pub enum Message {
    /// From the terminal.
    Input(Input),
    /// From a thread, with the time since the start.
    Action(Action, Duration),
    /// From the system: a signal by number.
    Signal(i32),
    /// The terminal gives no more input, with the reason.
    InputEnded(String),
}

/// The threads and the channel that they report through.
#[derive(Debug)]
pub struct Effects {
    sender: Sender<Message>,
    began: Instant,
    options: scheduler::Options,
    /// The folder that each run gets a file in.
    folder: Option<PathBuf>,
    /// The file that settings are kept in.
    config: Option<PathBuf>,
    control: Option<Control>,
    session: Option<JoinHandle<()>>,
    profiling: Option<(Control, JoinHandle<()>)>,
}

impl Effects {
    /// No thread yet; the channel that they will report through.
    pub fn new(
        options: scheduler::Options,
        folder: Option<PathBuf>,
        config: Option<PathBuf>,
    ) -> (Self, Receiver<Message>) {
        let (sender, receiver) = channel();
        let began = Instant::now();
        let (control, session, profiling) = (None, None, None);
        let effects = Self { sender, began, options, folder, config, control, session, profiling };
        (effects, receiver)
    }

    /// A sender for threads of the terminal.
    pub fn sender(&self) -> Sender<Message> {
        self.sender.clone()
    }

    /// Time since the start.
    pub fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Carries out what concerns neither the terminal nor leaving.
    pub fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Start { run, experiment } => self.start(run, *experiment),
            Effect::Pause(paused) => {
                if let Some(control) = &self.control {
                    control.pause(paused);
                }
            }
            Effect::Cancel => {
                if let Some(control) = &self.control {
                    control.cancel();
                }
            }
            Effect::Replan(experiment) => {
                if let Some(control) = &self.control {
                    control.replan(*experiment);
                }
            }
            Effect::Profile { id, wanted } => self.profile_kernels(id, *wanted),
            Effect::StopProfiling => {
                if let Some((control, _)) = &self.profiling {
                    control.cancel();
                }
            }
            Effect::Preview(case) => {
                self.aside(move || preview(&case).map(|output| Action::Preview(Box::new(output))));
            }
            Effect::Runs(request) => {
                let folders = self.folders();
                self.aside(move || Some(Action::Runs(runs::answer(request, &folders))));
            }
            Effect::Replay { run, records, experiment, speed } => {
                self.replay(run, &records, *experiment, speed);
            }
            Effect::Speed(times) => {
                if let Some(control) = &self.control {
                    control.set_speed(times);
                }
            }
            Effect::Draw(picture, style) => self.aside(move || {
                let (width, height) = SMALL;
                let size = image::Size::new(width, height).ok()?;
                let pixels = image::pixels(&picture, size, style).ok()?;
                Some(Action::Drawn(style, Box::new(pixels)))
            }),
            Effect::Export(request) => {
                self.aside(move || Some(Action::Exported(export(&request))));
            }
            // A small file, written at once: so the last one asked for is the last written.
            Effect::Keep(kept) => {
                let written = self.config.as_ref().map(|path| settings::write(path, &kept));
                if let Some(Err(error)) = written {
                    self.config = None;
                    self.send(Action::NotKept(error.to_string()));
                }
            }
            Effect::Mouse(_)
            | Effect::Motion(_)
            | Effect::Copy(_)
            | Effect::Suspend
            | Effect::Redraw
            | Effect::Leave => {}
        }
    }

    /// Cancels what runs and waits a moment for its worker to be gone.
    pub fn shut_down(&mut self, patience: Duration) {
        if let Some(control) = &self.control {
            control.cancel();
        }
        let mut threads: Vec<JoinHandle<()>> = self.session.take().into_iter().collect();
        if let Some((control, thread)) = self.profiling.take() {
            control.cancel();
            threads.push(thread);
        }
        let deadline = Instant::now() + patience;
        while !threads.iter().all(JoinHandle::is_finished) && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Profiles a case on a thread.
    fn profile_kernels(&mut self, id: u64, wanted: Wanted) {
        if let Some((control, _)) = &self.profiling {
            control.cancel();
        }
        let control = Control::new();
        let (sender, began, own) = (self.sender.clone(), self.began, control.clone());
        let work = move || {
            let Wanted { case, gpu, sample } = wanted;
            let result = match scheduler::profile_kernels(&case, gpu.as_deref(), sample, &own) {
                Ok(Some(profiled)) => Ok(Box::new(profiled)),
                Ok(None) => return, // nobody waits for it any more
                Err(error) => Err(chain(&error)),
            };
            // The main loop has left when nobody receives.
            let action = Action::Profiled { id, result };
            let _ = sender.send(Message::Action(action, began.elapsed()));
        };
        self.profiling = Some((control, thread::spawn(work)));
    }

    /// Runs `work` on a thread of its own and sends what it comes to.
    fn aside(&self, work: impl FnOnce() -> Option<Action> + Send + 'static) {
        let (sender, began) = (self.sender.clone(), self.began);
        thread::spawn(move || {
            if let Some(action) = work() {
                // The main loop has left when nobody receives.
                let _ = sender.send(Message::Action(action, began.elapsed()));
            }
        });
    }

    /// Where stored runs are looked for: where they are put, and here.
    fn folders(&self) -> Vec<PathBuf> {
        self.folder.iter().cloned().chain([PathBuf::from(".")]).collect()
    }

    fn start(&mut self, run: u64, experiment: Experiment) {
        let mut options = self.options.clone();
        if let (None, Some(folder)) = (&options.store, &self.folder) {
            let file = runs::new_file(folder, &experiment.algorithm);
            options.store = file.as_ref().ok().cloned();
            self.send(Action::Stores { run, file });
        }
        self.follow(run, 1, move |control, report| {
            scheduler::run(&experiment, &options, control, report).map_err(|error| chain(&error))
        });
    }

    fn replay(&mut self, run: u64, records: &Arc<Vec<Record>>, asked: Experiment, speed: u32) {
        let records = Arc::clone(records);
        self.follow(run, speed, move |control, report| {
            Ok(scheduler::replay(&records, &|record| selects(&asked, record), control, report))
        });
    }

    fn send(&self, action: Action) {
        let _ = self.sender.send(Message::Action(action, self.began.elapsed()));
    }

    /// Runs a session on a thread and passes its reports on.
    fn follow(
        &mut self,
        run: u64,
        speed: u32,
        work: impl FnOnce(
            &Control,
            &mut dyn FnMut(scheduler::Event),
        ) -> Result<scheduler::Tally, String>
        + Send
        + 'static,
    ) {
        let control = Control::new();
        control.set_speed(speed);
        self.control = Some(control.clone());
        let (sender, began) = (self.sender.clone(), self.began);
        let send = move |action| {
            let _ = sender.send(Message::Action(action, began.elapsed()));
        };
        let session = move || {
            let report = send.clone();
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                work(&control, &mut |event| report(Action::Session { run, event }))
            }));
            let tally = outcome.unwrap_or_else(|_| {
                Err(format!(
                    "the run crashed, which is a bug in warpscope; the report is in {}",
                    crate::tui::terminal::crash::report_path().display()
                ))
            });
            send(Action::Ended { run, tally });
        };
        self.session = Some(thread::spawn(session));
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
    let failed = |error: &dyn std::error::Error| ExportError::Failed(chain(error));
    let drawn = || {
        let picture = request.picture.as_deref();
        picture.ok_or_else(|| ExportError::Failed("nothing to draw".to_owned()))
    };
    let (size, style) = (request.size, request.style);
    let bytes = match request.format {
        Format::Png => image::png(drawn()?, size, style).map_err(|error| failed(&error))?,
        Format::Svg => {
            image::svg(drawn()?, size, style).map_err(|error| failed(&error))?.into_bytes()
        }
        Format::Html => {
            report::html::render(&request.records, std::slice::from_ref(&request.source))
                .map_err(|error| failed(&error))?
                .into_bytes()
        }
        Format::Csv => {
            report::csv::render(&request.records).map_err(|error| failed(&error))?.into_bytes()
        }
        Format::Jsonl => lines(&request.records).map_err(|error| failed(&error))?,
    };
    write(&request.path, &bytes, request.replace)?;
    Ok(std::path::absolute(&request.path).unwrap_or_else(|_| request.path.clone()))
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
    options.write(true);
    if replace {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
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
