//! The Counters and Source screens: which two cases are looked at, what is known
//! of them, and where the cursor is.

pub use crate::tui::screens::profile::looking::{cursor, difference, places, rows, texts};

use std::sync::Arc;
use std::time::Duration;

use crate::experiment::{Case, SampleChoice};
use crate::figure::listing;
use crate::figure::listing::{Heat, Listing, Pair};
use crate::results::record::{CaseProfile, KernelProfile, Record};
use crate::runner::plan;
use crate::runner::scheduler::ProfiledCase;
use crate::tui::app::model::{Model, Origin, Screen};
use crate::tui::dialogs::why::state as why;
use crate::tui::screens::sweep::state as chart;
use crate::tui::screens::sweep::state::Layer;
use crate::tui::screens::tune::state as tune;
use crate::{algorithms, gpu};

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
    /// The case that is looked at.
    pub case: Option<Case>,
    /// The GPU that it is predicted for.
    pub gpu: Option<String>,
    /// The case beside it, as the screen before compared them.
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

    fn wanted(&self, model: &Model, case: Case) -> Wanted {
        Wanted { case, gpu: self.gpu.clone(), sample: model.selection.target.sample }
    }
}

/// The case that is looked at and the one beside it.
pub fn sides(model: &Model) -> Vec<Side<'_>> {
    let profile = &model.profile;
    let Some(case) = profile.case.clone() else { return Vec::new() };
    let beside = beside(model, &case);
    [Some(case), beside]
        .into_iter()
        .flatten()
        .map(|case| profile.wanted(model, case))
        .map(|wanted| Side { known: profile.find(&wanted), wanted })
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

/// The case to stand beside `case`: the one that was kept, else a pinned one of
/// the same size, else what the screen before compared it with, else the next
/// variant.
fn beside(model: &Model, case: &Case) -> Option<Case> {
    let profile = &model.profile;
    let other = |candidate: &Case| candidate != case && candidate.algorithm == case.algorithm;
    if let Some(kept) = profile.kept.clone().filter(other) {
        return Some(kept);
    }
    let pinned = model.pinned.iter().map(Record::case).filter(|it| it.n == case.n).find(other);
    if pinned.is_some() {
        return pinned;
    }
    let compared = profile.beside.clone().map(|beside| Case { n: case.n, ..beside });
    compared.filter(other).or_else(|| next_variant(case, 1))
}

/// The same case of the variant `by` further on, of those that can run it.
pub fn next_variant(case: &Case, by: usize) -> Option<Case> {
    let algorithm = algorithms::find(&case.algorithm)?;
    let variants = algorithm.variants();
    let at = variants.iter().position(|variant| variant.name == case.variant)?;
    let others = (1..variants.len()).map(|step| &variants[(at + step) % variants.len()]);
    others
        .map(|variant| Case {
            variant: variant.name.to_owned(),
            coarsen: if variant.coarsens { case.coarsen } else { 1 },
            ..case.clone()
        })
        .filter(|case| algorithm.obstacle(case).is_none())
        .nth(by.saturating_sub(1))
}

/// A case, the one it was compared with, and the GPU to predict for.
pub type Choice = (Case, Option<Case>, Option<String>);

/// The cases that the screen which is left has under its cursor: the slower one of
/// those it compares, and the other.
pub fn choose(model: &Model) -> Option<Choice> {
    let found = match model.screen {
        Screen::Tune => of_map(model),
        Screen::Output => of_output(model),
        _ => None,
    };
    let (case, beside, record) = found.or_else(|| of_chart(model))?;
    choice(model, case, beside, record)
}

/// The choice of a case, if this program knows it; `record` is its result.
pub fn choice(
    model: &Model,
    case: Case,
    beside: Option<Case>,
    record: Option<&Record>,
) -> Option<Choice> {
    let record = record.or_else(|| record_of(model, &case));
    let gpu = match record {
        Some(record) => gpu_of(model, record),
        None => model.selection.target.gpu.clone(),
    };
    exists(&case).then_some((case, beside.filter(exists), gpu))
}

/// A case, what it is compared with, and its result.
type Chosen<'a> = (Case, Option<Case>, Option<&'a Record>);

fn of_map(model: &Model) -> Option<Chosen<'_>> {
    let map = tune::map(model)?;
    let record = map.cells.get(&map.cursor(&model.tune)?).copied()?;
    Some((record.case(), None, Some(record)))
}

fn of_output(model: &Model) -> Option<Chosen<'_>> {
    let shown = model.output.as_ref().filter(|shown| shown.origin != Origin::Reference)?;
    Some((shown.case.clone(), None, None))
}

fn of_chart(model: &Model) -> Option<Chosen<'_>> {
    let chart = &model.chart;
    if let Some(pair) = why::pair(chart) {
        return Some((pair.slow.case(), Some(pair.fast.case()), Some(pair.slow)));
    }
    let x = chart.cross()?;
    let newest = [Layer::Live, Layer::Pinned, Layer::Recorded].into_iter().find_map(|layer| {
        let mut series = chart.series().iter().filter(|series| chart.layer(series) == layer);
        series.find_map(|series| chart.record(chart::point_at(series, x)?))
    })?;
    Some((newest.case(), None, Some(newest)))
}

/// The newest result of a case.
fn record_of<'a>(model: &'a Model, case: &Case) -> Option<&'a Record> {
    let live = model.results.iter().rev().map(|live| &live.record);
    live.chain(&model.pinned).chain(&model.shown).find(|record| record.case() == *case)
}

/// Whether this program knows the case: files can name others.
fn exists(case: &Case) -> bool {
    plan::algorithm(&case.algorithm)
        .is_ok_and(|algorithm| algorithm.variants().iter().any(|it| it.name == case.variant))
}

/// The GPU to predict for so that a result compares: that of the result where its
/// profile is known, else the one that the form names.
pub(crate) fn gpu_of(model: &Model, record: &Record) -> Option<String> {
    let asked = model.selection.target.gpu.clone();
    // A profile from a file has a name of its own, and only its path opens it.
    if record.backend == "emulator" && asked.is_some() {
        return asked;
    }
    let name = &record.device.name;
    let known = gpu::spec_of_device(name).or_else(|| gpu::find_spec(name));
    known.map(|profile| profile.name.clone()).or(asked)
}

/// The result of a case that a GPU gave or a file has, to stand beside what is
/// modelled.
pub fn measured<'a>(model: &'a Model, case: &Case) -> Option<&'a Record> {
    let found = record_of(model, case)?;
    (found.provenance != crate::results::record::Provenance::Modelled).then_some(found)
}

/// Sizes that the case can be moved to.
pub fn sizes(model: &Model) -> Vec<u64> {
    let mut sizes = tune::sizes(model);
    sizes.extend(model.profile.case.as_ref().map(|case| case.n));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Whether counting now would disturb a measurement.
pub fn disturbs(model: &Model) -> bool {
    model.run.as_ref().is_some_and(|run| {
        run.paused_at.is_none()
            && run.replay.is_none()
            && (run.devices.is_empty() || run.devices.values().any(|device| !device.modelled))
    })
}
