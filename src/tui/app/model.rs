//! Everything the screen shows, as plain data. Only `app::update` changes it.

use std::time::Duration;

use crate::experiment::{BackendChoice, Case, Experiment};
use crate::figure::Time;
pub use crate::figure::output::Origin;
use crate::results::published;
use crate::results::record::{Phase, Record, Shared};
use crate::settings::{Dots, Motion, Pictures, Settings};
use crate::tui::{Start, recording};
use crate::work::View;

use crate::tui::app::effect::Effect;
use crate::tui::app::run::state::{Finished, Run, Speed};
use crate::tui::app::selection;
use crate::tui::app::selection::Selection;
use crate::tui::app::tour::Tour;
use crate::tui::dialogs::state::Overlay;
use crate::tui::dialogs::why::counting::Why;
use crate::tui::own::state::Own;
use crate::tui::screens::class::state::Desk;
use crate::tui::screens::learn::state::Learn;
use crate::tui::screens::learn::update as learn;
use crate::tui::screens::output::state as outputs;
use crate::tui::screens::output::state::Outputs;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::runs::state::{Offer, Overlaid, Runs};
use crate::tui::screens::step::state::StepScreen;
use crate::tui::screens::sweep::form::history::History;
use crate::tui::screens::sweep::form::state::Form;
use crate::tui::screens::sweep::nearest::{Nearest, nearest};
use crate::tui::screens::sweep::state::{Chart, experiment_of, selects};
use crate::tui::screens::tune::state::{Found, Tune};
use crate::tui::theme::Name;

/// The state of the interface.
// Its flags are independent facts; folding them into enums would invent states.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone, Default)]
pub struct Model {
    /// The form and contents.
    pub form: Form,
    /// Whose records the chart shows: the form's experiment, or the running one.
    pub selection: Experiment,
    /// Records from files or the built-in recording.
    pub shown: Shared<Vec<Record>>,
    /// Where `shown` comes from.
    pub source: String,
    /// Whether `shown` is the built-in recording of the chosen algorithm.
    pub built_in: bool,
    /// Results of this sitting, newest last, with the experiment's target that
    /// they were asked from.
    pub results: Vec<Live>,
    /// Results of this sitting that what was loaded took the place of.
    pub aside: Vec<Live>,
    /// Results kept for comparison whatever the form says.
    pub pinned: Vec<Record>,
    /// Stored runs that lie over the chart.
    pub overlaid: Vec<Overlaid>,
    /// Whether published times lie over the chart.
    pub published: bool,
    /// What the chart shows of stored results where the form's settings have none.
    pub nearest: Option<Nearest>,
    /// The chart of all of these that match.
    pub chart: Chart,
    /// The case that every screen is about; none for an algorithm that nobody knows.
    pub selected: Option<Selection>,
    /// The time that every screen shows, where the user chose it.
    pub time: Option<Time>,
    /// The output below it.
    pub output: Option<ShownOutput>,
    /// Outputs of results of this sitting, and the newest one of the CPU reference.
    pub outputs: Outputs,
    /// The run in progress.
    pub run: Option<Run>,
    /// How the last run ended.
    pub last: Option<Finished>,
    /// Number of the newest run; events of older ones are stale.
    pub run_id: u64,
    /// What was chosen on the Tune screen.
    pub tune: Tune,
    /// The results of its map.
    pub mapped: Option<Found>,
    /// How fast replays go.
    pub speed: Speed,
    /// The Runs screen.
    pub runs: Runs,
    /// A stored run that has what the form asks for, where nothing shown has.
    pub offer: Option<Offer>,
    /// The user's file, if the program was started on one.
    pub own: Option<Own>,
    /// The class, where one is taught.
    pub class: Option<Desk>,
    /// The lessons, if the program was started on them.
    pub learn: Option<Learn>,
    /// Whether no command was given yet.
    pub fresh: bool,
    /// Edits of the form, to undo and redo.
    pub history: History,
    /// What was chosen on the Counters and Source screens, and what is known there.
    pub profile: profile::ProfileScreens,
    /// What was chosen on the Step screen, and the recorded block.
    pub step: StepScreen,
    /// What was chosen in the box that explains, and its test.
    pub why: Why,
    /// Which screen.
    pub screen: Screen,
    /// Which panel the keys act on.
    pub panel: Panel,
    /// Which panel they acted on when the Sweep screen was left.
    pub sweep_panel: Panel,
    /// The hints of the first launch.
    pub tour: Tour,
    /// Which page of the help.
    pub help_page: usize,
    /// What lies over the screen.
    pub overlay: Option<Overlay>,
    /// The last thing worth telling.
    pub notice: Option<Notice>,
    /// How it looks.
    pub look: Look,
    /// Whether the mouse is listened to.
    pub mouse: bool,
    /// Whether the layout is that for a projector.
    pub present: bool,
    /// Whether the answer is shown there.
    pub revealed: bool,
    /// Which page of the large explanation.
    pub why_page: usize,
    /// How much moves by itself.
    pub motion: Motion,
    /// Whether charts are pixels.
    pub pictures: Pictures,
    /// The dots that curves are made of.
    pub dots: Dots,
    /// What is kept between starts.
    pub kept: Settings,
    /// The backend that was asked for at the start, which is not kept.
    pub asked_backend: Option<BackendChoice>,
    /// Whether running is off.
    pub read_only: bool,
    /// Whether measured results exist that no file has.
    pub unsaved: bool,
    /// Whether a file takes every result as it comes.
    pub stored: bool,
    /// Time since the start, as of the last action.
    pub now: Duration,
    /// What the action at hand asks for; [`crate::tui::app::update`] hands it over.
    pub(crate) effects: Vec<Effect>,
}

