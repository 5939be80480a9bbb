//! From records to curves: their records, labels and styles.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::baseline::Times;
use super::devices::{self, Devices};
use super::pen::{self, Pen};
use super::{Beside, Choice, Point, Scale, Series, XAxis, YAxis};
use crate::algorithms;
use crate::analysis::compare::pairs::NoBaseline;
use crate::analysis::limit::limit;
use crate::experiment::ParamValue;
use crate::results::record::{Metric, Provenance, Record};
use crate::units::Elements;

/// The curves of a figure and what they have in common.
#[derive(Debug, Default)]
pub(super) struct Grouped {
    /// In the order of the legend.
    pub(super) series: Vec<Series>,
    /// What all of them share.
    pub(super) shared: String,
    /// Name of the baseline.
    pub(super) baseline: String,
}

/// A property by which curves can differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Facet {
    /// Sorts curves.
    rank: u64,
    /// Text in a label.
    short: String,
    /// Text in the subtitle.
    long: String,
}

/// What the records of a curve agree in: all but x.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    /// Algorithm, variant, block and so on; every key has the same number.
    pub(super) facets: Vec<Facet>,
    /// Hash of the PTX, shown only where nothing else differs.
    pub(super) ptx: String,
    /// The whole label of a published curve, and its settings in it.
    published: Option<(String, String)>,
}

impl Key {
    /// Algorithm and variant.
    pub(super) fn variant(&self) -> &[Facet] {
        self.facets.get(..=VARIANT).unwrap_or_default()
    }

    /// Block size, coarsening, n, parameters and input, as far as they are not on the x axis.
    pub(super) fn settings(&self) -> &[Facet] {
        self.facets.get(VARIANT + 1..self.facets.len() - SOURCE).unwrap_or_default()
    }
}

/// Index of the variant in [`Key::facets`], which every label names.
const VARIANT: usize = 1;

/// The last of [`Key::facets`]: provenance, device and run.
pub(super) const SOURCE: usize = 3;

/// Sorts `records` into curves.
pub(super) fn group(
    records: &[Record],
    choice: Choice,
    beside: Beside,
) -> Result<Grouped, NoBaseline> {
    let times = match choice.y {
        YAxis::Speedup => Some(Times::of(records, beside.runs, choice, beside.baseline)?),
        _ => None,
    };
    let devices = Devices::of(records);
    let params = param_names(records);

    let mut keys: Vec<Key> = Vec::new();
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut curves: Vec<Series> = Vec::new();
    let mut first: Vec<&Record> = Vec::new();
    for (index, record) in records.iter().enumerate() {
        let over = times.as_ref().and_then(|times| *times.of.get(index)?);
        let Some(point) = point(record, index, choice, over) else { continue };
        let run = beside.runs.get(index).and_then(Option::as_deref);
        let key = key(record, choice.x, &params, &devices, run);
        let at = *places.entry(key).or_insert_with_key(|key| {
            curves.push(Series {
                label: String::new(),
                brief: String::new(),
                provenance_label: String::new(),
                provenance: record.provenance,
                pen: Pen::default(),
                points: Vec::new(),
            });
            keys.push(key.clone());
            first.push(record);
            keys.len() - 1
        });
        if let Some(curve) = curves.get_mut(at) {
            curve.points.push(point);
        }
    }

    let shared = shared(&keys);
    for (curve, (label, brief)) in curves.iter_mut().zip(labels(&keys)) {
        (curve.label, curve.brief) = (label, brief);
        // Of several points at one x the last one counts.
        curve.points.sort_by(|a, b| a.x.total_cmp(&b.x).then(b.record.cmp(&a.record)));
        curve.points.dedup_by(|a, b| a.x.total_cmp(&b.x).is_eq());
        let shown: Vec<&Record> =
            curve.points.iter().filter_map(|point| records.get(point.record)).collect();
        curve.provenance_label = provenance_label(&shown);
    }
    for (curve, pen) in curves.iter_mut().zip(pen::pens(&keys, &first)) {
        curve.pen = pen;
    }
    let mut series: Vec<(Key, Series)> = keys.into_iter().zip(curves).collect();
    series.sort_by(|a, b| a.0.cmp(&b.0));
    let series = series.into_iter().map(|(_, curve)| curve).collect();
    let baseline = times.map(|times| times.name).unwrap_or_default();
    Ok(Grouped { series, shared, baseline })
}

