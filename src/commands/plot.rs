//! `warpscope plot`: stored results as a picture.

mod views;

use std::io::Write;

use anyhow::bail;

use super::preview::{self, Way};
use super::{Exit, filter};
use crate::cli::plot::{Log, Plot, Style, Time, View, X, Y};
use crate::export::image;
use crate::figure::{self, Baseline, Beside, Choice, Picture, XAxis, YAxis};
use crate::results::published;
use crate::results::record::Record;

/// More curves than this are hard to tell apart.
const MANY: usize = 14;

pub(super) fn run(asked: &Plot, out: &mut impl Write) -> anyhow::Result<Exit> {
    // What was typed is checked before files are read: it is cheaper to mend.
    let size: image::Size = asked.size.parse()?;
    if let Some(path) = &asked.output {
        image::Format::of(path)?;
    }
    if let (Some(_), Some(Y::Time | Y::Throughput | Y::Bandwidth)) = (&asked.baseline, asked.y) {
        bail!("--baseline is what a speed-up is over: write --y speedup, or leave --y out");
    }
    let records = filter::read(&asked.files, &asked.filter)?;
    let picture = match asked.view {
        View::Sweep => curves(asked, records)?,
        View::Output => views::output(&records)?,
        View::Tune => views::map(&records, asked.time.map(time))?,
        View::Counters => match views::kernels(&records)? {
            Some(picture) => picture,
            None => return Ok(Exit::Interrupted),
        },
    };
    let style = match asked.style {
        Style::Light => image::Style::Light,
        Style::Dark => image::Style::Dark,
    };
    if let Some(path) = &asked.output {
        image::write(&picture, size, style, path)?;
    }
    if asked.preview {
        out.write_all(shown(&picture, size, style)?.as_bytes())?;
        out.flush()?;
    }
    Ok(Exit::Fine)
}

/// The picture as the terminal takes it.
fn shown(picture: &Picture, size: image::Size, style: image::Style) -> anyhow::Result<String> {
    // Not a terminal: as wide as one used to be.
    let (columns, rows) = crossterm::terminal::size().unwrap_or((80, 25));
    Ok(match preview::way(|name| std::env::var(name).ok().filter(|value| !value.is_empty())) {
        Way::HalfBlocks => {
            let small = image::Size::new(640, 400)?;
            let pixels = image::pixels(picture, small, style)?;
            preview::half_blocks(&pixels, columns, rows.saturating_sub(1).max(8))
        }
        way => preview::sequence(way, &image::png(picture, size, style)?, columns.min(110)),
    })
}

fn curves(asked: &Plot, mut records: Vec<Record>) -> anyhow::Result<Picture> {
    if asked.reported {
        records.extend(reported(&records));
    }
    let baseline = asked.baseline.as_ref().map(|baseline| Baseline::Field {
        key: baseline.key.clone(),
        value: baseline.value.clone(),
    });
    let beside = Beside { baseline: baseline.as_ref(), ..Beside::default() };
    let figure = figure::build_beside(&records, choice(asked, &records), beside)?;
    let curves = figure.series.len();
    if curves > MANY {
        views::tell(&format!(
            "{curves} curves share the picture; --variant, --block, --coarsen, --bins and --set \
             draw fewer"
        ));
    }
    Ok(figure.into())
}

/// Published times of the algorithms that are drawn.
fn reported(records: &[Record]) -> Vec<Record> {
    let mut algorithms: Vec<&str> = records.iter().map(|it| it.algorithm.as_str()).collect();
    algorithms.sort_unstable();
    algorithms.dedup();
    algorithms.into_iter().flat_map(published::records).collect()
}

/// The time that an option names.
pub(super) fn time(asked: Time) -> figure::Time {
    match asked {
        Time::Kernels => figure::Time::Kernels,
        Time::EndToEnd => figure::Time::EndToEnd,
    }
}

fn choice(asked: &Plot, records: &[Record]) -> Choice {
    Choice {
        x: match asked.x {
            X::N => XAxis::N,
            X::Block => XAxis::Block,
            X::Coarsen => XAxis::Coarsen,
        },
        y: match asked.y {
            None if asked.baseline.is_some() => YAxis::Speedup,
            None | Some(Y::Time) => YAxis::Time,
            Some(Y::Throughput) => YAxis::Throughput,
            Some(Y::Bandwidth) => YAxis::Bandwidth,
            Some(Y::Speedup) => YAxis::Speedup,
        },
        time: asked.time.map_or_else(|| figure::Time::fitting(records), time),
        log_x: asked.log.contains(&Log::X),
        log_y: asked.log.contains(&Log::Y),
    }
}