/// A result of this sitting.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// The result.
    pub record: Record,
    /// What was asked to run it.
    pub target: crate::experiment::Target,
}

/// The screens, in the order of their digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Screen {
    /// Time by input size.
    #[default]
    Sweep,
    /// The output of a case.
    Output,
    /// Time by block size and coarsening.
    Tune,
    /// What the kernels of a case did.
    Counters,
    /// Their source, line by line.
    Source,
    /// What is stored.
    Runs,
    /// One block, step by step.
    Step,
    /// Lessons.
    Learn,
}

impl Screen {
    /// Every screen.
    pub const ALL: [Self; 8] = [
        Self::Sweep,
        Self::Output,
        Self::Tune,
        Self::Counters,
        Self::Source,
        Self::Runs,
        Self::Step,
        Self::Learn,
    ];

    /// Its name in the header.
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// The key that shows it.
    pub fn digit(self) -> char {
        match self {
            Self::Learn => '8',
            other => char::from(b'1' + other as u8),
        }
    }
}

/// The panels that take keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Panel {
    /// The experiment form.
    #[default]
    Form,
    /// The chart with its crosshair.
    Chart,
}

/// How the screen looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// The theme.
    pub theme: Name,
    /// Whether colour may be used.
    pub colour: bool,
    /// Whether only ASCII may be used.
    pub ascii: bool,
}

/// Something worth telling, until the next thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// How grave it is.
    pub level: Level,
    /// In words.
    pub text: String,
}

/// How grave a notice is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// An answer to what was just done.
    Info,
    /// Something went well.
    Good,
    /// Something went wrong.
    Bad,
}

/// An output and the case that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct ShownOutput {
    /// What is drawn of it.
    pub view: View,
    /// The case.
    pub case: Case,
    /// What computed it.
    pub origin: Origin,
    /// How long each part of it took; none for the reference.
    pub phases: Vec<Phase>,
}

impl ShownOutput {
    /// Whether no kernel computed it.
    pub fn is_expected(&self) -> bool {
        self.origin == Origin::Reference
    }
}