/// The point of a record, if it has one.
fn point(record: &Record, index: usize, choice: Choice, over: Option<f64>) -> Option<Point> {
    if !record.outcome().is_result() {
        return None;
    }
    let seconds = choice.time.summary(record)?;
    let x = match choice.x {
        XAxis::N => record.n as f64,
        XAxis::Block => f64::from(record.block),
        XAxis::Coarsen => f64::from(record.coarsen),
    };
    let over_time = match choice.y {
        YAxis::Time => None,
        YAxis::Throughput => Some(record.n as f64),
        YAxis::Bandwidth => Some(record.bytes as f64),
        YAxis::Flops => Some(Some(record.flops as f64).filter(|flops| *flops > 0.0)?),
        YAxis::Limit => Some(limit(record)?.seconds),
        YAxis::Speedup => Some(over?),
    };
    let y = |time: f64| over_time.map_or(time, |amount| amount / time);
    let median = seconds.median;
    let band = seconds.q1.zip(seconds.q3).map(|(q1, q3)| {
        let (a, b) = (y(q1), y(q3));
        (a.min(b), a.max(b))
    });
    let point = Point { x, y: y(median), band, record: index };
    let x_scale = if choice.log_x { Scale::Log2 } else { Scale::Linear };
    let y_scale = if choice.log_y { Scale::Log10 } else { Scale::Linear };
    let band_shows = |(low, high): &(f64, f64)| y_scale.shows(*low) && y_scale.shows(*high);
    (x_scale.shows(point.x) && y_scale.shows(point.y))
        .then(|| Point { band: point.band.filter(band_shows), ..point })
}

/// For every algorithm, a record of its first variant in registry order.
pub(super) fn baseline_variants(records: &[Record]) -> BTreeMap<&str, &Record> {
    let mut first: BTreeMap<&str, &Record> = BTreeMap::new();
    for record in records {
        let known = first.entry(&record.algorithm).or_insert(record);
        if variant_rank(record) < variant_rank(known) {
            *known = record;
        }
    }
    first
}

/// Index of the variant in its algorithm's list; unknown variants last.
pub(super) fn variant_rank(record: &Record) -> usize {
    algorithms::find(&record.algorithm)
        .and_then(|algorithm| algorithm.variants().iter().position(|v| record.variant == v.name))
        .unwrap_or(usize::MAX)
}

/// What a case and its baseline agree in, provenance included: a measured time over a
/// predicted one is no speed-up.
pub(super) fn all_but_variant(record: &Record) -> String {
    let mut record_of_any = record.case();
    record_of_any.variant = String::new();
    let device = &record.device;
    format!("{record_of_any} {} {} {} {}", record.seed, record.provenance, device.name, device.id)
}

