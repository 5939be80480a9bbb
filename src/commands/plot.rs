//! `warpscope plot`: stored results as a picture.

use std::io::{self, Write};

use anyhow::bail;

use super::{Exit, filter};
use crate::cli::plot::{Log, Plot, Time, X, Y};
use crate::figure::{self, Baseline, Beside, Choice, XAxis, YAxis};
use crate::measurement::Record;
use crate::{plot, published};

/// More curves than this are hard to tell apart.
const MANY: usize = 14;

pub(super) fn run(asked: &Plot) -> anyhow::Result<Exit> {
    // What was typed is checked before files are read: it is cheaper to mend.
    let size: plot::Size = asked.size.parse()?;
    plot::Format::of(&asked.output)?;
    if let (Some(_), Some(Y::Time | Y::Throughput | Y::Bandwidth)) = (&asked.baseline, asked.y) {
        bail!("--baseline is what a speed-up is over: write --y speedup, or leave --y out");
    }
    let mut records = filter::read(&asked.files, &asked.filter)?;
    if asked.reported {
        records.extend(reported(&records));
    }
    let baseline = asked.baseline.as_ref().map(|baseline| Baseline::Field {
        key: baseline.key.clone(),
        value: baseline.value.clone(),
    });
    let beside = Beside { baseline: baseline.as_ref(), ..Beside::default() };
    let figure = figure::build_beside(&records, choice(asked, &records), beside)?;
    plot::write(&figure, size, &asked.output)?;
    let curves = figure.series.len();
    if curves > MANY {
        let _ = writeln!(
            io::stderr(),
            "{curves} curves share the picture; --variant, --block, --coarsen, --bins and --set \
             draw fewer"
        );
    }
    Ok(Exit::Fine)
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
