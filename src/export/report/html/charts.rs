//! Which charts a group of cases gets, and the element of each.

use std::collections::BTreeSet;

use maud::{Markup, PreEscaped, html};

use super::super::{ReportError, ladder};
use super::{groups::Group, tables};
use crate::algorithms;
use crate::export::image::{self, Size};
use crate::figure::tune::{self, Cell, Tune};
use crate::figure::{self, Choice, Figure, Picture, XAxis, YAxis};
use crate::results::record::Record;
use crate::units::{Elements, Seconds, superscript};

/// More curves than this are hard to tell apart.
const MANY: usize = 12;

/// Fewest cells that make a map.
const LEAST_CELLS: usize = 4;

/// Most maps of a group.
const MOST_MAPS: usize = 4;

/// The charts of a group.
pub(super) fn of(group: &Group) -> Result<Vec<Markup>, ReportError> {
    let distinct = |of: fn(&Record) -> u64| {
        group.timed().map(|(record, _)| of(record)).collect::<BTreeSet<u64>>().len()
    };
    let sizes = distinct(|record| record.n);
    let blocks = distinct(|record| record.block.into());
    let coarsenings = distinct(|record| record.coarsen.into());
    let x = match (sizes, blocks, coarsenings) {
        (2.., ..) => XAxis::N,
        (1, 2.., _) => XAxis::Block,
        (1, 1, 2..) => XAxis::Coarsen,
        _ => return maps(group),
    };
    let choice = Choice { x, time: group.time, ..Choice::default() };
    let (records, note) = chosen(group, choice);
    let mut charts = Vec::new();
    let time = figure::build(&records, choice);
    charts.push(chart(&time, &format!("{}-time", group.id), note.as_deref())?);
    if group.variants().len() > 1 {
        let (records, note) = if note.is_some() { at_one_setting(group) } else { (records, None) };
        let speedup = figure::build(&records, Choice { y: YAxis::Speedup, log_y: false, ..choice });
        if speedup.series.len() > 1 && !speedup.is_empty() {
            charts.push(chart(&speedup, &format!("{}-speedup", group.id), note.as_deref())?);
        }
    }
    charts.extend(maps(group)?);
    Ok(charts)
}

/// What is drawn: everything, or where that is too much each variant's fastest
/// setting, and which that is.
fn chosen(group: &Group, choice: Choice) -> (Vec<Record>, Option<String>) {
    let all = figure::build(&group.records, choice).series.len();
    let Some(n) = group.size_to_compare().filter(|_| all > MANY) else {
        return (group.records.clone(), None);
    };
    let fastest = group.fastest(n);
    let is_drawn = |record: &&Record| {
        fastest.iter().any(|(best, _)| {
            best.variant == record.variant
                && best.block == record.block
                && best.coarsen == record.coarsen
                && best.device.name == record.device.name
                && best.provenance == record.provenance
        })
    };
    let drawn: Vec<Record> = group.records.iter().filter(is_drawn).cloned().collect();
    let note = format!(
        "Of {all} curves, those of each variant's fastest block size and coarsening at n = {} are \
         drawn; all are in the table of all cases.",
        Elements(n)
    );
    (drawn, Some(note))
}

/// The cases with the block size and coarsening at which the first variant is
/// fastest, as a speed-up compares cases that differ in nothing else.
fn at_one_setting(group: &Group) -> (Vec<Record>, Option<String>) {
    let known = algorithms::find(&group.algorithm).map(algorithms::Algorithm::variants);
    let place = |record: &Record| {
        known.and_then(|all| all.iter().position(|variant| record.variant == variant.name))
    };
    let fastest = group.size_to_compare().map(|n| group.fastest(n)).unwrap_or_default();
    let first = fastest.iter().map(|(record, _)| *record).min_by_key(|record| place(record));
    let Some(first) = first else { return (group.records.clone(), None) };
    let same = |record: &&Record| record.block == first.block && record.coarsen == first.coarsen;
    let note = format!(
        "At block {} and coarsening {}, where {} is fastest: a speed-up compares cases that differ \
         in nothing else.",
        first.block, first.coarsen, first.variant
    );
    (group.records.iter().filter(same).cloned().collect(), Some(note))
}

/// The chart with what it is called, and its numbers on demand.
fn chart(figure: &Figure, id: &str, note: Option<&str>) -> Result<Markup, ReportError> {
    let numbers = numbers(figure, id);
    drawn(&figure.clone().into(), &heading(&figure.title), id, note, &numbers)
}

/// A picture with what it is called, and its numbers on demand.
pub(super) fn drawn(
    picture: &Picture,
    heading: &str,
    id: &str,
    note: Option<&str>,
    numbers: &Markup,
) -> Result<Markup, ReportError> {
    let failed = |error: image::PlotError| ReportError::Failed(error.to_string());
    // Wide enough for a legend beside the plot, and legible on a telephone.
    let size = Size::new(1100, 680).map_err(failed)?.bare();
    let svg = image::element(picture, size, id).map_err(failed)?;
    let words = picture.words();
    Ok(html! {
        figure {
            h3 { (superscript(heading)) }
            div.plot { (PreEscaped(svg)) }
            figcaption {
                (superscript(words.caption)) ". "
                @if let Some(note) = note { (superscript(note)) }
            }
            (numbers)
        }
    })
}

