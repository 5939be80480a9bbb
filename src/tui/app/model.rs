//! Everything the screen shows, as plain data. Only [`crate::tui::app::update`] changes it.

use std::time::Duration;

use crate::experiment::{BackendChoice, Case, Experiment};
pub use crate::figure::output::Origin;
use crate::results::published;
use crate::results::record::{Phase, Record};
use crate::settings::{Motion, Settings};
use crate::tui::{Start, recording};
use crate::work::View;

use crate::tui::app::run::state as run;
use crate::tui::screens::profile::state as profile;
use crate::tui::screens::runs::state as runs;
use crate::tui::screens::sweep::form::history;
use crate::tui::screens::sweep::state as chart;
use crate::tui::screens::tune::state as tune;

use crate::tui::app::run::state::{Finished, Run};
use crate::tui::dialogs::state::Overlay;
use crate::tui::screens::sweep::form::state::Form;
use crate::tui::screens::sweep::state::Chart;

/// The state of the interface.
// Its flags are independent facts; folding them into enums would invent states.
#[allow(clippy::struct_excessive_bools)]
#[derive(Debug, Clone)]
pub struct Model {
    /// The form and contents.
    pub form: Form,
    /// Whose records the chart shows: the form's experiment, or the running one.
    pub selection: Experiment,
    /// Records from files or the built-in recording.
    pub shown: Vec<Record>,
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
    pub overlaid: Vec<runs::Overlaid>,
    /// Whether published times lie over the chart.
    pub published: bool,
    /// The chart of all of these that match.
    pub chart: Chart,
    /// The output below it.
    pub output: Option<ShownOutput>,
    /// The run in progress.
    pub run: Option<Run>,
    /// How the last run ended.
    pub last: Option<Finished>,
    /// Number of the newest run; events of older ones are stale.
    pub run_id: u64,
    /// What was chosen on the Tune screen.
    pub tune: tune::Tune,
    /// How fast replays go.
    pub speed: run::Speed,
    /// The Runs screen.
    pub runs: runs::Runs,
    /// Edits of the form, to undo and redo.
    pub history: history::History,
    /// What was chosen on the Counters and Source screens, and what is known there.
    pub profile: profile::ProfileScreens,
    /// Which screen.
    pub screen: Screen,
    /// Which panel the keys act on.
    pub panel: Panel,
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
    /// How much moves by itself.
    pub motion: Motion,
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
}

/// A result of this sitting.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    /// The result.
    pub record: Record,
    /// What was asked to run it.
    pub target: crate::experiment::Target,
}

/// The screens there are, reached by digit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Screen {
    /// Time by input size.
    #[default]
    Sweep,
    /// The output of a case.
    Output,
    /// Time by block size and coarsening.
    Tune,
    /// What is stored.
    Runs,
    /// What the kernels of a case did.
    Counters,
    /// Their source, line by line.
    Source,
}

impl Screen {
    /// Every screen, in the order of its digit.
    pub const ALL: [Self; 6] =
        [Self::Sweep, Self::Output, Self::Tune, Self::Counters, Self::Source, Self::Runs];

    /// Its name in the header.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sweep => "Sweep",
            Self::Output => "Output",
            Self::Tune => "Tune",
            Self::Counters => "Counters",
            Self::Source => "Source",
            Self::Runs => "Runs",
        }
    }

    /// The key that shows it.
    pub fn digit(self) -> char {
        match self {
            Self::Sweep => '1',
            Self::Output => '2',
            Self::Tune => '3',
            Self::Counters => '4',
            Self::Source => '5',
            Self::Runs => '6',
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
    pub theme: crate::tui::theme::Name,
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

impl Model {
    /// The state before the first frame.
    pub fn new(start: &Start, look: Look) -> Self {
        let mut experiment = start.experiment.clone();
        let shown: Vec<Record> = start.shown.clone();
        let mut source = start.source.clone();
        let mut built_in = false;
        if shown.is_empty() && !start.read_only {
            recording::SOURCE.clone_into(&mut source);
            built_in = true;
        } else if !shown.iter().any(|record| chart::selects(&experiment, record))
            && let Some(fitting) = chart::experiment_of(&shown)
        {
            experiment = Experiment { target: experiment.target, ..fitting };
        }
        let mut model = Self {
            form: Form::new(experiment.clone()),
            selection: experiment,
            shown,
            source,
            built_in,
            results: Vec::new(),
            aside: Vec::new(),
            pinned: Vec::new(),
            overlaid: Vec::new(),
            published: false,
            chart: Chart::default(),
            output: None,
            run: None,
            last: None,
            run_id: 0,
            tune: tune::Tune::default(),
            speed: run::Speed::of(start.settings.replay_speed),
            runs: runs::Runs::default(),
            history: history::History::default(),
            profile: profile::ProfileScreens::default(),
            screen: Screen::default(),
            panel: Panel::default(),
            help_page: 0,
            overlay: None,
            notice: start.problem.clone().map(|text| Notice { level: Level::Bad, text }),
            look,
            mouse: start.settings.mouse.unwrap_or(true),
            present: start.present,
            motion: start.motion.or(start.settings.motion).unwrap_or_default(),
            kept: start.settings.clone(),
            asked_backend: start.asked_backend,
            read_only: start.read_only,
            unsaved: false,
            stored: start.session.store.is_some() || start.folder.is_some(),
            now: Duration::ZERO,
        };
        model.rebuild_chart();
        model
    }

    /// Draws the chart up anew from the records that match the selection.
    pub fn rebuild_chart(&mut self) {
        let algorithm = &self.selection.algorithm;
        if self.built_in && self.shown.first().is_none_or(|first| first.algorithm != *algorithm) {
            self.shown = recording::records(algorithm);
        }
        let matching = |record: &&Record| chart::selects(&self.selection, record);
        let replay = self.run.as_ref().and_then(|run| run.replay.as_ref());
        let pick = |records: &[Record]| records.iter().filter(matching).cloned().collect();
        // A replay is what is shown, as far as it has come.
        let mut recorded: Vec<Record> =
            if replay.is_some() { Vec::new() } else { pick(&self.shown) };
        if self.published {
            recorded.extend(self.published_times().0);
        }
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
        let sizes = self.selection.sizes.values();
        let planned = sizes.first().zip(sizes.last()).map(|(a, b)| (*a as f64, *b as f64));
        self.chart.planned = planned.filter(|_| self.run.is_some());
        self.chart.set(recorded, overlaid, self.pinned.clone(), live);
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

    /// Says something in the line that explains.
    pub fn tell(&mut self, level: Level, text: impl Into<String>) {
        self.notice = Some(Notice { level, text: text.into() });
    }

    /// Whether something runs whose time the screen shows.
    pub fn is_busy(&self) -> bool {
        self.profile.running.is_some()
            || self.run.as_ref().is_some_and(|run| run.paused_at.is_none())
    }

    /// Whether leaving now would lose something: a run in progress, or
    /// measured times that are in no file. Predicted times come out the same
    /// again within seconds.
    pub fn would_lose(&self) -> Option<&'static str> {
        if self.run.is_some() {
            Some("A run is in progress. Leaving cancels it.")
        } else if self.unsaved {
            Some("Measured times are in no file yet. `e` exports them.")
        } else {
            None
        }
    }
}
