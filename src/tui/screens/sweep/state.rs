//! The chart's state: which records are in it, the figure drawn from them, the
//! crosshair and the zoom.

use std::collections::HashMap;
use std::sync::Arc;

use crate::experiment::{Case, Experiment, Sizes};
use crate::figure::{Baseline, Beside, Choice, Figure, Point, Series};
use crate::results::record::{Provenance, Record};
use crate::runner::plan;
use crate::tui::dialogs::why::state::Verdict;
use crate::units::BlockSize;
use crate::{algorithms, figure};

/// Where a record in the chart comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// An older version of the user's file.
    Older,
    /// A file or the built-in recording.
    Recorded,
    /// Another stored run, laid over these.
    Overlaid,
    /// Kept for comparison.
    Pinned,
    /// Run in this sitting.
    Live,
}

/// The chart.
#[derive(Debug, Clone, Default)]
pub struct Chart {
    /// What is on the axes.
    pub choice: Choice,
    /// Records in it: recorded, then pinned, then live.
    pub records: Vec<Record>,
    /// Layer of each record.
    pub layers: Vec<Layer>,
    /// Of each record, the stored run that it is overlaid from.
    pub runs: Vec<Option<Arc<str>>>,
    /// What a speed-up is over, where that is not the first variant.
    pub baseline: Option<Baseline>,
    /// The figure of these records.
    pub figure: Option<Figure>,
    /// Where the crosshair was put, on the x axis; `None` follows the newest
    /// live point.
    pub crosshair: Option<f64>,
    /// Shown part of the x axis, as positions 0 to 1 of the whole.
    pub zoom: Option<(f64, f64)>,
    /// The x of the newest live point.
    pub newest: Option<f64>,
    /// Sizes that a run is going to reach, so that the axis stands still while
    /// points arrive.
    pub planned: Option<(f64, f64)>,
    /// Values that the y axis shows besides those of its points.
    pub planned_y: Option<(f64, f64)>,
    /// The largest size of the form.
    pub largest: Option<f64>,
    /// The comparison of the pair that is shown.
    pub verdict: Option<Verdict>,
    /// The curve that was chosen in the legend.
    pub chosen: Option<Name>,
    /// The curve whose entry is under the pointer.
    pub hovered: Option<Name>,
    /// How often the figure was drawn up.
    pub drawn: u64,
    /// Every x that some series has a point at, ascending.
    stops: Vec<f64>,
    /// Of each of `stops`, how many series have a point there.
    shared: Vec<usize>,
}

impl Chart {
    /// Puts these records in and draws the figure up: overlaid stored runs and older versions
    /// of the user's file have names. Of two records of the same case on the same device the
    /// later one stays.
    pub fn set(
        &mut self,
        [recorded, pinned, live]: [Vec<Record>; 3],
        overlaid: Vec<(Arc<str>, Vec<Record>)>,
        older: Vec<(Arc<str>, Vec<Record>)>,
    ) {
        // A recording stays beside a new measurement of the same case, and each
        // stored run beside the others.
        let mut place: HashMap<(String, usize), usize> = HashMap::new();
        self.records.clear();
        self.layers.clear();
        self.runs.clear();
        self.verdict = None;
        let overlays = overlaid.into_iter().map(|run| (Layer::Overlaid, run));
        let overlays = older.into_iter().map(|version| (Layer::Older, version)).chain(overlays);
        let overlays = overlays
            .enumerate()
            .map(|(index, (layer, (name, records)))| (layer, 2 + index, Some(name), records));
        let parts = std::iter::once((Layer::Recorded, 0, None, recorded))
            .chain(overlays)
            .chain([(Layer::Pinned, 1, None, pinned), (Layer::Live, 1, None, live)]);
        for (layer, kind, run, records) in parts {
            for record in records {
                let key = (record.identity().to_string(), kind);
                if let Some(&index) = place.get(&key) {
                    self.records[index] = record;
                    self.layers[index] = layer;
                } else {
                    place.insert(key, self.records.len());
                    self.records.push(record);
                    self.layers.push(layer);
                    self.runs.push(run.clone());
                }
            }
        }
        self.newest = self
            .records
            .iter()
            .zip(&self.layers)
            .rev()
            .find(|(record, layer)| **layer == Layer::Live && record.seconds.is_some())
            .map(|(record, _)| record.n as f64);
        self.redraw();
    }

