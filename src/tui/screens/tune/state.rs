//! Block size by coarsening at one size: which results make the map, and where
//! the best of them is.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::experiment::{Experiment, Sizes};
use crate::figure::Time;
use crate::gpu::Occupancy;
use crate::results::record::Record;
use crate::tui::app::model::{Model, Screen};
use crate::tui::screens::sweep::state::{Layer, alike};
use crate::units::BlockSize;
use crate::work::Resources;
use crate::{algorithms, gpu};

/// Block sizes that a run for the map tries.
const BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];
/// Coarsenings that it tries.
const COARSENINGS: [u32; 5] = [1, 2, 4, 8, 16];

/// What the user chose on the Tune screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tune {
    /// Block size and coarsening under the cursor; the best where none was chosen.
    pub cursor: Option<(u32, u32)>,
    /// Whether the ladder of all variants is shown instead of the map of one.
    pub ladder: bool,
}

/// The map of one variant at one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Map<'a> {
    /// The variant.
    pub variant: String,
    /// The size: the selected one, or the nearest that has results.
    pub n: u64,
    /// The time that its cells show.
    pub time: Time,
    /// Where its results come from; all from one layer, as times of different
    /// origin do not compare.
    pub layer: Layer,
    /// Columns: block sizes, ascending.
    pub blocks: Vec<u32>,
    /// Rows: coarsenings, ascending.
    pub coarsenings: Vec<u32>,
    /// Results by block size and coarsening.
    pub cells: BTreeMap<(u32, u32), &'a Record>,
    /// The fastest and the second, with their times.
    pub ranking: Vec<((u32, u32), f64)>,
    /// The results of all variants at this size.
    pub all: Vec<&'a Record>,
}

impl Map<'_> {
    /// The cell that the cursor is on.
    pub fn cursor(&self, tune: &Tune) -> Option<(u32, u32)> {
        let there = |&(block, coarsen): &(u32, u32)| {
            self.blocks.contains(&block) && self.coarsenings.contains(&coarsen)
        };
        let first = || Some((*self.blocks.first()?, *self.coarsenings.first()?));
        tune.cursor.filter(there).or(self.ranking.first().map(|(cell, _)| *cell)).or_else(first)
    }

    /// Where its times come from: of the fastest cell, as all are of one layer.
    pub fn provenance(&self) -> Option<String> {
        let (cell, _) = self.ranking.first()?;
        Some(self.cells.get(cell)?.provenance_label())
    }

    /// The time of a cell, if it has one that counts.
    pub fn time(&self, cell: (u32, u32)) -> Option<f64> {
        self.cells.get(&cell).and_then(|record| counted(record, self.time))
    }
}

/// The time of a result that is not wrong.
fn counted(record: &Record, time: Time) -> Option<f64> {
    time.of(record).filter(|_| record.outcome().is_result())
}

/// What decides which results make the map.
#[derive(Debug, Clone, PartialEq)]
struct Key {
    /// How often the chart was drawn up: every change of the results draws it.
    drawn: u64,
    results: usize,
    selection: Experiment,
    variant: String,
    n: u64,
    map_at: Option<u64>,
    running: bool,
    ladder: bool,
}

impl Key {
    fn of(model: &Model) -> Option<Self> {
        let selected = &model.selected.as_ref()?.case;
        Some(Self {
            drawn: model.chart.drawn,
            results: model.results.len(),
            selection: model.selection.clone(),
            variant: selected.variant.clone(),
            n: selected.n,
            map_at: model.run.as_ref().and_then(|run| run.map_at),
            running: running(model),
            ladder: model.tune.ladder,
        })
    }
}

/// The results of all variants that a map is made of. Finding them reads all results.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    key: Key,
    layer: Layer,
    n: u64,
    /// Their places in the layer.
    places: Vec<usize>,
}

/// Finds the results of the map where anything changed.
pub(crate) fn remember(model: &mut Model) {
    if model.screen == Screen::Tune
        && let Some(key) = Key::of(model)
        && model.mapped.as_ref().is_none_or(|found| found.key != key)
    {
        model.mapped = Some(find(model, key));
    }
}

