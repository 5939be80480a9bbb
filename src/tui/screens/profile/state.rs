//! The Counters and Source screens: which two cases are looked at, what is known
//! of them, and where the cursor is.

pub use crate::tui::screens::profile::looking::{cursor, difference, places, rows, texts};

use std::sync::Arc;
use std::time::Duration;

use crate::algorithms;
use crate::experiment::{Case, SampleChoice};
use crate::figure::listing;
use crate::figure::listing::{Heat, Listing, Pair};
use crate::results::record::{CaseProfile, KernelProfile, Provenance, Record};
use crate::runner::scheduler::ProfiledCase;
use crate::tui::app::model::Model;
use crate::tui::app::selection;

/// Maximum number of profiles kept.
const MOST_KNOWN: usize = 24;

/// A case to profile on the emulator.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The case.
    pub case: Case,
    /// The GPU to predict for; the default one where none is named.
    pub gpu: Option<String>,
    /// Whether a few blocks may stand for all.
    pub sample: SampleChoice,
}

/// What came of taking a case apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Known {
    /// Its counts.
    Counted(Arc<ProfiledCase>),
    /// Why there are none, in words.
    Not(String),
}

/// A case that is being profiled.
#[derive(Debug, Clone, PartialEq)]
pub struct Running {
    /// Number of the attempt, which its result carries.
    pub id: u64,
    /// What it is of.
    pub wanted: Wanted,
    /// When it began, since the start of the program.
    pub since: Duration,
}

/// The text that the keys act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pane {
    /// The CUDA source.
    #[default]
    Cuda,
    /// The PTX.
    Ptx,
}

/// What was chosen on the two screens.
#[derive(Debug, Clone, Default)]
pub struct ProfileScreens {
    /// The case that was put beside the selected one, by exchanging the two.
    pub beside: Option<Case>,
    /// The case that is kept beside it, whatever it is.
    pub kept: Option<Case>,
    /// Which kernel, counted from 0.
    pub kernel: usize,
    /// Which row of the counters.
    pub row: usize,
    /// Whether the roofline is shown where there is no room for both.
    pub roofline: bool,
    /// What of the lines' work is shown.
    pub heat: Heat,
    /// The text that the keys act on.
    pub pane: Pane,
    /// Whether both cases' texts stand side by side.
    pub diff: bool,
    /// Place of the cursor in the active text or among the rows of the difference;
    /// the hottest line where none was chosen.
    pub line: Option<usize>,
    /// Columns of text scrolled away at the left.
    pub shift: u16,
    /// What is known of cases, the newest last.
    pub known: Vec<(Wanted, Known)>,
    /// The running profile.
    pub running: Option<Running>,
    /// Number of the newest attempt.
    pub attempts: u64,
    /// The texts of the kernels shown last.
    pub(crate) texts: Vec<(Wanted, String, Arc<Texts>)>,
    /// The difference shown last, and the texts that it is of.
    pub(crate) difference: Option<Kept>,
}

/// A difference with the texts that it is of, and which of them.
type Kept = (Arc<Texts>, Arc<Texts>, Pane, Arc<Difference>);

/// The texts of two kernels side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The text of the case that is looked at.
    pub left: Listing,
    /// The text of the other.
    pub right: Listing,
    /// Which lines stand in one row.
    pub rows: Vec<Pair>,
}

/// Both texts of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Texts {
    /// The CUDA source.
    pub cuda: Listing,
    /// The PTX.
    pub ptx: Listing,
}

impl Texts {
    /// The text of a pane.
    pub fn of(&self, pane: Pane) -> &Listing {
        match pane {
            Pane::Cuda => &self.cuda,
            Pane::Ptx => &self.ptx,
        }
    }
}

/// One of the two cases with what is known of it.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// What is to be known.
    pub wanted: Wanted,
    /// What is known.
    pub known: Option<&'a Known>,
}