fn param_names(records: &[Record]) -> Vec<String> {
    let names = records.iter().flat_map(|record| record.params.keys().cloned());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

fn key(record: &Record, x: XAxis, params: &[String], devices: &Devices, run: Option<&str>) -> Key {
    let facet = |rank: u64, short: String, long: String| Facet { rank, short, long };
    let mut facets = vec![
        facet(0, record.algorithm.to_string(), String::new()),
        facet(variant_rank(record) as u64, record.variant.to_string(), String::new()),
    ];
    if x != XAxis::Block {
        let block = u64::from(record.block);
        facets.push(facet(block, block.to_string(), format!("block {block}")));
    }
    if x != XAxis::Coarsen {
        let coarsen = u64::from(record.coarsen);
        facets.push(facet(coarsen, format!("x{coarsen}"), format!("coarsening {coarsen}")));
    }
    if x != XAxis::N {
        let n = format!("n {}", Elements(record.n));
        facets.push(facet(record.n, n.clone(), n));
    }
    for name in params {
        let value = record.params.get(name);
        let rank = if let Some(ParamValue::Int(value)) = value { *value } else { 0 };
        let with_value = |value| algorithms::with_value(&record.algorithm, name, value);
        let value = value.map(with_value).unwrap_or_default();
        facets.push(facet(rank, value.clone(), value));
    }
    facets.push(facet(0, record.dist.to_string(), format!("input {}", record.dist)));
    let seed = format!("seed {}", record.seed);
    facets.push(facet(record.seed, seed.clone(), seed));
    let provenance = record.provenance.to_string();
    facets.push(facet(record.provenance as u64, provenance, String::new()));
    let device = devices.name(record);
    facets.push(facet(0, device.clone(), device));
    let run = run.unwrap_or_default().to_owned();
    facets.push(facet(u64::from(!run.is_empty()), run.clone(), run));
    Key { facets, ptx: record.ptx.to_string(), published: published(record) }
}

/// The label of a published curve: `global · 32 · reported · GTX 745`.
fn published(record: &Record) -> Option<(String, String)> {
    (record.provenance == Provenance::Reported).then(|| {
        let block = if record.block == 0 { String::new() } else { format!(" · {}", record.block) };
        (format!("{}{block} · reported · {}", record.variant, record.device.name), block)
    })
}

/// The variant and what differs between the curves: in full, and in brief.
fn labels(keys: &[Key]) -> Vec<(String, String)> {
    let own: Vec<&Key> = keys.iter().filter(|key| key.published.is_none()).collect();
    let differs: Vec<bool> = (0..own.first().map_or(0, |key| key.facets.len()))
        .map(|i| own.iter().any(|key| key.facets.get(i) != own[0].facets.get(i)))
        .collect();
    let plain: Vec<(String, String)> = keys
        .iter()
        .map(|key| {
            let algorithm = key.facets.first().map_or("", |facet| facet.short.as_str());
            let brief = |at: usize, facet: &Facet| match at {
                VARIANT => algorithms::short_name(algorithm, &facet.short).to_owned(),
                _ => facet.short.clone(),
            };
            if let Some((label, settings)) = &key.published {
                let variant = key.facets.get(VARIANT).map(|facet| brief(VARIANT, facet));
                return (label.clone(), variant.unwrap_or_default() + settings);
            }
            let source = key.facets.len() - SOURCE..key.facets.len() - 1;
            let facets = key.facets.iter().zip(&differs).enumerate();
            let told: Vec<(usize, &Facet)> = facets
                .filter(|(at, (facet, differs))| {
                    (**differs || *at == VARIANT) && !facet.short.is_empty()
                })
                .map(|(at, (facet, _))| (at, facet))
                .collect();
            let full = told.iter().map(|(_, facet)| facet.short.clone());
            let short = told.iter().filter(|(at, _)| !source.contains(at));
            let short = short.map(|(at, facet)| brief(*at, facet));
            (full.collect::<Vec<_>>().join(" · "), short.collect::<Vec<_>>().join(" · "))
        })
        .collect();
    let ambiguous = |label: &String| plain.iter().filter(|(other, _)| other == label).count() > 1;
    let whole = |((label, brief), key): (&(String, String), &Key)| {
        let ptx = if ambiguous(label) { format!(" · ptx {}", key.ptx) } else { String::new() };
        (format!("{label}{ptx}"), format!("{brief}{ptx}"))
    };
    plain.iter().zip(keys).map(whole).collect()
}

/// What all curves share, for the subtitle.
fn shared(keys: &[Key]) -> String {
    let own: Vec<&Key> = keys.iter().filter(|key| key.published.is_none()).collect();
    let Some(first) = own.first() else { return String::new() };
    let facets = first.facets.iter().enumerate();
    let common =
        facets.filter(|(i, facet)| own.iter().all(|key| key.facets.get(*i) == Some(*facet)));
    let words = common.map(|(_, facet)| facet.long.as_str());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// Provenance, device and flags of a curve. A flag of only some points says so.
fn provenance_label(shown: &[&Record]) -> String {
    let Some(first) = shown.first() else { return String::new() };
    let several = devices::several(shown);
    let mut label = format!("{} · {}{several}", first.provenance, first.device.name);
    let mut flags: Vec<_> = shown.iter().flat_map(|record| &record.flags).collect();
    flags.sort();
    flags.dedup();
    for flag in flags {
        let some = shown.iter().any(|record| !record.flags.contains(flag));
        label.push_str(if some { " · some " } else { " · " });
        label.push_str(flag.label());
    }
    label
}