impl Model {
    /// The state before the first frame.
    pub fn new(start: &Start, look: Look) -> Self {
        let mut experiment = start.experiment.clone();
        let shown = start.shown.clone();
        let mut source = start.source.clone();
        let mut built_in = false;
        // A recording would show what a lesson asks for.
        let recorded = !start.read_only && start.own.is_none() && start.learn.is_none();
        if shown.is_empty() && recorded {
            recording::SOURCE.clone_into(&mut source);
            built_in = true;
        } else if !shown.iter().any(|record| selects(&experiment, record))
            && let Some(fitting) = experiment_of(&shown)
        {
            experiment = Experiment { target: experiment.target, ..fitting };
        }
        let mut model = Self {
            form: Form::new(experiment.clone()),
            selection: experiment,
            shown,
            source,
            built_in,
            speed: Speed::of(start.settings.replay_speed),
            notice: start.problem.clone().map(|text| Notice { level: Level::Bad, text }),
            look,
            mouse: start.settings.mouse.unwrap_or(true),
            present: start.present,
            motion: start.motion.or(start.settings.motion).unwrap_or_default(),
            pictures: start.pictures.or(start.settings.pictures).unwrap_or_default(),
            dots: start.settings.dots.unwrap_or_default(),
            kept: start.settings.clone(),
            asked_backend: start.asked_backend,
            read_only: start.read_only,
            tour: if start.tour { Tour::begun() } else { Tour::default() },
            stored: start.session.store.is_some() || start.folder.is_some(),
            fresh: true,
            screen: if start.learn.is_some() { Screen::Learn } else { Screen::default() },
            learn: start.learn.clone(),
            own: start.own.as_ref().map(|own| Own::new(own.path.clone(), own.like.clone())),
            ..Self::default()
        };
        learn::begin(&mut model);
        model.choose_speed();
        model.time = start
            .settings
            .end_to_end
            .map(|whole| if whole { Time::EndToEnd } else { Time::Kernels });
        model.rebuild_chart();
        if let (None, Some(near)) = (&model.notice, &model.nearest) {
            let text = near.says.clone();
            model.info(text);
        }
        selection::follow(&mut model);
        outputs::follow(&mut model);
        model.effects.clear(); // `start` asks for them
        model
    }

    /// The speed of replays where none was chosen: slow enough to talk in the projector layout,
    /// and to follow in a lesson.
    pub fn choose_speed(&mut self) {
        if self.kept.replay_speed.is_none() {
            let lesson = self.learn.is_some().then_some(1.0);
            self.speed = Speed::of(self.present.then_some(0.1).or(lesson));
        }
    }

    /// The time that every screen shows: the one that the user chose; else end to end for
    /// a system that has results with CPU stages and results without.
    fn fitting_time(&self) -> Time {
        let of_system = |record: &&Record| record.algorithm == self.selection.algorithm;
        let live = self.results.iter().map(|live| &live.record);
        let all = live.chain(&self.pinned).chain(self.shown.iter()).filter(of_system);
        self.time.unwrap_or_else(|| Time::fitting(all))
    }

