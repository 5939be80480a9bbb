//! How a curve is drawn, the same on the screen, in pictures and in reports. Hue and marker
//! say which variant it is, lightness which of its settings, line and fill where its numbers
//! come from.

use std::collections::{BTreeMap, BTreeSet};

use super::series::{Key, SOURCE, variant_rank};
use super::{Figure, Series, Unit};
use crate::algorithms;
use crate::results::record::{Provenance, Record};

/// Hues that variants have; the next one begins again.
pub const HUES: usize = 7;

/// Marker shapes that they have. Hue and shape together differ for the first 56 variants.
pub const SHAPES: usize = 8;

/// Lightnesses of one hue.
pub const TINTS: usize = 3;

/// More curves than this are not told apart by colour: the others are grey.
pub const MOST_COLOURED: usize = 8;

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pen {
    /// Its variant, by the order of the registry: picks hue and marker.
    pub variant: usize,
    /// Its block size, coarsening and so on among those of its variant: picks the lightness.
    pub tint: usize,
    /// Where its numbers come from.
    pub stroke: Stroke,
    /// Whether it is grey, because there are too many curves.
    pub muted: bool,
}

/// Line and marker, by provenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Stroke {
    /// Measured or recorded: a full line, filled markers.
    #[default]
    Solid,
    /// Modelled: a dashed line, hollow markers.
    Dashed,
    /// Reported: a thin line, small markers.
    Thin,
}

impl Stroke {
    /// The stroke of a provenance.
    pub fn of(provenance: Provenance) -> Self {
        match provenance {
            Provenance::Measured | Provenance::Recorded => Self::Solid,
            Provenance::Modelled => Self::Dashed,
            Provenance::Reported => Self::Thin,
        }
    }
}

impl Pen {
    /// The pen of the variant with this place in the registry.
    pub fn of_variant(variant: usize) -> Self {
        Self { variant, ..Self::default() }
    }

    /// Its hue, below [`HUES`].
    pub fn hue(self) -> usize {
        self.variant % HUES
    }

    /// Its marker, below [`SHAPES`].
    pub fn shape(self) -> usize {
        self.variant % SHAPES
    }

    /// Its lightness, below [`TINTS`].
    pub fn lightness(self) -> usize {
        self.tint % TINTS
    }

    /// Whether its markers have a dot inside: every lightness is taken by another curve.
    pub fn dotted(self) -> bool {
        self.tint / TINTS % 2 == 1
    }

    /// Whether its markers are hollow.
    pub fn is_hollow(self) -> bool {
        self.stroke == Stroke::Dashed
    }
}

/// The pens of curves, one for each of `keys`, which are those of the records `first`. They
/// do not depend on the order of the curves.
pub(super) fn pens(keys: &[Key], first: &[&Record]) -> Vec<Pen> {
    let variants = variants(first);
    let strokes: Vec<Stroke> = first.iter().map(|record| Stroke::of(record.provenance)).collect();
    // Settings of each variant, and of each setting the sources with the same stroke.
    let mut settings: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    let mut sources: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for ((key, record), stroke) in keys.iter().zip(first).zip(&strokes) {
        let published = *stroke == Stroke::Thin;
        settings.entry((key.variant(), published)).or_default().insert(key.settings());
        let place = (key.variant(), *stroke, key.settings());
        sources.entry(place).or_default().insert(source(key, record));
    }
    let most = sources.values().map(BTreeSet::len).max().unwrap_or(1);
    let rank = |index: usize| -> Option<Pen> {
        let (key, record, stroke) = (keys.get(index)?, *first.get(index)?, *strokes.get(index)?);
        let known = settings.get(&(key.variant(), stroke == Stroke::Thin))?;
        let setting = known.iter().position(|it| *it == key.settings())?;
        let alike = sources.get(&(key.variant(), stroke, key.settings()))?;
        let source = alike.iter().position(|it| *it == source(key, record))?;
        let name = (record.algorithm.as_str(), record.variant.as_str());
        let variant = variants.get(&name).copied()?;
        Some(Pen { variant, tint: setting * most + source, stroke, muted: false })
    };
    (0..keys.len()).map(|index| rank(index).unwrap_or_default()).collect()
}