/// The map to draw.
pub fn map(model: &Model) -> Option<Map<'_>> {
    let key = Key::of(model)?;
    let known = model.mapped.as_ref().filter(|found| found.key == key);
    let found = known.map_or_else(|| Cow::Owned(find(model, key)), Cow::Borrowed);
    let (layer, n, time) = (found.layer, found.n, model.chart.choice.time);
    let variant = found.key.variant.clone();
    let all: Vec<&Record> =
        found.places.iter().filter_map(|place| at(model, layer, *place)).collect();
    let mut shown: BTreeMap<(u32, u32), &Record> = BTreeMap::new();
    for record in all.iter().filter(|record| record.variant == variant) {
        shown.insert((record.block, record.coarsen), record);
    }
    let mut blocks: BTreeSet<u32> = shown.keys().map(|(block, _)| *block).collect();
    let mut coarsenings: BTreeSet<u32> = shown.keys().map(|(_, coarsen)| *coarsen).collect();
    if running(model) || shown.len() < 2 {
        let wanted = experiment(model, n);
        blocks.extend(wanted.blocks.iter().map(|block| block.get()));
        coarsenings.extend(&wanted.coarsenings);
    }
    let mut ranking: Vec<((u32, u32), f64)> =
        shown.iter().filter_map(|(cell, record)| Some((*cell, counted(record, time)?))).collect();
    ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
    Some(Map {
        variant,
        n,
        time,
        layer,
        blocks: blocks.into_iter().collect(),
        coarsenings: coarsenings.into_iter().collect(),
        cells: shown,
        ranking,
        all,
    })
}

/// What a size needs several of: settings for a map, variants for a ladder.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Cell<'a> {
    Setting(u32, u32),
    Rung(&'a str),
}

/// The newest results that make a map, or a ladder, at the selected size or the nearest one.
fn find(model: &Model, key: Key) -> Found {
    let layers = [Layer::Live, Layer::Pinned, Layer::Recorded].map(|layer| {
        let alike = of_layer(model, layer).filter(|(_, record)| alike(&model.selection, record));
        (layer, alike.collect::<Vec<(usize, &Record)>>())
    });
    // A single result is no map, unless a run for the map has just begun.
    let least = if key.running { 1 } else { 2 };
    let map_of = |(layer, records): &(Layer, Vec<(usize, &Record)>)| -> Option<(Layer, u64)> {
        if key.running && *layer != Layer::Live {
            return None;
        }
        let mut cells: BTreeMap<u64, BTreeSet<Cell>> = BTreeMap::new();
        for (_, record) in records {
            let cell = if key.ladder {
                Some(Cell::Rung(&record.variant)).filter(|_| record.seconds.is_some())
            } else {
                let cell = Cell::Setting(record.block, record.coarsen);
                Some(cell).filter(|_| record.variant == key.variant)
            };
            let Some(cell) = cell else { continue };
            let of_size = cells.entry(record.n).or_default();
            if of_size.len() < least {
                of_size.insert(cell);
            }
        }
        let mut maps = cells.iter().filter(|(_, cells)| cells.len() >= least).map(|(n, _)| *n);
        let n = match key.map_at {
            Some(n) => maps.find(|it| *it == n)?,
            None => closest(maps, key.n)?,
        };
        Some((*layer, n))
    };
    // A single cell is shown where there is no map.
    let one = |(layer, records): &(Layer, Vec<(usize, &Record)>)| {
        let mut of_variant =
            records.iter().filter(|(_, it)| key.ladder || it.variant == key.variant);
        of_variant.any(|(_, record)| record.n == key.n).then_some((*layer, key.n))
    };
    let found = layers.iter().find_map(map_of).or_else(|| layers.iter().find_map(one));
    let (layer, n) = found.unwrap_or((Layer::Live, key.n));
    let of = layers.iter().filter(|(it, _)| *it == layer).flat_map(|(_, records)| records);
    let places = of.filter(|(_, record)| record.n == n).map(|(place, _)| *place).collect();
    Found { key, layer, n, places }
}

