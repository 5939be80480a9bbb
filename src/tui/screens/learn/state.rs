//! What the screen of lessons knows: the lessons, and the one that is open.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::experiment::{BackendChoice, Experiment, Target};
use crate::lessons::progress::{Keeper, Progress};
use crate::lessons::run::Judged;
use crate::lessons::{
    Formula, Lesson, Question, Results, Right, Session, Step, Task, Trial, prose,
};
use crate::results::record::Record;
use crate::tui::app::model::{Model, Screen};
use crate::tui::screens::learn::draft::Draft;

/// The lessons of the program or of a folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Learn {
    /// Those that can be opened.
    pub lessons: Vec<Entry>,
    /// Why others cannot.
    pub problems: Vec<String>,
    /// The row of the list.
    pub row: usize,
    /// The lesson to open first, in place of the list.
    pub first: Option<usize>,
    /// The lesson that is open.
    pub open: Option<Open>,
    /// What runs the experiments.
    pub backend: BackendChoice,
    /// When the program started: answers are stored with their time.
    pub began: Timestamp,
}

/// A lesson of the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The lesson.
    pub lesson: Lesson,
    /// Where its progress is kept.
    pub keeper: Keeper,
    /// The progress; none of a lesson that was never begun.
    pub progress: Option<Progress>,
    /// Why progress is not kept.
    pub problem: Option<String>,
    /// Steps that are behind the student.
    pub done: usize,
    /// Whether it is passed.
    pub passed: bool,
}

impl Entry {
    /// A lesson with its progress in this folder; without a folder nothing is kept.
    pub fn new(lesson: Lesson, folder: Option<&Path>) -> Self {
        let (keeper, found) = Keeper::open(folder, &lesson.name);
        let (progress, problem) = match found {
            Ok(found) => (found, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let mut entry = Self { lesson, keeper, progress, problem, done: 0, passed: false };
        entry.look();
        entry
    }

    /// Brings what the list says in line with the progress.
    pub fn look(&mut self) {
        let (session, _) = self.session();
        (self.done, self.passed) = (session.at(), session.is_passed());
    }

    /// A session where the student left the lesson, and what could not be taken over.
    pub fn session(&self) -> (Session, Vec<String>) {
        match &self.progress {
            Some(progress) => Session::resume(self.lesson.clone(), progress),
            None => (Session::new(self.lesson.clone()), Vec::new()),
        }
    }
}

/// A lesson that is open.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    /// Its place in the list.
    pub entry: usize,
    /// The way of the student through it.
    pub session: Session,
    /// The answer to the current step that is not locked yet.
    pub draft: Draft,
    /// What is chosen in a step that changes one parameter.
    pub setting: Setting,
    /// Whether times are shown in place of the prediction.
    pub times: bool,
    /// Lines that the page is scrolled down from where it stands by itself.
    pub scroll: isize,
    /// Whether the verdict on the last answer is what the page shows, until the student goes on.
    pub told: bool,
    /// The run of the lesson that is in progress.
    pub running: Option<Running>,
    /// The student's kernel.
    pub kernel: Kernel,
    /// Whether the emulator counts what a GPU measured.
    pub counting: bool,
}

/// One parameter that changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Setting {
    /// Which axis, in their order.
    pub axis: usize,
    /// Which of its values; none as the step begins.
    pub value: Option<usize>,
}

/// A run of the lesson.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// Its number.
    pub run: u64,
    /// The changed parameter that it tries: axis and value.
    pub change: Option<(String, String)>,
}

/// The kernel of a step in which the student writes one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Kernel {
    /// Whether it is compiled and run now.
    pub busy: bool,
    /// What the last attempt came to, in lines.
    pub says: Vec<String>,
    /// Whether that was a verdict: it compiled and ran.
    pub tried: bool,
    /// Whether nothing can be compiled here.
    pub no_compiler: bool,
}

/// What threads report.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// Results of an earlier sitting.
    Results {
        /// The lesson's place in the list.
        entry: usize,
        /// The results.
        records: Vec<Record>,
    },
    /// What the recording of the H200 has.
    Recorded {
        /// The lesson's place in the list.
        entry: usize,
        /// The results.
        recorded: Box<Results>,
    },
    /// The emulator counted a case; or every case that it was asked for.
    Counted(Option<Box<Record>>),
    /// The kernel of a step was tried.
    Judged {
        /// The step.
        step: String,
        /// What came out, or why nothing did.
        judged: Result<Judged, String>,
    },
}

impl Learn {
    /// The lessons at the list, with the time of day at which the program starts.
    pub fn new(
        lessons: Vec<Entry>,
        problems: Vec<String>,
        backend: BackendChoice,
        began: Timestamp,
    ) -> Self {
        Self { lessons, problems, row: 0, first: None, open: None, backend, began }
    }

    /// The time of day, so long after the start.
    pub fn time(&self, now: Duration) -> Timestamp {
        let since = SignedDuration::try_from(now).unwrap_or_default();
        self.began.checked_add(since).unwrap_or(self.began)
    }

    /// The experiment of a trial on what the lessons run on. A profile belongs to the emulator
    /// alone.
    pub fn experiment(&self, trial: &Trial) -> Experiment {
        let asked = &trial.experiment.target;
        let gpu = asked.gpu.clone().filter(|_| self.backend == BackendChoice::Emulator);
        let target = Target { backend: self.backend, gpu, ..asked.clone() };
        Experiment { target, ..trial.experiment.clone() }
    }
}