    /// Draws the figure up again, after a change of axes.
    pub fn redraw(&mut self) {
        let beside = Beside { baseline: self.baseline.as_ref(), runs: &self.runs };
        let figure = figure::build_beside(&self.records, self.choice, beside);
        self.figure = Some(figure.unwrap_or_else(|_| figure::build(&self.records, self.choice)));
        self.drawn += 1;
        let mut stops: Vec<f64> =
            self.series().iter().flat_map(|series| &series.points).map(|point| point.x).collect();
        stops.sort_by(f64::total_cmp);
        // A series has one point at an x.
        let same = || stops.chunk_by(|one, other| one.total_cmp(other).is_eq());
        self.shared = same().map(<[f64]>::len).collect();
        self.stops = same().map(|xs| xs[0]).collect();
        self.recolour();
    }

    /// The curve that stands out: under the pointer in the legend, else the one chosen there.
    pub fn lit(&self) -> Option<usize> {
        self.place(self.hovered.as_ref().or(self.chosen.as_ref())?)
    }

    /// Where a curve is, if it is still there.
    pub fn place(&self, curve: &Name) -> Option<usize> {
        self.series().iter().position(|series| name(series) == *curve)
    }

    /// Lets a curve stand out; again: no longer.
    pub fn choose(&mut self, index: usize) {
        let curve = self.series().get(index).map(name);
        self.chosen = curve.filter(|curve| self.chosen.as_ref() != Some(curve));
        self.recolour();
    }

    /// Lets the curve under the pointer stand out, or none.
    pub fn hover(&mut self, index: Option<usize>) {
        let series = index.and_then(|index| self.series().get(index));
        self.hovered = series.map(name);
        self.recolour();
    }

    /// Lets the next curve of the legend stand out, round and round.
    pub fn choose_next(&mut self, by: isize) {
        let Some(figure) = &self.figure else { return };
        let order = figure.order();
        let now = self.lit().and_then(|lit| order.iter().position(|index| *index == lit));
        let next = match now {
            Some(now) => (now as isize + by).rem_euclid(order.len() as isize) as usize,
            None if by > 0 => 0,
            None => order.len().saturating_sub(1),
        };
        let series = order.get(next).and_then(|index| figure.series.get(*index));
        self.chosen = series.map(name);
        self.hovered = None;
        self.recolour();
    }

    /// Where a curve stands out: lets that of a case stand out instead.
    pub fn light(&mut self, case: &Case) {
        let alike = |record: &Record| {
            record.variant == case.variant
                && (record.block, record.coarsen) == (case.block, case.coarsen)
                && *record.params == case.params
        };
        let found = self.series().iter().filter(|series| {
            series.points.last().and_then(|point| self.record(point)).is_some_and(alike)
        });
        let newest = found.max_by_key(|series| self.layer(series));
        if let (Some(chosen), Some(series)) = (&self.chosen, newest)
            && *chosen != name(series)
        {
            self.chosen = Some(name(series));
            self.recolour();
        }
    }

    fn recolour(&mut self) {
        let lit = self.lit();
        let layers = &self.layers;
        let Some(figure) = &mut self.figure else { return };
        figure.colour(lit);
        for (index, series) in figure.series.iter_mut().enumerate() {
            let first = series.points.first().map(|point| point.record);
            let older = first.and_then(|at| layers.get(at)) == Some(&Layer::Older);
            series.pen.muted |= older && lit != Some(index);
        }
    }

    /// The series, none before the first figure.
    pub fn series(&self) -> &[Series] {
        self.figure.as_ref().map_or(&[], |figure| &figure.series)
    }