    /// Draws the chart up anew from the records that match the selection.
    pub fn rebuild_chart(&mut self) {
        let algorithm = &self.selection.algorithm;
        if self.built_in && self.shown.first().is_none_or(|first| first.algorithm != *algorithm) {
            self.shown = recording::records(algorithm).into();
        }
        let matching = |record: &&Record| selects(&self.selection, record);
        let replay = self.run.as_ref().and_then(|run| run.replay.as_ref());
        let pick = |records: &[Record]| records.iter().filter(matching).cloned().collect();
        // A replay is what is shown, as far as it has come.
        let mut recorded: Vec<Record> =
            if replay.is_some() { Vec::new() } else { pick(&self.shown) };
        let of_target = |live: &&Live| live.target == self.selection.target;
        let live: Vec<Record> = if let Some(replay) = replay {
            pick(&replay.arrived)
        } else {
            let ours = self.results.iter().filter(of_target).map(|live| &live.record);
            ours.filter(matching).cloned().collect()
        };
        let overlaid: Vec<_> = self
            .overlaid
            .iter()
            .map(|run| (std::sync::Arc::clone(&run.name), pick(&run.records)))
            .collect();
        let others = overlaid.iter().flat_map(|(_, records): &(_, Vec<Record>)| records);
        let mut known = recorded.iter().chain(&live).chain(&self.pinned).chain(others);
        self.nearest = if self.run.is_some() || known.any(|record| record.seconds.is_some()) {
            None
        } else {
            let word = if self.built_in { "recorded" } else { "stored" };
            nearest(&self.selection, &self.shown, word)
        };
        if let Some(Nearest { experiment, .. }) = &self.nearest {
            let near = self.shown.iter().filter(|record| selects(experiment, record));
            recorded.extend(near.cloned());
        }
        if self.published {
            recorded.extend(self.published_times().0);
        }
        let sizes = self.selection.sizes.values();
        let planned = sizes.first().zip(sizes.last()).map(|(a, b)| (*a as f64, *b as f64));
        self.chart.planned = planned.filter(|_| self.run.is_some());
        self.chart.largest = sizes.last().map(|n| *n as f64);
        self.chart.choice.time = self.fitting_time();
        let older = self.own.iter().flat_map(|own| &own.older);
        let older = older.map(|older| (older.label().into(), pick(&older.records))).collect();
        self.chart.set([recorded, self.pinned.clone(), live], overlaid, older);
    }

    /// Published times of the chosen variants, and how many more were published
    /// that mean nothing.
    pub fn published_times(&self) -> (Vec<Record>, usize) {
        let chosen = &self.selection.variants;
        let all = published::records(&self.selection.algorithm);
        let of_variant = |record: &Record| chosen.is_empty() || chosen.contains(&record.variant);
        let (times, others): (Vec<Record>, Vec<Record>) =
            all.into_iter().filter(of_variant).partition(|record| record.seconds.is_some());
        (times, others.len())
    }

    /// Whether a stored run could have more than the chart shows of the form's settings:
    /// that is the built-in recording at most.
    pub fn could_be_offered(&self) -> bool {
        let ran = |live: &Live| {
            live.target == self.selection.target && selects(&self.selection, &live.record)
        };
        self.built_in && !self.read_only && self.run.is_none() && !self.results.iter().any(ran)
    }

    /// Says something in the line that explains.
    pub fn tell(&mut self, level: Level, text: impl Into<String>) {
        self.notice = Some(Notice { level, text: text.into() });
    }

    /// Answers what was just done.
    pub fn info(&mut self, text: impl Into<String>) {
        self.tell(Level::Info, text);
    }

    /// Says that something went well.
    pub fn good(&mut self, text: impl Into<String>) {
        self.tell(Level::Good, text);
    }

    /// Says that something went wrong.
    pub fn bad(&mut self, text: impl Into<String>) {
        self.tell(Level::Bad, text);
    }

    /// Whether something runs whose time the screen shows.
    pub fn is_busy(&self) -> bool {
        self.profile.running.is_some()
            || self.step.running.is_some()
            || self.run.as_ref().is_some_and(|run| run.paused_at.is_none())
    }

    /// Whether leaving now would lose something: a run in progress, or
    /// measured times that are in no file. Predicted times come out the same
    /// again within seconds.
    pub fn would_lose(&self) -> Option<&'static str> {
        if self.run.is_some() {
            Some("A run is in progress. Leaving cancels it.")
        } else if self.class.as_ref().is_some_and(|desk| !desk.overview.ended) {
            Some("Leaving closes the class; the same command resumes it.")
        } else if self.unsaved {
            Some("Measured times are in no file yet. `e` exports them.")
        } else {
            None
        }
    }
}