impl Open {
    /// A lesson at the step where its session is.
    pub fn new(entry: usize, session: Session) -> Self {
        let mut open = Self {
            entry,
            session,
            draft: Draft::default(),
            setting: Setting::default(),
            times: false,
            scroll: 0,
            told: false,
            running: None,
            kernel: Kernel::default(),
            counting: false,
        };
        open.arrive();
        open
    }

    /// The step at hand was not the one before.
    pub fn arrive(&mut self) {
        (self.setting, self.times) = (Setting::default(), false);
        self.look();
        self.kernel = Kernel::default();
        let lesson = self.session.lesson();
        let question = self.session.step().and_then(|step| step.task.question());
        self.draft = question.map_or_else(Draft::default, |question| {
            let value = question.ask.value().and_then(|name| lesson.values.get(name));
            let sizes = self.session.sizes(&question.ask);
            Draft::new(question, &sizes, value.and_then(Formula::unit))
        });
    }

    /// The page stands by itself again: what the student works on is in sight.
    pub fn look(&mut self) {
        (self.scroll, self.told) = (0, false);
    }

    /// Whether the step at hand waits for an answer to a question. A wrong answer after a run
    /// can be followed by another one.
    pub fn asks(&self) -> bool {
        let Some(step) = self.session.step() else { return false };
        step.task.question().is_some() && !self.session.is_locked(&step.id)
    }

    /// The first experiment whose results the step at hand needs and that has not run as a
    /// whole.
    pub fn needed(&self) -> Option<&str> {
        let step = self.session.step()?;
        let lesson = self.session.lesson();
        let mut experiments = Vec::new();
        if let Task::Run { experiment, .. } = &step.task {
            experiments.push(experiment.as_str());
        }
        let used = used(step);
        experiments.extend(
            used.into_iter().filter_map(|name| Some(lesson.values.get(name)?.experiment.as_str())),
        );
        experiments.into_iter().find(|name| !self.session.missing(name).is_empty())
    }

    /// The trial of the changed parameter, with its axis and value; none before one is chosen.
    pub fn changed(&self) -> Option<(String, String, Result<Trial, String>)> {
        let Task::Change(change) = &self.session.step()?.task else { return None };
        let trial = self.session.lesson().experiments.get(&change.experiment)?;
        let (axis, values) = change.axes.iter().nth(self.setting.axis)?;
        let value = values.get(self.setting.value?)?;
        Some((axis.clone(), value.clone(), change.applied(trial, axis, value)))
    }

    /// The place of the value that a parameter has before it is changed, among those offered.
    pub fn start(&self, axis: &str) -> Option<usize> {
        let Task::Change(change) = &self.session.step()?.task else { return None };
        let trial = self.session.lesson().experiments.get(&change.experiment)?;
        let same = |value: &String| {
            change.applied(trial, axis, value).is_ok_and(|it| it.cases == trial.cases)
        };
        change.axes.get(axis)?.iter().position(same)
    }
}

/// The values whose results a step shows or grades at once. A prediction needs none.
fn used(step: &Step) -> Vec<&str> {
    let mut used: Vec<&str> = prose::values(&step.text).collect();
    match &step.task {
        Task::Observe(question) => used.extend(of_options(question)),
        Task::Why { question, value } => {
            used.push(value);
            used.extend(of_options(question));
        }
        _ => {}
    }
    used
}

fn of_options(question: &Question) -> impl Iterator<Item = &str> {
    question.options.iter().flat_map(|option| match &option.right {
        Right::Rules(rules) => rules.iter().map(|rule| rule.value.as_str()).collect(),
        Right::Cause(reason) => vec![reason.value.as_str()],
        _ => Vec::new(),
    })
}

/// The file of the kernel that the student writes in the step at hand, beside the progress;
/// none where no progress is kept.
pub fn kernel(model: &Model) -> Option<PathBuf> {
    let learn = model.learn.as_ref()?;
    let open = learn.open.as_ref()?;
    let entry = learn.lessons.get(open.entry)?;
    let (step, kept) = (open.session.step()?, entry.keeper.path()?);
    let name = kept.file_stem()?.to_string_lossy();
    Some(kept.with_file_name(format!("{name}-{}.cu", step.id)))
}

/// The lesson that the screen shows.
pub fn open(model: &Model) -> Option<&Open> {
    model.learn.as_ref()?.open.as_ref()
}

/// Whether the screen shows a lesson.
pub fn is_open(model: &Model) -> bool {
    model.screen == Screen::Learn && open(model).is_some()
}

/// The file that takes the results of a run of the lesson that the screen shows.
pub fn store(model: &Model) -> Option<PathBuf> {
    let learn = model.learn.as_ref().filter(|_| model.screen == Screen::Learn)?;
    learn.lessons.get(learn.open.as_ref()?.entry)?.keeper.results()
}

/// The first word of the glossary in the text of the step at hand.
pub fn first_term(model: &Model) -> Option<&'static str> {
    let open = open(model)?;
    let step = open.session.step()?;
    let hints = open.session.hints(&step.id);
    // The newest hint is what the student reads now.
    let texts = hints.iter().rev().chain([&step.text]);
    texts.flatten().flatten().find_map(|span| match span {
        prose::Span::Term { entry, .. } => Some(entry.name),
        _ => None,
    })
}