/// The ladder of a group of several variants, with ideas and factors as a table.
pub(super) fn rungs(group: &Group) -> Result<Option<Markup>, ReportError> {
    let Some(ladder) = ladder::of(&group.records, group.time) else { return Ok(None) };
    let id = format!("{}-ladder", group.id);
    let columns: Vec<_> =
        ladder::columns().map(|(name, number)| (name.to_owned(), number)).collect();
    let rows = ladder::rows(&ladder);
    let (title, note) = (heading(&ladder.title), ladder::scale(&ladder));
    let caption = format!("{title}: what each variant adds, and what that brings");
    let table = tables::table(&format!("{id}-caption"), &caption, &columns, &rows);
    drawn(&ladder.into(), &title, &id, Some(&note), &table).map(Some)
}

/// Block size by coarsening, for the fastest variants that tried some.
fn maps(group: &Group) -> Result<Vec<Markup>, ReportError> {
    let Some(n) = group.size_to_compare() else { return Ok(Vec::new()) };
    let mut variants: Vec<&str> = Vec::new();
    for (record, _) in group.fastest(n) {
        if !variants.contains(&record.variant.as_str()) {
            variants.push(&record.variant);
        }
    }
    let mut charts = Vec::new();
    for variant in variants {
        let of_variant: Vec<Record> = group
            .records
            .iter()
            .filter(|record| record.variant == variant && record.n == n)
            .cloned()
            .collect();
        let map = tune::select(&of_variant, group.time)
            .filter(|chosen| chosen.len() >= LEAST_CELLS)
            .and_then(|chosen| Tune::of(&chosen, group.time));
        let Some(map) = map else { continue };
        if charts.len() == MOST_MAPS {
            break;
        }
        let id = format!("{}-map-{}", group.id, charts.len() + 1);
        let heading = format!("Block size by coarsening: {variant} at n = {}", Elements(n));
        let note = (charts.len() + 1 == MOST_MAPS)
            .then_some("Maps of slower variants are left out; their cases are in the last table.");
        let table = cells(&map, &id);
        charts.push(drawn(&map.into(), &heading, &id, note, &table)?);
    }
    Ok(charts)
}

/// The map as a table: coarsenings down, block sizes across.
fn cells(map: &Tune, id: &str) -> Markup {
    let text = |place| match map.cells.get(&place) {
        Some(Cell::Time(time)) => Seconds(*time).to_string(),
        Some(Cell::Skipped) => "skipped".to_owned(),
        Some(Cell::Wrong) => "wrong".to_owned(),
        None => "–".to_owned(),
    };
    let blocks = map.blocks.iter().map(|block| (format!("block {block}"), true));
    let columns: Vec<_> = [("coarsening".to_owned(), false)].into_iter().chain(blocks).collect();
    let row = |coarsen: &u32| {
        let cells = map.blocks.iter().map(|block| text((*block, *coarsen)));
        [format!("×{coarsen}")].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = map.coarsenings.iter().map(row).collect();
    let caption = format!("{}, {}", map.title, map.variant);
    details("map", &tables::table(&format!("{id}-caption"), &caption, &columns, &rows))
}

fn details(of: &str, table: &Markup) -> Markup {
    html! { details { summary { "The numbers of this " (of) } (table) } }
}

/// The title without the algorithm, which the section names.
fn heading(title: &str) -> String {
    tables::capitalised(title.split_once(": ").map_or(title, |(_, what)| what))
}

/// The chart as a table: x down, curves across.
fn numbers(figure: &Figure, id: &str) -> Markup {
    let mut xs: Vec<f64> =
        figure.series.iter().flat_map(|series| series.points.iter().map(|point| point.x)).collect();
    xs.sort_by(f64::total_cmp);
    xs.dedup();
    let at = |series: &figure::Series, x: f64| {
        let point = series.points.iter().find(|point| point.x.to_bits() == x.to_bits());
        point.map_or_else(|| "–".to_owned(), |point| figure.y.format(point.y))
    };
    let heading = |series: &figure::Series| {
        (html! { (series.label) br; small { (series.provenance_label) } }, true)
    };
    let mut columns = vec![(html! { (figure.x.label) }, false)];
    columns.extend(figure.series.iter().map(heading));
    let row = |x: f64| {
        let cells = figure.series.iter().map(|series| at(series, x));
        [figure.x.format(x)].into_iter().chain(cells).collect()
    };
    let rows: Vec<Vec<String>> = xs.into_iter().map(row).collect();
    let caption = format!("{}: {}", figure.title, figure.y.label);
    details("chart", &tables::table(&format!("{id}-caption"), &caption, &columns, &rows))
}