    /// The layer that a series belongs to.
    pub fn layer(&self, series: &Series) -> Layer {
        let record = series.points.last().map(|point| point.record);
        record.and_then(|record| self.layers.get(record)).copied().unwrap_or(Layer::Recorded)
    }

    /// The record behind a point.
    pub fn record(&self, point: &Point) -> Option<&Record> {
        self.records.get(point.record)
    }

    /// Every x that some series has a point at, ascending.
    pub fn stops(&self) -> &[f64] {
        &self.stops
    }

    /// Where the crosshair is: where it was put, else at the newest live
    /// point, else at the largest x that the most series share, up to the form's largest
    /// size.
    pub fn cross(&self) -> Option<f64> {
        let wanted = self.crosshair.or(self.newest);
        if let Some(x) = wanted {
            return nearest(&self.stops, x);
        }
        let stops = || self.stops.iter().copied().zip(&self.shared);
        let largest = self.largest.unwrap_or(f64::INFINITY);
        let inside = stops().filter(|(x, _)| *x <= largest);
        // The last of several with as many series.
        let most = inside.max_by_key(|(_, shared)| **shared);
        most.or_else(|| stops().max_by_key(|(_, shared)| **shared)).map(|(x, _)| x)
    }

    /// The whole x axis: every point, and where a run is heading.
    pub fn whole_x(&self) -> Option<(f64, f64)> {
        let figure = self.figure.as_ref()?;
        let points = figure.series.iter().flat_map(|series| &series.points).map(|point| point.x);
        let planned = self.planned.iter().flat_map(|(low, high)| [*low, *high]);
        Some(figure.x.range(points.chain(planned)))
    }

    /// The part of the x axis that is shown.
    pub fn shown_x(&self) -> Option<(f64, f64)> {
        let whole = self.whole_x()?;
        let axis = &self.figure.as_ref()?.x;
        let (from, to) = self.zoom.unwrap_or((0.0, 1.0));
        Some((axis.value_at(from, whole), axis.value_at(to, whole)))
    }

    /// The y axis for the points in this part of the x axis.
    pub fn shown_y(&self, x: (f64, f64)) -> Option<(f64, f64)> {
        let figure = self.figure.as_ref()?;
        let points = figure.series.iter().flat_map(|series| &series.points);
        let inside = points.filter(|point| (x.0..=x.1).contains(&point.x));
        let shown = inside.flat_map(|point| {
            let (low, high) = point.band.unwrap_or((point.y, point.y));
            [point.y, low, high]
        });
        let planned = self.planned_y.iter().flat_map(|(low, high)| [*low, *high]);
        Some(figure.y.range(shown.chain(planned)))
    }

    /// Shifts the shown part of the x axis so that the crosshair is in it.
    pub fn show_cross(&mut self) {
        let (Some((low, high)), Some(x)) = (self.zoom, self.cross()) else { return };
        let Some(at) = self.position(x) else { return };
        let width = high - low;
        let low = if at < low {
            at
        } else if at > high {
            at - width
        } else {
            low
        };
        let low = low.clamp(0.0, 1.0 - width);
        self.zoom = Some((low, low + width));
    }

    /// Where an x is on the whole axis, from 0 to 1.
    pub fn position(&self, x: f64) -> Option<f64> {
        self.figure.as_ref()?.x.position(x, self.whole_x()?)
    }

    /// The stops in a part of the axis.
    pub fn stops_within(&self, (low, high): (f64, f64)) -> Vec<f64> {
        let inside = |x: &f64| self.position(*x).is_some_and(|at| (low..=high).contains(&at));
        self.stops.iter().copied().filter(inside).collect()
    }

    /// Moves the crosshair by some stops.
    pub fn step(&mut self, by: isize) {
        let Some(at) = self.cross() else { return };
        let Some(index) = self.stops.iter().position(|x| x.total_cmp(&at).is_eq()) else { return };
        let index = index.saturating_add_signed(by).min(self.stops.len() - 1);
        self.crosshair = Some(self.stops[index]);
    }
}

