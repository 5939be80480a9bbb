//! What was chosen on the Step screen, and the recorded block that it shows.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use crate::algorithms;
use crate::experiment::Case;
use crate::tui::app::model::Model;
use crate::tui::dialogs::state::TextLine;
use crate::tui::screens::step::recorded::{Recorded, Shown};
use crate::work::Done;
use crate::work::trace::Marks;

/// Most threads of a case that is stepped without being asked for: the launches and blocks
/// before the recorded one run first.
const MOST_THREADS: u64 = 1 << 18;

/// What is to be recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The case.
    pub case: Case,
    /// The GPU whose limits it keeps; the default one where none is named.
    pub gpu: Option<String>,
    /// Number of the launch; the one of most threads where none was chosen.
    pub launch: Option<usize>,
    /// Index of the block in the grid, x first.
    pub block: u64,
}

/// What came of recording.
#[derive(Debug, Clone)]
pub enum Known {
    /// The block.
    Recorded(Arc<Recorded>),
    /// Why there is none.
    Not(String),
}

/// A recording under way.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// Number of the attempt, which its result carries.
    pub id: u64,
    /// What is recorded.
    pub wanted: Wanted,
    /// When it began, since the start of the program.
    pub since: Duration,
    /// How far the launches have come.
    pub done: Done,
}

/// The text on the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Text {
    /// The CUDA source.
    #[default]
    Source,
    /// The PTX.
    Ptx,
}

impl Text {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Source => "CUDA",
            Self::Ptx => "PTX",
        }
    }
}

/// A place to go to once the block is recorded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Seek {
    /// The line of a text; any where none is named.
    pub line: Option<(Text, u32)>,
    /// What stands out there: the first of these that is found.
    pub marks: &'static [Marks],
}

/// The screen.
#[derive(Debug, Clone, Default)]
pub struct StepScreen {
    /// What the screen shows, once it is recorded.
    pub wanted: Option<Wanted>,
    /// What came of the last recording.
    pub known: Option<(Wanted, Known)>,
    /// The recording under way.
    pub running: Option<Running>,
    /// Number of the newest attempt.
    pub attempts: u64,
    /// The selected case that the choices below were made for.
    pub of: Option<Case>,
    /// The size that is stepped where none was chosen.
    pub fits: u64,
    /// The size, if one was chosen.
    pub n: Option<u64>,
    /// The launch, if one was chosen.
    pub launch: Option<usize>,
    /// The block.
    pub block: u64,
    /// The step that is shown.
    pub shown: Option<Arc<Shown>>,
    /// Where to go first.
    pub seek: Option<Seek>,
    /// The text on the left.
    pub text: Text,
    /// Whether the keys act on registers and memory, which a small screen then shows.
    pub on_values: bool,
    /// Whether registers are numbers only, without their plots.
    pub numbers: bool,
    /// Registers scrolled away.
    pub scroll: usize,
    /// Place of the cursor in the text; on the current line where none was chosen.
    pub cursor: Option<usize>,
    /// Breakpoints: lines of a text.
    pub breakpoints: BTreeSet<(Text, u32)>,
    /// Registers that are shown at every step.
    pub watched: Vec<String>,
    /// Where to go, while it is typed.
    pub typed: Option<TextLine>,
}

impl StepScreen {
    /// The recorded block, if it is the one that is wanted.
    pub fn recorded(&self) -> Option<&Arc<Recorded>> {
        match &self.known {
            Some((of, Known::Recorded(found))) if Some(of) == self.wanted.as_ref() => Some(found),
            _ => None,
        }
    }

    /// Why there is no block, if that is known.
    pub fn failure(&self) -> Option<&str> {
        match &self.known {
            Some((of, Known::Not(reason))) if Some(of) == self.wanted.as_ref() => Some(reason),
            _ => None,
        }
    }

    /// The text that is shown.
    pub fn shown_text(&self) -> Text {
        self.recorded().map_or(self.text, |recorded| recorded.text_for(self.text))
    }

    /// The line of the step in the text that is shown.
    pub fn line(&self) -> Option<u32> {
        let shown = self.shown.as_ref()?;
        self.recorded()?.line_of(self.shown_text(), shown.moment.instruction)
    }

    /// The line under the cursor, from 1.
    pub fn cursor_line(&self) -> Option<u32> {
        match self.cursor {
            Some(index) => u32::try_from(index + 1).ok(),
            None => self.line(),
        }
    }

    /// Forgets the block of an algorithm, whose kernels are other ones now.
    pub(crate) fn forget(&mut self, algorithm: &str) {
        if self.known.as_ref().is_some_and(|(of, _)| of.case.algorithm == algorithm) {
            (self.known, self.shown, self.cursor) = (None, None, None);
        }
    }
}

/// The size that is stepped of a case where none is chosen: its own, or half of it and so on
/// until its launches are small.
pub(crate) fn fitting(case: &Case) -> u64 {
    let Some(algorithm) = algorithms::find(&case.algorithm) else { return case.n };
    let threads = |case: &Case| -> u64 {
        let work = algorithm.work(case);
        work.launches().map(|it| it.grid.count().saturating_mul(it.block.count())).sum()
    };
    let mut case = case.clone();
    while case.n > 1 && algorithm.obstacle(&case).is_none() && threads(&case) > MOST_THREADS {
        let half = Case { n: case.n / 2, ..case.clone() };
        if algorithm.obstacle(&half).is_some() {
            break;
        }
        case = half;
    }
    case.n
}

/// What the screen is to show, of the selected case.
pub(crate) fn wanted(model: &Model) -> Option<Wanted> {
    let selected = model.selected.as_ref()?;
    let step = &model.step;
    let n = step.n.unwrap_or(step.fits);
    Some(Wanted {
        case: Case { n, ..selected.case.clone() },
        gpu: selected.gpu.clone(),
        launch: step.launch,
        block: step.block,
    })
}