/// What tells curves of the same settings and stroke apart; a recording comes before what is
/// measured now, so that it keeps its lightness.
fn source<'a>(key: &'a Key, record: &Record) -> (bool, &'a [super::series::Facet], &'a str) {
    let facets = key.facets.get(key.facets.len() - SOURCE + 1..).unwrap_or_default();
    (record.provenance == Provenance::Measured, facets, key.ptx.as_str())
}

/// The place of each variant: that in the registry, after those of the algorithms before its
/// own where a figure has several.
fn variants<'a>(records: &[&'a Record]) -> BTreeMap<(&'a str, &'a str), usize> {
    let mut found: BTreeMap<(usize, &str), BTreeSet<(usize, &str)>> = BTreeMap::new();
    for record in records {
        let name = record.algorithm.as_str();
        let rank = algorithms::ALL.iter().position(|algorithm| algorithm.name() == name);
        let variants = found.entry((rank.unwrap_or(usize::MAX), name)).or_default();
        variants.insert((variant_rank(record), record.variant.as_str()));
    }
    let mut places = BTreeMap::new();
    let mut before = 0;
    for ((_, algorithm), variants) in found {
        let known = algorithms::find(algorithm).map_or(0, |it| it.variants().len());
        let mut unknown = known;
        for (rank, variant) in variants {
            let place = if rank < known { rank } else { unknown };
            unknown += usize::from(rank >= known);
            places.insert((algorithm, variant), before + place);
        }
        before += unknown;
    }
    places
}

impl Figure {
    /// Greys curves where there are more than [`MOST_COLOURED`]: the fastest, the slowest and
    /// six others stay in colour, those around the curve `lit` if one is.
    pub fn colour(&mut self, lit: Option<usize>) {
        let many = self.series.len() > MOST_COLOURED;
        let order = self.order();
        let ends = order.len().min(2);
        let window = MOST_COLOURED - ends;
        let place = lit.and_then(|lit| order.iter().position(|index| *index == lit));
        let first = place.map_or(0, |place| place.saturating_sub(ends) / window * window) + ends;
        for (place, index) in order.into_iter().enumerate() {
            let coloured = place < ends || (first..first + window).contains(&place);
            if let Some(series) = self.series.get_mut(index) {
                series.pen.muted = many && !coloured;
            }
        }
    }

    /// Indices of the curves as a legend lists them: by the registry, but where not all are in
    /// colour the fastest and the slowest come first.
    pub fn order(&self) -> Vec<usize> {
        let all = 0..self.series.len();
        if self.series.len() <= MOST_COLOURED {
            return all.collect();
        }
        let (fastest, slowest) = self.extremes();
        let ends: Vec<usize> = fastest.into_iter().chain(slowest).collect();
        let others = all.filter(|index| !ends.contains(index));
        ends.iter().copied().chain(others).collect()
    }

    /// The fastest and the slowest curve where most curves have a point, at the largest such x.
    fn extremes(&self) -> (Option<usize>, Option<usize>) {
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        for point in self.series.iter().flat_map(|series| &series.points) {
            // Positive floats sort as their bits do.
            *counts.entry(point.x.max(0.0).to_bits()).or_default() += 1;
        }
        let Some((x, _)) = counts.into_iter().max_by_key(|(x, count)| (*count, *x)) else {
            return (None, None);
        };
        let at = |series: &Series| {
            let point = series.points.iter().find(|point| point.x.max(0.0).to_bits() == x)?;
            // A small time is fast; a small rate is slow.
            Some(if self.y.unit == Unit::Seconds { point.y } else { -point.y })
        };
        let mut known: Vec<(f64, usize)> = self
            .series
            .iter()
            .enumerate()
            .filter_map(|(index, series)| Some((at(series)?, index)))
            .collect();
        known.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ends = (known.first().map(|it| it.1), known.last().map(|it| it.1));
        if known.len() > 1 { ends } else { (ends.0, None) }
    }
}