impl<'a> Side<'a> {
    /// Its counts, if they are there.
    pub fn profiled(&self) -> Option<&'a ProfiledCase> {
        match self.known {
            Some(Known::Counted(profiled)) => Some(profiled),
            _ => None,
        }
    }

    /// Its kernels, if they are there.
    pub fn profile(&self) -> Option<&'a CaseProfile> {
        self.profiled()?.profile.as_ref()
    }
}

impl ProfileScreens {
    /// What is known of a case.
    pub fn find(&self, wanted: &Wanted) -> Option<&Known> {
        self.known.iter().rev().find(|(other, _)| other == wanted).map(|(_, known)| known)
    }

    /// Keeps what came of a case, in place of what was known of it.
    pub fn learn(&mut self, wanted: Wanted, known: Known) {
        self.known.retain(|(other, _)| *other != wanted);
        if self.known.len() >= MOST_KNOWN {
            self.known.remove(0);
        }
        self.texts.retain(|(other, ..)| *other != wanted);
        self.known.push((wanted, known));
    }

    /// Forgets the cases of an algorithm, whose kernels are other ones now.
    pub(crate) fn forget(&mut self, algorithm: &str) {
        self.known.retain(|(wanted, _)| wanted.case.algorithm != algorithm);
        self.texts.retain(|(wanted, ..)| wanted.case.algorithm != algorithm);
        self.difference = None;
        self.line = None;
    }

    /// Both texts of a kernel of a case: those kept, else made anew.
    pub fn texts(&self, wanted: &Wanted, kernel: &KernelProfile) -> Option<Arc<Texts>> {
        let known = self.texts.iter().find(|(of, name, _)| of == wanted && *name == kernel.name);
        if let Some((.., found)) = known {
            return Some(Arc::clone(found));
        }
        let module = algorithms::find(&wanted.case.algorithm)?.module(&wanted.case.variant);
        Some(Arc::new(Texts {
            cuda: listing::source(kernel, module.source),
            ptx: listing::ptx(kernel, module.ptx),
        }))
    }
}

/// The selected case and the one beside it.
pub fn sides(model: &Model) -> Vec<Side<'_>> {
    let Some(selected) = &model.selected else { return Vec::new() };
    [Some(&selected.case), selected.beside.as_ref()]
        .into_iter()
        .flatten()
        .map(|case| Wanted {
            case: case.clone(),
            gpu: selected.gpu.clone(),
            sample: model.selection.target.sample,
        })
        .map(|wanted| Side { known: model.profile.find(&wanted), wanted })
        .collect()
}

/// The kernels of both cases that are looked at: the chosen one of the first, and
/// that of the second which does the same part.
pub fn kernels<'a>(model: &Model, sides: &[Side<'a>]) -> Vec<Option<&'a KernelProfile>> {
    let Some(first) = sides.first().and_then(Side::profile) else {
        return sides.iter().map(|_| None).collect();
    };
    let at = model.profile.kernel.min(first.kernels.len().saturating_sub(1));
    let chosen = first.kernels.get(at);
    let partner = |side: &Side<'a>| {
        let kernels = &side.profile()?.kernels;
        let phase = chosen.map(|kernel| kernel.phase.as_str());
        let same = kernels.iter().find(|kernel| Some(kernel.phase.as_str()) == phase);
        // Of two pipelines of as many kernels those at the same place belong together.
        same.or_else(|| kernels.get(at).filter(|_| kernels.len() == first.kernels.len()))
    };
    let others = sides.iter().skip(1).map(partner);
    std::iter::once(chosen).chain(others).collect()
}

/// The result of a case that a GPU gave or a file has, to stand beside what is
/// modelled.
pub fn measured<'a>(model: &'a Model, case: &Case) -> Option<&'a Record> {
    let found = selection::record_of(model, case)?;
    (found.provenance != Provenance::Modelled).then_some(found)
}

/// Whether counting now would disturb a measurement.
pub fn disturbs(model: &Model) -> bool {
    model.run.as_ref().is_some_and(|run| {
        run.paused_at.is_none()
            && run.replay.is_none()
            && (run.devices.is_empty() || run.devices.values().any(|device| !device.modelled))
    })
}