/// The results of a layer with their places in it; live ones of the form's target.
fn of_layer(model: &Model, layer: Layer) -> impl Iterator<Item = (usize, &Record)> {
    let target = &model.selection.target;
    let live = model.results.iter().enumerate().filter(move |(_, live)| live.target == *target);
    let live = live.filter(move |_| layer == Layer::Live).map(|(at, live)| (at, &live.record));
    let stored: &[Record] = match layer {
        Layer::Pinned => &model.pinned,
        Layer::Recorded => &model.shown,
        Layer::Live | Layer::Overlaid | Layer::Older => &[],
    };
    live.chain(stored.iter().enumerate())
}

/// The result at a place of a layer.
fn at(model: &Model, layer: Layer, place: usize) -> Option<&Record> {
    match layer {
        Layer::Live => model.results.get(place).map(|live| &live.record),
        Layer::Pinned => model.pinned.get(place),
        Layer::Recorded => model.shown.get(place),
        Layer::Overlaid | Layer::Older => None,
    }
}

/// The size closest to `n` by its ratio, of two the larger.
fn closest(sizes: impl Iterator<Item = u64>, n: u64) -> Option<u64> {
    let far = |size: u64| (size.max(1) as f64 / n.max(1) as f64).ln().abs();
    sizes.min_by(|a, b| far(*a).total_cmp(&far(*b)).then(b.cmp(a)))
}

/// Whether a run for the map is in progress.
fn running(model: &Model) -> bool {
    model.run.as_ref().is_some_and(|run| {
        run.experiment.sizes.values().len() == 1
            && run.experiment.blocks.len() * run.experiment.coarsenings.len() > 1
    })
}

/// Sizes that the map can be moved to: of any result, and of the form.
pub fn sizes(model: &Model) -> Vec<u64> {
    let live = model.results.iter().map(|live| &live.record);
    let records = live.chain(&model.pinned).chain(model.shown.iter());
    let mut sizes: BTreeSet<u64> =
        records.filter(|record| alike(&model.selection, record)).map(|record| record.n).collect();
    sizes.extend(model.form.experiment.sizes.values());
    sizes.into_iter().collect()
}

/// The run that fills the map at `n`: what the form says, at every block size
/// and coarsening.
pub fn experiment(model: &Model, n: u64) -> Experiment {
    let form = &model.form.experiment;
    let mut blocks: BTreeSet<u32> = BLOCKS.into();
    blocks.extend(form.blocks.iter().map(|block| block.get()));
    let mut coarsenings: BTreeSet<u32> = COARSENINGS.into();
    coarsenings.extend(&form.coarsenings);
    Experiment {
        blocks: blocks.into_iter().filter_map(|block| BlockSize::new(block).ok()).collect(),
        coarsenings: coarsenings.into_iter().collect(),
        sizes: Sizes::range(n, n, 2),
        ..form.clone()
    }
}

/// The kernel that decides how full a multiprocessor gets, with what it takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Fullness {
    /// Its name.
    pub kernel: String,
    /// What it takes, by the committed compiler's table.
    pub resources: Resources,
    /// How full.
    pub occupancy: Occupancy,
}

/// How full the case's largest launch makes a multiprocessor of its GPU, if
/// that GPU is known.
pub fn fullness(record: &Record) -> Option<Fullness> {
    let name = record.device.name.trim_start_matches("NVIDIA ");
    let capability = gpu::find_spec(name)?.compute_capability;
    let case = record.case();
    let work = algorithms::find(&case.algorithm)?.work(&case);
    let largest = work.launches().max_by_key(|launch| launch.grid.count())?;
    let resources = work.module.resources(&largest.kernel, capability)?;
    let occupancy = gpu::occupancy(
        capability,
        largest.block.count() as u32,
        resources.registers,
        resources.static_shared + largest.shared_bytes,
    )
    .ok()?;
    Some(Fullness { kernel: largest.kernel.clone(), resources, occupancy })
}