/// A curve by what stays while others come: its brief label and where its numbers come from.
pub type Name = (String, Provenance);

/// The name of a curve.
pub fn name(series: &Series) -> Name {
    (series.brief.clone(), series.provenance)
}

/// The point of a series at exactly this x.
pub fn point_at(series: &Series, x: f64) -> Option<&Point> {
    series.points.iter().find(|point| point.x.total_cmp(&x).is_eq())
}

/// The label of a series without what its provenance says anyway.
pub fn short_label(series: &Series) -> String {
    let told: Vec<&str> = series.provenance_label.split(" · ").collect();
    let parts = series.label.split(" · ").filter(|part| !told.contains(part));
    parts.collect::<Vec<_>>().join(" · ")
}

/// The stop closest to `x` on a logarithmic scale.
pub fn nearest(stops: &[f64], x: f64) -> Option<f64> {
    let distance = |stop: &f64| (stop.max(1.0).ln() - x.max(1.0).ln()).abs();
    stops.iter().copied().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Whether the form's settings select `record`. Sizes do not count: a curve is
/// shown as far as it is known.
pub fn selects(experiment: &Experiment, record: &Record) -> bool {
    let variants = &experiment.variants;
    let blocks = algorithms::find(&experiment.algorithm)
        .map(|algorithm| plan::blocks(algorithm, experiment, &record.variant));
    (variants.is_empty() || variants.contains(&record.variant))
        && blocks.is_some_and(|blocks| blocks.contains(&record.block))
        && experiment.coarsenings.contains(&record.coarsen)
        && alike(experiment, record)
}

/// Whether `record` is of the form's algorithm, parameters and input, whatever
/// its variant, size, block size and coarsening.
pub fn alike(experiment: &Experiment, record: &Record) -> bool {
    let params_match = || {
        let Some(algorithm) = algorithms::find(&experiment.algorithm) else { return false };
        algorithm.params().iter().all(|param| {
            let default = param.default();
            let has = record.params.get(param.name).unwrap_or(&default);
            match experiment.params.get(param.name) {
                Some(wanted) if !wanted.is_empty() => {
                    wanted.iter().any(|wanted| wanted.identity() == has.identity())
                }
                _ => *has == default,
            }
        })
    };
    record.algorithm == experiment.algorithm && record.dist == experiment.dist && params_match()
}

/// Most curves that opening a file puts on the screen at once.
const MOST_CURVES: usize = 8;

/// The settings that select `records`: all blocks and coarsenings where that
/// makes a readable number of curves, else those of the last record.
pub fn experiment_of(records: &[Record]) -> Option<Experiment> {
    let last = records.last()?;
    let alike = |record: &&Record| {
        record.algorithm == last.algorithm
            && record.dist == last.dist
            && record.params == last.params
    };
    let distinct = |of: fn(&Record) -> u32| {
        let mut values: Vec<u32> = records.iter().filter(alike).map(of).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let (mut blocks, mut coarsenings) = (distinct(|r| r.block), distinct(|r| r.coarsen));
    if blocks.len() * coarsenings.len() * 2 > MOST_CURVES {
        (blocks, coarsenings) = (vec![last.block], vec![last.coarsen]);
    }
    let sizes = records.iter().filter(alike).map(|record| record.n);
    let (least, most) = (sizes.clone().filter(|n| *n > 0).min()?, sizes.max()?);
    Some(Experiment {
        algorithm: last.algorithm.to_string(),
        variants: Vec::new(),
        blocks: blocks.into_iter().filter_map(|block| BlockSize::new(block).ok()).collect(),
        coarsenings,
        sizes: Sizes::range(least, most, 2),
        params: last.params.iter().map(|(k, v)| (k.clone(), vec![v.clone()])).collect(),
        dist: last.dist,
        seed: last.seed,
        ..Experiment::default()
    })
}
